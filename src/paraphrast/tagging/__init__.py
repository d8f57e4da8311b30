"""Word tags: which words of two texts the other does not say, read, judged and kept apart."""

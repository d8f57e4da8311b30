"""Build a corpus of pairs from a recipe."""

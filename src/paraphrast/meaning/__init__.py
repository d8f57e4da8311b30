"""The product's question: do two texts say the same thing? Word tags, and how good they are."""

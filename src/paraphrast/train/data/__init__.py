"""Training data: rows of files into examples, examples into batches."""

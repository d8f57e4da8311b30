"""Text kernels: tokenisers, n-grams, alignment. They know no metric and no file."""

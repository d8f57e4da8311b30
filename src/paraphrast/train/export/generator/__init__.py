"""Export of a generator."""

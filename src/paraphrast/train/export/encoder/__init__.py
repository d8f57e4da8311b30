"""Export of an edit encoder."""

"""Export of an embedder."""

"""Studies: decoding, references, data size."""

"""One decoding loop: samplers, beams, constraints, lengths."""

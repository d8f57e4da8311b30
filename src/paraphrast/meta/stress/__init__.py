"""A crash test of metrics: minimal pairs that share words and differ in meaning, or the reverse."""

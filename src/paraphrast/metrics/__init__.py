"""Metrics: statistics per segment, then an aggregate. One file per family."""

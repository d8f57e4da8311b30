"""Score and compare: lists, files, one sentence at a time, and judged outputs."""

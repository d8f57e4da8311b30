"""The command line: parse, then one call into jobs."""

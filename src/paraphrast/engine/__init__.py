"""Run a function over shards of work; nothing else knows where it runs."""

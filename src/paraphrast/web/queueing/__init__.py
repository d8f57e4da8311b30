"""Work waits in line: one model instance, requests of several clients in one batch."""

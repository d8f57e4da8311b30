"""The store: a log of events that only grows, and tables that are rebuilt from it."""

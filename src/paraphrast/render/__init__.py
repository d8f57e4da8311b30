"""A value becomes a table or a line of text: used by the CLI, the reports and the pages alike."""

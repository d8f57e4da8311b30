"""The quality table: what encoders reach on held-out sets, a file for each family of tasks."""

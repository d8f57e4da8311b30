"""Trained weights into directories that run without torch."""

"""Corpora are built here: paraphrase pairs mined from plain text."""

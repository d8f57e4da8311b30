"""Annotations in and out: the whole log, our own layouts, Label Studio's and doccano's."""

"""The steps of a corpus build."""

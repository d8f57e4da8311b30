"""What a text says that has no synonyms: numbers in whatever form, names, addresses, code."""

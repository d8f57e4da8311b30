"""Mine paraphrase pairs by nearest neighbours of sentence vectors."""

"""Weights of the small edit encoder ('mini') and of the embedder ('minilm') of paraphrast."""

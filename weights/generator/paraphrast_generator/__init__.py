"""Weights of the paraphrase generator ('paraphraser') of paraphrast."""

"""Weights of the small edit encoder; load them with paraphrast, by the name 'mini'."""

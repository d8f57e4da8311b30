"""Weights of the larger edit encoder; load them with paraphrast, by the name 'base'."""

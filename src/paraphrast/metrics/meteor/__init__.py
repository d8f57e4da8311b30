"""METEOR 1.5 for English (Denkowski and Lavie, 2014), equal to the jar, without Java."""

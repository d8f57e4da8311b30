"""Labelled pairs of English sentences: sixteen kinds of change, and sixteen of rewording.

A judge of meaning is easily led by shared words. Here a changed pair shares most of its words
("The nurse thanked the surgeon" / "The surgeon thanked the nurse"), and a pair that says the same
shares few ("Tickets are sold out" / "There are no tickets left"). Rows come from two sources:

- parses: rules over dependency parses of training sentences (changes_*.py alter one thing,
  rewordings.py keep the meaning);
- a grammar (grammar.py, families_*.toml, lexicon.toml): families of two meanings, each with
  several wordings. Two wordings of one meaning make an unchanged pair, one of each a changed pair,
  so that a text by itself never tells its class.

README.md beside this file says how many rows were read, and what was found.
"""

import sys
from pathlib import Path

# recipes import each other by plain names (rewriting, voices, wordings, held_out)
sys.path.insert(0, str(Path(__file__).parents[1]))

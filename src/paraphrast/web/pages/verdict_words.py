"""A verdict in words."""

from __future__ import annotations

_HEADLINES = {
    "same": "They say the same.",
    "a_entails_b": "The first text says all that the second says, and more.",
    "b_entails_a": "The second text says all that the first says, and more.",
    "contradiction": "They contradict each other.",
    "different": "They say different things.",
}
_MOODS = {"same": "yes", "contradiction": "no", "different": "no"}


def headline(relation: str) -> str:
    """Return the sentence that answers the question of the page."""
    return _HEADLINES.get(relation, relation)


def relation_mood(relation: str) -> str:
    """Return "yes", "partly" or "no", which choose a colour and a word."""
    return _MOODS.get(relation, "partly")

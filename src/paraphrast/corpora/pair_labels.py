"""The four labels of a candidate pair (Suzuki et al. 2017, section 4.2), and how files write them.

Only positive and negative pairs belong to the corpus in the end; the other two say why an
annotator set a pair aside.
"""

from __future__ import annotations

from dataclasses import dataclass

from paraphrast.errors import InputError, did_you_mean

POSITIVE, NEGATIVE, UNNATURAL, OTHER = NAMES = ("positive", "negative", "unnatural", "other")


@dataclass(frozen=True, slots=True)
class Label:
    """A label, what it says of a pair, and whether such pairs stay in the corpus."""

    name: str
    definition: str
    kept: bool
    aliases: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}


LABELS = (
    Label(
        POSITIVE,
        "Both sentences read well and say the same thing.",
        True,
        ("1", "paraphrase", "pos", "p", "true", "yes"),
    ),
    Label(
        NEGATIVE,
        "Both sentences read well, and what they say differs.",
        True,
        ("0", "non-paraphrase", "not paraphrase", "not a paraphrase", "neg", "n", "false", "no"),
    ),
    Label(
        UNNATURAL,
        "At least one sentence is ungrammatical or does not read well.",
        False,
        ("u", "ungrammatical", "disfluent"),
    ),
    Label(
        OTHER,
        "A paraphrase that teaches nothing: little but names, or sentences that differ in "
        "punctuation and the like only.",
        False,
        ("o", "trivial"),
    ),
)

_BY_ALIAS = {
    alias: label.name for label in LABELS for alias in (label.name, *label.aliases)
}  # all in lower case, with spaces for other separators


def read_label(value: object, where: str) -> str | None:
    """Return the label that a cell stands for, None for an empty one.

    Case does not count, nor whether words are parted by space, hyphen or underscore; 1 and 0 may
    be numbers, true and false JSON's own.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # a column of whole numbers with a gap is one of floats
    written = str(value).strip().lower()
    found = _BY_ALIAS.get(written) or _BY_ALIAS.get(written.replace("_", "-"))
    found = found or _BY_ALIAS.get(written.replace("-", " ").replace("_", " "))
    if found is None:
        known = ", ".join(f"{label.name} ({_aliases(label)})" for label in LABELS)
        near = did_you_mean(written, NAMES)
        raise InputError(f"{where}: unknown label {value!r:.40}{near}; known: {known}")
    return found


def _aliases(label: Label) -> str:
    return ", ".join(label.aliases)

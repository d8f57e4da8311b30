"""Forms of English verbs, from a short table of irregular ones."""

from __future__ import annotations

from dataclasses import dataclass

_VOWELS = "aeiou"


@dataclass(frozen=True)
class Verbs:
    """Inflects the first word of a verb phrase; `table` maps a verb to its past and participle."""

    table: dict[str, tuple[str, str]]
    doubled: frozenset[str]
    third: dict[str, str]

    @classmethod
    def read(cls, lists: dict[str, str]) -> Verbs:
        """Return the verbs of a lexicon's section."""
        lines = [entry.split() for entry in lists["irregular"].replace("\n", " ").split(",")]
        thirds = [entry.split() for entry in lists["third_person"].split(",")]
        return cls(
            {base: (past, part) for base, past, part in lines},
            frozenset(lists["doubled"].split()),
            dict(thirds),
        )

    def form(self, phrase: str, name: str) -> str:
        """Return a phrase with its verb as `past`, `part`, `s` or `ing`."""
        verb, _, rest = phrase.partition(" ")
        made = getattr(self, f"_{name}")(verb)
        return f"{made} {rest}" if rest else made

    def _past(self, verb: str) -> str:
        return self.table[verb][0] if verb in self.table else self._regular(verb, "ed")

    def _part(self, verb: str) -> str:
        return self.table[verb][1] if verb in self.table else self._regular(verb, "ed")

    def _ing(self, verb: str) -> str:
        if verb == "be":
            return "being"
        if verb.endswith("ie"):
            return f"{verb[:-2]}ying"
        return self._regular(verb, "ing")

    def _s(self, verb: str) -> str:
        if verb in self.third:
            return self.third[verb]
        if verb.endswith("y") and verb[-2] not in _VOWELS:
            return f"{verb[:-1]}ies"
        return f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh")) else f"{verb}s"

    def _regular(self, verb: str, ending: str) -> str:
        if verb in self.doubled:
            return f"{verb}{verb[-1]}{ending}"
        if verb.endswith("e") and not (ending == "ing" and verb.endswith(("ee", "oe", "ye"))):
            return f"{verb[:-1]}{ending}"
        if verb.endswith("y") and verb[-2] not in _VOWELS and ending == "ed":
            return f"{verb[:-1]}ied"
        return f"{verb}{ending}"

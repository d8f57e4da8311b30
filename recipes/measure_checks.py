"""How often the deterministic checks of the judge are right when they refuse a pair.

    python recipes/measure_checks.py [--altered runs/altered]        (or: make checks)

Precision is the share of refused pairs that do not say the same; recall the share of the pairs that
do not say the same which are refused. They are measured on the slice of PAWS-Wiki train that
recipes/judge_base_first.toml holds out and on the tuning half of the stress suite; apart from
these, on the held-out altered copies, where there are any. With them goes how often the kind of a
reason is right for the words that were altered, in the altered copies for training.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from paraphrast.io.data_folder import data_folder
from paraphrast.meaning.checks.alone import places
from paraphrast.meaning.checks.check import Check
from paraphrast.meaning.checks.evidence import EVIDENCE
from paraphrast.meaning.checks.word_kinds import difference_kind
from paraphrast.meta.stress.suite import TUNING, stress_pairs
from paraphrast.stats.proportions import wilson
from paraphrast.text.words import Span, WordText
from paraphrast.train.data.assembly import split
from paraphrast.train.data.readers import rows
from paraphrast.train.data.withheld_texts import texts_of, without_texts
from paraphrast.train.recipe import read_recipe

RECIPE = Path(__file__).with_name("judge_base_first.toml")
ALTERED = Path("runs/altered")


@dataclass(frozen=True)
class LabelledPair:
    """Two texts and whether they say the same."""

    a: WordText
    b: WordText
    same: bool


@dataclass(frozen=True)
class Refusals:
    """What a check refused of some pairs: `right` of `refused`, of `different` that were there."""

    pairs: int
    different: int
    refused: int
    right: int

    @property
    def precision(self) -> float:
        return self.right / self.refused if self.refused else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.different if self.different else 0.0

    def __str__(self) -> str:
        return (
            f"{self.pairs:6,} {self.different:10,} {self.refused:8,} {self.right:6,}   "
            f"{_shown(self.right, self.refused)}   {_shown(self.right, self.different)}"
        )


def paws_held_out() -> list[LabelledPair]:
    """Return the pairs of PAWS-Wiki train that the recipe holds out, without texts of tests."""
    recipe, root = read_recipe(RECIPE), data_folder()
    [source] = [one for one in recipe.source if one.name == "paws"]
    tests = texts_of([name for name in recipe.without if not name.startswith("./")], root)
    _, held_out = split(source, recipe.seed, root)
    return [
        LabelledPair(one.a, one.b, one.same == 1)
        for one in without_texts(held_out, tests)
        if one.same is not None
    ]


def tuning_pairs() -> list[LabelledPair]:
    """Return the tuning half of the stress suite."""
    return [_pair(one.text1, one.text2, same=one.same) for one in stress_pairs(TUNING)]


def altered_pairs(path: Path) -> list[LabelledPair]:
    """Return altered copies, changed and unchanged."""
    return [_pair(row["text1"], row["text2"], same=row["same"]) for row in rows(path)]


def measured(check: Check, pairs: Iterable[LabelledPair]) -> Refusals:
    """Count what a check refuses."""
    found = Counter((one.same, check.accept(check.score(one.a, one.b))) for one in pairs)
    return Refusals(
        pairs=found.total(),
        different=found[False, True] + found[False, False],
        refused=found[True, False] + found[False, False],
        right=found[False, False],
    )


def kinds(path: Path) -> Counter[tuple[str, str]]:
    """Count the kinds of altered words: as the row says, and as the judge would say."""
    found: Counter[tuple[str, str]] = Counter()
    for row in rows(path):
        if not (row["tags1"] and row["altered"]):
            continue
        texts = [WordText.of(row[name]) for name in ("text1", "text2")]
        at = [places(text, _whole(span)) for text, span in zip(texts, row["altered"], strict=True)]
        found[row["reason"], difference_kind(texts[0], texts[1], at[0], at[1])] += 1
    return found


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--altered", type=Path, default=ALTERED, help="folder of altered copies")
    folder = parser.parse_args().altered
    paws, tuning = paws_held_out(), tuning_pairs()
    sets = {"PAWS held out": paws, "tuning half": tuning, "both": [*paws, *tuning]}
    if (folder / "heldout.jsonl.gz").exists():
        sets["altered"] = altered_pairs(folder / "heldout.jsonl.gz")
    for line in check_table(sets):
        print(line)
    if (folder / "train.jsonl.gz").exists():
        print()
        for line in kind_table(kinds(folder / "train.jsonl.gz")):
            print(line)


def check_table(sets: dict[str, list[LabelledPair]]) -> Iterator[str]:
    """Yield a line for each check on each set of pairs."""
    counts = f"{'pairs':>6} {'different':>10} {'refused':>8} {'right':>6}"
    yield f"{'check':9} {'set':13}  {counts}   precision [95 %]      recall [95 %]"
    for check in EVIDENCE:
        for name, pairs in sets.items():
            yield f"{check.name:9} {name:13}  {measured(check, pairs)}"


def kind_table(found: Counter[tuple[str, str]]) -> Iterator[str]:
    """Yield a line for each kind of reason: how often it was named, of altered words of it."""
    yield f"{'kind':9} {'rows':>6}   named right [95 %]"
    every = sorted({kind for kind, _ in found})
    for kind in every:
        count = sum(n for (true, _), n in found.items() if true == kind)
        yield f"{kind:9} {count:6,}   {_shown(found[kind, kind], count)}"
    yield f"{'all':9} {found.total():6,}   {_shown(sum(found[k, k] for k in every), found.total())}"


def _pair(text1: str, text2: str, *, same: bool) -> LabelledPair:
    return LabelledPair(WordText.of(text1), WordText.of(text2), same)


def _whole(span: Sequence[int]) -> list[Span]:
    start, end = span
    return [(start, end)] if start < end else []


def _shown(hits: int, trials: int) -> str:
    if not trials:
        return f"{'–':18}"
    low, high = wilson(hits, trials)
    return f"{hits / trials:.3f} [{low:.3f} {high:.3f}]"


if __name__ == "__main__":
    main()

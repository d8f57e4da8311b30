"""How to cut a source for `faithfulness`: `python recipes/chunks.py [MODEL …]` prints a table.

Nothing here has seen a summary that people rated. Documents are made of training pairs: premises
of several pairs, and between them unrelated ones, some 400 words in all; the candidate has one to
four sentences, conclusions of the pairs, of which some follow and some do not. A quarter of the
sentences joins the conclusions of two premises that stand two sentences apart, and follows if both
do. Three kinds of document: of SNLI and of nli_hard, from the rows that recipes/judge_base.toml
holds out, and of RTE, whose premises are passages of news (rows that were trained on).

Printed for each size of chunk and each reach, as means over the kinds: the AUC of a sentence's
support as a sign that it follows; Pearson's r of a candidate's score with the share of its
sentences that follow, for the mean over sentences, the least, and half the sum of both; and the
readings that a sentence takes. The last line is the choice, by a rule that was written down first:
the size and reach with the highest AUC, as a mean over the models, or of those within .01 of it
the one with the fewest readings; then the score with the highest r there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from paraphrast.meaning.assessment import probability
from paraphrast.meaning.source_chunks import CutSource
from paraphrast.models.encoder.edit_encoder import EditEncoder
from paraphrast.render.terminal.progress import progress
from paraphrast.stats.correlation import pearson
from paraphrast.stats.cuts import auc
from paraphrast.train.data.assembly import data_root, parts
from paraphrast.train.data.examples import Example
from paraphrast.train.recipe import read_recipe

RECIPE = Path("recipes/judge_base.toml")  # says which rows are held out
SOURCES = ("snli", "nli_hard", "rte")
TRAINED_ON = ("rte",)  # no row of it is held out
SIZES = (25, 50, 75, 100, 150, 200)
REACHES = (1, 2, 3, 4, 6, 10)
EACH, WORDS, MOST = 40, 400, 4  # documents of a kind, words of one, sentences of its candidate
FUSED = 0.25  # of the sentences join two conclusions
APART = 3  # places between the premises of such a sentence
SEED = 7
NEAR = 0.01  # of the highest AUC: no difference that counts
PARTS = ("mean", "least", "both")
Setting = tuple[int, int]  # words of a chunk, and reach
Figures = Sequence[float]  # AUC, r of the three parts, readings


@dataclass(frozen=True, slots=True)
class Document:
    """A source, sentences about it, and whether each follows from it."""

    source: str
    sentences: tuple[str, ...]
    gold: tuple[bool, ...]


def held_out() -> dict[str, list[Example]]:
    """Return the rows of each source; where none are held out, those that are trained on."""
    recipe = read_recipe(RECIPE)
    chosen = tuple(source for source in recipe.source if source.name in SOURCES)
    alone = replace(recipe, source=chosen, calibration=replace(recipe.calibration, same=()))
    found = parts(alone, data_root())
    return {
        source.name: part.train if source.name in TRAINED_ON else part.held_out
        for source, part in zip(chosen, found, strict=True)
    }


def documents(rows: Sequence[Example], rng: np.random.Generator) -> Iterator[Document]:
    """Yield documents made of rows; no premise stands in one twice."""
    following = [row for row in rows if follows(row)]
    others = [row for row in rows if row.forward is not None and not follows(row)]
    for _ in range(EACH):
        claims: list[list[Example]] = []
        for _ in range(int(rng.integers(1, MOST + 1))):
            size = 2 if rng.random() < FUSED else 1
            kinds = (following if rng.random() < 0.6 else others for _ in range(size))
            claims.append([kind[int(rng.integers(len(kind)))] for kind in kinds])
        yield document(claims, [rows[place] for place in rng.permutation(len(rows))], rng)


def document(
    claims: Sequence[Sequence[Example]], fillers: Sequence[Example], rng: np.random.Generator
) -> Document:
    """Put the premises of claims among those of fillers, in an order drawn at random."""
    used = {row.a.text for claim in claims for row in claim}
    between: list[str] = []
    words = sum(len(row.a) for claim in claims for row in claim)
    for row in fillers:
        if words >= WORDS:
            break
        if row.a.text not in used:
            used.add(row.a.text)
            between.append(row.a.text)
            words += len(row.a)
    texts = between
    for claim in claims:
        place = int(rng.integers(len(texts) + 1))
        for row in claim:
            texts.insert(min(place, len(texts)), row.a.text)
            place += APART
    return Document(
        " ".join(map(ended, texts)),
        tuple(fused([row.b.text for row in claim]) for claim in claims),
        tuple(all(map(follows, claim)) for claim in claims),
    )


def follows(row: Example) -> bool:
    """Tell whether the second text of a row follows from the first."""
    return row.forward is not None and float(row.forward[0]) > 0.5


def fused(texts: Sequence[str]) -> str:
    """Return one sentence that says what one or two say."""
    first, *rest = texts
    if not rest:
        return ended(first)
    second = ended(rest[0])
    if second[1:2].islower():  # neither "I" nor a text in capitals
        second = second[0].lower() + second[1:]
    return f"{ended(first).rstrip('.')}, and {second}"


def ended(text: str) -> str:
    """Return a sentence on one line with a mark at its end, so that the next begins a new one."""
    line = " ".join(text.split())
    return line if line[-1:] in ".!?\"'" else f"{line}."


def table(
    encoder: EditEncoder, made: dict[str, list[Document]]
) -> Iterator[tuple[Setting, Figures]]:
    """Yield the figures of each size and reach."""
    for size in SIZES:
        cut = {
            document.source: CutSource.of(document.source, size)
            for many in made.values()
            for document in many
        }
        said = read(encoder, cut, made)
        for reach in REACHES:
            every = [kind(many, cut, said, reach) for many in made.values()]
            yield (size, reach), np.mean(every, axis=0).tolist()


def read(
    encoder: EditEncoder, cut: dict[str, CutSource], made: dict[str, list[Document]]
) -> dict[tuple[str, str], float]:
    """Read every sentence against the chunks that the widest reach asks for."""
    asked = [
        (chunk, sentence)
        for many in made.values()
        for document in many
        for sentence in document.sentences
        for chunk in cut[document.source].nearest(sentence, max(REACHES))
    ]
    scale = encoder.card.certainty.scale
    with progress("reading", total=len(asked), unit="pairs") as advance:
        found = encoder.summaries(asked, advance=advance)
    return {
        pair: probability(scale * one.relations.forward)
        for pair, one in zip(asked, found, strict=True)
    }


def kind(
    many: Sequence[Document],
    cut: dict[str, CutSource],
    said: dict[tuple[str, str], float],
    reach: int,
) -> list[float]:
    """Return the figures of the documents of one kind."""
    values, gold, shares, readings = [], [], [], []
    for document in many:
        own = []
        for sentence in document.sentences:
            chunks = cut[document.source].nearest(sentence, reach)
            own.append(max(said[chunk, sentence] for chunk in chunks))
            readings.append(len(chunks))
        values.append(own)
        gold += document.gold
        shares.append(float(np.mean(document.gold)))
    every = np.array([value for own in values for value in own])
    mean = np.array([np.mean(own) for own in values])
    least = np.array([min(own) for own in values])
    scores = (mean, least, (mean + least) / 2)
    correlations = [pearson(score, shares) for score in scores]
    return [auc(every, np.array(gold)), *correlations, float(np.mean(readings))]


def choice(found: Mapping[Setting, Sequence[Figures]]) -> tuple[Setting, str]:
    """Return the setting and the part that the rule picks from the figures of all models."""
    means = {setting: np.mean(many, axis=0).tolist() for setting, many in found.items()}
    best = max(figures[0] for figures in means.values())
    near = [setting for setting, figures in means.items() if figures[0] >= best - NEAR]
    chosen = min(near, key=lambda setting: (means[setting][-1], -means[setting][0]))
    return chosen, max(PARTS, key=lambda part: means[chosen][1 + PARTS.index(part)])


def main() -> None:
    """Print a line for each model, size and reach, and the choice."""
    rows = held_out()
    made = {
        name: list(documents(rows[name], np.random.default_rng([SEED, number])))
        for number, name in enumerate(SOURCES)
    }
    counts = [(len(doc.source.split()), len(doc.sentences)) for m in made.values() for doc in m]
    words, sentences = np.mean(counts, axis=0)
    print(f"{len(counts)} documents of {words:.0f} words, candidates of {sentences:.1f} sentences")
    print("model    chunk reach       AUC   r, mean  r, least   r, both  readings")
    found: dict[Setting, list[Figures]] = {}
    for model in sys.argv[1:] or ["mini", "base"]:
        for setting, figures in table(EditEncoder.load(model), made):
            found.setdefault(setting, []).append(figures)
            shown = "".join(f"{value:10.3f}" for value in figures)
            print(f"{model:8}{setting[0]:6}{setting[1]:6}{shown}", flush=True)
    (size, reach), part = choice(found)
    print(f"choice: chunk={size}, reach={reach}, part={part}")


if __name__ == "__main__":
    main()

"""MoverScore: the published definition, against an independent solution of the transport."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paraphrast
from paraphrast.errors import ConfigError, InputError, MissingExtra
from paraphrast.metrics import moverscore
from paraphrast.metrics.catalogue import make_metric
from paraphrast.metrics.idf import Idf
from paraphrast.metrics.moverscore import ngrams
from paraphrast.models.embedder.text_embedder import Embedder
from paraphrast.types import Floats
from tests.embedders import install_embedder, make_embedder
from tests.encoders import WORDS

pytest.importorskip("ot", reason="POT is not installed")
CAT, RUG, DOG = "the cat sat on the mat", "the cat sat on a rug", "he bought an old red car"
EMOJI = "😀"


@pytest.fixture(autouse=True)
def minilm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return install_embedder(tmp_path / "site", monkeypatch)


def score(candidates: Any, references: Any, *metrics: str, **options: Any) -> paraphrast.Report:
    found = paraphrast.score(candidates, references, metrics=list(metrics), threads=1, **options)
    assert isinstance(found, paraphrast.Report)
    return found


def least_work(ours: Floats, theirs: Floats, costs: Floats) -> float:
    """Solve the transport as a linear programme: rows give `ours`, columns take `theirs`."""
    linprog = pytest.importorskip("scipy.optimize").linprog
    rows, columns = costs.shape
    gives = np.kron(np.eye(rows), np.ones(columns))
    takes = np.kron(np.ones(rows), np.eye(columns))
    found = linprog(
        costs.ravel(), A_eq=np.vstack([gives, takes]), b_eq=[*ours, *theirs], bounds=(0, None)
    )
    assert found.success
    return float(found.fun)


def defined(embedder: Embedder, candidate: str, reference: str, n: int, idf: Idf | None) -> float:
    """1 − WMD written out from section 3 of the paper, one n-gram at a time."""
    places, masses = [], []
    for text in (candidate, reference):
        (tokens,) = embedder.tokens([text])
        inner = np.flatnonzero(~tokens.special)
        weight = idf.weights(tokens.ids) if idf else np.ones(len(tokens.ids))
        grams = [inner[k : k + n] for k in range(max(len(inner) - n + 1, 1))]
        sums = [np.sum([weight[t] * tokens.states[t].astype(float) for t in g], 0) for g in grams]
        mass = np.array([weight[gram].sum() for gram in grams])
        places.append([one / (np.linalg.norm(one) or 1) for one in sums])
        masses.append(mass / mass.sum())
    costs = np.array([[np.linalg.norm(a - b) for b in places[1]] for a in places[0]])
    return 1 - least_work(masses[0], masses[1], costs)


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("weighing", ["none", "references"])
def test_it_is_the_published_definition(n: int, weighing: str) -> None:
    draw = np.random.default_rng(n)
    texts = [" ".join(draw.choice(WORDS, size)) for size in (1, 2, 3, 5, 8, 12, 12, 7)]
    candidates, references = texts[:4], texts[4:]
    embedder = Embedder.load(threads=1)
    idf = None
    if weighing == "references":
        counts = np.bincount(np.concatenate([np.unique(i) for i in embedder.subwords(references)]))
        idf = Idf.of(len(references), counts)
    report = score(candidates, references, f"moverscore:n={n},idf={weighing}")
    expected = [
        defined(embedder, a, b, n, idf) for a, b in zip(candidates, references, strict=True)
    ]
    assert report.segment_values["moverscore"] == pytest.approx(expected, abs=1e-6)


@given(seed=st.integers(0, 10**6), rows=st.integers(1, 7), columns=st.integers(1, 7))
@settings(max_examples=40)
def test_the_solver_is_exact(seed: int, rows: int, columns: int) -> None:
    draw = np.random.default_rng(seed)
    ours, theirs = draw.dirichlet(np.ones(rows)), draw.dirichlet(np.ones(columns))
    costs = draw.uniform(0, 2, size=(rows, columns))
    found = moverscore.transport()(ours, theirs, costs)
    assert found == pytest.approx(least_work(ours, theirs, costs), abs=1e-9)


def test_ngrams_weigh_what_their_words_weigh() -> None:
    states, weights = np.eye(3), np.array([1.0, 0.0, 3.0])
    places, masses = ngrams(states, weights, 2)
    assert places.tolist() == [[1, 0, 0], [0, 0, 3]]
    assert masses.tolist() == [1, 3]
    places, masses = ngrams(states, weights, 1)
    assert masses.tolist() == [1, 3]  # what weighs nothing has no place
    places, masses = ngrams(states[:1], weights[:1], 2)  # shorter than n: one of all there is
    assert (places.tolist(), masses.tolist()) == ([[1, 0, 0]], [1])
    assert ngrams(states, np.zeros(3), 1)[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize("n", [1, 2])
def test_ends_and_symmetry(n: int) -> None:
    name = f"moverscore:n={n}"
    report = score([CAT, RUG, CAT, CAT], [CAT, CAT, RUG, DOG], name)
    same, forth, back, other = report.segment_values["moverscore"]
    assert same == pytest.approx(1, abs=1e-4)
    assert forth == pytest.approx(back, abs=1e-4)
    assert other < forth < same


def test_the_sizes_differ() -> None:
    one, two = score([RUG], [CAT], "moverscore", "moverscore:n=2").scores
    assert one.score != pytest.approx(two.score, abs=1e-3)
    assert "|n:1|" in one.signature
    assert "|n:2|" in two.signature


def test_empty_and_unknown_texts() -> None:
    report = score(["", CAT, "", EMOJI], [CAT, " ", "", CAT], "moverscore")
    values = report.segment_values["moverscore"]
    assert values[:3].tolist() == [-1, -1, 1]
    assert np.isnan(values[3])
    assert "1 text holds no word that the weights of 'minilm' know" in report.notes


def test_several_references() -> None:
    single = [score([RUG], [text], "moverscore")["moverscore"].score for text in (CAT, DOG)]
    best = score([RUG], [[DOG, CAT, EMOJI]], "moverscore")["moverscore"].score
    mean = score([RUG], [[DOG, CAT, EMOJI]], "moverscore:combine=mean")["moverscore"].score
    assert best == pytest.approx(max(single), abs=1e-4)
    assert mean == pytest.approx(np.mean(single), abs=1e-4)


def test_other_sizes_are_refused() -> None:
    for n in (0, 3):
        with pytest.raises(ConfigError, match=rf"^n must be 1 or 2; got {n}$"):
            make_metric(f"moverscore:n={n}")


def test_without_pot_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    moverscore.transport.cache_clear()
    monkeypatch.setitem(sys.modules, "ot", None)
    monkeypatch.setattr("paraphrast.jobs.scoring.score.tally", None)
    message = (
        "this needs the package 'POT', which is not installed; run: pip install 'paraphrast[mover]'"
    )
    with pytest.raises(MissingExtra, match=f"^{re.escape(message)}$"):
        score([RUG], [CAT], "moverscore")


def test_pot_loads_no_torch(minilm: Path) -> None:
    heavy = ["torch", "jax", "tensorflow", "transformers"]
    code = (
        "import os, sys, paraphrast; before = dict(os.environ); "
        f"paraphrast.score(['a'], ['b'], metrics=['moverscore:model={minilm}'], threads=1); "
        f"print([name for name in {heavy} if name in sys.modules], before == dict(os.environ))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] True"


def test_texts_whose_distances_would_fill_memory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_embedder(tmp_path)
    monkeypatch.setattr("paraphrast.metrics.moverscore._MOST", 10)
    with pytest.raises(InputError) as caught:
        paraphrast.score(["the cat sat on"], ["the dog ran"], metrics=[f"moverscore:model={made}"])
    assert str(caught.value) == (
        "moverscore holds every distance between two texts, and here they have 4 and 3 sub-words: "
        "12 distances, at most 10 are allowed; split the texts, or use bertscore"
    )

"""Bracketed trees: what is read, what is refused, and the kernel against its recursion."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paraphrast.errors import InputError
from paraphrast.text.trees import Node, Tree, kernel, parse, similarity

CAT = "(S (NP (DT the) (NN cat)) (VP (VBZ sits)))"
DOG = "(S (NP (DT a) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat))))"


def test_parse_drops_words_and_numbers_children_first() -> None:
    assert parse(CAT) == (
        Node(("NP", "DT", "NN"), (None, None)),
        Node(("VP", "VBZ"), (None,)),
        Node(("S", "NP", "VP"), (0, 1)),
    )


@pytest.mark.parametrize(
    "same", [f"( {CAT} )", f"(({CAT}))", CAT.replace("cat", "dog"), CAT.replace(" ", "\n  ")]
)
def test_parse_ignores_words_layout_and_the_outer_bracket(same: str) -> None:
    assert parse(same) == parse(CAT)


def test_a_tree_of_one_tag_has_no_production() -> None:
    assert parse("(NN dog)") == parse("(VB run)") == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the tree is empty"),
        (" \n", "the tree is empty"),
        ("()", "an empty bracket ends at character 2"),
        ("(S ())", "an empty bracket ends at character 5"),
        ("S", "expected '(', got 'S', at character 1"),
        (")", "')' without '(' at character 1"),
        ("(S (NP x)", "1 '(' never closed"),
        ("((S", "2 '(' never closed"),
        ("(S (NP x)) y", "text after the end of the tree at character 12"),
        ("(S (NP x)) (S", "text after the end of the tree at character 12"),
        ("(S (NP x)))", "text after the end of the tree at character 11"),
        ("(S (NP x) y)", "node 'S', which ends at character 12, has both words and constituents"),
        ("((NP x) S)", "node '', which ends at character 10, has both words and constituents"),
    ],
)
def test_parse_says_what_is_wrong_and_where(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert str(caught.value) == message


def test_a_tree_deeper_than_the_stack_is_no_problem() -> None:
    deep = "".join(f"(A{n} " for n in range(5000)) + "x" + ")" * 5000
    assert len(parse(deep)) == 4999
    assert similarity(parse(deep), parse(deep), decay=0.5, sigma=1) == pytest.approx(1)


# --- the kernel ----------------------------------------------------------------------------------


def brute_force(a: Tree, b: Tree, decay: float, sigma: float) -> float:
    """Moschitti's recursion (2006, §2.2), a leaf being a node without a production."""

    def delta(i: int | None, j: int | None) -> float:
        if i is None or j is None or a[i].production != b[j].production:
            return 0.0
        if all(child is None for child in (*a[i].children, *b[j].children)):
            return decay
        factors = [
            sigma + delta(left, right)
            for left, right in zip(a[i].children, b[j].children, strict=True)
            if left is not None or right is not None
        ]
        return decay * math.prod(factors)

    return sum(delta(i, j) for i in range(len(a)) for j in range(len(b)))


def grow(rng: random.Random, depth: int) -> str:
    label = rng.choice("AB")
    if depth == 0 or rng.random() < 0.3:
        return f"({label} w)"
    return f"({label} {' '.join(grow(rng, depth - 1) for _ in range(rng.randint(1, 3)))})"


TREES = st.integers(0, 10**6).map(lambda seed: parse(grow(random.Random(seed), 4)))
WEIGHTS = {"decay": st.sampled_from([0.1, 0.5, 1.0]), "sigma": st.sampled_from([0.0, 0.3, 1.0])}
fuzz = settings(max_examples=150, deadline=None)


@given(a=TREES, b=TREES, **WEIGHTS)
@fuzz
def test_kernel_is_the_recursion(a: Tree, b: Tree, decay: float, sigma: float) -> None:
    expected = brute_force(a, b, decay, sigma)
    assert kernel(a, b, decay=decay, sigma=sigma) == pytest.approx(expected, rel=1e-12)


@given(a=TREES, b=TREES, **WEIGHTS)
@fuzz
def test_similarity_is_normalised(a: Tree, b: Tree, decay: float, sigma: float) -> None:
    value = similarity(a, b, decay=decay, sigma=sigma)
    assert 0 <= value <= 1
    assert value == pytest.approx(similarity(b, a, decay=decay, sigma=sigma))
    assert similarity(a, a, decay=decay, sigma=sigma) == pytest.approx(1)


@pytest.mark.parametrize(
    ("sigma", "value"),
    [
        # By hand, λ = 1/2. CAT: NP and VP have only leaves: Δ = 1/2 each. S: λ(σ + 1/2)².
        # DOG: two NP: 1/2 each, four pairs of NP with itself. VP → VBZ NP: λ(σ + 1/2).
        # CAT with DOG: NP matches twice: 1; S: the VPs differ, so λ(σ + 1/2)(σ + 0).
        (0.0, 1.0 / math.sqrt((0.5 + 0.5 + 0.125) * (2.0 + 0.25 + 0.5 * 0.5 * 0.25))),
        (1.0, 1.75 / math.sqrt((0.5 + 0.5 + 1.125) * (2.0 + 0.75 + 0.5 * 1.5 * 1.75))),
    ],
)
def test_similarity_by_hand(sigma: float, value: float) -> None:
    assert similarity(parse(CAT), parse(DOG), decay=0.5, sigma=sigma) == pytest.approx(value)


def test_a_leaf_against_a_constituent_is_a_mismatch() -> None:
    # A → B C in both, but B is a leaf on one side only: Δ(A, A) = λ(σ + 0), and no other pair
    leaf, inner = parse("(A (B x) (C y))"), parse("(A (B (D x)) (C y))")
    assert kernel(leaf, inner, decay=0.5, sigma=0.0) == 0
    assert kernel(leaf, inner, decay=0.5, sigma=1.0) == 0.5


def test_trees_without_productions() -> None:
    tag, tree = parse("(NN dog)"), parse(CAT)
    assert similarity(tag, tag, decay=0.5, sigma=0) == 1
    assert similarity(tag, tree, decay=0.5, sigma=0) == 0

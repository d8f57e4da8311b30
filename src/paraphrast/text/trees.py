"""Bracketed constituency trees and the kernel that compares them (Moschitti 2006)."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from paraphrast.errors import InputError

_TOKEN = re.compile(r"\(|\)|[^\s()]+")


@dataclass(frozen=True, slots=True)
class Node:
    """One inner node: its production, and the numbers of its children in the tree's node list.

    A child that is a leaf (a part-of-speech tag, once the words are dropped) has no number.
    """

    production: tuple[str, ...]
    children: tuple[int | None, ...]


Tree = tuple[Node, ...]
_Child = tuple[str, int | None]  # label and number; a leaf has no number


@lru_cache(maxsize=1 << 14)
def parse(text: str) -> Tree:
    """Read one tree such as `(S (NP (DT the) (NN cat)) (VP (VBZ sits)))` and drop its words.

    Nodes come children first. A pre-terminal loses its word and becomes a leaf. An outer bracket
    without a label, as treebanks print it, is removed. InputError says where a bracket is wrong.
    """
    stack: list[list[str | _Child]] = [[]]  # what each open bracket holds so far; the first: roots
    nodes: list[Node] = []
    for match in _TOKEN.finditer(text):
        token, place = match.group(), match.start() + 1
        if len(stack) == 1 and stack[0]:
            raise InputError(f"text after the end of the tree at character {place}")
        if token == "(":
            stack.append([])
        elif len(stack) == 1:
            what = "')' without '('" if token == ")" else f"expected '(', got {token!r},"
            raise InputError(f"{what} at character {place}")
        elif token == ")":
            items = stack.pop()
            stack[-1].append(_close(items, nodes, place))
        else:
            stack[-1].append(token)
    if len(stack) > 1:
        raise InputError(f"{len(stack) - 1} '(' never closed")
    if not stack[0]:
        raise InputError("the tree is empty")
    return tuple(nodes)


def _close(items: list[str | _Child], nodes: list[Node], place: int) -> _Child:
    """Turn what a bracket holds into a child of the bracket around it; words are dropped."""
    label = items[0] if items and isinstance(items[0], str) else ""
    children = [item for item in items if isinstance(item, tuple)]
    words = len(items) - len(children) - bool(label)
    if not items:
        raise InputError(f"an empty bracket ends at character {place}")
    if words and children:
        raise InputError(
            f"node {label!r}, which ends at character {place}, has both words and constituents"
        )
    if not children:
        return label, None
    if not label and len(children) == 1:
        return children[0]
    names = (name for name, _ in children)
    nodes.append(Node((label, *names), tuple(number for _, number in children)))
    return label, len(nodes) - 1


def kernel(a: Tree, b: Tree, *, decay: float, sigma: float) -> float:
    """Return the sum of Δ over all pairs of nodes (Moschitti 2006, §2.2).

    Δ is 0 where productions differ, else λ · Π (σ + Δ(child, child′)) over the children that are
    not leaves. Leaves have no production, so they are no factor, and a node that has only leaves
    gives λ. With σ = 1 this counts shared fragments (subset trees), with σ = 0 only fragments that
    reach down to the leaves (subtrees), in both cases less for large ones.
    """
    matches: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, node in enumerate(b):
        matches[node.production].append(number)
    delta: dict[tuple[int | None, int | None], float] = {}
    for i, node in enumerate(a):
        for j in matches.get(node.production, ()):
            product = decay
            for pair in zip(node.children, b[j].children, strict=True):
                if pair != (None, None):
                    product *= sigma + delta.get(pair, 0.0)
            delta[i, j] = product
    return sum(delta.values())


@lru_cache(maxsize=1 << 14)
def _own(tree: Tree, decay: float, sigma: float) -> float:
    return kernel(tree, tree, decay=decay, sigma=sigma)


def similarity(a: Tree, b: Tree, *, decay: float, sigma: float) -> float:
    """Return the kernel normalised to 0–1; two trees without productions count as equal."""
    own = _own(a, decay, sigma) * _own(b, decay, sigma)
    if own == 0:
        return float(a == b)
    return min(1.0, kernel(a, b, decay=decay, sigma=sigma) / math.sqrt(own))

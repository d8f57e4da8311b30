"""Bracketed constituency trees and the kernel that compares them (Moschitti 2006)."""

from __future__ import annotations

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


@lru_cache(maxsize=1 << 14)
def parse(text: str) -> Tree:
    """Read one tree such as `(S (NP (DT the) (NN cat)) (VP (VBZ sits)))` and drop its words.

    Nodes come children first. A pre-terminal loses its word and becomes a leaf. An empty outer
    bracket, as treebanks print it, is removed. InputError says where a bracket is wrong.
    """
    stack: list[list[str | int]] = []
    nodes: list[Node] = []
    labels: list[str] = []
    closed = False
    for match in _TOKEN.finditer(text):
        token = match.group()
        if closed:
            raise InputError(f"text after the end of the tree at character {match.start() + 1}")
        if token == "(":
            stack.append([])
        elif token != ")":
            if not stack:
                raise InputError(f"expected '(' at character {match.start() + 1}, got {token!r}")
            stack[-1].append(token)
        else:
            if not stack:
                raise InputError(f"')' without '(' at character {match.start() + 1}")
            _close(stack, nodes, labels)
            closed = not stack
    if stack or not closed:
        raise InputError("the tree is empty" if not stack else f"{len(stack)} '(' never closed")
    return tuple(nodes)


def _close(stack: list[list[str | int]], nodes: list[Node], labels: list[str]) -> None:
    """Turn the innermost open bracket into a node, or into a leaf of its parent."""
    items = stack.pop()
    label = items[0] if items and isinstance(items[0], str) else ""
    below = [item for item in items[bool(label) :] if isinstance(item, int)]
    leaves = [item for item in items[1:] if isinstance(item, str)]
    if not label and len(below) <= 1:
        # treebank style outer bracket "( (S ...) )": hand its only child up
        if stack and below:
            stack[-1].append(below[0])
        return
    if below and leaves:
        raise InputError(f"node {label!r} has both words and constituents")
    if not below:
        labels.append(str(label))
        number = -len(labels)
    else:
        names = [labels[-n - 1] if n < 0 else nodes[n].production[0] for n in below]
        nodes.append(Node((str(label), *names), tuple(n if n >= 0 else None for n in below)))
        number = len(nodes) - 1
    if stack:
        stack[-1].append(number)


def kernel(a: Tree, b: Tree, *, decay: float, sigma: float) -> float:
    """Return Σ over node pairs of Δ, the (subset-)tree kernel.

    Δ is 0 where productions differ; λ where they agree and all children are leaves; otherwise
    λ · Π over children of (σ + Δ(child, child)), a leaf child counting Δ = 0 only when σ = 1 makes
    its factor 1; with σ = 0 matching leaves are left out of the product, so that trees without
    words do not all vanish.
    """
    matches: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, node in enumerate(b):
        matches[node.production].append(number)
    delta: dict[tuple[int, int], float] = {}
    for i, node in enumerate(a):
        for j in matches.get(node.production, ()):
            product = decay
            for left, right in zip(node.children, b[j].children, strict=True):
                if left is not None and right is not None:
                    product *= sigma + delta.get((left, right), 0.0)
                elif left is not right:  # one is a leaf and the other is not
                    product *= sigma
            delta[i, j] = product
    return sum(delta.values())


def similarity(a: Tree, b: Tree, *, decay: float, sigma: float) -> float:
    """Return the kernel normalised to 0–1; two trees without productions count as equal."""
    own = kernel(a, a, decay=decay, sigma=sigma) * kernel(b, b, decay=decay, sigma=sigma)
    if own == 0:
        return float(a == b)
    return float(kernel(a, b, decay=decay, sigma=sigma) / own**0.5)

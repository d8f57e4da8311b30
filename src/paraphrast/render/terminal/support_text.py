"""What a source supports of a text, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from paraphrast.render.terminal.marked_text import TaggedWords, marked, printable
from paraphrast.render.terminal.verdict_text import percent

_LONGEST = 200  # characters of a chunk that are shown


class Claimed(Protocol):
    """A sentence, the probability that it follows, and the chunk of the source nearest to it."""

    @property
    def text(self) -> str: ...
    @property
    def probability(self) -> float: ...
    @property
    def supported(self) -> bool: ...
    @property
    def chunk(self) -> str: ...
    @property
    def words(self) -> Sequence[str]: ...
    @property
    def tags(self) -> TaggedWords | None: ...


class Supported(Protocol):
    """The claims of a text, and on what the answers depend."""

    @property
    def claims(self) -> Sequence[Claimed]: ...
    @property
    def signature(self) -> str: ...


def support_text(
    report: Supported, *, colour: bool = False, all_claims: bool = True, signature: bool = True
) -> str:
    """Return how many sentences are supported, each with its probability, and what speaks against.

    Words that the source does not say are marked. With `all_claims=False` sentences that are
    supported are left out.
    """
    lines = [support_answer(report)]
    shown = [claim for claim in report.claims if all_claims or not claim.supported]
    lines += [""] * bool(shown)
    for claim in shown:
        text = marked(claim.tags, colour=colour) if claim.tags else printable(claim.text)
        lines.append(f"{percent(claim.probability):>6}  {text}")
        lines += [f"        {detail}" for detail in claim_details(claim)]
    return "\n".join([*lines, *(["", report.signature] if signature else [])])


def support_answer(report: Supported) -> str:
    """Say how many sentences follow from the source."""
    total = len(report.claims)
    if not total:
        return "The text has no sentence: it claims nothing."
    held = sum(claim.supported for claim in report.claims)
    if total == 1:
        return f"The sentence {'follows' if held else 'does not follow'} from the source."
    if held == total:
        return f"All {total:,} sentences follow from the source."
    return f"{held:,} of {total:,} sentences follow{'s' * (held == 1)} from the source."


def claim_details(claim: Claimed) -> list[str]:
    """Return what a sentence that is not supported lacks, and the nearest chunk."""
    if claim.supported:
        return []
    words = ", ".join(map(printable, claim.words))
    chunk = printable(claim.chunk)
    shown = chunk if len(chunk) <= _LONGEST else f"{chunk[: _LONGEST - 1]}…"
    return [f"not in the source: {words}", f"nearest: {shown or '(the source is empty)'}"]

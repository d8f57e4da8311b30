"""What a model wrote for each source of a study: kept in a file, a line at a time."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

from paraphrast._version import VERSION
from paraphrast.errors import InputError
from paraphrast.generation.decoding.decode import Candidate, Decoding, decode
from paraphrast.io.resume import digest, sealed_line, unsealed_line
from paraphrast.models.generator.language_model import LanguageModel

ROWS = 512  # texts decoded together, some batches: what a kill can cost

Found = list[list[Candidate]]


class Pool:
    """The candidates of every source under one decoding, in a file to go on with after a kill.

    The file is named after all that the texts depend on: the weights, the options with their seed,
    the sources and the version. Its lines are in the order of the sources; the candidates' ids are
    not kept, as nothing after decoding asks for them.
    """

    def __init__(
        self, folder: Path, model: LanguageModel, sources: Sequence[str], decoding: Decoding
    ) -> None:
        self.decoding = decoding
        self._model = model
        self._sources = sources
        parts = [model.fingerprint, asdict(decoding), corpus_hash(sources), VERSION]
        self.key = digest(parts)
        self.path = folder / f"{decoding.method}-{self.key}.jsonl"
        self.size = max(1, ROWS // (decoding.beams if decoding.uses_beams else decoding.n))
        """Sources decoded together."""
        self.seconds = 0.0
        self.tokens = 0

    def fill(self, advance: Callable[[int], None]) -> None:
        """Decode what the file has not yet; `advance` counts sources, those found included."""
        done = self._mend()
        advance(done)
        try:
            with self.path.open("ab") as file:
                for start in range(done, len(self._sources), self.size):
                    some = self._sources[start : start + self.size]
                    began = perf_counter()
                    found = decode(self._model, some, self.decoding, advance=advance)
                    each = (perf_counter() - began) / len(some)
                    file.writelines(_line(*both, each) for both in zip(some, found, strict=True))
                    file.flush()
                    os.fsync(file.fileno())
        except OSError as error:
            raise InputError(f"cannot write {self.path}: {error.strerror}") from error

    def blocks(self, size: int) -> Iterator[tuple[int, Found]]:
        """Yield the place of the first source and the candidates of `size` sources at a time.

        Seconds and sub-words are counted on the way.
        """
        self.seconds, self.tokens = 0.0, 0
        found: Found = []
        place = 0
        with self.path.open("rb") as lines:
            for line in lines:
                row = unsealed_line(line)
                if row is None:
                    raise InputError(f"{self.path} was changed by another program; remove it")
                self.seconds += row["seconds"]
                self.tokens += sum(each["tokens"] for each in row["candidates"])
                found.append([_candidate(each) for each in row["candidates"]])
                if len(found) == size:
                    yield place, found
                    place, found = place + size, []
        if found:
            yield place, found

    def _mend(self) -> int:
        """Return the number of whole lines, and cut off what a kill left of another."""
        if not self.path.exists():
            return 0
        lines = end = 0
        with self.path.open("rb") as file:
            for line, source in zip(file, self._sources, strict=False):
                row = unsealed_line(line)
                if row is None or row.get("source") != source:
                    break
                lines, end = lines + 1, end + len(line)
        os.truncate(self.path, end)
        return lines


def corpus_hash(texts: Sequence[str]) -> str:
    """Return a short hash of texts in their order."""
    whole = hashlib.sha256()
    for text in texts:
        whole.update(hashlib.sha256(text.encode()).digest())
    return whole.hexdigest()[:16]


def _line(source: str, found: Sequence[Candidate], seconds: float) -> bytes:
    rows = [{name: getattr(each, name) for name in _KEPT} for each in found]
    row = {"source": source, "seconds": round(seconds, 6), "candidates": rows}
    return sealed_line(row)


_KEPT = ("text", "logprob", "tokens", "finished", "score", "missing")


def _candidate(row: dict[str, Any]) -> Candidate:
    return Candidate(**row | {"ids": (), "missing": tuple(row["missing"])})

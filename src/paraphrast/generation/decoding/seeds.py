"""Random numbers of their own for every draw of every source.

A stream is made from the seed, the source's text, the number of the draw and the attempt, so a
draw is the same whatever the batch, the order of the sources and the number of other draws.
"""

from __future__ import annotations

import hashlib

import numpy as np

from paraphrast.types import Floats


def uniforms(seed: int, text: str, draw: int, attempt: int, count: int) -> Floats:
    """Return `count` numbers in [0, 1); more of them begin with the same ones."""
    name = f"{seed}\0{draw}\0{attempt}\0{text}"
    key = hashlib.blake2b(name.encode(), digest_size=16).digest()
    words = np.frombuffer(key, dtype="<u8").astype(np.uint64)
    return np.random.Generator(np.random.Philox(key=words)).random(count)

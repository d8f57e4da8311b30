"""What makes two answers of a model comparable: its weights, and the options that steer it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict

from paraphrast import _version, signature
from paraphrast.generation.generate_options import GenerateOptions
from paraphrast.models import store
from paraphrast.models.encoder.encoder_card import EncoderCard
from paraphrast.models.generator.generator_card import GeneratorCard

_PLACE = ("threads", "device")  # where it runs, which changes no answer


def encoder_signature(verb: str, model: str = "mini") -> str:
    """Return the signature of what an encoder answers; its weights are not loaded for it."""
    card = EncoderCard.read(store.find(model).resolve())
    fields: dict[str, signature.Value] = {
        "model": card.model,
        "weights": f"{card.name}-{card.version}",
        "hash": card.fingerprint,
        "dtype": card.dtype,
        "tag": card.thresholds.tag,
    }
    return signature.signature(verb, fields, _version.VERSION)


def generator_signature(options: GenerateOptions) -> str:
    """Return the signature of what a generator writes under these options."""
    card = GeneratorCard.read(store.find(options.model, kind="generator").resolve())
    values = {key: value for key, value in asdict(options).items() if key not in _PLACE}
    digest = hashlib.blake2b(json.dumps(values, default=str).encode(), digest_size=6).hexdigest()
    fields: dict[str, signature.Value] = {
        "weights": f"{card.name}-{card.version}",
        "hash": card.fingerprint,
        "judge": options.judge,
        "seed": options.seed,
        "options": digest,
    }
    return signature.signature("generate", fields, _version.VERSION)

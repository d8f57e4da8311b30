"""A folder of `transformers`, here or from a hub, looked over before anything slow is done."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paraphrast.errors import ConfigError, ModelError
from paraphrast.models.hub import (
    CONFIG,
    WEIGHTS,
    WEIGHTS_INDEX,
    NotFetched,
    hub_id,
    quietly,
    transformers_folder,
)

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack")
_SANE = 100_000  # tokenisers without a limit of their own say 10**30
_SAMPLE = "It's 3 o'clock: naïve cafés (open)!"


@dataclass(frozen=True)
class EncoderFolder:
    """What the folder says of itself; the weights are not loaded yet."""

    path: Path
    name: str
    config: Any
    tokeniser: Any

    @classmethod
    def open(cls, given: str) -> EncoderFolder:
        """Open a folder or a model of the hub; what is no encoder with safetensors is refused."""
        path = _place(given)
        name = path.resolve().name if path == Path(given) else given
        if not (path / CONFIG).is_file():
            raise ModelError(f"{given} holds no {CONFIG}: it is no folder of transformers")
        config = _config(path, given)
        _check_encoder(config, given)
        weight_files(path)
        return cls(path, name, config, _tokeniser(path, given))

    @property
    def layers(self) -> int:
        return int(self.config.num_hidden_layers)

    @property
    def typed(self) -> bool:
        """Whether the network tells segments apart; with one kind there is nothing to tell."""
        return int(getattr(self.config, "type_vocab_size", 0) or 0) > 1

    @property
    def most_tokens(self) -> int | None:
        """What the tokeniser believes the network can read, None if it has no opinion."""
        found = self.tokeniser.model_max_length
        return int(found) if found is not None and found < _SANE else None

    @cached_property
    def sha256(self) -> str:
        """Return the hash of the weights; of several files, that of their hashes."""
        digests = [_digest(path) for path in weight_files(self.path)]
        if len(digests) == 1:
            return digests[0]
        return hashlib.sha256("\n".join(digests).encode()).hexdigest()

    def plain_tokeniser(self) -> Tokenizer:
        """Return a copy of the tokeniser that neither cuts nor pads.

        Byte-level BPE gets a space before the first word, so that a word has the same sub-words
        at the beginning of a text as inside it; bert-score does the same.
        """
        from tokenizers import Tokenizer

        parts = json.loads(self.tokeniser.backend_tokenizer.to_str())
        parts["truncation"] = parts["padding"] = None
        if (parts["pre_tokenizer"] or {}).get("type") == "ByteLevel":
            parts["pre_tokenizer"]["add_prefix_space"] = True
            if "add_prefix_space" in (parts["post_processor"] or {}):
                parts["post_processor"]["add_prefix_space"] = True
        plain: Tokenizer = Tokenizer.from_str(json.dumps(parts, ensure_ascii=False))
        _check_specials(plain, self.tokeniser, self.name)
        return plain


def weight_files(path: Path) -> list[Path]:
    """Return the safetensors of a folder, in order; ModelError if there are none."""
    if (path / WEIGHTS).is_file():
        return [path / WEIGHTS]
    if (path / WEIGHTS_INDEX).is_file():
        try:
            listed = set(json.loads((path / WEIGHTS_INDEX).read_bytes())["weight_map"].values())
            return [path / name for name in sorted(listed)]
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise ModelError(
                f"{path / WEIGHTS_INDEX} does not list the files of weights"
            ) from error
    pickles = sorted(found.name for pattern in _PICKLES for found in path.glob(pattern))
    only = f", only {', '.join(pickles)}" if pickles else ""
    raise ModelError(
        f"{path} holds no {WEIGHTS}{only}: other files are not loaded, because a pickle can run "
        "any code; save the model as safetensors (save_pretrained does)"
    )


def _place(given: str) -> Path:
    path = Path(given)
    if path.is_dir():
        return path
    if path.exists():
        raise ConfigError(f"{given} is a file; give the folder that holds {CONFIG}")
    if hub_id(given) is None:
        raise ConfigError(f"there is no folder {given}")
    try:
        return transformers_folder(given)
    except NotFetched as error:
        raise ModelError(
            f"there is no folder {given}, and the model hub does not give a model of that name: "
            f"{error}"
        ) from error


def _config(path: Path, given: str) -> Any:
    from transformers import AutoConfig

    try:
        with quietly():
            return AutoConfig.from_pretrained(path, trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        said = str(error).strip().partition("\n")[0]
        raise ModelError(f"{given}: transformers cannot read its {CONFIG}: {said}") from error


def _check_encoder(config: Any, given: str) -> None:
    """Refuse what does not read a text in both directions at once, or has other layers inside."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

    kind = str(config.model_type)
    if getattr(config, "is_encoder_decoder", False):
        raise ModelError(f"{given} is no encoder: {kind} is an encoder with a decoder")
    if getattr(config, "is_decoder", False) or kind not in MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        raise ModelError(
            f"{given} is no encoder: {kind} has no masked-word form in transformers, or its "
            f"{CONFIG} makes it a decoder; BERT, RoBERTa, MPNet, DeBERTa, XLM-R and others have"
        )
    if not isinstance(getattr(config, "num_hidden_layers", None), int):
        raise ModelError(f"{given}: its {CONFIG} does not say how many layers {kind} has")


def _tokeniser(path: Path, given: str) -> Any:
    from transformers import AutoTokenizer

    try:
        with quietly():
            found = AutoTokenizer.from_pretrained(path, trust_remote_code=False, use_fast=True)
    except Exception as error:  # a missing package, a missing file, a broken one
        said = str(error).strip().partition("\n")[0]
        raise ModelError(f"{given}: transformers cannot load its tokeniser: {said}") from error
    if getattr(found, "backend_tokenizer", None) is None:
        raise ModelError(
            f"{given}: its tokeniser ({type(found).__name__}) has no fast form, so it cannot be "
            "written as tokenizer.json"
        )
    return found


def _check_specials(tokeniser: Tokenizer, own: Any, name: str) -> None:
    """Refuse a tokeniser that puts other special sub-words around a text than its family does."""
    plain = tokeniser.encode(_SAMPLE, add_special_tokens=False).ids
    framed = tokeniser.encode(_SAMPLE).ids
    family = own(_SAMPLE)["input_ids"]
    before, after = framed[:1], framed[-1:]
    if framed != [*before, *plain, *after] or (family[:1], family[-1:]) != (before, after):
        raise ModelError(
            f"the tokeniser of {name} does not put one special sub-word before a text and one "
            "after it, as encoders need"
        )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

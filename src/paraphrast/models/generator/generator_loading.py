"""Load a generator by name: shipped weights, an exported directory, a model of transformers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from paraphrast.models import store
from paraphrast.models.generator.generator_card import GeneratorCard
from paraphrast.models.generator.language_model import SEQ2SEQ, LanguageModel
from paraphrast.models.session import Session, check_place
from paraphrast.models.weights_card import CARD

_CONFIG = "config.json"  # of a model of transformers


def load_generator(
    name: store.Name = "paraphraser", *, threads: int | None = None, device: str = "cpu"
) -> LanguageModel:
    """Load weights by name ("paraphraser"), from a directory, or from a hub's "org/name".

    A directory or hub model without a card of ours is loaded with transformers, which the extra
    "train" installs. Each is loaded once per process and place.
    """
    check_place(threads, device)
    asked = store.checked_name(name, "generator")
    folder = Path(asked).expanduser()
    if (folder / _CONFIG).is_file() and not (folder / CARD).is_file():
        return _in_torch(str(folder.resolve()), threads, device)
    try:
        directory = store.find(asked, kind="generator").resolve()
    except store.NoCard:
        return _in_torch(asked, threads, device)
    card = GeneratorCard.read(directory)
    return _in_onnx(directory, card.fingerprint, threads, device)


def card_of(model: LanguageModel) -> GeneratorCard | None:
    """Return the card of a model, if it has one of ours."""
    card = getattr(model, "card", None)
    return card if isinstance(card, GeneratorCard) else None


def told_to_copy(model: LanguageModel, copied: float) -> LanguageModel:
    """Return the same model, asked for that ROUGE-L with the source if it was taught to listen."""
    card = card_of(model)
    if card is None or not card.codes:
        return model
    told: LanguageModel = model.copying(copied)  # type: ignore[attr-defined]
    return told


def open_generator(
    directory: Path,
    *,
    threads: int | None = None,
    device: str = "cpu",
    opened: Mapping[str, Session] | None = None,
) -> LanguageModel:
    """Read an exported directory; networks that are `opened` already are taken as they are."""
    from paraphrast.models.generator.onnx_generator import CausalModel, Seq2SeqModel

    kind = GeneratorCard.read(directory).architecture
    made = Seq2SeqModel if kind == SEQ2SEQ else CausalModel
    return made(directory, threads=threads, device=device, opened=opened)


@lru_cache(maxsize=4)
def _in_onnx(directory: Path, fingerprint: str, threads: int | None, device: str) -> LanguageModel:
    """Load and check the files; the fingerprint is there to load again what has changed."""
    return open_generator(directory, threads=threads, device=device)


@lru_cache(maxsize=2)
def _in_torch(name: str, threads: int | None, device: str) -> LanguageModel:
    from paraphrast.models.generator.torch_generator import TorchModel

    return TorchModel.load(name, threads=threads, device=device)

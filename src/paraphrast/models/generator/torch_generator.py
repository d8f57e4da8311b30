"""Any generator of `transformers`, from a folder or a hub: for training and for comparison."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paraphrast.errors import ConfigError, MissingExtra, ModelError
from paraphrast.models.feeding import padded
from paraphrast.models.generator.language_model import CAUSAL, SEQ2SEQ, Ints, Logits
from paraphrast.models.generator.onnx_generator import check_lengths, left_padded
from paraphrast.models.generator.subword_text import Frame, TextIds
from paraphrast.models.generator.text_likelihood import of_targets
from paraphrast.models.hub import NotFetched, quietly, transformers_folder
from paraphrast.models.weights_card import short_hash

if TYPE_CHECKING:
    from torch import Tensor

_MOST = 512  # sub-words of a source or target where the model has no limit of its own
_SEPARATORS = ("[SEP]", "<|sep|>", "<sep>")


@dataclass(slots=True, eq=False)
class TorchState:
    """The cache of transformers, and what each step needs beside it."""

    cache: Any
    mask: Tensor  # seq2seq: of the sources; causal: of all that was read
    encoded: Any = None  # seq2seq: the encoder's states


class TorchModel:
    """A LanguageModel that runs in torch, in 32-bit floats."""

    dtype = "float32"

    def __init__(
        self,
        network: Any,
        text: TextIds,
        *,
        vocabulary: int,
        name: str = "",
        fingerprint: str = "",
        device: str = "cpu",
    ) -> None:
        self.network, self.text = network.to(device).eval(), text
        self.name, self.fingerprint = name, fingerprint
        self.kind, self.end, self.vocabulary = text.frame.kind, text.frame.end, vocabulary
        most = getattr(network.config, "max_position_embeddings", None) or 2 * _MOST
        self.max_source = self.max_target = min(_MOST, int(most) // (1 + (self.kind == CAUSAL)))
        self._device = device

    @classmethod
    def load(
        cls, name: str, *, prefix: str = "", threads: int | None = None, device: str = "cpu"
    ) -> TorchModel:
        """Load a folder, or a model of the hub; never a pickle, never its code."""
        network, tokeniser = load_network(name)
        import torch

        if threads is not None:
            torch.set_num_threads(threads)
        if device != "cpu" and not torch.cuda.is_available():
            raise ConfigError(f"device {device!r} is not available: this torch runs on cpu")
        words = min(len(tokeniser), int(network.config.vocab_size))
        text = TextIds(
            copy.deepcopy(tokeniser.backend_tokenizer),
            frame_of(network, tokeniser, prefix=prefix),
            words,
        )
        return cls(
            network,
            text,
            vocabulary=words,
            name=Path(name).name,
            fingerprint=fingerprint_of(network, tokeniser.backend_tokenizer.to_str()),
            device=device,
        )

    def encode(self, texts: Sequence[str]) -> list[Ints]:
        return self.text.sources(texts)

    def targets(self, texts: Sequence[str]) -> list[Ints]:
        return self.text.targets(texts)

    def encode_pairs(self, sources: Sequence[str], targets: Sequence[str]) -> list[Ints]:
        return self.text.paired(sources, targets)

    def decode(self, ids: Sequence[Sequence[int]]) -> list[str]:
        return self.text.texts(ids)

    def pieces(self) -> list[str]:
        return list(self.text.pieces)

    def start(self, prompts: Sequence[Ints]) -> tuple[TorchState, Logits]:
        check_lengths(prompts, self.max_source)
        if self.kind == SEQ2SEQ:
            state = self._encoded(prompts)
            begin = self.network.config.decoder_start_token_id
            return state, self.step(state, np.full(len(prompts), begin))
        from transformers import DynamicCache

        ids, hidden = left_padded(prompts, self.end)
        state = TorchState(DynamicCache(), self._tensor(~hidden).long()[:, :0])
        logits = self._causal(state, ids, ~hidden)
        return state, self._floats(logits[:, -1])

    def step(self, state: TorchState, tokens: Ints) -> Logits:
        ids = np.asarray(tokens, dtype=np.int64)[:, None]
        if self.kind == SEQ2SEQ:
            found = self._seq2seq(state, ids)
        else:
            found = self._causal(state, ids, np.ones(ids.shape, dtype=np.bool_))
        return self._floats(found[:, -1])

    def reorder(self, state: TorchState, rows: Ints) -> TorchState:
        rows = np.asarray(rows, dtype=np.int64)
        if np.array_equal(rows, np.arange(len(state.mask))):
            return state
        places = self._tensor(rows)
        encoded = None if state.encoded is None else state.encoded.index_select(0, places)
        return TorchState(_chosen(state.cache, places), state.mask.index_select(0, places), encoded)

    def forced(self, prompts: Sequence[Ints], targets: Sequence[Ints]) -> list[Logits]:
        check_lengths(prompts, self.max_source)
        if self.kind == SEQ2SEQ:
            begin = self.network.config.decoder_start_token_id
            given = [np.concatenate([[begin], ids[:-1]]) for ids in targets]
            found = self._seq2seq(self._encoded(prompts), padded(given, self.end))
            rows = [self._floats(one[: len(ids)]) for one, ids in zip(found, targets, strict=True)]
            return of_targets(np.concatenate(rows), targets)
        from transformers import DynamicCache

        joined = [np.concatenate([a, b[:-1]]) for a, b in zip(prompts, targets, strict=True)]
        ids, hidden = left_padded(joined, self.end)
        state = TorchState(DynamicCache(), self._tensor(~hidden).long()[:, :0])
        found = self._causal(state, ids, ~hidden)
        rows = [self._floats(one[-len(t) :]) for one, t in zip(found, targets, strict=True)]
        return of_targets(np.concatenate(rows), targets)

    def _encoded(self, prompts: Sequence[Ints]) -> TorchState:
        import torch
        from transformers import DynamicCache, EncoderDecoderCache

        mask = self._tensor(padded([np.ones_like(ids) for ids in prompts], 0))
        ids = self._tensor(padded(prompts, self.end))
        with torch.inference_mode():
            encoder = self.network.get_encoder()
            states = encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        return TorchState(EncoderDecoderCache(DynamicCache(), DynamicCache()), mask, states)

    def _seq2seq(self, state: TorchState, ids: Ints) -> Tensor:
        import torch

        with torch.inference_mode():
            found = self.network(
                decoder_input_ids=self._tensor(ids),
                encoder_outputs=(state.encoded,),
                attention_mask=state.mask,
                past_key_values=state.cache,
                use_cache=True,
            )
        logits: Tensor = found.logits
        return logits

    def _causal(self, state: TorchState, ids: Ints, seen: np.ndarray) -> Tensor:
        import torch

        new = self._tensor(seen).long()
        state.mask = torch.cat([state.mask, new], dim=1)
        places = (state.mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        with torch.inference_mode():
            found = self.network(
                input_ids=self._tensor(ids),
                attention_mask=state.mask,
                position_ids=places,
                past_key_values=state.cache,
                use_cache=True,
            )
        logits: Tensor = found.logits
        return logits

    def _tensor(self, array: np.ndarray) -> Tensor:
        import torch

        return torch.from_numpy(np.ascontiguousarray(array)).to(self._device)

    def _floats(self, logits: Tensor) -> Logits:
        found: Logits = logits[..., : self.vocabulary].float().cpu().numpy()
        return found


def _chosen(cache: Any, rows: Tensor) -> Any:
    """Copy a cache with other rows; the old one stays as it is."""
    new = copy.copy(cache)
    if hasattr(cache, "self_attention_cache"):
        new.self_attention_cache = _chosen(cache.self_attention_cache, rows)
        new.cross_attention_cache = _chosen(cache.cross_attention_cache, rows)
        new.is_updated = dict(cache.is_updated)
        return new
    new.layers = [copy.copy(layer) for layer in cache.layers]
    new.reorder_cache(rows)
    return new


def load_network(name: str) -> tuple[Any, Any]:
    """Return the network and the tokeniser of a folder or a hub's model."""
    try:
        import torch
        import transformers
    except ModuleNotFoundError as error:
        raise MissingExtra("train", error.name or "torch") from error
    options: dict[str, Any] = {"trust_remote_code": False}
    try:
        folder = transformers_folder(name)
        with quietly():
            config = transformers.AutoConfig.from_pretrained(folder, **options)
            kind: Any = transformers.AutoModelForSeq2SeqLM
            if not config.is_encoder_decoder:
                kind = transformers.AutoModelForCausalLM
            weights = {"config": config, "dtype": torch.float32, "use_safetensors": True}
            network = kind.from_pretrained(folder, **weights, **options)
            tokeniser = transformers.AutoTokenizer.from_pretrained(folder, **options)
    except (OSError, ValueError, NotFetched) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"cannot load the generator {name!r}: {reason}") from error
    if getattr(tokeniser, "backend_tokenizer", None) is None:
        raise ModelError(f"the generator {name!r} has no tokenizer.json")
    return network, tokeniser


def frame_of(network: Any, tokeniser: Any, *, prefix: str = "") -> Frame:
    """Return what stands around texts, as far as transformers knows it."""
    kind = SEQ2SEQ if network.config.is_encoder_decoder else CAUSAL
    end = tokeniser.eos_token_id
    if end is None:
        end = network.config.eos_token_id
    if isinstance(end, list):
        end = end[0]
    if end is None:
        raise ModelError("the generator has no token that ends a text (eos_token)")
    separator = _separator(tokeniser) if kind == CAUSAL else None
    return Frame(kind, int(end), separator, prefix)


def _separator(tokeniser: Any) -> int | None:
    """Return the id that stands between a source and its paraphrase, if there is one."""
    if tokeniser.sep_token_id is not None:
        return int(tokeniser.sep_token_id)
    known = tokeniser.get_vocab()
    return next((int(known[name]) for name in _SEPARATORS if name in known), None)


def fingerprint_of(network: Any, tokeniser: str = "") -> str:
    """Return a short hash of the weights' names and values, and of the tokeniser."""
    digest = hashlib.sha256(tokeniser.encode("utf-8", "surrogatepass"))
    for name, weights in sorted(network.state_dict().items()):
        digest.update(name.encode())
        digest.update(weights.detach().cpu().contiguous().numpy().tobytes())
    return short_hash(digest.hexdigest(), network.config.model_type)

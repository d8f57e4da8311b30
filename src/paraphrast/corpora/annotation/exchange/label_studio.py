"""Label Studio's tasks as JSON, and the labelling configuration that goes with them.

Its offsets are code points. A region's `text` is compared with ours; where it does not fit,
the offsets are tried as UTF-16 units, which versions of 2021 and before wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

from paraphrast.corpora.annotation.exchange.answer_rows import ForeignAnswer, known_pair, moment
from paraphrast.corpora.annotation.exchange.text_offsets import from_utf16
from paraphrast.corpora.annotation.judging.outcomes import ItemOutcome
from paraphrast.corpora.annotation.pair_item import PairAnswer, PairItem, word_range
from paraphrast.corpora.annotation.project_settings import ProjectSettings
from paraphrast.corpora.annotation.store.event_log import iso_time
from paraphrast.errors import InputError

_MARK = "not paraphrased"
_SIDES = ("text1", "text2")

Object = Mapping[str, Any]


def configuration(settings: ProjectSettings) -> str:
    """Return the XML that a Label Studio project needs to show our tasks."""
    parts = [
        *(f'  <Text name="{side}" value="${side}"/>' for side in _SIDES),
    ]
    if settings.takes_spans:
        for side in _SIDES:
            parts.append(f'  <Labels name="spans_{side}" toName="{side}">')
            parts += [f"    <Label value={quoteattr(_MARK)}/>", "  </Labels>"]
    if settings.takes_label:
        parts.append('  <Choices name="label" toName="text1" choice="single">')
        parts += [
            f"    <Choice value={quoteattr(one.name)} hotkey={quoteattr(one.key)}/>"
            for one in settings.labels
        ]
        parts.append("  </Choices>")
    if settings.takes_rating:
        ends = f'minValue="{settings.lowest:g}" maxValue="{settings.highest:g}"'
        parts.append(f'  <Number name="rating" toName="text1" {ends}/>')
    return "\n".join(["<View>", *parts, "</View>"]) + "\n"


def label_studio_tasks(outcomes: Iterable[ItemOutcome]) -> Iterator[dict[str, Any]]:
    """Yield a task for each pair with all its answers."""
    for number, outcome in enumerate(outcomes, 1):
        pair = outcome.record.pair
        data = {"item": pair.id, "text1": pair.text1.text, "text2": pair.text2.text}
        made = [
            {
                "annotator": state.annotator,
                "created_at": iso_time(state.submitted_at or 0.0),
                "lead_time": state.seconds,
                "was_cancelled": False,
                "ground_truth": False,
                "result": _regions(pair, outcome.by_annotator[state.annotator]),
            }
            for state in outcome.states
        ]
        yield {"id": number, "data": data, "annotations": made}


def read_label_studio(
    tasks: object, where: str, pairs: dict[str, PairItem], annotator: str | None
) -> Iterator[ForeignAnswer]:
    """Read exported tasks; cancelled annotations are passed over."""
    if not isinstance(tasks, list):
        raise InputError(f"{where}: an export of Label Studio is a JSON list of tasks")
    for number, task in enumerate(tasks, 1):
        place = f"{where}, task {number}"
        try:
            ident = str(task["data"].get("item", task["data"].get("id", task.get("id"))))
            pair = known_pair(pairs, ident, place)
            for made in task.get("annotations", []):
                if not made.get("was_cancelled"):
                    yield _foreign(pair, made, place, annotator)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise InputError(f"{place}: not as Label Studio writes it ({error!r})") from error


def _regions(pair: PairItem, answer: PairAnswer) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if answer.label is not None:
        choice = {"choices": [answer.label]}
        found.append(_region("label", "text1", "choices", choice))
    if answer.rating is not None:
        found.append(_region("rating", "text1", "number", {"number": answer.rating}))
    written = answer.to_dict(pair)
    for side, spans in zip(_SIDES, (written["spans1"], written["spans2"]), strict=True):
        for span in spans:
            start, end = span["characters"]
            value = {"start": start, "end": end, "text": span["text"], "labels": [_MARK]}
            found.append(_region(f"spans_{side}", side, "labels", value))
    return [{"id": f"r{number}", **one} for number, one in enumerate(found, 1)]


def _region(name: str, side: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": side, "type": kind, "value": value}


def _foreign(pair: PairItem, made: Object, place: str, annotator: str | None) -> ForeignAnswer:
    label, rating = None, None
    spans: dict[str, set[tuple[int, int]]] = {side: set() for side in _SIDES}
    for region in made["result"]:
        value = region["value"]
        if region["type"] == "choices":
            label = value["choices"][0]
        elif region["type"] in ("number", "rating"):
            rating = float(value[region["type"]])
        elif region["type"] == "labels":
            spans[region["to_name"]].add(_words(pair, region["to_name"], value, place))
    answer = PairAnswer(
        label=label,
        rating=rating,
        spans1=tuple(sorted(spans["text1"])),
        spans2=tuple(sorted(spans["text2"])),
    )
    return ForeignAnswer(
        item=pair.id,
        annotator=annotator or _author(made),
        answer=answer,
        where=place,
        at=moment(made.get("created_at"), place),
        seconds=float(made.get("lead_time") or 0.0),
    )


def _words(pair: PairItem, side: str, value: Object, place: str) -> tuple[int, int]:
    text = pair.text1 if side == "text1" else pair.text2
    start, end = int(value["start"]), int(value["end"])
    shown = value.get("text")
    if shown is not None and text.text[start:end] != shown:
        start, end = from_utf16(text.text, start, place), from_utf16(text.text, end, place)
        if text.text[start:end] != shown:
            raise InputError(f"{place}: {side} has no {shown!r:.40} at {value['start']}")
    found = word_range(text, start, end)
    if found is None:
        raise InputError(f"{place}: the region from {start} to {end} of {side} holds no word")
    return found


def _author(made: Object) -> str:
    by = made.get("annotator") or made.get("completed_by")
    if isinstance(by, Mapping):
        by = by.get("email") or by.get("username") or by.get("id")
    return f"user{by}" if isinstance(by, int) else str(by or "label-studio")

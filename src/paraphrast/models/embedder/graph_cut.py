"""A network cut down to some of its outputs, without the onnx package.

onnxruntime computes every node of a network, whichever outputs are asked for. A lower layer is
faster only if the layers above it are gone. An ONNX file is a tree of protobuf messages, of which
a few field numbers are all that is needed here (onnx.proto, IR version 3 and later).

`onnx.utils.Extractor` does the same, and is the oracle in the test of this module. It is not used
here because inference does without the onnx package; and a cut file for each layer at export would
hold the weights of the lower layers over and over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from paraphrast.errors import ModelError

_GRAPH = 7  # of a model
_NODE, _TENSOR, _OUTPUT = 1, 5, 12  # of a graph
_INPUTS, _OUTPUTS, _ATTRIBUTE = 1, 2, 5  # of a node
_SUBGRAPHS = (6, 11)  # of an attribute: one graph, or several
_TENSOR_NAME, _VALUE_NAME = 8, 1
_BYTES, _VARINT, _SIZES = 2, 0, {1: 8, 5: 4}  # wire types


class _Field(NamedTuple):
    number: int
    raw: memoryview  # with its tag
    content: memoryview  # of a field of bytes; empty for numbers


def cut_to(network: bytes, outputs: Collection[str], where: str) -> bytes:
    """Return the network with these outputs alone, and only what they are computed from.

    `where` names the file in messages; an output that it does not have is a ModelError.
    """
    try:
        return _cut(network, frozenset(outputs), where)
    except (IndexError, UnicodeDecodeError) as error:
        raise ModelError(f"{where} is not an ONNX network: it cannot be read") from error


def output_names(network: bytes, where: str) -> list[str]:
    """Return the names of a network's outputs."""
    try:
        return [
            _name(field, _VALUE_NAME)
            for part in _fields(memoryview(network))
            if part.number == _GRAPH
            for field in _fields(part.content)
            if field.number == _OUTPUT
        ]
    except (IndexError, UnicodeDecodeError) as error:
        raise ModelError(f"{where} is not an ONNX network: it cannot be read") from error


def _cut(network: bytes, outputs: frozenset[str], where: str) -> bytes:
    made = bytearray()
    found: set[str] = set()
    for field in _fields(memoryview(network)):
        if field.number == _GRAPH:
            graph = list(_fields(field.content))
            found |= {_name(one, _VALUE_NAME) for one in graph if one.number == _OUTPUT}
            body = _kept(graph, outputs)
            made += _varint(_GRAPH << 3 | _BYTES) + _varint(len(body)) + body
        else:
            made += field.raw
    for name in sorted(outputs - found):
        raise ModelError(f"{where} has no output {name!r}; it has: {', '.join(sorted(found))}")
    return bytes(made)


def _kept(graph: list[_Field], outputs: frozenset[str]) -> bytes:
    needed = set(outputs)
    nodes = set()
    for place in reversed(range(len(graph))):  # nodes stand in the order of computation
        if graph[place].number == _NODE:
            reads, writes = _edges(graph[place].content)
            if needed & writes:
                nodes.add(place)
                needed |= reads
    kept = bytearray()
    for place, field in enumerate(graph):
        if (
            (field.number == _NODE and place not in nodes)
            or (field.number == _TENSOR and _name(field, _TENSOR_NAME) not in needed)
            or (field.number == _OUTPUT and _name(field, _VALUE_NAME) not in outputs)
        ):
            continue
        kept += field.raw
    return bytes(kept)


def _edges(node: memoryview) -> tuple[set[str], set[str]]:
    """Return what a node reads, in the graphs inside it too, and what it writes."""
    reads: set[str] = set()
    writes: set[str] = set()
    for field in _fields(node):
        if field.number == _INPUTS:
            reads.add(str(field.content, "utf-8"))
        elif field.number == _OUTPUTS:
            writes.add(str(field.content, "utf-8"))
        elif field.number == _ATTRIBUTE:
            for inner in _fields(field.content):
                if inner.number in _SUBGRAPHS and inner.content:
                    reads |= _read_inside(inner.content)
    return reads - {""}, writes - {""}


def _read_inside(graph: memoryview) -> set[str]:
    """Return every name that a graph inside a node mentions as read; its own do no harm."""
    found: set[str] = set()
    for field in _fields(graph):
        if field.number == _NODE:
            found |= _edges(field.content)[0]
        elif field.number == _OUTPUT:
            found.add(_name(field, _VALUE_NAME))
    return found


def _name(field: _Field, number: int) -> str:
    return next((str(f.content, "utf-8") for f in _fields(field.content) if f.number == number), "")


def _fields(message: memoryview) -> Iterator[_Field]:
    place = 0
    while place < len(message):
        start = place
        tag, place = _number(message, place)
        kind = tag & 7
        content = message[:0]
        if kind == _BYTES:
            size, place = _number(message, place)
            content = message[place : place + size]
            place += size
        elif kind == _VARINT:
            _, place = _number(message, place)
        elif kind in _SIZES:
            place += _SIZES[kind]
        else:
            raise IndexError(kind)
        if place > len(message):
            raise IndexError(place)
        yield _Field(tag >> 3, message[start:place], content)


def _number(message: memoryview, place: int) -> tuple[int, int]:
    """Read a number of seven bits a byte, the lowest first; return it and the place after it."""
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7


def _varint(value: int) -> bytes:
    made = bytearray()
    while value >= 0x80:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)

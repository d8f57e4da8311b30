"""Bytes and lines from files, gzip and standard input, with every failure named."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from typing import IO, TYPE_CHECKING

from paraphrast.errors import InputError
from paraphrast.io.fields import STDIN, label

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BLOCK = 1 << 20
_LONGEST_MARK = 4
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_BUFFER = 1 << 17
_FOREIGN_MARKS = (  # UTF-32's little-endian mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


_SAMPLE = 4096  # bytes that tell an encoding without a mark
_ODD = {
    "\0": ("a NUL character", "NUL characters"),
    "\ufeff": ("a byte-order mark inside the file", "byte-order marks inside the file"),
}


class Source:
    """One opened input: unpacked bytes; `rows` is kept by whoever turns them into rows."""

    def __init__(
        self, path: str, raw: IO[bytes], notes: list[str], *, hashed: bool = False
    ) -> None:
        self.path, self.label = path, label(path)
        self.rows = 0
        self.notes = notes
        self._raw, self._sought = raw, False
        self._regular = path != STDIN and stat.S_ISREG(os.fstat(raw.fileno()).st_mode)
        size = os.fstat(raw.fileno()).st_size if self._regular else 0
        start = self._start(raw)
        self._packed = start == _GZIP_MAGIC
        self._whole = _Whole(start, raw, size, hashed=hashed)
        self._stream = _unpacked(self._whole, self._packed)
        self._check_name(path.lower().endswith(".gz"), start)

    def read(self) -> bytes:
        """Return the next bytes, at most BLOCK of them; none at the end."""
        try:
            return self._stream.read(BLOCK) or b""
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(
                f"{self.label}: damaged or cut-off gzip data after {self.rows} rows ({error}); "
                "make the file anew"
            ) from error
        except OSError as error:
            raise InputError(
                f"{self.label}: reading failed after {self.rows} rows: {reason(error)}"
            ) from error

    def sha256(self) -> str:
        """Read on to the end and return the hash of what was read; the source is `hashed`.

        Of a file that is read by seeking in it, what is hashed is what is open now.
        """
        try:
            if self._sought:
                self._raw.seek(0)
                return hashlib.file_digest(self._raw, "sha256").hexdigest()  # type: ignore[arg-type]
            return self._whole.sha256()
        except OSError as error:
            raise InputError(
                f"{self.label}: reading failed after {self.rows} rows: {reason(error)}"
            ) from error

    @contextmanager
    def seekable(self) -> Iterator[IO[bytes]]:
        """Give the unpacked bytes as a file to seek in: a nameless temporary one if need be."""
        if self._regular and not self._packed:
            self._raw.seek(0)
            self._sought = True
            yield self._raw
            return
        with tempfile.TemporaryFile() as spool:
            try:
                while block := self.read():
                    spool.write(block)
                spool.seek(0)
            except OSError as error:
                raise InputError(
                    f"cannot unpack {self.label} into {tempfile.gettempdir()}: {reason(error)}; "
                    "set TMPDIR to a folder with more room"
                ) from error
            yield spool

    def _start(self, raw: IO[bytes]) -> bytes:
        try:
            return raw.read(len(_GZIP_MAGIC))
        except OSError as error:
            raise InputError(f"cannot read {self.label}: {reason(error)}") from error

    def _check_name(self, named_gz: bool, start: bytes) -> None:
        if self._packed and not named_gz:
            self.notes.append(f"{self.label}: gzip data although not named .gz; unpacked")
        elif named_gz and start and not self._packed:
            raise InputError(f"{self.label}: named .gz but not gzip data; rename or compress it")


@contextmanager
def open_source(path: str, notes: list[str], *, hashed: bool = False) -> Iterator[Source]:
    """Open a path, or standard input for "-", which is left open afterwards.

    A `hashed` source can tell the sha256 of the very bytes that were read.
    """
    with ExitStack() as stack:
        raw = _standard_input() if path == STDIN else stack.enter_context(_open(path))
        yield Source(path, raw, notes, hashed=hashed)


def reason(error: OSError) -> str:
    """The system's words for an error, without number and path."""
    return error.strerror or str(error)


class Lines:
    """Blocks of decoded lines; only "\\n" ends a line, and one "\\r" before it is removed.

    With `keep_returns` it stays, for whoever can tell a line end from one inside a text.
    """

    def __init__(self, source: Source, *, keep_returns: bool = False) -> None:
        self._source = source
        self._keep_returns = keep_returns
        self._returns = 0
        self._odd = dict.fromkeys(_ODD, (0, 0))  # how many, and the line of the first
        self.first = 1
        """Number of the first line of the block last given."""

    def __iter__(self) -> Iterator[list[str]]:
        try:
            for data in self._blocks():
                lines = self._decode(data)
                count = len(lines)
                yield lines
                self.first += count
        finally:
            self._note_returns()
            self._note_odd()

    def _blocks(self) -> Iterator[bytes]:
        """Bytes of whole lines, without the last one's line end."""
        pieces: list[bytes] = []
        for block in chain([self._start()], iter(self._source.read, b"")):
            body, newline, rest = block.rpartition(b"\n")
            if newline:
                yield b"".join([*pieces, body])
                pieces = [rest]
            else:
                pieces.append(rest)
        if last := b"".join(pieces):
            yield last

    def _start(self) -> bytes:
        """The first bytes, without a UTF-8 byte-order mark."""
        start = b""
        while len(start) < _LONGEST_MARK and (more := self._source.read()):
            start += more
        name = self._source.label
        marked = next((code for mark, code in _FOREIGN_MARKS if start.startswith(mark)), None)
        if encoding := marked or _unmarked(start[:_SAMPLE]):
            raise InputError(
                f"{name}: encoded as {encoding}{'' if marked else ' without a mark'}, not UTF-8; "
                f"convert the file, e.g. with iconv -f {encoding} -t UTF-8"
            )
        if start.startswith(codecs.BOM_UTF8):
            self._source.notes.append(f"{name}: removed a byte-order mark")
            start = start[len(codecs.BOM_UTF8) :]
        return start

    def _decode(self, data: bytes) -> list[str]:
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise self._not_utf8(data, error.start) from error
        for odd, (count, line) in self._odd.items():
            if odd in text:
                line = line or self.first + text.count("\n", 0, text.index(odd))
                self._odd[odd] = count + text.count(odd), line
        if "\r" in text and not self._keep_returns:
            self._returns += text.count("\r\n") + text.endswith("\r")
            text = text.replace("\r\n", "\n").removesuffix("\r")
        return text.split("\n")

    def _not_utf8(self, data: bytes, at: int) -> InputError:
        line = self.first + data.count(b"\n", 0, at)
        position = at - data.rfind(b"\n", 0, at)
        return InputError(
            f"{self._source.label}, line {line}: not valid UTF-8 "
            f"(byte 0x{data[at]:02x} at position {position}); "
            "convert the file to UTF-8, e.g. with iconv"
        )

    def _note_returns(self) -> None:
        if self._returns:
            lines = "1 line" if self._returns == 1 else f"{self._returns} lines"
            self._source.notes.append(
                f"{self._source.label}: removed a trailing carriage return from {lines}"
            )

    def _note_odd(self) -> None:
        for odd, (count, line) in self._odd.items():
            if count:
                one, many = _ODD[odd]
                these = f"{one} in" if count == 1 else f"{count} {many}, the first in"
                self._source.notes.append(
                    f"{self._source.label}: {these} line {line}; kept as part of the text"
                )


class _Whole(io.RawIOBase):
    """A stream with its first bytes put back; ending short of `size` is an OSError."""

    def __init__(self, start: bytes, rest: IO[bytes], size: int, *, hashed: bool) -> None:
        super().__init__()
        self._hash = hashlib.sha256() if hashed else None
        self._start = io.BytesIO(start)
        self._rest = rest
        self._size = size
        self._seen = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        count = self._start.readinto(buffer)
        if not count:
            # readinto1 hands on what a pipe has now; readinto would wait for a full block
            count = self._rest.readinto1(buffer)  # type: ignore[attr-defined]
        self._seen += count
        if self._hash:
            self._hash.update(memoryview(buffer)[:count])
        if not count and self._seen < self._size:
            raise OSError(f"the file shrank from {self._size} to {self._seen} bytes meanwhile")
        return count

    def sha256(self) -> str:
        """Read on to the end and return the hash of all bytes."""
        assert self._hash is not None
        while self.read(BLOCK):
            pass
        return self._hash.hexdigest()


def _unmarked(start: bytes) -> str | None:
    """Name the encoding of text that has a zero in every second byte, or in three of four."""
    first, second = (half.count(0) for half in (start[0::2], start[1::2]))
    if max(first, second) < max(2, 0.4 * len(start) / 2):
        return None
    order = "LE" if start[0] else "BE"
    return f"UTF-32{order}" if min(first, second) > 0.2 * len(start) else f"UTF-16{order}"


def _unpacked(raw: _Whole, packed: bool) -> io.RawIOBase | gzip.GzipFile:
    if not packed:
        return raw
    return gzip.GzipFile(fileobj=io.BufferedReader(raw, _GZIP_BUFFER))


def _open(path: str) -> IO[bytes]:
    try:
        return open(path, "rb")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise InputError(f"cannot read {path}: {why}") from error


def _standard_input() -> IO[bytes]:
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("cannot read standard input: it is closed")
    return sys.stdin.buffer

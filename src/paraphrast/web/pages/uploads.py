"""Files that a browser sent: kept in a folder of ours under names of ours, removed with the job."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path, PurePath

import anyio
from fastapi import Request
from starlette.datastructures import FormData, UploadFile

from paraphrast.web.api.request_errors import FieldError

ENDINGS = (".txt", ".tsv", ".csv", ".jsonl", ".json", ".ndjson")
_MOST_FILES = 20
_MOST_FIELDS = 60
_MOST_FIELD_BYTES = 1 << 20
_SHOWN = 60  # characters of a file's name


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file in our folder, and the name that its sender knows it by."""

    path: Path
    label: str

    @property
    def stem(self) -> str:
        """The name without its ending, as a system is called."""
        return PurePath(self.label).stem or "system"


@dataclass(slots=True)
class UploadFolder:
    """The files of one request."""

    path: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="paraphrast-serve-")))
    files: list[UploadedFile] = field(default_factory=list)

    def add(self, role: str, label: str, content: bytes | str) -> UploadedFile:
        """Keep content that is no upload, an example say."""
        target = self._target(role, label)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return self._kept(target, label)

    async def take(self, role: str, uploads: Sequence[object]) -> list[UploadedFile]:
        """Keep the files of one field of a form; empty fields have no name."""
        found = []
        for upload in uploads:
            if isinstance(upload, UploadFile) and upload.filename:
                target = self._target(role, upload.filename)
                with target.open("wb") as file:
                    await anyio.to_thread.run_sync(shutil.copyfileobj, upload.file, file)
                found.append(self._kept(target, upload.filename))
        return found

    def _target(self, role: str, label: str) -> Path:
        """Return a path of ours; of the sender's name only a known ending is taken."""
        ending = PurePath(label.lower()).suffix or ".txt"
        if ending not in ENDINGS:
            known = ", ".join(ENDINGS)
            raise FieldError(role, f"{shown_name(label)}: files of these kinds are read: {known}")
        return self.path / f"{role}-{len(self.files) + 1}{ending}"

    def _kept(self, path: Path, label: str) -> UploadedFile:
        self.files.append(UploadedFile(path, shown_name(label)))
        return self.files[-1]

    def named(self, message: str) -> str:
        """Replace our paths in a message by the names that the sender knows."""
        for file in self.files:
            message = message.replace(str(file.path), file.label)
        return message.replace(f"{self.path}/", "")

    def remove(self) -> None:
        """Remove all of it."""
        shutil.rmtree(self.path, ignore_errors=True)


def shown_name(name: str) -> str:
    """Return a file's name without folders and control characters, and not too long."""
    plain = re.sub(r"[\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]", "", PurePath(name).name)
    return plain if len(plain) <= _SHOWN else f"{plain[: _SHOWN - 12]}…{plain[-11:]}"


def read_form(request: Request) -> AbstractAsyncContextManager[FormData]:
    """Read a form with files; those that are large lie on disk until the block ends."""
    return request.form(
        max_files=_MOST_FILES, max_fields=_MOST_FIELDS, max_part_size=_MOST_FIELD_BYTES
    )


def texts_of(form: FormData, name: str) -> list[str]:
    """Return the values of a field that are texts."""
    return [value for value in form.getlist(name) if isinstance(value, str) and value.strip()]


def text_of(form: FormData, name: str) -> str:
    """Return the value of a field, or an empty text."""
    return next(iter(texts_of(form, name)), "").strip()

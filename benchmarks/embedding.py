"""BERTScore against the bert-score package: `python -m benchmarks.embedding`.

Both run the same weights at the same layer with two threads, in the same run, models loaded. The
package reads the folder of `make backbones`; the float32 form of it is exported once into runs/.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.pairs import DATA, mrpc_pairs

THREADS = 2
BACKBONE = Path("backbones/minilm")
FULL = Path("runs/minilm-float32")
SYSTEMS, SEGMENTS = 8, 250
FLOORS = {"float32": (1.3, 2.2), "static int8": (2.0, 3.5)}  # one system, eight of them
COLD, BEND, GROWTH = 3.0, 1.25, 1.15
PARTS = ("one", "eight", "cold", "linear", "memory")


def main() -> int:
    """Run the races; return 1 if a floor is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embedding", description=__doc__)
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS)
    asked = parser.parse_args()
    if not BACKBONE.is_dir():
        raise SystemExit(f"there is no {BACKBONE}: run make backbones")
    models = {"float32": str(full_precision()), "static int8": "minilm"}
    jobs: dict[str, Callable[[], bool]] = {
        "one": lambda: one_system(models, asked.pairs, asked.rounds),
        "eight": lambda: eight_systems(models, asked.rounds),
        "cold": lambda: cold_start(asked.rounds),
        "linear": lambda: linear(asked.pairs),
        "memory": lambda: flat(asked.pairs),
    }
    kept = [jobs[name]() for name in asked.only]
    return int(not all(kept))


def full_precision() -> Path:
    """Export the backbone as it is, once; the same layer as the shipped form."""
    if not (FULL / "card.json").exists():
        command = [sys.executable, "-m", "paraphrast", "train", "export", str(BACKBONE)]
        command += ["-o", str(FULL), "--form", "float32", "--no-baseline", "--model", "minilm"]
        FULL.parent.mkdir(exist_ok=True)
        subprocess.run([*command, "--layer", str(shipped_layer())], check=True)
    return FULL


def shipped_layer() -> int:
    """Return the layer that the shipped weights say BERTScore should read."""
    from paraphrast.models.embedder.embedder_card import EmbedderCard
    from paraphrast.models.store import find

    return EmbedderCard.read(find("minilm", kind="embedder")).layer


def one_system(models: dict[str, str], pairs: int, rounds: int) -> bool:
    """Race each form over distinct pairs of MRPC."""
    candidates, references = mrpc_pairs(pairs)
    floors = {form: FLOORS[form][0] for form in models}
    return race(f"{pairs:,} MRPC pairs", {"": candidates}, references, models, floors, rounds)


def eight_systems(models: dict[str, str], rounds: int) -> bool:
    """Race each form over systems that answer the same segments."""
    floors = {form: FLOORS[form][1] for form in models}
    return race(f"{SYSTEMS} systems of {SEGMENTS}", *wmt_systems(), models, floors, rounds)


def race(
    what: str,
    systems: dict[str, list[str]],
    references: list[str],
    models: dict[str, str],
    floors: dict[str, float],
    rounds: int,
) -> bool:
    """Print how much faster than the package each form is."""
    many = len(systems) * len(references)
    jobs = {form: ours(model, systems, references) for form, model in models.items()}
    seconds = timed({"peer": peer(systems, references), **jobs}, rounds)
    print(f"{what}: bert-score {many / seconds['peer']:,.0f} pairs/s")
    ratios = {form: seconds["peer"] / seconds[form] for form in models}
    for form, ratio in ratios.items():
        print(
            f"  {form:12} {many / seconds[form]:6,.0f} pairs/s: {ratio:.2f}× "
            f"(at least {floors[form]}){'' if ratio >= floors[form] else '  TOO SLOW'}"
        )
    return all(ratios[form] >= floors[form] for form in models)


def timed(jobs: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the median seconds of each job; they take turns, so a busy minute hits all."""
    found: dict[str, list[float]] = {name: [] for name in jobs}
    for number in range(rounds + 1):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            if number:  # the first round warms up
                found[name].append(time.perf_counter() - start)
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def ours(model: str, systems: dict[str, list[str]], references: list[str]) -> Callable[[], object]:
    """Score from nothing but loaded weights: what was read before is forgotten first."""
    import paraphrast
    from paraphrast.models.embedder.text_embedder import Embedder

    def run() -> object:
        Embedder.load(model, threads=THREADS).forget()
        metric = f'bertscore:model="{model}"'
        return paraphrast.score(systems, references, metrics=[metric], threads=THREADS)

    return run


def peer(systems: dict[str, list[str]], references: list[str]) -> Callable[[], object]:
    """One call per system, which is how the package is used."""
    import torch
    from bert_score import BERTScorer

    torch.set_num_threads(THREADS)
    with quiet():
        scorer: Any = BERTScorer(str(BACKBONE), num_layers=shipped_layer(), device="cpu")

    def run() -> object:
        with quiet():
            return [scorer.score(texts, references) for texts in systems.values()]

    return run


@contextlib.contextmanager
def quiet() -> Any:
    """Keep the package's bars and warnings to itself."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def wmt_systems() -> tuple[dict[str, list[str]], list[str]]:
    """Return eight German to English systems of WMT19 and their references."""
    path = DATA / "judgements" / "wmt19_to-en_outputs.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row["lp"] == "de-en"][:SEGMENTS]
    names = sorted(rows[0]["outputs"])[:SYSTEMS]
    systems = {name: [row["outputs"][name] for row in rows] for name in names}
    return systems, [row["reference"] for row in rows]


def cold_start(rounds: int) -> bool:
    """Compare the time from the start of Python to the first score."""
    layer = shipped_layer()
    mine = (
        "import paraphrast as p; p.score(['a cat'], ['the cat'], metrics=['bertscore'], threads=2)"
    )
    theirs = (
        "import bert_score as b; b.score(['a cat'], ['the cat'], "
        f"model_type={str(BACKBONE)!r}, num_layers={layer}, device='cpu')"
    )
    seconds = [
        min(_spent([sys.executable, "-c", code]) for _ in range(rounds)) for code in (mine, theirs)
    ]
    ratio = seconds[1] / seconds[0]
    print(
        f"first score of a new process: {seconds[0]:.2f} s against {seconds[1]:.2f} s, "
        f"{ratio:.1f}× (at least {COLD:g})"
    )
    return ratio >= COLD


def _spent(command: list[str]) -> float:
    start = time.perf_counter()
    hidden = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    subprocess.run(command, check=True, env=environment, **hidden)  # type: ignore[call-overload]
    return time.perf_counter() - start


def linear(pairs: int) -> bool:
    """Tell whether twice the pairs take twice the time."""
    candidates, references = mrpc_pairs(pairs)
    order = sorted(range(pairs), key=lambda n: hash((n * 2654435761) % 2**32))  # any part is alike
    seconds = {}
    for size in (pairs // 4, pairs // 2, pairs):
        part = order[:size]
        job = ours("minilm", {"": [candidates[n] for n in part]}, [references[n] for n in part])
        seconds[size] = timed({"": job}, 1)[""]
    each = {size: 1000 * spent / size for size, spent in seconds.items()}
    bend = max(each.values()) / min(each.values())
    listed = ", ".join(f"{size:,}: {spent:.2f}" for size, spent in each.items())
    print(
        f"milliseconds a pair, by number of pairs: {listed}; apart by {bend:.2f}× (at most {BEND})"
    )
    return bend <= BEND


def flat(pairs: int) -> bool:
    """Tell whether three times the pairs need more memory, once the embedder's own is full."""
    peaks = [peak(size) for size in (pairs, 3 * pairs)]
    growth = peaks[1] / peaks[0]
    print(
        f"peak memory: {pairs:,} pairs {peaks[0]:.0f} MiB, {3 * pairs:,} pairs {peaks[1]:.0f} MiB, "
        f"{growth:.2f}× (at most {GROWTH})"
    )
    return growth <= GROWTH


def peak(pairs: int) -> float:
    """Return the peak memory, in MiB, of the command over files with that many pairs."""
    candidates, references = mrpc_pairs(pairs)
    code = "from paraphrast.cli.main import run; import sys; from pathlib import Path; "
    code += "run(sys.argv[1:]); print(Path('/proc/self/status').read_text(), file=sys.stderr)"
    with tempfile.TemporaryDirectory() as folder:
        for name, texts in (("c.txt", candidates), ("r.txt", references)):
            Path(folder, name).write_text("\n".join(texts) + "\n", encoding="utf-8")
        command = [sys.executable, "-c", code, "score", "-c", "c.txt", "-r", "r.txt", "-q", "-b"]
        command += ["-m", "bertscore", "--threads", str(THREADS)]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    (most,) = re.findall(r"VmHWM:\s+(\d+) kB", done.stderr)  # a fork's ru_maxrss is its parent's
    return int(most) / 1024


if __name__ == "__main__":
    raise SystemExit(main())

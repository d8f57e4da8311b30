"""Write docs/quality.md: the encoders on held-out sets, beside baselines and published figures.

Run by `make quality`, where PARAPHRAST_DATA holds the data. Models that are not installed are left
out. What was measured is kept in runs/quality, so that a run that was stopped goes on; `--only`
measures and prints some tasks alone, and `--fresh` forgets what was kept:

    python docs/quality.py --only stress,snli base
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from paraphrast.errors import ModelError
from paraphrast.jobs.meta import evaluate_metrics
from paraphrast.meta.tasks import find_task
from paraphrast.models.store import find
from paraphrast.render.charts.curve import curve_svg
from paraphrast.render.terminal.progress import progress
from paraphrast.studies.quality.agreement import FAITHFULNESS, SUMMARIES
from paraphrast.studies.quality.figures import Line, Point
from paraphrast.studies.quality.first_reasons import ALTERED
from paraphrast.studies.quality.table import chosen_tasks, measure

DOCS = Path(__file__).parent
PAGE = DOCS / "quality.md"
KEPT = Path("runs/quality")
MODELS = ("mini", "base")
PUBLISHED = {  # figures that papers print, for the eye; not always on the same data
    ("WMT17 to-English segments", "pearson"): "BERTScore-RoBERTa-large .759, ParaBLEU-base .785, "
    "BLEURT-large .818, ParaBLEU-large .843",
    ("QAGS-CNN factuality, paratag P, logit", "pearson"): "ParaTag .694",
    ("tags, etpc.dev", "F1 of tag 1"): "ParaTag's best model .706 and its people .751, on their "
    "own data",
    ("mrpc test", "accuracy"): "ParaBLEU-base .852, fine-tuned on it",
    ("mrpc test", "F1"): "ParaBLEU-base .889, fine-tuned on it",
}
HEAD = """# Quality of the encoders

What the shipped weights reach on sets of which neither labels nor texts were trained or tuned on:
where a sentence recurs in a training file, that row was left out. Written by `make quality`.
In brackets are 95 % bootstrap intervals.

- Thresholds of MRPC and PAWS are chosen on the slice of their training files that the recipes set
  aside; tags use the threshold in the model's card; everything else says yes from a probability of
  .5 on.
- `faithfulness` cuts sources as `recipes/chunks.py` chose, on documents made of training pairs.
- The texts held against themselves are made of sentences of English web text (en_ud_ewt) that no
  recipe may use, joined and cut to 5 to 2,000 words. The judge's shortcut for equal texts is left
  out. "Network alone" reads long texts in windows; "sentences looked up" is the judge's way with
  them, which finds each sentence in the other text.
- Reasons: changed pairs among the held-out altered copies of which the altered place is known. A
  pair called the same has no reason and counts as wrong; a kind counts only at the right word.
- The calibration error is that of ten bins of equal width (Guo et al. 2017).
- "Screening" is the share of pairs that `generate` would refuse at its defaults, were the second
  text its own: of paraphrases it should be small, of other pairs large. Its intervals draw whole
  sources.

"""


def main(arguments: Sequence[str]) -> None:
    """Measure the installed models; write page, curves and cards, or print some rows."""
    chosen = parsed(arguments)
    models = [model for model in chosen.models or MODELS if installed(model)]
    if chosen.fresh:
        shutil.rmtree(KEPT, ignore_errors=True)
    lines: list[Line] = []
    curves: dict[str, dict[str, Sequence[Point]]] = {model: {} for model in models}
    tasks = [task for task in chosen_tasks(chosen.only) if task != "reasons" or altered()]
    found = measure(tasks, models, evaluate_metrics, folder=KEPT, watch=told)
    for findings in found:
        lines += findings.lines
        for line in findings.lines:
            print(f"{line.task}, {line.figure}: {line.system} {shown(line)}", flush=True)
            if line.system in curves:
                curves[line.system].update(findings.curves)
    if chosen.only or chosen.models:
        print(f"\n{table(lines, models)}")
        return
    PAGE.write_text(HEAD + table(lines, models), encoding="utf-8")
    print(f"wrote {PAGE.name}")
    for model in models:
        write_reliability(DOCS / f"reliability-{model}.svg", model, curves[model])
        write_card(find(model, download=False) / "MODEL_CARD.md", model, lines, models)


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure the encoders on held-out sets.")
    parser.add_argument("models", nargs="*", help="mini, base or directories; both by default")
    parser.add_argument("--only", help="tasks, parted by commas; prints them and writes no page")
    parser.add_argument("--fresh", action="store_true", help="measure again what was kept")
    return parser.parse_args(arguments)


def told(task: str, system: str) -> AbstractContextManager[Callable[[int], None]]:
    """Show progress on standard error while a task is measured."""
    return progress(f"{task}, {system}", unit="pairs")


def altered() -> bool:
    """Say whether the held-out altered copies are there, and if not, how they are made."""
    if not ALTERED.exists():
        print(f"{ALTERED} is not there: reasons are left out; see recipes/altered/README.md")
    return ALTERED.exists()


def installed(model: str) -> bool:
    """Say whether a model is there, and if not, that it is left out."""
    try:
        find(model, download=False)
    except ModelError:
        print(f"{model} is not installed: left out")
        return False
    return True


def write_reliability(path: Path, model: str, curves: Mapping[str, Sequence[Point]]) -> None:
    """Draw how often a probability came true, beside the line of one that always holds."""
    series = {**curves, "as it should be": [(0.0, 0.0, None, None), (1.0, 1.0, None, None)]}
    drawn = curve_svg(
        series,
        x_label="probability given",
        y_label="share that held",
        title=f"Reliability of {model}",
        log_x=False,
    )
    path.write_text(drawn + "\n", encoding="utf-8")
    print(f"wrote {path.name}")


def write_card(path: Path, model: str, lines: Sequence[Line], models: Sequence[str]) -> None:
    """Put a model's own rows, and the baselines, on its card."""
    if path.exists():
        alone = [line for line in lines if line.system == model or line.system not in models]
        path.write_text(with_results(path.read_text("utf-8"), table(alone, [model])), "utf-8")
        print(f"wrote {path.name} of {model}")


def with_results(card: str, rows: str) -> str:
    """Put the table between the marks of a model card."""
    return re.sub(r"(<!-- results -->\n).*(<!-- /results -->)", rf"\1{rows}\2", card, flags=re.S)


def table(lines: Sequence[Line], models: Sequence[str]) -> str:
    """Return Markdown: a row per task and figure, a column per model, then the baselines."""
    rows = ["| " + " | ".join(["task", "figure", *models, "baseline", "published"]) + " |"]
    rows.append("|---" * (len(models) + 4) + "|")
    for task, figure in dict.fromkeys((line.task, line.figure) for line in lines):
        mine = [line for line in lines if (line.task, line.figure) == (task, figure)]
        found = {line.system: shown(line) for line in mine}
        ours = [found.get(model, "") for model in models]
        others = ", ".join(f"{name} {value}" for name, value in found.items() if name not in models)
        rows.append("| " + " | ".join([task, figure, *ours, others, printed(task, figure)]) + " |")
    return "\n".join(rows) + "\n"


def shown(line: Line) -> str:
    """Return a value with its interval."""
    ends = "" if line.low is None or line.high is None else f" [{line.low:.3f}, {line.high:.3f}]"
    return f"{line.value:.3f}{ends}"


def printed(task: str, figure: str) -> str:
    """Return what papers print for a row: our notes, or those of the named task."""
    names = {f"{title}, {FAITHFULNESS}": name for name, title in SUMMARIES.items()}
    known = find_task(names[task]).published if task in names else ()
    rows = [f"{one.metric} {one.value:.3f}" for one in known if one.statistic == figure]
    return ", ".join([PUBLISHED[task, figure]] if (task, figure) in PUBLISHED else rows)


if __name__ == "__main__":
    main(sys.argv[1:])

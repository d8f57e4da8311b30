"""Write docs/quality.md: the encoders on held-out sets, beside baselines and published figures.

Run by `make quality`, where PARAPHRAST_DATA holds the data. Models that are not installed are
left out.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from paraphrast.errors import ModelError
from paraphrast.jobs.meta import evaluate_metrics
from paraphrast.models.store import find
from paraphrast.studies.encoder_quality import quality
from paraphrast.studies.quality_line import Line

PAGE = Path(__file__).parent / "quality.md"
MODELS = ("mini", "base")
PUBLISHED = {  # figures that papers print, for the eye; not always on the same data
    ("WMT17 to-English segments", "pearson"): "BERTScore-RoBERTa-large .759, ParaBLEU-base .785, "
    "BLEURT-large .818, ParaBLEU-large .843",
    ("QAGS-CNN factuality", "pearson, logit"): "BERTScore .576, ParaTag .694",
    ("tags, etpc.dev", "F1 of tag 1"): "ParaTag's best model .706 and its people .751, on their "
    "own data",
    ("mrpc test", "accuracy"): "ParaBLEU-base .852, fine-tuned on it",
    ("mrpc test", "F1"): "ParaBLEU-base .889, fine-tuned on it",
}
HEAD = """# Quality of the encoders

What the shipped weights reach on sets of which neither labels nor texts were trained or tuned on:
where a sentence recurs in a training file, that row was left out. Written by `make quality`.
Thresholds of MRPC and PAWS are chosen on the slice of their training files that the recipes set
aside; tags use the threshold in the model's card. "Screening" is the share of pairs that `generate`
would refuse at its defaults, were the second text its own: of paraphrases it should be small, of
other pairs large; in brackets, 95 % of bootstrap samples of the sources.

"""


def main() -> None:
    """Measure the installed models and write the page."""
    models = [model for model in sys.argv[1:] or MODELS if installed(model)]
    lines = quality(models, evaluate_metrics, tell=print)
    PAGE.write_text(HEAD + table(lines, models), encoding="utf-8")
    print(f"wrote {PAGE.name}")
    for model in models:
        card = find(model, download=False) / "MODEL_CARD.md"
        if card.exists():
            alone = [line for line in lines if line.system == model or line.system not in models]
            card.write_text(with_results(card.read_text("utf-8"), table(alone, [model])), "utf-8")
            print(f"wrote {card.name} of {model}")


def installed(model: str) -> bool:
    """Say whether a model is there, and if not, that it is left out."""
    try:
        find(model, download=False)
    except ModelError:
        print(f"{model} is not installed: left out")
        return False
    return True


def with_results(card: str, rows: str) -> str:
    """Put the table between the marks of a model card."""
    return re.sub(r"(<!-- results -->\n).*(<!-- /results -->)", rf"\1{rows}\2", card, flags=re.S)


def table(lines: list[Line], models: list[str]) -> str:
    """Return Markdown: a row per task and figure, a column per model, then the baselines."""
    rows = [f"| task | figure | {' | '.join(models)} | baseline | published |"]
    rows.append("|---|---|" + "---|" * (len(models) + 2))
    for task, figure in dict.fromkeys((line.task, line.figure) for line in lines):
        found = {line.system: line for line in lines if (line.task, line.figure) == (task, figure)}
        ours = " | ".join(f"{found[model]}" for model in models)
        others = ", ".join(f"{k} {v}" for k, v in found.items() if k not in models)
        printed = PUBLISHED.get((task, figure), "")
        rows.append(f"| {task} | {figure} | {ours} | {others} | {printed} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    main()

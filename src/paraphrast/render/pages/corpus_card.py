"""The data card of a built corpus in Markdown, and the tables that its page shows as well."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from paraphrast.render.values import MISSING, finite, show

Part = Mapping[str, Any]
Table = list[list[str]]

_SPECIAL = re.compile(r"([\\`*_|~$]|\](?=[(\[:]))")
_SPACE = re.compile(r"\s+")


def corpus_card(report: Part) -> str:
    """Return the whole card; every text is escaped, so that none becomes markup."""
    blocks = [f"# {escaped(report['name'])}"]
    blocks += [escaped(text) for text in (report["description"], *headline(report)) if text]
    blocks += _section("Pairs by word overlap", bins_intro(report), bins_table(report))
    blocks += _section("Splits", "", splits_table(report))
    blocks += _section("Labels", labels_intro(report), labels_table(report), left=2)
    blocks += _section("How it was made", "", steps_table(report))
    if dropped := dropped_table(report):
        blocks.append(markdown_table(dropped, left=2))
    blocks += [f"- {escaped(line)}" for line in report["method"]]
    if report["systems"]:
        blocks += _section("Systems", "", systems_table(report), left=9)
    blocks += _section("Known limits", "")
    blocks += [f"- {escaped(line)}" for line in limits(report)]
    blocks += _examples(report)
    blocks += _section("Files", "", files_table(report), left=1)
    blocks += ["## Recipe", f"SHA-256 `{report['recipe_sha256']}`, seed {report['seed']}."]
    blocks.append(_fenced(report["recipe_text"], "toml"))
    blocks += [f"- {escaped(note)}" for note in report["notes"]]
    return _joined(blocks)


def headline(report: Part) -> list[str]:
    """Say in a few lines what there is."""
    splits = ", ".join(f"{name} {count:,}" for name, count in report["splits"].items())
    facts = [f"{report['pairs']:,} pairs ({splits})"]
    facts += [f"language {report['language']}"] if report["language"] else []
    facts += [f"licence {report['licence']}"] if report["licence"] else []
    made = f"Built with paraphrast {report['version']}"
    engine = f" on {report['engine']}" if report["engine"] else ""
    return ["; ".join(facts) + ".", f"{made}{engine} from the recipe below, seed {report['seed']}."]


def bins_intro(report: Part) -> str:
    """Explain the columns of the table of bins."""
    said = (
        "Word overlap is the Jaccard similarity of the two sets of words "
        f"(tokeniser {report['tokenize']}). Words are means over the pairs of the corpus. "
    )
    said += f"Missing of the {short}. " if (short := shortfall(report)) else ""
    mined = {one["bin"]: one["lacking"] for one in report["bins"] if one.get("lacking")}
    if mined:
        said += (
            f"Missing of the mined pairs wanted: {sum(mined.values()):,}, in {', '.join(mined)}."
        )
    return said.strip()


def shortfall(report: Part) -> str:
    """Say how many pairs the sample lacks, and in which bins; nothing if it is complete."""
    lacking = [one for one in report["bins"] if one["short"]]
    if not lacking:
        return ""
    where = ", ".join(one["bin"] for one in lacking)
    return f"pairs wanted: {sum(one['short'] for one in lacking):,}, in {where}"


def bins_table(report: Part) -> Table:
    """Return the columns of the paper's Table 1, those without a value left out."""
    columns: list[tuple[str, Callable[[Part], str]]] = [
        ("available", lambda one: _count(one["available"])),
        ("words source", lambda one: _mean(one["words_source"])),
        ("words text1", lambda one: _mean(one["words_text1"])),
        ("words text2", lambda one: _mean(one["words_text2"])),
        ("quality", lambda one: show(one["quality"])),
        ("sampled", lambda one: _count(one["sampled"])),
        ("mined", lambda one: _count(one["mined"])),
    ]
    names = [name for name, total in report["labels"].items() if total]
    rows = [["overlap", *(title for title, _ in columns), *names]]
    for one in report["bins"]:
        cells = [cell(one) for _, cell in columns]
        rows.append([one["bin"], *cells, *(_count(one["labels"].get(name, 0)) for name in names)])
    return _without_empty([*rows, _total(report, names)])


def _total(report: Part, names: Sequence[str]) -> list[str]:
    bins = report["bins"]
    known = [one["available"] for one in bins if one["available"] is not None]
    sums = [_count(sum(one[key] for one in bins)) for key in ("sampled", "mined")]
    counted = [_count(report["labels"][name]) for name in names]
    return ["all", _count(sum(known)) if known else MISSING, *[MISSING] * 4, *sums, *counted]


def splits_table(report: Part) -> Table:
    """Pairs of each split and their share."""
    whole = max(report["pairs"], 1)
    rows = [[name, f"{n:,}", f"{n / whole:.1%}"] for name, n in report["splits"].items()]
    return [["split", "pairs", "share"], *rows]


def labels_intro(report: Part) -> str:
    """Say whether the pairs are labelled."""
    if any(report["labels"].values()):
        return "Pairs of the last two labels do not belong to the corpus."
    return (
        "The field “label” of every pair is empty: the corpus is ready for annotation with these "
        "four. Pairs of the last two do not belong to the finished corpus."
    )


def labels_table(report: Part) -> Table:
    """Return the labels with their definitions and, once there are some, counts."""
    counts = report["labels"]
    rows = [[one["name"], one["definition"]] for one in report["definitions"]]
    if any(counts.values()):
        return [
            ["label", "meaning", "pairs"],
            *([name, text, f"{counts[name]:,}"] for name, text in rows),
        ]
    return [["label", "meaning"], *rows]


def steps_table(report: Part) -> Table:
    """Rows in and out of each step, and what it cost."""
    rows = [["step", "rows in", "rows out", "dropped", "seconds", "rows/s", "peak MB"]]
    for one in report["steps"]:
        peak = finite(one["peak_bytes"])
        cells = [_count(one[key]) for key in ("rows_in", "rows_out")]
        cells.append(_count(sum(one["dropped"].values())))
        cells += [_count(one["seconds"], 1), _count(one["rate"])]
        rows.append([one["name"], *cells, MISSING if peak is None else f"{peak / 1e6:,.0f}"])
    return _without_empty(rows)


def dropped_table(report: Part) -> Table:
    """Every reason that rows were dropped for."""
    rows = [
        [one["name"], why, f"{count:,}"]
        for one in report["steps"]
        for why, count in one["dropped"].items()
    ]
    return [["step", "dropped because", "rows"], *rows] if rows else []


def systems_table(report: Part) -> Table:
    """Systems, their versions and what they counted."""
    rows = [
        [one["name"], one["kind"], one["version"] or MISSING, usage(one["usage"])]
        for one in report["systems"]
    ]
    return [["system", "kind", "version", "use"], *rows]


def usage(counts: Mapping[str, int | float]) -> str:
    """Write what a system counted in one line."""
    used = {name: value for name, value in counts.items() if value}
    said = (f"{name.replace('_', ' ')} {_number(value)}" for name, value in used.items())
    return ", ".join(said) or MISSING


def files_table(report: Part) -> Table:
    """Files with their sizes and hashes."""
    rows = [
        [one["path"], _count(one["rows"]), f"{one['bytes']:,}", one["sha256"]]
        for one in report["files"]
    ]
    return [["file", "pairs", "bytes", "SHA-256"], *rows]


def limits(report: Part) -> list[str]:
    """Say what the corpus is not, beside what its recipe says."""
    said = list(report["limits"])
    if not any(report["labels"].values()):
        said.append("No person has judged the pairs yet: they are candidates, not paraphrases.")
    if any(one["mined"] for one in report["bins"]):
        said.append(
            "Mined pairs are taken for negatives because their sentences were found apart; some "
            "may be paraphrases all the same."
        )
    return said


def about(example: Part) -> str:
    """Write what is known of an example in one line."""
    facts = [f"overlap {show(example['overlap'])}"]
    facts += [f"quality {show(example['quality'])}"] if example["quality"] is not None else []
    facts += [example["origin"]] if example["origin"] else []
    facts += [" + ".join(example["systems"])] if example["systems"] else []
    return ", ".join([*facts, *([example["label"]] if example["label"] else [])])


def escaped(text: object) -> str:
    """Escape what Markdown or the HTML in it would take for markup; line ends become spaces."""
    plain = _SPECIAL.sub(r"\\\1", _SPACE.sub(" ", str(text)).strip())
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _section(title: str, intro: str, *tables: Table, left: int = 1) -> list[str]:
    """Return a heading, a text, and tables whose columns from `left` on stand to the right."""
    parts = [f"## {title}", *([escaped(intro)] if intro else [])]
    return [*parts, *(markdown_table(table, left=left) for table in tables)]


def markdown_table(rows: Table, *, left: int = 1) -> str:
    """Write rows, the first being the head; columns from `left` on stand to the right."""
    rule = ["---" if place < left else "---:" for place in range(len(rows[0]))]
    lines = [list(map(escaped, rows[0])), rule, *(list(map(escaped, row)) for row in rows[1:])]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _examples(report: Part) -> list[str]:
    blocks = ["## Examples"] if report["examples"] else []
    before = None
    for one in report["examples"]:
        if one["bin"] != before:
            blocks.append(f"### {escaped(one['bin'])}")
            before = one["bin"]
        lines = [f"1. {escaped(one['text1'])}  ", f"   {escaped(one['text2'])}  "]
        source = f"; from “{escaped(one['source'])}”" if one["source"] else ""
        blocks.append("\n".join([*lines, f"   ({escaped(about(one))}{source})"]))
    return blocks


def _fenced(text: str, language: str) -> str:
    """Fence a text with more backticks than it holds in a row."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _joined(blocks: Iterable[str]) -> str:
    """Part blocks by blank lines, but keep the entries of a list together."""
    text = ""
    for block in blocks:
        both = block.startswith("- ") and text.rpartition("\n")[2].startswith("- ")
        text += ("\n" if both else "\n\n" if text else "") + block
    return text + "\n"


def _without_empty(rows: Table) -> Table:
    """Leave out columns that have no value in any row."""
    kept = [any(cell != MISSING for cell in column[1:]) for column in zip(*rows, strict=True)]
    return [[cell for cell, keep in zip(row, kept, strict=True) if keep] for row in rows]


def _count(value: object, places: int = 0) -> str:
    number = finite(value)
    return MISSING if number is None else f"{number:,.{places}f}"


def _mean(value: object) -> str:
    return _count(value, 2)


def _number(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.4g}"

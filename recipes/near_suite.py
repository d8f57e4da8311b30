"""Leave out of written training text what is too near a text of the stress suite.

    python recipes/near_suite.py FILE … > recipes/written_sets.jsonl

Files hold pairs (`text1`, `text2`) or sets (`text`, `same`, `changed`), one JSON object a line. A
row is dropped, and counted on standard error, if one of its texts shares with a text of the suite
more than two thirds of the words of both, or an edit similarity above 85 of 100.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from rapidfuzz import fuzz, process

from paraphrast.meta.stress.suite import stress_pairs
from paraphrast.text.words import WordText

MOST_SHARED, MOST_ALIKE = 2 / 3, 85


def main() -> None:
    """Copy the rows that keep their distance."""
    suite = [text for pair in stress_pairs() for text in (pair.text1, pair.text2)]
    words = [vocabulary(text) for text in suite]
    kept = dropped = 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                if any(near(text, suite, words) for text in texts(row)):
                    dropped += 1
                    continue
                kept += 1
                print(json.dumps(row, ensure_ascii=False))
    print(f"{kept} rows kept, {dropped} dropped as too near the suite", file=sys.stderr)


def texts(row: dict[str, Any]) -> Iterator[str]:
    """Yield every text of a row."""
    yield from (row[name] for name in ("text", "text1", "text2") if name in row)
    yield from row.get("same", []) if isinstance(row.get("same"), list) else []
    yield from (change["text"] for change in row.get("changed", []))


def near(text: str, suite: list[str], words: list[frozenset[str]]) -> bool:
    """Tell whether a text is nearly one of the suite's."""
    own = vocabulary(text)
    if any(len(own & other) > MOST_SHARED * len(own | other) for other in words):
        return True
    found = process.extractOne(text.lower(), suite, scorer=fuzz.ratio, score_cutoff=MOST_ALIKE)
    return found is not None


def vocabulary(text: str) -> frozenset[str]:
    """Return the distinct words of a text in lower case."""
    return frozenset(word.lower() for word in WordText.of(text).words if word.isalnum())


if __name__ == "__main__":
    main()

"""Pages: forms, results, jobs, downloads; nothing a user sent is ever markup."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paraphrast.web.pages.page_frame import percent
from paraphrast.web.pages.uploads import shown_name

if TYPE_CHECKING:
    from fastapi.testclient import TestClient
    from httpx import Response

HTMX = {"HX-Request": "true"}
PAGE = {"Accept": "text/html"}
HOSTILE = [
    "<script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    '" onmouseover="alert(1)',
    "{{ 7*7 }} {% raw %}",
    "\u202eevil\u202c right to left",
    "w" * 10_000,
    "null \x00 and \x1b escape",
]


class Tags(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def check_harmless(text: str) -> None:
    for tag, attributes in Tags(text).found:
        assert tag not in ("style", "iframe", "object", "embed", "img"), tag
        assert tag != "script" or (attributes.get("src") or "").startswith("/static/")
        assert not [name for name in attributes if name.startswith("on")], attributes
        assert not (attributes.get("href") or "").lower().startswith("javascript"), attributes
    assert "\x00" not in text
    assert "\x1b" not in text


def job(client: TestClient, path: str, **sent: Any) -> Response:
    """Post a form and wait for the end of its job."""
    found = client.post(path, headers=HTMX, **sent)
    end = time.monotonic() + 60
    while "hx-trigger" in found.text:
        assert time.monotonic() < end
        ident = re.search(r'hx-get="(/jobs/[\w-]+)"', found.text)
        assert ident is not None
        found = client.get(ident[1], headers=HTMX)
    return found


@pytest.mark.parametrize("path", ["/", "/score", "/paraphrase", "/evaluate", "/api", "/login"])
def test_every_page_is_whole_and_fetches_nothing_from_elsewhere(
    client: TestClient, path: str
) -> None:
    found = client.get(path)
    assert found.status_code == 200
    check_harmless(found.text)
    for tag, attributes in Tags(found.text).found:
        for name in ("src", "href", "action"):
            value = attributes.get(name)
            assert value is None or value.startswith(("/", "#")), (tag, value)
    assert "http://" not in re.sub(r"<pre.*?</pre>", "", found.text, flags=re.DOTALL)


def test_static_files_are_there_and_no_others(client: TestClient) -> None:
    for name in ("serve.css", "serve.js", "htmx.min.js", "htmx.LICENSE", "icon.svg"):
        assert client.get(f"/static/{name}").status_code == 200
    for name in ("..%2f..%2fpage_frame.py", "page_frame.py", "../serve.js"):
        assert client.get(f"/static/{name}").status_code == 404


def test_a_verdict_shows_the_words_that_differ(client: TestClient) -> None:
    form = {"a": "She sold 40 trucks to Poland.", "b": "She sold 25 trucks to Norway."}
    found = client.post("/compare", data=form, headers=HTMX)
    assert found.status_code == 200
    assert "They say different things" in found.text
    assert re.search(r"<mark[^>]*>40<span", found.text)
    assert "chrf++" in found.text
    assert "<html" not in found.text


def test_without_scripts_the_result_is_a_page(client: TestClient) -> None:
    found = client.post("/compare", data={"a": "One.", "b": "Two."}, headers=PAGE)
    assert "<html" in found.text
    assert "verdict" in found.text


def test_an_empty_field_is_told_in_words(client: TestClient) -> None:
    found = client.post("/compare", data={"a": "One.", "b": " "}, headers=HTMX)
    assert found.status_code == 422
    assert "The second text is empty" in found.text
    assert client.get("/nothing", headers=PAGE).text.count("There is nothing here") == 1


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_nothing_that_was_entered_becomes_markup(client: TestClient, text: str) -> None:
    found = client.post("/compare", data={"a": text, "b": f"x {text}"}, headers=PAGE)
    assert found.status_code == 200
    check_harmless(found.text)
    assert "49" not in found.text.partition("How they relate")[0] or "7*7" not in text
    name = f"{text[:80]}.txt"
    files = {"candidates": (name, text.encode()), "references": ("r.txt", text.encode())}
    scored = job(client, "/score", data={"metrics": ["chrf++"]}, files=files)
    assert scored.status_code in (200, 422)
    check_harmless(scored.text)


def test_files_are_scored_and_can_be_had_in_every_form(client: TestClient) -> None:
    found = job(client, "/score", data={"example": "1", "metrics": ["chrf++", "parableu"]})
    assert "rewriter" in found.text
    assert "sorted by chrf++" in found.text
    links = re.findall(r'href="(/jobs/[^"]+)"', found.text)
    forms = {link.rpartition("/")[2]: client.get(link) for link in links}
    assert {name.rpartition(".")[2] for name in forms} == {"json", "html", "tsv", "csv", "parquet"}
    for answer in forms.values():
        assert answer.status_code == 200
        assert answer.headers["content-disposition"].startswith("attachment")
        assert "sandbox" in answer.headers["content-security-policy"]
    systems = json.loads(forms["scores.json"].content)["systems"]
    rows = list(csv.DictReader(io.StringIO(forms["scores.csv"].text)))
    assert float(rows[0]["score"]) == systems["copycat"]["scores"][0]["score"]
    assert len(forms["segments.tsv"].text.splitlines()) == 81
    assert forms["segments.parquet"].content[:4] == b"PAR1"


def test_the_worst_segments_come_first_whatever_better_means(client: TestClient) -> None:
    texts = "the cat sat here\na dog ran away\n"
    files = {
        "candidates": ("c.txt", "the cat sat here\nno such word\n"),
        "references": ("r.txt", texts),
    }
    for metric in ("chrf++", "ter"):
        found = job(client, "/score", data={"metrics": [metric]}, files=files)
        assert re.findall(r"Segment (\d)", found.text)[:2] == ["2", "1"], metric


def test_errors_call_files_by_the_names_their_sender_knows(client: TestClient) -> None:
    files = {"candidates": ("mine.txt", "a\nb\n"), "references": ("theirs.txt", "a\n")}
    found = job(client, "/score", data={"metrics": ["bleu"]}, files=files)
    assert "mine.txt has 2" in found.text
    assert "theirs.txt has 1" in found.text
    assert "paraphrast-serve-" not in found.text


def test_formulas_are_made_harmless_for_spreadsheets(client: TestClient) -> None:
    files = {"candidates": ("=cmd.txt", "a b\n"), "references": ("r.txt", "a b\n")}
    found = job(client, "/score", data={"metrics": ["chrf++"]}, files=files)
    link = re.search(r'href="(/jobs/[^"]+/scores.csv)"', found.text)
    assert link is not None
    assert ",=cmd" not in client.get(link[1]).text
    assert "\n=cmd" not in client.get(link[1]).text


@pytest.mark.parametrize(
    ("form", "files", "words"),
    [
        ({}, {}, "at least one file"),
        ({}, {"candidates": ("a.exe", "x")}, "files of these kinds"),
        ({"metrics": ["belu"]}, {"candidates": ("a.txt", "x")}, "belu"),
        ({"metrics": ["bleu"]}, {"candidates": ("a.txt", "x")}, "references"),
        ({"metrics": ["parableu:model=/etc"]}, {"candidates": ("a.txt", "x")}, "over the web"),
        ({"test": "guess"}, {"candidates": ("a.txt", "x")}, ""),
    ],
)
def test_a_wrong_form_is_refused_before_any_work(
    client: TestClient, form: Any, files: Any, words: str
) -> None:
    found = job(client, "/score", data=form, files=files or {"other": ("a.txt", "x")})
    assert words in found.text
    assert "Traceback" not in found.text


def test_metrics_are_evaluated_and_the_report_can_be_had(client: TestClient) -> None:
    found = job(client, "/evaluate", data={"example": "1"})
    assert "Pearson" in found.text
    assert '<svg class="plot"' in found.text or "<svg" in found.text
    check_harmless(found.text)
    link = re.search(r'href="(/jobs/[^"]+\.json)"', found.text)
    assert link is not None
    report = client.get(link[1]).json()
    assert {row["metric"] for row in report["tables"][0]["rows"]} == {"overlap", "noise"}
    assert report["tables"][0]["task"] == "ratings"


def test_columns_and_levels_of_an_evaluation_are_checked(client: TestClient) -> None:
    files = [("scores", ("s.jsonl", "{}\n")), ("ratings", ("r.csv", "item,value\n"))]
    for form, words in (({"columns": "item"}, "item=document"), ({"level": "x"}, "level is one")):
        assert words in client.post("/evaluate", data=form, files=files, headers=HTMX).text
    assert "r.csv" in job(client, "/evaluate", files=files).text


def test_paraphrases_are_shown_with_reasons_for_refusals(client: TestClient) -> None:
    text = "After a long debate, the city council approved the plan for a new library."
    found = job(client, "/paraphrase", data={"texts": text, "n": "2", "preset": "careful"})
    assert "says the same:" in found.text
    assert "refused, and why" in found.text
    check_harmless(found.text)


@pytest.mark.parametrize(
    "form",
    [{"texts": " "}, {"texts": "x", "n": "99"}, {"texts": "x", "n": "two"},
     {"texts": "x", "preset": "none"}, {"texts": "x\n" * 21}, {"texts": "x" * 2001}],
)  # fmt: skip
def test_a_wrong_wish_for_paraphrases_is_refused(client: TestClient, form: Any) -> None:
    assert client.post("/paraphrase", data=form, headers=HTMX).status_code == 422


def test_a_job_can_be_cancelled_and_unknown_ones_are_gone(client: TestClient) -> None:
    texts = "\n".join(f"The train number {number} leaves at noon." for number in range(20))
    found = client.post("/paraphrase", data={"texts": texts}, headers=HTMX)
    ident = re.search(r"/jobs/([\w-]+)/cancel", found.text)
    assert ident is not None
    client.post(f"/jobs/{ident[1]}/cancel", headers=HTMX)
    end = time.monotonic() + 60
    while "was cancelled" not in (text := client.get(f"/jobs/{ident[1]}", headers=HTMX).text):
        assert time.monotonic() < end
        assert 'class="outcome"' not in text
    for path in ("/jobs/nothing", f"/jobs/{ident[1]}/scores.json", "/jobs/x/..%2f..%2fpasswd"):
        assert client.get(path).status_code == 404


def test_the_state_of_the_models_is_in_the_foot(client: TestClient) -> None:
    client.post("/v1/tag", json={"a": "x", "b": "y"})
    assert "Ready." in client.get("/models").text


def test_names_of_files_are_shown_without_folders_and_tricks() -> None:
    assert shown_name("/etc/../passwd") == "passwd"
    assert shown_name("a\u202etxt.exe\n") == "atxt.exe"
    assert len(shown_name("x" * 500)) <= 60


def test_what_is_nearly_certain_is_not_called_certain() -> None:
    assert [percent(share) for share in (0.0, 0.001, 0.5, 0.999, 1.0)] == [
        "0 %", "under 1 %", "50 %", "over 99 %", "100 %",
    ]  # fmt: skip


def test_uploads_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fastapi.testclient import TestClient

    from paraphrast.web.application import create_app

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with TestClient(create_app(), base_url="http://127.0.0.1") as client:
        files = {"candidates": ("a.txt", "x\n"), "references": ("b.txt", "x\n")}
        job(client, "/score", data={"metrics": ["chrf++"]}, files=files)
        assert len(list(tmp_path.iterdir())) == 1
        job(client, "/score", files={"candidates": ("a.exe", "x")})
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []


def test_any_metric_can_be_crash_tested(client: TestClient) -> None:
    pairs = client.get("/stress/pairs.tsv").text.splitlines()[1:]
    scores = "\n".join(str(len(line) % 7) for line in pairs) + "\n"
    files = {"stress_scores": ("lengths.txt", scores)}
    found = job(client, "/stress", data={"stress_metrics": "chrf++"}, files=files)
    assert "lengths" in found.text
    assert "chrf++" in found.text
    assert 'class="heat"' in found.text
    check_harmless(found.text)
    wrong = job(client, "/stress", files={"stress_scores": ("mine.tsv", "id\tm\na\t1\n")})
    assert "mine.tsv" in wrong.text


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({}, "Choose a file of scores"),
        ({"stress_metrics": "belu"}, "belu"),
        ({"stress_metrics": "parableu:model=/etc"}, "over the web"),
    ],
)
def test_a_wrong_crash_test_is_refused(client: TestClient, form: Any, words: str) -> None:
    found = client.post("/stress", data=form, files={"none": ("x", "")}, headers=HTMX)
    assert found.status_code == 422
    assert words in found.text

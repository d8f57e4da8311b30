"""What a person does: write, drop, press keys, follow links; on phone and desk, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = ("/", "/score", "/paraphrase", "/evaluate", "/api")
PATIENCE = 30_000  # milliseconds: the machine may be busy
SERIOUS = ("serious", "critical")


def faults(page: Page) -> list[str]:
    """The serious faults that axe finds."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not there")
    found = axe.Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found if one["impact"] in SERIOUS]


def fits(page: Page) -> bool:
    wide: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return wide <= 0


def compared(page: Page, a: str, b: str) -> None:
    page.get_by_label("First text").fill(a)
    page.get_by_label("Second text").fill(b)
    page.get_by_role("button", name="Compare").click()
    page.locator(".verdict h2").wait_for(timeout=PATIENCE)


def test_two_texts_are_compared_and_the_link_keeps_them(page: Page, browser: Browser) -> None:
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.goto("/")
    compared(page, "She sold 40 trucks & cars.", "She sold 25 trucks & cars.")
    assert page.locator("mark.w", has_text="40").count() == 1
    link = page.url
    assert "#a=She+sold+40+trucks+%26+cars." in link
    assert not [url for url in asked if "trucks" in url.partition("#")[0]]
    other = page.context.new_page()
    other.goto(link)
    other.locator(".verdict h2").wait_for(timeout=PATIENCE)
    assert other.get_by_label("First text").input_value() == "She sold 40 trucks & cars."


def test_marks_are_explained_to_pointer_and_keyboard(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="One detail differs").click()
    mark = page.locator("#result mark.w").first
    mark.wait_for(timeout=PATIENCE)
    tip = mark.locator(".tip")
    assert not tip.is_visible()
    mark.hover()
    tip.wait_for(state="visible")
    page.mouse.move(0, 0)
    tip.wait_for(state="hidden")
    mark.focus()
    tip.wait_for(state="visible")
    assert "does not say this" in tip.inner_text()
    described = mark.get_attribute("aria-describedby")
    assert page.locator(f"#{described}").count() == 1
    page.keyboard.press("Escape")
    tip.wait_for(state="hidden")


def test_the_keyboard_is_enough(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.get_by_label("First text").focus()
    page.keyboard.type("One.")
    page.keyboard.press("Tab")
    page.keyboard.type("Two.")
    page.keyboard.press("Control+Enter")
    page.locator(".verdict h2").wait_for(timeout=PATIENCE)
    page.wait_for_function("document.activeElement.matches('.verdict h2')")


def test_hostile_texts_are_shown_as_they_are(page: Page) -> None:
    text = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    page.goto("/")
    compared(page, text, f"{text} \u202e" + "w" * 10_000)
    assert "owned" not in page.title()
    assert page.locator("#result img, #result script").count() == 0
    assert fits(page)


def test_files_are_dropped_scored_and_downloaded(page: Page, tmp_path: Path) -> None:
    for name, text in (
        ("mine.txt", "A cat sat.\nIt rained.\n"),
        ("ref.txt", "The cat sat.\nRain.\n"),
    ):
        (tmp_path / name).write_text(text)
    page.goto("/score")
    page.locator("input[name=candidates]").set_input_files(tmp_path / "mine.txt")
    page.locator("input[name=references]").set_input_files(tmp_path / "ref.txt")
    assert page.locator(".drop.full").count() == 2
    page.get_by_role("button", name="Score", exact=True).click()
    page.locator(".outcome table").wait_for(timeout=PATIENCE)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="JSON").click()
    assert '"bleu"' in Path(waiting.value.path()).read_text()


def test_a_file_that_is_dropped_is_taken(page: Page) -> None:
    page.goto("/score")
    page.evaluate(
        """() => {
        const taken = new DataTransfer();
        taken.items.add(new File(["A cat.\\n"], "dropped.txt"));
        document.querySelector("label.drop").dispatchEvent(
            new DragEvent("drop", {dataTransfer: taken, bubbles: true, cancelable: true}));
        }"""
    )
    page.get_by_text("dropped.txt").wait_for()


def test_a_mistake_is_told_on_the_page(page: Page) -> None:
    page.goto("/score")
    page.get_by_role("button", name="Score", exact=True).click()
    page.get_by_role("alert").wait_for(timeout=PATIENCE)
    assert "at least one file" in page.get_by_role("alert").inner_text()
    assert page.get_by_role("button", name="Score", exact=True).is_enabled()


def test_long_work_shows_progress_and_can_be_cancelled(page: Page) -> None:
    page.goto("/paraphrase")
    lines = "\n".join(f"The train number {number} leaves at noon." for number in range(20))
    page.get_by_label("Texts, one a line").fill(lines)
    page.get_by_role("button", name="Paraphrase").click()
    page.locator("progress").wait_for(timeout=PATIENCE)
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("was cancelled").wait_for(timeout=PATIENCE)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("path", PAGES)
def test_pages_fit_and_can_be_read_by_everyone(
    browser: Browser,
    server: Callable[..., str],
    path: str,
    width: int,
    scheme: Literal["light", "dark"],
) -> None:
    context = browser.new_context(
        base_url=server(), viewport={"width": width, "height": 800}, color_scheme=scheme
    )
    page = context.new_page()
    try:
        page.goto(path)
        assert fits(page)
        assert faults(page) == []
        examples = page.get_by_role("button", name="Try the example")
        example = examples if examples.count() else page.get_by_role("button", name="One detail")
        if example.count():
            example.click()
            page.locator(".outcome, .verdict.no, .verdict.yes").first.wait_for(timeout=PATIENCE)
            assert fits(page)
            assert faults(page) == []
    finally:
        context.close()


def test_the_page_comes_before_the_models(page: Page) -> None:
    page.goto("/")
    assert page.get_by_role("heading", level=1).is_visible()
    page.get_by_text("Ready.").wait_for(timeout=PATIENCE)


def test_pages_work_without_scripts(browser: Browser, server: Callable[..., str]) -> None:
    context = browser.new_context(base_url=server(), java_script_enabled=False)
    page: Any = context.new_page()
    try:
        page.goto("/")
        compared(page, "One cat.", "Two cats.")
        assert page.locator("header.topbar").count() == 1
    finally:
        context.close()

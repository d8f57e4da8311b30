"""The palettes: every step readable, lightness in equal steps, nothing fetched."""

from __future__ import annotations

import itertools
import re

import pytest

from paraphrast.render.pages.style import COLD_STEPS, PAGE_CSS, PLOT_CSS, STEPS


def _variables(css: str) -> dict[str, str]:
    return dict(re.findall(r"--(\w+):(#[0-9a-f]{6});", css))


_light_css, _dark_css = PAGE_CSS.split("@media screen and (prefers-color-scheme:dark)", 1)
LIGHT = _variables(_light_css)
DARK = _variables(_dark_css.split("\n", 1)[0])


def _luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def _contrast(one: str, other: str) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_has_enough_contrast(theme: dict[str, str]) -> None:
    pairs = [(f"h{n}", f"i{n}") for n in range(STEPS)]
    pairs += [(f"m{n}", f"j{n}") for n in range(COLD_STEPS)]
    pairs += [("paper", ink) for ink in ("ink", "soft", "accent", *(f"s{n}" for n in range(8)))]
    pairs += [("wash", "ink")]
    low = {pair: _contrast(theme[pair[0]], theme[pair[1]]) for pair in pairs}
    assert {pair: ratio for pair, ratio in low.items() if ratio < 4.5} == {}


@pytest.mark.parametrize(("theme", "sign"), [(LIGHT, -1), (DARK, 1)], ids=["light", "dark"])
def test_more_is_further_from_the_paper(theme: dict[str, str], sign: int) -> None:
    for prefix, steps in (("h", STEPS), ("m", COLD_STEPS)):
        cube = [_luminance(theme[f"{prefix}{n}"]) ** (1 / 3) for n in range(steps)]
        assert all(sign * (b - a) > 0.02 for a, b in itertools.pairwise(cube))


def test_nothing_is_fetched_and_braces_match() -> None:
    css = PAGE_CSS + PLOT_CSS
    assert not re.search(r"url\(|@import|https?:|@font-face", css)
    assert css.count("{") == css.count("}")


def test_every_variable_is_defined() -> None:
    used = set(re.findall(r"var\(--(\w+)\)", PAGE_CSS + PLOT_CSS))
    defined = set(re.findall(r"--(\w+):", PAGE_CSS + PLOT_CSS))
    assert used <= defined

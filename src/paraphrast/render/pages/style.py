"""The look of the pages: a journal's supplementary sheet, in system fonts, light, dark and print.

The heat palettes are equal steps of lightness in OKLCH (light: L .965 to .40; dark: .275 to .86),
so a step looks as large at either end, and higher always stands out more from the paper. Each step
has its own ink, with a contrast of 4.5 or more.
"""

from __future__ import annotations

_HEAT_LIGHT = "#f3f5e6 #d2e2c7 #abd1b0 #7fbfa3 #4fab9e #17959b #007d96 #00638c #134a7a".split()
_HEAT_DARK = "#212834 #263c50 #235469 #1a6d7c #239492 #35a08e #5eb790 #8dcc92 #bcdf99".split()
_COLD_LIGHT = "#f7e4d4 #eeb188 #d87f51 #a85233".split()
_COLD_DARK = "#4a2d25 #81462c #c0743e #d99356".split()
_SERIES_LIGHT = "#1f5f8b #b3541e #2e7d4f #8a3f7d #8a6a00 #0f7c86 #a3324a #5a5f66".split()
_SERIES_DARK = "#7fb8e6 #f0a070 #7fcf9f #d79ad0 #d8bd5a #66c9d2 #f08a9d #b3b8bf".split()

STEPS = len(_HEAT_LIGHT)
COLD_STEPS = len(_COLD_LIGHT)


def _named(prefix: str, colours: list[str]) -> str:
    return "".join(f"--{prefix}{number}:{colour};" for number, colour in enumerate(colours))


def _inks(prefix: str, count: int, turn: int, before: str, after: str) -> str:
    """Name the ink of every step: it turns where the ground becomes too dark, or too light."""
    return _named(prefix, [before if number < turn else after for number in range(count)])


_PLOT_LIGHT = (
    "--ink:#1b1c1e;--soft:#5b5e63;--rule:#d9d6cd;--grid:#e6e3da;--accent:#1f5f8b;--mark:#b3541e;"
    "--paper:#fffefb;" + _named("s", _SERIES_LIGHT)
)
_PLOT_DARK = (
    "--ink:#e6e3dc;--soft:#a3a49f;--rule:#3d4147;--grid:#2b2f35;--accent:#7fb8e6;--mark:#f0a070;"
    "--paper:#16181b;" + _named("s", _SERIES_DARK)
)
_LIGHT = (
    "--wash:#f5f3ec;"
    + _named("h", _HEAT_LIGHT)
    + _inks("i", STEPS, 6, "#17191c", "#ffffff")
    + _named("m", _COLD_LIGHT)
    + _inks("j", COLD_STEPS, 3, "#17191c", "#ffffff")
)
_DARK = (
    "--wash:#1e2125;"
    + _named("h", _HEAT_DARK)
    + _inks("i", STEPS, 4, "#f4f2ec", "#0b0d0f")
    + _named("m", _COLD_DARK)
    + _inks("j", COLD_STEPS, 2, "#f4f2ec", "#0b0d0f")
)
_STEP_CSS = "".join(
    f".h{n}{{background:var(--h{n});color:var(--i{n})}}" for n in range(STEPS)
) + "".join(f".m{n}{{background:var(--m{n});color:var(--j{n})}}" for n in range(COLD_STEPS))
_SERIES_CSS = "".join(f".plot .s{n}{{--own:var(--s{n})}}" for n in range(len(_SERIES_LIGHT)))

# The dark colours are for screens only: paper is always light.
PLOT_CSS = f""".plot{{{_PLOT_LIGHT}}}
@media screen and (prefers-color-scheme:dark){{.plot{{{_PLOT_DARK}}}}}
{_SERIES_CSS}
.plot text{{font:10.5px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
font-variant-numeric:tabular-nums;fill:var(--soft)}}
.plot .name{{font-style:italic}}
.plot .grid{{stroke:var(--grid);stroke-width:1}}
.plot .axis{{stroke:var(--soft);stroke-width:1}}
.bar *{{vector-effect:non-scaling-stroke;stroke-linecap:round}}
.plot .ci{{stroke:var(--accent);stroke-width:5;stroke-opacity:.34;stroke-linecap:butt}}
.plot .dot{{stroke:var(--accent);stroke-width:7}}
.plot .ring{{stroke:var(--mark);stroke-width:12}}
.plot .hole{{stroke:var(--paper);stroke-width:9.2}}
.plot .cloud{{fill:none;stroke:var(--accent);stroke-width:3;stroke-linecap:round;stroke-opacity:.3}}
.plot .few{{stroke-width:4.4;stroke-opacity:.55}}
.plot .fit{{stroke:var(--mark);stroke-width:2;stroke-linecap:round}}
.plot .group{{stroke:var(--ink);stroke-width:.8;stroke-opacity:.5}}
.plot .series{{fill:none;stroke:var(--own);stroke-width:1.8;stroke-linejoin:round}}
.plot .again{{stroke-dasharray:5 3}}
.plot .marks{{fill:none;stroke:var(--own);stroke-width:5.5;stroke-linecap:round;stroke-dasharray:0}}
.plot .band{{fill:var(--own);fill-opacity:.13}}
.plot .leader{{stroke:var(--own);stroke-width:.8;stroke-opacity:.7}}
.plot .label{{fill:var(--own);font-size:12px;font-weight:600}}
"""

PAGE_CSS = f""":root{{color-scheme:light dark;{_PLOT_LIGHT}{_LIGHT}
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
--serif:"Iowan Old Style","Palatino Linotype",Palatino,Charter,"Bitstream Charter",Georgia,
"Liberation Serif",serif;
--mono:ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace}}
@media screen and (prefers-color-scheme:dark){{:root{{{_PLOT_DARK}{_DARK}}}}}
{_STEP_CSS}
*{{box-sizing:border-box}}
html{{-webkit-text-size-adjust:100%;text-size-adjust:100%}}
body{{margin:0;background:var(--paper);color:var(--ink);font:1.0625rem/1.55 var(--serif);
counter-reset:tab fig;overflow-wrap:break-word}}
main{{max-width:66rem;margin:0 auto;padding:3rem 2rem 5rem}}
h1,h2,h3{{line-height:1.2;font-weight:600;text-wrap:balance;margin:0}}
h1{{font-size:2.1rem;letter-spacing:-.01em}}
h2{{font-size:1.45rem;margin:4rem 0 .4rem;padding-top:1.1rem;border-top:1px solid var(--ink)}}
h3{{font-size:1.05rem;margin:2rem 0 .3rem}}
p,ul.notes,dl,nav{{max-width:42rem}}
p{{margin:.5rem 0}}
a{{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:.15em}}
:focus-visible{{outline:2px solid var(--accent);outline-offset:2px}}
code,pre{{font-family:var(--mono);font-size:.8rem}}
header pre{{margin:.8rem 0 0;padding:.6rem .8rem;background:var(--wash);white-space:pre-wrap;
overflow-wrap:anywhere;line-height:1.5;border-left:3px solid var(--rule)}}
.about::first-letter{{text-transform:uppercase}}
.made,.about{{color:var(--soft);font-style:italic}}
ul.notes{{margin:.8rem 0;padding-left:1.1rem;font-size:.95rem;color:var(--soft)}}
nav ol{{margin:.3rem 0 0;padding-left:1.4rem}}
nav{{margin-top:1.8rem}}
.terms{{margin:1rem 0;padding:0;list-style:none;max-width:42rem;font-size:.95rem}}
.terms li{{margin:.3rem 0;padding-left:1.1rem;text-indent:-1.1rem}}
.terms b{{font-weight:600;font-style:italic}}
figure{{margin:1.8rem 0 0}}
figcaption{{font:.875rem/1.45 var(--sans);max-width:46rem;margin:0 0 .6rem}}
figure.tab>figcaption{{counter-increment:tab}}
figure.fig>figcaption{{counter-increment:fig}}
figure.tab>figcaption::before{{content:"Table " counter(tab) ". ";font-weight:700}}
figure.fig>figcaption::before{{content:"Figure " counter(fig) ". ";font-weight:700}}
.scroll{{overflow-x:auto;max-width:100%}}
table{{border-collapse:collapse;font:.875rem/1.35 var(--sans);
font-variant-numeric:tabular-nums lining-nums;border-block:1.5px solid var(--ink)}}
th,td{{padding:.32rem .7rem;text-align:start;vertical-align:middle}}
thead th{{font-weight:600;vertical-align:bottom;border-bottom:1px solid var(--ink)}}
tbody th{{font-weight:400}}
th small{{display:block;font-weight:400;color:var(--soft);font-size:.88em}}
.num{{text-align:end;white-space:nowrap}}
.who{{position:sticky;inset-inline-start:0;background:var(--paper);z-index:1;white-space:nowrap}}
.who.long{{white-space:normal;min-width:9rem;max-width:16rem;overflow-wrap:anywhere}}
.ci,.diff{{color:var(--soft)}}
.value .ci{{display:inline-block;min-width:16ch;margin-inline-start:.4rem;font-weight:400;
text-align:start}}
.why{{color:var(--soft);font-style:italic;white-space:normal;text-align:start;max-width:16rem}}
table.ranked tbody+tbody{{border-top:1px solid var(--rule)}}
table.ranked .cluster{{text-align:center;color:var(--soft);font-weight:600;padding-inline:.6rem}}
table.ranked tbody .cluster{{box-shadow:inset -3px 0 var(--accent);vertical-align:top}}
table.ranked tbody:nth-of-type(even) .cluster{{box-shadow:inset -3px 0 var(--rule)}}
table.clustered tbody:first-of-type .value{{font-weight:600}}
table.ranked{{width:100%;max-width:56rem}}
.drawn{{position:relative;padding:0;width:45%;min-width:6.5rem}}
thead .drawn{{border-bottom:1px solid var(--ink)}}
.ticks span{{position:absolute;bottom:.3rem;transform:translateX(-50%);font-size:.86em;
color:var(--soft)}}
.heat td,.tests td{{text-align:center;padding:.34rem .55rem;
box-shadow:inset 0 0 0 .5px var(--paper);print-color-adjust:exact;-webkit-print-color-adjust:exact}}
.heat thead th{{text-align:center}}
.heat,.tests{{width:max-content}}
.heat .who,.tests .who,.ranked:not(.clustered) .who{{padding-inline-start:0}}
.heat thead th.who,.tests thead th.who{{text-align:start}}
.heat .best{{font-weight:700;text-decoration:underline;text-decoration-thickness:1px;
text-underline-offset:.2em}}
.heat .all{{font-weight:600}}
.tests td{{padding:.3rem .35rem;min-width:2.9rem;font-size:.8rem}}
.tests thead th{{text-align:center;padding:.5rem .2rem .4rem}}
.tests thead th span{{writing-mode:vertical-rl;transform:rotate(180deg);max-height:9rem;
overflow-wrap:anywhere;text-align:start}}
.none{{color:var(--soft)}}
.key{{display:flex;flex-wrap:wrap;gap:.3rem .9rem;align-items:center;margin:.6rem 0 0;
font:.8rem/1.3 var(--sans);color:var(--soft);font-variant-numeric:tabular-nums}}
.key i{{display:inline-block;width:1.5rem;height:.8rem;vertical-align:-.08rem;
print-color-adjust:exact;-webkit-print-color-adjust:exact}}
.key i.box{{margin-inline-end:.35rem;width:1.1rem}}
.key.narrow{{display:none}}
.key .blank{{box-shadow:inset 0 0 0 1px var(--rule)}}
.key .strip{{display:inline-flex;align-items:center;gap:.45rem}}
.key .strip span{{display:inline-flex}}
.key i.cold{{width:3.375rem}}
.plots{{display:grid;grid-template-columns:repeat(auto-fill,minmax(13.5rem,1fr));gap:1.2rem 1.4rem;
align-items:end}}
.plots>div{{break-inside:avoid;min-width:0}}
.plots h3{{display:flex;gap:.6rem;justify-content:space-between;margin:0 0 .1rem;
font:600 .85rem/1.3 var(--sans);font-variant-numeric:tabular-nums;overflow-wrap:anywhere}}
.plots h3 span{{font-weight:400;color:var(--soft);white-space:nowrap}}
svg.plot{{display:block;width:100%;height:auto;overflow:visible}}
svg.plot.bar{{position:absolute;inset:0;height:100%}}
svg.curve{{min-width:30rem;max-width:46rem}}
details{{margin-top:1.4rem}}
summary{{cursor:pointer;font:600 .9rem/1.4 var(--sans);width:fit-content}}
details figure{{margin-top:.6rem}}
.signatures{{margin:.6rem 0 0;font-size:.85rem;max-width:none}}
.signatures dt{{font:600 .85rem/1.4 var(--sans)}}
.signatures dd{{margin:0 0 .5rem;overflow-wrap:anywhere}}
@media (max-width:40rem){{
main{{padding:1.6rem 1rem 3rem}}
body{{font-size:1rem}}
h1{{font-size:1.6rem}}h2{{font-size:1.25rem;margin-top:3rem}}
table{{font-size:.8125rem}}
th,td{{padding:.3rem .4rem}}
.value .ci,.diff{{display:block;min-width:0;margin:0;font-size:.72rem;text-align:end}}
.drawn{{min-width:4rem;width:30%}}
.ticks span:nth-child(even){{display:none}}
.ranked thead th,.ticks span{{font-size:.72rem}}
.ranked .who{{white-space:normal}}
.key.narrow{{display:flex}}
table.ranked .cluster{{padding-inline:.25rem .45rem}}
.plots{{grid-template-columns:repeat(2,minmax(0,1fr));gap:1rem .8rem}}
.plots .plot text{{font-size:13px}}
.key .strip i{{width:.7rem}}.key .strip i.cold{{width:1.575rem}}
}}
@page{{margin:16mm 14mm}}
@media print{{
:root{{color-scheme:light;--paper:#fff}}
body{{font-size:9.5pt}}
main{{max-width:none;padding:0}}
h1{{font-size:18pt}}h2{{font-size:13pt;margin-top:18pt}}
h2,h3,figcaption,summary,.about{{break-after:avoid}}
figcaption,summary,.plots h3{{font-size:8.5pt}}
.key{{font-size:7.5pt}}.notes,.terms{{font-size:9pt}}
.scroll{{overflow:visible}}
.who{{position:static}}
tr,.key,.terms li,svg.plot{{break-inside:avoid}}
figure.tab,section.head{{break-inside:avoid}}
figure.tab.long{{break-inside:auto}}
table{{font-size:8pt}}
th,td{{padding:2pt 5pt}}
.wide table{{font-size:6pt}}.wide th,.wide td{{padding:1.5pt 2pt;min-width:0}}
.vast table{{font-size:4.4pt}}.vast th,.vast td{{padding:1pt .6pt;min-width:0}}
.vast .who,.wide .who{{min-width:0;max-width:60pt;white-space:normal}}
.bare td,.bare thead th{{font-size:0;padding:4pt 0}}.bare tbody th{{font-size:5pt;padding:0}}
.tests td{{font-size:inherit;min-width:0}}
.heat,.tests{{width:auto;max-width:100%}}
.plots{{grid-template-columns:repeat(4,1fr);gap:8pt}}
a{{color:inherit;text-decoration:none}}
summary{{list-style:none}}summary::-webkit-details-marker{{display:none}}
details::details-content{{content-visibility:visible;block-size:auto}}
}}
"""

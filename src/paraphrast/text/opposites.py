"""English words that turn a statement round when one takes the place of the other."""

from __future__ import annotations

_PAIRS = """
accept accepts accepted accepting / reject rejects rejected rejecting
above / below
after afterwards / before
agree agrees agreed / refuse refuses refused disagree disagreed
allow allows allowed permit permits permitted / ban bans banned forbid forbids prohibit prohibited
always / never
arrive arrived / leave left depart departed
asked / answered
begin begins began begun start starts started continue continues continued
 / end ends ended stop stops stopped halt halts halted finish finished conclude
 concludes concluded
best / worst
better / worse
bigger larger / smaller
buy buys bought buying purchase purchased / sell sells sold selling
cheap / expensive costly
city / village
open opens opened opening / close closes closed closing
cold / hot
create creates created hire hires hired / cut cuts eliminate eliminated
day / night
dead died die dies / alive lived lives
deny denies denied / admit admits admitted confirm confirms confirmed
earlier / later
early / late
east eastern / west western
easy / difficult hard
enter entered / exit exited
everyone / nobody
father / mother
female woman women / male man men
few / many
first / last
found / lost
good / bad
guilty / innocent
happy / sad
hate / love
high / low
higher / lower
husband / wife
if / unless
include includes included including / exclude excludes excluded excluding
inside / outside
lead leads led leading / follow follows followed following
legal lawful / illegal unlawful
more / less fewer
long / short
maximum / minimum
morning / evening
rarely seldom occasionally sometimes / often frequently usually regularly constantly
most / least
near / far
new / old
north northern / south southern
old older / young younger
over / under
public / private
raise raises raised / lower lowers lowered
rich / poor
rise rises rose risen rising increase increases increased increasing gain gains gained climb climbed
 / fall falls fell fallen falling decrease decreases decreased decline declines declined drop drops
 dropped
son / daughter
strong / weak
success / failure
succeed succeeded / fail fails failed
summer / winter
support supports supported / oppose opposes opposed
true / false
up / down
victory / defeat
win wins won winner / lose loses lost loser
with / without
"""
GROUPS: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (frozenset(one.split()), frozenset(other.split()))
    for one, other in (line.split("/") for line in _PAIRS.replace("\n ", " ").strip().split("\n"))
)
"""Words that mean much the same, and those that mean the opposite."""

"""Small words that change the sense."""

from __future__ import annotations

import pytest

from paraphrast.generation.selection.changed import changed
from paraphrast.generation.selection.screening import screen
from tests.generation.made import drawn

NO_LONGER = "'monday' no longer tells when it was said"
CHANGES = [
    ("It would cut 1,200 jobs.", "It would create 1,200 jobs.", "'cut' became 'create'"),
    ("It would cut 1,200 jobs.", "It would cut to 1,200 jobs.", "1200 became 'to' 1200"),
    ("It cut 1,200 jobs.", "It cut over 1,200 jobs.", "1200 became 'more than' 1200"),
    ("It would cut jobs.", "It might cut jobs.", "a hedge is new: 'might'"),
    ("Three men fell in two raids.", "Four men fell in two raids.", "the number '3' is gone"),
    ("Three men fell in two raids.", "Two men fell in three raids.", "2 raids became 2 men"),
    ("They left before dawn.", "They left after dawn.", "'before' became 'after'"),
    ("It pays if rates fall.", "It pays unless rates fall.", "'if' became 'unless'"),
    ("Shares will rise.", "Shares will drop.", "'rise' became 'drop'"),
    ("It went from 10 to 20.", "It went from 20 to 10.", "'from' 10 became 'to' 10"),
    ("3 cats and 5 dogs ran.", "5 cats and 3 dogs ran.", "3 cats became 3 dogs"),
    ("It rose 5%.", "It rose 5 cents.", "5 percent became 5 cent"),
    ("It cost 5 million.", "It cost 5.", "5 million became 5"),
    ("He left.", "He did not leave.", "a denial is new: 'not'"),
    ("He didn't go.", "He went.", 'a denial is gone: "didn\'t"'),
    ("Ann said it rained.", "It rained.", "speech is gone: 'said'"),
    ("It rained.", "It rained, officials said.", "speech is new: 'said'"),
    ("Their word counts.", "Our word counts.", "the first person is new: 'our'"),
    ("Ann saw the doctor.", "Ann saw the doctor of his.", "a man is new: 'his'"),
    ("He waited 14 days.", "He waited 14 days, a 14-day wait.", "'14' is said again"),
    ("He sometimes won.", "He often won.", "'sometimes' became 'often'"),
    ("It came on Monday.", "On Monday it came on Monday.", "'monday' is said again"),
    (
        "They wake by day and sleep at night.",
        "They wake by day and at night.",
        "'sleep' is gone, and nothing stands for it",
    ),
    (
        "States that agreed: Finland, Norway and Sweden.",
        "States that agreed: Norway and Sweden.",
        "'finland' is gone, and nothing stands for it",
    ),
    (
        "Police held two men who had broken into the museum.",
        "Two men were held by police in the museum.",
        "'broken' is gone, and nothing stands for it",
    ),
    (
        "He came out of a pool of 14.",
        "He came out of a 14-gun pool.",
        "'gun' is new, and stands for nothing",
    ),
    ("He pleaded not guilty.", "He did not plead guilty.", "'not guilty' became 'not plead'"),
    (
        "They can't appeal until after the trial.",
        "After the trial, they can't appeal.",
        "a limit is gone: 'until'",
    ),
    (
        "Ann says she was paid to tell her tale.",
        "Ann says it was paid to tell her tale.",
        "'she' became 'it'",
    ),
    (
        "They will conclude play on May 9.",
        "They will begin play on May 9.",
        "'conclude' became 'begin'",
    ),
    (
        "The index rose to 50.7, a record.",
        "The index rose to 50.7 percent, a record.",
        "50.7 became 50.7 percent",
    ),
    ("Hundreds died.", "Dozens died.", "the number 'dozens' is new"),
    ("The dog ran home.", "The dog runs home.", "'ran' became 'runs'"),
    ("He works and tries hard.", "He worked and tried hard.", "'works' became 'worked'"),
    ("It stopped.", "It stops.", "'stopped' became 'stops'"),
    ("They were late.", "They are late.", "'were' became 'are'"),
    ("She tries.", "She tried.", "'tries' became 'tried'"),
    ("He said on Monday that it shut.", "It shut on Monday, he said.", NO_LONGER),
    (
        "He told CNN late Monday it shut.",
        "It shut late Monday, he told CNN.",
        NO_LONGER,
    ),
    (
        "A month ago, the firm estimated that GDP had grown.",
        "GDP grew a month ago, the firm estimated.",
        "'ago' no longer tells when it was said",
    ),
    (
        "He said he would formally name the head of the union on Monday.",
        "He said Monday that he would formally announce the union.",
        "'monday' now tells when it was said",
    ),
    ("On Monday, the firm said it shut.", "The firm said that on Monday it shut.", NO_LONGER),
    ("The firm on Monday said it shut.", "The firm said it shut on Monday.", NO_LONGER),
    (
        "He said it would shut next week.",
        "He said next week it would shut.",
        "'week' now tells when it was said",
    ),
]
KEPT = [
    ("It rose to 25 cents from 12 cents.", "It rose from 12 cents to 25 cents."),
    ("More than 20 people died.", "Over 20 people died."),
    ("About 1,500 police came.", "Around 1,500 police came."),
    ("Profit fell 5 percent to $20 million.", "Profit dropped 5% to $20 million."),
    ("Two people were hurt.", "2 people were hurt."),
    ("It may rain.", "It could rain."),
    ("He isn't here.", "He is not here."),
    ("Ann said it rained.", "According to Ann, it rained."),
    ('"Our word counts," said Ann.', "Ann said that their word counts."),
    ("He died on 19 December 1981.", "He died on December 19, 1981."),
    ("The sun rose and fell.", "The sun fell and rose."),
    ("Ann said it was late.", "It is late, Ann said."),
    ("He could not immediately be reached.", "He could not be reached immediately."),
    ("He isn't a bad man.", "He is not a bad man."),
    ("It stays shut until Monday.", "It stays shut till Monday."),
    ("Another told the court it shut.", "A second testified in court it shut."),
    ("Thanks to all who came to do stuff.", "Thanks to everyone who came to do things."),
    ("Both men left the large house.", "The men left the big house."),
    ("He decided to leave.", "He made the decision to leave."),
    ("The U.S. firm's head is happy.", "The head of the US firm is happy."),
    ("It planned to shut.", "It had plans to shut."),
    ("The dog bit the man.", "The man was bitten by the dog."),
    ("He was ill and is well.", "He is well and was ill."),
    ("He said on Monday that it shut.", "It shut, he said on Monday."),
    ("He said Monday that it shut.", "On Monday, he said that it shut."),
    ("The firm said Monday it shut.", "The firm on Monday said it shut."),
    ("It shut on Monday, he said.", "He said that it shut on Monday."),
    ("It shut on Monday, he said.", "He said it shut Monday."),
    ("He said Monday's vote was fair.", "Monday's vote was fair, he said."),
    ("The rate, it said Friday, fell.", "It said Friday that the rate fell."),
    ("", "")
]  # fmt: skip


@pytest.mark.parametrize(("source", "text", "said"), CHANGES)
def test_what_changes_the_sense_is_named(source: str, text: str, said: str) -> None:
    assert changed(source, text) == said


@pytest.mark.parametrize(("source", "text"), KEPT)
def test_what_says_the_same_passes(source: str, text: str) -> None:
    assert changed(source, text) is None
    assert changed(source, source) is None


def test_what_is_meant_to_be_shorter_may_leave_words_out() -> None:
    source, text = "They eat and sleep at home.", "They eat at home."
    assert changed(source, text, shorter=True) is None
    assert changed(text, source, shorter=True) == "'sleep' is new, and stands for nothing"
    (refusal,) = screen(source, [drawn(text)], protect=True)
    assert refusal is not None
    assert screen(source, [drawn(text)], protect=True, shorter=True) == [None]


def test_a_change_is_a_reason_unless_nothing_is_protected() -> None:
    found = [drawn("They left after dawn.")]
    (refusal,) = screen("They left before dawn.", found, protect=True)
    assert refusal is not None
    assert refusal.reason == "changed: 'before' became 'after'"
    assert screen("They left before dawn.", found, protect=False) == [None]

"""Every check, and those that may overrule an encoder."""

from __future__ import annotations

from paraphrast.meaning.checks.check import Check
from paraphrast.meaning.checks.name_check import NameCheck
from paraphrast.meaning.checks.negation_check import NegationCheck
from paraphrast.meaning.checks.number_check import NumberCheck
from paraphrast.meaning.checks.verbatim_check import VerbatimCheck

EVIDENCE: tuple[Check, ...] = (NumberCheck(), NameCheck(), VerbatimCheck(), NegationCheck())

# A check may veto if the 95 % interval of its measured precision lies above .95 (make checks).
# None has been seen to refuse often enough for that.
CHECKS: tuple[Check, ...] = ()

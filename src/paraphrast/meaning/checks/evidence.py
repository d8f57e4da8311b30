"""Every check, and those that may overrule an encoder."""

from __future__ import annotations

from paraphrast.meaning.checks.check import Check
from paraphrast.meaning.checks.name_check import NameCheck
from paraphrast.meaning.checks.negation_check import NegationCheck
from paraphrast.meaning.checks.number_check import NumberCheck
from paraphrast.meaning.checks.verbatim_check import VerbatimCheck

EVIDENCE: tuple[Check, ...] = (NumberCheck(), NameCheck(), VerbatimCheck(), NegationCheck())

# A check may veto if its measured precision is .95 or more (make checks).
CHECKS: tuple[Check, ...] = (NumberCheck(),)

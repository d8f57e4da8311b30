"""What the store refuses, and why: every message tells the person what to do next."""

from __future__ import annotations

from paraphrast.errors import InputError, ParaphrastError


class AnnotationRefused(ParaphrastError):
    """The store did not do what was asked; what was recorded before is as it was."""


class NotAllowed(AnnotationRefused):
    """The account may not do or see this."""


class LoginRefused(AnnotationRefused):
    """A name, a password or a session is not valid, or there were too many attempts."""


class StaleAnswer(AnnotationRefused):
    """The item was changed elsewhere, such as in another tab, since it was opened."""


class LeaseLost(AnnotationRefused):
    """The time for an item ran out and the item went to another annotator."""


class GuidelineChanged(AnnotationRefused):
    """The guidelines changed since the item was opened."""


class PairChanged(AnnotationRefused):
    """The texts of the item changed since it was opened."""


class AnswerLocked(AnnotationRefused):
    """The answer can no longer change: it was decided upon, or its author has seen others'."""


class StoreUnavailable(AnnotationRefused):
    """The database cannot be reached, is full or is damaged; nothing of this request was kept."""


class BadAnswer(AnnotationRefused, InputError):
    """The answer does not fit the task or the texts."""

"""Study decoding: the function behind `paraphrast.decoding_study` and `study decoding`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, cast

from paraphrast.options import takes_options
from paraphrast.studies.decoding.decoding_report import DecodingStudy
from paraphrast.studies.decoding.decoding_settings import StudyOptions
from paraphrast.studies.decoding.decoding_study import run_decoding_study

P = ParamSpec("P")


class StudyFunction(Protocol[P]):
    """The type of `decoding_study`: a file, then the fields of `StudyOptions` as keywords."""

    def __call__(self, file: str, *args: P.args, **options: P.kwargs) -> DecodingStudy: ...


def _study_keywords(
    kind: Callable[P, StudyOptions],
) -> Callable[[Callable[..., DecodingStudy]], StudyFunction[P]]:
    """Give the function the options as keywords, for type checkers as for `help()`."""
    return cast("Any", takes_options(cast("type[StudyOptions]", kind)))  # type: ignore[no-any-return]


@_study_keywords(StudyOptions)
def decoding_study(file: str, *, options: StudyOptions) -> DecodingStudy:
    """Paraphrase every source of a corpus with every setting, and measure the outputs.

    These are the ROUGE-P paper's tables 2, 3 and 5. The row of the references, "human", is always
    there. With a folder `work`, a study that was stopped goes on.

    file: Pairs of a source and a person's paraphrase: JSONL, TSV, CSV or Parquet, also .gz.
    """
    return run_decoding_study(file, options)

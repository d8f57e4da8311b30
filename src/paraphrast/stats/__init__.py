"""Statistics on arrays: resampling, correlation, significance, agreement. They know no data."""

from paraphrast.stats.agreement import cohen_kappa, krippendorff_alpha
from paraphrast.stats.bootstrap import Bootstrap, bootstrap_correlations
from paraphrast.stats.correlation import correlate, kendall_b, kendall_c, pearson, spearman
from paraphrast.stats.kernels import Statistic
from paraphrast.stats.pairwise import (
    TieCalibration,
    darr_pairs,
    darr_tau,
    one_sided_p,
    pairwise_accuracy,
    soft_pairwise_accuracy,
    tie_calibrated_accuracy,
)
from paraphrast.stats.resampling import (
    bootstrap_p,
    bootstrap_sums,
    exchange_p,
    exchange_sums,
    holm,
    interval,
    normal_p,
)
from paraphrast.stats.significance import UndefinedTest, Williams, permutation_p, williams
from paraphrast.stats.student import student_p

__all__ = [
    "Bootstrap",
    "Statistic",
    "TieCalibration",
    "UndefinedTest",
    "Williams",
    "bootstrap_correlations",
    "bootstrap_p",
    "bootstrap_sums",
    "cohen_kappa",
    "correlate",
    "darr_pairs",
    "darr_tau",
    "exchange_p",
    "exchange_sums",
    "holm",
    "interval",
    "kendall_b",
    "kendall_c",
    "krippendorff_alpha",
    "normal_p",
    "one_sided_p",
    "pairwise_accuracy",
    "pearson",
    "permutation_p",
    "soft_pairwise_accuracy",
    "spearman",
    "student_p",
    "tie_calibrated_accuracy",
    "williams",
]

from paraphrast.stats.resampling import (
    bootstrap_sums,
    interval,
    bootstrap_p,
    exchange_sums,
    exchange_p,
    holm,
)

"""A best response to the champion."""

from ..shared.claim import Claim

CLAIM = Claim(
    text="ten minutes of training against the champion find nothing to exploit",
    command=(
        "python -m experiments.best_response --against champion --preset two-cores --minutes 10 --every 120 --out "
        "experiments/results/best_response_champion"
    ),
    expected="-23 ± 2 (one core; of the float32 weights, which `champion` rounds)",
    minutes=12,
)

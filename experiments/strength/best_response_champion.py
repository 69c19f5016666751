"""A best response to the champion."""

from ..shared.claim import Claim

CLAIM = Claim(
    text="ten minutes of training against the champion find nothing to exploit",
    command=(
        "python -m experiments.best_response --against champion --preset two-cores --minutes 10 --every 120 --out "
        "experiments/results/best_response_champion"
    ),
    expected="-39 ± 2 (one core, shared with other work)",
    minutes=12,
    result="best_response_champion/results.json",
)

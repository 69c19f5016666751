"""Cross-play of bots."""

from ..shared.claim import Claim

CLAIM = Claim(
    text=(
        "bots of different kinds make good partners: a mixed team loses nothing against the mean of the two "
        "unmixed teams"
    ),
    command=(
        'python -m experiments.cross_play --policies "greedy,deepest,expert" --against "deepest,expert" --pairs '
        "10000 --seed 3 --out experiments/results/cross_play_bots"
    ),
    expected="gap below 0 (the gap is what mixed teams lose)",
    minutes=1,
    result="cross_play_bots/table.md",
)

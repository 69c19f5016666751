"""The bot ladder."""

from ..shared.claim import Claim

CLAIM = Claim(
    text=(
        "each bot of the ladder is stronger than the one before; search is stronger than all bots, and stronger "
        "with more worlds"
    ),
    command=(
        "python -m experiments.tournament --seed 1 --pairs 20000 --out experiments/results/ladder --policies "
        '"random,greedy,deepest,expert,search(deepest, worlds=10),search(deepest, worlds=40),search(deepest, '
        'worlds=160)" --cap "search(deepest, worlds=10)=2000" --cap "search(deepest, worlds=40)=1000" --cap '
        '"search(deepest, worlds=160)=400"'
    ),
    expected="greedy v random +119 ± 1, deepest v greedy +35 ± 1, expert v deepest +49 ± 1",
    minutes=60,
    result="ladder/table.md",
    page="docs/evaluation.md",
)

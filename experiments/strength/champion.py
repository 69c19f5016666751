"""The bundled champion."""

from ..shared.claim import Claim

CLAIM = Claim(
    text="an hour of training on one core makes a player that beats every bot, and search in ten worlds",
    command=(
        "make champion SEED=2\n"
        'python -m experiments.tournament --policies "champion,expert,deepest,greedy,random,search(deepest, '
        'worlds=10)" --pairs 4000 --cap "search(deepest, worlds=10)=1000" --seed 5 --out '
        "experiments/results/champion"
    ),
    expected="expert +32 ± 2, deepest +53 ± 3, search +41 ± 5 (one seed)",
    minutes=65,
    result="champion/table.md",
    page="persian_rummy_env/players/weights/README.md",
)

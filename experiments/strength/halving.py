"""Sequential halving against plain search."""

from ..shared.claim import Claim

CLAIM = Claim(
    text=(
        "sequential halving, and playouts by `expert`, get more out of the same number of playouts than plain search"
    ),
    command=(
        'python -m experiments.tournament --policies "search(expert, worlds=40),search(deepest, '
        'worlds=40),search(deepest, worlds=40, method=flat)" --pairs 2000 --cap "search(expert, worlds=40)=600" '
        "--seed 2 --out experiments/results/halving"
    ),
    expected="halving +5 ± 4, with `expert` playouts +17 ± 8",
    minutes=12,
    result="halving/table.md",
)

"""Search with playouts by the champion, over wide candidates."""

from ..shared.claim import Claim

CLAIM = Claim(
    text="playouts by the champion make search stronger than the champion itself",
    command=(
        'python -m experiments.tournament --policies "champion,search(champion, worlds=60, method=flat, '
        "prior=champion, min_prior=0.0001, candidates=10),search(expert, worlds=60, method=flat, prior=champion, "
        'min_prior=0.0001, candidates=10)" --pairs 100 --seed 14 --out experiments/results/champion_playouts'
    ),
    expected="+74 ± 13 against the champion, +21 ± 15 against the same search with playouts by `expert`",
    minutes=24,
    result="champion_playouts/table.md",
)

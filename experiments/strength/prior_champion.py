"""Search with the champion as prior."""

from ..shared.claim import Claim

CLAIM = Claim(
    text=(
        "the bundled champion as prior makes search stronger than search without a prior, and than the champion itself"
    ),
    command=(
        'python -m experiments.tournament --policies "search(deepest, worlds=40, method=flat, '
        'prior=champion),search(deepest, worlds=40),champion" --pairs 400 --seed 12 --out '
        "experiments/results/prior_champion"
    ),
    expected="against halving without a prior +27 ± 8, against the champion +22 ± 7",
    minutes=3,
    result="prior_champion/table.md",
)

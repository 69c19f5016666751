"""Search with the expert as prior, by the number of worlds."""

from ..shared.claim import Claim

CLAIM = Claim(
    text="with the expert's weights as prior, search in ten worlds already beats the expert",
    command=(
        'python -m experiments.tournament --policies "search(deepest, worlds=10, prior=expert),search(deepest, '
        'worlds=40, prior=expert),search(deepest, worlds=160, prior=expert),deepest,expert" --pairs 500 --cap '
        '"search(deepest, worlds=160, prior=expert)=250" --seed 13 --out experiments/results/prior_ladder'
    ),
    expected="against expert +22 ± 7, +30 ± 7, +43 ± 10; against deepest +63 ± 8, +67 ± 9, +76 ± 12",
    minutes=5,
    result="prior_ladder/table.md",
)

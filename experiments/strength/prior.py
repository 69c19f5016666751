"""Search with a prior."""

from ..shared.claim import Claim

CLAIM = Claim(
    text=(
        "a prior makes search stronger at the same number of playouts: the expert's weights do, and the champion "
        "(of commit `c3f6e15`) does more"
    ),
    command=(
        'python -m experiments.tournament --policies "search(deepest, worlds=40, prior=expert),search(deepest, '
        "worlds=40, method=flat, prior=champion),search(deepest, worlds=40),search(deepest, worlds=40, "
        'method=flat),champion" --pairs 500 --cap "search(deepest, worlds=40, method=flat)=200" --seed 12 --out '
        "experiments/results/prior"
    ),
    expected=(
        "against halving without a prior: the expert's weights +21 ± 7, the champion +32 ± 8; against the champion "
        "itself +29 ± 6"
    ),
    minutes=10,
    result="prior/table.md",
)

"""Ten minutes of self-play, by seed."""

from ..shared.claim import Claim

CLAIM = Claim(
    text="ten minutes of training on one core beat every bot with each of three seeds",
    command=(
        "python -m train.selfplay --preset two-cores --minutes 10 --threads 1 --seed 1 --eval.final-pairs 4096 --out "
        "runs/m10-1\n"
        "python -m train.selfplay --preset two-cores --minutes 10 --threads 1 --seed 2 --eval.final-pairs 4096 --out "
        "runs/m10-2\n"
        "python -m train.selfplay --preset two-cores --minutes 10 --threads 1 --seed 3 --eval.final-pairs 4096 --out "
        "runs/m10-3"
    ),
    expected="expert +10, +8, +12 ± 2; deepest +39, +36, +40 ± 3",
    minutes=33,
    page="docs/notes/training.md",
)

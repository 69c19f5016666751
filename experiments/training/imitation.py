"""A minute of imitation, by seed."""

from ..shared.claim import Claim

CLAIM = Claim(
    text="a minute of imitation comes within about three points of the expert",
    command=(
        "python -m train.imitate --minutes 1 --threads 2 --seed 1 --eval.final-pairs 4096 --out runs/i60-1\n"
        "python -m train.imitate --minutes 1 --threads 2 --seed 2 --eval.final-pairs 4096 --out runs/i60-2\n"
        "python -m train.imitate --minutes 1 --threads 2 --seed 3 --eval.final-pairs 4096 --out runs/i60-3"
    ),
    expected="expert -2.9 ± 2.1, -0.4 ± 2.1, -2.0 ± 2.1",
    minutes=6,
    page="docs/notes/training.md",
)

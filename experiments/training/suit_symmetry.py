"""Self-distillation over the orders of the suits."""

from ..shared.claim import Claim

CLAIM = Claim(
    text=(
        "a player of self-play depends on the names of the suits; distilling it over all orders of the suits makes "
        "it stronger"
    ),
    command=(
        "python -m train.selfplay --preset two-cores --minutes 10 --threads 1 --seed 1 --out runs/m10-1\n"
        "python -m train.selfplay --preset two-cores --taught 0 --start runs/m10-1/policy.safetensors --sharpen 1 "
        "--settled 1 --minutes 1 --threads 1 --final-pairs 4096 --out runs/settled"
    ),
    expected="after 10 minutes of self-play +1 ± 2, after 60 about +5",
    minutes=13,
    page="docs/notes/training.md",
)

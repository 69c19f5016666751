"""Self-distillation over the orders of the suits."""

from ..shared.claim import Claim

CLAIM = Claim(
    text=(
        "a player of self-play depends on the names of the suits; distilling it over all orders of the suits makes "
        "it stronger"
    ),
    command=(
        "python -m train.selfplay --preset two-cores --minutes 10 --threads 1 --seed 1 --out runs/m10-1\n"
        "python -m train.selfplay --preset two-cores --bc.fraction 0 --init-from runs/m10-1/policy.safetensors "
        "--bc.logit-scale 1 --distill.fraction 1 --minutes 1 --threads 1 --eval.final-pairs 4096 --out runs/distilled"
    ),
    expected="after 10 minutes of self-play +1 ± 2, after 60 about +5",
    minutes=13,
    page="docs/notes/training.md",
)

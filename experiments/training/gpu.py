"""The preset for one GPU."""

from ..shared.claim import Claim

CLAIM = Claim(
    text="one GPU trains a team from scratch with the preset `gpu` in 6 minutes; its log has the decisions a second",
    command=(
        "python -m train.selfplay --preset gpu --minutes 6 --eval.every 60 --eval.pairs 1024 --eval.final-pairs 4096 "
        "--seed 1 --out runs/gpu"
    ),
    expected="not known: not run on a GPU yet",
    minutes=8,
)

"""Cross-play of players that were trained with different seeds."""

from ..shared.claim import Claim

CLAIM = Claim(
    text="players trained with different seeds are as good partners as two copies of one player",
    command=(
        "python -m train.selfplay --preset two-cores --minutes 10 --threads 1 --seed 1 --eval.final-pairs 4096 --out "
        "runs/m10-1\n"
        "python -m train.selfplay --preset two-cores --minutes 10 --threads 1 --seed 2 --eval.final-pairs 4096 --out "
        "runs/m10-2\n"
        "python -m train.selfplay --preset two-cores --minutes 10 --threads 1 --seed 3 --eval.final-pairs 4096 --out "
        "runs/m10-3\n"
        "python -m experiments.cross_play --policies "
        '"file:runs/m10-1/policy.safetensors,file:runs/m10-2/policy.safetensors,file:runs/m10-3/policy.safetensors" '
        '--against "deepest,expert" --pairs 4000 --seed 6 --out experiments/results/cross_play_seeds'
    ),
    expected="gap -0.1 ± 1.4 and -0.1 ± 1.3",
    minutes=35,
    result="cross_play_seeds/table.md",
)

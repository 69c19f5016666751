"""Best responses to two bots."""

from ..shared.claim import Claim

CLAIM = Claim(
    text="a team trained against `greedy`, or against `deepest`, beats it (a control of the method)",
    command=(
        "python -m experiments.best_response --against greedy --preset scratch --minutes 3 --out "
        "experiments/results/best_response_greedy\n"
        "python -m experiments.best_response --against deepest --preset scratch --minutes 3 --out "
        "experiments/results/best_response_deepest"
    ),
    expected=(
        "greedy +37 ± 2, deepest +9 ± 2, on one core with other work running, when the preset was called `two-cores`"
    ),
    minutes=7,
    result="best_response_greedy/results.json",
)

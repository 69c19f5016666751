"""The network without torch against the network in PyTorch, decision by decision.

    python -m experiments.networks.same_choices
    python -m experiments.networks.same_choices champion --other file:runs/a/policy.safetensors --out a.json

Each decision has two or more legal actions. Half of them are met in random play, half in the policy's own play. The
PyTorch network computes all 1,020 inputs and 547 outputs as dense products, so that it shares no kernel with ours. Two
actions of nearly equal probability may change places, since the two add in another order: such a tie is at most
``TIE`` apart in log-probability. With ``--other``, another policy is compared in place of the PyTorch network.

Exit status 1: more than one choice in 10,000 differs from that of PyTorch, or one of them is no tie.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.inputs import DenseInputs
from agents.learned import read_policy
from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.players.bundled import BUNDLED
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import BasePolicy, DecisionBatch

from ..shared.claim import Claim
from ..shared.result_file import STRENGTH, about, add_result_options, fail, write_result

CLAIM = Claim(
    text="every bundled network chooses without torch what it chooses in PyTorch",
    command="python -m experiments.networks.same_choices",
    expected="of 1,000,000 decisions at most 100 differ, all of them ties within 1e-5",
    minutes=3,
    result="same_choices.json",
)
RESULT = Path(__file__).parents[1] / "results" / "same_choices.json"
ENVS = 1024
TIE = 1e-5
LARGEST_SHARE = 1e-4

LogProbs = Callable[[DecisionBatch], np.ndarray]
"""Log-probabilities (k, 547) of a batch; very low where an action is illegal."""


class Compared(NamedTuple):
    """Decisions that two policies were asked, how many they answered differently, and how many of these were ties."""

    decisions: int
    different: int
    ties: int


def in_pytorch(path: Path) -> LogProbs:
    """The network of a policy file in PyTorch, by dense products."""
    actor = read_policy(path)

    def log_probs(batch: DecisionBatch) -> np.ndarray:
        return actor.legal_log_probs(DenseInputs.of(batch.observation, batch.legal)).numpy()

    return log_probs


def of_policy(policy: Any) -> LogProbs:
    """The log-probabilities of a trained policy.

    Raises:
        ValueError: the policy gives none.
    """
    if not callable(getattr(policy, "probabilities", None)):
        raise ValueError(f"{policy.name} gives no probabilities; expected a trained policy")

    def log_probs(batch: DecisionBatch) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(policy.probabilities(batch))

    return log_probs


def batches(policy: BasePolicy, seed: int) -> Iterator[DecisionBatch]:
    """Decisions with two or more legal actions, without end: of random play and of the policy's own in turn."""
    envs = [PersianRummyVecEnv(ENVS, episode="deal"), PersianRummyVecEnv(ENVS, episode="deal")]
    shown = [env.reset(seed=seed + number) for number, env in enumerate(envs)]
    own = (False, True)
    while True:
        for number, env in enumerate(envs):
            now = shown[number]
            batch = DecisionBatch(now.observation.copy(), env.packed_mask.copy(), now.seat.copy(), np.arange(ENVS))
            yield batch.rows(np.flatnonzero(np.bitwise_count(batch.legal).sum(axis=1) > 1))
            shown[number] = env.step(policy.act(batch) if own[number] else env.sample_actions())


def compare(policy: BasePolicy, other: LogProbs, decisions: int, seed: int) -> Compared:
    """Ask both the same decisions, half of them of random play.

    Args:
        decisions: an even number of them.
    """
    left, different, ties = [decisions // 2, decisions // 2], 0, 0
    for number, batch in enumerate(batches(policy, seed)):
        if not any(left):
            break
        some = batch.rows(slice(0, left[number % 2]))
        if len(some):
            left[number % 2] -= len(some)
            chosen, log_p = policy.act(some), other(some)
            short = log_p.max(axis=1) - log_p[np.arange(len(some)), chosen]
            wrong = log_p.argmax(axis=1) != chosen
            different += int(wrong.sum())
            ties += int((wrong & (short <= TIE)).sum())
    return Compared(decisions, different, ties)


def arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.networks.same_choices", description="choices without torch against those of PyTorch"
    )
    parser.add_argument("policies", nargs="*", metavar="POLICY", help="bundled names (default: every bundled file)")
    parser.add_argument("--other", metavar="POLICY", help="compare with this trained policy instead of PyTorch")
    parser.add_argument("--decisions", type=int, default=1_000_000, help="of each policy (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the games (default %(default)s)")
    parser.add_argument("--out", type=Path, default=RESULT, help="the result (default %(default)s)")
    add_result_options(parser)
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if given is None else list(given)
    options = arguments(words)
    names = options.policies or list(dict.fromkeys(name for name in BUNDLED if name != "champion"))
    unknown = [name for name in names if name not in BUNDLED]
    if unknown:
        fail(f"policies {', '.join(unknown)}: expected bundled ones: {', '.join(BUNDLED)}")
    if options.decisions < 2 or options.decisions % 2:
        fail(f"--decisions {options.decisions}: expected an even number of at least 2")
    try:
        other = None if options.other is None else of_policy(load(options.other))
    except (ValueError, FileNotFoundError) as error:
        fail(f"--other: {error}")
    facts = about("experiments.networks.same_choices", words, options.out, options.allow_dirty)
    found: dict[str, dict[str, int]] = {}
    for name in names:
        compared = compare(load(name), other or in_pytorch(BUNDLED[name]), options.decisions, options.seed)
        found[name] = compared._asdict()
        print(f"{name}: {compared.different} of {compared.decisions:,} choices differ, {compared.ties} are ties")
    figures = {"other": options.other or "PyTorch", "tie": TIE, "compared": found}
    write_result(options.out, facts, figures, kind=STRENGTH, seeds=[options.seed], players=names)
    if options.other is not None:
        return 0
    worst = max(one["different"] / one["decisions"] for one in found.values())
    return int(worst > LARGEST_SHARE or any(one["different"] > one["ties"] for one in found.values()))


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m experiments.networks.same_choices", main))

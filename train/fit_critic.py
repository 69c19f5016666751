"""Fit a critic to a finished policy: ``python -m train.fit_critic champion-1 --commit 1a2b3c4d5e6f``.

The policy plays deals against itself. The critic learns the margin that the rest of a deal adds, from the observation
of the seat to move and the other three hands, by Adam on the squared error, which makes it an estimate of the mean.
Every deal is used once. The error on held-out deals is computed twenty times. The copy with the smallest error is
written, and fitting stops early when five computations in a row were no smaller. The file is written beside the policy
file (``players.critic_file``), with weights of float16. The same arguments give the same weights. The file is written
at the end, so an interrupted run is started again.

``--init-from`` starts with the critic of a training run, which needs far fewer deals and a smaller ``--lr``. The run
need not be that of the policy, because the fit corrects what differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from agents.inputs import Inputs, inputs_on
from agents.learned import use_one_thread
from agents.network import Critic
from agents.tensor_file import torch_tensors
from persian_rummy_env.players.bundled import BUNDLED
from persian_rummy_env.players.critic import critic_input, margin_so_far
from persian_rummy_env.players.critic_file import critic_bytes, critic_path
from persian_rummy_env.players.network_shape import Shape
from persian_rummy_env.players.networks import load_policy
from persian_rummy_env.players.policy import BasePolicy
from persian_rummy_env.players.policy_file import read_policy_file
from persian_rummy_env.players.tensor_file import one_line, read_tensor_file
from persian_rummy_env.system.command_line import say
from persian_rummy_env.system.files import write_whole

from .algorithms.learner import scheduled, with_prefix
from .config.ppo import Config
from .data.deals import game_seeds
from .data.self_play import share_of_positions
from .run.command import fail

PROGRAM = "python -m train.fit_critic"
SCALE = Config().reward.scale
"""Points of margin per unit of the critic's output, as in training."""
SHARE = 1 / 3
"""Share of the positions that are learnt from. Those of one deal share its result, so more deals say more."""
DEALS_AT_ONCE, MINIBATCH = 1024, 1024
LR = 1e-3
LR_END = 0.05
"""The learning rate at the end, as a share of that at the start."""
CHECKS, PATIENCE = 20, 5
"""Computations of the held-out error, and how many in a row without a smaller one end the fitting."""
HELD_OUT = 2**40
"""Number of the first held-out deal, beyond all deals that are learnt from."""


class Examples(NamedTuple):
    """n positions: ``view`` (n, VIEW_SIZE) uint8, ``legal`` (n, 9) uint64, and ``target`` (n,) float32, the margin that
    the rest of the deal added for the team of the seat to move, in units of ``SCALE`` points."""

    view: np.ndarray
    legal: np.ndarray
    target: np.ndarray

    def inputs(self, rows: np.ndarray | slice) -> Inputs:
        return inputs_on(torch.device("cpu"), self.view[rows], self.legal[rows])


class Start(NamedTuple):
    """A critic to start with, and what the header says of it."""

    critic: Critic
    about: str


class Fitted(NamedTuple):
    """A fitted critic, the positions and deals that it learnt from, and the share of the variance of held-out results
    that it explains."""

    critic: Critic
    positions: int
    deals: int
    explained: float


def examples(policy: BasePolicy, seed: int, numbers: np.ndarray) -> Examples:
    """Examples of the deals with these numbers, (n,) int64."""
    rng = np.random.default_rng(np.random.SeedSequence([seed, int(numbers[0]), 0xC217]))
    found = share_of_positions(policy, game_seeds(seed, numbers), SHARE, rng)
    target = (found.margin - margin_so_far(found.games)) / SCALE
    return Examples(*critic_input(found.games), target.astype(np.float32))


@torch.no_grad()
def error_of(critic: Critic, held_out: Examples) -> float:
    """The mean squared error."""
    chunks = [slice(start, start + MINIBATCH) for start in range(0, len(held_out.target), MINIBATCH)]
    value = np.concatenate([critic(held_out.inputs(chunk)).numpy() for chunk in chunks])
    return float(np.square(value - held_out.target, dtype=np.float64).mean())


def random_start(shape: Shape, seed: int) -> Start:
    """A critic with random weights."""
    torch.manual_seed(seed)
    return Start(Critic(shape), "random weights")


def start_of_run(path: Path) -> Start:
    """The critic of a training run, in units of ``SCALE`` points.

    Args:
        path: of its checkpoint.

    Raises:
        FileNotFoundError: there is none.
        ValueError: it is no checkpoint with a critic of margins that sees the other hands; the message names the file.
    """
    file = read_tensor_file(path, "checkpoint", {})
    try:
        config, counters = json.loads(file.metadata["config"]), json.loads(file.metadata["counters"])
        if config["reward"]["kind"] != "margin":
            raise ValueError(f"its reward is {config['reward']['kind']!r}, expected 'margin'")
        network, points = config["network"], config["reward"]["scale"]
        width = config["ppo"].get("critic_width", 0) or network["width"]
        critic = Critic(Shape(width, network["blocks"], kind=network["kind"]))
        critic.load_state_dict(with_prefix(torch_tensors(file.tensors), "critic."))
        about = (
            f"the critic of run {file.metadata['run']}: {file.metadata['algorithm']}, preset {config['preset']}, seed "
            f"{config['seed']}, {counters['decisions'] / 1e6:.1f} M decisions in {counters['seconds'] / 60:.0f} minutes"
        )
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise ValueError(f"{path}: it has no critic to start with: {one_line(error)}") from error
    with torch.no_grad():
        for parameter in critic.last.parameters():
            parameter.mul_(points / SCALE)
    return Start(critic, about)


def fit(
    policy: BasePolicy,
    critic: Critic,
    deals: int,
    held_out_deals: int,
    seed: int,
    lr: float,
    progress: Callable[[str], None],
) -> Fitted:
    """Fit a critic to a policy.

    Args:
        critic: to start with; it is changed.
        deals: to learn from, rounded up to whole batches of ``DEALS_AT_ONCE``.
        lr: learning rate at the start; it falls linearly.
        progress: is called with a line before the first deal and after every computation of the held-out error.
    """
    rng = np.random.default_rng(np.random.SeedSequence([seed, 0xC218]))
    optimizer = torch.optim.Adam(critic.parameters(), lr=lr, eps=1e-5, fused=True)
    held_out = examples(policy, seed, HELD_OUT + np.arange(held_out_deals))
    variance = float(held_out.target.astype(np.float64).var())
    batches = -(-deals // DEALS_AT_ONCE)
    checks = {batches * check // CHECKS for check in range(1, CHECKS + 1)}
    best, best_state, since, positions, batch = np.inf, critic.state_dict(), 0, 0, 0
    progress(f"at the start: explained {1 - error_of(critic, held_out) / variance:.4f}")
    while batch < batches and since < PATIENCE:
        optimizer.param_groups[0]["lr"] = scheduled((lr, LR_END * lr), batch / batches)
        learnt = examples(policy, seed, batch * DEALS_AT_ONCE + np.arange(DEALS_AT_ONCE))
        count = len(learnt.target)
        for rows in np.array_split(rng.permutation(count), max(1, round(count / MINIBATCH))):
            value, target = critic(learnt.inputs(rows)), torch.from_numpy(learnt.target[rows])
            loss = torch.nn.functional.mse_loss(value, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        positions, batch = positions + count, batch + 1
        if batch in checks:
            error = error_of(critic, held_out)
            since += 1
            if error < best:
                best, since = error, 0
                best_state = {name: tensor.clone() for name, tensor in critic.state_dict().items()}
            progress(f"{batch * DEALS_AT_ONCE:,} deals, {positions:,} positions: explained {1 - error / variance:.4f}")
    critic.load_state_dict(best_state)
    return Fitted(critic, positions, batch * DEALS_AT_ONCE, 1 - best / variance)


def path_of(policy: str) -> Path:
    """The file of a policy: a bundled name, or ``file:PATH``.

    Raises:
        ValueError: another name.
    """
    kind, _, rest = policy.partition(":")
    if policy not in BUNDLED and kind != "file":
        raise ValueError(f"policy {policy!r}: expected {', '.join(BUNDLED)}, or file:PATH of a trained policy")
    return BUNDLED[policy] if policy in BUNDLED else Path(rest)


def options_of(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=PROGRAM, description="fit a critic to a finished policy")
    parser.add_argument("policy", help="a bundled policy, or file:PATH")
    parser.add_argument("--commit", required=True, help="of the code that fits it, for the header of the file")
    parser.add_argument("--deals", type=int, default=400_000, help="to learn from (default %(default)s)")
    parser.add_argument("--held-out", type=int, default=2_000, help="deals to stop and choose by (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the deals and the weights (default %(default)s)")
    parser.add_argument("--lr", type=float, default=LR, help="of Adam at the start (default %(default)s)")
    parser.add_argument("--width", type=int, default=256, help="of a new network (default %(default)s)")
    parser.add_argument("--blocks", type=int, default=2, help="of a new network (default %(default)s)")
    parser.add_argument("--init-from", type=Path, metavar="CHECKPOINT", help="start with the critic of this run")
    options = parser.parse_args(argv)
    if not 0 < options.lr < 1:
        fail(f"--lr {options.lr}: expected a number above 0 and below 1", 2)
    for name, low in (("deals", 1), ("held_out", 2), ("seed", 0), ("width", 1), ("blocks", 1)):
        if getattr(options, name) < low:
            word = name.replace("_", "-")
            fail(f"--{word} {getattr(options, name)}: expected a whole number of at least {low}", 2)
    return options


def main(given: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if given is None else list(given)
    options = options_of(words)
    try:
        path = path_of(options.policy)
        policy, rules = load_policy(path), read_policy_file(path).metadata.get("rules")
        new = Shape(options.width, options.blocks)
        start = start_of_run(options.init_from) if options.init_from else random_start(new, options.seed)
    except (FileNotFoundError, ValueError) as error:
        fail(str(error), 2)
    out = critic_path(path)
    if path in BUNDLED.values() and out.exists():
        fail(f"{out}: exists, and the files of a frozen name never change", 2)
    use_one_thread()
    fitted = fit(policy, start.critic, options.deals, options.held_out, options.seed, options.lr, say)
    about = {
        "made by": " ".join([PROGRAM, *words]),
        "started from": start.about,
        "experience": f"{fitted.positions / 1e6:.1f} M positions of {fitted.deals:,} deals",
        "explained": f"{fitted.explained:.4f} of the variance of the rest of {options.held_out:,} held-out deals",
        "commit": options.commit,
    }
    tensors = {name: tensor.numpy() for name, tensor in fitted.critic.state_dict().items()}
    content = critic_bytes(tensors, start.critic.shape, SCALE, path, rules, about)
    write_whole(out, content)
    say(f"{out}: {len(content):,} bytes, sha256 {hashlib.sha256(content).hexdigest()[:16]}")
    return 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command(PROGRAM, main))

"""PPO self-play in one file: PyTorch and the vector environment, nothing else of this project.

    python examples/ppo_minimal.py --minutes 5

One policy plays all four seats. The only difference from single-agent PPO is credit by seat: the next row of a game
belongs to another seat, so returns and advantages are followed for each of the four seats on its own (``advantages``).
It prints the margin against uniformly random play, in points a deal with its 95% interval, and saves
``ppo_minimal.pt``.
"""

import argparse
import time
from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from persian_rummy_env import NUM_ACTIONS, PersianRummyVecEnv
from persian_rummy_env.observation import HIGH, SIZE

NUM_ENVS, STEPS = 512, 64  # a rollout is NUM_ENVS * STEPS decisions
MINIBATCH, EPOCHS = 2048, 2
LR, GAE_LAMBDA, CLIP, ENTROPY = 1e-3, 0.95, 0.2, 0.005
REWARD_SCALE = 2.0  # the environment pays points / 100


class ActorCritic(nn.Module):
    """Two multilayer perceptrons on the observation's bytes, divided by their highest values."""

    scale: torch.Tensor

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.register_buffer("scale", torch.from_numpy(1 / HIGH.astype(np.float32)))
        self.actor = self.network(width, NUM_ACTIONS, std=0.01)
        self.critic = self.network(width, 1, std=1.0)

    @staticmethod
    def network(width: int, outputs: int, std: float) -> nn.Sequential:
        last = nn.Linear(width, outputs)
        nn.init.orthogonal_(last.weight, std)
        return nn.Sequential(
            nn.Linear(SIZE, width), nn.LayerNorm(width), nn.GELU(),
            nn.Linear(width, width), nn.LayerNorm(width), nn.GELU(), last,
        )  # fmt: skip

    def forward(self, observation: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Log-probabilities (b, 547) of the legal actions, and values (b,) to the seat that observes.

        Args:
            observation: (b, 1020) uint8; mask: (b, 547) bool, True where the action is legal.
        """
        x = observation.float() * self.scale
        logits = self.actor(x).masked_fill(~mask, -1e9)  # an illegal action has no probability and no gradient
        return torch.log_softmax(logits, -1), self.critic(x)[:, 0]


class Rollout:
    """NUM_ENVS games over STEPS steps. A row belongs to the seat that was to move."""

    def __init__(self) -> None:
        shape = (STEPS, NUM_ENVS)
        self.observation = np.empty((*shape, SIZE), dtype=np.uint8)
        self.mask = np.empty((*shape, NUM_ACTIONS), dtype=bool)
        self.seat = np.empty(shape, dtype=np.int64)
        self.choice = np.empty(shape, dtype=bool)  # more than one action was legal
        self.action = np.empty(shape, dtype=np.int64)
        self.log_p, self.value = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.reward = np.empty((*shape, 4), dtype=np.float32)
        self.done = np.empty(shape, dtype=bool)


@torch.no_grad()
def collect(env: PersianRummyVecEnv, batch, net: ActorCritic, rollout: Rollout, device: str):
    """Play STEPS decisions in every game; returns the last batch and the values (NUM_ENVS, 4) by seat."""
    for t in range(STEPS):
        rollout.observation[t], rollout.mask[t], rollout.seat[t] = batch.observation, batch.action_mask, batch.seat
        rollout.choice[t] = rollout.mask[t].sum(1) > 1
        rollout.action[t] = rollout.mask[t].argmax(1)  # of a forced move, the only legal action
        rows = np.flatnonzero(rollout.choice[t])
        observation, mask = (torch.from_numpy(a[t, rows]).to(device) for a in (rollout.observation, rollout.mask))
        log_p, value = net(observation, mask)
        action = torch.multinomial(log_p.exp(), 1)
        rollout.action[t, rows] = action[:, 0].cpu()
        rollout.log_p[t, rows], rollout.value[t, rows] = log_p.gather(1, action)[:, 0].cpu(), value.cpu()
        batch = env.step(rollout.action[t])
        rollout.reward[t], rollout.done[t] = batch.reward * REWARD_SCALE, batch.terminated
    # Unfinished deals are cut here: the critic estimates what is still to come, for all four seats.
    all_legal = torch.ones(NUM_ENVS, NUM_ACTIONS, dtype=torch.bool, device=device)
    last = [net(torch.from_numpy(env.observe(seat)).to(device), all_legal)[1] for seat in range(4)]
    return batch, torch.stack(last, 1).cpu().numpy()


def advantages(rollout: Rollout, last_value: np.ndarray) -> np.ndarray:
    """Generalised advantage estimates (STEPS, NUM_ENVS) without discount, each along the choices of its own seat.

    The environment pays all four seats at every step. Going back in time, a seat collects the rewards of all moves
    since its choice, also those of the other seats, up to its own next choice; there it bootstraps from its own value.
    """
    shape = (NUM_ENVS, 4)  # by game and seat
    advantage = np.zeros((STEPS, NUM_ENVS), dtype=np.float32)
    next_value, next_advantage = last_value.copy(), np.zeros(shape, dtype=np.float32)
    earned = np.zeros(shape, dtype=np.float32)  # since the choice that comes next in this loop
    for t in range(STEPS - 1, -1, -1):
        done = rollout.done[t]
        next_value[done] = next_advantage[done] = earned[done] = 0  # nothing of the next deal counts for this one
        earned += rollout.reward[t]
        rows = np.flatnonzero(rollout.choice[t])
        here = rows, rollout.seat[t, rows]
        value = rollout.value[t, rows]
        delta = earned[here] + next_value[here] - value
        advantage[t, rows] = delta + GAE_LAMBDA * next_advantage[here]
        next_value[here], next_advantage[here], earned[here] = value, advantage[t, rows], 0
    return advantage


def learn(net: ActorCritic, optimizer: torch.optim.Optimizer, rollout: Rollout, advantage: np.ndarray, device: str):
    """EPOCHS passes of PPO over the choices of a rollout."""
    arrays = {"observation": rollout.observation, "mask": rollout.mask, "action": rollout.action,
              "log_p": rollout.log_p, "advantage": advantage, "return": advantage + rollout.value}  # fmt: skip
    rows = {name: torch.from_numpy(array[rollout.choice]).to(device) for name, array in arrays.items()}
    for _ in range(EPOCHS):
        for index in torch.randperm(len(rows["action"]), device=device).split(MINIBATCH):
            batch = {name: values[index] for name, values in rows.items()}
            log_p, value = net(batch["observation"], batch["mask"])
            ratio = (log_p.gather(1, batch["action"][:, None])[:, 0] - batch["log_p"]).exp()
            gain = (batch["advantage"] - batch["advantage"].mean()) / (batch["advantage"].std() + 1e-6)
            surrogate = torch.minimum(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            entropy = -(log_p.exp() * log_p.masked_fill(~batch["mask"], 0)).sum(1).mean()
            loss = 0.5 * (value - batch["return"]).square().mean() - surrogate - ENTROPY * entropy
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            optimizer.step()


@torch.no_grad()
def margin_against_random(net: ActorCritic, device: str, deals: int, seed: int = 10_007) -> tuple[float, float]:
    """Points a deal of the policy's likeliest actions at seats 0 and 2 over random play, and half the 95% interval."""
    env = PersianRummyVecEnv(deals, episode="deal", autoreset_mode="DISABLED")
    batch = env.reset(seed=seed)
    while (batch.seat >= 0).any():
        actions = env.sample_actions()
        rows = np.flatnonzero(batch.seat % 2 == 0)  # a game that is over has seat -1
        if len(rows):
            observation, mask = (torch.from_numpy(a[rows]).to(device) for a in (batch.observation, batch.action_mask))
            actions[rows] = net(observation, mask.bool())[0].argmax(1).cpu()
        batch = env.step(actions)
    score = env.get_state()["score"]
    margin = score[:, 0] - score[:, 1]
    return float(margin.mean()), float(1.96 * margin.std() / deals**0.5)


def main(argv: Sequence[str] | None = None) -> float:
    parser = argparse.ArgumentParser(description="PPO self-play in one file.")
    parser.add_argument("--minutes", type=float, default=5.0, help="wall clock of training (default %(default)s)")
    parser.add_argument("--deals", type=int, default=2000, help="deals of the last measurement (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", default="ppo_minimal.pt", help="the file of the weights (default %(default)s)")
    options = parser.parse_args(argv)
    torch.manual_seed(options.seed)
    env, rollout = PersianRummyVecEnv(NUM_ENVS, episode="deal"), Rollout()
    batch = env.reset(seed=options.seed)
    net = ActorCritic().to(options.device)
    optimizer = torch.optim.Adam(net.parameters(), lr=LR, eps=1e-5)
    start, update, printed = time.perf_counter(), 0, 0.0
    while (progress := (time.perf_counter() - start) / (60 * options.minutes)) < 1:
        optimizer.param_groups[0]["lr"] = LR * (1 - progress) + 1e-5
        batch, last_value = collect(env, batch, net, rollout, options.device)
        learn(net, optimizer, rollout, advantages(rollout, last_value), options.device)
        update += 1
        if progress >= printed:
            margin, half = margin_against_random(net, options.device, deals=min(500, options.deals))
            print(f"{progress:4.0%} {update * NUM_ENVS * STEPS:>10,} decisions: {margin:+.1f} ± {half:.1f}", flush=True)
            printed += 0.2
    margin, half = margin_against_random(net, options.device, options.deals)
    print(f"{margin:+.1f} ± {half:.1f} points a deal against random, {update * NUM_ENVS * STEPS:,} decisions")
    torch.save(net.state_dict(), options.out)
    return margin


if __name__ == "__main__":
    main()

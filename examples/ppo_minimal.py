"""PPO self-play in one file, in the form of CleanRL's ppo.py: PyTorch, tyro and the vector environment.

    python examples/ppo_minimal.py --num-envs 128 --minibatch-size 512 --total-timesteps 81920

Settings, names and order are CleanRL's. Three things differ. Illegal actions have no probability
(``Agent.get_action_and_value``). One agent plays all four seats and the next row of a game belongs to another seat, so
advantages follow each seat on its own (``seat_gae``). Decisions with a single legal action are played and not learned
from (``choices``). The agent is a policy of this package (``Agent.act``), so it plays matches: the program prints the
margin against random play in points a deal with its 95% interval, and saves the weights. The command above reached
+133.9 ± 6.0 in half a minute of one core.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
import tyro
from torch.distributions.categorical import Categorical

import persian_rummy_env
from persian_rummy_env import NUM_ACTIONS, PersianRummyVecEnv
from persian_rummy_env.envs.vector import StepResult
from persian_rummy_env.observation import HIGH, SIZE
from persian_rummy_env.players.policy import DecisionBatch

NUM_SEATS = 4
REWARD_SCALE = 2.0  # the environment pays points / 100


@dataclass
class Args:
    seed: int = 1
    device: str = "cpu"
    out: str = "ppo_minimal.pt"
    """file of the weights"""
    pairs: int = 500
    """deals of the last match, each played twice"""

    total_timesteps: int = 1_000_000
    """decisions of all seats"""
    learning_rate: float = 1e-3
    num_envs: int = 512
    num_steps: int = 64
    """decisions of each game in a rollout"""
    anneal_lr: bool = True
    gae_lambda: float = 0.95
    """the game is not discounted: gamma is 1"""
    minibatch_size: int = 2048
    update_epochs: int = 2
    norm_adv: bool = True
    clip_coef: float = 0.2
    ent_coef: float = 0.005
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5


def layer_init(layer: nn.Linear, std: float = 2**0.5) -> nn.Linear:
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, 0.0)
    return layer


class Agent(nn.Module):
    """Actor and critic of the observation's bytes (b, 1020), divided by their highest values."""

    name = "ppo_minimal"
    scale: torch.Tensor

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.register_buffer("scale", torch.from_numpy(1 / HIGH.astype(np.float32)))
        self.critic = self.network(width, layer_init(nn.Linear(width, 1), std=1.0))
        self.actor = self.network(width, layer_init(nn.Linear(width, NUM_ACTIONS), std=0.01))

    @staticmethod
    def network(width: int, head: nn.Linear) -> nn.Sequential:
        return nn.Sequential(
            layer_init(nn.Linear(SIZE, width)), nn.LayerNorm(width), nn.GELU(),
            layer_init(nn.Linear(width, width)), nn.LayerNorm(width), nn.GELU(), head,
        )  # fmt: skip

    def get_value(self, x: torch.Tensor) -> torch.Tensor:
        return self.critic(x.float() * self.scale).squeeze(-1)

    def get_action_and_value(
        self, x: torch.Tensor, mask: torch.Tensor, action: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """``mask`` is (b, 547) bool, True where the action is legal."""
        logits = self.actor(x.float() * self.scale).masked_fill(~mask, -1e9)
        probs = Categorical(logits=logits, validate_args=False)
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.get_value(x)

    @torch.no_grad()
    def act(self, batch: DecisionBatch) -> np.ndarray:
        """The likeliest legal actions: what makes the agent a policy of this package."""
        logits = self.actor(torch.from_numpy(batch.observation.copy()).to(self.scale.device) * self.scale).cpu().numpy()
        return np.where(batch.action_mask == 1, logits, -np.inf).argmax(axis=1)


class Storage:
    """A rollout: ``num_steps`` decisions of ``num_envs`` games. A row belongs to the seat that was to move."""

    def __init__(self, args: Args) -> None:
        shape = (args.num_steps, args.num_envs)
        self.obs = torch.zeros((*shape, SIZE), dtype=torch.uint8)
        self.masks = torch.zeros((*shape, NUM_ACTIONS), dtype=torch.bool)
        self.seats = torch.zeros(shape, dtype=torch.int64)
        self.choices = torch.zeros(shape, dtype=torch.bool)  # more than one action was legal
        self.actions = torch.zeros(shape, dtype=torch.int64)
        self.logprobs = torch.zeros(shape)
        self.rewards = torch.zeros((*shape, NUM_SEATS))
        self.dones = torch.zeros(shape, dtype=torch.bool)  # the step ended the deal
        self.values = torch.zeros(shape)


@torch.no_grad()
def collect(
    envs: PersianRummyVecEnv, next_batch: StepResult, agent: Agent, storage: Storage, args: Args
) -> tuple[StepResult, torch.Tensor]:
    """Play a rollout; returns the next decisions, and the values (num_envs, 4) to all seats."""
    for step in range(args.num_steps):
        storage.obs[step] = torch.from_numpy(next_batch.observation)
        storage.masks[step] = torch.from_numpy(next_batch.action_mask)
        storage.seats[step] = torch.from_numpy(next_batch.seat)
        storage.choices[step] = storage.masks[step].sum(1) > 1
        obs, masks = storage.obs[step].to(args.device), storage.masks[step].to(args.device)
        action, logprob, _, value = agent.get_action_and_value(obs, masks)
        storage.actions[step], storage.logprobs[step], storage.values[step] = action.cpu(), logprob.cpu(), value.cpu()

        next_batch = envs.step(storage.actions[step].numpy())
        storage.rewards[step] = torch.from_numpy(next_batch.reward) * REWARD_SCALE
        storage.dones[step] = torch.from_numpy(next_batch.terminated)
    # Deals that go on are cut here: the critic estimates what is still to come, for all four seats.
    seen = [torch.from_numpy(envs.observe(seat)).to(args.device) for seat in range(NUM_SEATS)]
    return next_batch, torch.stack([agent.get_value(obs) for obs in seen], 1).cpu()


def seat_gae(storage: Storage, next_values: torch.Tensor, args: Args) -> torch.Tensor:
    """Generalised advantage estimates (num_steps, num_envs), each along the choices of its own seat; 0 elsewhere.

    The environment pays all four seats at every step. Going back in time, a seat collects the rewards of all moves
    since its choice, also those of the other seats, up to its own next choice; there it bootstraps from its own value.
    """
    advantages = torch.zeros(args.num_steps, args.num_envs)
    nextvalues, lastgaelam = next_values.clone(), torch.zeros(args.num_envs, NUM_SEATS)  # by game and seat
    earned = torch.zeros(args.num_envs, NUM_SEATS)  # since the choice that comes next in this loop
    for t in reversed(range(args.num_steps)):
        over = storage.dones[t]
        nextvalues[over] = lastgaelam[over] = earned[over] = 0.0  # nothing of the next deal counts for this one
        earned += storage.rewards[t]
        rows = storage.choices[t].nonzero()[:, 0]
        here = rows, storage.seats[t, rows]
        delta = earned[here] + nextvalues[here] - storage.values[t, rows]
        advantages[t, rows] = lastgaelam[here] = delta + args.gae_lambda * lastgaelam[here]
        nextvalues[here], earned[here] = storage.values[t, rows], 0.0
    return advantages


def update(agent: Agent, optimizer: optim.Optimizer, storage: Storage, advantages: torch.Tensor, args: Args) -> None:
    b_choices = storage.choices
    b_obs, b_masks, b_actions = storage.obs[b_choices], storage.masks[b_choices], storage.actions[b_choices]
    b_logprobs, b_advantages = storage.logprobs[b_choices], advantages[b_choices]
    b_returns = b_advantages + storage.values[b_choices]
    for _ in range(args.update_epochs):
        for mb_inds in torch.randperm(len(b_actions)).split(args.minibatch_size):
            obs, masks, actions, logprobs, mb_advantages, returns = (
                tensor[mb_inds].to(args.device)
                for tensor in (b_obs, b_masks, b_actions, b_logprobs, b_advantages, b_returns)
            )
            _, newlogprob, entropy, newvalue = agent.get_action_and_value(obs, masks, actions)
            ratio = (newlogprob - logprobs).exp()
            if args.norm_adv:
                mb_advantages = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)
            pg_loss1 = -mb_advantages * ratio
            pg_loss2 = -mb_advantages * torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)
            pg_loss = torch.max(pg_loss1, pg_loss2).mean()
            v_loss = (newvalue - returns).square().mean()
            loss = pg_loss - args.ent_coef * entropy.mean() + args.vf_coef * v_loss

            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
            optimizer.step()


def main(argv: Sequence[str] | None = None) -> float:
    args = tyro.cli(Args, description=__doc__, args=argv)
    torch.manual_seed(args.seed)
    num_iterations = max(args.total_timesteps // (args.num_envs * args.num_steps), 1)
    envs, storage = PersianRummyVecEnv(args.num_envs, episode="deal"), Storage(args)
    agent = Agent().to(args.device)
    optimizer = optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    next_batch = envs.reset(seed=args.seed)
    for iteration in range(1, num_iterations + 1):
        if args.anneal_lr:
            optimizer.param_groups[0]["lr"] = (1.0 - (iteration - 1.0) / num_iterations) * args.learning_rate
        next_batch, next_values = collect(envs, next_batch, agent, storage, args)
        update(agent, optimizer, storage, seat_gae(storage, next_values, args), args)
        if iteration % max(num_iterations // 5, 1) == 0:
            global_step = iteration * args.num_envs * args.num_steps
            print(f"global_step={global_step}: {persian_rummy_env.match(agent, 'random', 100)}", flush=True)

    result = persian_rummy_env.match(agent, "random", args.pairs, seed=2)
    print(f"{num_iterations * args.num_envs * args.num_steps:,} decisions: {result}")
    torch.save(agent.state_dict(), args.out)
    return result.margin


if __name__ == "__main__":
    main()

"""Opponents from the pool, and the magnet: whole teams that stay as they were, and a pull whose size is known."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.inputs import DenseInputs, uniform_log_probs
from agents.learned import LearnedPolicy
from agents.network import Actor
from persian_rummy_env.bots import BOTS
from persian_rummy_env.evaluation.arena import new_games, play
from persian_rummy_env.players.inputs import SIZE, SparseInputs
from persian_rummy_env.players.load import load
from tests.train.playing import played
from tests.train.runs import SMALL, contents, rows
from train.algorithms.pool import LEARNER, Pool, assign_opponents, bot_numbers, codes_of, frozen
from train.algorithms.ppo import Learner
from train.config.base import with_settings
from train.config.ppo import Config
from train.data.deals import game_seeds
from train.data.rollout import BOTH, Collector, Job, Players
from train.run import log
from train.scale.shards import Shards
from train.scale.workers import LocalWorkers
from train.selfplay import collect, main

CPU = torch.device("cpu")
CONFIG = with_settings(
    Config(),
    {
        "deals": 24,
        "threads": 2,
        "network.width": 32,
        "optim.minibatch": 256,
        "seed": 3,
        "pool.share": 0.5,
        "pool.teams": 2,
    },
)


def fingerprint(actor: Actor) -> str:
    return hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in actor.state_dict().values())).hexdigest()


def stubborn(seed: int) -> Actor:
    """A player of strong and odd opinions."""
    torch.manual_seed(seed)
    actor = Actor(CONFIG.shape)
    torch.nn.init.normal_(actor.last.weight, std=2.0)
    return frozen(actor)


def test_who_sits_where():
    who = assign_opponents(10, [(0.6, np.array([4, 7]))])
    assert (who[6:] == LEARNER).all()
    assert [sorted(set(row.tolist()) - {LEARNER}) for row in who[:6]] == [[4], [4], [7], [7], [4], [4]]
    assert (who[:6, 0] == who[:6, 2]).all()
    assert (who[:6, 1] == who[:6, 3]).all()
    assert (who[:6, 0] == LEARNER).tolist() == [True, False] * 3
    assert (assign_opponents(10, [(0.6, np.empty(0, dtype=np.int64))]) == LEARNER).all()
    bots = bot_numbers(["expert", "greedy"])
    mixed = assign_opponents(10, [(0.2, np.array([4])), (0.4, bots)])
    assert (mixed[:2] == who[:2]).all()
    assert [codes_of(row).max() for row in mixed[2:6]] == [BOTS["expert"]] * 2 + [BOTS["greedy"]] * 2
    assert (mixed[2:6, 0] == LEARNER).tolist() == [True, False] * 2
    assert (codes_of(mixed[:2]) == -1).all()
    assert (mixed[6:] == LEARNER).all()


def test_opponents_are_whole_teams_from_the_first_card_to_the_last(monkeypatch: pytest.MonkeyPatch):
    """Every decision of a deal is asked of the player who has the seat, and only the learner's are kept."""
    asked: list[tuple[int, int]] = []
    seated_so: list[np.ndarray] = []
    plain = Collector.play

    def noted(self: Collector, choose, job: Job, by_seat: bool = False):
        def noting(player: int, view: np.ndarray, legal: np.ndarray, fraction: np.ndarray):
            asked.append((player, len(view)))
            return choose(player, view, legal, fraction)

        seated_so.append(job.who)
        return plain(self, noting, job, by_seat)

    monkeypatch.setattr(Collector, "play", noted)
    learner = Learner(CONFIG, CPU, Shards(1))
    opponents = [stubborn(1), stubborn(2), stubborn(3)]
    rollout = played(CONFIG, Players(learner.actor, learner.critic, opponents))
    [who] = seated_so
    assert (who[rollout.lane, rollout.seat] == LEARNER).all()
    assert len({player for player, _ in asked}) == 3, "the learner and two of the three copies"
    assert sum(count for player, count in asked if player == LEARNER) == len(rollout)
    assert sum(count for player, count in asked if player != LEARNER) > 100
    opposed = rollout.side != BOTH
    assert opposed.tolist() == [True] * 12 + [False] * 12
    for lane in np.flatnonzero(opposed):
        seats = set(rollout.seat[rollout.lane == lane].tolist())
        assert seats == {int(rollout.side[lane]), int(rollout.side[lane]) + 2}
    assert all(len(set(rollout.seat[rollout.lane == lane].tolist())) == 4 for lane in np.flatnonzero(~opposed))


def test_the_copy_plays_its_own_game():
    """Against copies that differ, the same deals go differently; against the learner itself it is plain self-play."""
    learner = Learner(CONFIG, CPU, Shards(1))

    def margins(opponent: Actor) -> np.ndarray:
        return played(CONFIG, Players(learner.actor, learner.critic, [opponent])).margin

    assert not np.array_equal(margins(stubborn(1))[:12], margins(stubborn(2))[:12])
    assert np.array_equal(margins(frozen(learner.actor)), margins(frozen(learner.actor)))


def test_what_the_learner_earns_against_a_copy_is_complete():
    config = with_settings(CONFIG, {"ppo.gae_lambda": 1.0, "reward.scale": 1.0})
    learner = Learner(config, CPU, Shards(1))
    rollout = played(config, Players(learner.actor, learner.critic, [stubborn(1)]))
    first = np.array([np.flatnonzero(rollout.lane == lane)[0] for lane in range(24)])
    target = (rollout.advantage + rollout.value)[first]
    sign = np.where(rollout.seat[first] % 2 == 0, 1, -1)
    before = sign * rollout.margin - target  # what opponents laid before our first decision is not ours to earn
    assert before[rollout.side == BOTH] == pytest.approx(0, abs=1e-3)
    assert (before <= 1e-3).all()
    assert (np.abs(before) < 1e-3).mean() > 0.6


def test_bots_play_their_deals_as_in_a_match():
    """A learner that is sure of what it does, against bots: the deals go as the same players take them in the arena."""
    config = with_settings(CONFIG, {"pool.share": 0.0, "bots.names": ("deepest", "greedy"), "bots.share": 0.5})
    learner = Learner(config, CPU, Shards(1))
    torch.nn.init.normal_(learner.actor.last.weight, std=1e3)  # so sure of itself that nothing is left to the draw
    rollout = played(config, learner.players)
    games = new_games(game_seeds(config.seed, np.arange(12)), np.full(12, -1, dtype=np.int8), deals=1)
    who = np.zeros((12, 4), dtype=np.int64)
    for lane in range(12):
        who[lane, 1 - lane % 2 :: 2] = 1 + lane // 2 % 2
    play(games, [LearnedPolicy(learner.actor), load("deepest"), load("greedy")], who)
    assert np.array_equal(rollout.margin[:12], games["last_score"] @ [1, -1])
    assert (rollout.side[:12] == np.arange(12) % 2).all()
    assert (rollout.side[12:] == BOTH).all()
    ours = rollout.seat % 2 == rollout.side[rollout.lane]
    assert ours[rollout.side[rollout.lane] != BOTH].all()


def test_copies_never_drift_and_the_ring_turns():
    config = with_settings(CONFIG, {"pool.after": 0, "pool.every": 2, "pool.size": 2})
    learner = Learner(config, CPU, Shards(2))
    workers = LocalWorkers(config, CPU, learner.shards)
    prints: list[list[str]] = []
    for _ in range(6):
        learner.update(collect(workers, learner), 0.0)
        prints.append([fingerprint(team) for team in learner.pool.teams])
    assert [len(p) for p in prints] == [0, 1, 1, 2, 2, 2]
    assert prints[1] == prints[2] == prints[3][:1]
    assert prints[3] == prints[4]
    assert prints[5][0] == prints[4][1]
    assert len({*prints[3], *prints[5]}) == 3
    assert fingerprint(learner.actor) == prints[5][1]
    learner.update(collect(workers, learner), 0.0)
    assert fingerprint(learner.actor) != prints[5][1] == fingerprint(learner.pool.teams[1])


def test_the_pool_waits_for_its_decisions():
    learner = Learner(with_settings(CONFIG, {"pool.every": 1, "pool.after": 5000}), CPU, Shards(1))
    learner.pool.offer(learner.actor, 1)
    learner.decisions = 4999
    assert len(learner.players.copies) == 0
    learner.decisions = 5000
    assert learner.players.copies == learner.pool.teams != []
    unopposed = Learner(with_settings(CONFIG, {"pool.share": 0.0, "pool.after": 0}), CPU, Shards(1))
    unopposed.pool.offer(unopposed.actor, 1)
    assert len(unopposed.players.copies) == 0


POOLED = [
    "--pool.after",
    "500",
    "--pool.every",
    "1",
    "--pool.size",
    "3",
    "--ppo.magnet",
    "0.1",
    "--ppo.magnet-every",
    "2",
]


def test_a_run_with_pool_and_magnet_resumes_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)
    one, two = tmp_path / "one", tmp_path / "two"
    assert main([*SMALL, *POOLED, "--updates", "6", "--out", str(one)]) == 0
    assert main([*SMALL, *POOLED, "--updates", "6", "--pause-after", "3", "--out", str(two)]) == 0
    assert main(["--resume", str(two)]) == 0
    (ours, says), (theirs, expected) = (contents(out / "checkpoint.safetensors") for out in (two, one))
    assert {name.split(".")[0] for name in ours} == {"actor", "critic", "adam", "pool", "magnet"}
    assert {name.split(".")[1] for name in ours if name.startswith("pool")} == {"0", "1", "2"}
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if ours[name].tobytes() != theirs[name].tobytes()] == []
    assert json.loads(says["streams"]) == json.loads(expected["streams"])
    assert rows(one) == rows(two)
    table = log.read(one / log.FILE)
    assert [row["pool"] for row in table] == ["1", "2", "3", "3", "3", "3"]
    assert [row["pool_margin"] != "" for row in table] == [False, True, True, True, True, True]
    assert all(float(row["magnet_kl"]) > 0 for row in table[1:])


def test_a_ring_is_put_back_in_its_order():
    ring = Pool(3, 1)
    for update in range(1, 5):
        ring.offer(stubborn(update), update)
    other = Pool(3, 1)
    other.restore(ring.state(), stubborn(9))
    assert [fingerprint(a) for a in other.teams] == [fingerprint(a) for a in ring.teams]
    assert not any(p.requires_grad for team in other.teams for p in team.parameters())


# The magnet -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [SparseInputs, DenseInputs])
def test_the_divergence_and_its_gradient(form, decisions):
    """Against float64 by autograd over the legal logits."""
    actor, magnet = Actor(CONFIG.shape), stubborn(5)
    torch.nn.init.normal_(actor.last.weight, std=1.0)
    part = slice(0, 200)
    rows_ = form.of(decisions.view[part, :SIZE].copy(), decisions.legal[part])
    dense = DenseInputs.of(decisions.view[part, :SIZE].copy(), decisions.legal[part])
    taken = decisions.mask[part].argmax(axis=1)
    expected = []
    for near in ("snapshot", "uniform"):
        given = magnet.legal_log_probs(rows_) if near == "snapshot" else uniform_log_probs(rows_)
        *_, away = actor.evaluate_near(rows_, taken, given)
        gradient = torch.autograd.grad(away.sum(), actor.last.weight)[0]
        logits = actor.last(actor.trunk(dense)).double().masked_fill(~dense.mask, -1e9)
        log_p = torch.log_softmax(logits, -1)
        theirs = (
            magnet.log_p(dense).double() if near == "snapshot" else -dense.mask.sum(-1, keepdim=True).double().log()
        )
        terms = torch.where(dense.mask, log_p.exp() * (log_p - theirs), 0.0)
        exact = torch.autograd.grad(terms.sum(), actor.last.weight)[0]
        assert torch.allclose(away.double(), terms.sum(-1), atol=1e-4)
        assert torch.allclose(gradient, exact, atol=2e-3, rtol=1e-3)
        assert exact.abs().max() > 0.1
        expected.append(float(away.detach().sum()))
    assert expected[0] != pytest.approx(expected[1], rel=0.1)


def test_a_strong_magnet_holds_the_policy():
    """The same update with and without it: with it, the policy ends nearer to the magnet."""
    away = []
    for weight in (0.0, 5.0):
        config = with_settings(
            CONFIG,
            {
                "ppo.magnet": weight,
                "ppo.magnet_policy": "uniform",
                "ppo.entropy": (0.0, 0.0),
                "optim.lr": (3e-3, 3e-3),
                "ppo.target_kl": 0,
            },
        )
        learner = Learner(config, CPU, Shards(1))
        torch.nn.init.normal_(learner.actor.last.weight, std=0.3)
        rollout = played(config, learner.players)
        for _ in range(3):
            logged = learner.update(rollout, 0.0)
        given = SparseInputs.of(rollout.view, rollout.legal)
        with torch.no_grad():
            *_, apart = learner.actor.evaluate_near(given, rollout.action, uniform_log_probs(given))
        away.append(float(apart.mean()))
        assert (logged["magnet_kl"] > 0) == (weight > 0)
    assert away[1] < 0.5 * away[0]


def test_a_magnet_that_is_the_policy_pulls_nowhere():
    learner = Learner(with_settings(CONFIG, {"ppo.magnet": 1.0}), CPU, Shards(1))
    rollout = played(CONFIG, learner.players)
    given = SparseInputs.of(rollout.view, rollout.legal)
    assert learner.magnet is not None
    *_, away = learner.actor.evaluate_near(given, rollout.action, learner.magnet.legal_log_probs(given))
    gradients = torch.autograd.grad(away.sum(), list(learner.actor.parameters()))
    assert away.abs().max() < 1e-6
    assert max(float(g.abs().max()) for g in gradients) < 1e-3

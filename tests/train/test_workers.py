"""Deals by number, and whoever plays them: what a job brings hangs on the players, the numbers and the seats."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from experiments import tournament
from train.algorithms.pool import LEARNER
from train.config.base import with_settings
from train.config.ppo import Config
from train.data.deals import fractions, game_seeds, orders
from train.data.packed import pack, unpack
from train.data.rollout import BOTH, Collector, Rollout
from train.scale.ray_workers import RolloutWorker, weights_of
from train.scale.workers import jobs_of
from train.selfplay import SelfPlay, main

ROOT = Path(__file__).resolve().parents[2]
CONFIG = with_settings(
    Config(),
    {"deals": 40, "threads": 2, "parts": 5, "network.width": 32, "seed": 3, "pool.share": 0.5, "pool.teams": 2},
)


def rollout(config: Config) -> Rollout:
    trainer = SelfPlay(config)
    learner = trainer.learner
    for seed in (1, 2, 3):
        torch.manual_seed(seed)
        torch.nn.init.normal_(learner.actor.last.weight, std=0.4)
        learner.pool.offer(learner.actor, learner.pool.every)
    learner.decisions = config.pool.after
    played = trainer.collect()
    trainer.close()
    return played


# Numbers --------------------------------------------------------------------------------------------------------------


def test_seeds_of_games_are_of_the_run_and_the_number():
    some = game_seeds(3, np.arange(1000))
    assert np.array_equal(game_seeds(3, np.array([999, 7])), some[[999, 7]])
    assert len(np.unique(np.concatenate([some, *(game_seeds(seed, np.arange(1000)) for seed in (0, 1, 2, 4))]))) == 5000


def test_fractions_are_uniform_and_do_not_hang_together():
    """Of 2,000 neighbouring deals and 100 steps: 40 bins by chi-square, and no correlation from deal to deal, from step
    to step, or between the streams of neighbouring runs, beyond 4 standard deviations."""
    table = np.stack([fractions(game_seeds(3, np.arange(2000)), time) for time in range(100)])
    assert (table >= 0).all()
    assert (table < 1).all()
    counts = np.bincount((table * 40).astype(int).ravel(), minlength=40)
    assert ((counts - 5000) ** 2 / 5000).sum() < 72.1  # 39 degrees of freedom, p = 0.001
    other = np.stack([fractions(game_seeds(4, np.arange(2000)), time) for time in range(100)])
    for one, two in ((table[:, 1:], table[:, :-1]), (table[1:], table[:-1]), (table, other)):
        assert abs(np.corrcoef(one.ravel(), two.ravel())[0, 1]) < 4 / np.sqrt(one.size)


def test_orders_of_suits_are_uniform_and_seats_have_their_own():
    drawn = orders(game_seeds(3, np.arange(6000)))
    for seat in range(4):
        counts = np.bincount(drawn[:, seat], minlength=24)
        assert len(counts) == 24
        assert ((counts - 250) ** 2 / 250).sum() < 49.7  # 23 degrees of freedom, p = 0.001
    assert 0.03 < (drawn[:, 0] == drawn[:, 2]).mean() < 0.055  # 1 in 24


def test_jobs_are_all_deals_once_and_go_on_from_update_to_update():
    for parts in (1, 3, 40):
        for update in (0, 1, 7):
            jobs = jobs_of(replace(CONFIG, parts=parts), update, 0)
            assert len(jobs) == parts
            assert np.concatenate([job.deals for job in jobs]).tolist() == list(range(40 * update, 40 * update + 40))
            assert all((job.who == LEARNER).all() and job.who.shape == (len(job.deals), 4) for job in jobs)
    assert len(jobs_of(with_settings(CONFIG, {"reward.kind": "win"}), 0, 0)[0].deals) == 4, "games of two deals"


def test_each_part_meets_copies_of_its_own():
    met = [frozenset(np.unique(job.who).tolist()) - {LEARNER} for job in jobs_of(CONFIG, 2, 6)]
    assert all(len(copies) == 2 for copies in met)
    assert len(set(met)) > 1
    assert met == [frozenset(np.unique(job.who).tolist()) - {LEARNER} for job in jobs_of(CONFIG, 2, 6)]


# Workers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("changed", [{}, {"suit_permutation": "per_seat"}, {"reward.kind": "win"}], ids=str)
def test_threads_make_no_difference(changed: dict[str, str]):
    one, three = (rollout(with_settings(CONFIG, {"threads": threads, **changed})) for threads in (1, 3))
    assert [name for name, value in vars(one).items() if not np.array_equal(value, vars(three)[name])] == []
    assert (one.side != BOTH).sum() > 4


def test_a_packed_rollout_is_small_and_nothing_is_lost():
    for changed in ({}, {"suit_permutation": "per_seat"}, {"reward.kind": "win"}):
        given = rollout(with_settings(CONFIG, changed))
        packed = pack(given)
        back = unpack(packed)
        for name, value in vars(given).items():
            assert vars(back)[name].dtype == value.dtype, name
            assert np.array_equal(vars(back)[name], value), name
        assert packed.nbytes / len(given) < 225
        assert sum(value.nbytes for value in vars(given).values()) / len(given) > 1300


def test_a_worker_of_a_cluster_takes_a_critic_of_any_width():
    """The worker alone, without Ray: the weights of the learner fit its networks."""
    config = with_settings(CONFIG, {"ppo.critic_width": 16, "parts": 1, "deals": 4})
    learner = SelfPlay(config).learner
    [job] = jobs_of(config, 0, 0)
    packed = RolloutWorker(config)(job, weights_of(learner.actor), weights_of(learner.critic), ())
    local = Collector(config, len(job.deals), torch.device("cpu")).collect(learner.players, job)
    assert np.array_equal(unpack(packed).value, local.value)


# Settings -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", ["", "ray", "ray:", "ray:0", "ray:-2", "ray:x", "dask:4", "local:2", "Ray:2"])
def test_unknown_workers_are_refused(workers: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(ValueError, match=r"expected 'local', or 'ray:N'"):
        Config(workers=workers)
    words = ["--policies", "greedy,random", "--pairs", "2", "--out", str(tmp_path), "--workers", workers]
    with pytest.raises(SystemExit) as left:
        tournament.main(words)
    assert left.value.code == 2
    assert f"workers={workers!r}" in capsys.readouterr().err


def test_parts_are_one_a_worker_or_thread_and_have_a_deal_each():
    assert Config(threads=3).part_count == 3
    assert Config(threads=3, workers="ray:8").part_count == 8
    assert Config(threads=3, workers="ray:8", parts=2).part_count == 2
    assert Config(threads=3, device="cuda").part_count == 1
    with pytest.raises(ValueError, match="deals=4, parts=5"):
        Config(deals=4, parts=5)
    with pytest.raises(ValueError, match="deals=4, parts=4"):
        with_settings(Config(), {"deals": 4, "parts": 4, "reward.kind": "win"})


def test_without_ray_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SystemExit) as left:
        main(["--updates", "1", "--workers", "ray:2", "--out", str(tmp_path / "a")])
    assert left.value.code == 1
    with pytest.raises(SystemExit) as left:
        tournament.main(["--policies", "greedy,random", "--pairs", "2", "--out", str(tmp_path), "--workers", "ray:2"])
    assert left.value.code == 2
    assert capsys.readouterr().err.count("Ray is not installed; pip install") == 2
    assert not (tmp_path / "a").exists()


def test_ray_is_not_imported_unless_it_is_asked_for():
    program = "import sys, train.selfplay, experiments.tournament; print('ray' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"

"""Ray's workers, on a cluster of two nodes: what is played is the same to the last bit, whoever is lost meanwhile."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from experiments import tournament
from persian_rummy_env.evaluation import ray_pool
from persian_rummy_env.evaluation.ray_pool import RayError, RayPool
from tests.experiments.results import alike
from tests.ray_jobs import Fussy, Placed
from tests.train.runs import SMALL, contents, rows
from train.config.base import with_settings
from train.config.ppo import Config
from train.data.packed import Packed
from train.data.rollout import Job, Players, Rollout
from train.scale.ray_workers import RayWorkers, RolloutWorker
from train.scale.workers import jobs_of
from train.selfplay import SelfPlay, main

ray = pytest.importorskip("ray", reason="the group ray is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # Ray's own; of threads and sockets that it closes later
]

CONFIG = with_settings(
    Config(),
    {
        "deals": 20,
        "threads": 1,
        "parts": 5,
        "network.width": 32,
        "seed": 3,
        "suit_permutation": "per_seat",
        "pool.share": 0.5,
        "pool.teams": 2,
    },
)
STORE = 80 * 2**20


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": STORE})
    try:
        made.add_node(num_cpus=1, object_store_memory=STORE)
        ray.init(address=made.address, log_to_driver=False)
        yield made
    finally:
        ray.shutdown()
        made.shutdown()


@pytest.fixture
def add_node(cluster: Any) -> Iterator[Callable[[], Any]]:
    """Adds a node to the cluster; those that a test leaves are removed after it."""
    added = []

    def add() -> Any:
        added.append(cluster.add_node(num_cpus=1, object_store_memory=STORE))
        return added[-1]

    yield add
    for node in added:
        if node in cluster.worker_nodes:
            cluster.remove_node(node)


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """For what may take minutes on a busy machine."""
    until = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.02)


# Playing --------------------------------------------------------------------------------------------------------------


def players() -> Players:
    """A player with two copies that are not like it."""
    learner = SelfPlay(CONFIG).learner
    for seed in (1, 2):
        torch.manual_seed(seed)
        torch.nn.init.normal_(learner.actor.last.weight, std=0.5)
        learner.pool.offer(learner.actor, learner.pool.every)
    learner.decisions = CONFIG.pool.after
    torch.nn.init.normal_(learner.actor.last.weight, std=0.5)
    assert len(learner.players.copies) == 2
    return learner.players


@pytest.fixture(scope="module")
def here() -> list[Rollout]:
    return SelfPlay(CONFIG).workers.collect(players(), jobs_of(CONFIG, 4, 2))


def same(ours: list[Rollout], theirs: list[Rollout]) -> bool:
    pairs = zip(ours, theirs, strict=True)
    return all(np.array_equal(value, vars(b)[name]) for a, b in pairs for name, value in vars(a).items())


@pytest.mark.parametrize("count", [1, 2])
def test_the_same_deals_bring_the_same_bits(count: int, cluster: Any, here: list[Rollout]) -> None:
    with closing(RayWorkers(CONFIG, count)) as workers:
        assert same(workers.collect(players(), jobs_of(CONFIG, 4, 2)), here)
        assert not same(workers.collect(players(), jobs_of(CONFIG, 5, 2)), here)
        assert same(workers.collect(players(), jobs_of(CONFIG, 4, 2)), here), "whatever was played before"
        assert workers.pool.lost == 0


class Mortal(RolloutWorker):
    """Plays a job to its end, and dies before it can answer; once in all, if a file is to be believed."""

    def __init__(self, config: Config, death: Path) -> None:
        super().__init__(config)
        self.death = death

    def __call__(self, job: Job, *common: Any) -> Packed:
        packed = super().__call__(job, *common)
        if not self.death.exists():
            self.death.write_text(f"{job.deals[0]}")
            os.kill(os.getpid(), signal.SIGKILL)
        return packed


def test_a_worker_that_is_killed_in_mid_batch_is_replaced(cluster: Any, here: list[Rollout], tmp_path: Path) -> None:
    with closing(RayWorkers(CONFIG, 2, partial(Mortal, death=tmp_path / "death"))) as workers:
        again = workers.collect(players(), jobs_of(CONFIG, 4, 2))
        assert (tmp_path / "death").exists()
        assert workers.pool.lost == 1
        assert same(again, here), "every deal is there once, and in its place"
        assert sum(len(part.margin) for part in again) == CONFIG.deals
        workers.collect(players(), jobs_of(CONFIG, 5, 2))
        assert workers.pool.lost == 1


# The pool -------------------------------------------------------------------------------------------------------------


def test_a_node_that_goes_down_is_made_up_for_and_one_that_comes_is_used(
    cluster: Any, add_node: Callable[[], Any], tmp_path: Path
) -> None:
    node = add_node()
    with RayPool[int, tuple[int, str]](3, partial(Placed, tmp_path)) as pool:
        places = lambda: len({where for _, where in pool.map(range(9))})  # noqa: E731
        wait_for(lambda: places() == 3, "a worker on each node")
        (tmp_path / f"hold-{node.node_id}").touch()

        def remove() -> None:
            wait_for(lambda: bool(list(tmp_path.glob(f"1??-{node.node_id}"))), "a job on the node that goes down")
            cluster.remove_node(node, allow_graceful=False)

        going = threading.Thread(target=remove)
        going.start()
        told = pool.map(range(100, 124))
        going.join()
        assert [job for job, _ in told] == list(range(100, 124))
        assert pool.lost == 1
        assert places() <= 2, "a third has no CPU to start on"
        add_node()
        wait_for(lambda: places() == 3, "a worker on the new node")
        assert pool.lost == 1


def test_an_error_in_a_job_is_that_error_and_no_loss(cluster: Any) -> None:
    with RayPool[int, int](1, Fussy) as pool:
        with pytest.raises(ValueError, match="seven is too many"):
            pool.map([1, 7])
        assert pool.lost == 0
        assert pool.map([1, 2]) == [1, 2], "the pool goes on"


def test_a_job_that_loses_every_worker_is_given_up(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_pool, "MOST_LOST", 1)
    with RayPool[int, int](1, Fussy) as pool:
        with pytest.raises(RayError, match="job 1 lost its worker 2 times"):
            pool.map([1, 13])
        assert pool.lost == 2


def test_without_a_cpu_no_worker_starts_and_it_says_so(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_pool, "NEXT_SECONDS", 300.0)
    with RayPool[int, int](2, Fussy):
        monkeypatch.setattr(ray_pool, "START_SECONDS", 2.0)
        with pytest.raises(RayError, match="0 CPUs free, and each of 1 workers needs one"):
            RayPool(1, Fussy)


# The commands ---------------------------------------------------------------------------------------------------------


def test_a_run_with_ray_is_the_run_without(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("train.run.main_process.warm_up", lambda *_: None)
    local, far = tmp_path / "local", tmp_path / "far"
    words = [*SMALL, "--pool.after", "0", "--pool.every", "1", "--updates", "4"]
    assert main([*words, "--out", str(local)]) == 0
    assert main([*words, "--workers", "ray:2", "--pause-after", "2", "--out", str(far)]) == 0
    assert main(["--resume", str(far), "--workers", "ray:1", "--pause-after", "3"]) == 0
    assert main(["--resume", str(far), "--workers", "local"]) == 0
    ours, theirs = (contents(out / "checkpoint.safetensors")[0] for out in (far, local))
    assert [name for name in theirs if ours[name].tobytes() != theirs[name].tobytes()] == []
    assert rows(far) == rows(local)
    assert ray.is_initialized(), "a cluster that was there stays"


def test_a_tournament_with_ray_is_the_tournament_without(cluster: Any, tmp_path: Path) -> None:
    policies = "greedy, champion, search(deepest, worlds=1), python:tests.agents.strangers:First"
    words = ["--policies", policies, "--pairs", "40", "--cap", "search(deepest, worlds=1)=10", "--out"]
    results = []
    for name, more in (("local", ()), ("far", ("--workers", "ray:2"))):
        assert tournament.main([*words, str(tmp_path / name), *more]) == 0
        results.append(json.loads((tmp_path / name / "results.json").read_text()))
    assert alike(*results)
    assert results[0]["complete"]

"""Search: the same worlds for every candidate, nothing of the truth, budgets that are kept."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest

from persian_rummy_env.bots import BOTS, bot_codes
from persian_rummy_env.core import arena_kernels, belief_kernels, search_kernels
from persian_rummy_env.core.rng import GOLDEN, mixed
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.evaluation.match import play_match
from persian_rummy_env.players import search as module
from persian_rummy_env.players.policy_io import views_of
from persian_rummy_env.players.priors import ExpertPrior
from persian_rummy_env.players.search import METHODS, MOST_PRIOR, SearchPolicy
from tests.agents.positions import choices_of, positions, shown

BUDGETS = [{"worlds": 6}, {"playouts": 40}]


def leaning_on(worlds: float) -> dict[str, Any]:
    """Arguments for the expert's weights in so many worlds' stead; 0: no prior."""
    return {"prior": ExpertPrior(), "prior_worlds": worlds} if worlds else {}


def margins(views: np.ndarray, legal: np.ndarray, worlds: int, seed: int = 0, bot: str = "deepest") -> np.ndarray:
    """The margin of each candidate in each world of each decision: (k, worlds, 547); 0 where nothing is legal."""
    seeds = np.empty(len(views), dtype=np.uint64)
    search_kernels.world_seeds(views, np.uint64(seed), seeds)
    found = np.zeros((worlds, *legal.shape))
    for world in range(worlds):
        squares = np.zeros(legal.shape)
        search_kernels.evaluate(views, seeds, world, 1, BOTS[bot], legal, found[world], squares, 0, len(views))
        assert (squares == found[world] ** 2).all()
    return found.transpose(1, 0, 2)


def decisions(number: int, least: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Views and masks of decisions with so many candidates at least."""
    batch = shown(positions(4 * number))
    assert batch.views is not None
    rows = np.flatnonzero(batch.action_mask.sum(axis=1) >= least)[:number]
    assert len(rows) == number
    return batch.views[rows], batch.action_mask[rows].astype(bool)


# Worlds and playouts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bot", BOTS)
def test_a_playout_is_a_world_played_on_by_the_bot(bot: str) -> None:
    """The compiled loop against the same done in steps: deal a world, play the candidate, let bots finish the deal."""
    views, legal = decisions(25)
    found = margins(views, legal, 3, bot=bot)
    seeds = np.empty(len(views), dtype=np.uint64)
    search_kernels.world_seeds(views, np.uint64(0), seeds)
    for row, world in np.ndindex(len(views), 3):
        with np.errstate(over="ignore"):
            seed = mixed(seeds[row] ^ mixed(np.uint64(world) + GOLDEN))
        dealt = np.empty((1, 1), dtype=views.dtype)
        seat = views["seat"][[row]].astype(np.int64)
        belief_kernels.sample_worlds(views[[row]], seat, np.array([[seed]], dtype=np.uint64), dealt)
        for action in np.flatnonzero(legal[row]):
            game = dealt[0].copy()
            game["deals"] = game["deal"] + 1
            assert arena_kernels.play_lanes(game, np.zeros(1, dtype=np.int64), np.array([action])) == -1
            arena_kernels.advance(game, bot_codes(bot)[None], np.zeros(1, dtype=np.int64), 0, 1)
            us, them = game["last_score"][0][[seat[0] % 2, 1 - seat[0] % 2]].tolist()
            assert found[row, world, action] == us - them


def test_every_candidate_meets_the_same_worlds() -> None:
    """What a candidate is worth does not hang on which others are looked at, nor on the order."""
    views, legal = decisions(40, least=4)
    whole = margins(views, legal, 4)
    for seed in range(3):
        some = legal & (np.random.default_rng(seed).random(legal.shape) < 0.6)
        some[some.sum(axis=1) < 2] = False
        part = margins(views, some, 4)
        assert (part == np.where(some[:, None], whole, 0)).all()


def test_worlds_depend_on_the_view_and_the_seed_and_differ_between_views() -> None:
    views, _ = decisions(200)
    seeds = np.empty((3, len(views)), dtype=np.uint64)
    search_kernels.world_seeds(views, np.uint64(1), seeds[0])
    search_kernels.world_seeds(views[::-1].copy(), np.uint64(1), seeds[1])
    search_kernels.world_seeds(views, np.uint64(2), seeds[2])
    assert (seeds[0] == seeds[1][::-1]).all()
    assert not (seeds[0] == seeds[2]).any()
    distinct = {view.tobytes() for view in views}
    assert len(set(seeds[0].tolist())) == len(distinct) > 190


# What it does not know ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prior", [0, 20])
@pytest.mark.parametrize("method", METHODS)
def test_a_planted_truth_changes_no_choice(method: str, prior: int) -> None:
    games = positions(120)
    policy = SearchPolicy("deepest", worlds=8, method=method, **leaning_on(prior))
    before = policy.values(*seen(games))
    for seed in range(3):
        other = games.copy()
        for seat in range(4):
            mine = games["seat"] == seat
            other[mine] = exchange_hidden(games[mine], seat, np.random.default_rng(seed))
        assert (other["hand"] != games["hand"]).any(axis=1).mean() > 0.5
        assert (policy.values(*seen(other)) == before).all()


def seen(games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    batch = shown(games)
    assert batch.views is not None
    return batch.views, batch.action_mask


def test_a_policy_is_handed_views_not_games() -> None:
    games = positions(100)
    batch = shown(games)
    wanted = views_of(games, np.arange(100), games["seat"])
    assert batch.views is not None
    assert (batch.views == wanted).all()
    assert not (batch.views["hand"] == games["hand"]).all(axis=1).all()


# Budgets --------------------------------------------------------------------------------------------------------------


def plain_halving(
    margin: np.ndarray, candidates: list[int], playouts: int, before: np.ndarray | float = 0.0
) -> tuple[int, int]:
    """Sequential halving of one decision as its authors tell it: the winner, and the playouts spent.

    Args:
        margin: (worlds, 547), as many worlds as can be needed.
        before: (547,), what the sums of margins begin with.
    """
    rounds = max(1, int(np.ceil(np.log2(len(candidates)))))
    spent = played = 0
    for number in range(rounds):
        share = (playouts - spent) / (rounds - number)
        worlds = max(1, int(share / len(candidates)))
        if number and spent + worlds * len(candidates) > playouts:
            break
        spent += worlds * len(candidates)
        played += worlds
        mean = (margin[:played].sum(axis=0) + before) / played
        candidates = sorted(candidates, key=lambda action: (-mean[action], action))
        candidates = sorted(candidates[: -(-len(candidates) // 2)])
    return min(candidates, key=lambda action: (-mean[action], action)), spent


@pytest.mark.parametrize("prior", [0, 7.5])
@pytest.mark.parametrize("budget", [{"worlds": 1}, *BUDGETS, {"playouts": 3}, {"playouts": 150}])
def test_halving_is_the_plain_algorithm(budget: dict[str, int], prior: float) -> None:
    views, legal = decisions(40)
    policy = SearchPolicy("deepest", **budget, **leaning_on(prior))
    values = policy.values(views, legal)
    before = prior * ExpertPrior().worth_of(views, legal)
    margin = margins(views, legal, 160)
    total = 0
    for row in range(len(views)):
        candidates = np.flatnonzero(legal[row]).tolist()
        playouts = budget.get("playouts") or budget["worlds"] * len(candidates)
        winner, spent = plain_halving(margin[row], candidates, playouts, before[row])
        assert values[row].argmax() == winner
        assert spent <= max(playouts, len(candidates))
        total += spent
    assert policy.playouts == total


def test_of_halving_the_winner_has_the_highest_value_and_its_own_mean() -> None:
    views, legal = decisions(60, least=3)
    values = SearchPolicy("deepest", worlds=20).values(views, legal)
    margin = margins(views, legal, 160)
    for row in range(len(views)):
        winner = values[row].argmax()
        means = margin[row, :, winner].cumsum() / np.arange(1, 161)
        assert np.isclose(means, values[row, winner]).any()
        rest = np.delete(values[row], winner)
        assert rest.max() <= values[row, winner]
        out = np.flatnonzero(legal[row] & (values[row] < -1e5))
        assert len(out) >= legal[row].sum() // 2, "half of them went out after the first round"


def test_flat_search_gives_every_candidate_the_mean_of_as_many_worlds() -> None:
    views, legal = decisions(30)
    policy = SearchPolicy("deepest", worlds=7, method="flat")
    values = policy.values(views, legal)
    assert (values == np.where(legal, margins(views, legal, 7).sum(axis=1) / 7, -np.inf)).all()
    assert policy.playouts == 7 * legal.sum()


def test_with_all_the_weight_on_the_prior_search_plays_as_the_expert_does() -> None:
    games = positions(300)
    wanted = choices_of("expert", games)
    views, legal = seen(games)
    assert (np.where(legal, ExpertPrior().worth_of(views, legal.astype(bool)), -np.inf).argmax(axis=1) == wanted).all()
    for method in METHODS:
        plain, leaning = (
            SearchPolicy("deepest", worlds=1, method=method, **leaning_on(worlds)) for worlds in (0, MOST_PRIOR)
        )
        assert (leaning.act(shown(games)) == wanted).mean() > 0.95
        assert (plain.act(shown(games)) == wanted).mean() < 0.8


def test_the_prior_counts_as_worlds_do() -> None:
    views, legal = decisions(30)
    values = SearchPolicy("deepest", worlds=7, method="flat", **leaning_on(3)).values(views, legal)
    wanted = (margins(views, legal, 7).sum(axis=1) + 3 * ExpertPrior().worth_of(views, legal)) / 7
    assert np.allclose(values[legal], wanted[legal], rtol=0, atol=1e-9)
    assert (values[~legal] == -np.inf).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_forced_decision_costs_nothing(method: str) -> None:
    views, legal = decisions(20)
    alone = np.zeros_like(legal)
    alone[np.arange(20), legal.argmax(axis=1)] = True
    for budget in ({"worlds": 50}, {"playouts": 50}, {"ms": 1000.0}):
        policy = SearchPolicy("deepest", **budget, method=method)
        values = policy.values(views, alone)
        assert (values == np.where(alone, 0.0, -np.inf)).all()
        assert policy.playouts == 0


@pytest.mark.parametrize("method", METHODS)
def test_milliseconds_are_kept_by_the_clock(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that needs 10 microseconds a playout, and as long to look at the clock."""
    views, legal = decisions(5, least=4)
    playouts = []
    for ms in (0.01, 5, 50):
        policy = SearchPolicy("deepest", ms=ms, method=method, threads=1)
        looks = count()
        clock = lambda: 1e-5 * (policy.playouts + next(looks))  # noqa: B023, E731
        monkeypatch.setattr(module.time, "perf_counter", clock)
        values = policy.values(views, legal)
        assert np.isfinite(values[legal]).all()
        assert (values[~legal] == -np.inf).all()
        playouts.append(policy.playouts)
        if ms > 1:
            assert 0.8 * ms < 1000 * clock() / len(views) < 1.1 * ms
    assert legal.sum() <= playouts[0] <= 3 * legal.sum()
    assert 0 < 2 * playouts[1] < playouts[2]


@pytest.mark.perf
def test_milliseconds_are_kept() -> None:
    views, legal = decisions(20, least=4)
    policy = SearchPolicy("deepest", ms=20)
    policy.values(views, legal)
    start = module.time.perf_counter()
    policy.values(views, legal)
    assert 20 <= 1000 * (module.time.perf_counter() - start) / len(views) < 40


# Threads and batches --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prior", [0, 20])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("number", [1, 3, 60])
def test_threads_and_batches_change_nothing(method: str, number: int, prior: int) -> None:
    views, legal = decisions(60)
    views, legal = views[:number], legal[:number]
    options: dict[str, Any] = {"worlds": 200 if number < 60 else 9, "method": method, **leaning_on(prior)}
    one = SearchPolicy("deepest", **options, threads=1)
    values = one.values(views, legal)
    for threads in (2, 3):
        assert (SearchPolicy("deepest", **options, threads=threads).values(views, legal) == values).all()
    alone = [one.values(views[row : row + 1], legal[row : row + 1]) for row in range(min(number, 10))]
    assert (np.concatenate(alone) == values[:10]).all(), "neither the batch nor what was searched before matters"


def test_search_against_itself_differs_by_nothing() -> None:
    one, two = (SearchPolicy("deepest", worlds=3, threads=threads) for threads in (1, 2))
    result = play_match(one, two, 12, seed=5)
    assert (result.margin, result.pair_sd) == (0, 0)
    other = play_match(one, SearchPolicy("deepest", worlds=3, seed=1), 12, seed=5)
    assert other.pair_sd > 0


def test_search_beats_its_own_playouts() -> None:
    result = play_match(SearchPolicy("deepest", worlds=40), SearchPolicy("deepest", worlds=1), 20, seed=6)
    assert result.margin > 0, str(result)

"""Playouts by policies outside the compiled loop: what they are worth, and what they do not hang on."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import PersianRummyVecEnv, RuleSet
from persian_rummy_env.core import arena_kernels, belief_kernels, search_kernels
from persian_rummy_env.core.rng import GOLDEN, mixed
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.evaluation.arena import play_new
from persian_rummy_env.evaluation.match import play_match
from persian_rummy_env.players import search as module
from persian_rummy_env.players.load import load
from persian_rummy_env.players.playouts import PolicyPlayouts
from persian_rummy_env.players.policy import BasePolicy, DecisionBatch
from persian_rummy_env.players.policy_io import views_of
from persian_rummy_env.players.priors import ExpertPrior, PolicyPrior
from persian_rummy_env.players.search import METHODS, SearchPolicy
from tests.agents.positions import positions, shown
from tests.agents.strangers import First

NARROW = "prior=champion, min_prior=0.0001, candidates=4"


class Peeping(BasePolicy):
    """The last legal action. It keeps what it was shown."""

    name, wants_views = "peeping", True

    def __init__(self) -> None:
        self.shown: list[np.ndarray] = []

    def act(self, batch: DecisionBatch) -> np.ndarray:
        assert batch.views is not None
        self.shown.append(batch.views)
        return 546 - batch.action_mask[:, ::-1].argmax(axis=1)


def decisions(number: int, least: int = 2) -> DecisionBatch:
    """Decisions with so many candidates at least, of first and second deals in turn."""
    batch = shown(positions(400))
    assert batch.views is not None
    enough = batch.action_mask.sum(axis=1) >= least
    rows = [np.flatnonzero(enough & (batch.views["deal"] == deal))[:number] for deal in (0, 1)]
    return batch.rows(np.stack(rows, axis=1).reshape(-1)[:number])


def of_other_rules(number: int) -> DecisionBatch:
    env = PersianRummyVecEnv(number, rules=RuleSet(deals=3, quad_bonus="jacks", stock_out="end"))
    env.reset(seed=4)
    rng = np.random.default_rng(1)
    for _ in range(40):
        env.step(env.sample_actions(rng))
    return shown(env.get_state())


def one_by_one(batch: DecisionBatch, policy: Any, worlds: int) -> np.ndarray:
    """The mean margin of every legal action (k, 547); each world is dealt, and each game played, by itself."""
    assert batch.views is not None
    means = np.full(batch.action_mask.shape, -np.inf)
    seeds = np.empty(len(batch), dtype=np.uint64)
    search_kernels.world_seeds(batch.views.copy(), np.uint64(0), seeds)
    for row, action in zip(*np.nonzero(batch.action_mask), strict=True):
        seat = batch.seat[[row]].astype(np.int64)
        margins = []
        for number in range(worlds):
            with np.errstate(over="ignore"):
                seed = mixed(seeds[row] ^ mixed(np.uint64(number) + GOLDEN))
            dealt = np.empty((1, 1), dtype=batch.views.dtype)
            belief_kernels.sample_worlds(batch.views[[row]], seat, np.array([[seed]], dtype=np.uint64), dealt)
            game = dealt[0]
            game["deals"] = game["deal"] + 1
            assert arena_kernels.play_lanes(game, np.zeros(1, dtype=np.int64), np.array([action])) == -1
            play_new(game, [policy], np.zeros((1, 4), dtype=np.int64))
            us, them = game["last_score"][0][[seat[0] % 2, 1 - seat[0] % 2]].tolist()
            margins.append(us - them)
        means[row, action] = np.mean(margins)
    return means


@pytest.mark.parametrize("name", ["champion", "python:tests.agents.strangers:First"])
def test_a_playout_is_a_world_played_to_its_end_by_the_policy(name: str) -> None:
    policy, batch = load(name), decisions(10)
    values = SearchPolicy(policy, worlds=3, method="flat").values(batch.views, batch.action_mask)
    assert set(batch.views["deal"].tolist()) == {0, 1}
    assert values == pytest.approx(one_by_one(batch, policy, 3), abs=1e-9)


def test_playouts_keep_to_the_rules_of_the_game() -> None:
    batch = of_other_rules(12)
    rows = batch.rows(np.flatnonzero(batch.action_mask.sum(axis=1) > 1))
    assert len(rows) > 4
    found = SearchPolicy(First(), worlds=2, method="flat").values(rows.views, rows.action_mask)
    assert found == pytest.approx(one_by_one(rows, First(), 2), abs=1e-9)


def test_the_players_of_a_playout_see_what_their_seats_see() -> None:
    batch, policy = decisions(6), Peeping()
    SearchPolicy(policy, worlds=2, threads=1).act(batch)
    views = np.concatenate(policy.shown)
    assert len(np.unique(views["seat"])) == 4
    assert (views == views_of(views, np.arange(len(views)), views["seat"])).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_planted_truth_changes_no_choice(method: str) -> None:
    games = positions(30)
    search = load(f"search(champion, worlds=2, method={method}, {NARROW})")
    assert isinstance(search, SearchPolicy)
    before = search.values(shown(games).views, shown(games).action_mask)
    assert search.playouts > 0
    other = games.copy()
    for seat in range(4):
        mine = games["seat"] == seat
        other[mine] = exchange_hidden(games[mine], seat, np.random.default_rng(3))
    assert (other["hand"] != games["hand"]).any(axis=1).mean() > 0.5
    assert (search.values(shown(other).views, shown(other).action_mask) == before).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("number", [1, 12])
def test_batches_and_threads_change_nothing(number: int, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = decisions(number)
    champion = load("champion")
    options: dict[str, Any] = {"worlds": 150 if number == 1 else 12, "method": method}
    options["prior"] = PolicyPrior(champion, min_prior=1e-4, candidates=4)
    one = SearchPolicy(champion, **options, threads=1)
    values = one.values(batch.views, batch.action_mask)
    assert one.playouts > 256, "few enough that one thread plays them all"
    assert (SearchPolicy(champion, **options, threads=3).values(batch.views, batch.action_mask) == values).all()
    monkeypatch.setattr(PolicyPlayouts, "most", 50)
    assert (one.values(batch.views, batch.action_mask) == values).all()
    alone = [one.values(batch.views[[row]], batch.action_mask[[row]]) for row in range(min(number, 4))]
    assert (np.concatenate(alone) == values[:4]).all()


def test_no_more_are_played_together_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    played = []
    sums = PolicyPlayouts.sums

    def counted(self: Any, views: np.ndarray, seeds: np.ndarray, alive: np.ndarray, first: int, worlds: int) -> Any:
        played.append(int(alive.sum()) * worlds)
        return sums(self, views, seeds, alive, first, worlds)

    monkeypatch.setattr(PolicyPlayouts, "sums", counted)
    monkeypatch.setattr(PolicyPlayouts, "most", 60)
    for number, worlds in ((1, 40), (8, 6)):
        search = SearchPolicy(First(), worlds=worlds, method="flat")
        batch = decisions(number)
        played.clear()
        search.act(batch)
        assert sum(played) == search.playouts == batch.action_mask.sum() * worlds
        assert len(played) > 1
        assert max(played) <= 90, "a range may be half as large again where it cannot be cut evenly"


@pytest.mark.parametrize("method", METHODS)
def test_budgets_in_playouts_and_milliseconds_are_kept(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that needs a millisecond to begin playouts, and 10 microseconds for each."""
    batch = decisions(3, least=4)
    candidates = batch.action_mask.sum(axis=1)
    search = SearchPolicy(First(), playouts=100, method=method)
    search.act(batch)
    assert candidates.sum() <= search.playouts <= 300
    for ms in (0.01, 50):
        search = SearchPolicy(First(), ms=ms, method=method, threads=1)
        looks = count()
        clock = lambda: 1e-5 * search.playouts + 1e-3 * next(looks) / 2  # noqa: B023, E731
        monkeypatch.setattr(module.time, "perf_counter", clock)
        values = search.values(batch.views, batch.action_mask)
        assert np.isfinite(values[batch.action_mask > 0]).all()
        if ms > 1:
            assert 0.8 * ms < 1000 * clock() / len(batch) < 1.1 * ms


def test_it_plays_matches_and_repeats_them() -> None:
    name = f"search(champion, worlds=2, {NARROW})"
    result = play_match(load(f"{name[:-1]}, threads=1)"), load(f"{name[:-1]}, threads=2)"), 1, seed=5)
    assert (result.margin, result.pair_sd) == (0, 0)


def test_its_name_says_what_it_is_made_of() -> None:
    champion = load("champion")
    search = SearchPolicy(champion, worlds=2, prior=PolicyPrior(champion, 0.001, 5), prior_worlds=3)
    assert search.name == "search(champion, worlds=2, prior=champion, min_prior=0.001, candidates=5, prior_worlds=3)"
    again = load(search.name)
    assert isinstance(again, SearchPolicy)
    batch = decisions(4)
    assert (again.values(batch.views, batch.action_mask) == search.values(batch.views, batch.action_mask)).all()
    assert SearchPolicy(load("deepest"), worlds=2).name == "search(deepest, worlds=2)"


def test_players_that_cannot_play_out() -> None:
    with pytest.raises(ValueError, match=r"playouts by search\(deepest, worlds=10\): expected a bot, or a policy that"):
        SearchPolicy(SearchPolicy())

    class Other(First):
        rules = RuleSet(stock_out="end")

        def probabilities(self, batch: DecisionBatch) -> np.ndarray:
            return batch.action_mask

    with pytest.raises(ValueError, match="playouts by champion and prior=first: trained with different rules"):
        SearchPolicy(load("champion"), prior=PolicyPrior(Other()))
    assert SearchPolicy(Other(), prior=ExpertPrior()).rules == Other.rules

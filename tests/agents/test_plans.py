"""Search in plans: every way to play the rest of a turn, each end once, and the best of them begun."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from agents import plan_kernels
from agents.candidates import MOST_PLANS, NOT_COMPARED, Plans
from agents.search import SearchPolicy
from persian_rummy_env.actions import DISCARD, MELD_SET
from persian_rummy_env.bots import BOTS, bot_codes
from persian_rummy_env.core import arena, batch, belief, expert, search
from persian_rummy_env.core.expert import EXPERT_WEIGHTS, NUM_FEATURES, WEIGHTS
from persian_rummy_env.core.legal import WORDS
from persian_rummy_env.core.rng import GOLDEN, mixed
from persian_rummy_env.state import DRAW_PHASE, MELD_PHASE, OVER
from tests.agents.positions import positions, shown
from tests.agents.test_search import margins, plain_halving

ROOM = 4096
"""Plans that no decision of these tests has more of."""
MANY = 3000
"""Ways of a turn that the plain enumeration still walks through one by one."""


class Turn(NamedTuple):
    """The plans of one decision."""

    view: np.ndarray
    """(1,) STATE."""
    paths: list[list[int]]


def enumerated(views: np.ndarray, most: int = ROOM) -> list[Turn]:
    paths = np.zeros((len(views), most, plan_kernels.MAX_LENGTH), dtype=np.int16)
    lengths, counts = np.zeros((len(views), most), dtype=np.int64), np.zeros(len(views), dtype=np.int64)
    plan_kernels.turn_plans(views, paths, lengths, counts)
    return [
        Turn(views[[row]], [paths[row, plan, : lengths[row, plan]].tolist() for plan in range(counts[row])])
        for row in range(len(views))
    ]


def decisions(number: int, phase: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Views and legal actions of decisions between several, in a phase; in the meld phase half can lay something."""
    seen = shown(positions(8 * number, seed))
    assert seen.views is not None
    legal = seen.action_mask.astype(bool)
    fits = (seen.views["phase"] == phase) & (legal.sum(axis=1) > 1)
    lays = legal[:, MELD_SET.start : DISCARD.start].any(axis=1)
    rows = np.concatenate([np.flatnonzero(fits & lays)[: number // 2], np.flatnonzero(fits & ~lays)])
    if phase == DRAW_PHASE:
        rows = np.flatnonzero(fits)
    rows = rows[:number]
    assert len(rows) == number
    return seen.views[rows], legal[rows]


def legal_in(game: np.ndarray) -> list[int]:
    words = np.zeros((1, WORDS), dtype=np.uint64)
    batch.legal_words(game, words, 0, 1)
    return np.flatnonzero(batch.unpacked(words)[0]).tolist()


def after(game: np.ndarray, action: int) -> np.ndarray:
    """A game of one deal, an action further; the action must be legal."""
    game = game.copy()
    game["deals"] = game["deal"] + 1
    assert arena.play_lanes(game, np.zeros(1, dtype=np.int64), np.array([action])) == -1
    return game


def turn_is_over(game: np.ndarray, seat: int) -> bool:
    return game["seat"][0] != seat or game["phase"][0] == OVER


def end_of(game: np.ndarray, seat: int) -> tuple[object, ...]:
    """All that a turn can change: hand, table, points, pile, score."""
    names = ("runs", "sets", "points", "pile", "last_score", "phase")
    return game["hand"][0, seat], *(np.ravel(game[name][0]).tobytes() for name in names)


def all_ends(game: np.ndarray) -> set[tuple[object, ...]] | None:
    """Every end of the turn, by walking through each way of it; None where there are too many."""
    seat, ends, ways = int(game["seat"][0]), set(), [game]
    walked = 0
    while ways:
        walked += 1
        if walked > MANY:
            return None
        here = ways.pop()
        if turn_is_over(here, seat):
            ends.add(end_of(here, seat))
        else:
            ways += [after(here, action) for action in legal_in(here)]
    return ends


def test_plans_are_all_ends_of_the_turn_each_once() -> None:
    views, _ = decisions(150, MELD_PHASE)
    walked, several = 0, 0
    for turn in enumerated(views):
        seat, found = int(turn.view["seat"][0]), []
        for path in turn.paths:
            game = turn.view
            for action in path:
                assert not turn_is_over(game, seat)
                game = after(game, action)
            assert turn_is_over(game, seat)
            found.append(end_of(game, seat))
        assert len(set(found)) == len(found), "two plans end alike"
        ends = all_ends(turn.view)
        if ends is not None:
            assert set(found) == ends
            walked += 1
            several += any(len(path) > 2 for path in turn.paths)
    assert walked > 120
    assert several > 20


def test_in_the_draw_phase_a_plan_is_a_legal_action() -> None:
    views, legal = decisions(60, DRAW_PHASE)
    for turn, allowed in zip(enumerated(views), legal, strict=True):
        assert turn.paths == [[action] for action in np.flatnonzero(allowed)]


def test_where_there_is_no_room_the_plans_of_most_promise_stay() -> None:
    views, _ = decisions(60, MELD_PHASE)
    dropped = 0
    for whole, part in zip(enumerated(views), enumerated(views, 5), strict=True):
        promise = {tuple(path): promise_of(whole.view, path) for path in whole.paths}
        kept = {tuple(path) for path in part.paths}
        assert len(kept) == min(5, len(promise))
        worst = min(promise[path] for path in kept)
        assert max([-np.inf, *(promise[path] for path in promise.keys() - kept)]) <= worst + 1e-9
        dropped += len(promise) - len(kept)
    assert dropped > 300


def promise_of(view: np.ndarray, path: list[int]) -> float:
    """The expert's worth of the last action, and its worth of the points laid before at the danger of the moment."""
    game = view
    for action in path[:-1]:
        game = after(game, action)
    terms = np.zeros((1, NUM_FEATURES))
    expert.features_of(game, np.zeros(1, dtype=np.int64), np.array(path[-1:]), terms)
    seat = int(view["seat"][0])
    shorter = min(int(view["hand"][0, (seat + turn) % 4]).bit_count() for turn in (1, 3))
    laid = int(game["points"][0, seat % 2]) - int(view["points"][0, seat % 2])
    return float(terms[0] @ EXPERT_WEIGHTS) + WEIGHTS["points_danger"] * laid / 10 / (1 + shorter)


@pytest.mark.parametrize("bot", ["deepest", "expert"])
def test_a_plan_is_played_in_the_worlds_of_search_and_then_the_bot_takes_over(bot: str) -> None:
    views, legal = decisions(25, MELD_PHASE)
    seeds = np.empty(len(views), dtype=np.uint64)
    search.world_seeds(views, np.uint64(0), seeds)
    candidates = Plans.of(views, seeds, legal)
    for world in range(3):
        total = candidates.play(candidates.alive, world, 1, BOTS[bot])
        assert (total[~candidates.alive] == 0).all()
        for row, plan in zip(*np.nonzero(candidates.alive), strict=True):
            with np.errstate(over="ignore"):
                seed = mixed(seeds[row] ^ mixed(np.uint64(world) + GOLDEN))
            dealt = np.empty((1, 1), dtype=views.dtype)
            seat = views["seat"][[row]].astype(np.int64)
            belief.sample_worlds(views[[row]], seat, np.array([[seed]], dtype=np.uint64), dealt)
            game = dealt[0]
            for action in candidates.paths[row, plan, : candidates.lengths[row, plan]]:
                game = after(game, int(action))
            arena.play_games(game, bot_codes(bot)[None], np.zeros(1, dtype=np.int64), 0, 1)
            us, them = game["last_score"][0][[seat[0] % 2, 1 - seat[0] % 2]].tolist()
            assert total[row, plan] == us - them


def test_in_the_draw_phase_plans_are_halving() -> None:
    views, legal = decisions(60, DRAW_PHASE)
    halving, in_plans = (SearchPolicy("deepest", worlds=12, method=method) for method in ("halving", "plans"))
    assert (in_plans.values(views, legal) == halving.values(views, legal)).all()
    assert in_plans.playouts == halving.playouts > 0


@pytest.mark.parametrize("budget", [{"worlds": 1}, {"worlds": 12}, {"playouts": 200}])
def test_plans_are_halved_by_the_plain_algorithm_within_the_budget_of_the_actions(budget: dict[str, int]) -> None:
    views, legal = decisions(40, MELD_PHASE)
    policy = SearchPolicy("deepest", **budget, method="plans")
    values = policy.values(views, legal)
    seeds = np.empty(len(views), dtype=np.uint64)
    search.world_seeds(views, np.uint64(0), seeds)
    candidates = Plans.of(views, seeds, legal)
    margin = np.array([candidates.play(candidates.alive, world, 1, BOTS["deepest"]) for world in range(200)])
    total = 0
    for row in range(len(views)):
        columns = np.flatnonzero(candidates.alive[row]).tolist()
        playouts = budget.get("playouts") or budget["worlds"] * int(legal[row].sum())
        winner, spent = plain_halving(margin[:, row], columns, playouts)
        assert values[row].argmax() == candidates.paths[row, winner, 0]
        assert spent <= max(playouts, len(columns))
        total += spent
    assert policy.playouts == total


def test_an_action_is_worth_the_best_plan_that_begins_with_it() -> None:
    views, legal = decisions(80, MELD_PHASE)
    candidates = Plans.of(views, np.zeros(len(views), dtype=np.uint64), legal)
    values = np.random.default_rng(0).normal(size=candidates.alive.shape)
    found = candidates.of_actions(values)
    begun = 0
    for row, action in np.ndindex(found.shape):
        of_plans = values[row][candidates.alive[row] & (candidates.paths[row, :, 0] == action)]
        begun += len(of_plans) > 1
        illegal = -np.inf if not legal[row, action] else NOT_COMPARED
        assert found[row, action] == (of_plans.max() if len(of_plans) else illegal)
    assert begun > 30


def test_search_in_plans_lays_before_it_discards_what_the_bot_would_throw_away() -> None:
    """In many worlds, plans are at least as good as single actions by the playouts' own measure: among the plans are
    the ends to which the actions lead when the bot plays the rest of the turn."""
    views, legal = decisions(40, MELD_PHASE)
    worlds = 30
    of_actions = margins(views, legal, worlds).mean(axis=1)
    seeds = np.empty(len(views), dtype=np.uint64)
    search.world_seeds(views, np.uint64(0), seeds)
    candidates = Plans.of(views, seeds, legal)
    of_plans = candidates.play(candidates.alive, 0, worlds, BOTS["deepest"]) / worlds
    room = candidates.alive.sum(axis=1) < MOST_PLANS
    best = np.where(candidates.alive, of_plans, -np.inf).max(axis=1)
    single = np.where(legal, of_actions, -np.inf).max(axis=1)
    assert (best >= single)[room].all()
    assert (best > single + 1)[room].mean() > 0.1

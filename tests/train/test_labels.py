"""Labels: what search and a bot say of decisions, worked out again step by step, and blind to what is hidden."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agents.belief import sample_worlds, views_of
from agents.network import Actor, Shape
from persian_rummy_env.bots import BOTS
from persian_rummy_env.core import bots, search
from persian_rummy_env.core.apply import apply
from persian_rummy_env.core.batch import unpacked
from persian_rummy_env.core.belief import deal_world
from persian_rummy_env.core.legal import WORDS, legal_actions
from persian_rummy_env.core.rng import GOLDEN, mixed
from persian_rummy_env.state import OVER
from train.config import Config
from train.label_kernels import list_legal, search_labels, split_stock
from train.labels import LabelCollector, Labeller, Labels, by_expert, by_search
from train.regress import importance_of

CPU = torch.device("cpu")
CONFIG = Config(seed=5, width=16)


@pytest.fixture(scope="module")
def actor() -> Actor:
    torch.manual_seed(1)
    return Actor(Shape(16, 1))


def collector(random_share: float = 0.1, part: int = 0) -> LabelCollector:
    return LabelCollector(CONFIG, part, 96, CPU, random_share)


class Decisions:
    """Decisions with several legal actions, from all parts of deals: ``games``, ``lanes``, ``seats``, ``views``, and
    the legal actions as ``start`` and ``action``."""

    def __init__(self) -> None:
        tables = collector()
        self.games = tables.env.get_state()
        words = tables.env.packed_mask.copy()
        self.lanes = np.flatnonzero(np.bitwise_count(words).sum(axis=1) > 1)
        self.seats = self.games["seat"][self.lanes]
        self.legal = words[self.lanes]
        self.views = views_of(self.games, self.lanes, self.seats)
        self.start = np.empty(len(self.lanes) + 1, dtype=np.int64)
        self.action = np.empty(int(np.bitwise_count(self.legal).sum()), dtype=np.int16)
        list_legal(self.legal, self.start, self.action)

    def labels(self, label: Labeller, seed: int = 0) -> tuple[np.ndarray, np.ndarray, int]:
        return label(self.views, self.start, self.action, np.random.default_rng(seed))


@pytest.fixture(scope="module")
def decisions() -> Decisions:
    return Decisions()


def test_the_legal_actions_are_listed(decisions: Decisions) -> None:
    rows, actions = np.nonzero(unpacked(decisions.legal))
    assert np.array_equal(decisions.action, actions)
    assert np.array_equal(np.repeat(np.arange(len(decisions.lanes)), np.diff(decisions.start)), rows)


def by_hand(view: np.ndarray, seed: np.uint64, actions: np.ndarray, worlds: int, near: int, plies: int, far: int):
    """The margins (worlds, actions) of ``search_labels``, one function of the core after another."""
    words, cards = np.zeros((1, WORDS), dtype=np.uint64), np.zeros(56, dtype=np.uint8)
    margins = np.empty((worlds, len(actions)))
    for number in range(worlds):
        world = view.copy()
        with np.errstate(over="ignore"):
            world["sample_rng"] = mixed(seed ^ mixed(np.uint64(number) + GOLDEN))
        deal_world(world[0], int(world["seat"][0]), cards)
        split_stock(world[0])
        world["deals"] = world["deal"] + 1
        for k, action in enumerate(actions):
            game, choices = world.copy()[0], 0
            apply(game, int(action))
            while game["phase"] != OVER:
                legal_actions(game, words, 0)
                several = np.bitwise_count(words).sum() > 1
                apply(game, bots.choose(game, words, 0, near if choices < plies or not several else far))
                choices += several
            margins[number, k] = search.deal_margin(game, int(view["seat"][0]) % 2)
    return margins


@pytest.mark.parametrize(("worlds", "near", "plies", "far"), [(3, "expert", 5, "deepest"), (1, "greedy", 0, "deepest")])
def test_labels_are_those_of_a_search_by_hand(
    decisions: Decisions, worlds: int, near: str, plies: int, far: str
) -> None:
    value, spread, told = decisions.labels(by_search(worlds, near, plies, far))
    seeds = np.random.default_rng(0).integers(0, 2**64, size=len(decisions.views), dtype=np.uint64)
    assert told == worlds
    for row in (0, 11, 37):
        of_row = slice(decisions.start[row], decisions.start[row + 1])
        view, actions = decisions.views[row : row + 1], decisions.action[of_row]
        margins = by_hand(view, seeds[row], actions, worlds, BOTS[near], plies, BOTS[far])
        centred = margins - margins.mean(axis=1, keepdims=True)
        assert np.allclose(value[of_row], centred.mean(axis=0), atol=1e-3)
        variance = centred.var(axis=0, ddof=1).mean() if worlds > 1 else 0.0
        assert spread[row] == pytest.approx(variance, rel=1e-3, abs=1e-2)


def test_labels_mean_what_plain_search_means(decisions: Decisions) -> None:
    """The stocks of their own leave the means as they are: against ``core.search`` on other worlds."""
    rows, worlds = np.array([3, 20, 41]), 1500
    start = np.concatenate([[0], np.cumsum(np.diff(decisions.start)[rows])])
    action = np.concatenate([decisions.action[decisions.start[row] : decisions.start[row + 1]] for row in rows])
    value, spread = np.empty(len(action), dtype=np.float32), np.empty(len(rows), dtype=np.float32)
    seeds = np.arange(3, dtype=np.uint64)
    deepest = BOTS["deepest"]
    search_labels(decisions.views[rows], seeds, start, action, worlds, deepest, 0, deepest, value, spread)
    alive = unpacked(decisions.legal[rows]).astype(bool)
    total, squares = np.zeros(alive.shape), np.zeros(alive.shape)
    search.evaluate(decisions.views[rows], seeds + np.uint64(9), 0, worlds, deepest, alive, total, squares, 0, 3)
    for row in range(3):
        plain = total[row, alive[row]] / worlds
        error = np.sqrt(2 * spread[row] / worlds)
        assert np.abs(value[start[row] : start[row + 1]] - (plain - plain.mean())).max() < 4.5 * error


@pytest.mark.parametrize("label", [by_search(2, "expert", 8, "deepest"), by_expert], ids=["search", "expert"])
def test_what_is_hidden_does_not_change_labels(decisions: Decisions, label: Labeller) -> None:
    rng = np.random.default_rng(4)
    others = decisions.games.copy()
    others[decisions.lanes] = sample_worlds(decisions.views, decisions.seats, 1, rng)[:, 0]
    assert (others["hand"] != decisions.games["hand"]).any(axis=1)[decisions.lanes].mean() > 0.9
    views = views_of(others, decisions.lanes, decisions.seats)
    value, spread, _ = label(views, decisions.start, decisions.action, np.random.default_rng(0))
    expected = decisions.labels(label)
    assert np.array_equal(value, expected[0])
    assert np.array_equal(spread, expected[1])


def test_the_bot_s_labels_choose_as_the_bot_does(decisions: Decisions) -> None:
    value, _, worlds = decisions.labels(by_expert)
    chosen = np.empty(len(decisions.views), dtype=np.int64)
    codes = np.full((len(chosen), 4), BOTS["expert"], dtype=np.int8)
    bots.choose_many(decisions.views, decisions.legal, codes, chosen, 0, len(chosen))
    for row, (first, stop) in enumerate(zip(decisions.start[:-1], decisions.start[1:], strict=True)):
        listed = decisions.action[first:stop].tolist()
        assert value[first:stop].max() - value[first + listed.index(chosen[row])] < 1e-4
    assert worlds == 0


def test_a_collector_labels_what_it_plays(actor: Actor) -> None:
    tables = collector()
    labels = tables.collect(actor, 200, by_search(1, "deepest", 0, "deepest"))
    assert 200 <= len(labels) < 200 + 96
    assert tables.decisions % 96 == 0
    assert (labels.count == np.bitwise_count(labels.legal).sum(axis=1)).all()
    assert (labels.count > 1).all()
    assert len(labels.action) == len(labels.value) == labels.count.sum() == labels.start[-1]
    assert np.abs(np.add.reduceat(labels.value, labels.start[:-1])).max() < 1e-2
    assert set(labels.worlds.tolist()) == {1}
    assert labels.stock.max() > 20
    assert labels.stock.min() < 5


def test_a_collector_goes_on_where_it_was(actor: Actor) -> None:
    label = by_search(1, "deepest", 0, "deepest")
    tables, other = collector(), collector(part=1)
    tables.collect(actor, 100, label)
    other.restore(*tables.state())
    ours, theirs = (each.collect(actor, 300, label) for each in (tables, other))
    for name in ("view", "legal", "action", "value"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert not np.array_equal(collector(part=1).state()[0], collector().state()[0])


def some(worlds: int, squares: list[float], stock: list[int], spread: float = 0.0) -> Labels:
    """Decisions of two actions with values of these squares."""
    n = len(squares)
    view = np.zeros((n, 1020), dtype=np.uint8)
    value = np.stack([np.sqrt(squares), -np.sqrt(squares)], axis=1).astype(np.float32).ravel()
    labels = Labels(
        view, np.zeros((n, 9), np.uint64), np.full(n, 2), np.tile(np.int16([1, 2]), n), value,
        np.full(n, worlds, np.int16), np.full(n, spread, np.float32),
    )  # fmt: skip
    labels.stock[:] = stock
    return labels


def test_sure_labels_count_for_more() -> None:
    """One over the variance: 100 of the network itself, and that of a world over the number of worlds."""
    assert importance_of(some(1, [300.0, 500.0], [9, 9])) == pytest.approx(1 / 500)
    assert importance_of(some(4, [5.0], [9], spread=400.0)) == pytest.approx(1 / 200)
    assert importance_of(some(16, [5.0], [9], spread=400.0)) == pytest.approx(1 / 125)
    assert importance_of(some(0, [300.0], [9])) == pytest.approx(1 / 100)
    late_and_early = importance_of(some(1, [100.0, 900.0, 1100.0], [2, 20, 20]))
    assert late_and_early == pytest.approx([1 / 200, 1 / 1100, 1 / 1100])
    both = importance_of(Labels.join([some(1, [300.0], [9]), some(0, [300.0], [9])]))
    assert both == pytest.approx([1 / 400, 1 / 100])

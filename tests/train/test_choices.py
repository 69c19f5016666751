"""Labels: what a teacher says of decisions of the player's own play, and that nothing hidden says it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agents.inputs import DenseInputs
from agents.learned import read_policy
from agents.network import Actor
from persian_rummy_env.bots import BOTS, bot_codes
from persian_rummy_env.core import arena_kernels
from persian_rummy_env.core.bot_kernels import choose_many
from persian_rummy_env.players.bundled import CHAMPION
from persian_rummy_env.players.load import load
from persian_rummy_env.players.network_shape import Shape
from persian_rummy_env.players.policy import DecisionBatch
from persian_rummy_env.players.policy_io import sample_worlds, views_of
from persian_rummy_env.players.priors import PolicyPrior
from persian_rummy_env.players.search import SearchPolicy
from train.config.base import with_settings
from train.config.ppo import Config
from train.data.labels import LabelCollector, by_bot, by_policy, teacher_of

CPU = torch.device("cpu")
CONFIG = with_settings(Config(), {"seed": 5, "network.width": 16})


@pytest.fixture(scope="module")
def actor() -> Actor:
    torch.manual_seed(1)
    return Actor(Shape(16, 1))


def collector(random_share: float = 0.1, part: int = 0) -> LabelCollector:
    return LabelCollector(CONFIG, part, 96, CPU, random_share)


def open_decisions(tables: LabelCollector) -> tuple[np.ndarray, np.ndarray]:
    """The lanes with several legal actions, and the packed masks there."""
    words = tables.env.packed_mask.copy()
    lanes = np.flatnonzero(np.bitwise_count(words).sum(axis=1) > 1)
    return lanes, words[lanes]


class AskedBot:
    """The bot ``deepest`` as a policy that is asked about the views that it is handed."""

    wants_views = True

    def act(self, batch: DecisionBatch) -> np.ndarray:
        actions = np.empty(len(batch.seat), dtype=np.int64)
        codes = np.tile(bot_codes("deepest"), (len(actions), 1))
        choose_many(batch.views, batch.legal, codes, actions, 0, len(actions))
        return actions


@pytest.mark.parametrize("bot", ["greedy", "deepest", "expert"])
def test_what_is_chosen_is_what_the_bot_plays(bot: str, actor: Actor):
    """The compiled loop plays the bot from the same states: each state moves as the chosen action moves it."""
    tables = collector(random_share=0.0)
    games = tables.env.get_state()
    lanes, _ = open_decisions(tables)
    choices = tables.collect(actor, 1, by_bot(bot))
    assert len(choices) == len(lanes) > 20
    by_choice, by_itself = games.copy(), games.copy()
    assert arena_kernels.play_lanes(by_choice, lanes, choices.action) == -1
    for lane in lanes:
        seat = int(games["seat"][lane])
        codes = np.full((1, 4), BOTS[bot], dtype=np.int8)
        for other in range(4):
            if other != seat:
                codes[0, other] = arena_kernels.OUTSIDE
        one, count = by_itself[lane : lane + 1], np.zeros(1, dtype=np.int64)
        arena_kernels.advance(one, codes, count, 0, 1)  # the bot's whole turn
        followed = by_choice[lane : lane + 1].copy()
        arena_kernels.advance(followed, codes, count, 0, 1)
        for field in ("hand", "laid", "pile", "points", "seat"):
            assert np.array_equal(one[field], followed[field]), field


def test_a_policy_says_what_it_would_play(actor: Actor):
    """A bot that is asked like any policy says what it says by the compiled way; a network, its likeliest action."""
    expected, asked = (
        collector().collect(actor, 300, teacher)
        for teacher in (teacher_of("deepest"), by_policy(AskedBot()))  # type: ignore[arg-type]
    )
    assert np.array_equal(asked.view, expected.view)
    assert np.array_equal(asked.action, expected.action)
    choices = collector().collect(actor, 300, teacher_of("champion"))
    champion = read_policy(CHAMPION)
    assert np.array_equal(choices.action, champion.choose(DenseInputs.of(choices.view, choices.legal), None)[0])


def test_what_is_hidden_does_not_change_what_is_chosen(actor: Actor):
    """Bots, and search that leans on a network: the same choice in other worlds that look alike to the seat."""
    tables = collector()
    games = tables.env.get_state()
    lanes, legal = open_decisions(tables)
    seats = games["seat"][lanes]
    views = views_of(games, lanes, seats)
    others = games.copy()
    others[lanes] = sample_worlds(views, seats, 1, np.random.default_rng(4))[:, 0]
    assert (others["hand"] != games["hand"]).any(axis=1)[lanes].mean() > 0.9
    prior = PolicyPrior(load("champion"))
    for teacher in (by_bot("expert"), by_policy(SearchPolicy(worlds=2, method="flat", prior=prior, threads=1))):
        assert np.array_equal(teacher(views_of(others, lanes, seats), legal), teacher(views, legal))


def test_a_teacher_is_shown_what_the_seat_to_move_knows(actor: Actor):
    tables = collector()
    games = tables.env.get_state().copy()
    lanes, legal = open_decisions(tables)
    expected, shown = views_of(games, lanes, games["seat"][lanes]), []

    def teacher(views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        shown.append((views.copy(), masks.copy()))
        return by_bot("greedy")(views, masks)

    tables.collect(actor, 1, teacher)
    [(views, masks)] = shown
    assert np.array_equal(masks, legal)
    assert np.array_equal(views["hand"], expected["hand"])
    assert (views["hand"] != games["hand"][lanes]).any(axis=1).mean() > 0.9


def test_a_collector_asks_about_what_it_plays(actor: Actor):
    tables = collector()
    choices = tables.collect(actor, 200, by_bot("deepest"))
    assert 200 <= len(choices) < 200 + 96
    assert tables.decisions % 96 == 0
    assert (np.bitwise_count(choices.legal).sum(axis=1) > 1).all()
    word, bit = choices.action // 64, choices.action % 64
    chosen_words = choices.legal[np.arange(len(choices)), word]
    assert ((chosen_words >> bit.astype(np.uint64)) & np.uint64(1) == 1).all()


def test_a_collector_goes_on_where_it_was(actor: Actor):
    tables, other = collector(), collector(part=1)
    assert not np.array_equal(other.state()[0], tables.state()[0])
    tables.collect(actor, 100, by_bot("expert"))
    other.restore(*tables.state())
    own, foreign = (each.collect(actor, 300, by_bot("expert")) for each in (tables, other))
    for name in ("view", "legal", "action"):
        assert np.array_equal(getattr(own, name), getattr(foreign, name)), name


def test_random_actions_leave_the_player_on_its_own_path(actor: Actor):
    """With no decision at random and with all at random, the same tables go different ways."""
    ways = [collector(random_share=share) for share in (0.0, 0.0, 1.0)]
    views = [tables.collect(actor, 400, by_bot("greedy")).view for tables in ways]
    assert np.array_equal(views[0], views[1])
    assert not np.array_equal(views[0][:400], views[2][:400])

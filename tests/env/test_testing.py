"""The checks offered to users: they pass on every environment, and each finds what it is there to find."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.wrappers import BaseWrapper, OrderEnforcingWrapper

from persian_rummy_env import PersianRummyVecEnv, env, raw_env
from persian_rummy_env.cards import bits_of, cards_in
from persian_rummy_env.drawing import ansi, contents
from persian_rummy_env.envs.aec_raw import AGENTS
from persian_rummy_env.envs.testing import check_conservation, check_no_leak, check_rotation, exchange_hidden, rotated
from persian_rummy_env.observation import BLOCK
from tests.env.aec_play import mask_of, over, play_on
from tests.env.play import equal, scaled

ENVIRONMENTS: dict[str, Callable[[], Any]] = {
    "env": lambda: env(episode="deal"),
    "raw_env": lambda: raw_env(episode="deal"),
    "a player's view": lambda: env(render_mode="ansi", viewer=1),
    "wrapped": lambda: OrderEnforcingWrapper(raw_env(illegal_action="forfeit")),
    "vector, same step": lambda: PersianRummyVecEnv(5, episode="deal"),
    "vector, next step": lambda: PersianRummyVecEnv(5, episode="deal", autoreset_mode="NEXT_STEP"),
    "vector, disabled": lambda: PersianRummyVecEnv(5, episode="deal", autoreset_mode="DISABLED", copy=False),
}
DECISIONS = scaled(60, least=12)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_no_environment_leaks(environment: str) -> None:
    assert check_no_leak(ENVIRONMENTS[environment](), decisions=DECISIONS) >= 4 * DECISIONS


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.rules("R1")
def test_every_environment_turns_with_the_table(environment: str) -> None:
    assert check_rotation(ENVIRONMENTS[environment](), decisions=DECISIONS) >= 12 * DECISIONS


def test_without_an_environment_they_make_one() -> None:
    assert check_no_leak(decisions=3) == 12
    assert check_rotation(decisions=3) == 36


# What they find -------------------------------------------------------------------------------------------------------


class Planted(BaseWrapper):
    """An environment that shows an agent something it should not see."""

    def __init__(self, fault: Callable[[Any, str, dict[str, np.ndarray]], None], **options: Any) -> None:
        super().__init__(env(**options))
        self.fault = fault

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        shown = self.env.observe(agent)
        assert shown is not None
        self.fault(self.env.unwrapped, agent, shown)
        return shown


def partners_hand(table: Any, agent: str, shown: dict[str, np.ndarray]) -> None:
    hand = table.get_state()["hand"][0][(AGENTS.index(agent) + 2) % 4]
    plane = shown["observation"][BLOCK["known_partner"].slice]
    plane[:52] = [int(hand) >> card & 1 for card in range(52)]


def next_card_of_the_stock_in_the_meld_phase(table: Any, agent: str, shown: dict[str, np.ndarray]) -> None:
    game = table.get_state()[0]
    if game["phase"] == 1 and game["stock_size"]:
        card = int(game["decks"][game["deal"]][56 - int(game["stock_size"])])
        shown["observation"][BLOCK["passes"].slice] = card / 52


def mask_of_whoever_is_to_move(table: Any, agent: str, shown: dict[str, np.ndarray]) -> None:
    shown["action_mask"][:] = mask_of(table)


def sum_of_the_hands_once_over(table: Any, agent: str, shown: dict[str, np.ndarray]) -> None:
    if over(table):
        shown["observation"][0] = float(table.get_state()["hand"][0].sum() % 7) / 7


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (partners_hand, "player_0 is shown hidden cards: block 'known_partner' of the observation changed"),
        (next_card_of_the_stock_in_the_meld_phase, r"block 'passes' of the observation changed .*\(meld\)"),
        (mask_of_whoever_is_to_move, "player_[0-3] is shown hidden cards: action_mask changed"),
        (sum_of_the_hands_once_over, r"block 'hand' of the observation, .* changed .*, at decision 40"),
    ],
)
def test_a_leak_in_the_observation_is_found(fault: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_no_leak(Planted(fault, max_decisions=40), decisions=60)


def test_a_leak_in_the_info_is_found() -> None:
    table = env()
    plain = type(table)._begin

    class Telling(type(table)):
        def _begin(self) -> None:
            plain(self)
            self.infos = {agent: {"stock": self._batch.games.copy()["decks"][0, 0, 55]} for agent in self.agents}

    with pytest.raises(AssertionError, match="player_0 is shown hidden cards: info stock changed"):
        check_no_leak(Telling())


def test_a_leak_in_a_players_view_of_the_table_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    hand = contents.hand

    def open_hand(game: np.void, seat: int, view: int | None) -> contents.Hand:
        return hand(game, seat, None)

    monkeypatch.setattr(contents, "hand", open_hand)
    monkeypatch.setattr(ansi, "hand", open_hand)
    with pytest.raises(AssertionError, match="the text of the table, the picture of the table changed"):
        check_no_leak(env())
    monkeypatch.setattr(ansi, "ansi", lambda *_: "")
    with pytest.raises(AssertionError, match="player_0 is shown hidden cards: the picture of the table changed"):
        check_no_leak(env())


def test_a_leak_in_a_vector_environment_is_found() -> None:
    class Telling(PersianRummyVecEnv):
        def observe(self, seats: Any) -> np.ndarray:
            shown = super().observe(seats)
            shown[:, 5] = self._batch.games.copy()["hand"][:, (int(seats) + 1) % 4] & 1
            return shown

    with pytest.raises(AssertionError, match="block 'hand' of the observation changed"):
        check_no_leak(Telling(4))


def test_an_exchange_that_does_not_reach_the_environment_is_found() -> None:
    class Stubborn(type(env())):
        def set_state(self, states: np.ndarray) -> None:
            pass

    with pytest.raises(AssertionError, match="nothing was checked"):
        check_no_leak(Stubborn(), decisions=5)


def test_a_view_that_depends_on_the_chair_is_found() -> None:
    def seat_in_it(table: Any, agent: str, shown: dict[str, np.ndarray]) -> None:
        shown["observation"][BLOCK["deal"].slice] = AGENTS.index(agent) / 3

    def mask_by_chair(table: Any, agent: str, shown: dict[str, np.ndarray]) -> None:
        if agent == "player_2" and agent == table.agent_selection:
            shown["action_mask"][0] = 0

    with pytest.raises(AssertionError, match=r"player_0 and, .* by 1, player_1 .*: block 'deal' of the observation"):
        check_rotation(Planted(seat_in_it))
    with pytest.raises(AssertionError, match=r"player_2.* are shown different things: .*action_mask"):
        check_rotation(Planted(mask_by_chair))


def test_a_render_that_ignores_its_view_is_found() -> None:
    class Open(type(env())):
        def render(self) -> Any:
            return ansi.ansi(self._batch.games.copy()[0])

    with pytest.raises(AssertionError, match=r"player_1 is shown hidden cards: render\(\) changed"):
        check_no_leak(Open(render_mode="ansi", viewer=1))


# Their parts ----------------------------------------------------------------------------------------------------------


def positions(number: int) -> np.ndarray:
    """Positions of lively play, ends among them."""
    table = env(episode="deal")
    table.reset(seed=3)
    rng = np.random.default_rng(3)
    states = []
    while len(states) < number:
        states.append(table.get_state())
        table.reset() if over(table) else play_on(table, rng, steps=1)
    return np.concatenate(states)


def test_an_exchange_keeps_what_a_seat_knows_and_changes_the_rest() -> None:
    states = positions(scaled(200, least=70))
    kept = states.copy()
    rng = np.random.default_rng(0)
    for seat in range(4):
        other = exchange_hidden(states, seat, rng)
        check_conservation(other)
        assert equal(states, kept), "the states given are not changed"
        for field in states.dtype.names or ():
            if field not in ("hand", "decks", "rng", "sample_rng"):
                assert (other[field] == states[field]).all(), field
        assert (other["hand"][:, seat] == states["hand"][:, seat]).all()
        assert (other["rng"] != states["rng"]).any()
        assert (other["sample_rng"] != states["sample_rng"]).any()
        moved = 0
        for one, two in zip(states, other, strict=True):
            assert sorted(two["decks"][two["deal"]]) == sorted(one["decks"][one["deal"]])
            for hand in range(4):
                assert len(cards_in(two["hand"][hand])) == len(cards_in(one["hand"][hand]))
                moved += int(one["hand"][hand]) != int(two["hand"][hand])
        assert moved > len(states)


def test_playing_on_a_turned_table_turns_everything_that_follows() -> None:
    table, turned = env(), env()
    for by in range(1, 4):
        table.reset(seed=by)
        turned.set_state(rotated(table.get_state(), by))
        rng = np.random.default_rng(by)
        while not over(table):
            assert AGENTS.index(turned.agent_selection) == (AGENTS.index(table.agent_selection) + by) % 4
            [action] = play_on(table, rng, steps=1)
            turned.step(action)
            assert equal(turned.get_state(), rotated(table.get_state(), by))
            assert [turned.rewards[AGENTS[(seat + by) % 4]] for seat in range(4)] == list(table.rewards.values())
        assert over(turned)


def test_turning_the_table_round_changes_nothing() -> None:
    states = positions(scaled(120, least=70))
    kept = states.copy()
    for by in range(-4, 5):
        assert equal(rotated(rotated(states, by), -by), states)
        assert equal(rotated(states, by), states) == (by % 4 == 0)
        check_conservation(rotated(states, by))
    assert equal(states, kept)


def test_no_card_is_lost_in_play() -> None:
    check_conservation(positions(scaled(600, least=70)))
    many = PersianRummyVecEnv(16)
    many.reset(seed=1)
    for _ in range(scaled(100, least=5)):
        many.step(many.sample_actions())
        check_conservation(many.get_state())


def spoil(states: np.ndarray, field: str, change: Callable[[Any], Any]) -> np.ndarray:
    spoilt = states.copy()
    spoilt[field][3] = change(spoilt[field][3])
    return spoilt


def test_lost_and_doubled_cards_are_found() -> None:
    states = positions(60)
    states = states[states["pile_size"] > 1][-8:]
    game = states[3]
    held = cards_in(game["hand"][2])[0]
    faults = [
        ("hand", lambda hands: hands & ~np.uint64(bits_of([held])), f"env 3: cards lost or doubled: {held} x 0"),
        ("sets", lambda sets: sets | np.uint64(bits_of([held])), f"env 3: cards lost or doubled: {held} x 2"),
        ("stock_size", lambda size: size - 1, "env 3: cards lost or doubled"),
        ("laid", lambda laid: laid[::-1] * 0, "env 3: laid is not"),
        ("pile", lambda pile: pile & (pile - np.uint64(1)), "env 3: pile is not"),
        ("run_low", lambda low: low | np.uint64(bits_of([held])), "env 3: run_low"),
        ("known", lambda known: known | ~game["hand"] & np.uint64(2**52 - 1), "env 3: known of seat 0"),
    ]
    check_conservation(states)
    for field, change, message in faults:
        with pytest.raises(AssertionError, match=message):
            check_conservation(spoil(states, field, change))

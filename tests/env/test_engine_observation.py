"""The observation: complete for what is public, within its bounds, and the same from every chair."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.cards import CARD_NAMES, cards_in
from persian_rummy_env.observation import BLOCK, BLOCKS, HIGH, SIZE, as_float
from persian_rummy_env.state import NOBODY, NOTHING_OWED, PHASES
from tests.env.decode import WHO, decode
from tests.env.play import POLICIES, decisions, equal, play, position, put, scaled

SEEDS = st.integers(0, 2**63)
RULES = st.fixed_dictionaries(
    {
        "deals": st.integers(1, 4),
        "quad_bonus": st.sampled_from(["any", "jacks"]),
        "stock_out": st.sampled_from(["pass", "end"]),
    }
)


def public_facts(state: np.void, me: int) -> dict[str, Any]:
    """What ``decode`` should find, from the state."""

    def relative(seat: int) -> int | None:
        return None if seat == NOBODY else (int(seat) - me) % 4

    size = int(state["pile_size"])
    owed = int(state["owed"])
    over = PHASES[state["phase"]] == "over"
    hands = [cards_in(state["hand"][(me + k) % 4]) for k in range(4)]
    known = {who: cards_in(state["known"][(me + k) % 4]) for k, who in enumerate(WHO) if k}
    declined = {who: cards_in(state["declined"][(me + k) % 4]) for k, who in enumerate(WHO) if k}
    in_sets = cards_in(state["sets"])
    table = [
        (card, "set" if card in in_sets else "run", "us" if (seat - me) % 2 == 0 else "them")
        for seat in range(4)
        for card in cards_in(state["laid"][seat])
    ]
    return {
        "hand": hands[0],
        "known": known,
        "declined": declined,
        "table": sorted(table),
        "owed": None if owed == NOTHING_OWED else CARD_NAMES[owed],
        "pile": [
            (CARD_NAMES[card], relative(seat))
            for card, seat in zip(state["pile_card"][:size].tolist(), state["pile_seat"][:size].tolist(), strict=True)
        ][::-1],
        "to move": None if over else relative(state["seat"]),
        "phase": PHASES[state["phase"]],
        "dealer": relative(state["dealer"]),
        "out": relative(state["out"]),
        "rules": (("any", "jacks")[state["quad_jacks"]], ("pass", "end")[state["stock_end"]]),
        "hand sizes": [len(hand) for hand in hands],
        "stock": int(state["stock_size"]),
        "passes": int(state["passes"]),
        "deal": int(state["deal"]),
        "deals": int(state["deals"]),
        "points": [int(state["points"][(me + k) % 2]) for k in range(2)],
        "score": [int(state["score"][(me + k) % 2]) for k in range(2)],
    }


@settings(max_examples=scaled(12))
@given(seed=SEEDS, policy=st.sampled_from(list(POLICIES)), rules=RULES)
def test_every_seat_reads_every_public_fact_from_its_vector(seed: int, policy: str, rules: dict[str, Any]) -> None:
    env = PersianRummyVecEnv(1, rules=rules, autoreset_mode="DISABLED")
    for _ in decisions(env, POLICIES[policy], seed):
        states = env.get_state()
        state = states[0]
        for seat in range(4):
            observation = env.observe(seat)[0]
            assert (observation <= HIGH).all()
            assert decode(observation) == public_facts(state, seat)
        assert equal(env.get_state(), states)


@settings(max_examples=scaled(8))
@given(seed=SEEDS)
def test_the_vector_shown_is_the_view_of_the_seat_to_move(seed: int) -> None:
    env = PersianRummyVecEnv(1, autoreset_mode="DISABLED")
    for _, _, shown in decisions(env, POLICIES["random"], seed):
        if shown.seat[0] >= 0:
            assert (shown.observation[0] == env.observe(int(shown.seat[0]))[0]).all()
            assert decode(shown.observation[0])["to move"] == 0


def test_scaled_points_and_scores_are_the_exact_ones_clipped() -> None:
    env = position({1: "JK JK JK JK AC AD AH AS KC"}, stock="5C")
    play(env, "draw", "meld JK JK JK JK", "meld AC AD AH AS")
    state = env.get_state()
    for score, scaled_score in (
        (0, 128),
        (3, 128),
        (4, 129),
        (-1, 127),
        (508, 255),
        (3908, 255),
        (-512, 0),
        (-3908, 0),
    ):
        state["score"][0, 0] = score
        put(env, state)
        mine, others = env.observe(0)[0], env.observe(3)[0]
        assert mine[BLOCK["score"].slice].tolist() == [scaled_score, 128]
        assert others[BLOCK["score"].slice].tolist() == [128, scaled_score]
        assert decode(mine)["score"] == [score, 0]
        assert mine[BLOCK["points"].slice].tolist() == [0, 255]
        assert decode(mine)["points"] == [0, 280]


def rotated(state: np.ndarray, by: int) -> np.ndarray:
    """The same table with everybody ``by`` chairs further."""
    turned = state.copy()
    for name in ("hand", "known", "declined", "laid"):
        turned[name] = np.roll(state[name], by, axis=1)
    for name in ("score", "points", "last_score"):
        turned[name] = np.roll(state[name], by, axis=1)
    for name in ("seat", "dealer"):
        turned[name] = (state[name] + by) % 4
    for name in ("out", "pile_seat"):
        turned[name] = np.where(state[name] == NOBODY, NOBODY, (state[name] + by) % 4)
    return turned


@settings(max_examples=scaled(15))
@given(seed=SEEDS, policy=st.sampled_from(list(POLICIES)))
def test_observation_and_mask_turn_with_the_table(seed: int, policy: str) -> None:
    env, other = (PersianRummyVecEnv(1, autoreset_mode="DISABLED") for _ in range(2))
    for number, _ in enumerate(decisions(env, POLICIES[policy], seed)):
        by = number % 3 + 1
        state = env.get_state()
        shown, turned = env.set_state(state), other.set_state(rotated(state, by))
        assert (shown.action_mask == turned.action_mask).all()
        for seat in range(4):
            assert (env.observe(seat) == other.observe((seat + by) % 4)).all()


def test_the_pile_beyond_its_size_is_not_shown() -> None:
    env = PersianRummyVecEnv(1, autoreset_mode="DISABLED")
    for _ in decisions(env, POLICIES["always take"], 3):
        state = env.get_state()
        seen = env.observe(0)
        size = int(state["pile_size"][0])
        state["pile_card"][0, size:] = 7
        state["pile_seat"][0, size:] = 1
        env.set_state(state)
        assert (env.observe(0) == seen).all()


def test_blocks_cover_the_vector_without_gap_or_overlap() -> None:
    assert [block.offset for block in BLOCKS] == [0, *(block.stop for block in BLOCKS[:-1])]
    assert BLOCKS[-1].stop == SIZE == len(HIGH)
    assert SIZE <= 1024
    assert len({block.name for block in BLOCKS}) == len(BLOCKS)


@pytest.mark.parametrize("lanes", [1, 5])
def test_as_float_is_raw_over_high(lanes: int) -> None:
    env = PersianRummyVecEnv(lanes)
    raw = env.reset(seed=1).observation
    for _ in range(scaled(50)):
        raw = env.step(env.sample_actions()).observation
        learnt = as_float(raw)
        assert learnt.dtype == np.float32
        assert (learnt >= 0).all()
        assert (learnt <= 1).all()
        assert (learnt == raw.astype(np.float32) / HIGH.astype(np.float32)).all()
        assert (np.rint(learnt * HIGH) == raw).all()

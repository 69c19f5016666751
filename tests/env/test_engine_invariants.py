"""Random play, with everything that must always hold checked at every decision."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from persian_rummy_env import PersianRummyVecEnv, decode_action, encode_action
from persian_rummy_env.actions import ACTION_NAMES, NUM_ACTIONS
from persian_rummy_env.cards import CARD_NAMES, cards_in
from persian_rummy_env.rules import MAX_DEAL_DECISIONS
from persian_rummy_env.state import NOTHING_OWED, PHASES
from tests.env.play import PACK, POLICIES, decisions, equal, game_of, scaled

SEEDS = st.integers(0, 2**63)
ANY_POLICY = st.sampled_from(list(POLICIES))
RULES = st.fixed_dictionaries(
    {
        "deals": st.integers(1, 4),
        "quad_bonus": st.sampled_from(["any", "jacks"]),
        "stock_out": st.sampled_from(["pass", "end"]),
    }
)
MOST_POINTS = 2 * 476
"""Every card of the pack laid, and all of them in sets of four at once."""


def value(card: str) -> int:
    return 20 if card == "JK" else {"A": 15, **dict.fromkeys("TJQK", 10)}.get(card[0]) or int(card[0])


def hands_of(state: np.void) -> list[Counter[str]]:
    return [Counter(cards_in(hand)) for hand in state["hand"]]


def stock_of(state: np.void) -> list[str]:
    deck = state["decks"][int(state["deal"])]
    return [CARD_NAMES[card] for card in deck[56 - int(state["stock_size"]) :]]


def pile_of(state: np.void) -> list[str]:
    return [CARD_NAMES[card] for card in state["pile_card"][: int(state["pile_size"])]]


def check_cards(state: np.void) -> None:
    hands = hands_of(state)
    laid = Counter(card for seat in range(4) for card in cards_in(state["laid"][seat]))
    on_table = Counter(cards_in(state["sets"])) + Counter(cards_in(state["runs"]))
    pile = Counter(pile_of(state))
    assert laid == on_table
    assert pile == Counter(cards_in(state["pile"]))
    assert sum(hands, Counter()) + laid + pile + Counter(stock_of(state)) == Counter(PACK)
    assert int(state["pile_size"]) + int(state["stock_size"]) <= 28
    assert all(Counter(cards_in(state["known"][seat])) <= hands[seat] for seat in range(4))
    assert not cards_in(int(state["run_low"]) & ~int(state["runs"]))


def cards_moved(before: np.void, action: str) -> Counter[str]:
    """How the hand of the seat to move must change by an action, as its words say."""
    verb, *words = action.split()
    if verb == "draw":
        return Counter(stock_of(before)[:1])
    if verb == "take":
        pile = pile_of(before)
        if words[0].startswith("JK"):
            place = [place for place, card in enumerate(pile) if card == "JK"][-int(words[0][2])]
        else:
            place = pile.index(words[0])
        return Counter(pile[place:])
    return Counter({card: -count for card, count in Counter(words).items() if card not in ("set", "run")})


def worth(action: str, quad_bonus: str) -> int:
    verb, *words = action.split()
    if verb not in ("meld", "layoff"):
        return 0
    cards = [word for word in words if word not in ("set", "run")]
    four = len(cards) == 4 and len({card[0] for card in cards}) == 1
    doubled = four and (quad_bonus == "any" or (cards[0][0] == "J" and cards[0] != "JK"))
    return sum(map(value, cards)) * (2 if doubled else 1)


def check_move(before: np.void, action: str, after: np.void, rules: dict[str, Any]) -> None:
    """One move within a deal."""
    seat = int(before["seat"])
    was, now = hands_of(before), hands_of(after)
    changed = Counter(was[seat])
    changed.update(cards_moved(before, action))
    assert +changed == now[seat]
    assert [hand for other, hand in enumerate(was) if other != seat] == [
        hand for other, hand in enumerate(now) if other != seat
    ]
    team = seat % 2
    gained = after["points"].astype(int) - before["points"].astype(int)
    assert gained[1 - team] == 0
    assert gained[team] == worth(action, rules["quad_bonus"])
    assert after["points"].max() <= MOST_POINTS
    if gained[team]:  # points come with cards on the table, which never leave it: no circle of moves earns any
        assert int(after["laid"][seat]).bit_count() > int(before["laid"][seat]).bit_count()
    assert int(after["decisions"]) == int(before["decisions"]) + 1
    ends_turn = action.startswith(("pass", "discard"))
    assert int(after["seat"]) == (seat + 1) % 4 if ends_turn else int(after["seat"]) == seat
    assert PHASES[after["phase"]] == ("draw" if ends_turn else "meld")


def check_end(before: np.void, action: str, after: np.void, rules: dict[str, Any]) -> None:
    """The move that ends a deal: scored from the cards, as the rules say."""
    seat = int(before["seat"])
    hands = hands_of(before)
    hands[seat].update(cards_moved(before, action))
    score = before["points"].astype(int)
    score[seat % 2] += worth(action, rules["quad_bonus"])
    out = not +hands[seat] and not action.startswith(("pass", "discard"))
    for other, hand in enumerate(hands):
        score[other % 2] -= sum(value(card) * count for card, count in hand.items())
    if out:
        score[seat % 2] += 25
    else:
        assert action == "pass"
        assert rules["stock_out"] == "end" or int(before["passes"]) == 3
    assert after["last_score"].tolist() == score.tolist()
    assert (after["score"] - before["score"]).tolist() == score.tolist()
    assert int(after["out"]) == (seat if out else 4)
    assert int(before["decisions"]) + 1 <= MAX_DEAL_DECISIONS


def check_mask(state: np.void, mask: np.ndarray) -> None:
    """What can be told of a mask without knowing the rules of melding."""
    names = [ACTION_NAMES[action] for action in np.flatnonzero(mask)]
    assert mask.dtype == np.int8
    assert set(mask.tolist()) <= {0, 1}
    assert len(names) == len(set(names)) > 0
    assert [encode_action(name) for name in names] == np.flatnonzero(mask).tolist()
    hand = hands_of(state)[int(state["seat"])]
    verbs = {name.split()[0] for name in names}
    if PHASES[state["phase"]] == "draw":
        assert verbs - {"take"} == ({"draw"} if int(state["stock_size"]) else {"pass"})
        return
    assert verbs <= {"meld", "layoff", "discard"}
    for name in names:
        _, *words = name.split()
        assert Counter(word for word in words if word not in ("set", "run")) <= hand
    if int(state["owed"]) == NOTHING_OWED:
        assert {name for name in names if name.startswith("discard")} == {f"discard {card}" for card in hand}
    else:
        assert "discard" not in verbs


@pytest.mark.rules("R2", "R20", "R22", "R36", "R40", "R44", "R45", "R46", "R47", "R50", "R51")
@settings(max_examples=scaled(25))
@given(seed=SEEDS, policy=ANY_POLICY, rules=RULES)
def test_every_invariant_at_every_decision(seed: int, policy: str, rules: dict[str, Any]) -> None:
    env = PersianRummyVecEnv(1, rules=rules, autoreset_mode="DISABLED")
    ends = 0
    paid = np.zeros(4)
    for before, action, shown in decisions(env, POLICIES[policy], seed):
        after = game_of(env)
        name = ACTION_NAMES[action]
        check_cards(before)
        check_cards(after)
        if int(after["deal"]) == int(before["deal"]) and PHASES[after["phase"]] != "over":
            check_move(before, name, after, rules)
        else:
            check_end(before, name, after, rules)
            ends += 1
        reward = shown.reward[0]
        assert reward[0] == reward[2] == -reward[1] == -reward[3]
        margin = after["score"] + after["points"] - before["score"] - before["points"]
        assert reward[0] == np.float32((int(margin[0]) - int(margin[1])) / 100)
        paid += reward
        if shown.terminated[0]:
            assert not shown.action_mask[0].any()
        else:
            check_mask(after, shown.action_mask[0])
            assert shown.action_mask[0][action] == 0 or not name.startswith(("meld", "take"))
    assert ends == rules["deals"]
    assert paid[0] == pytest.approx((int(after["score"][0]) - int(after["score"][1])) / 100, abs=1e-4)


@settings(max_examples=scaled(25))
@given(seed=SEEDS, policy=ANY_POLICY, skip=st.integers(0, 150))
def test_the_mask_is_what_can_be_played(seed: int, policy: str, skip: int) -> None:
    """Every id tried: those of the mask are played, all others are refused and change nothing."""
    env = PersianRummyVecEnv(1, rules={"deals": 1}, autoreset_mode="DISABLED")
    for number, _ in enumerate(decisions(env, POLICIES[policy], seed)):
        if number == skip:
            break
    else:
        return
    state = env.get_state()
    mask = env.set_state(state).action_mask[0]
    for action in range(NUM_ACTIONS):
        if mask[action]:
            env.step(np.array([action]))
            assert not equal(env.get_state(), state)
            env.set_state(state)
        else:
            with pytest.raises(ValueError, match="not legal"):
                env.step(np.array([action]))
            assert equal(env.get_state(), state)


@given(seed=SEEDS, policy=ANY_POLICY, at=st.integers(0, 300))
def test_a_copied_record_plays_on_as_the_original_does(seed: int, policy: str, at: int) -> None:
    env, other = (PersianRummyVecEnv(1, autoreset_mode="DISABLED") for _ in range(2))
    shown = None
    for number, (_, action, shown) in enumerate(decisions(env, POLICIES[policy], seed)):
        if number == at:
            copied = env.get_state()
            again = other.set_state(copied)
            assert (again.observation == shown.observation).all()
        elif number > at:
            again = other.step(np.array([action]))
            for mine, others in zip(shown, again, strict=True):
                assert (mine == others).all()
            assert equal(other.get_state(), env.get_state())


@pytest.mark.rules("R44")
@pytest.mark.parametrize("policy", POLICIES)
def test_every_deal_ends_within_the_bound(policy: str) -> None:
    longest = 0
    for seed in range(scaled(25)):
        env = PersianRummyVecEnv(1, rules={"deals": 1}, autoreset_mode="DISABLED")
        longest = max(longest, sum(1 for _ in decisions(env, POLICIES[policy], seed)))
    assert 20 < longest <= MAX_DEAL_DECISIONS


@pytest.mark.rules("R56")
def test_names_are_unique_and_parse_back() -> None:
    names = [decode_action(action) for action in range(NUM_ACTIONS)]
    assert len(set(names)) == NUM_ACTIONS == 547
    assert [encode_action(name) for name in names] == list(range(NUM_ACTIONS))

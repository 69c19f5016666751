"""Records made of games, played again, and verified: what differs first is named."""

import copy
import re

import numpy as np
import pytest

from persian_rummy_env import PersianRummyVecEnv, RuleSet
from persian_rummy_env.cards import decode_card
from persian_rummy_env.records.record import Record, RecordError, check, dumps
from persian_rummy_env.records.recorder import Recorder, make_record, record_of, simulate
from persian_rummy_env.records.replay import Difference, play, replay, verify, verify_lines
from persian_rummy_env.seeds import lane_seeds
from tests import oracle
from tests.env.play import scaled
from tests.env.records import Change, append, both, drop, put, some_game

RULES = (
    RuleSet(),
    RuleSet(deals=1, quad_bonus="jacks"),
    RuleSet(deals=4, stock_out="end"),
    RuleSet(deals=3, quad_bonus="jacks", stock_out="end"),
)


@pytest.fixture
def game() -> Record:
    return some_game()


@pytest.fixture
def changed() -> Record:
    """The same game, to be changed."""
    return some_game()


# Written by the engine ------------------------------------------------------------------------------------------------


@pytest.mark.rules("R57", "R58", "R59")
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_records_of_the_engine_replay_on_the_plain_twin_and_on_the_engine(rules: RuleSet) -> None:
    for bots in ("random", "greedy", "deepest"):
        for record in simulate(scaled(6, least=1), 3, bots, rules=rules, legal=True):
            assert record["rules"] == rules.as_dict()
            assert record["players"] == [bots] * 4
            assert verify(record) is None
            assert oracle.replay(record).total == record["score"]


def test_what_is_simulated_depends_on_the_seed_alone() -> None:
    wanted = list(simulate(7, 11, "random,greedy,deepest,random", rules=RuleSet(deals=1)))
    for batch_size in (1, 3, 100):
        assert (
            list(simulate(7, 11, "random,greedy,deepest,random", rules=RuleSet(deals=1), batch_size=batch_size))
            == wanted
        )
    assert list(simulate(2, 11, "random,greedy,deepest,random", rules=RuleSet(deals=1))) == wanted[:2]
    assert next(simulate(1, 12, "random,greedy,deepest,random", rules=RuleSet(deals=1))) != wanted[0]
    decks = [record["deals"][0]["deck"] for record in wanted]
    assert all(deck != other for index, deck in enumerate(decks) for other in decks[:index])


def test_the_seed_of_a_record_deals_the_same_cards_on_the_vector_face() -> None:
    record = list(simulate(3, 21, "random"))[2]
    assert record["seed"] == int(lane_seeds(21, 3)[2])
    env = PersianRummyVecEnv(1)
    env.reset(seed=[record["seed"]])
    state = env.get_state()[0]
    assert [decode_card(card) for card in state["decks"][0]] == record["deals"][0]["deck"]
    assert int(state["dealer"]) == record["deals"][0]["dealer"]


def play_recorded(mode: str, games: int, legal: bool = False) -> dict[int, list[Record]]:
    """Records of sampled games in three lanes, by lane."""
    env = PersianRummyVecEnv(3, rules={"deals": 1}, autoreset_mode=mode)
    recorder = Recorder(3)
    records: dict[int, list[Record]] = {lane: [] for lane in range(3)}
    shown = env.reset(seed=4)
    while min(map(len, records.values())) < games:
        actions = env.sample_actions()
        recorder.note(shown.seat, actions)
        shown = env.step(actions)
        for lane, state in zip(env.final.env_index.tolist(), env.final.state, strict=True):
            record = recorder.finish(lane, state, legal=legal)
            assert record is not None
            records[lane].append(record)
        if mode == "DISABLED" and (shown.seat == -1).all():
            break
    return records


@pytest.mark.parametrize(("mode", "games"), [("SAME_STEP", 3), ("NEXT_STEP", 3), ("DISABLED", 1)])
def test_a_recorder_follows_the_vector_face_in_every_autoreset_mode(mode: str, games: int) -> None:
    records = play_recorded(mode, games, legal=True)
    for lane in range(3):
        assert len(records[lane]) >= games
        for record in records[lane]:
            assert verify(record) is None
            oracle.replay(record)
    first = play_recorded("SAME_STEP", 1, legal=True)
    assert [records[lane][0] for lane in range(3)] == [first[lane][0] for lane in range(3)]


def test_a_recorder_makes_no_record_of_a_game_cut_short() -> None:
    env = PersianRummyVecEnv(2, max_decisions=5)
    recorder = Recorder(2)
    shown = env.reset(seed=1)
    for _ in range(5):
        actions = env.sample_actions()
        recorder.note(shown.seat, actions)
        shown = env.step(actions)
    assert shown.truncated.all()
    assert [recorder.finish(lane, env.final.state[lane]) for lane in range(2)] == [None, None]
    with pytest.raises(ValueError, match="not over"):
        record_of(env.final.state[0], [])


def flat(record: Record) -> list[str]:
    return [action for deal in record["deals"] for action in deal["actions"]]


def test_a_record_is_made_of_decks_and_actions_alone(game: Record) -> None:
    decks = [deal["deck"] for deal in game["deals"]]
    made = make_record(
        decks, game["deals"][0]["dealer"], flat(game), players=game["players"], seed=game["seed"], legal=True
    )
    assert made == game
    ids = [[oracle.PACK.index(card) for card in deck] for deck in decks]
    assert make_record(ids, game["deals"][0]["dealer"], flat(game))["score"] == game["score"]


@pytest.mark.parametrize(
    ("place", "card", "fault"),
    [
        (0, 53, "decks[1]: a deck holds each of the 52 cards once"),
        (55, 200, "decks[1]: 200 is not a card index"),
        (7, -1, "decks[1]: -1 is not a card index"),
        (7, 2**40, "decks[1]: 1099511627776 is not a card index"),
    ],
)
def test_decks_that_are_no_pack_are_not_played(place: int, card: int, fault: str) -> None:
    decks = np.stack([np.arange(56), np.arange(56)])
    actions = np.zeros(3, dtype=np.int64)
    assert play(RuleSet(deals=2), 0, decks, actions).played >= 0
    decks[1, place] = card
    with pytest.raises(ValueError) as refused:
        play(RuleSet(deals=2), 0, decks, actions)
    assert str(refused.value).startswith(fault)


def test_a_record_is_refused_for_actions_that_are_no_game(game: Record) -> None:
    decks, dealer, actions = [deal["deck"] for deal in game["deals"]], game["deals"][0]["dealer"], flat(game)
    with pytest.raises(RecordError, match=rf"actions\[{len(actions) - 1}\]: expected .*; found the end of the game"):
        make_record(decks, dealer, actions[:-1])
    with pytest.raises(RecordError, match=r"expected no action: the game is over; found draw"):
        make_record(decks, dealer, [*actions, "draw"])
    with pytest.raises(RecordError, match=r"actions\[0\]: expected .*draw.*; found pass"):
        make_record(decks, dealer, ["pass", *actions[1:]])
    with pytest.raises(ValueError, match="1 decks for 2 deals"):
        make_record(decks[:1], dealer, actions)
    with pytest.raises(ValueError, match="4 names"):
        make_record(decks, dealer, actions, players=["a", "b", "c"])
    state = replay(game).states[-1].copy()
    state["score"][0] += 1
    with pytest.raises(RecordError, match="score: expected"):
        record_of(state, actions)


# Replaying ------------------------------------------------------------------------------------------------------------


def test_a_replay_has_every_state_and_mask_on_the_way(game: Record) -> None:
    again = replay(game)
    actions = flat(game)
    assert again.played == len(actions) == len(again.actions)
    assert again.states.shape == (len(actions) + 1,)
    assert again.action_mask.shape == (len(actions) + 1, 547)
    env = PersianRummyVecEnv(1, autoreset_mode="DISABLED")
    shown = env.reset(options={"dealer": game["deals"][0]["dealer"], "decks": [deal["deck"] for deal in game["deals"]]})
    for number, action in enumerate(again.actions):
        assert (shown.action_mask[0] == again.action_mask[number]).all()
        for name in ("hand", "known", "declined", "laid", "pile", "points", "score", "seat", "phase", "deal", "owed"):
            assert (env.get_state()[0][name] == again.states[number][name]).all(), name
        shown = env.step(np.array([action]))
    assert shown.terminated[0]
    assert not again.action_mask[-1].any()
    assert again.states[-1]["score"].tolist() == game["score"]


def test_the_longest_games_replay() -> None:
    """Four deals of the laziest play that the rules allow, thousands of actions in all."""
    total = 0
    for seed in range(scaled(5, least=1)):
        rng = np.random.default_rng(seed)
        game = oracle.OracleGame(
            deals=4, decks=[list(rng.permutation(oracle.PACK).tolist()) for _ in range(4)], dealer=seed % 4
        )
        while game.phase != "over":
            legal = game.legal()
            lazy = [action for action in legal if action.startswith(("draw", "pass", "discard"))]
            game.step(lazy[int(rng.integers(len(lazy)))] if lazy else legal[0])
            total += 1
        record = game.record(["a", "b", "c", "d"], None, legal=seed % 2 == 0)
        assert verify(check(record)) is None
    assert total > 200


def test_a_record_that_differs_does_not_replay(changed: Record) -> None:
    changed["score"][1] += 1
    with pytest.raises(RecordError, match=r"^score: expected \[.*\]; found \["):
        replay(changed)


# Verifying ------------------------------------------------------------------------------------------------------------


END = len(some_game()["deals"][0]["actions"])
SECOND_END = len(some_game()["deals"][1]["actions"])
PLACES = (r"deals\[(\d+)\]", r"(?:actions|legal)\[(\d+)\]")
DIFFERENCES: dict[str, tuple[Change, str]] = {
    "an action that is not legal": (put("deals", 1, "actions", 2, value="pass"), "deals[1].actions[2]"),
    "text that is no action": (put("deals", 0, "actions", 3, value="discard 1S"), "deals[0].actions[3]"),
    "an action too few": (
        both(drop("deals", 0, "actions", END - 1), drop("deals", 0, "legal", END - 1)),
        f"deals[0].actions[{END - 1}]",
    ),
    "an action too many": (
        both(append("deals", 0, "actions", value="draw"), append("deals", 0, "legal", value=["draw"])),
        f"deals[0].actions[{END}]",
    ),
    "an action after the game": (
        both(append("deals", 1, "actions", value="draw"), append("deals", 1, "legal", value=[])),
        f"deals[1].actions[{SECOND_END}]",
    ),
    "a legal action missing": (drop("deals", 0, "legal", 4, 0), "deals[0].legal[4]"),
    "a legal action too many": (append("deals", 1, "legal", 0, value="pass"), "deals[1].legal[0]"),
    "a legal action twice": (append("deals", 1, "legal", 0, value="draw"), "deals[1].legal[0]"),
    "another player out": (put("deals", 0, "out", value=1), "deals[0].out"),
    "nobody out": (put("deals", 1, "out", value=None), "deals[1].out"),
    "another score": (put("deals", 1, "score", 0, value=1000), "deals[1].score"),
    "another total": (put("score", 0, value=1000), "score"),
    "the deal passing to the right": (
        put("deals", 1, "dealer", value=(some_game()["deals"][0]["dealer"] + 3) % 4),
        "deals[1].dealer",
    ),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_the_first_difference_is_found_and_named(name: str, changed: Record) -> None:
    change, field = DIFFERENCES[name]
    change(changed)
    difference = verify(changed)
    assert difference is not None
    assert difference.field == field
    assert [difference.deal, difference.action] == [
        None if found is None else int(found[1]) for found in (re.search(pattern, field) for pattern in PLACES)
    ]
    assert difference.expected != difference.found
    assert str(difference).endswith(f": expected {difference.expected}; found {difference.found}")
    with pytest.raises((ValueError, IndexError)):
        oracle.replay(changed)


def test_of_two_differences_the_first_is_named(changed: Record) -> None:
    changed["deals"][1]["score"] = [0, 0]
    changed["deals"][0]["legal"][6] = []  # type: ignore[typeddict-item]
    changed["deals"][0]["actions"][6] = "pass"
    changed["deals"][0]["actions"][9] = "pass"
    difference = verify(changed)
    assert difference is not None
    assert difference.field == "deals[0].legal[6]"
    del changed["deals"][0]["legal"]  # type: ignore[typeddict-item]
    difference = verify(changed)
    assert difference is not None
    assert difference.field == "deals[0].actions[6]"
    assert "; found pass" in str(difference)
    assert str(difference).startswith("deal 1, action 7 (deals[0].actions[6]): expected ")


def test_the_order_of_the_legal_actions_is_free(changed: Record) -> None:
    for deal in changed["deals"]:
        deal["legal"] = [sorted(legal, reverse=True) for legal in deal["legal"]]  # type: ignore[typeddict-item]
    assert verify(changed) is None


def test_every_changed_card_of_the_deck_that_matters_is_noticed(game: Record) -> None:
    """Exchange two cards that were both dealt to different hands: the replay cannot stay the same to the end."""
    noticed = 0
    for place in range(0, 28, 3):
        record = copy.deepcopy(game)
        deck = record["deals"][0]["deck"]
        deck[place], deck[place + 1] = deck[place + 1], deck[place]
        noticed += verify(record) is not None
    assert noticed >= 9


def test_one_bad_line_does_not_hide_the_rest(game: Record, changed: Record) -> None:
    changed["deals"][0]["score"][0] += 5
    lines = [dumps(game), "", "{not json", dumps(changed), "[]", dumps(game)[:-30], "  ", dumps(game)]
    verdicts = list(verify_lines(lines))
    assert [verdict.line for verdict in verdicts] == [1, 3, 4, 5, 6, 8]
    assert [type(verdict.fault) for verdict in verdicts] == [
        *(type(None), RecordError, Difference, RecordError, RecordError, type(None)),
    ]
    assert str(verdicts[1]).startswith("line 3, record: not JSON: ")
    assert str(verdicts[2]).startswith("line 4, deal 1 (deals[0].score): expected ")
    assert str(verdicts[3]) == "line 5, record: expected an object, found []"
    assert str(verdicts[0]) == "line 1: no difference"

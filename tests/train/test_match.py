"""Matches: the same decks both ways round, sides and dealers as stated, however a match is cut into parts."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from persian_rummy_env.actions import DISCARD, DRAW, TAKE
from persian_rummy_env.bots import BOTS
from persian_rummy_env.cards import cards_in
from persian_rummy_env.core import arena_kernels
from persian_rummy_env.core.compiler import compile_on_demand
from persian_rummy_env.evaluation import match
from persian_rummy_env.evaluation.arena import new_games, play, show
from persian_rummy_env.evaluation.match import (
    MatchResult,
    Pairs,
    deal_seeds,
    play_match,
    play_pairs,
    play_teams,
    summary,
)
from persian_rummy_env.evaluation.statistics import mean_interval
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import BasePolicy, DecisionBatch, Policy
from persian_rummy_env.rules import RuleSet
from persian_rummy_env.state import DRAW_PHASE, FIRST_TURNED, OVER
from tests.agents.positions import positions

RULES = RuleSet()
DETERMINISTIC = [name for name in BOTS if name != "random"]


def pairs_of(a: str, b: str, number: int, seed: int = 1, first: int = 0, **options: bool) -> Pairs:
    return play_pairs(load(a), load(b), deal_seeds(seed, number, first), first, RULES, "deal", **options)


def same(one: Pairs, other: Pairs) -> bool:
    return all(np.array_equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(Pairs))


class Watched(BasePolicy):
    """The first legal action; notes at which seats of which tables it was asked."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: set[tuple[int, int]] = set()

    def act(self, batch: DecisionBatch) -> np.ndarray:
        self.asked |= set(zip(batch.lane.tolist(), batch.seat.tolist(), strict=True))
        return batch.action_mask.argmax(axis=1)


# Pairs ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("split_stock", [False, True])
@pytest.mark.parametrize("name", DETERMINISTIC)
def test_equal_deterministic_policies_differ_by_exactly_nothing(name: str, split_stock: bool) -> None:
    result = play_match(load(name), load(name), 300, seed=2, split_stock=split_stock)
    assert (result.margin, result.low, result.high, result.pair_sd) == (0, 0, 0, 0)
    assert result.win_rate == 0.5
    assert result.deal_sd > 50


def test_both_games_of_a_pair_have_the_same_decks_and_the_dealer_rotates(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []

    def watched(games: np.ndarray, policies: list[Policy], who: np.ndarray) -> np.ndarray:
        begun.append(games.copy())
        return play(games, policies, who)

    monkeypatch.setattr(match, "play_new", watched)
    pairs_of("random", "deepest", 10, first=7)
    [games] = begun
    one, other = games[:10], games[10:]
    for field in ("decks", "hand", "dealer", "seat", "rng", "pile_card"):
        assert (one[field] == other[field]).all(), field
    assert one["dealer"].tolist() == [3, 0, 1, 2, 3, 0, 1, 2, 3, 0]
    assert not (one["sample_rng"] == other["sample_rng"]).any(), "the chance of bots is not that of the cards"
    assert len({deck.tobytes() for deck in one["decks"]}) == 10


def test_a_has_team_0_and_then_team_1() -> None:
    a, b = Watched("a"), Watched("b")
    play_pairs(a, b, deal_seeds(1, 3), 0, RULES, "deal")
    assert a.asked == {(lane, seat) for lane in range(3) for seat in (0, 2)} | {
        (lane, seat) for lane in range(3, 6) for seat in (1, 3)
    }
    assert b.asked == {(lane, seat) for lane in range(6) for seat in range(4)} - a.asked


def test_partners_of_a_team_sit_in_order() -> None:
    a, b, c, d = (Watched(name) for name in "abcd")
    play_teams((a, b), (c, d), deal_seeds(1, 1), 0, RULES, "deal")
    assert [player.asked for player in (a, b, c, d)] == [
        {(0, 0), (1, 1)},
        {(0, 2), (1, 3)},
        {(0, 1), (1, 0)},
        {(0, 3), (1, 2)},
    ]


def test_margins_are_of_the_score_and_its_side() -> None:
    """Worked out again from games played one at a time."""
    seeds = deal_seeds(3, 6)
    found = pairs_of("deepest", "greedy", 6, seed=3)
    policies = [load("deepest"), load("greedy")]
    for number in range(6):
        for side, who in enumerate(([0, 1, 0, 1], [1, 0, 1, 0])):
            games = new_games(seeds[[number]], np.array([number % 4], dtype=np.int8), RULES, 1)
            decisions = play(games, policies, np.array([who]))
            score = games["score"][0].tolist()
            assert found.margin[number, side] == score[side] - score[1 - side]
            assert found.decisions[number, side] == decisions[0]
            assert found.won[number, side] == (score[side] > score[1 - side]) + 0.5 * (score[0] == score[1])
            assert found.out[number, side] == (games["out"][0] < 4)


@pytest.mark.parametrize(("a", "b"), [("greedy", "deepest"), ("expert", "greedy")])
def test_a_against_b_is_b_against_a_the_other_way_round(a: str, b: str) -> None:
    one, other = pairs_of(a, b, 200), pairs_of(b, a, 200)
    assert (one.margin == -other.margin[:, ::-1]).all()
    assert (one.won == 1 - other.won[:, ::-1]).all()
    assert (play_match(load(a), load(b), 200, 1).margin, 0) == (-play_match(load(b), load(a), 200, 1).margin, 0)


def test_an_episode_of_a_whole_game_counts_all_its_deals() -> None:
    games = play_pairs(load("deepest"), load("greedy"), deal_seeds(1, 50), 0, RULES, "game")
    four = play_pairs(load("deepest"), load("greedy"), deal_seeds(1, 50), 0, RuleSet(deals=4), "game")
    deals = pairs_of("deepest", "greedy", 50)
    assert not (games.margin == deals.margin).all()
    assert np.allclose((games.margin * 2) % 1, 0)
    assert games.decisions.mean() == pytest.approx(deals.decisions.mean(), rel=0.2)
    assert four.margin.std() < games.margin.std() < deals.margin.std(), "means of more deals spread less"
    assert set(np.unique(games.won)) <= {0, 0.5, 1}


def test_a_match_may_have_other_rules() -> None:
    a, b = load("deepest"), load("greedy")
    plain = play_match(a, b, 200, 1)
    jacks = play_match(a, b, 200, 1, rules=RuleSet(quad_bonus="jacks"))
    ending = play_match(a, b, 200, 1, rules=RuleSet(stock_out="end"))
    assert len({plain.margin, jacks.margin, ending.margin}) == 3
    assert ending.decisions < plain.decisions


# Deal sets ------------------------------------------------------------------------------------------------------------


def test_a_longer_deal_set_begins_with_the_shorter() -> None:
    assert (deal_seeds(9, 5000)[:700] == deal_seeds(9, 700)).all()
    assert (deal_seeds(9, 300, first=400) == deal_seeds(9, 700)[400:]).all()
    assert not set(deal_seeds(9, 700).tolist()) & set(deal_seeds(10, 700).tolist())
    assert len(set(deal_seeds(9, 20_000).tolist())) == 20_000


def test_how_a_match_is_cut_into_chunks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = pairs_of("random", "deepest", 60)
    parts = [pairs_of("random", "deepest", stop - start, first=start) for start, stop in ((0, 10), (10, 33), (33, 60))]
    assert same(Pairs.join(parts), whole)
    before = play_match(load("random"), load("deepest"), 60, 1)
    monkeypatch.setattr(match, "CHUNK", 7)
    assert replace(play_match(load("random"), load("deepest"), 60, 1), seconds=0) == replace(before, seconds=0)


def test_the_fixed_deals_are_as_they_were() -> None:
    """Results name a deal set by its size and seed; these are the first cards of the set of seed 1."""
    games = new_games(deal_seeds(1, 4), np.arange(4, dtype=np.int8), RULES, 1)
    assert games["decks"][:, 0, :6].tolist() == FIRST_CARDS
    assert games["decks"][:, 0, FIRST_TURNED].tolist() == TURNED


FIRST_CARDS = [[24, 20, 46, 25, 49, 3], [11, 7, 25, 52, 17, 28], [41, 9, 52, 37, 12, 20], [33, 29, 22, 52, 6, 20]]
TURNED = [52, 36, 4, 49]


# Results --------------------------------------------------------------------------------------------------------------


def test_a_result_says_what_the_pairs_say() -> None:
    pairs = pairs_of("deepest", "greedy", 500)
    result = summary("a", "b", pairs, 1.5)
    unit = pairs.margin.mean(axis=1)
    low, high = stats.t.interval(0.95, 499, unit.mean(), stats.sem(unit))
    assert (result.margin, result.low, result.high) == pytest.approx((unit.mean(), low, high))
    low, high = stats.t.interval(0.95, 499, pairs.won.mean(), stats.sem(pairs.won.mean(axis=1)))
    assert (result.win_rate, result.win_low, result.win_high) == pytest.approx((pairs.won.mean(), low, high))
    assert (result.pair_sd, result.deal_sd) == pytest.approx((unit.std(ddof=1), pairs.margin.std()))
    assert result.pairs == 500
    assert MatchResult(**result.as_dict()) == result


def test_the_interval_is_of_pairs_never_of_single_deals() -> None:
    """Both halves of a pair share a deck: 500 pairs are not 1,000 independent deals."""
    margin = np.random.default_rng(1).normal(0, 50, (500, 1)).repeat(2, axis=1)
    pairs = Pairs(margin, margin * 0, margin > 9, margin)
    assert summary("a", "b", pairs, 0).high == pytest.approx(mean_interval(margin[:, 0])[2])


def test_of_a_single_pair_nothing_is_sure() -> None:
    result = play_match(load("deepest"), load("greedy"), 1, 1)
    assert (result.low, result.high) == (-np.inf, np.inf)
    with pytest.raises(ValueError, match="pairs=0: expected"):
        play_match(load("deepest"), load("greedy"), 0, 1)


def test_progress_is_told_after_every_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "CHUNK", 20)
    report: list[MatchResult] = []
    result = play_match(load("deepest"), load("greedy"), 50, 1, progress=report.append)
    assert [one.pairs for one in report] == [20, 40, 50]
    assert report[-1] == result


def test_the_stop_rule_looks_at_fixed_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "CHUNK", 16)
    a, b = load("deepest"), load("greedy")
    halves = {}
    for pairs in (16, 32, 64, 128, 256):
        result = play_match(a, b, pairs, 1)
        halves[pairs] = (result.high - result.low) / 2
    assert sorted(halves.values(), reverse=True) == list(halves.values())
    for pairs, half in halves.items():
        stopped = play_match(a, b, 1000, 1, within=half + 1e-9)
        assert replace(stopped, seconds=0) == replace(play_match(a, b, pairs, 1), seconds=0)
    between = (halves[32] + halves[64]) / 2  # reached somewhere between two looks: found at the next
    assert play_match(a, b, 1000, 1, within=between).pairs == 64
    assert play_match(a, b, 40, 1, within=0.1).pairs == 40, "never more than were asked for"
    assert play_match(b, a, 1000, 1, within=between).pairs == 64, "it favours neither side"


# Who is refused -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "report"),
    [
        ("Unmasked", r"policy python:\S+Unmasked chose action 0 \('draw'\) at seat \d, which is not legal; legal: \S+"),
        ("Beyond", r"chose action 547 \(an id outside 0\.\.546\) at seat \d"),
        ("Floats", r"Floats answered float64 \(\d+,\): expected integers \(\d+,\)"),
        ("TooFew", r"TooFew answered int64 \(\d+,\): expected integers \(\d+,\)"),
    ],
)
def test_a_policy_that_answers_wrongly_is_named(name: str, report: str) -> None:
    with pytest.raises(ValueError, match=report):
        play_match(load(f"python:tests.agents.strangers:{name}"), load("deepest"), 4, 1)


def test_a_stranger_plays_a_match() -> None:
    first = "python:tests.agents.strangers:First"
    result = play_match(load(first), load("greedy"), 40, 1)
    assert result.a == first
    assert result.margin < -50


def test_a_policy_of_other_rules_is_refused_with_both_named() -> None:
    policy = Watched("trained")
    policy.rules = RuleSet(deals=1, quad_bonus="jacks")
    assert play_match(policy, load("random"), 2, 1, rules=RuleSet(deals=4, quad_bonus="jacks")).pairs == 2
    for sides in ((policy, load("random")), (load("random"), policy)):
        with pytest.raises(ValueError) as refused:
            play_match(*sides, 2, 1)
        assert {"trained", "quad_bonus=jacks,", "quad_bonus=any"} <= set(str(refused.value).split())


# Split stock ----------------------------------------------------------------------------------------------------------


def test_a_split_stock_gives_every_outcome_as_many_ways() -> None:
    """Games with five cards of stock left, played on with all 120 orders of them: what comes of it, to the last card,
    comes equally often whether all draw from one stock or each from their own. So the game is the same game."""
    games = positions(3000)
    late = games[(games["stock_size"] == 5) & (games["deal"] == 0)][:12]
    assert len(late) == 12
    several = 0
    for number, game in enumerate(late):
        orders = np.array(list(permutations(game["decks"][0][-5:].tolist())))
        ends = []
        for split in (0, 1):
            table = np.repeat(np.array([game]), len(orders))
            table["decks"][:, 0, -5:] = orders
            table["deals"] = 1
            table["split_stock"] = split
            table["queue"] = np.roll([2, 1, 1, 1], number) if split else 0
            play(table, [load("deepest"), load("expert")], np.tile([0, 1, 1, 0], (len(orders), 1)))
            public = ("hand", "sets", "runs", "laid", "pile_card", "pile_seat", "score", "out", "episode_decisions")
            ends.append(sorted(tuple(end[field].tobytes() for field in public) for end in table))
        assert ends[0] == ends[1]
        several += len(set(ends[0])) > 20
    assert several > 6, "the order of the stock mattered"


def test_a_split_stock_changes_no_statistic_of_play() -> None:
    plain, split = (pairs_of("deepest", "greedy", 3000, seed=seed, split_stock=seed == 2) for seed in (1, 2))
    for name in ("margin", "decisions"):
        one, other = (getattr(pairs, name)[:, 0] for pairs in (plain, split))
        assert stats.ks_2samp(one, other).pvalue > 1e-3, name
    assert abs(plain.out.mean() - split.out.mean()) < 0.03


def cards_drawn(seed: int, taker: bool, split_stock: bool) -> list[list[int]]:
    """What each seat draws, by hands before and after, until one has drawn six times and its own stock might run out.
    Seat 1 takes and melds where it can if it is a ``taker``; all others draw, and discard the card of highest id."""
    games = new_games(np.array([seed], dtype=np.uint64), np.zeros(1, dtype=np.int8), RULES, 1, split_stock)
    lane, drawn = np.zeros(1, dtype=np.int64), [[] for _ in range(4)]
    while games["phase"][0] != OVER and max(map(len, drawn)) < 6:
        legal = np.flatnonzero(show(games, lane).action_mask[0])
        lively = legal[(legal >= TAKE.start) & (legal < DISCARD.start)]
        seat = int(games["seat"][0])
        action = legal[0] if games["phase"][0] == DRAW_PHASE else legal[-1]
        if taker and seat == 1 and len(lively):
            action = lively[0]
        before = Counter(cards_in(games["hand"][0][seat]))
        assert arena_kernels.play_lanes(games, lane, np.array([action])) == -1
        if action == DRAW.start:
            [card] = Counter(cards_in(games["hand"][0][seat])) - before
            drawn[seat].append(card)
    return drawn


def test_with_a_split_stock_everybody_draws_their_own_cards() -> None:
    """Whatever the others do, what a seat draws is the next card of its own stock, as long as that lasts."""

    def moved(seed: int, split_stock: bool) -> int:
        plain, other = (cards_drawn(seed, taker, split_stock) for taker in (False, True))
        return sum(any(a != b for a, b in zip(plain[seat], other[seat], strict=False)) for seat in range(4))

    assert [moved(seed, True) for seed in range(30)] == [0] * 30
    assert sum(moved(seed, False) for seed in range(30)) > 20, "one stock for all: a card taken moves everybody's cards"


@pytest.mark.parametrize(
    ("a", "b", "groups"),
    [("greedy", "expert", {"match loop"}), ("champion", "expert", {"match loop", "trained networks"})],
)
def test_a_match_waits_for_no_more_than_it_calls(
    a: str, b: str, groups: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_on_demand, "_ready", set())
    match.match(a, b, 2)
    assert compile_on_demand._ready == groups

"""Plans: all the ways to play the rest of a turn, each from the next meld to the discard, and what each is worth.

Within the meld phase nothing hidden is turned up, so a seat knows where each way ends. Plans that end alike (same hand,
same table, same points, same discard) are one plan, so playouts are spent on ends and not on the order in which melds
are laid; and a discard is compared with what else could be laid before it, not with what a bot would lay.
"""

from __future__ import annotations

import numpy as np

from persian_rummy_env.actions import DISCARD, NUM_ACTIONS
from persian_rummy_env.cards import NUM_CARDS
from persian_rummy_env.core import bots, warm_up
from persian_rummy_env.core.apply import apply
from persian_rummy_env.core.belief import deal_world
from persian_rummy_env.core.bots import play_to_end
from persian_rummy_env.core.expert import EXPERT_WEIGHTS, NUM_FEATURES, POINTS_DANGER, danger_of, features
from persian_rummy_env.core.jit import compiled
from persian_rummy_env.core.legal import WORDS, is_legal, legal_actions
from persian_rummy_env.core.rng import GOLDEN, mixed
from persian_rummy_env.core.search import deal_margin
from persian_rummy_env.rules import NUM_SEATS, NUM_TEAMS
from persian_rummy_env.state import DRAW_PHASE, OVER, STATE

MAX_LENGTH = 32
"""Actions of a plan, at most."""
MAX_POSITIONS = 256
"""Positions of a turn that plans lead through, at most; what leads to further ones is left out."""
OFFSET = 1 << 12
"""More than any points: keeps scores from below 0, and apart from points of a deal under way."""
NO_ACTION = -1


@compiled
def next_legal(words, row, action):
    """The first legal action from ``action`` on, or ``NO_ACTION``."""
    while action < NUM_ACTIONS:
        if is_legal(words, row, action):
            return action
        action += 1
    return NO_ACTION


@compiled
def promise(game, action, points, terms):
    """What the weights of the expert make of the last action of a turn and of the points laid in it before: by this the
    plans are chosen where there are more than there is room for."""
    features(game, action, terms)
    worth = EXPERT_WEIGHTS[POINTS_DANGER] * danger_of(game, int(game["seat"])) * points / 10.0
    for index in range(NUM_FEATURES):
        worth += EXPERT_WEIGHTS[index] * terms[index]
    return worth


@compiled
def is_new(seen, count, hand, runs, points):
    """Whether a position of this turn is none of the ``count`` seen before. Sets need no look: they are what of the
    same cards lies neither in the hand nor in runs."""
    for index in range(count):
        if seen[index, 0] == hand and seen[index, 1] == runs and seen[index, 2] == points:
            return False
    return True


@compiled
def laid_points(game, team):
    """The points that tell two ends of a turn apart: those laid in this deal, or the score where it is over."""
    return np.uint64(
        int(game["last_score"][team]) + OFFSET if int(game["phase"]) == OVER else int(game["points"][team])
    )


@compiled
def put_plan(path, length, worth, paths, lengths, worths, count):
    """Add a plan, or put it in the place of the one of least promise; returns their number."""
    place = count
    if count == len(paths):
        place = 0
        for index in range(1, count):
            if worths[index] < worths[place]:
                place = index
        if worths[place] >= worth:
            return count
    for index in range(length):
        paths[place, index] = path[index]
    lengths[place] = length
    worths[place] = worth
    return min(count + 1, len(paths))


@compiled
def plans_of_turn(view, states, words, cursor, seen, path, terms, worths, paths, lengths):
    """The plans of one seat, by depth-first search; returns their number. See ``turn_plans``; the others are room to
    work in."""
    seat = int(view["seat"])
    team = seat % NUM_TEAMS
    states[0] = view
    states[0]["deals"] = int(view["deal"]) + 1  # whoever goes out ends the game
    before = int(view["points"][team])
    legal_actions(states[0], words, 0)
    cursor[0] = 0
    count = known = depth = 0
    while depth >= 0:
        game = states[depth]
        action = next_legal(words, depth, cursor[depth])
        if action == NO_ACTION:
            depth -= 1
            continue
        cursor[depth] = action + 1
        path[depth] = action
        ends = action >= DISCARD.start or int(game["phase"]) == DRAW_PHASE
        if not ends:
            if known == MAX_POSITIONS or depth + 2 == MAX_LENGTH:
                continue
            after = states[depth + 1]
            states[depth + 1] = states[depth]
            apply(after, action)
            hand, runs, points = after["hand"][seat], after["runs"], laid_points(after, team)
            if not is_new(seen, known, hand, runs, points):
                continue
            seen[known, 0] = hand
            seen[known, 1] = runs
            seen[known, 2] = points
            known += 1
            ends = int(after["phase"]) == OVER
            if not ends:
                depth += 1
                legal_actions(after, words, depth)
                cursor[depth] = 0
        if ends:
            worth = promise(game, action, int(game["points"][team]) - before, terms)
            count = put_plan(path, depth + 1, worth, paths, lengths, worths, count)
    return count


@compiled
def turn_plans(views, paths, lengths, counts):
    """The plans of each decision; in the draw phase each legal action is one.

    Args:
        views: (k,) STATE, each as the seat to move knows it.
        paths: (k, most, MAX_LENGTH) int16, gets the actions of each plan, from the next on. Of more than ``most`` plans
            those of most promise are kept.
        lengths: (k, most) int64, gets how many actions.
        counts: (k,) int64, gets the number of plans.
    """
    states = np.zeros(MAX_LENGTH, dtype=STATE)
    words = np.zeros((MAX_LENGTH, WORDS), dtype=np.uint64)
    cursor = np.zeros(MAX_LENGTH, dtype=np.int64)
    seen = np.zeros((MAX_POSITIONS, 3), dtype=np.uint64)
    path = np.zeros(MAX_LENGTH, dtype=np.int16)
    terms = np.empty(NUM_FEATURES)
    worths = np.empty(paths.shape[1])
    for row in range(len(views)):
        counts[row] = plans_of_turn(
            views[row], states, words, cursor, seen, path, terms, worths, paths[row], lengths[row]
        )


@compiled
def evaluate_plans(views, seeds, first, worlds, bot, paths, lengths, alive, total, start, stop):
    """Add playouts for every plan of every decision: ``search.evaluate`` in the same worlds, where the bot takes over
    at the end of the plan.

    Args:
        paths, lengths: as ``turn_plans`` gives them.
        alive: (k, most) bool, the candidates.
        total: (k, most) float64, sums of the margins, added to.
    """
    scratch = np.zeros(2, dtype=STATE)
    words = np.zeros((1, WORDS), dtype=np.uint64)
    cards = np.zeros(NUM_CARDS, dtype=np.uint8)
    bots = np.full(NUM_SEATS, bot, dtype=np.int8)
    game, world = scratch[0], scratch[1]
    for row in range(start, stop):
        team = int(views[row]["seat"]) % NUM_TEAMS
        for number in range(first, first + worlds):
            scratch[1] = views[row]
            world["sample_rng"] = mixed(seeds[row] ^ mixed(np.uint64(number) + GOLDEN))
            deal_world(world, int(world["seat"]), cards)
            world["deals"] = int(world["deal"]) + 1  # this deal and no further
            for plan in range(alive.shape[1]):
                if alive[row, plan]:
                    scratch[0] = scratch[1]
                    for step in range(lengths[row, plan]):
                        apply(game, int(paths[row, plan, step]))
                    play_to_end(game, words, 0, bots)
                    total[row, plan] += deal_margin(game, team)


def compile_plans() -> None:
    """Compile what policies that search in plans call, by one decision in one world."""
    games = warm_up.new_game()
    paths = np.zeros((1, 1, MAX_LENGTH), dtype=np.int16)
    lengths, counts, seeds = np.zeros((1, 1), dtype=np.int64), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.uint64)
    alive = np.zeros((1, 1), dtype=bool)
    turn_plans(games, paths, lengths, counts)
    evaluate_plans(games, seeds, 0, 1, bots.GREEDY, paths, lengths, alive, np.zeros((1, 1)), 0, 1)


PART = "search in plans"
warm_up.PARTS.setdefault(PART, compile_plans)

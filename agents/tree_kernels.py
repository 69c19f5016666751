"""Information-set Monte Carlo tree search, single observer (Cowling and others 2012).

One tree over what a seat knows. Each iteration deals a world, goes down the tree by the actions that are legal in this
world, adds one node, and lets a bot finish the deal. A child is chosen by its mean for the team that moves and by how
seldom it was tried of the times when it could have been.
"""

from __future__ import annotations

import numpy as np

from persian_rummy_env.actions import NUM_ACTIONS
from persian_rummy_env.cards import NUM_CARDS
from persian_rummy_env.core import bots, warm_up
from persian_rummy_env.core.apply import apply
from persian_rummy_env.core.belief import deal_world
from persian_rummy_env.core.bots import choose, play_to_end
from persian_rummy_env.core.jit import compiled
from persian_rummy_env.core.legal import WORDS, count_legal, is_legal, legal_actions, nth_legal
from persian_rummy_env.core.rng import GOLDEN, mixed, sample_below
from persian_rummy_env.core.search import deal_margin
from persian_rummy_env.rules import NUM_SEATS, NUM_TEAMS
from persian_rummy_env.state import OVER, STATE

NODE = np.dtype(
    [("child", "i4"), ("sibling", "i4"), ("action", "i2"), ("visits", "i4"), ("available", "i4"), ("total", "f8")],
    align=True,
)
"""``child``: its first one; ``sibling``: the next child of its parent; ``action`` that leads to it; ``available``: the
times that it could be chosen; ``total`` of the margins of its visits, for the team of the seat that searches."""
NONE = -1
EXPLORATION = 1.5
"""Weight of the bonus for what was seldom tried, in standard deviations of a playout's margin."""
FIRST_SPREAD = 50.0
"""Of a playout's margin, before two are known."""
MAX_DEPTH = 400
"""Decisions of a deal, at most."""


@compiled
def add_node(tree, size, parent, action):
    """Add a child that was available once; returns its index."""
    node = tree[size]
    node["child"] = NONE
    node["sibling"] = tree[parent]["child"]
    node["action"] = action
    node["visits"] = 0
    node["available"] = 1
    node["total"] = 0.0
    tree[parent]["child"] = size
    return size


@compiled
def best_child(tree, parent, words, sign, spread):
    """The child to go on to, of those that are legal by ``words[0]``, or ``NONE``; takes their actions out of the
    words, so that those are left that have no child yet.

    Args:
        sign: 1 where the team of the searching seat moves, else -1.
    """
    best = NONE
    most = -np.inf
    child = int(tree[parent]["child"])
    while child != NONE:
        node = tree[child]
        action = int(node["action"])
        if is_legal(words, 0, action):
            words[0, action // 64] ^= np.uint64(1) << np.uint64(action % 64)
            node["available"] = int(node["available"]) + 1
            visits = int(node["visits"])
            bonus = np.sqrt(np.log(int(node["available"])) / visits)
            value = sign * node["total"] / visits + EXPLORATION * spread * bonus
            if value > most:
                most = value
                best = child
        child = int(node["sibling"])
    return best


@compiled
def new_action(game, words, wanted):
    """Of the actions that have no child yet, the bot's choice, or else any."""
    if is_legal(words, 0, wanted):
        return wanted
    return nth_legal(words, 0, sample_below(game, count_legal(words, 0)))


@compiled
def iterate(tree, size, game, words, seat, spread, bot, trail):
    """Go down the tree in a world and add a node, unless the deal ends before; returns the depth reached."""
    node = 0
    depth = 0
    while int(game["phase"]) != OVER and depth < MAX_DEPTH:
        legal_actions(game, words, 0)
        wanted = choose(game, words, 0, bot)
        sign = 1.0 if int(game["seat"]) % NUM_TEAMS == seat % NUM_TEAMS else -1.0
        node = best_child(tree, node, words, sign, spread)
        parent = trail[depth - 1] if depth > 0 else 0
        grows = count_legal(words, 0) > 0
        if grows:
            node = add_node(tree, size, parent, new_action(game, words, wanted))
        trail[depth] = node
        depth += 1
        apply(game, int(tree[node]["action"]))
        if grows:
            break
    return depth


@compiled
def tree_search(views, seeds, budgets, bot, total, visits, start, stop):
    """Search each decision with a tree of its own.

    Args:
        views: (k,) STATE, each as the seat to move knows it.
        seeds: (k,) uint64; iteration ``j`` of a decision deals world ``j`` of its seed.
        budgets: (k,) int64, iterations, each with one playout.
        bot: plays all seats on, below the tree.
        total, visits: (k, 547) float64, get the sums of margins and the visits of the actions.
    """
    scratch = np.zeros(1, dtype=STATE)
    words = np.zeros((1, WORDS), dtype=np.uint64)
    cards = np.zeros(NUM_CARDS, dtype=np.uint8)
    players = np.full(NUM_SEATS, bot, dtype=np.int8)
    most = 0
    for row in range(start, stop):
        most = max(most, int(budgets[row]))
    tree = np.zeros(most + 1, dtype=NODE)
    trail = np.zeros(MAX_DEPTH, dtype=np.int64)
    game = scratch[0]
    for row in range(start, stop):
        seat = int(views[row]["seat"])
        tree[0]["child"] = NONE
        size = 1
        sums = squares = 0.0
        for number in range(int(budgets[row])):
            scratch[0] = views[row]
            game["deals"] = int(game["deal"]) + 1  # this deal and no further
            game["sample_rng"] = mixed(seeds[row] ^ mixed(np.uint64(number) + GOLDEN))
            deal_world(game, seat, cards)
            spread = np.sqrt(max(squares / number - (sums / number) ** 2, 1.0)) if number > 1 else FIRST_SPREAD
            depth = iterate(tree, size, game, words, seat, spread, bot, trail)
            if trail[depth - 1] == size:
                size += 1
            play_to_end(game, words, 0, players)
            margin = deal_margin(game, seat % NUM_TEAMS)
            sums += margin
            squares += margin * margin
            for level in range(depth):
                node = tree[trail[level]]
                node["visits"] = int(node["visits"]) + 1
                node["total"] += margin
        child = int(tree[0]["child"])
        while child != NONE:
            node = tree[child]
            total[row, int(node["action"])] = node["total"]
            visits[row, int(node["action"])] = int(node["visits"])
            child = int(node["sibling"])


def compile_tree() -> None:
    """Compile what policies that search a tree call, by one iteration of one decision."""
    sums = np.zeros((1, NUM_ACTIONS))
    one = np.ones(1, dtype=np.int64)
    tree_search(warm_up.new_game(), one.astype(np.uint64), one, bots.GREEDY, sums, sums.copy(), 0, 1)


PART = "search in a tree"
warm_up.PARTS.setdefault(PART, compile_tree)

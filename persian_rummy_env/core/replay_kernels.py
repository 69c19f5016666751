"""Whole games in one call: the replay of given actions, and games between bots with all actions recorded."""

from __future__ import annotations

import numpy as np

from ..actions import NUM_ACTIONS
from ..state import OVER
from .apply import apply
from .arena_kernels import ASK, loop_action
from .compiler.jit import compiled
from .deal import start_episode
from .legal import legal_actions
from .masks import is_legal
from .rng import seed_game


@compiled
def replay(games, dealer, actions, legal, states):
    """Play a game from its decks until the actions run out or one of them is illegal.

    Args:
        games: (1,) STATE with the rules and the decks of all deals, given.
        dealer: the seat that deals first.
        actions: (n,) int64 ids; anything outside 0..546 is illegal.
        legal: (n + 1, WORDS) uint64; row i receives the legal actions before action i.
        states: (n + 1,) STATE; record i receives the game before action i.

    Returns:
        The number k of actions played. Rows 0 to k of ``legal`` and ``states`` are written; later ones are not.
    """
    game = games[0]
    seed_game(game, np.uint64(0))  # the decks are given, but a generator must not be all zeros
    start_episode(game, dealer)
    played = len(actions)
    for number in range(len(actions)):
        legal_actions(game, legal, number)
        states[number] = game
        action = int(actions[number])
        if action < 0 or action >= NUM_ACTIONS or not is_legal(legal, number, action):
            return number
        apply(game, action)
    legal_actions(game, legal, played)
    states[played] = game
    return played


@compiled
def play_recorded(games, codes, words, actions, lengths, start, stop):
    """``arena_kernels.advance``, with every action written down.

    Args:
        games: (n,) STATE, started.
        codes: (n, 4) int8 by seat, as for ``loop_action``.
        words: (n, WORDS) uint64, room for the legal actions.
        actions: (n, m) int16, the ids of each game's actions, added to; m must suffice for the longest game.
        lengths: (n,) int64, their number, added to.
    """
    for lane in range(start, stop):
        game = games[lane]
        count = int(lengths[lane])
        while int(game["phase"]) != OVER:
            action = loop_action(game, words, lane, int(codes[lane, int(game["seat"])]))
            if action == ASK:
                break
            actions[lane, count] = action
            apply(game, action)
            count += 1
        lengths[lane] = count

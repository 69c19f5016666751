"""Games in which one learner plays some of the seats: its decision, then everybody else's until it is to move again.

Arrays by lane, as in ``core.batch``, and ``place`` (n,) int8, the seat from which ``roles`` (4,) int8 counts:
``roles[r]`` says who plays seat ``(place + r) % 4``: the code of a bot, ``LEARNER``, or ``OUTSIDE - k``, player ``k``
outside the loop. A step is ``decide``, ``play_others`` (with players outside as often as they decide), ``pay``,
``play_others`` for the episodes that began, ``show``.
"""

from __future__ import annotations

import numpy as np

from ..actions import NUM_ACTIONS
from ..observation import HIGH, SIZE
from ..rules import NUM_SEATS, NUM_TEAMS
from ..state import OVER
from .apply import apply
from .batch import MARGIN_DENSE, MARGIN_SCALE, SAME_STEP, WIN, restart, write_mask
from .bot_kernels import choose
from .jit import compiled
from .legal import WORDS, is_legal, legal_actions
from .observe import observe
from .score import margin

LEARNER = -1
OUTSIDE = -2
HIGH_FLOAT = HIGH.astype(np.float32)


@compiled
def standing(game, reward_kind):
    """What team 0 has been paid in this episode so far, in points, or for ``WIN`` in games."""
    if reward_kind == MARGIN_DENSE:
        return margin(game)
    if reward_kind == WIN:
        return int(np.sign(margin(game))) if int(game["phase"]) == OVER else 0
    return int(game["score"][0]) - int(game["score"][1])


@compiled
def begin(games, chosen, place, seeds, seeded, rotate, fresh, skipped, paid, start, stop):
    """After ``batch.reset`` of the ``chosen`` lanes: where the learner sits, and nothing decided yet.

    Args:
        seeds: (n,) uint64. If ``seeded`` and the learner ``rotate``s, it starts at seat ``seed % 4``.
        fresh: (n,) bool, the learner has decided nothing in this episode.
        skipped: (n,) int64, episodes that ended before the learner's first decision.
        paid: (n,) int64, the standing for which the learner has been paid.
    """
    for lane in range(start, stop):
        if chosen[lane]:
            if rotate:
                if seeded:
                    place[lane] = int(seeds[lane] % np.uint64(NUM_SEATS))
                else:
                    place[lane] = (int(place[lane]) + 1) % NUM_SEATS
            fresh[lane] = True
            skipped[lane] = 0
            paid[lane] = 0


@compiled
def begin_next(game, lane, place, rotate, fresh, paid):
    """The next episode of a lane, by itself."""
    restart(game)
    if rotate:
        place[lane] = (int(place[lane]) + 1) % NUM_SEATS
    fresh[lane] = True
    paid[lane] = 0


@compiled
def decide(games, actions, legal, place, rotate, fresh, skipped, paid, acted, forfeited, autoreset, start, stop):
    """The learner's action in every lane that has an episode; a lane that waits gets its next one where ``autoreset``
    (True: NEXT_STEP) says so.

    Args:
        acted: (n,) bool, written: the learner's action was played.
        forfeited: (n,) bool, written: it was illegal, and ended the episode.
    """
    for lane in range(start, stop):
        game = games[lane]
        acted[lane] = False
        forfeited[lane] = False
        skipped[lane] = 0
        if game["ended"]:
            if autoreset:
                begin_next(game, lane, place, rotate, fresh, paid)
        else:
            action = int(actions[lane])
            acted[lane] = True
            fresh[lane] = False
            if action >= 0 and action < NUM_ACTIONS and is_legal(legal, lane, action):
                apply(game, action)
            else:
                forfeited[lane] = True
                game["ended"] = 1


@compiled
def play_others(games, roles, place, rotate, fresh, skipped, paid, max_decisions, start, stop):
    """Let bots play every game on until the learner is to move, or a player outside, or the episode is over. One that
    is over before the learner's first decision is skipped for the next.

    Returns:
        The number of lanes in which a player outside is to move.
    """
    words = np.zeros((1, WORDS), dtype=np.uint64)
    waiting = 0
    for lane in range(start, stop):
        game = games[lane]
        while True:
            cut = max_decisions > 0 and int(game["episode_decisions"]) >= max_decisions
            if int(game["phase"]) == OVER or cut:
                game["ended"] = 1
            if game["ended"]:
                if not fresh[lane]:
                    break
                skipped[lane] += 1
                begin_next(game, lane, place, rotate, fresh, paid)
            role = int(roles[(int(game["seat"]) - int(place[lane])) % NUM_SEATS])
            if role < 0:
                waiting += role != LEARNER
                break
            legal_actions(game, words, 0)
            apply(game, choose(game, words, 0, role))
    return waiting


@compiled
def pay(
    games, place, rotate, fresh, paid, acted, forfeited, final, final_seat, seat, done, reward, terminated, truncated,
    reward_kind, autoreset, start, stop,
):  # fmt: skip
    """What the learner's action and all that followed it earned its team, and how the episodes stand.

    Args:
        final: (n,) STATE and ``final_seat`` (n,) int8, get the last state of the lanes that end (``done``) and the seat
            that looks at it, under SAME_STEP, before the next episode begins.
        seat: (n,) int8, the seat of the learner's last decision.
        reward: (n,) float64.
    """
    for lane in range(start, stop):
        game = games[lane]
        earned = 0.0
        over = False
        cut = False
        if acted[lane]:
            sign = 1.0 if int(place[lane]) % NUM_TEAMS == 0 else -1.0
            now = standing(game, reward_kind)
            if forfeited[lane]:
                earned = -1.0
            elif now != int(paid[lane]):
                earned = sign * (now - int(paid[lane])) / (1.0 if reward_kind == WIN else MARGIN_SCALE)
            paid[lane] = now
            over = forfeited[lane] or int(game["phase"]) == OVER
            cut = not over and int(game["ended"]) == 1
            if (over or cut) and autoreset == SAME_STEP:
                final[lane] = game
                final_seat[lane] = seat[lane]
                begin_next(game, lane, place, rotate, fresh, paid)
        reward[lane] = earned
        terminated[lane] = over
        truncated[lane] = cut
        done[lane] = over or cut


@compiled
def show(games, legal, mask, seat, raw, observation, as_float, start, stop):
    """What the learner sees: its mask, and the view of its seat to move; in a lane that waits for a reset an empty mask
    and the last view.

    Args:
        legal: (n, WORDS) uint64; mask: flat int8; seat: (n,) int8, written where the episode goes on.
        raw: flat uint8 of n rows of ``SIZE``.
        observation: (n, SIZE) float32, written where ``as_float``: ``raw`` divided by ``HIGH``.
    """
    for lane in range(start, stop):
        game = games[lane]
        if game["ended"]:
            for word in range(WORDS):
                legal[lane, word] = np.uint64(0)
        else:
            seat[lane] = int(game["seat"])
            legal_actions(game, legal, lane)
        write_mask(legal, lane, mask)
        observe(game, int(seat[lane]), raw, lane)
        if as_float:
            to_float(raw, lane, observation)


@compiled
def to_float(raw, lane, observation):
    base = lane * SIZE
    for index in range(SIZE):
        observation[lane, index] = np.float32(raw[base + index]) / HIGH_FLOAT[index]


@compiled
def waiting_for(games, roles, place, fresh, lanes, players):
    """The lanes in which a player outside is to move, and which player: written to ``lanes`` and ``players`` (n,) int64
    from the front. Returns their number."""
    count = 0
    for lane in range(len(games)):
        game = games[lane]
        role = int(roles[(int(game["seat"]) - int(place[lane])) % NUM_SEATS])
        if role <= OUTSIDE and int(game["ended"]) == 0:
            lanes[count] = lane
            players[count] = OUTSIDE - role
            count += 1
    return count

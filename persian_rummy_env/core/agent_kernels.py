"""Games in which one agent plays some of the seats: its decision, then the other seats until it is to move again.

Arrays are by lane, as in ``core.batch_kernels``. Seats count from ``base_seat`` (n,) int8: ``seat_codes[r]``, of (4,)
int8, is the player of seat ``(base_seat + r) % 4``. It is the code of a bot, ``AGENT``, or ``OUTSIDE - k`` for policy
``k``, which is called outside the compiled loop; with ``skips_forced[r]``, of (4,) bool, only if two or more actions
are legal. A step is ``decide``, ``play_others`` (and the policies outside as
often as they are to move), ``pay``, ``play_others`` for the episodes that began, ``write_outputs``.
"""

from __future__ import annotations

import numpy as np

from ..actions import NUM_ACTIONS
from ..observation import HIGH, SIZE
from ..rules import NUM_SEATS, NUM_TEAMS
from ..state import OVER
from .apply import apply
from .batch_kernels import MARGIN_DENSE, MARGIN_SCALE, SAME_STEP, WIN, restart
from .bot_kernels import choose
from .compiler.jit import compiled
from .legal import legal_actions
from .masks import ONLY_ROW, WORDS, count_legal, is_legal, nth_legal, unpack_row
from .observe import observe
from .score import margin

AGENT = -1
OUTSIDE = -2
HIGH_FLOAT = HIGH.astype(np.float32)


@compiled
def standing(game, reward_kind):
    """The return of team 0 in this episode so far, in points, or for ``WIN`` in games."""
    if reward_kind == MARGIN_DENSE:
        return margin(game)
    if reward_kind == WIN:
        return int(np.sign(margin(game))) if int(game["phase"]) == OVER else 0
    return int(game["score"][0]) - int(game["score"][1])


@compiled
def begin(games, chosen, base_seat, seeds, seeded, rotate, no_decision_yet, skipped, credited, start, stop):
    """Initialise the ``chosen`` lanes after ``batch_kernels.reset``: the agent's seat, and no decision yet.

    Args:
        seeds: (n,) uint64. If ``seeded`` and the agent ``rotate``s, it starts at seat ``seed % 4``.
        no_decision_yet: (n,) bool, the agent has decided nothing in this episode.
        skipped: (n,) int64, episodes that ended before the agent's first decision.
        credited: (n,) int64, the value of ``standing`` up to which the agent was rewarded.
    """
    for lane in range(start, stop):
        if chosen[lane]:
            if rotate:
                if seeded:
                    base_seat[lane] = int(seeds[lane] % np.uint64(NUM_SEATS))
                else:
                    base_seat[lane] = (int(base_seat[lane]) + 1) % NUM_SEATS
            no_decision_yet[lane] = True
            skipped[lane] = 0
            credited[lane] = 0


@compiled
def begin_next(game, lane, base_seat, rotate, no_decision_yet, credited):
    """Start the next episode of a lane."""
    restart(game)
    if rotate:
        base_seat[lane] = (int(base_seat[lane]) + 1) % NUM_SEATS
    no_decision_yet[lane] = True
    credited[lane] = 0


@compiled
def decide(
    games,
    actions,
    legal,
    base_seat,
    rotate,
    no_decision_yet,
    skipped,
    credited,
    agent_acted,
    forfeited,
    autoreset,
    start,
    stop,
):
    """Play the agent's action in every lane with a running episode. A waiting lane starts its next episode if
    ``autoreset`` is True (NEXT_STEP).

    Args:
        agent_acted: (n,) bool, written: the agent's action was played.
        forfeited: (n,) bool, written: the action was illegal and ended the episode.
    """
    for lane in range(start, stop):
        game = games[lane]
        agent_acted[lane] = False
        forfeited[lane] = False
        skipped[lane] = 0
        if game["ended"]:
            if autoreset:
                begin_next(game, lane, base_seat, rotate, no_decision_yet, credited)
        else:
            action = int(actions[lane])
            agent_acted[lane] = True
            no_decision_yet[lane] = False
            if action >= 0 and action < NUM_ACTIONS and is_legal(legal, lane, action):
                apply(game, action)
            else:
                forfeited[lane] = True
                game["ended"] = 1


@compiled
def play_others(
    games,
    seat_codes,
    skips_forced,
    base_seat,
    rotate,
    no_decision_yet,
    skipped,
    credited,
    max_decisions,
    start,
    stop,
):
    """Let bots play until the agent or an outside policy is to move, or the episode is over. An episode that is over
    before the agent's first decision is replaced by the next one.

    Returns:
        The number of lanes in which an outside policy is to move.
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
                if not no_decision_yet[lane]:
                    break
                skipped[lane] += 1
                begin_next(game, lane, base_seat, rotate, no_decision_yet, credited)
            relative = (int(game["seat"]) - int(base_seat[lane])) % NUM_SEATS
            role = int(seat_codes[relative])
            if role < 0 and not skips_forced[relative]:
                waiting += role != AGENT
                break
            legal_actions(game, words, ONLY_ROW)
            if role >= 0:
                apply(game, choose(game, words, ONLY_ROW, role))
            elif count_legal(words, ONLY_ROW) == 1:
                apply(game, nth_legal(words, ONLY_ROW, 0))
            else:
                waiting += 1
                break
    return waiting


@compiled
def pay(
    games,
    base_seat,
    rotate,
    no_decision_yet,
    credited,
    agent_acted,
    forfeited,
    final,
    final_seat,
    seat,
    done,
    reward,
    terminated,
    truncated,
    reward_kind,
    autoreset,
    start,
    stop,
):
    """Write the rewards of the agent's team for the whole step, and the flags of the episodes.

    Args:
        final: (n,) STATE, and ``final_seat`` (n,) int8: under SAME_STEP, receive the last state of the lanes that end
            (``done``) and the seat of its observation.
        seat: (n,) int8, the seat of the agent's last decision.
        reward: (n,) float64.
    """
    for lane in range(start, stop):
        game = games[lane]
        earned = 0.0
        over = False
        cut = False
        if agent_acted[lane]:
            sign = 1.0 if int(base_seat[lane]) % NUM_TEAMS == 0 else -1.0
            now = standing(game, reward_kind)
            if forfeited[lane]:
                earned = -1.0
            elif now != int(credited[lane]):
                earned = sign * (now - int(credited[lane])) / (1.0 if reward_kind == WIN else MARGIN_SCALE)
            credited[lane] = now
            over = forfeited[lane] or int(game["phase"]) == OVER
            cut = not over and int(game["ended"]) == 1
            if (over or cut) and autoreset == SAME_STEP:
                final[lane] = game
                final_seat[lane] = seat[lane]
                begin_next(game, lane, base_seat, rotate, no_decision_yet, credited)
        reward[lane] = earned
        terminated[lane] = over
        truncated[lane] = cut
        done[lane] = over or cut


@compiled
def write_outputs(games, legal, mask, seat, raw, observation, as_float, start, stop):
    """Write the agent's mask and observation. A lane that waits for a reset has an empty mask and the last observation.

    Args:
        legal: (n, WORDS) uint64; mask: flat int8; seat: (n,) int8, written for running episodes.
        raw: flat uint8 of n rows of ``SIZE``.
        observation: (n, SIZE) float32, written if ``as_float``: ``raw`` divided by ``HIGH``.
    """
    for lane in range(start, stop):
        game = games[lane]
        if game["ended"]:
            for word in range(WORDS):
                legal[lane, word] = np.uint64(0)
        else:
            seat[lane] = int(game["seat"])
            legal_actions(game, legal, lane)
        unpack_row(legal, lane, mask)
        observe(game, int(seat[lane]), raw, lane)
        if as_float:
            to_float(raw, lane, observation)


@compiled
def to_float(raw, lane, observation):
    base = lane * SIZE
    for index in range(SIZE):
        observation[lane, index] = np.float32(raw[base + index]) / HIGH_FLOAT[index]


@compiled
def waiting_for(games, seat_codes, base_seat, no_decision_yet, lanes, players):
    """Write the lanes in which an outside policy is to move to ``lanes`` (n,) int64, and the policies to ``players``
    (n,) int64. Returns their number."""
    count = 0
    for lane in range(len(games)):
        game = games[lane]
        role = int(seat_codes[(int(game["seat"]) - int(base_seat[lane])) % NUM_SEATS])
        if role <= OUTSIDE and int(game["ended"]) == 0:
            lanes[count] = lane
            players[count] = OUTSIDE - role
            count += 1
    return count

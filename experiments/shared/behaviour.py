"""Digests of behaviour: how players choose in stored decisions, and how the game deals and scores.

A digest of sources would change with every moved file. These digests change only if a player chooses differently, or if
the game deals, plays or scores differently.

The decisions are in ``results/decisions.npz``: whole games of mixed play as decks and actions, which any version of the
engine can replay, and the indices of the decisions in them. ``python -m experiments.shared.behaviour`` makes the file
again (every result is then out of date); with names of policies it prints their digests.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import re
from collections.abc import Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from persian_rummy_env.core import arena_kernels, batch_kernels
from persian_rummy_env.core.compiler.jit import JIT
from persian_rummy_env.core.masks import WORDS
from persian_rummy_env.evaluation.arena import new_games, play
from persian_rummy_env.players.bundled import BUNDLED
from persian_rummy_env.players.load import load
from persian_rummy_env.players.policy import Policy
from persian_rummy_env.players.policy_io import choose
from persian_rummy_env.players.search import SearchPolicy
from persian_rummy_env.records import replay
from persian_rummy_env.rules import NUM_SEATS, RuleSet
from persian_rummy_env.state import OVER

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "experiments" / "results" / "decisions.npz"
SHA256 = "ceae1ed6f6afee30"
"""The start of the sha256 of that file. If the file is made again, all results are out of date."""
SEED = 70_001
GAMES, OF_A_GAME = 200, 10
SEARCHED = 100
"""Decisions for a searching policy, early and late ones of games."""
WORLDS_FOR_MS = 2
"""Worlds instead of a budget in milliseconds, which depends on the machine; so few that bot and prior decide."""
BLOCKS = 20
"""Number of separate digests of the choices, which show how many choices have changed."""
TIES = 2
"""Digests that may differ for a network: another CPU adds in another order, and near-ties change."""
SCORED = 64
"""Games of each of the four rule sets in the digest of the game."""


class BehaviourError(RuntimeError):
    """The stored decisions cannot be replayed."""


def make(seed: int = SEED) -> bytes:
    """Make games of one deal with a random bot at each seat, and choose decisions with several legal actions in
    them."""
    rng = np.random.default_rng(seed)
    seeds = rng.integers(0, 2**63, GAMES).astype(np.uint64)
    dealers = (np.arange(GAMES) % NUM_SEATS).astype(np.int8)
    bots = [load(name) for name in ("random", "greedy", "deepest", "expert")]
    who = rng.integers(0, len(bots), (GAMES, NUM_SEATS))
    games = new_games(seeds, dealers, RuleSet(), 1)
    decks = games["decks"][:, 0].copy()
    actions: list[list[int]] = [[] for _ in range(GAMES)]
    chosen_from: list[list[int]] = [[] for _ in range(GAMES)]
    while (lanes := np.flatnonzero(games["phase"] != OVER)).size:
        words = np.zeros((len(lanes), WORDS), dtype=np.uint64)
        batch_kernels.legal_words(games[lanes], words, 0, len(lanes))
        number = np.bitwise_count(words).sum(axis=1)
        player = who[lanes, games["seat"][lanes]]
        chosen = np.zeros(len(lanes), dtype=np.int64)
        for index, bot in enumerate(bots):
            rows = np.flatnonzero(player == index)
            if rows.size:
                chosen[rows] = choose(games[lanes[rows]], bot)
        for lane, action, several in zip(lanes.tolist(), chosen.tolist(), (number > 1).tolist(), strict=True):
            if several:
                chosen_from[lane].append(len(actions[lane]))
            actions[lane].append(action)
        moved = games[lanes]
        arena_kernels.play_lanes(moved, np.arange(len(moved)), chosen)
        moved["sample_rng"] = rng.integers(1, 2**63, moved["sample_rng"].shape).astype(np.uint64)
        games[lanes] = moved
    picked = [sorted(rng.choice(of_one, OF_A_GAME, replace=False).tolist()) for of_one in chosen_from]
    content = io.BytesIO()
    np.savez_compressed(
        content,
        decks=decks,
        dealers=dealers,
        lengths=np.array([len(of_one) for of_one in actions], dtype=np.int16),
        actions=np.array([action for of_one in actions for action in of_one], dtype=np.int16),
        picked=np.array(picked, dtype=np.int16),
        seeds=seeds,
    )
    return content.getvalue()


@cache
def decisions() -> np.ndarray:
    """The stored decisions: (2000,) STATE, each with several legal actions.

    Raises:
        BehaviourError: the file is damaged, or today's engine cannot replay its games, so that earlier results do not
            apply to it.
    """
    try:
        content = DECISIONS.read_bytes()
    except OSError as error:
        raise BehaviourError(f"{DECISIONS}: cannot be read: {error.strerror}") from error
    found_sha = hashlib.sha256(content).hexdigest()[:16]
    if found_sha != SHA256:
        raise BehaviourError(f"{DECISIONS}: sha256: {found_sha} instead of {SHA256}: damaged, or made again")
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        stored = {name: file[name] for name in file.files}
    ends = np.cumsum(stored["lengths"].astype(np.int64))
    found = []
    for game, end in enumerate(ends.tolist()):
        actions = stored["actions"][end - int(stored["lengths"][game]) : end].astype(np.int64)
        deck = stored["decks"][game : game + 1]
        again = replay.play(RuleSet(deals=1), int(stored["dealers"][game]), deck, actions)
        if again.played < len(actions):
            raise BehaviourError(f"{DECISIONS}: game {game}, action {again.played}: not legal by the rules of today")
        found.append(again.states[stored["picked"][game].astype(np.int64)])
    games = np.concatenate(found)
    fresh = new_games(np.arange(1, len(games) + 1, dtype=np.uint64), games["dealer"], RuleSet(), 1)
    for name in ("rng", "sample_rng"):
        games[name] = fresh[name]
    return games


def weights_of(name: str) -> dict[str, str]:
    """Hashes of the weights of a policy, or of the prior of a search, by file. Only the numbers count, not the
    metadata."""
    from safetensors.numpy import load_file

    paths = [path.strip() for path in re.findall(r"file:([^,)]+)", name)]
    bundled = [word for word in BUNDLED if re.search(rf"(?<![\w-]){word}(?![\w-])", re.sub(r"file:[^,)]+", "", name))]
    found = {path: Path(path) for path in paths} | {word: BUNDLED[word] for word in bundled}
    hashes = {}
    for word, path in found.items():
        digest = hashlib.sha256()
        for tensor, values in sorted(load_file(path).items()):
            digest.update(f"{tensor} {values.dtype} {values.shape} ".encode() + values.tobytes())
        hashes[word] = digest.hexdigest()[:16]
    return hashes


def choices(policy: Policy) -> np.ndarray:
    """The actions that a policy chooses in the stored decisions; a searching policy gets only some of them."""
    games = decisions()
    if isinstance(policy, SearchPolicy):
        number = np.arange(SEARCHED)
        games = games[number * (len(games) // SEARCHED) + number % OF_A_GAME]
        if policy.unit == "ms":
            policy.unit, policy.budget = "worlds", WORLDS_FOR_MS
    return choose(games.copy(), policy)


def digest(actions: np.ndarray) -> str:
    """Short hashes of ``BLOCKS`` consecutive parts of the actions."""
    parts = np.array_split(actions.astype("<i2"), BLOCKS)
    return " ".join(hashlib.sha256(part.tobytes()).hexdigest()[:8] for part in parts)


@cache
def player(name: str) -> dict[str, Any]:
    """The behaviour of a player: digests of its choices, the number of decisions, and hashes of its weights.

    Raises:
        ValueError, FileNotFoundError: there is no such player.
    """
    actions = choices(load(name))
    weights = weights_of(name)
    return {"choices": digest(actions), "decisions": len(actions), **({"weights": weights} if weights else {})}


@cache
def game() -> str:
    """A hash of decks and scores of games by seed: two deals of random play with each rule set."""
    found = hashlib.sha256()
    random = load("random")
    seeds, dealers = np.arange(SCORED, dtype=np.uint64), (np.arange(SCORED) % NUM_SEATS).astype(np.int8)
    for quad_bonus, stock_out in product(("any", "jacks"), ("pass", "end")):
        games = new_games(seeds, dealers, RuleSet(deals=2, quad_bonus=quad_bonus, stock_out=stock_out))
        found.update(games["decks"][:, :1].tobytes())
        taken = play(games, [random], np.zeros((SCORED, NUM_SEATS), dtype=np.int64))
        found.update(games["score"].astype("<i4").tobytes() + taken.astype("<i4").tobytes())
    return found.hexdigest()[:16]


def behaviour(players: Sequence[str]) -> dict[str, Any]:
    """The behaviour of the game and of the players of a result."""
    if not JIT:  # without the compiler it takes hours; only tests run so
        return {"game": None, "players": {}}
    return {"game": game(), "players": {name: player(name) for name in players}}


def difference(recorded: dict[str, Any], now: dict[str, Any]) -> str | None:
    """How a player differs from the recorded one; None if it does not."""
    if recorded.get("weights") != now.get("weights"):
        return "has other weights"
    if recorded.get("decisions") != now["decisions"]:
        return "was asked other decisions"
    before, after = str(recorded.get("choices")).split(), now["choices"].split()
    turned = sum(one != other for one, other in zip(before, after, strict=False)) if len(before) == BLOCKS else BLOCKS
    if turned > (TIES if "weights" in now else 0):
        return f"chooses otherwise (in {turned} of {BLOCKS} parts of the stored decisions)"
    return None


def main(given: Sequence[str] | None = None) -> None:
    from persian_rummy_env.system.files import write_whole

    parser = argparse.ArgumentParser(
        prog="python -m experiments.shared.behaviour",
        description="make the stored decisions again, or print digests of how players choose",
    )
    parser.add_argument("policies", nargs="*", help="print the digests of these")
    options = parser.parse_args(given)
    if options.policies:
        print(json.dumps(behaviour(options.policies), indent=1))
        return
    content = make()
    write_whole(DECISIONS, content)
    print(f"{DECISIONS}: SHA256 = {hashlib.sha256(content).hexdigest()[:16]!r}")


if __name__ == "__main__":
    main()

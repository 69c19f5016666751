"""Stores played pairs in a folder, so that an interrupted match continues and loses only seconds.

One file holds one match, with its players, seed, rules and a hash of the code that played. Pairs are never mixed: a
file that other code or other settings wrote is refused.
"""

from __future__ import annotations

import hashlib
import io
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ..rules import NUM_SEATS, RuleSet
from ..system.files import write_whole
from .arena import new_games
from .match import Pairs, Team, deal_seeds
from .playing_code import playing_code
from .workers import Chunk, LocalPlayers, Players

FIRST_CHUNK, MOST_CHUNK = 32, 1024
"""Pairs per worker between two saves: doubled while they take less than ``CHUNK_SECONDS``."""
CHUNK_SECONDS = 5.0
MARK = b"persian-rummy pairs 1\n"


class MatchCacheError(RuntimeError):
    """The folder holds another match than the one asked for, or a damaged file."""


@dataclass(frozen=True)
class MatchSettings:
    """The settings that all matches of an experiment share.

    Attributes:
        seed: seed of the deal set.
        rules, episode, split_stock: as for ``persian_rummy_env.evaluation.match.play_match``.
    """

    seed: int
    rules: RuleSet = field(default_factory=RuleSet)
    episode: str = "deal"
    split_stock: bool = False

    def as_dict(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "rules": self.rules.as_dict(),
            "episode": self.episode,
            "split_stock": self.split_stock,
        }


def file_hash(spec: str) -> str | None:
    """A hash of the file of a policy ``file:…``; None for any other policy."""
    kind, _, path = spec.partition(":")
    if kind.strip() != "file":
        return None
    return hashlib.sha256(Path(path.strip()).read_bytes()).hexdigest()[:16]


def deal_set(seed: int, pairs: int, rules: RuleSet | None = None) -> dict[str, str]:
    """The name of a deal set (its size and seed), and a sha256 of its first decks and dealers to compare deals by."""
    digest = hashlib.sha256()
    for first in range(0, pairs, MOST_CHUNK):
        seeds = deal_seeds(seed, min(MOST_CHUNK, pairs - first), first)
        dealers = ((first + np.arange(len(seeds))) % NUM_SEATS).astype(np.int8)
        games = new_games(seeds, dealers, rules)
        digest.update(games["decks"][:, 0].tobytes() + games["dealer"].tobytes())
    return {"name": f"{pairs}-pairs-of-seed-{seed}", "sha256": digest.hexdigest()}


@dataclass(frozen=True)
class PlayedPairs:
    """Pairs and the seconds in which they were played."""

    pairs: Pairs
    seconds: float

    def head(self, pairs: int) -> PlayedPairs:
        """The first ``pairs`` of these, with their share of the seconds."""
        kept = Pairs(*(getattr(self.pairs, one.name)[:pairs] for one in fields(Pairs)))
        return PlayedPairs(kept, self.seconds * len(kept) / max(1, len(self.pairs)))


def packed(about: Mapping[str, Any], played: PlayedPairs) -> bytes:
    """The bytes of a match file: a mark, a sha256 of the rest, and an ``npz`` with settings, seconds and pairs."""
    content = io.BytesIO()
    columns = {one.name: getattr(played.pairs, one.name) for one in fields(Pairs)}
    np.savez_compressed(content, about=json.dumps(about), seconds=played.seconds, **columns)
    rest = content.getvalue()
    return MARK + hashlib.sha256(rest).digest() + rest


def unpacked(path: Path) -> tuple[dict[str, Any], float, Pairs]:
    """Read a match file: its settings, seconds and pairs.

    Raises:
        MatchCacheError: it cannot be read, is not a match file, or is damaged. The digest is checked before anything is
            parsed.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MatchCacheError(f"{path}: cannot be read: {error.strerror}") from error
    start, end = len(MARK), len(MARK) + hashlib.sha256().digest_size
    if content[:start] != MARK:
        raise MatchCacheError(f"{path}: byte 0: not a match file of this version; --anew plays the match again")
    rest = content[end:]
    if hashlib.sha256(rest).digest() != content[start:end]:
        raise MatchCacheError(f"{path}: byte {start}: damaged: the digest does not match; --anew plays the match again")
    with np.load(io.BytesIO(rest), allow_pickle=False) as file:
        pairs = Pairs(*(file[one.name] for one in fields(Pairs)))
        return json.loads(str(file["about"])), float(file["seconds"]), pairs


class MatchCache:
    """The stored pairs of an experiment.

    Args:
        folder: where they lie; made if it is not there. None: nothing is kept.
        settings: of all its matches.
        anew: replay what was played by other code or on other settings, instead of refusing to go on.

    Attributes:
        players: plays the pairs that are not stored yet: this process, or a Ray cluster.
    """

    def __init__(self, folder: Path | None, settings: MatchSettings, anew: bool = False) -> None:
        self.folder = folder
        self.settings = settings
        self.anew = anew
        self.players: Players = LocalPlayers()
        self.code = playing_code()
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / ".gitignore", "*\n")  # raw pairs are not committed: the command can play them again

    def read(self, a: tuple[str, str], b: tuple[str, str]) -> PlayedPairs | None:
        """Read the stored pairs of a match between two teams, given by the names of their policies; None without any.

        Raises:
            MatchCacheError: they were played by other code, weights or settings, or the file is damaged.
        """
        path = self._path(a, b)
        if path is None or not path.exists():
            return None
        about = self._about(a, b)
        try:
            stored, seconds, pairs = unpacked(path)
        except MatchCacheError:
            if self.anew:
                return None
            raise
        if stored != about:
            if self.anew:
                return None
            other = ", ".join(
                f"{key} {stored.get(key)} instead of {about[key]}" for key in about if stored.get(key) != about[key]
            )
            raise MatchCacheError(
                f"{path}: {' & '.join(a)} v {' & '.join(b)} was played with {other}; "
                "use another folder, or --anew to play it again"
            )
        return PlayedPairs(pairs, seconds)

    def play(
        self,
        a: Team,
        b: Team,
        pairs: int,
        progress: Callable[[PlayedPairs], None] | None = None,
    ) -> PlayedPairs:
        """Continue a match from its stored pairs up to ``pairs``, and save after every chunk."""
        names = (a[0].name, a[1].name), (b[0].name, b[1].name)
        played = self.read(*names)
        done = 0 if played is None else len(played.pairs)
        played_chunks = [] if played is None else [played.pairs]
        seconds = 0.0 if played is None else played.seconds
        chunk = FIRST_CHUNK
        while done < pairs:
            start = time.perf_counter()
            ends = [min(done + chunk * (place + 1), pairs) for place in range(self.players.count)]
            chunks = [self._chunk(first, end) for first, end in pairwise([done, *ends]) if first < end]
            played_chunks += self.players.play(a, b, chunks)
            took = time.perf_counter() - start
            done, seconds = ends[-1], seconds + took
            played = PlayedPairs(Pairs.join(played_chunks), seconds)
            self._write(*names, played)
            if progress is not None:
                progress(played)
            if took < CHUNK_SECONDS:
                chunk = min(2 * chunk, MOST_CHUNK)
        assert played is not None
        return played.head(pairs)

    def _chunk(self, first: int, end: int) -> Chunk:
        settings = self.settings
        seeds = deal_seeds(settings.seed, end - first, first)
        return Chunk(seeds, first, settings.rules, settings.episode, settings.split_stock)

    def _about(self, a: tuple[str, str], b: tuple[str, str]) -> Mapping[str, Any]:
        weights = {spec: file_hash(spec) for spec in (*a, *b) if file_hash(spec)}
        about = {"a": a, "b": b, **self.settings.as_dict(), "code": self.code, "weights": weights}
        return json.loads(json.dumps(about))

    def _path(self, a: tuple[str, str], b: tuple[str, str]) -> Path | None:
        return self.folder and self.folder / (hashlib.sha256(json.dumps([a, b]).encode()).hexdigest()[:16] + ".pairs")

    def _write(self, a: tuple[str, str], b: tuple[str, str], played: PlayedPairs) -> None:
        path = self._path(a, b)
        if path is not None:
            write_whole(path, packed(self._about(a, b), played))

"""The best copy of the player in a run, by the matches of its curve; at the end it must prove itself on fresh deals.

The best of many measurements is partly the luckiest. So the last copy is the player unless the best one beats it, in a
match of its own, by more than chance explains.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from safetensors import safe_open

from agents.learned import LearnedPolicy, policy_bytes, read_policy
from agents.network import Actor
from persian_rummy_env.files import write_whole

from .checkpoint import POLICY
from .config import RunConfig
from .match import MatchResult, play_match

BEST_DEALS = 20_003
"""Seed of the deals on which the best copy meets the last one."""
FILE = "best.safetensors"


class BestCopy:
    """The copy with the highest mean margin over the bots so far, kept in the run's folder.

    The file is all that there is of it: a run that is resumed goes on with it.
    """

    def __init__(self, config: RunConfig) -> None:
        self.config = config
        self.path = config.out / FILE

    def offer(self, actor: Actor, matches: Sequence[MatchResult], update: int) -> None:
        """Keep a copy of the player, after so many updates, if these matches are better than those of the kept one."""
        score = sum(match.margin for match in matches) / len(matches)
        if not self.path.is_file() or score > float(self._says("score")):
            config = self.config
            says = {"rules": json.dumps(config.rules.as_dict()), "config": json.dumps(config.as_dict())}
            write_whole(self.path, policy_bytes(actor, says | {"score": str(score), "update": str(update)}))

    def against(self, last: Actor, update: int) -> MatchResult | None:
        """The match of the kept copy and the last one, which is that of an update, on fresh deals; None: they are one
        and the same, or there is none."""
        if not self.path.is_file() or int(self._says("update")) == update:
            return None
        config = self.config
        best, player = LearnedPolicy(self.path, config.device), LearnedPolicy(last, config.device)
        best.name, player.name = f"update {self._says('update')}", f"update {update}"
        return play_match(best, player, config.final_pairs, BEST_DEALS, rules=config.rules, episode=config.episode)

    def take(self) -> Actor:
        """Make the kept copy the player of the run's folder."""
        write_whole(self.config.out / POLICY, self.path.read_bytes())
        return read_policy(self.path)

    def _says(self, name: str) -> str:
        with safe_open(self.path, framework="pt") as file:
            return (file.metadata() or {})[name]

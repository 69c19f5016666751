"""The best copy of the player in a run, by the matches of its curve; at the end it must prove itself on fresh deals.

The best of many measurements is partly the luckiest. So the last copy is the player unless the best one beats it, in a
match of its own, by more than chance explains.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from agents.learned import LearnedPolicy, policy_bytes, policy_metadata, read_policy
from agents.network import Actor
from persian_rummy_env.evaluation.match import MatchResult, play_match
from persian_rummy_env.system.escaping import shortened
from persian_rummy_env.system.files import write_whole

from ..config.base import RunConfig
from ..data.deal_sets import RUN_BEST
from .checkpoint import POLICY

FILE = "best.safetensors"


class BestCopy:
    """The copy with the highest mean margin over the bots so far, kept in the run's folder.

    The file is all that there is of it: a run that is resumed goes on with it.

    Args:
        run: the identity of the run.

    Raises:
        ValueError: the copy that is there is damaged, no policy, or another run's; the message names the file.
    """

    def __init__(self, config: RunConfig, run: str = "") -> None:
        self.config = config
        self.run = run
        self.path = config.out / FILE
        self.score, self.updates = -math.inf, 0
        if self.path.exists():
            self.score, self.updates = self._stored()

    def _stored(self) -> tuple[float, int]:
        metadata = policy_metadata(self.path)
        read_policy(self.path)
        if metadata.get("run", "") != self.run:
            raise ValueError(
                f"{self.path}: of another run ({shortened(metadata.get('run', ''), 20) or 'of before runs had names'}) "
                f"than the checkpoint beside it ({self.run}); take it away to go on without it"
            )
        try:
            score, update = float(metadata["score"]), int(metadata["update"])
            if not math.isfinite(score) or update < 1:
                raise ValueError
        except (KeyError, ValueError):
            values = shortened(f"score={metadata.get('score')!r}, update={metadata.get('update')!r}", 100)
            raise ValueError(f"{self.path}: damaged: {values}; take it away to go on without it") from None
        return score, update

    def update(self, actor: Actor, matches: Sequence[MatchResult], update: int) -> None:
        """Keep a copy of the player, after so many updates, if these matches are better than those of the kept one."""
        score = sum(match.margin for match in matches) / len(matches)
        if score > self.score:
            config = self.config
            metadata = {
                "rules": json.dumps(config.rule_set.as_dict()),
                "config": json.dumps(config.as_dict()),
                "run": self.run,
            }
            write_whole(self.path, policy_bytes(actor, metadata | {"score": str(score), "update": str(update)}))
            self.score, self.updates = score, update

    def challenge(self, last: Actor, update: int) -> MatchResult | None:
        """The match of the kept copy and the last one, which is that of an update, on fresh deals; None: they are one
        and the same, or there is none."""
        if self.updates in (0, update):
            return None
        config = self.config
        best, player = LearnedPolicy(self.path, config.device), LearnedPolicy(last, config.device)
        best.name, player.name = f"update {self.updates}", f"update {update}"
        return play_match(
            best, player, config.eval.final_pairs, RUN_BEST, rules=config.rule_set, episode=config.episode
        )

    def promote(self) -> Actor:
        """Make the kept copy the player of the run's folder."""
        write_whole(self.config.out / POLICY, self.path.read_bytes())
        return read_policy(self.path)

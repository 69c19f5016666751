"""The matches that measure a run: its player against the evaluation bots."""

from __future__ import annotations

from agents.learned import LearnedPolicy
from agents.network import Actor
from persian_rummy_env.evaluation.match import MatchResult, play_match
from persian_rummy_env.players.load import load

from ..config.base import RunConfig
from .log import EVALUATION_BOTS


def evaluation_matches(config: RunConfig, actor: Actor, deals: int, pairs: int) -> list[MatchResult]:
    """A match of ``pairs`` duplicate pairs against each evaluation bot; ``deals``: the seed of the deals."""
    player = LearnedPolicy(actor, config.device)
    return [
        play_match(player, load(bot), pairs, deals, rules=config.rule_set, episode=config.episode)
        for bot in EVALUATION_BOTS
    ]


def match_columns(matches: list[MatchResult]) -> dict[str, float]:
    """Their numbers, by column of the log."""
    words = (("margin", "margin"), ("low", "low"), ("high", "high"), ("won", "win_rate"))
    return {f"{word}_{m.b}": getattr(m, name) for m in matches for word, name in words}

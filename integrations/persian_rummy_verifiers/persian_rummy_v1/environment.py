"""A game between agents and policies. The engine runs in the process of the environment; agents get prompts alone."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import verifiers.v1 as vf

from persian_rummy_env import RuleSet
from persian_rummy_env.apps.text_game import FORFEIT, TEXT, TextGame, TextResult, seats_around
from persian_rummy_v1.taskset import PersianRummyTask

POINTS = 100
"""Points that a reward of 1 stands for, as in the environments."""
CHAT = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})
"""A plain conversation: the agent has no tools."""


class PersianRummyEnvConfig(vf.EnvConfig):
    player: vf.AgentConfig = CHAT
    """Plays ``seat``, and also opposite if ``partner`` is "text"."""
    opponent: vf.AgentConfig = CHAT
    """Plays left and right if ``opponents`` is "text"."""
    seat: int = 0
    """0..3"""
    partner: str = "expert"
    """The name of a policy (``persian_rummy_env.load``), or "text" for an agent."""
    opponents: str = "expert"
    """As ``partner``."""
    show_legal: bool = False
    """List the legal actions in prompts."""
    attempts: int = 3
    """Answers that an agent may give to one prompt, 1 or more."""
    fallback: str = FORFEIT
    """After the last refused answer: "forfeit", or the policy that plays the rest of the turn."""


class PersianRummyEnv(vf.Env[PersianRummyEnvConfig]):
    async def run(self, task: PersianRummyTask, agents: vf.Agents) -> None:
        """Play a game; each agent's seat has a conversation of its own.

        Raises:
            RuntimeError: a conversation ended before the game: a limit, or a failure of the model's server. Then no
                trace has a reward.
        """
        config = self.config
        seats = seats_around(config.seat, config.partner, config.opponents)
        game = await asyncio.to_thread(
            TextGame,
            seats,
            rules=RuleSet.parse(task.config.rules),
            seed=task.game_seed(),
            show_legal=config.show_legal,
            attempts=config.attempts,
            fallback=config.fallback,
        )
        async with AsyncExitStack() as stack:
            talks: dict[int, vf.Interaction] = {}
            for seat, player in enumerate(seats):
                if player == TEXT:
                    agent = agents.player if seat % 2 == config.seat % 2 else agents.opponent
                    talks[seat] = await stack.enter_async_context(agent.interaction(task))
            refusals = dict.fromkeys(talks, "")
            while not game.over:
                seat = game.seat
                assert seat is not None
                segment = await talks[seat].turn(refusals[seat] + game.prompt())
                if segment.terminated:
                    raise RuntimeError(f"the conversation of seat {seat} ended before the game")
                reply = await asyncio.to_thread(game.answer, segment.last_reply)
                refusals[seat] = "" if reply.accepted else f"{reply.message}\n\n"
        score(game.result(), {seat: talk.trace for seat, talk in talks.items()})


def score(result: TextResult, traces: dict[int, vf.Trace]) -> None:
    """Write reward and counts of a finished game into the trace of each agent's seat."""
    for seat, trace in traces.items():
        count = result.answers[seat]
        trace.record_reward("margin", result.margin_of(seat) / POINTS)
        trace.record_metrics(
            {
                "seat": seat,
                "points": result.margin_of(seat),
                "accepted_answers": count.accepted,
                "refused_answers": sum(count.refused.values()),
                "replaced_turns": count.replaced,
                "forfeited": result.forfeited == seat,
                **{f"refused_{code}": number for code, number in count.refused.items()},
            }
        )

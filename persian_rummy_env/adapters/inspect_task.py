"""Inspect AI: a model plays duplicate deals against bundled players, and is scored in points a deal.

A sample is a pair of games with the same cards: in the first the model's team sits at seats 0 and 2, in the second at
1 and 3. Inspect logs a sample and the arguments of a task before it is played, so neither holds a seed. Seeds and game
records are in the metadata of the score, once both games are over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from inspect_ai import Task, task  # pyright: ignore[reportMissingImports]
from inspect_ai.dataset import MemoryDataset, Sample  # pyright: ignore[reportMissingImports]
from inspect_ai.model import (  # pyright: ignore[reportMissingImports]
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr  # pyright: ignore[reportMissingImports]
from inspect_ai.solver import Generate, Solver, TaskState, solver  # pyright: ignore[reportMissingImports]

from ..apps.text_game import FORFEIT, TEXT, TextGame, seats_around
from ..arguments import positive
from ..rules import NUM_TEAMS, RuleSet, as_rules
from ..seeds import fresh_seed, game_seed
from ..text import Notation
from ..text import rules as rules_text

GAMES = "persian_rummy_games"
"""The key of the store under which the solver leaves the results of a finished pair."""


@task
def persian_rummy(
    pairs: int = 10,
    partner: str | None = None,
    opponents: str = "expert",
    deals: int = 1,
    show_legal: bool = False,
    attempts: int = 3,
    fallback: str = FORFEIT,
    renamed: int | None = None,
) -> Task:
    """Pairs of games with cards that are drawn when the task is made: ``inspect eval`` finds this task.

    Args:
        pairs: the number of samples, 1 or more.
        deals: deals of a game, 1..4.
        partner, opponents, show_legal, attempts, fallback, renamed: as for ``duplicate_deals``.

    Raises:
        ValueError, TypeError: no such player or number.
    """
    seeds = [fresh_seed() for _ in range(positive("pairs", pairs))]
    return duplicate_deals(
        seeds,
        partner=partner,
        opponents=opponents,
        rules=RuleSet(deals=deals),
        show_legal=show_legal,
        attempts=attempts,
        fallback=fallback,
        renamed=renamed,
    )


def duplicate_deals(
    seeds: Sequence[int],
    *,
    partner: str | None = None,
    opponents: str = "expert",
    rules: RuleSet | None = None,
    show_legal: bool = False,
    attempts: int = 3,
    fallback: str = FORFEIT,
    renamed: int | None = None,
) -> Task:
    """The task for given seeds; they stay in this process until their games are over.

    Args:
        seeds: one for each pair, 0..2**64 - 1: the games that every environment plays for them.
        partner: the policy opposite the model; None: the model plays both seats of its team, each from its own prompt.
        opponents: the policy at the other two seats.
        rules: None for single deals.
        show_legal, attempts, fallback: as for ``TextGame``.
        renamed: a seed for other symbols of cards, or None.

    Raises:
        ValueError, TypeError: no seeds, or no such player, seed or number.
    """
    played = [int(game_seed(seed)) for seed in seeds]
    partner = TEXT if partner is None else partner
    if not played:
        raise ValueError("seeds: expected one or more, found none")
    notation, chosen = Notation(renamed), RuleSet(deals=1) if rules is None else as_rules(rules)
    settings: dict[str, Any] = {
        "rules": chosen,
        "notation": notation,
        "show_legal": show_legal,
        "attempts": attempts,
        "fallback": fallback,
    }
    # Wrong settings are refused now, not in the first sample.
    TextGame(seats_around(0, partner, opponents), seed=0, **settings)
    system = rules_text(chosen, notation=notation)
    samples = [Sample(id=place, input=[ChatMessageSystem(content=system)]) for place in range(1, len(played) + 1)]
    return Task(
        name="persian_rummy",
        dataset=MemoryDataset(samples, name="pairs"),
        solver=_pair_player(played, partner, opponents, settings),
        scorer=points_a_deal(chosen.deals),
    )


def _pair_player(seeds: list[int], partner: str, opponents: str, settings: dict[str, Any]) -> Solver:
    """The solver. It takes no arguments, because Inspect logs the arguments of a solver before it plays."""

    @solver
    def play_pair() -> Solver:
        """Plays both games of a sample. Each prompt begins a conversation; a refused answer goes on with it."""

        async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001  # it asks the model itself
            games = []
            for team in range(NUM_TEAMS):
                seed = seeds[int(state.sample_id) - 1]
                game = TextGame(seats_around(team, partner, opponents), seed=seed, **settings)
                while not game.over:
                    await _answer(game, state)
                games.append(_summary(game, team))
            state.store.set(GAMES, games)
            return state

        return solve

    return play_pair()


async def _answer(game: TextGame, state: TaskState) -> None:
    """Ask until the answer to the prompt is accepted, or its attempts are over."""
    prompt = game.prompt()
    conversation: list[ChatMessage] = [ChatMessageSystem(content=game.instructions())]
    message = prompt
    while not game.over and game.prompt() == prompt:  # a refused answer changes nothing
        conversation.append(ChatMessageUser(content=message))
        state.output = await get_model().generate(conversation)
        conversation.append(state.output.message)
        state.messages += conversation[-2:]
        message = game.answer(state.output.completion).message


def _summary(game: TextGame, team: int) -> dict[str, Any]:
    """A finished game as JSON, for the team of the model."""
    result = game.result()
    counts = result.answers.values()
    return {
        "margin": result.margin_of(team),
        "forfeited": result.forfeited,
        "accepted": sum(count.accepted for count in counts),
        "refused": dict(sum((count.refused for count in counts), Counter())),
        "replaced": sum(count.replaced for count in counts),
        "record": result.record,
    }


@scorer(metrics={"*": [mean(), stderr()]})
def points_a_deal(deals: int) -> Scorer:
    """The mean points a deal of both games, the model's team less the other, and the shares of refused answers and of
    forfeited games."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001  # there is no right answer
        games = state.store.get(GAMES)
        refused = sum(sum(game["refused"].values()) for game in games)
        answers = refused + sum(game["accepted"] for game in games)
        return Score(
            value={
                "points": sum(game["margin"] for game in games) / len(games) / deals,
                "refused": refused / answers,
                "forfeited": sum(game["forfeited"] is not None for game in games) / len(games),
            },
            explanation=", ".join(f"{game['margin']:+d}" for game in games),
            metadata={"games": games},
        )

    return score

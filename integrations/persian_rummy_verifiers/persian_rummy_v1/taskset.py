"""The games: task ``i`` is game ``i`` of a seed. The seed is a setting, and neither a prompt nor a task has it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import verifiers.v1 as vf

import persian_rummy_env
from persian_rummy_env import RuleSet
from persian_rummy_env.apps.text_game import TEXT, TextGame
from persian_rummy_env.rules import NUM_SEATS
from persian_rummy_env.seeds import lane_seeds
from persian_rummy_env.text import rules
from persian_rummy_env.text.prompt_player import PromptPlayer


class PersianRummyData(vf.TaskData):
    game: int
    """The number of the game, from 0."""


class PersianRummyTaskConfig(vf.TaskConfig):
    seed: int = 0
    """0..2**64 - 1; game ``i`` is that of ``persian_rummy_env.seeds.lane_seeds(seed, n)[i]``."""
    rules: str = "deals=1"
    """As ``RuleSet.parse`` reads them; a game of one deal by default."""


class PersianRummyTask(vf.Task[PersianRummyData, vf.State, PersianRummyTaskConfig]):
    def game_seed(self) -> int:
        """The seed of the game."""
        return int(lane_seeds(self.config.seed, self.data.game + 1)[-1])

    async def validate(self, runtime: vf.Runtime) -> bool:  # noqa: ARG002 - the library's signature
        """Whether a bot that reads only prompts can play the game to its end."""
        game = TextGame([TEXT] * NUM_SEATS, rules=RuleSet.parse(self.config.rules), seed=self.game_seed())
        player = PromptPlayer(persian_rummy_env.load("expert"))
        while not game.over:
            if not game.answer(player.answer(game.prompt())).accepted:
                return False
        return True


class PersianRummyConfig(vf.TasksetConfig):
    task: PersianRummyTaskConfig = PersianRummyTaskConfig()


class PersianRummyTaskset(vf.Taskset[PersianRummyTask, PersianRummyConfig]):
    INFINITE = True

    def load(self) -> Iterator[PersianRummyTask]:
        """All games in order. The system prompt has the rules; the environment opens the conversation."""
        instructions = rules(RuleSet.parse(self.config.task.rules))
        for game in itertools.count():
            data = PersianRummyData(name=f"game {game}", game=game, system_prompt=instructions)
            yield PersianRummyTask(data, self.config.task)

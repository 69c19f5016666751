"""Policies at work beside the event loop: the decisions that wait for one policy are taken together, in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping

import numpy as np

from ...players.policy import BasePolicy
from ...players.policy_io import PolicyError, choose
from ...system.threads import Threads

MOST = 256
"""Decisions in one batch."""

Waiting = tuple[np.ndarray, "asyncio.Future[int]"]


class Thinker:
    """Asks policies for actions without holding anybody else up.

    Args:
        policies: by name.
        threads: how many policies may think at once; one policy never does twice at once.
    """

    def __init__(self, policies: Mapping[str, BasePolicy], threads: int = 2) -> None:
        self.policies = dict(policies)
        self._threads = Threads(threads, "policy")
        self._waiting: dict[str, list[Waiting]] = {name: [] for name in self.policies}
        self._at_work: dict[str, asyncio.Task[None]] = {}
        self._thinking: set[int] = set()
        self.closed = False

    async def choose(self, name: str, games: np.ndarray) -> int:
        """The action of a policy for the seat to move in a game, (1,) STATE.

        Raises:
            PolicyError: it failed, or answered with what it may not.
        """
        if self.closed:
            raise PolicyError("the server is about to stop")
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._waiting[name].append((games, future))
        if name not in self._at_work:
            self._at_work[name] = asyncio.create_task(self._work(name))
        return await future

    async def _work(self, name: str) -> None:
        try:
            while self._waiting[name]:
                together, self._waiting[name] = self._waiting[name][:MOST], self._waiting[name][MOST:]
                await self._answer(name, together)
        finally:
            del self._at_work[name]

    async def _answer(self, name: str, together: list[Waiting]) -> None:
        games = np.concatenate([games for games, _ in together])
        loop = asyncio.get_running_loop()
        try:
            actions = await loop.run_in_executor(self._threads.pool, self._chosen, games, self.policies[name])
        except Exception as error:  # noqa: BLE001 - whoever asked is told, whatever it is
            if len(together) > 1:  # one table's trouble is not the others'
                for one in together:
                    await self._answer(name, [one])
            elif not together[0][1].done():
                together[0][1].set_exception(error)
            return
        for (_, future), action in zip(together, actions.tolist(), strict=True):
            if not future.done():  # whoever asked may have gone
                future.set_result(action)

    def _chosen(self, games: np.ndarray, policy: BasePolicy) -> np.ndarray:
        """In a thread: what a policy chooses. One that wants to end the program ends its game alone."""
        thread = threading.get_ident()
        self._thinking.add(thread)
        try:
            return choose(games, policy)
        except StopIteration as error:  # a future cannot hold one
            raise RuntimeError(f"StopIteration: {error}") from error
        except Exception:
            raise
        except BaseException as error:
            raise PolicyError(f"policy {policy.name} failed: {type(error).__name__}: {error}") from error
        finally:
            self._thinking.discard(thread)

    @property
    def busy(self) -> bool:
        """Whether a policy is thinking; also one whose answer nobody waits for any more."""
        return bool(self._thinking)

    async def close(self) -> None:
        """Let the threads go; nobody waits for an answer any more."""
        self.closed = True
        tasks = list(self._at_work.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._threads.close(wait=False)

"""Guards the games of an environment: one call at a time, and no play before the first reset or after an exception
that left games half played."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, TypeVar
from weakref import WeakSet

F = TypeVar("F", bound=Callable[..., Any])


class ResetNeededError(RuntimeError, AttributeError):
    """A method that needs a game was called before the first reset. (Also an ``AttributeError``, for ``hasattr``.)"""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} before reset(): call reset(seed=…) first")


_GUARDS: WeakSet[Guard] = WeakSet()
"""All guards of the process, for ``_forked``."""


class Guard:
    """The status of a batch of games: a call in progress, and whether the games are whole.

    A call that changes games has this form::

        if guard.inside or not guard.whole:
            guard.refuse("step()")
        guard.inside = True
        try:
            ...               # check the arguments here, before anything changes
            guard.whole = False
            ...               # the games change
            guard.whole = True
            return ...
        except BaseException as error:
            guard.note("step()", error)
            raise
        finally:
            guard.inside = False

    After any exception, also an interrupt, the games stay marked as half played. The decorators ``exclusive`` and
    ``mending`` add this to a method. A method that is called for every decision spells it out, because the decorator
    costs half a microsecond.

    Both flags are plain attributes, read and written without a call in between. So, with a global interpreter lock, no
    thread and no interrupt can come between the check and the assignment.

    Attributes:
        inside: a call is in progress.
        whole: True: the games are whole. False: a change is in progress or was broken off. None: there is no game yet.
        why: what left the games half played.
    """

    __slots__ = ("__weakref__", "inside", "whole", "why")

    def __init__(self) -> None:
        self.inside = False
        self.whole: bool | None = None
        self.why = ""
        _GUARDS.add(self)

    def need(self, what: str) -> None:
        """Raise in the name of ``what`` if there is no game yet, or a game is half played.

        Raises:
            RuntimeError: call ``reset`` first (``ResetNeededError`` if there was never a reset).
        """
        if self.whole:
            return
        if self.whole is None:
            raise ResetNeededError(what)
        raise RuntimeError(
            f"{what}: the games are half played since {self.why or 'a call that has not returned yet'}; "
            "reset every sub-environment, by reset(), and play goes on"
        )

    def refuse(self, what: str) -> NoReturn:
        """Raise the error of a call that may not change games now."""
        if not self.inside:
            self.need(what)
        raise RuntimeError(
            f"{what} while another call is in progress in this environment, from another thread or from a policy that "
            "it asks: an environment takes one call at a time; give each thread its own environment"
        )

    def note(self, what: str, error: BaseException) -> None:
        """Remember the exception that ended a call, if it left the games half played."""
        if self.whole is False and not self.why:
            self.why = f"{what} was ended by {type(error).__name__}" + (f" ({error})" if str(error) else "")

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is in no call; a copy of half-played games stays marked."""
        why = self.why or ("they were copied in the middle of a call" if self.inside and self.whole is False else "")
        return _copied, (self.whole, why)


def _copied(whole: bool | None, why: str) -> Guard:
    guard = Guard()
    guard.whole, guard.why = whole, why
    return guard


def _forked() -> None:
    """In the child of a fork: end the calls of the parent's other threads, and mark the games that they were changing
    as half played."""
    for guard in list(_GUARDS):
        if guard.inside and guard.whole is False and not guard.why:
            guard.why = "the process was forked in the middle of a call"
        guard.inside = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def exclusive(method: F) -> F:
    """Decorate a method that changes games; its class has a ``Guard`` as ``_guard``."""
    return _guarded(method, mends=False)


def mending(method: F) -> F:
    """``exclusive`` for a method that sets whole games, such as a reset: it also runs without whole games."""
    return _guarded(method, mends=True)


def _guarded(method: F, mends: bool) -> F:
    what = f"{method.__name__}()"

    @wraps(method)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        guard: Guard = self._guard
        if guard.inside or not (mends or guard.whole):
            guard.refuse(what)
        guard.inside = True
        try:
            result = method(self, *args, **kwargs)
            if mends:
                guard.why = ""
            guard.whole = True
            return result
        except BaseException as error:
            guard.note(what, error)
            raise
        finally:
            guard.inside = False

    return guarded  # type: ignore[return-value]

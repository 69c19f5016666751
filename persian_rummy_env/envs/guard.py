"""One caller at a time, and no play where there is no whole game: before the first reset, or after an exception that
left games half played."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, TypeVar
from weakref import WeakSet

F = TypeVar("F", bound=Callable[..., Any])


class ResetNeededError(RuntimeError, AttributeError):
    """Something was asked of an environment that was never reset. (An ``AttributeError`` as well, for ``hasattr``.)"""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} before reset(): call reset(seed=…) first")


_GUARDS: WeakSet[Guard] = WeakSet()
"""All there are, for ``_forked``."""


class Guard:
    """What is going on in a batch of games. It belongs to whoever holds the games.

    A call that changes games goes::

        if guard.inside or not guard.whole:
            guard.refuse("step()")
        guard.inside = True
        try:
            ...               # whatever can be refused is refused here, and nothing has changed
            guard.whole = False
            ...               # the games change
            guard.whole = True
            return ...
        except BaseException as error:
            guard.note("step()", error)
            raise
        finally:
            guard.inside = False

    After an exception of any kind, an interrupt included, the games stay marked as half played. ``exclusive`` and
    ``mending`` write this around a method; a method that is called for every decision has it written out, since the
    decorator costs half a microsecond.

    Both flags are plain attributes, read and written without a call in between: where the interpreter has a global
    lock, neither another thread nor an interrupt comes between the check and the mark.

    Attributes:
        inside: a call is under way.
        whole: True, there are games, and no change of them is under way or was given up; False, there was such a
            change; None, there is no game yet.
        why: what left them half played.
    """

    __slots__ = ("__weakref__", "inside", "whole", "why")

    def __init__(self) -> None:
        self.inside = False
        self.whole: bool | None = None
        self.why = ""
        _GUARDS.add(self)

    def need(self, what: str) -> None:
        """Refuse ``what`` where there is no game yet, or one that is half played.

        Raises:
            RuntimeError: ``reset`` is to be called first.
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
        """Say why a call that changes games is refused."""
        if not self.inside:
            self.need(what)
        raise RuntimeError(
            f"{what} while another call is under way in this environment, from another thread or from a policy that it "
            "asks: an environment takes one call at a time; give each thread one of its own"
        )

    def note(self, what: str, error: BaseException) -> None:
        """Remember the exception that ended a call, if it left the games half played."""
        if self.whole is False and not self.why:
            self.why = f"{what} was ended by {type(error).__name__}" + (f" ({error})" if str(error) else "")

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is inside no call; one of games that are half played knows that they are."""
        why = self.why or ("they were copied in the middle of a call" if self.inside and self.whole is False else "")
        return _copied, (self.whole, why)


def _copied(whole: bool | None, why: str) -> Guard:
    guard = Guard()
    guard.whole, guard.why = whole, why
    return guard


def _forked() -> None:
    """In the child of a fork: no call goes on there that another thread of the parent was in, and games that one was
    changing are half played."""
    for guard in list(_GUARDS):
        if guard.inside and guard.whole is False and not guard.why:
            guard.why = "the process was forked in the middle of a call"
        guard.inside = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def exclusive(method: F) -> F:
    """A method that changes games, of a class with a ``Guard`` as ``_guard``: see there."""
    return _guarded(method, mends=False)


def mending(method: F) -> F:
    """``exclusive``, for a method that puts whole games in the place of those that are half played, or of none."""
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

"""From what somebody types to a legal action."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from ...cards import encode_card


class NotAnActionError(ValueError):
    """What was typed means none of the legal actions; the text says what does."""


def parse(text: str, legal: Sequence[str]) -> str:
    """The legal action that a text means: its number in the list from 1, its notation, or a beginning of it.

    Small letters will do; the cards of a meld may stand in any order, ``10`` is a ten, and a lay-off needs no ``set``
    or ``run`` where only one is legal.

    Raises:
        NotAnActionError: it means none of them, or several.
    """
    if text.isdecimal():
        if not 1 <= int(text) <= len(legal):
            raise NotAnActionError(f"{text}: expected a number from 1 to {len(legal)}")
        return legal[int(text) - 1]
    wanted = _words(text)
    if not wanted:
        raise NotAnActionError("nothing was typed")
    found = [action for action in legal if _words(action) == wanted] or [
        action for action in legal if _begins(_words(action), wanted)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise NotAnActionError(f"{text!r} may be {', '.join(found)}: type more of it, or a number")
    same = [action for action in legal if _words(action)[0] == wanted[0]]
    what = f"legal with {wanted[0]!r} are: {', '.join(same)}" if same else f"legal are: {', '.join(legal)}"
    raise NotAnActionError(f"{text!r} is not legal now; {what}")


def _words(text: str) -> list[str]:
    """The words in one form: the verb in full, cards in capitals and, of a meld, in order."""
    verb, *rest = text.lower().split() or [""]
    rest = [word if word in ("set", "run") else word.upper().replace("10", "T") for word in rest]
    if verb and "meld".startswith(verb):
        with suppress(ValueError):
            rest.sort(key=encode_card)
    return [verb, *rest] if verb else []


def _begins(action: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether an action begins as was typed, word by word; the verb and the last word may be cut short."""
    if len(wanted) > len(action) or list(action[1 : len(wanted) - 1]) != list(wanted[1:-1]):
        return False
    return action[0].startswith(wanted[0]) and action[len(wanted) - 1].startswith(wanted[-1])

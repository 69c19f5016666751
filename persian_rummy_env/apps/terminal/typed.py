"""Parses typed text into a legal action."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from ...cards import encode_card


class NotAnActionError(ValueError):
    """A typed text means no legal action; the message lists what does."""


def parse(text: str, legal: Sequence[str]) -> str:
    """The legal action of a text: its number in the list from 1, its notation, or a prefix of the notation.

    Case does not matter. The cards of a meld can be in any order, ``10`` is a ten, and a lay-off needs ``set`` or
    ``run`` only if both are legal.

    Raises:
        NotAnActionError: the text means no legal action, or several.
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
    """Normalise the words: the verb in full, cards in capitals, and the cards of a meld in order."""
    verb, *rest = text.lower().split() or [""]
    rest = [word if word in ("set", "run") else word.upper().replace("10", "T") for word in rest]
    if verb and "meld".startswith(verb):
        with suppress(ValueError):
            rest.sort(key=encode_card)
    return [verb, *rest] if verb else []


def _begins(action: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether an action begins with the typed words; the verb and the last word may be prefixes."""
    if len(wanted) > len(action) or list(action[1 : len(wanted) - 1]) != list(wanted[1:-1]):
        return False
    return action[0].startswith(wanted[0]) and action[len(wanted) - 1].startswith(wanted[-1])

"""Text from elsewhere on its way out: names in a file, what a file says, names of files.

A terminal obeys some characters (escape sequences, carriage returns, marks that turn the reading order round), and some
cannot be written at all (halves of characters, everything beyond ASCII on an ASCII terminal). ``visible`` is the one
door that such text goes through before it is printed, drawn or put into a message.
"""

from __future__ import annotations

import re
import sys

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SUSPECT = re.compile(r"[^ -~]")


def visible(text: str) -> str:
    """The text on one line, with every character that is no visible one as its escape, such as ``\\x1b``."""
    return _SUSPECT.sub(lambda found: _escaped(found[0]), text)


def visible_lines(text: str) -> str:
    """``visible`` for text of several lines, whose line ends stay."""
    return "\n".join(map(visible, text.split("\n")))


def shortened(text: str, length: int) -> str:
    """``visible``, in at most ``length`` characters: names may be as long as a file."""
    seen = visible(text[: length + 1])
    return seen if len(seen) <= length else seen[: length - 1] + "…"


def for_plot(text: str) -> str:
    """``visible`` as matplotlib draws it: it takes dollars for formulas, and leaves what begins with ``_`` out of
    legends."""
    seen = visible(text).replace("$", r"\$")
    return f" {seen}" if seen.startswith("_") else seen


def escape_what_cannot_be_written() -> None:
    """Let standard output and standard error write what their encoding lacks as an escape, and never raise for it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _escaped(character: str) -> str:
    if character.isprintable() or character in "\xa0\u3000":
        return character
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

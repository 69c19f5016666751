"""Escapes untrusted text before it is printed: names and content of files.

A terminal interprets some characters (escape sequences, carriage returns, marks that reverse the reading order), and
some cannot be written at all (lone surrogates, everything beyond ASCII on an ASCII terminal). All such text passes
through ``visible`` before it is printed, drawn or put into a message.
"""

from __future__ import annotations

import re
import sys

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SUSPECT = re.compile(r"[^ -~]")


def visible(text: str) -> str:
    """The text on one line; every character that is not visible is replaced by its escape, such as ``\\x1b``."""
    return _SUSPECT.sub(lambda found: _escaped(found[0]), text)


def visible_lines(text: str) -> str:
    """``visible`` for several lines; line ends stay."""
    return "\n".join(map(visible, text.split("\n")))


def shortened(text: str, length: int) -> str:
    """``visible``, cut to at most ``length`` characters."""
    seen = visible(text[: length + 1])
    return seen if len(seen) <= length else seen[: length - 1] + "…"


def for_plot(text: str) -> str:
    """``visible`` for matplotlib, which reads ``$`` as a formula and omits labels that begin with ``_``."""
    seen = visible(text).replace("$", r"\$")
    return f" {seen}" if seen.startswith("_") else seen


def escape_what_cannot_be_written() -> None:
    """Let standard output and standard error escape characters that their encoding lacks, instead of raising."""
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

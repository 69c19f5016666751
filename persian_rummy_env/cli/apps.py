"""``persian-rummy play``, ``serve`` and ``mcp``: the game in terminal and browser and for assistants, each with its own
options."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

from ..system.command_line import complain


class App(NamedTuple):
    """A command with its own parser: its help line, its module, the libraries that it needs before its help."""

    help: str
    module: str
    needs: tuple[str, ...]


APPS = {
    "play": App("play in the terminal", "apps.terminal.__main__", ("rich",)),
    "serve": App("serve games to browsers", "apps.web.__main__", ("starlette", "uvicorn", "websockets")),
    "mcp": App("let an assistant play, over MCP", "apps.assistant.__main__", ()),
}


def add_to(subparsers: Any) -> None:
    for name, app in APPS.items():  # only for the list of commands: each has its own parser
        subparsers.add_parser(name, help=app.help, add_help=False)


def run(name: str, argv: Sequence[str]) -> int:
    """Run a command of ``APPS`` with its arguments and return the exit status."""
    app = APPS[name]
    missing = [library for library in app.needs if find_spec(library) is None]
    if missing:
        return complain(
            f"persian-rummy {name}",
            f"{', '.join(missing)} not installed; install with: pip install 'persian-rummy-rl[play]'",
        )
    module = importlib.import_module(f"persian_rummy_env.{app.module}")
    status = module.main(argv)
    if hasattr(module, "end"):  # a server does not wait for its other threads
        module.end(status)
    return status

"""``persian-rummy play`` and ``persian-rummy serve``: the game in terminal and browser, each with its own options."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

from ..system.command_line import complain


class App(NamedTuple):
    """A command with its own parser: its help line, its module, and the libraries that it needs."""

    help: str
    module: str
    needs: tuple[str, ...]


APPS = {
    "play": App("play in the terminal", "apps.terminal.__main__", ("rich",)),
    "serve": App("serve games to browsers", "apps.web.__main__", ("starlette", "uvicorn", "websockets")),
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
    if hasattr(module, "end"):  # a server does not wait for a policy that is still deciding
        module.end(status)
    return status

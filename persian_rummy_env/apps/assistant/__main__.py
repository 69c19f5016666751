"""The command line of the MCP server."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from threading import Thread
from typing import Any

from ...players.load import split_specs
from ...players.policy_io import PolicyError
from ...system.command_line import complain, end, run_command
from ...system.files import explained
from ..text_game import FORFEIT
from .table import AssistantTable

PROGRAM = "persian-rummy mcp"
POLICIES = "champion,expert,deepest,greedy,random"
EXAMPLES = """\
settings of an assistant that starts MCP servers:
  {"mcpServers": {"persian-rummy": {"command": "persian-rummy", "args": ["mcp"]}}}

examples:
  persian-rummy mcp
  persian-rummy mcp --policies champion --attempts 1 --fallback expert
"""


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Let an assistant play Persian Rummy: an MCP server over standard input and output.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--policies", default=POLICIES, help="what may be chosen as a player (default %(default)s)")
    parser.add_argument("--attempts", type=int, default=3, help="answers to one situation (default %(default)s)")
    parser.add_argument(
        "--fallback",
        default=FORFEIT,
        help="after the last refused answer: 'forfeit', or the policy that finishes the turn (default %(default)s)",
    )
    parser.add_argument("--seed", type=int, help="of the games, for measurements (default: each game is drawn)")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until standard input is closed; returns the exit status: 0 ended, 2 wrong arguments."""
    args = parser().parse_args(argv)
    return run_command(PROGRAM, lambda: run(args))


def run(args: argparse.Namespace) -> int:
    try:
        from .server import make_server
    except ImportError as error:
        return complain(PROGRAM, f"{error}; install with: pip install 'persian-rummy-rl[mcp]'")
    try:
        table = AssistantTable(
            split_specs(args.policies), seed=args.seed, attempts=args.attempts, fallback=args.fallback
        )
    except OSError as error:
        return complain(PROGRAM, explained(error))
    except (ValueError, TypeError) as error:
        return complain(PROGRAM, str(error))
    except PolicyError as error:
        if not error.is_answer:
            raise
        return complain(PROGRAM, str(error))
    serve(make_server(table))
    return 0


def serve(server: Any) -> None:
    """Serve until standard input is closed. A signal ends it at once, which the loop of the library would not: it waits
    for the thread that reads standard input. So the loop has a thread of its own."""
    faults: list[BaseException] = []

    def run_loop() -> None:
        try:
            server.run("stdio")
        except BaseException as error:  # noqa: BLE001 - raised again in the main thread
            faults.append(error)

    loop = Thread(target=run_loop, daemon=True)
    loop.start()
    loop.join()
    if faults:
        raise faults[0]


if __name__ == "__main__":
    end(main())

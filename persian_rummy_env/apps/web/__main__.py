"""The command line of the server."""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from ...players.load import load, split_specs
from ...players.policy import check_rules
from ...players.policy_io import PolicyError
from ...rules import RULES_HELP, RuleSet
from ...system.command_line import end
from ...system.escaping import visible
from ...system.files import explained

POLICIES = "champion,expert,deepest,greedy,random,search(deepest, worlds=40)"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="persian-rummy serve",
        description="Play Persian Rummy in the browser, with and against policies.",
    )
    parser.add_argument("--port", default="8080", help="default %(default)s; 0: any that is free")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default %(default)s: this machine)")
    parser.add_argument("--names", default="", help="further names that browsers may call this machine by, by commas")
    parser.add_argument("--policies", default=POLICIES, help="what may be chosen as a player (default %(default)s)")
    parser.add_argument("--rules", default="", help=RULES_HELP)
    parser.add_argument("--tables", default="200", help="at most so many at once (default %(default)s)")
    parser.add_argument(
        "--tables-each", default="10", help="unfinished ones opened by one address (default %(default)s)"
    )
    parser.add_argument(
        "--connections-each", default="60", help="at most so many at once of one address (default %(default)s)"
    )
    parser.add_argument(
        "--no-limits", action="store_true", help="let one address have as much of everything as there is"
    )
    parser.add_argument(
        "--proxy", default="", metavar="ADDRESSES", help="proxies whose X-Forwarded-For names the client, by commas"
    )
    parser.add_argument("--keep", default="60", help="minutes that an empty table stays (default %(default)s)")
    parser.add_argument(
        "--pause", default="0.1",
        help="seconds before a policy's action (default %(default)s); each page shows actions at its own speed",
    )  # fmt: skip
    store = parser.add_mutually_exclusive_group()
    store.add_argument(
        "--store", type=Path, metavar="FILE", help="where tables outlive the server (default games/serve-PORT.sqlite)"
    )
    store.add_argument("--no-store", action="store_true", help="keep tables in memory alone")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until a signal comes; returns the exit status: 0 ended, 1 it could not go on, 2 wrong arguments."""
    args = parser().parse_args(argv)
    try:
        import uvicorn  # noqa: F401 - the library may be missing

        from .run import run
    except ImportError as error:
        return refuse(f"{error}; install with: pip install 'persian-rummy-rl[play]'")
    try:
        rules = RuleSet.parse(args.rules)
        port = whole(args.port, "--port", 0, 65535)
        tables = whole(args.tables, "--tables", 1, 100_000)
        each = whole(args.tables_each, "--tables-each", 1, 100_000)
        connections = whole(args.connections_each, "--connections-each", 1, 100_000)
        keep, pause = seconds(args.keep, "--keep", 60), seconds(args.pause, "--pause")
        policies = {name: load(name) for name in split_specs(args.policies)}
        for policy in policies.values():
            check_rules(policy, rules)
        store = None if args.no_store else args.store or Path("games") / f"serve-{port}.sqlite"
        hosts = [*LOOPBACK, args.host, *filter(None, (name.strip() for name in args.names.split(",")))]
        return run(
            policies, rules, host=args.host, port=port, hosts=hosts, store=store, tables=tables, tables_each=each,
            connections_each=connections, limited=not args.no_limits, keep=keep, pause=pause, proxy=args.proxy,
        )  # fmt: skip
    except OSError as error:
        return refuse(explained(error))
    except ValueError as error:
        return refuse(str(error))
    except PolicyError as error:
        if not error.is_answer:
            raise
        return refuse(str(error))
    except KeyboardInterrupt:  # before it listened
        return 130


def refuse(why: str) -> int:
    sys.stderr.write(f"persian-rummy serve: error: {visible(' '.join(why.split()))}\n")
    return 2


def whole(text: str, option: str, least: int, most: int) -> int:
    """A whole number of the command line.

    Raises:
        ValueError: it is none, or outside of its range.
    """
    with contextlib.suppress(ValueError):
        if text.strip().lstrip("-").isascii() and least <= int(text) <= most:
            return int(text)
    raise ValueError(f"{option} {text}: expected a whole number {least}..{most}")


def seconds(text: str, option: str, unit: float = 1) -> float:
    """A span of time of the command line.

    Raises:
        ValueError: it is none, or negative, or has no end.
    """
    with contextlib.suppress(ValueError):
        if math.isfinite(value := float(text) * unit) and value >= 0:
            return value
    raise ValueError(f"{option} {text}: expected a number from 0")


if __name__ == "__main__":
    end(main())

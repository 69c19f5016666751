"""The command line of the server."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from agents.load import load, split_specs
from agents.seating import check_rules
from persian_rummy_env.rules import RULES_HELP, RuleSet

POLICIES = "random,greedy,deepest,expert,search(deepest, worlds=40)"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m agents.serve", description="Play Persian Rummy in the browser, with and against policies."
    )
    parser.add_argument("--port", type=int, default=8080, help="default %(default)s")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default %(default)s: this machine)")
    parser.add_argument("--names", default="", help="further names that browsers may call this machine by, by commas")
    parser.add_argument("--policies", default=POLICIES, help="what may be chosen as a player (default %(default)s)")
    parser.add_argument("--rules", default="", help=RULES_HELP)
    parser.add_argument("--tables", type=int, default=200, help="at most so many at once (default %(default)s)")
    parser.add_argument(
        "--keep", type=float, default=60, help="minutes that an empty table stays (default %(default)s)"
    )
    parser.add_argument(
        "--pause", type=float, default=0.7, help="seconds before a policy's action (default %(default)s)"
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until interrupted; returns the exit status: 0 ended, 2 wrong arguments."""
    args = parser().parse_args(argv)
    try:
        import uvicorn

        from .app import make_app
        from .messages import MAX_BYTES
        from .protocol import Protocol
    except ImportError as error:
        sys.stderr.write(f"python -m agents.serve: error: {error}; install with: pip install -e '.[play]'\n")
        return 2
    from .rooms import Lobby
    from .thinking import Thinker

    try:
        rules = RuleSet.parse(args.rules)
        policies = {name: load(name) for name in split_specs(args.policies)}
        for policy in policies.values():
            check_rules(policy, rules)
    except (ValueError, OSError) as error:
        sys.stderr.write(f"python -m agents.serve: error: {error}\n")
        return 2
    lobby = Lobby(Thinker(policies), rules, args.tables, 60 * args.keep, args.pause)
    hosts = [*LOOPBACK, args.host, *filter(None, (name.strip() for name in args.names.split(",")))]
    sys.stdout.write(f"Persian Rummy: http://{args.host}:{args.port}/\n")
    sys.stdout.flush()
    uvicorn.run(
        make_app(lobby, hosts), host=args.host, port=args.port, ws=Protocol, ws_max_size=MAX_BYTES,
        log_level="warning", server_header=False,
    )  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())

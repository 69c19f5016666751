"""What the commands of several matches share: their options, their policies, and the folder where a series goes on."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..system.command_line import say_on_error
from .command import CommandError, add_deal_options, load_policies, policy_faults, specs_of, whole_number

if TYPE_CHECKING:
    from ..evaluation.match_cache import MatchCache
    from ..players.policy import BasePolicy

RESULT = "results.json"


def add_series(
    subparsers: Any, name: str, about: str, run: Callable[[argparse.Namespace], int], **texts: Any
) -> argparse.ArgumentParser:
    """A command that plays matches between all of several policies.

    Args:
        about: one line for the list of commands. texts: ``description`` and ``epilog`` of its help.
    """
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name, help=about, formatter_class=argparse.RawDescriptionHelpFormatter, **texts
    )
    parser.set_defaults(run=run)
    parser.add_argument("policies", metavar="POLICIES", help="two or more names, separated by commas")
    parser.add_argument(
        "--pairs",
        type=whole_number(2),
        default=1000,
        metavar="N",
        help="duplicate pairs per match (default %(default)s)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help=f"write DIR/{RESULT}; the same command continues after an interruption"
    )
    parser.add_argument(
        "--anew", action="store_true", help="with --out: play again the matches of other code or settings"
    )
    add_deal_options(parser)
    return parser


def policies_in(args: argparse.Namespace) -> dict[str, BasePolicy]:
    """The policies of the list by name.

    Raises:
        CommandError: there are fewer than two, or one cannot be loaded.
    """
    specs = specs_of(args.policies)
    if len(specs) < 2:
        raise CommandError(f"{args.policies}: expected at least two policies")
    return dict(zip(specs, load_policies(specs, args.rules), strict=True))


@contextmanager
def series(args: argparse.Namespace) -> Iterator[MatchCache]:
    """Where the matches are kept: in the folder of ``--out``, which no other process has meanwhile, or nowhere.

    Raises:
        CommandError: the folder belongs to something else, or a policy's answer is not allowed.
    """
    from ..evaluation.match_cache import MatchCache, MatchCacheError, MatchSettings
    from ..system.run_folder import FolderError, claimed

    settings = MatchSettings(args.seed, args.rules, args.episode, args.split_stock)
    try:
        with policy_faults():
            if args.out is None:
                yield MatchCache(None, settings)
                return
            with claimed(args.out, but=(RESULT,)):
                yield MatchCache(args.out / "played", settings, args.anew)
    except (MatchCacheError, FolderError) as error:
        raise CommandError(str(error)) from None
    except KeyboardInterrupt:
        if args.out is not None:
            say_on_error(f"{args.out}: the pairs played so far are kept; the same command continues")
        raise


def write_figures(out: Path | None, figures: Mapping[str, Any]) -> None:
    """Write the result file of ``--out``."""
    from ..system.files import write_whole

    if out is not None:
        write_whole(out / RESULT, json.dumps(figures, indent=1, allow_nan=False) + "\n")

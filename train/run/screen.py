"""What a run shows while it runs: a live table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.table import Table

from persian_rummy_env.evaluation.match import MatchResult

LINE_EVERY = 15.0
"""Seconds between plain lines."""


class GracefulStop:
    """Whether a run is to stop: by Ctrl-C, a polite kill, a closed terminal, or because nobody reads what it says. The
    update under way is finished and saved."""

    def __init__(self) -> None:
        self.requested = False

    def request(self, *_: object) -> None:
        self.requested = True


class Listened(Console):
    """Standard output, as long as somebody reads it.

    Args:
        lost: called once when nobody does any more (``| head -1``, a terminal that was closed). What is printed after
            that goes nowhere.
    """

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(highlight=False)
        self._lost = lost

    def _write_buffer(self) -> None:
        try:
            super()._write_buffer()
        except OSError:  # a pipe without a reader, a terminal that is gone
            self.on_broken_pipe()

    def on_broken_pipe(self) -> None:
        if self.quiet:
            return
        self.quiet = True
        with suppress(OSError, ValueError):  # what still stands in buffers is not to fail as the process ends
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
        self._lost()


class Screen:
    """The progress of a run. ``with Screen("runs/a") as screen: screen.show(…)``.

    Args:
        title: of the table.
        console: where it is printed; None: standard output.
        shown: how numbers of the learning are printed, by column of the log: ``{"kl": "KL {:.4f}"}``.
    """

    def __init__(self, title: str, console: Console | None = None, shown: Mapping[str, str] | None = None) -> None:
        self.shown = shown or {}
        self.console = console or Console(highlight=False)
        self.title = title
        self._live = Live(console=self.console, auto_refresh=False) if self.console.is_terminal else None
        self._last_line = 0.0

    def __enter__(self) -> Screen:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def say(self, text: str) -> None:
        self.console.print(text, soft_wrap=True)

    def show(self, row: dict[str, float], left: str, matches: list[MatchResult], new: bool) -> None:
        """Show where the run stands.

        Args:
            row: of the log.
            left: how much of the budget is left.
            matches: the latest against each rung; ``new``, they are of this row.
        """
        if self._live is not None:
            self._live.update(self._table(row, left, matches), refresh=True)
        elif new or time.monotonic() - self._last_line > LINE_EVERY:
            self._last_line = time.monotonic()
            margins = ", ".join(f"{m.b} {margin(m)}" for m in matches) if new else ""
            numbers = learning(row, self.shown)
            self.say(
                f"update {row['update']:.0f}  {row['decisions'] / 1e6:.2f} M decisions  "
                f"{row['decisions_per_second'] / 1e3:.1f} k/s  {left} left  {numbers}  {margins}".rstrip()
            )

    def _table(self, row: dict[str, float], left: str, matches: list[MatchResult]) -> Table:
        table = Table(title=self.title, show_header=False, min_width=60)
        table.add_row("left", left)
        table.add_row("decisions", f"{row['decisions']:,.0f} in {row['deals']:,.0f} deals, {row['update']:.0f} updates")
        table.add_row("decisions/s", f"{row['decisions_per_second']:,.0f}")
        if "deal_length" in row:
            table.add_row("deal", f"{row['deal_length']:.0f} decisions, {row['out_rate']:.0%} gone out")
        table.add_row("learning", learning(row, self.shown))
        for match in matches:
            table.add_row(f"against {match.b}", f"{margin(match)} points a deal")
        return table


def learning(row: Mapping[str, float], shown: Mapping[str, str]) -> str:
    """The numbers that a row has: ``entropy 0.712, KL 0.0021``."""
    return ", ".join(words.format(row[name]) for name, words in shown.items() if name in row)


def margin(match: MatchResult) -> str:
    """``+38.1 ± 4.2``."""
    return f"{match.margin:+.1f} ± {(match.high - match.low) / 2:.1f}"


def result_table(matches: list[MatchResult]) -> Table:
    """The matches at the end of a run."""
    table = Table(title="Points a deal on duplicate deals, with 95% intervals")
    for heading in ("against", "margin", "interval", "deals won", "pairs"):
        table.add_column(heading, justify="left" if heading == "against" else "right")
    for m in matches:
        table.add_row(m.b, margin(m), f"{m.low:+.1f} to {m.high:+.1f}", f"{m.win_rate:.1%}", f"{m.pairs:,}")
    return table

"""An MCP server with the tools of an ``AssistantTable``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mcp.server import MCPServer  # pyright: ignore[reportMissingImports]
from mcp.server.mcpserver.exceptions import ToolError  # pyright: ignore[reportMissingImports]

from ...version import __version__
from ..game import TableError
from .table import AssistantTable

INSTRUCTIONS = (
    "Play Persian Rummy, a card game of two teams of two with hidden hands. Start with new_game, which says the rules. "
    "Then call act with your answer until the game is over, and read result."
)


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn what the table refuses into an error of the tool."""
    try:
        yield
    except TableError as error:
        raise ToolError(str(error)) from None


def make_server(table: AssistantTable) -> MCPServer:
    """The server; ``run("stdio")`` serves one assistant over standard input and output."""
    server = MCPServer("persian-rummy", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")

    @server.tool(structured_output=False)
    def new_game(
        seat: int = 0,
        partner: str = "expert",
        opponents: str = "expert",
        rules: str = "",
        show_legal: bool = False,
        other_names: bool = False,
        leave: bool = False,
    ) -> str:
        """Start a game and get the rules and the first situation.

        seat: your seat, 0 to 3; 0 and 2 are partners.
        partner, opponents: who plays opposite, and to your left and right: the name of a player, or "text" if you play
        these seats too. A wrong name is answered with the list of players.
        rules: such as "deals=1" or "deals=1,quad_bonus=jacks,stock_out=end"; empty for the usual rules (two deals).
        show_legal: list the legal actions in each situation.
        other_names: write suits and ranks in other symbols, drawn for this game.
        leave: leave a game that is not over.
        """
        with _refusals():
            return table.new_game(seat, partner, opponents, rules, show_legal, other_names, leave)

    @server.tool(structured_output=False)
    def situation() -> str:
        """See again what you know: hand, pile, melds, hand sizes, scores, and the turns since your last one."""
        with _refusals():
            return table.situation()

    @server.tool(structured_output=False)
    def act(answer: str) -> str:
        """Play one action, or several of one turn divided by ";", such as "take QS; meld TS JS QS; discard 4D".

        You get what was played and the next situation. A refused answer changes nothing and says why; after several
        refused answers to one situation you forfeit the game, or another player finishes your turn.
        """
        with _refusals():
            return table.act(answer)

    @server.tool(structured_output=False)
    def result(record: bool = False) -> str:
        """See how the game ended, as JSON: score, margin of your team, refused answers. Only after the end.

        record: also give the game record, with all cards and actions.
        """
        with _refusals():
            return table.result(record)

    return server

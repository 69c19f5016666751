"""An assistant that is the champion: it plays deals over MCP and reads only the texts of the tools.

It starts ``persian-rummy mcp`` as a program and checks each deal against the AEC environment: the points are the same.
Needs the extra ``mcp``. Run: ``python examples/mcp_champion.py 100``
"""

from __future__ import annotations

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters

import persian_rummy_env
from persian_rummy_env import RuleSet
from persian_rummy_env.players.policy_io import choose
from persian_rummy_env.seeds import lane_seeds
from persian_rummy_env.text.prompt_player import PromptPlayer

SEED, SEAT = 1, 0
PROGRAM = "import sys; from persian_rummy_env.cli.program import main; sys.exit(main())"
GAME = {"seat": SEAT, "partner": "champion", "opponents": "expert", "rules": "deals=1"}


async def by_text(deals: int) -> list[int]:
    """The margin of each deal over MCP."""
    player = PromptPlayer(persian_rummy_env.load("champion"))
    program = StdioServerParameters(command=sys.executable, args=["-c", PROGRAM, "mcp", "--seed", str(SEED)])
    async with Client(program) as client:

        async def call(tool: str, **arguments: object) -> str:
            answer = await client.call_tool(tool, arguments)
            if answer.is_error:
                raise RuntimeError(answer.content[0].text)
            return answer.content[0].text

        margins = []
        for _ in range(deals):
            text = await call("new_game", **GAME)
            while "The game is over" not in text:
                text = await call("act", answer=player.answer(text))
            margins.append(json.loads(await call("result"))["margin"])
        return margins


def in_the_environment(seed: int) -> int:
    """The margin of the same deal in the AEC environment."""
    champion, expert = persian_rummy_env.load("champion"), persian_rummy_env.load("expert")
    env = persian_rummy_env.env(rules=RuleSet(deals=1))
    env.reset(seed=seed)
    while env.agents:
        policy = (champion, expert)[env.possible_agents.index(env.agent_selection) % 2]
        over = env.terminations[env.agent_selection]
        env.step(None if over else int(choose(env.unwrapped.get_state(), policy)[0]))
    us, them = env.unwrapped.get_state()[0]["score"].tolist()
    return us - them


def main(deals: int) -> None:
    found = asyncio.run(by_text(deals))
    wanted = [in_the_environment(seed) for seed in lane_seeds(SEED, deals).tolist()]
    if found != wanted:
        raise SystemExit(f"the points differ: {found} by text, {wanted} in the environment")
    print(
        f"{deals} deals of the champion over MCP: {sum(found) / deals:+.1f} points a deal, each as in the environment"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)

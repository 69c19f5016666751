"""``persian-rummy mcp`` with the client of the MCP SDK: in this process, and as a program over standard input and
output. What the tools say is tested in tests/text/test_assistant.py."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed: nox -s mcp")

from mcp import Client, StdioServerParameters

import persian_rummy_env
from persian_rummy_env.apps.assistant.__main__ import main
from persian_rummy_env.apps.assistant.server import make_server
from persian_rummy_env.apps.assistant.table import AssistantTable
from persian_rummy_env.seeds import lane_seeds
from persian_rummy_env.text.prompt_player import PromptPlayer
from tests.text.same_deals import points

POLICIES = ["champion", "expert", "greedy"]
ROOT = Path(__file__).resolve().parents[2]
SECRET = 987_654_321_012_345
PROGRAM = "import sys; from persian_rummy_env.cli.program import main; sys.exit(main())"


def program(*arguments: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=["-c", PROGRAM, "mcp", *arguments], cwd=ROOT)


def meeting(server: Any, talk: Callable[[Client], Coroutine[Any, Any, Any]]) -> Any:
    """What ``talk`` returns, with a client of the server."""

    async def run() -> Any:
        async with Client(server) as client:
            return await talk(client)

    return asyncio.run(run())


async def say(client: Client, tool: str, **arguments: Any) -> tuple[bool, str]:
    """Whether a call is an error, and its text."""
    found = await client.call_tool(tool, arguments)
    [content] = found.content
    assert found.structured_content is None
    return bool(found.is_error), content.text


async def play_deal(client: Client, player: PromptPlayer, **game: Any) -> dict[str, Any]:
    error, text = await say(client, "new_game", rules="deals=1", **game)
    while not error and "The game is over" not in text:
        error, text = await say(client, "act", answer=player.answer(text))
        assert not text.startswith("Refused"), text
    assert not error, text
    return json.loads((await say(client, "result"))[1])


@pytest.mark.parametrize("server", ["here", "program"])
def test_the_champion_scores_by_text_what_it_scores_in_the_environment(server: str) -> None:
    deals, seed = 3, 5
    champion, greedy = persian_rummy_env.load("champion"), persian_rummy_env.load("greedy")
    there = make_server(AssistantTable(POLICIES, seed=seed)) if server == "here" else program("--seed", str(seed))

    async def talk(client: Client) -> list[int]:
        player = PromptPlayer(champion)
        return [
            (await play_deal(client, player, seat=1, partner="champion", opponents="greedy"))["margin"]
            for _ in range(deals)
        ]

    by_seat = [greedy, champion, greedy, champion]
    scores = [points(by_seat, one) for one in lane_seeds(seed, deals).tolist()]
    assert meeting(there, talk) == [them - us for us, them in scores]


def test_the_tools_say_how_they_are_used() -> None:
    async def talk(client: Client) -> Any:
        assert "new_game" in (client.instructions or "")
        return {tool.name: tool for tool in (await client.list_tools()).tools}

    tools = meeting(make_server(AssistantTable(POLICIES)), talk)
    assert sorted(tools) == ["act", "new_game", "result", "situation"]
    assert tools["act"].input_schema["required"] == ["answer"]
    for tool in tools.values():
        for name in tool.input_schema.get("properties", {}):
            assert name in tool.description, f"{tool.name}: {name}"


def test_an_error_is_one_line_for_the_assistant() -> None:
    async def talk(client: Client) -> list[tuple[bool, str]]:
        return [
            await say(client, "situation"),
            await say(client, "new_game", partner="file:x"),
            await say(client, "new_game", seat="north"),
            await say(client, "fold"),
        ]

    answers = meeting(make_server(AssistantTable(POLICIES)), talk)
    assert all(error for error, _ in answers)
    assert "there is no game: start one with new_game" in answers[0][1]
    assert "expected 'text' or one of champion, expert, greedy" in answers[1][1]
    assert not [text for _, text in answers if "Traceback" in text]


def test_no_tool_and_no_log_tells_the_seed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("persian_rummy_env.apps.game.fresh_seed", lambda: SECRET)
    caplog.set_level(logging.DEBUG)

    async def talk(client: Client) -> str:
        texts = [(await say(client, "new_game", rules="deals=1"))[1]]
        for tool, arguments in [
            ("result", {"record": True}), ("act", {"answer": "fold"}), ("act", {"answer": 3}), ("situation", {}),
            ("new_game", {"seed": SECRET + 1}), ("act", {"answer": "draw"}), ("new_game", {"rules": "seed=1"}),
        ]:  # fmt: skip
            texts.append((await say(client, tool, **arguments))[1])
        texts += [str(one) for one in (await client.list_tools()).tools]
        return "\n".join(texts)

    texts = meeting(make_server(AssistantTable(POLICIES)), talk)
    out = capfd.readouterr()
    assert str(SECRET) not in texts + caplog.text + out.out + out.err


def test_two_calls_at_once_play_one_after_the_other() -> None:
    async def talk(client: Client) -> list[tuple[bool, str]]:
        await say(client, "new_game", rules="deals=1")
        return await asyncio.gather(*(say(client, "act", answer="draw") for _ in range(8)))

    answers = meeting(make_server(AssistantTable(POLICIES, attempts=20)), talk)
    assert sum(text.startswith("Played: draw.") for _, text in answers) == 1
    assert sum(text.startswith("Refused.") for _, text in answers) == 7


# The program ----------------------------------------------------------------------------------------------------------

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@contextmanager
def started() -> Iterator[subprocess.Popen[bytes]]:
    """The program after its first answer."""
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); " + PROGRAM
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code, "mcp"], stdin=pipe, stdout=pipe, stderr=pipe, cwd=ROOT) as ran:
        try:
            assert ran.stdin is not None
            assert ran.stdout is not None
            ran.stdin.write(json.dumps(HELLO).encode() + b"\n")
            ran.stdin.flush()
            assert json.loads(ran.stdout.readline())["result"]["serverInfo"]["name"] == "persian-rummy"
            yield ran
        finally:
            ran.kill()


def test_the_program_ends_with_its_input_and_goes_on_after_what_is_no_message() -> None:
    with started() as ran:
        out, err = ran.communicate(b"hello\n\x00\xff\n{}\n[1]\n", timeout=120)
    assert ran.returncode == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in out.splitlines())
    assert b"Traceback" not in err, err.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_program_without_a_traceback(number: int) -> None:
    with started() as ran:
        ran.send_signal(number)
        assert ran.wait(timeout=60) == 128 + number, "with its input still open"
        assert ran.stdout is not None
        assert ran.stderr is not None
        assert ran.stdout.read() == b""
        assert b"Traceback" not in ran.stderr.read()


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--policies", "champ"], "unknown policy 'champ'"),
        (["--policies", "file:nowhere"], "nowhere"),
        (["--seed", "-1"], "seed=-1"),
        (["--attempts", "0"], "attempts=0"),
        (["--fallback", "expret"], "unknown policy 'expret'"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    [line] = err.splitlines()
    assert line.startswith("persian-rummy mcp: error: ")
    assert why in line

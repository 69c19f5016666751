"""The engine against the plain twin, decision by decision (``python -m experiments.agree`` plays many more games)."""

import json
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from experiments import agree
from experiments.shared.lockstep import (
    LINE_UPS,
    PLAIN,
    STEERED,
    DisagreementError,
    GamesPlayed,
    compare,
    plan_of,
    stacked_deck,
)
from tests import oracle
from tests.env.play import COMPILED, PACK, scaled

GAMES = scaled(240, 2)
VARIANTS = [(quads, stock) for quads in ("any", "jacks") for stock in ("pass", "end")]


def compared(games: range, *line_ups: str) -> GamesPlayed:
    total = GamesPlayed()
    for number in games:
        total.add(compare(plan_of(2, number, line_ups), oracle))
    return total


@pytest.mark.rules(
    "R16", "R17", "R21", "R24", "R25", "R31", "R32", "R34", "R35", "R38", "R41", "R46", "R50", "R57", "R58"
)
@pytest.mark.parametrize("part", range(4))
def test_random_and_greedy_games_agree(part: int) -> None:
    """The four parts together are a few hundred games over all four combinations of the rule variants."""
    total = compared(range(part * GAMES // 4, (part + 1) * GAMES // 4), *PLAIN)
    assert total.decisions > 60 * total.games


def test_the_games_span_all_variants_players_and_kinds_of_decks() -> None:
    plans = [plan_of(2, number, PLAIN) for number in range(240)]
    kinds = Counter((plan.rules.quad_bonus, plan.rules.stock_out, plan.line_up, plan.stacked) for plan in plans)
    assert len(kinds) == 4 * len(PLAIN) * 2
    assert {plan.rules.deals for plan in plans} == {1, 2, 3, 4}
    assert {plan_of(2, number).line_up for number in range(240)} == set(LINE_UPS)


@pytest.mark.parametrize("line_up", STEERED)
def test_steered_games_agree(line_up: str) -> None:
    compared(range(1000, 1000 + scaled(8)), line_up)


@pytest.mark.skipif(not COMPILED, reason="needs enough games")
def test_every_rare_branch_occurs_in_the_games_compared() -> None:
    """What the twin counts (`tests.oracle.EVENTS`), in games that steer for it; all of them are compared as well."""
    total = compared(range(2000, 2000 + max(40, scaled(40))), "rarity-seeking", "takers", "hoarders")
    assert set(total.events) == set(oracle.EVENTS)


def test_stacked_decks_are_packs() -> None:
    for seed in range(50):
        assert sorted(stacked_deck(random.Random(seed))) == sorted(PACK)


# The comparison itself ------------------------------------------------------------------------------------------------


def no_chain(card: str, hand: Any, table: Any) -> list[str]:
    return [card] if oracle.joins_a_run(card, table) else []


LAY_OFF = oracle.OracleGame._lay_off
NOTE = oracle.OracleGame._note_draw_decision
VALUE = oracle.value_of
RUNS = oracle.runs_in


def ten_for_ace(card: str) -> int:
    return 10 if card[0] == "A" else VALUE(card)


def lossy(game: oracle.OracleGame, taken: Any) -> None:
    NOTE(game, taken)
    game.left[game.seat].pop("JK", None)


FAULTS: dict[str, tuple[Any, str, Any]] = {
    "an ace for ten": (oracle, "value_of", ten_for_ace),
    "no bonus for going out": (oracle, "GOING_OUT_BONUS", 0),
    "three passes end a deal": (oracle, "PASSES_THAT_END_A_DEAL", 3),
    "chains lead nowhere": (oracle, "first_links", no_chain),
    "runs only of four": (oracle, "runs_in", lambda hand: [run for run in RUNS(hand) if len(run) > 3]),
    "every rank doubles": (oracle.OracleGame, "_doubles", lambda *_: True),
    "jokers declined are forgotten": (oracle.OracleGame, "_note_draw_decision", lossy),
    "no fourth card on a set": (oracle, "set_that_takes", lambda *_: None),
}


@pytest.mark.skipif(not COMPILED, reason="is about the comparison, not the engine")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, wrong = FAULTS[fault]
    monkeypatch.setattr(where, name, wrong)
    with pytest.raises(DisagreementError) as raised:
        compared(range(3000, 3060), "rarity-seeking", "takers", "hoarders")
    assert "engine" in str(raised.value)
    assert "Plan(seed=" in str(raised.value)


def test_a_difference_in_the_table_alone_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose card it is changes no score and no legal action here, but is public all the same."""

    def wrong_owner(game: oracle.OracleGame, card: str, kind: str) -> None:
        LAY_OFF(game, card, kind)
        for meld in game.melds:
            meld["seats"] = [meld["owner"]] * len(meld["seats"])

    monkeypatch.setattr(oracle.OracleGame, "_lay_off", wrong_owner)
    with pytest.raises(DisagreementError, match="laid"):
        compared(range(3000, 3030), "takers")


# The command ----------------------------------------------------------------------------------------------------------


def test_the_command_writes_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "results" / "agree.json"
    games = scaled(6, 2)
    status = agree.main(["--games", str(games), "--workers", "1", "--seed", "4", "--out", str(out)])
    result = json.loads(out.read_text())
    assert (result["games"], result["seed"], result["disagreements"]) == (games, 4, [])
    assert result["decisions"] == sum(part["decisions"] for part in result["players"].values()) > 0
    assert result["command"].startswith(f"python -m experiments.agree --games {games} --seed 4")
    assert set(result["never happened"]) == set(oracle.EVENTS) - set(result["events"])
    assert status == bool(result["never happened"])
    assert f"{games} games" in capsys.readouterr().out


def test_the_command_tells_of_a_disagreement(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = Path(oracle.__file__).read_text()
    wrong = tmp_path / "wrong.py"
    wrong.write_text(source.replace("GOING_OUT_BONUS = 25", "GOING_OUT_BONUS = 20"))
    out = tmp_path / "agree.json"
    arguments = ["--games", "20", "--workers", "1", "--twin", str(wrong), "--out", str(out)]
    assert agree.main(arguments) == 1
    [found] = json.loads(out.read_text())["disagreements"]
    number = found.split()[1]
    assert f"--first {number} --games 1" in found
    assert found in capsys.readouterr().err


@pytest.mark.skipif(not COMPILED or sys.platform == "win32", reason="sends a signal")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_can_be_interrupted(number: int, tmp_path: Path) -> None:
    out = tmp_path / "agree.json"
    command = [sys.executable, "-m", "experiments.agree", "--games", "100000", "--workers", "1", "--out", str(out)]
    with subprocess.Popen(
        command, cwd=agree.ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "comparing 100,000 games\n"
        process.send_signal(number)
        _, printed = process.communicate(timeout=60)
    assert process.returncode == 0, printed
    assert "Traceback" not in printed
    result = json.loads(out.read_text())
    assert result["interrupted"]
    assert result["games"] < 100_000


def test_the_result_in_the_repository_is_of_10000_games_without_a_difference() -> None:
    result = json.loads((agree.ROOT / agree.RESULT).read_text())
    assert result["games"] >= 10_000
    assert result["disagreements"] == result["never happened"] == []
    assert set(result["events"]) == set(oracle.EVENTS)
    assert not result["interrupted"]

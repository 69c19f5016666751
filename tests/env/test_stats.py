"""What games come to: points by source add up, and counts are those of games known by heart."""

import json
import re
import sys
from pathlib import Path

import pytest

from persian_rummy_env import RuleSet
from persian_rummy_env.cli import program
from persian_rummy_env.records.record import Record, dumps, read, write
from persian_rummy_env.records.recorder import simulate
from persian_rummy_env.records.stats import SOURCES, DealCount, Summary, deals_of, tables
from tests.env.records import some_game

GOLDEN = Path(__file__).parents[1] / "golden"
RULES = (RuleSet(deals=1), RuleSet(deals=4, quad_bonus="jacks"), RuleSet(stock_out="end"))


def golden(name: str) -> list[DealCount]:
    [record] = read(GOLDEN / f"{name}.jsonl")
    return deals_of(record)


def sources(deal: DealCount, seat: int) -> dict[str, int]:
    return {name: points for name, points in zip(SOURCES, deal.seats[seat].points, strict=True) if points}


def assert_adds_up(record: Record) -> None:
    for deal, counted in zip(record["deals"], deals_of(record), strict=True):
        by_seat = [sum(seat.points) for seat in counted.seats]
        assert [by_seat[0] + by_seat[2], by_seat[1] + by_seat[3]] == deal["score"]
        verbs = [action.split()[0] for action in deal["actions"]]
        assert counted.decisions == len(verbs)
        assert counted.turns == sum(verb in ("draw", "take", "pass") for verb in verbs)
        assert sum(seat.draws for seat in counted.seats) == verbs.count("draw")
        assert sum(seat.passes for seat in counted.seats) == verbs.count("pass")
        assert sum(len(seat.takes) for seat in counted.seats) == verbs.count("take")
        assert [seat.out for seat in counted.seats] == [number == deal["out"] for number in range(4)]


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("bots", ["random", "greedy", "random,deepest"])
def test_points_by_source_add_up_to_the_score(rules: RuleSet, bots: str) -> None:
    for record in simulate(20, 5, bots, rules=rules):
        assert_adds_up(record)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.jsonl")), ids=lambda path: path.stem)
def test_they_do_in_the_golden_games(path: Path) -> None:
    for record in read(path):
        assert_adds_up(record)


def test_points_stand_under_their_source() -> None:
    [deal] = golden("chain_take")
    assert sources(deal, 0) == {"runs": 12, "left in hand": -31}
    assert sources(deal, 1) == {"sets": 54, "lay-offs": 13, "going out": 25}
    assert sources(deal, 2) == {"left in hand": -41}
    assert sources(deal, 3) == {"left in hand": -49}
    assert deal.seats[1].takes == (1,)
    assert 5 in [size for seat in golden("deep_take")[0].seats for size in seat.takes]


def test_four_at_once_count_twice_where_the_rules_say_so() -> None:
    def quads(name: str) -> int:
        return sum(seat.points[SOURCES.index("quads")] for deal in golden(name) for seat in deal.seats)

    assert quads("four_jokers") == 80 + 36  # and four nines
    assert quads("only_jacks") == 40  # not the kings, nor the jokers


def test_groups_hold_every_seat_and_each_policy() -> None:
    summary = Summary()
    for record in simulate(6, 2, "greedy,random"):
        summary.add(record)
    assert (summary.games, summary.deals) == (6, 12)
    assert sorted(summary.policies) == ["greedy", "random"]
    assert summary.policies["greedy"].seat_deals == 24
    for index in range(len(SOURCES)):
        assert sum(seat.points[index] for seat in summary.seats) == summary.everyone.points[index]
        assert sum(policy.points[index] for policy in summary.policies.values()) == summary.everyone.points[index]
    assert sum((seat.takes for seat in summary.seats), start=type(summary.everyone.takes)()) == summary.everyone.takes


def test_names_of_seats_are_no_policies() -> None:
    record = some_game()
    record["players"] = [f"player_{seat}" for seat in range(4)]
    summary = Summary()
    summary.add(record)
    assert summary.policies == {}
    record["players"][2] = "player_0"  # somebody who calls himself so
    summary.add(record)
    assert list(summary.policies) == ["player_0"]


# The command ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.jsonl"
    write(path, simulate(4, 3, "greedy,random"))
    return path


def test_tables_and_counts_and_a_picture(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    counts, picture = tmp_path / "stats.json", tmp_path / "stats.png"
    assert program.main(["stats", str(games), str(games), "--json", str(counts), "--plot", str(picture)]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out.startswith("8 games, 16 deals; ")
    assert max(map(len, shown.out.splitlines())) <= 120
    found = json.loads(counts.read_text())
    assert found["policies"].keys() == {"greedy", "random"}
    total = sum(sum(record["score"]) for record in read(games))
    assert sum(found["all"]["points"].values()) == 2 * total
    [row] = re.findall(r"^  all seats +(-?\d.*)$", shown.out.partition("points of a seat")[2], re.MULTILINE)[:1]
    assert row.split()[-1] == f"{2 * total / found['all']['seat_deals']:.1f}"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.jsonl", "stats.json", "stats.png"]
    assert program.main(["stats", str(games), str(games), "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == found


def test_bad_games_are_named_and_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = some_game()
    bad["deals"][0]["score"][1] += 1
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join([dumps(some_game()), "{", dumps(bad)]) + "\n")
    assert program.main(["stats", str(path), "/nowhere/at/all.jsonl"]) == 2
    shown = capsys.readouterr()
    summary = Summary()
    summary.add(some_game())
    assert shown.out == tables(summary)
    lines = shown.err.splitlines()
    assert lines[0].startswith(f"persian-rummy stats: {path}: line 2, record: not JSON")
    assert lines[1].startswith(f"persian-rummy stats: {path}: line 3, deal 1 (deals[0].score): expected ")
    assert lines[2] == "persian-rummy stats: error: /nowhere/at/all.jsonl: no such file or folder"
    assert program.main(["stats", str(path)]) == 1


def test_a_file_without_a_record_has_no_stats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, counts = tmp_path / "empty.jsonl", tmp_path / "stats.json"
    path.write_text("\n")
    assert program.main(["stats", str(path), "--json", str(counts)]) == 1
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", f"persian-rummy stats: {path}: no record in it\n")
    assert not counts.exists()


def test_a_picture_without_matplotlib_is_refused_with_the_way_out(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as if it were not installed
    assert program.main(["stats", str(games), "--plot", str(tmp_path / "stats.png")]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "pip install 'persian-rummy-rl[plot]'" in shown.err
    assert not (tmp_path / "stats.png").exists()

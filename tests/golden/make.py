"""Makes the golden games by hand, and the table of all of them.

    python -m tests.golden.make [--check]

The plain twin plays them, never the engine. A committed record changes only when a rule does.
"""

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.golden.games import GOLDEN, Deal, Golden
from tests.oracle import PACK, SEATS, OracleGame

FOLDER = Path(__file__).parent
README = FOLDER / "README.md"
DEFAULTS = {"deals": None, "quad_bonus": "any", "stock_out": "pass"}

HEAD = """\
# Golden games

Whole games kept to the letter, most of them one rule corner each. `tests/env/test_golden.py` replays them on the
compiled engine and on the plain twin, with the legal actions before every action. All but the last two are made by
hand in `games.py`, where their scores are worked out; `python -m tests.golden.make` writes them and this table. To read
one: `persian-rummy show tests/golden/chain_take.jsonl`.

| game | what it shows | other rules | actions | score |
| --- | --- | --- | ---: | ---: |
"""


def deck_of(deal: Deal, dealer: int) -> list[str]:
    """The deck list that deals a deal, the player left of the dealer served first."""
    hands = [hand.split() for hand in deal.hands]
    assert [len(hand) for hand in hands] == [7] * SEATS
    dealt = [hands[(dealer + 1 + place) % SEATS][place // SEATS] for place in range(7 * SEATS)]
    front = [*dealt, deal.turned, *deal.stock.split()]
    rest = Counter(PACK)
    rest.subtract(front)
    assert min(rest.values()) == 0, f"more than there are: {[card for card, left in rest.items() if left < 0]}"
    return front + list(rest.elements())


def play(game: OracleGame, text: str) -> None:
    """Play actions divided by semicolons, ``idle`` turns among them."""
    for step in text.split(";"):
        action = " ".join(step.split())
        if not action.startswith("idle"):
            game.step(action)
            continue
        for _ in range(int(action.removeprefix("idle") or 1)):
            drawn = game.stock[0]
            game.step("draw")
            game.step(f"discard {drawn}")


def made(name: str, golden: Golden) -> dict[str, Any]:
    """The record of a game by hand."""
    decks = [deck_of(deal, (golden.dealer + number) % SEATS) for number, deal in enumerate(golden.deals)]
    game = OracleGame(**golden.rules, dealer=golden.dealer, decks=decks)
    for number, deal in enumerate(golden.deals):
        play(game, deal.play)
        assert len(game.scores) == number + 1, f"{name}: deal {number + 1} does not end"
    assert tuple(game.total) == golden.score, f"{name}: {game.total}, by hand {golden.score}"
    return game.record([f"player_{seat}" for seat in range(SEATS)], seed=None, legal=True)


def page(files: dict[str, str]) -> str:
    """README.md, from the texts of the records."""
    rows = []
    for name, golden in GOLDEN.items():
        record = json.loads(files[name])
        others = {**record["rules"], "deals": None}.items() - DEFAULTS.items()
        rules = ", ".join(f"{key} {value}" for key, value in sorted(others))
        actions = sum(len(deal["actions"]) for deal in record["deals"])
        score = " : ".join(map(str, record["score"]))
        rows.append(f"| [{name}]({name}.jsonl) | {golden.about} | {rules} | {actions} | {score} |\n")
    return HEAD + "".join(rows)


def contents() -> dict[Path, str]:
    """What each file should hold; the records of games that bots played are taken as they are."""
    files = {}
    for name, golden in GOLDEN.items():
        path = FOLDER / f"{name}.jsonl"
        files[name] = json.dumps(made(name, golden)) + "\n" if golden.deals else path.read_text(encoding="utf-8")
    return {README: page(files)} | {FOLDER / f"{name}.jsonl": text for name, text in files.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, but fail where a file would change")
    check = parser.parse_args().check
    changed = [
        path for path, text in contents().items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if check and changed:
        raise SystemExit("out of date: " + ", ".join(path.name for path in changed))
    for path in changed:
        path.write_text(contents()[path], encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()

"""The pages of docs/ that are printed from the tables of the code: ``python -m tools.reference_pages [--check]``.

What a table says is never typed twice: names, lengths, ranges and meanings come from ``observation.BLOCKS``,
``actions.RANGES`` and ``state.FIELDS``, and the numbers of every example are computed.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from persian_rummy_env import actions, cards, observation, state
from persian_rummy_env.actions import ACTION_NAMES, ACTION_POINTS, NUM_ACTIONS, RANGES, encode_action
from persian_rummy_env.cards import (
    CARD_NAMES,
    JOKER,
    JOKER_NAME,
    NUM_CARDS,
    NUM_JOKERS,
    NUM_PLAIN,
    NUM_RANKS,
    RANKS,
    SUITS,
)
from persian_rummy_env.observation import BLOCKS, FULL_BLOCKS, FULL_SIZE, RELATIVE_SEATS, SIZE, Block, blocks_of
from persian_rummy_env.rules import NUM_SEATS, RULE_FIELDS, RuleSet
from persian_rummy_env.state import FIELDS, RELATIONS, STATE
from persian_rummy_env.system.files import write_whole

WIDTH = 116
DOCS = Path(__file__).resolve().parent.parent / "docs"
NOTE = "<!-- Printed by `python -m tools.reference_pages` from the tables of the code: change those, not this page. -->"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[int] = ()) -> str:
    """A table in Markdown; the columns ``right`` are set to the right."""
    rules = ["---:" if column in right else "---" for column in range(len(heads))]
    lines = [heads, rules, *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def code(text: object) -> str:
    return f"`{text}`"


def wrapped(page: str) -> str:
    """A page with its paragraphs and list items filled to the width; headings, tables and code stay as they are."""
    blocks = []
    fenced = False
    for block in page.split("\n\n"):
        inside, fenced = fenced, fenced ^ (block.count("```") % 2 == 1)
        if inside or fenced or block.lstrip().startswith(("#", "|", "```", "<!--")):
            blocks.append(block)
        else:
            items = re.split(r"\n(?=- )", block.strip("\n"))
            blocks.append("\n".join(map(_filled, items)))
    return "\n\n".join(blocks).rstrip("\n") + "\n"


def _filled(paragraph: str) -> str:
    """A paragraph on lines of the width, with what stands in backticks kept together."""
    glued = re.sub(r"`[^`]*`", lambda found: found[0].replace(" ", "\0"), " ".join(paragraph.split()))
    indent = "  " if paragraph.startswith("- ") else ""
    lines = textwrap.wrap(glued, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


# The observation ------------------------------------------------------------------------------------------------------


def observation_page() -> str:
    hand_size = observation.BLOCK["hand_size"]
    seats = [[f"seat {seat}", *((seat + k) % NUM_SEATS for k in range(NUM_SEATS))] for seat in range(NUM_SEATS)]
    return f"""\
{NOTE}

# The observation

The observation of a seat is one flat vector of **{SIZE} bytes** (`uint8`), layout version {observation.VERSION}. It
holds everything that a careful person at the table knows, and nothing else. Each fact can be decoded from it card by
card. No card that the seat cannot see changes a byte of it (`persian_rummy_env.envs.testing.check_no_leak` tests this).

- **Vector environment:** the raw bytes, `(n, {SIZE})`.
- **AEC and Gymnasium environments:** `float32` in [0, 1], each byte divided by the `high` of its block:
  `float32(raw) / float32(high)`. `observation.as_float(raw)` gives the same numbers.
- **Example:** `{hand_size.name}` has high {hand_size.high}. A hand of 8 cards is the byte 8, or
  {np.float32(8) / np.float32(hand_size.high):.6f} as a float. Most blocks are flags with high 1, equal in both forms.

## Seats

Seats are relative to the viewer, so that one network can play every seat. *left* plays next, *partner* sits opposite,
*right* plays before. *us* are me and my partner. If the whole table rotates by a seat, every vector stays the same.

{table(["viewer", *RELATIVE_SEATS], seats)}

## Planes of cards

A block of {NUM_CARDS} places is a plane of cards. Card `suit × {NUM_RANKS} + rank` is at its own place, suits
`{SUITS}`, ranks `{RANKS}`:

{table(["suit", *RANKS], [[suit, *(s * NUM_RANKS + r for r in range(NUM_RANKS))] for s, suit in enumerate(SUITS)])}

The four jokers are interchangeable, so places {JOKER} to {NUM_CARDS - 1} count them: at least one, two, three, four. In
the planes of the pile (`pile`, `pile_depth`, `discarded_…`) these places are the jokers of the pile in their order from
the top, as in `take JK1`. `runs` has no joker places, and `owed` has one for all.

## Blocks

{block_table(BLOCKS)}

`points` and `score` are scaled inputs for networks; `points_bits_…` and `score_bits_…` are exact.

## How to read it

```python
from persian_rummy_env import PersianRummyVecEnv
from persian_rummy_env.observation import blocks_of

result = PersianRummyVecEnv(8).reset(seed=7)
blocks = blocks_of(result.observation)  # views of the same memory, by name, for one vector or a batch
print(blocks["hand"].shape, "cards in hand:", blocks["hand"].sum(axis=1))  # (8, {NUM_CARDS})
```

{observation_example()}
"""


def block_table(blocks: Sequence[Block]) -> str:
    rows = [
        (code(block.name), f"{block.offset}–{block.stop - 1}" if block.length > 1 else block.offset,
         block.length, block.high, block.owner, block.meaning)
        for block in blocks
    ]  # fmt: skip
    return table(["block", "bytes", "length", "high", "about", "meaning"], rows, right=(1, 2, 3))


EXAMPLE_HANDS = ("3S 4S 5S 7S KD 9C JK", "6S 8C 8D 8H TC TD TH", "2D 3D 4D JK JK 9D QS", "2C 3C 4C 6D 9H QC AD")
EXAMPLE_STOCK = "JD KC"
EXAMPLE_ACTIONS = ("draw", "meld 3S 4S 5S", "discard 7S", "take 7S")
EXAMPLE_DEALER = 3
EXAMPLE_SEAT = 2


def example_states(played: Sequence[str] = EXAMPLE_ACTIONS, hands_of: Sequence[str] = EXAMPLE_HANDS) -> np.ndarray:
    """(n + 1,) STATE: the example deal before each of n actions, and after them."""
    from persian_rummy_env.records.replay import play

    hands = [hand.split() for hand in hands_of]
    deck = [hands[(EXAMPLE_DEALER + 1 + place) % NUM_SEATS][place // NUM_SEATS] for place in range(state.FIRST_TURNED)]
    deck += EXAMPLE_STOCK.split()
    rest = [*CARD_NAMES[:NUM_PLAIN], *[JOKER_NAME] * NUM_JOKERS]
    for card in deck:
        rest.remove(card)
    ids = np.array([encode_action(action) for action in played])
    again = play(RuleSet(deals=1), EXAMPLE_DEALER, cards.parse_deck(deck + rest)[None], ids)
    assert again.played == len(ids), f"{played[again.played]} is not legal"
    return again.states


def observation_example() -> str:
    """Every block of the example that is not all zeros, as seen from one seat."""
    from persian_rummy_env.envs.vector import observe_states

    seen = observe_states(example_states()[-1:], np.array([EXAMPLE_SEAT]))[0]
    rows = []
    for name, values in blocks_of(seen).items():
        if values.any():
            places = np.flatnonzero(values)
            high = observation.BLOCK[name].high
            raw = ", ".join(str(place) if high == 1 else f"{place}: {values[place]}" for place in places)
            rows.append((code(name), raw, reading(observation.BLOCK[name], values)))
    played = ", ".join(map(code, EXAMPLE_ACTIONS))
    absent = [block.name for block in BLOCKS if not seen[block.slice].any()]
    return f"""\
**An example.** Seat {EXAMPLE_DEALER} dealt and J♦ was turned up. Seat 0 and seat 1 played {played}: seat 1 has taken
the card that seat 0 discarded, and owes it to the table. The table is the observation of seat {EXAMPLE_SEAT}, the
partner of seat 0. Places count within the block; blocks with a high above 1 show the byte too.

{table(["block", "places that are not 0", "reads"], rows)}

All other blocks are zeros: {", ".join(map(code, absent))}."""


def reading(block: Block, values: np.ndarray) -> str:
    """What a block of the example says, in words."""
    places = np.flatnonzero(values).tolist()
    if block.length in (NUM_CARDS, NUM_PLAIN, cards.NUM_KINDS):
        return " ".join(CARD_NAMES[min(place, JOKER)] for place in places)
    if block.name.startswith("points_bits"):
        return str(sum(1 << place for place in places))
    if block.name == "phase":
        return state.PHASES[places[0]]
    if block.name == "score":
        return ", ".join(f"{observation.SCORE_STEP * (int(value) - observation.SCORE_ZERO)}" for value in values)
    if block.name in ("to_move", "dealer", "out"):
        return RELATIVE_SEATS[places[0]]
    return ", ".join(str(int(value)) for value in values)


# The actions ----------------------------------------------------------------------------------------------------------


def actions_page() -> str:
    ranges = [
        (code(part.name), f"{part.start}–{part.stop - 1}" if part.length > 1 else part.start, part.length,
         part.meaning, code(ACTION_NAMES[part.start]), code(ACTION_NAMES[part.stop - 1]))
        for part in RANGES
    ]  # fmt: skip
    return f"""\
{NOTE}

# The actions

There are **{NUM_ACTIONS} actions**, numbered 0 to {NUM_ACTIONS - 1}, in one flat space of fixed size. A turn is
several actions of the same seat: a draw (or take, or pass), then melds and lay-offs, then a discard. A number has the
same meaning in every phase. The action mask marks the legal actions. The notation is that of docs/rules.md.

## Ranges

{table(["range", "ids", "number", "meaning", "first", "last"], ranges, right=(1, 2))}

## Numbers within a range

- **A card** is `suit × {NUM_RANKS} + rank`, suits `{SUITS}` as 0 to 3, ranks `{RANKS}` as 0 to
  {NUM_RANKS - 1}; the joker is {JOKER}. So {in_code("discard 7S")}.
- **A joker in the pile** is named by its position from the top: {in_code("take JK1")}, and `take JK1` to
  `take JK{NUM_JOKERS}` follow each other.
- **Sets** go by rank, and within a rank by the suits they hold: {", ".join(set_names())}. So {
        in_code("meld 4D 4H 4S")
    }.
- **Runs** go by suit, then by length, then by lowest card; each suit has {actions.RUNS_PER_SUIT}:

{
        table(
            ["length", *map(str, run_lengths())],
            [["lowest cards", *(NUM_RANKS + 1 - n for n in run_lengths())], ["first in its suit", *run_starts()]],
            right=range(1, 12),
        )
    }

So {in_code("meld JS QS KS AS")}: range start {actions.MELD_RUN.start}, suit 3 × {actions.RUNS_PER_SUIT}, length 4 from
{run_starts()[1]} on, lowest card {RANKS.index("J")}.

## Points

`actions.ACTION_POINTS` holds the points that each action earns at once, by the rule `quad_bonus`:

{table(["action", "id", "any", "jacks"], point_rows(), right=(1, 2, 3))}

## Masks

- **All environments:** `action_mask`, ({NUM_ACTIONS},) or (n, {NUM_ACTIONS}) `int8`, 1 where the seat to move may
  play the action. A mask belongs to the seat to move: every other seat's is all zeros, and so is everyone's once the
  episode is over.
- **Packed:** `PersianRummyVecEnv.packed_mask`, (n, 9) `uint64`: action `a` is bit `a % 64` of word `a // 64`.

```python
from persian_rummy_env import decode_action, encode_action

print(encode_action("meld JS QS KS AS"))  # {encode_action("meld JS QS KS AS")}
decode_action({encode_action("take 7S")})  # '{ACTION_NAMES[encode_action("take 7S")]}'
```
"""


def in_code(action: str) -> str:
    return f"`{action}` is {encode_action(action)}"


def set_names() -> list[str]:
    """The suits of the sets of a rank, in the order of their numbers."""
    start = actions.MELD_SET.start
    names = ACTION_NAMES[start : start + actions.SETS_PER_RANK]
    return ["".join(card[1] for card in name.split()[1:]) for name in names]


def run_lengths() -> range:
    return range(actions.MIN_RUN, NUM_RANKS + 1)


def run_starts() -> list[int]:
    """Within a suit, the number of the first run of each length."""
    return [
        encode_action("meld " + " ".join(rank + SUITS[0] for rank in RANKS[:length])) - actions.MELD_RUN.start
        for length in run_lengths()
    ]


def point_rows() -> list[tuple[object, ...]]:
    shown = (
        *("meld 4D 4H 4S", "meld JC JD JH JS", "meld KC KD KH KS", "meld JK JK JK", "meld JK JK JK JK"),
        *("meld QH KH AH", "layoff JK set", "layoff AS run", "discard AS"),
    )
    return [(code(name), encode_action(name), *ACTION_POINTS[:, encode_action(name)]) for name in shown]


# The state ------------------------------------------------------------------------------------------------------------

EXAMPLE_SETS = ("2C", "AS", "7C 7D 7H", "JK JK")


def rule_rows() -> list[tuple[object, ...]]:
    return [
        (code(rule.name), code(rule.state), ", ".join(map(str, rule.values)), f"{rule.first}..{rule.last}",
         rule.default, rule.absent)
        for rule in RULE_FIELDS
    ]  # fmt: skip


def state_page() -> str:
    offsets: dict[str, int] = {name: place[1] for name, place in (STATE.fields or {}).items()}
    rows = [
        (code(field.name), field.dtype, field.shape[0] if len(field.shape) == 1 else "×".join(map(str, field.shape)),
         offsets[field.name], field.range, field.seen_by, field.meaning)
        for field in FIELDS
    ]  # fmt: skip
    hidden = FULL_BLOCKS[: len(FULL_BLOCKS) - len(BLOCKS)]
    return f"""\
{NOTE}

# The state

One game is one record of the numpy structured dtype `state.STATE`: **{STATE.itemsize} bytes**, aligned. N games are an
array of N records. One assignment copies a game for search. numpy saves, compares and pickles games. The record
contains the random generators, so a copy continues exactly as the original would.

```python
from persian_rummy_env import PersianRummyVecEnv

env = PersianRummyVecEnv(2, autoreset_mode="DISABLED")
env.reset(seed=7)
states = env.get_state()  # (2,) STATE, a copy
states[1] = states[0]  # the second game is now a copy of the first
env.set_state(states)
```

A state is full information, with hidden cards and generators. It is for search, tests and training, never for a
policy that plays.

## Rules

The rules of a game are fields of its record. `state.write_rules` writes a `RuleSet` into games and `state.rules_of`
reads it. A stored record or policy that does not name a rule uses the value in the last column.

{table(["rule", "field", "values", "codes", "default", "not named"], rule_rows())}

## Fields

Seats are absolute, 0 to 3; team `t` is the seats `t` and `t + 2`.

{table(["field", "type", "shape", "offset", "range", "seen by", "meaning"], rows, right=(2, 3))}

## Valid states

`persian_rummy_env.state_check` checks every state from outside: `set_state` of all environments, and `state_from` of
OpenSpiel's game. Every field must be in its range, and agree with the other fields:

{table(["field", "expected"], [(code(relation.field), relation.expected) for relation in RELATIONS])}

An invalid state raises a `ValueError` that names the env index, field, value and what was expected, and changes
nothing. A valid one can be played to its end by its own rules. The next episode uses the environment's rules again. An
infostate (`core.belief_kernels`) or a sampled world is valid too: hidden decks are 0, and its generators start from
seed 0 when they are needed.

## Cards as bits

A field of "{NUM_CARDS} bits" is a set of cards: bit `c` is card `c` = `suit × {NUM_RANKS} + rank`. Jokers are counted
in unary from bit {JOKER}: two jokers are the bits {JOKER} and {JOKER + 1}. So equal sets are equal numbers, and the
number of bits is the number of cards. `cards.cards_in` and `cards.bits_of` convert:

{table(["cards", "number"], [(names, code(hex(cards.bits_of(names.split())))) for names in EXAMPLE_SETS])}

## The full information as a vector

`state()` of the AEC environment, for critics, is a vector of {FULL_SIZE} numbers, `float32` in [0, 1]: first what the
viewer cannot see, then the viewer's observation (docs/observation.md). The viewer is `player_0`, so *me, left, partner,
right* are the seats 0, 1, 2, 3, and *us* is team 0. `core.observe.observe_full` gives the raw bytes for any viewer and
any number of games. The first {len(hidden)} blocks are:

{block_table(hidden)}

The observation follows from place {hidden[-1].stop} on. `observation.FULL_BLOCKS` lists all blocks, and
`observation.FULL_HIGH` the divisor of each byte.
"""


# Writing --------------------------------------------------------------------------------------------------------------


def pages() -> dict[str, str]:
    """Every printed page: its text by file name."""
    made = {"observation.md": observation_page(), "actions.md": actions_page(), "state.md": state_page()}
    return {name: wrapped(page) for name, page in made.items()}


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.reference_pages", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is out of date")
    args = parser.parse_args(argv)
    if not DOCS.is_dir():
        parser.error(f"{DOCS} is no folder: run this in a checkout of the repository")
    texts = pages()
    old = [
        name for name, text in texts.items() if not (DOCS / name).exists() or (DOCS / name).read_text("utf-8") != text
    ]
    for name in old:
        if not args.check:
            write_whole(DOCS / name, texts[name])
        print(f"docs/{name}: {'out of date' if args.check else 'written'}")
    return 1 if args.check and old else 0


if __name__ == "__main__":
    from persian_rummy_env.system.command_line import run_command

    raise SystemExit(run_command("python -m tools.reference_pages", main))

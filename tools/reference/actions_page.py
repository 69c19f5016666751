"""docs/actions.md."""

from __future__ import annotations

from persian_rummy_env import actions
from persian_rummy_env.actions import ACTION_NAMES, ACTION_POINTS, NUM_ACTIONS, RANGES, encode_action
from persian_rummy_env.cards import JOKER, NUM_JOKERS, NUM_RANKS, RANKS, SUITS

from .form import NOTE, code, table


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

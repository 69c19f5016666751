"""docs/state.md."""

from __future__ import annotations

from persian_rummy_env import cards
from persian_rummy_env.cards import JOKER, NUM_CARDS, NUM_RANKS
from persian_rummy_env.observation import BLOCKS, FULL_BLOCKS, FULL_SIZE
from persian_rummy_env.rules import RULE_FIELDS
from persian_rummy_env.state import FIELDS, RELATIONS, STATE

from .form import NOTE, block_table, code, table

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

"""A rule set travels whole: into game records and back, into files and back, and from text."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from persian_rummy_env import RuleSet, __version__
from persian_rummy_env.observation import BLOCK, FLAG_RULES
from persian_rummy_env.records.record import RecordError, check
from persian_rummy_env.records.recorder import simulate
from persian_rummy_env.records.replay import verify
from persian_rummy_env.rules import RULE_FIELDS, RULES_HELP
from persian_rummy_env.state import FIELDS, STATE, rules_of, write_rules
from persian_rummy_env.stored_rules import stored_rules

EVERY_RULE_SET = [
    RuleSet(**dict(zip((rule.name for rule in RULE_FIELDS), values, strict=True)))
    for values in product(*(rule.values for rule in RULE_FIELDS))
]


def test_every_rule_set_comes_back_out_of_a_game() -> None:
    games = np.zeros(len(EVERY_RULE_SET), dtype=STATE)
    for number, rules in enumerate(EVERY_RULE_SET):
        write_rules(games[number : number + 1], rules)
    assert [rules_of(game) for game in games] == EVERY_RULE_SET
    assert len(np.unique(games)) == len(EVERY_RULE_SET)


def test_an_episode_may_have_other_deals_than_the_rules() -> None:
    games = np.zeros(2, dtype=STATE)
    write_rules(games, RuleSet(deals=3, stock_out="end"), deals=1)
    assert rules_of(games[1]) == RuleSet(deals=1, stock_out="end")


@pytest.mark.parametrize("rule", RULE_FIELDS, ids=lambda rule: rule.name)
def test_a_game_with_a_code_that_no_rule_has_is_refused(rule: Any) -> None:
    games = np.zeros(1, dtype=STATE)
    write_rules(games, RuleSet())
    games[rule.state] = rule.last + 1
    with pytest.raises(ValueError, match=f"{rule.state}={rule.last + 1}: expected {rule.first}"):
        rules_of(games[0])


def test_the_state_has_a_field_for_every_rule() -> None:
    meanings = {field.name: field.meaning for field in FIELDS}
    assert [meanings[rule.state] for rule in RULE_FIELDS] == [f"rule: {rule.meaning}" for rule in RULE_FIELDS]


def test_the_observation_has_a_bit_for_every_rule_of_the_block() -> None:
    assert BLOCK["rules"].length == len(FLAG_RULES) == 2


def test_the_help_names_every_value_and_the_default() -> None:
    assert RULES_HELP == "name=value,...: deals=1..4 (2), quad_bonus=any|jacks (any), stock_out=pass|end (pass)"


@pytest.mark.parametrize("kind", [np.int64, np.uint8, int])
def test_any_integer_type_counts_deals(kind: Any) -> None:
    rules = RuleSet(deals=kind(3))
    assert rules == RuleSet(deals=3)
    assert type(rules.deals) is int


def test_a_rule_given_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="deals is given twice"):
        RuleSet.parse("deals=1, deals = 2")


# Files ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULE_FIELDS, ids=lambda rule: rule.name)
def test_a_rule_that_a_file_does_not_name_is_what_the_format_had(rule: Any) -> None:
    named = {other.name: other.values[-1] for other in RULE_FIELDS if other is not rule}
    assert getattr(stored_rules(named), rule.name) == rule.absent
    assert stored_rules({}) == RuleSet(deals=2, quad_bonus="any", stock_out="pass")


def test_a_record_without_its_rules_replays_by_those_that_the_format_had() -> None:
    record: Any = next(simulate(1, 5, "greedy"))
    for name in list(record["rules"]):
        del record["rules"][name]
        check(record)
        assert verify(record) is None


def test_a_record_with_an_unknown_rule_is_refused_by_name_and_says_which_version_reads_it() -> None:
    record: Any = next(simulate(1, 5, "greedy"))
    record["rules"]["wild"] = 1
    with pytest.raises(RecordError) as raised:
        check(record)
    assert raised.value.field == "rules"
    assert "'wild'" in raised.value.fault
    assert __version__ in raised.value.fault

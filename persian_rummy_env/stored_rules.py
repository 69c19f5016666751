"""Rule sets in records, policies and training runs, also in files that are older than a rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .rules import RULE_FIELDS, RuleSet, unknown_rules
from .version import __version__


def stored_rules(rules: Mapping[str, Any]) -> RuleSet:
    """The rule set of a record, a policy or any other file. A rule that the file does not name was added later and has
    the value that matches the older game (``rules.RuleField.absent``).

    Raises:
        ValueError: an unknown rule, or an invalid value.
    """
    unknown = unknown_rules(rules)
    if unknown:
        raise ValueError(f"{unknown}; a later version of persian-rummy-rl may know more (this is {__version__})")
    return RuleSet.from_dict({rule.name: rule.absent for rule in RULE_FIELDS} | dict(rules))

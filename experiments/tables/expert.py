"""The tables of docs/bots.md, from the expert's weights and a result of ``experiments.ablation_expert``."""

from __future__ import annotations

from persian_rummy_env.core.expert import WEIGHTS

from ..shared.expert_features import DESCRIPTIONS, GROUPS
from ..shared.markdown import Result, plus_minus, table


def features_table(result: Result | None) -> str:
    """Every feature with its weight and its loss in the ablation."""
    if set(DESCRIPTIONS) != set(WEIGHTS):
        raise ValueError(f"features.py and the weights differ: {', '.join(sorted(set(DESCRIPTIONS) ^ set(WEIGHTS)))}")
    lost = {} if result is None else {row["name"]: row for row in (*result["features"], *result["groups"])}
    rows = []
    for group, features in GROUPS.items():
        rows.append([f"**{group}**", "", "", worth(lost.get(group))])
        for feature, text in features.items():
            rows.append([f"`{feature}`", text, f"{WEIGHTS[feature]:+.2f}", worth(lost.get(feature))])
    return table(["feature", "unit", "weight", "points lost without it"], rows, words=2)


def worth(row: Result | None) -> str:
    return "not measured" if row is None else plus_minus(row["lost"], row["low"], row["high"], digits=2)


def run_line(result: Result | None) -> str:
    """The command of the figures, and whether they belong to today's weights."""
    if result is None:
        return "Not measured yet: `python -m experiments.ablation_expert`."
    base = result["baseline"]
    stale = "" if result["weights"] == WEIGHTS else " **The weights have changed since.**"
    return (
        f"`{result['command']}`, {result['date']}, commit `{result['commit']}`: {result['pairs']:,} duplicate pairs "
        f"against `{result['against']}` for each row, all on the deals of seed {result['seed']}, which no other result "
        f"uses. With all features: {plus_minus(base['margin'], base['low'], base['high'], 2)} points a deal.{stale}"
    )


def together_table(result: Result | None) -> str:
    """The loss without several features at once, by opponent."""
    if result is None or "together" not in result:
        return "Not measured yet."
    rows = [[f"`{row['against']}`", worth(row)] for row in result["together"]["lost"]]
    return table(["against", f"lost without {', '.join(f'`{name}`' for name in result['together']['features'])}"], rows)


def tables_of(measured: Result | None) -> dict[str, str]:
    """The tables of a result of ``experiments.ablation_expert``, by their names in the page."""
    found = {"bots: ablation run": run_line(measured), "bots: features": features_table(measured)}
    return found | {"bots: together": together_table(measured)}

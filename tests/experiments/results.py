"""Comparing the results of experiments."""

from __future__ import annotations

from typing import Any


def alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """But for what hangs on the clock and the command."""
    drop = {"seconds", "minutes", "machine", "command", "date", "commit", "sha256"}

    def kept(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: kept(one) for key, one in value.items() if key not in drop}
        return [kept(one) for one in value] if isinstance(value, list) else value

    return kept(one) == kept(other)

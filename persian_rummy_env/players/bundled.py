"""The trained policies that come with the package: their names and their files.

A name with a number is frozen: its file never changes. ``champion`` is the newest of the champions. ``minutes-N`` is
what training makes in N minutes on one core.
"""

from __future__ import annotations

from pathlib import Path

WEIGHTS = Path(__file__).parent / "weights"
"""Their folder; ``README.md`` in it is their card."""
FROZEN = ("minutes-1", "minutes-10", "minutes-60", "champion-1")
NEWEST = "champion-1"
BUNDLED: dict[str, Path] = {"champion": WEIGHTS / f"{NEWEST}.safetensors"} | {
    name: WEIGHTS / f"{name}.safetensors" for name in FROZEN
}
"""The file of each name."""
CHAMPION = BUNDLED["champion"]

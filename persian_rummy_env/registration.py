"""The name of the AEC face in PettingZoo's registry, where the installed version has one (from 1.27 on)."""

from __future__ import annotations

import pettingzoo

PETTINGZOO_ID = "persian_rummy_v0"


def register() -> None:
    """Make ``pettingzoo.make("aec", "persian_rummy_v0", **options)`` work. Does nothing where it works already."""
    registry = getattr(pettingzoo, "aec_registry", None)
    if registry is None or PETTINGZOO_ID.replace("_v", "-v") in registry:
        return
    pettingzoo.register("aec", PETTINGZOO_ID, entry_point="persian_rummy_env.aec_env:env")

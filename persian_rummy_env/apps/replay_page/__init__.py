"""The replay page: games to step through in a browser, as one file that needs no network."""

from __future__ import annotations

from .opinion import Adviser, Opinion
from .page import OPEN, VIEWS, replay_page, security_policy

__all__ = ["OPEN", "VIEWS", "Adviser", "Opinion", "replay_page", "security_policy"]

"""The replay page: games to step through in a browser, as one file that needs no network."""

from __future__ import annotations

from .analysis import Analysis, Analyst
from .page import OPEN, VIEWS, replay_page, security_policy

__all__ = ["OPEN", "VIEWS", "Analysis", "Analyst", "replay_page", "security_policy"]

"""The replay page: games to step through in a browser, as one file that needs no network."""

from __future__ import annotations

from .analysis import Analysis, Analyst
from .page import OPEN, VIEWERS, loading_page, replay_page, security_policy

__all__ = ["OPEN", "VIEWERS", "Analysis", "Analyst", "loading_page", "replay_page", "security_policy"]

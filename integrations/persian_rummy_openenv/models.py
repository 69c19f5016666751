"""What client and server say to each other."""

from __future__ import annotations

from openenv.core.env_server.types import Action, Observation
from pydantic import Field


class PersianRummyAction(Action):
    answer: str = Field(description="one action, or several of one turn divided by ';', such as 'take QS; discard 4D'")


class PersianRummyObservation(Observation):
    prompt: str = Field(default="", description="what the seat to answer knows; empty after the end")
    message: str = Field(default="", description="after reset the rules; else what was played, or why nothing was")
    accepted: bool = Field(default=True, description="whether the last answer was played")
    seat: int | None = Field(default=None, description="the seat to answer, 0..3; None after the end")
    margin: int | None = Field(default=None, description="after the end: points of your team less those of the other")
    refused: int = Field(default=0, description="answers refused so far, of all text seats")

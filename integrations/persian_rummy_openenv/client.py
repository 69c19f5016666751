"""The client: ``reset`` and ``step`` over a WebSocket."""

from __future__ import annotations

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.types import State

from persian_rummy_openenv.models import PersianRummyAction, PersianRummyObservation


class PersianRummyClient(EnvClient[PersianRummyAction, PersianRummyObservation, State]):
    """``PersianRummyClient(base_url="http://localhost:8000").sync()`` has blocking ``reset`` and ``step``."""

    def _step_payload(self, action: PersianRummyAction) -> dict[str, Any]:
        return action.model_dump(exclude={"metadata"})

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[PersianRummyObservation]:
        end = {"done": payload.get("done", False), "reward": payload.get("reward")}
        observation = PersianRummyObservation.model_validate({**payload["observation"], **end})
        return StepResult(observation=observation, **end)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State.model_validate(payload)

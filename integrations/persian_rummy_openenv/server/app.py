"""The server: ``python -m persian_rummy_openenv.server.app --port 8000``."""

from __future__ import annotations

import argparse

import uvicorn
from openenv.core.env_server.http_server import create_app

from persian_rummy_openenv.models import PersianRummyAction, PersianRummyObservation
from persian_rummy_openenv.server.environment import PersianRummyEnvironment

app = create_app(
    PersianRummyEnvironment,
    PersianRummyAction,
    PersianRummyObservation,
    env_name="persian_rummy",
    max_concurrent_envs=64,
)


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve Persian Rummy as an OpenEnv environment.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    args = parser.parse_args()
    uvicorn.run(app, host=args.host, port=args.port)


if __name__ == "__main__":
    main()

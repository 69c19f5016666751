"""Jobs for a pool of Ray's workers. Apart from the tests, so that a worker imports nothing heavy for them."""

import os
import time
from pathlib import Path


class Placed:
    """Says where it works, after a while.

    Args:
        folder: a job that is begun leaves a file JOB-NODE there, and does not end while there is a file HOLD-NODE.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, job: int) -> tuple[int, str]:
        import ray

        node = ray.get_runtime_context().get_node_id()
        (self.folder / f"{job}-{node}").touch()
        time.sleep(0.1)
        while (self.folder / f"hold-{node}").exists():
            time.sleep(0.02)
        return job, node


class Fussy:
    """Raises an error at a 7, and dies at a 13."""

    def __call__(self, job: int) -> int:
        if job == 7:
            raise ValueError("seven is too many")
        if job == 13:
            os._exit(1)
        return job

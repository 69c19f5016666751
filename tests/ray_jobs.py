"""Jobs for a pool of Ray's workers. Apart from the tests, so that a worker imports nothing heavy for them."""

import os
import time


class Slow:
    """Says where it works, after a while."""

    def __call__(self, job: int) -> tuple[int, str]:
        import ray

        time.sleep(0.5)
        return job, ray.get_runtime_context().get_node_id()


class Fussy:
    """Raises an error at a 7, and dies at a 13."""

    def __call__(self, job: int) -> int:
        if job == 7:
            raise ValueError("seven is too many")
        if job == 13:
            os._exit(1)
        return job

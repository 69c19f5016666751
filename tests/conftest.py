"""For all tests: how hypothesis draws, which tests a machine can run, and which of them run first."""

import os
import signal

import pytest
from hypothesis import settings

from tests.env.play import scaled

# Before anything loads torch. The tests' networks are small, and threads that wait for each other, in processes that
# share the cores, take many times as long as one.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell starts what runs in the background with Ctrl-C ignored, and programs hand that on to those they start. Tests
# send it to theirs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # so does ``nohup``
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# The same examples in every run, so that a red run is red again; as many as the scale of the run allows.
settings.register_profile(
    "repeatable", deadline=None, derandomize=True, database=None, max_examples=scaled(40, least=2)
)
settings.load_profile("repeatable")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("first") is None)  # a stable sort
    for_gpu = [item for item in items if item.get_closest_marker("gpu")]
    if for_gpu and not _cuda():
        for item in for_gpu:
            item.add_marker(pytest.mark.skip(reason="needs a CUDA device"))


def _cuda() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()

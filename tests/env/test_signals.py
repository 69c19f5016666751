"""A process that is told to end: the first time politely, the second time at once."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from persian_rummy_env.system.signals import ENDING, Ended, on_ending

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends signals")


def test_the_first_signal_calls_and_the_handlers_come_back() -> None:
    before = [signal.getsignal(number) for number in ENDING]
    report: list[int] = []
    with on_ending(report.append):
        signal.raise_signal(signal.SIGTERM)
        assert [signal.getsignal(number) for number in ENDING] == [signal.SIG_DFL] * len(ENDING)
    assert report == [signal.SIGTERM]
    assert [signal.getsignal(number) for number in ENDING] == before
    with pytest.raises(Ended) as ended, on_ending():
        signal.raise_signal(signal.SIGHUP)
    assert ended.value.status == 128 + signal.SIGHUP
    assert str(ended.value) == "ended by SIGHUP"
    assert [signal.getsignal(number) for number in ENDING] == before


def test_a_second_one_is_not_heard_where_one_is_enough() -> None:
    report: list[int] = []
    with on_ending(report.append, once=True):
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
    assert report == [signal.SIGTERM]


def test_what_is_ignored_from_outside_stays_ignored() -> None:
    """As ``nohup`` does."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with on_ending():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_another_thread_changes_nothing() -> None:
    seen: list[object] = []

    def inside() -> None:
        with on_ending():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]


def test_a_second_signal_ends_the_process_at_once() -> None:
    script = """
    import time
    from persian_rummy_env.system.signals import on_ending
    with on_ending(lambda number: print("asked", flush=True)):
        print("ready", flush=True)
        while True:
            time.sleep(0.05)
    """
    words = [sys.executable, "-c", textwrap.dedent(script)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        for line in ("ready\n", "asked\n"):
            assert process.stdout.readline() == line
            process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == -signal.SIGINT
    finally:
        process.kill()
        process.communicate()

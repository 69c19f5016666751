"""Policies that somebody else might have written: ``python:tests.agents.strangers:First``."""

import time

import numpy as np


class First:
    """The first legal action. It knows of no base class."""

    name = "first"

    def act(self, batch):
        return batch.action_mask.argmax(axis=1)


class Unmasked:
    """It always likes ``draw`` best, legal or not."""

    name = "unmasked"

    def act(self, batch):
        return np.zeros(len(batch.seat), dtype=np.int64)


class Floats:
    name = "floats"

    def act(self, batch):
        return batch.action_mask.argmax(axis=1).astype(float)


class TooFew:
    name = "too few"

    def act(self, batch):
        return batch.action_mask.argmax(axis=1)[:-1]


class Beyond:
    name = "beyond"

    def act(self, batch):
        return np.full(len(batch.seat), 547)


class NoAct:
    pass


class NeedsMore:
    def __init__(self, path):
        self.path = path

    def act(self, batch):
        return batch.action_mask.argmax(axis=1)


class Slow:
    """Takes its time."""

    name = "slow"

    def act(self, batch):
        time.sleep(0.4)
        return batch.action_mask.argmax(axis=1)


class Bare:
    """The first legal action; nothing but ``act``, and no room for more."""

    __slots__ = ()

    def act(self, batch):
        return batch.action_mask.argmax(axis=1)


class Scribbler:
    """It writes what it likes into the mask, where that can be written, and then plays it."""

    name = "scribbler"

    def act(self, batch):
        mask = batch.action_mask
        actions = mask.argmin(axis=1)
        if mask.flags.writeable:
            mask[:] = 1
        return actions


class Ragged:
    name = "ragged"

    def act(self, batch):
        return [[1, 2], [3]][: max(2, len(batch.seat))]


class Yes:
    name = "yes"

    def act(self, batch):
        return batch.action_mask.any(axis=1)


class Endless:
    """Thinks for minutes, but for its first decisions."""

    name = "endless"

    def __init__(self):
        self.asked = 0

    def act(self, batch):
        self.asked += 1
        if self.asked > 2:
            time.sleep(300)
        return batch.action_mask.argmax(axis=1)


class Quits:
    """Wants to end the program, but for its first decisions."""

    name = "quits"

    def __init__(self):
        self.asked = 0

    def act(self, batch):
        self.asked += 1
        if self.asked > 2:
            raise SystemExit(3)
        return batch.action_mask.argmax(axis=1)


class Raises:
    name = "raises"

    def act(self, batch):  # noqa: ARG002
        raise LookupError("no idea")


class Scribbles:
    """Allows itself everything in what it is shown, and then draws."""

    name = "scribbles"

    def act(self, batch):
        batch.action_mask[:] = 1
        return np.zeros(len(batch.seat), dtype=np.int64)

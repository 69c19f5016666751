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

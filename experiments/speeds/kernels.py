"""Loops over single parts of the compiled step, to time each part. Parts with their own loop in ``core.batch_kernels``
(legality, observing, sampling, the check) are not here."""

from __future__ import annotations

from persian_rummy_env.core.apply import apply
from persian_rummy_env.core.batch_kernels import MARGIN_SCALE, pay
from persian_rummy_env.core.compiler.jit import compiled
from persian_rummy_env.core.deal import start_deal
from persian_rummy_env.core.masks import unpack_row
from persian_rummy_env.core.score import end_deal, margin
from persian_rummy_env.state import NOBODY


@compiled
def apply_all(games, actions):
    for lane in range(len(games)):
        apply(games[lane], actions[lane])


@compiled
def write_masks(legal, mask):
    for lane in range(len(legal)):
        unpack_row(legal, lane, mask)


@compiled
def pay_all(games, before, reward):
    """The reward part of a step: the margin after it minus the margin before."""
    for lane in range(len(games)):
        pay(reward, lane, (margin(games[lane]) - before[lane]) / MARGIN_SCALE)


@compiled
def margins(games, before):
    for lane in range(len(games)):
        before[lane] = margin(games[lane])


@compiled
def deal_all(games):
    for lane in range(len(games)):
        start_deal(games[lane])


@compiled
def end_all(games):
    """Score the last deal of each game, so that no other deal follows."""
    for lane in range(len(games)):
        end_deal(games[lane], NOBODY)

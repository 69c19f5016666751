"""The kernels of networks against plain numpy."""

from __future__ import annotations

import numpy as np
import pytest

from persian_rummy_env.core import network_kernels as kernels
from persian_rummy_env.core.compiler import intrinsics, intrinsics_plain
from persian_rummy_env.core.compiler.intrinsics import PRODUCT_COLUMNS, PRODUCT_ROWS
from persian_rummy_env.core.compiler.jit import compiled
from persian_rummy_env.observation import HIGH, SIZE
from persian_rummy_env.players.inputs import GAME_SCALE, SCALE, VIEW_SIZE


@compiled
def words_of(row, offsets, words):
    for index in range(len(offsets)):
        words[index] = intrinsics.nonzero64(row, offsets[index])


def test_nonzero64_is_what_its_plain_form_says() -> None:
    rng = np.random.default_rng(1)
    row = (rng.integers(0, 256, 300) * (rng.random(300) < 0.3)).astype(np.uint8)
    offsets, words = np.arange(237), np.zeros(237, dtype=np.uint64)
    words_of(row, offsets, words)
    assert words.tolist() == [int(intrinsics_plain.nonzero64(row, offset)) for offset in offsets.tolist()]
    assert int(words[100]) == sum(1 << place for place in range(64) if row[100 + place])


@pytest.mark.parametrize("scale", [SCALE, GAME_SCALE], ids=["deals", "games"])
@pytest.mark.parametrize("size", [SIZE, VIEW_SIZE], ids=["public", "hidden"])
@pytest.mark.parametrize("share", [0.0, 0.08, 1.0])
def test_listed_bytes_are_those_that_are_set(size: int, share: float, scale: np.ndarray) -> None:
    rng = np.random.default_rng(2)
    high = np.concatenate([HIGH, np.ones(VIEW_SIZE - SIZE, dtype=np.uint8)])[:size].astype(np.int64)
    view = (rng.integers(1, high + 1, (20, size)) * (rng.random((20, size)) < share)).astype(np.uint8)
    start, middle = np.empty(21, dtype=np.int64), np.empty(20, dtype=np.int64)
    column, value = np.empty(view.size + 1, dtype=np.int16), np.empty(view.size + 1, dtype=np.float32)
    kernels.list_bytes(view, SIZE, scale, start, middle, column, value)
    assert start[0] == 0
    for row in range(20):
        expected = np.flatnonzero((view[row] != 0) & (scale[:size] != 0))
        here = slice(start[row], start[row + 1])
        assert column[here].tolist() == expected.tolist()
        assert (value[here] == view[row, expected] * scale[expected]).all()
        assert middle[row] == start[row] + np.count_nonzero(expected < SIZE)


@pytest.mark.parametrize("width", [1, 24, 256, 300])
def test_a_dense_layer_is_a_matrix_product(width: int) -> None:
    rng = np.random.default_rng(3)
    weight, bias = (rng.normal(size=shape).astype(np.float32) for shape in ((width, width), width))
    padded = -(-width // PRODUCT_COLUMNS) * PRODUCT_COLUMNS
    x, total = np.zeros((2, 3 * PRODUCT_ROWS, padded), dtype=np.float32)
    x[:, :width], total[:, :width] = (rng.normal(size=(len(x), width)) for _ in range(2))
    before = total.copy()
    kernels.add_dense(x, kernels.panels(weight), np.pad(bias, (0, padded - width)), total)
    expected = x[:, :width].astype(float) @ weight.T.astype(float) + bias
    np.testing.assert_allclose(total[:, :width] - before[:, :width], expected, atol=2e-5 * width**0.5)
    assert (total[:, width:] == 0).all()


def test_a_row_of_a_dense_layer_is_the_same_bits_wherever_it_stands() -> None:
    rng = np.random.default_rng(4)
    weight, bias = kernels.panels(rng.normal(size=(256, 256)).astype(np.float32)), np.zeros(256, dtype=np.float32)
    x = rng.normal(size=(20 * PRODUCT_ROWS, 256)).astype(np.float32)
    whole = np.zeros_like(x)
    kernels.add_dense(x, weight, bias, whole)
    for count in (1, 2, 5, 17):
        rows = rng.integers(0, len(x), count * PRODUCT_ROWS)
        some = np.zeros((len(rows), 256), dtype=np.float32)
        kernels.add_dense(x[rows], weight, bias, some)
        assert (some == whole[rows]).all()


def test_the_plain_form_of_a_product_says_what_the_compiled_one_does() -> None:
    rng = np.random.default_rng(5)
    x, weight = rng.normal(size=(PRODUCT_ROWS, 40)), rng.normal(size=(40, 2, PRODUCT_COLUMNS))
    x, panels = x.astype(np.float32), np.ascontiguousarray(weight.transpose(1, 0, 2)).astype(np.float32)
    bias, total = rng.normal(size=2 * PRODUCT_COLUMNS).astype(np.float32), np.zeros((PRODUCT_ROWS, 32), np.float32)
    kernels.add_dense(x, panels, bias, total)
    plain = np.zeros_like(total).reshape(-1)
    for panel in range(2):
        at = panel * PRODUCT_COLUMNS
        intrinsics_plain.add_products(x.reshape(-1), 0, 40, panels.reshape(-1), at * 40, 40, plain, at, 32, bias, at)
    np.testing.assert_allclose(plain.reshape(total.shape), total, atol=1e-5)
    assert abs(total).min() > 0


@pytest.mark.parametrize("terms", [0, 1, 3, 4, 9])
def test_the_first_layer_adds_its_terms_in_order(terms: int) -> None:
    rng = np.random.default_rng(6)
    weight, bias = (rng.normal(size=shape).astype(np.float32) for shape in ((SIZE, 32), 32))
    index, value = rng.integers(0, SIZE, terms + 1).astype(np.int16), rng.random(terms + 1).astype(np.float32)
    out = np.empty((1, 32), dtype=np.float32)
    kernels.first_layer(np.array([0, terms]), np.array([terms]), index, value, weight, bias, out)
    expected = bias + (value[:terms, None].astype(float) * weight[index[:terms]]).sum(axis=0)
    np.testing.assert_allclose(out[0], expected, atol=1e-5)

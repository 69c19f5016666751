"""The observation as bits says what the bytes say, in every environment option, with numpy and with PyTorch."""

from typing import Any

import numpy as np
import pytest

from persian_rummy_env import PersianRummyVecEnv, observation_bits
from persian_rummy_env.envs.testing import exchange_hidden
from persian_rummy_env.observation import BLOCK, BLOCKS
from persian_rummy_env.observation_bits import unpack, unpack_mask
from tests.env.play import scaled

LANES = 60
BYTES = 240
"""Of a decision, with its mask."""


def pair(**options: Any) -> tuple[PersianRummyVecEnv, PersianRummyVecEnv]:
    return PersianRummyVecEnv(LANES, **options), PersianRummyVecEnv(LANES, observation="bits", **options)


def check_equal(plain: Any, packed: Any) -> None:
    seen = unpack(packed.observation)
    different = [block.name for block in BLOCKS if (seen[:, block.slice] != plain.observation[:, block.slice]).any()]
    assert different == []
    assert (unpack_mask(packed.action_mask) == plain.action_mask).all()
    for name in ("seat", "reward", "terminated", "truncated"):
        assert (getattr(plain, name) == getattr(packed, name)).all(), name


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rules": {"deals": 4, "quad_bonus": "jacks", "stock_out": "end"}},
        {"episode": "deal", "autoreset_mode": "NEXT_STEP", "reward": "win"},
        {"autoreset_mode": "DISABLED", "max_decisions": 90},
        {"threads": 2, "copy": False},
    ],
)
def test_bits_say_what_bytes_say(options: dict[str, Any]) -> None:
    by_bytes, by_bits = pair(**options)
    plain, packed = by_bytes.reset(seed=5), by_bits.reset(seed=5)
    assert packed.observation.dtype == packed.action_mask.dtype == np.uint64
    assert packed.observation[0].nbytes + packed.action_mask[0].nbytes <= BYTES
    deepest = 0
    for _ in range(scaled(400, least=60)):
        check_equal(plain, packed)
        deepest = max(deepest, int(plain.observation[:, BLOCK["pile_depth"].slice].max()))
        for seat in range(4):
            assert (unpack(by_bits.observe(seat)) == by_bytes.observe(seat)).all()
        assert (unpack(by_bits.final.observation) == by_bytes.final.observation).all()
        actions = by_bytes.sample_actions()
        assert (by_bits.sample_actions() == actions).all()
        plain, packed = by_bytes.step(actions), by_bits.step(actions)
    assert deepest > 7  # the two highest bits of a depth were used


def test_a_state_that_is_set_is_shown_as_bits() -> None:
    by_bytes, by_bits = pair()
    by_bytes.reset(seed=1)
    for _ in range(100):
        by_bytes.step(by_bytes.sample_actions())
    states = by_bytes.get_state()
    check_equal(by_bytes.set_state(states), by_bits.set_state(states))
    check_equal(by_bytes.clone().set_state(states), by_bits.clone().set_state(states))


def test_hidden_cards_change_no_bit() -> None:
    _, env = pair()
    env.reset(seed=2)
    for _ in range(60):
        env.step(env.sample_actions())
    for seat in range(4):
        before = env.observe(seat)
        other = env.clone()
        other.set_state(exchange_hidden(env.get_state(), seat, np.random.default_rng(seat)))
        assert (other.get_state()["hand"] != env.get_state()["hand"]).any()
        assert (other.observe(seat) == before).all()


def test_a_result_that_was_copied_stays() -> None:
    _, env = pair()
    result = env.reset(seed=1)
    before = [column.copy() for column in result]
    env.step(env.sample_actions())
    assert all((old == new).all() for old, new in zip(before, result, strict=True))
    result.action_mask[:] = 0  # and does not reach into the environment
    env.step(env.sample_actions())


def test_the_space_is_that_of_the_arrays() -> None:
    _, env = pair()
    result = env.reset(seed=1)
    row = {"observation": result.observation[0], "action_mask": result.action_mask[0]}
    assert env.single_observation_space.contains(row)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_a_tensor_is_unpacked_as_the_array_is(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    from persian_rummy_env.adapters import tensor_bits

    _, env = pair(rules={"deals": 3})
    result = env.reset(seed=3)
    for _ in range(scaled(120, least=40)):
        result = env.step(env.sample_actions())
    devices = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    for device in devices:
        words, mask = (
            torch.from_numpy(array.view(np.int64)).to(device).view(getattr(torch, dtype))
            for array in (result.observation, result.action_mask)
        )
        seen, legal = tensor_bits.unpack_tensor(words), tensor_bits.unpack_mask_tensor(mask)
        assert (seen.dtype, legal.dtype, seen.device.type) == (torch.uint8, torch.bool, device)
        assert (seen.cpu().numpy() == unpack(result.observation)).all()
        assert (legal.cpu().numpy() == unpack_mask(result.action_mask)).all()
        assert (tensor_bits.unpack_tensor(words[0]) == seen[0]).all()


def test_words_of_another_form_are_refused() -> None:
    words = np.zeros((2, observation_bits.WORDS), dtype=np.uint64)
    for wrong in (words[:, 1:], words.astype(np.int64), np.zeros((), dtype=np.uint64)):
        with pytest.raises(ValueError, match=r"words: .*expected shape \(\.\.\., 21\)"):
            unpack(wrong)
    with pytest.raises(TypeError, match="expected a numpy array"):
        unpack([[0] * 21])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"expected shape \(\.\.\., 9\)"):
        unpack_mask(words)
    with pytest.raises(ValueError, match="observation='bit': expected"):
        PersianRummyVecEnv(1, observation="bit")  # type: ignore[arg-type]


def test_tensors_of_another_form_are_refused() -> None:
    torch = pytest.importorskip("torch")
    from persian_rummy_env.adapters import tensor_bits

    with pytest.raises(TypeError, match="expected a tensor"):
        tensor_bits.unpack_tensor(np.zeros((2, 21), dtype=np.uint64))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"expected shape \(\.\.\., 21\)"):
        tensor_bits.unpack_tensor(torch.zeros(2, 20, dtype=torch.int64))

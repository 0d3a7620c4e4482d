"""Arrays between the two processes: what goes in comes out, and nothing else comes in."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onekernel.sandbox.arrays import ArraysError, pack, unpack

ARRAYS = {
    "logits": np.array([[1.5, -0.0, np.nan]]),
    "trace/blocks.0": np.arange(6, dtype=np.float32).reshape(2, 3).T,
    "tied": np.array([True]),
    "none": np.zeros((0, 3)),
    "one": np.array(7),
}


def test_there_and_back():
    back = unpack(pack(ARRAYS))
    assert list(back) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert back[name].dtype == array.dtype and back[name].shape == array.shape
        assert back[name].tobytes() == array.tobytes()


def test_objects_and_words_do_not_travel():
    for array in (np.array([{}], dtype=object), np.array(["x"]), np.zeros(2, complex)):
        with pytest.raises(ArraysError, match="dtype"):
            pack({"x": array})


@pytest.mark.parametrize(
    "header",
    [
        {},
        [["x", "float64"]],
        [[1, "float64", [1]]],
        [["x", "object", [1]]],
        [["x", "float64", 1]],
        [["x", "float64", [-1]]],
        [["x", "float64", [True]]],
        [["x", "float64", [2]]],
        [["x", "float64", [1 << 40, 1 << 40]]],
        [["x", "float64", [1] * 40]],
        [["x" * 1000, "float64", [1]]],
        [["x", "float64", []], ["y", "float64", []]],
        [["x", ["float64"], [1]]],
        [],
        [["x", "uint8", [1]]] * 501,
    ],
)
def test_forged_headers_are_refused(header):
    text = json.dumps(header).encode()
    with pytest.raises(ArraysError):
        unpack(len(text).to_bytes(8, "little") + text + bytes(8))


@given(st.binary(max_size=200))
def test_any_bytes_are_arrays_or_refused(data):
    for attempt in (data, pack(ARRAYS)[: len(data)], pack(ARRAYS) + data + b"x"):
        with pytest.raises(ArraysError):
            unpack(attempt)

"""The memory of tensors is closed to the host between launches; and what the watch on it must leave alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel.triton.memory import FREE, ClosedMemory
from support import triton_child

torch = pytest.importorskip("torch")
pytest.importorskip("triton")


def test_a_view_of_closed_memory_is_known_and_closed_once() -> None:
    x = torch.arange(6.0)
    with ClosedMemory([x]) as memory:
        assert memory.knows(x[2:]) and not memory.knows(torch.zeros(3))
        memory.add(x[2:])
        with memory.opened():
            assert x.tolist() == [0, 1, 2, 3, 4, 5]
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


def test_flags_may_be_read_and_numbers_in_disguise_not() -> None:
    x, flags = torch.arange(6.0), torch.zeros(100, dtype=torch.int32)
    with ClosedMemory([x, flags]) as memory:
        assert memory.in_disguise(x.view(torch.int32), False)
        assert not any(memory.in_disguise(flags, True) for _ in range(FREE // 4))
        assert memory.in_disguise(flags, True)


SOURCE = """
import torch
import triton
import triton.language as tl


def store(x):  # a name that Triton's language has, too
    return x.clone()


@triton.jit
def same(x):
    return x


@triton.jit
def kernel(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = same(tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")))
    e = tl.exp(x - tl.max(x))
    tl.store(y_ptr + row * y_stride + at, e / tl.sum(e), mask=at < cols)


def softmax_bad(x, out=None):
    rows, cols = x.shape
    kernel[(rows,)](store(x), out, cols, x.stride(0), out.stride(0), BLOCK=triton.next_power_of_2(cols))
    return out
"""


def findings(tmp_path: Path, text: str) -> list[list[object]]:
    path = tmp_path / "softmax_bad.py"
    path.write_text(text)
    (answer,) = triton_child.run(path, "softmax_bad", ("float32",), cases=[(3, 12, 0, 0)])
    return [*answer["findings"], *([["fault"]] if answer["fault"] else [])]


@pytest.mark.slow
def test_a_helper_may_have_the_name_of_a_function_of_triton(tmp_path: Path) -> None:
    assert findings(tmp_path, SOURCE) == []


@pytest.mark.slow
def test_a_plain_function_of_python_in_a_kernel_is_named(tmp_path: Path) -> None:
    plain = SOURCE.replace("@triton.jit\ndef same", "def same")
    code, line, english, spanish = findings(tmp_path, plain)[0]
    assert code == "not-compiled" and line and "same" in str(english) and "same" in str(spanish)

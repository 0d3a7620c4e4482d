"""What was never written is told by what takes it: a tile's number, a tile that is too short, vectors."""

from __future__ import annotations

import numpy as np
import pytest

from onekernel.backends.base import Buffer, Finding
from onekernel.counts import KernelCounts
from onekernel.grading import buffers, coverage
from onekernel.grading.buffers import Call
from onekernel.grading.reasons import failure_of
from onekernel.messages import Message
from onekernel.ops import OPERATORS
from onekernel.ops.base import DTYPES
from support.course import COURSE


def call_of(name: str, sizes: dict[str, int], dtype: str = "float32") -> Call:
    operator = OPERATORS[name]
    case = next(c for c in operator.cases if c.plain and dict(c.sizes) == sizes and not any(c.gaps.values()))
    return buffers.make(operator, "any", case, dtype, seed=5)


def told(name: str, call: Call, written: np.ndarray, grid: tuple[int, int, int], kernel: str = "k",
         backend: str = "simulator", text: str = "") -> Message:  # fmt: skip
    """What is said where the right answer stands at the elements that are `written` and nothing elsewhere."""
    ((output, want),) = call.expected.items()
    buffer = next(a for a in call.args if isinstance(a, Buffer) and a.name == output)
    memory, kind = buffer.memory.copy(), DTYPES[call.dtype]
    flat = memory[buffer.offset :][: buffer.extent].view(f"u{kind.itemsize}").reshape(want.shape)
    flat[written] = want.astype(kind).view(f"u{kind.itemsize}")[written]
    after = {a.name: a.memory for a in call.args if isinstance(a, Buffer)} | {output: memory}
    fault = buffers.judge(OPERATORS[name], call, after)
    assert fault is not None and fault.kind == "unwritten"
    return coverage.told(call, [KernelCounts(kernel, grid, (256, 1, 1), 0, None, {})], fault, backend, text)


def test_a_tiles_number_that_is_taken_apart_the_wrong_way_round() -> None:
    call = call_of("gemm", {"m": 129, "n": 67, "k": 34})
    down, across = 5, 3  # tiles of 32
    written = np.zeros((129, 67), bool)
    for number in range(down * across):
        row, col = number % across * 32, number // across * 32
        written[row : row + 32, col : col + 32] = True
    said = told("gemm", call, written, (down * across, 1, 1))
    assert "number / 3" in said.text("en") and "número / 3" in said.text("es")
    assert "number / 3" not in told("gemm", call, written, (down, across, 1)).text("en")


KERNEL = """
{tuned}@triton.jit
def tile(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    c = tl.arange(0, BLOCK)
    {head}tl.store(y_ptr + c, tl.load(x_ptr + c, mask=c < cols), mask=c < cols)


def softmax(x):
    for once in (1,):
        tile[(1,)](x, x, 3, BLOCK=32)
"""
LOOP = Message("simulator.out-of-bounds-advice-loop")
TUNED = '@triton.autotune(configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 4096})], key=["cols"])\n'


@pytest.mark.parametrize(
    ("tuned", "head", "said", "dicho"),
    [
        ("", "", "A program's tile has 32 columns", "El tile de un programa tiene 32 columnas"),
        (TUNED, "", "The autotuner chose a configuration whose tile has 32", "El autotune eligió una configuración"),
        ("", "for start in range(0, cols, BLOCK): ", "the loop over the columns ends there", "acaba ahí"),
    ],
)
def test_a_tile_that_is_shorter_than_its_row(tuned: str, head: str, said: str, dicho: str) -> None:
    call = call_of("softmax", {"rows": 4, "cols": 33})
    written = np.broadcast_to(np.arange(33) < 32, (4, 33))
    text = KERNEL.format(tuned=tuned, head=head)
    message = told("softmax", call, written, (4, 1, 1), "tile", "triton", text)
    assert said in message.text("en") and dicho in message.text("es")


@pytest.mark.parametrize("rest", [True, False])
def test_what_no_vector_takes_of_a_row(rest: bool) -> None:
    """Row 0 begins on 16 bytes and the others do not: those may be missing as a whole."""
    call = call_of("softmax", {"rows": 4, "cols": 33})
    written = np.full((4, 33), rest)
    written[0] = np.arange(33) < 32
    message = told("softmax", call, written, (4, 1, 1))
    assert "no vector of 4 elements takes" in message.text("en") and "ningún vector de 4" in message.text("es")
    written[2] = not rest
    assert "no vector of 4" not in told("softmax", call, written, (4, 1, 1)).text("en")


@pytest.mark.parametrize(("sizes", "backend"), [((1, 31), "simulator"), ((4, 33), "triton")])
def test_the_end_of_rows_that_all_begin_on_16_bytes_or_of_a_programs_is_not_told_of_vectors(
    sizes: tuple[int, int], backend: str
) -> None:
    """A loop that ends one column early leaves out the same."""
    call = call_of("softmax", dict(zip(("rows", "cols"), sizes, strict=True)))
    written = np.ones(sizes, bool)
    written[0, sizes[1] - sizes[1] % 4 :] = False
    assert "no vector of 4" not in told("softmax", call, written, (4, 1, 1), backend=backend).text("en")


@pytest.mark.parametrize(("block", "index", "said"), [(1, 64, True), (2, 130, True), (0, 64, False), (3, 64, False)])
def test_a_tensor_without_rows_whose_index_has_the_row_in_it(block: int, index: int, said: bool) -> None:
    call = call_of("rmsnorm", {"rows": 8, "cols": 64})
    values = {"variable": "weight", "index": index, "block": str(block), "thread": "0", "advice": LOOP}
    check = next(c for e in COURSE.exercises.values() for c in e.checks)
    finding = Finding("out-of-bounds-read", Message("simulator.out-of-bounds-read-after", values), "k.cu", 3)
    advice = failure_of(finding, check, call).message.values["advice"]
    assert ("leave the row out" in advice.text("en")) is said
    assert ("quita la fila" in advice.text("es")) is said

"""Tensors larger than memory on the simulator: what some blocks of a launch show of all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from onekernel import simulator
from onekernel.grading import sparse
from onekernel.ops import OPERATORS
from onekernel.ops.base import SIMULATED
from onekernel.sandbox.arrays import pack_sparse, unpack_sparse
from onekernel.sandbox.supervisor import CallOutcome
from onekernel.ways import SPARSE

ROOT = Path(__file__).parents[2]


def judged(operator: str, path: Path, slug: str) -> list[str | None]:
    """The code of what is wrong, for each large case."""
    program, op = simulator.build(path, side_stream=True), OPERATORS[operator]
    found = []
    for case in (c for c in op.group("large") if c.runs(SIMULATED)):
        call = sparse.make(op, slug, case, "float32", seed=1)
        report = program.call(call.function, call.args, SPARSE)
        assert not report.findings, [str(f) for f in report.findings]
        touched = {a.name: unpack_sparse(pack_sparse(a), a) for a in call.args if isinstance(a, sparse.Sparse)}
        wrong = sparse.judge(op, call, CallOutcome(report, touched=touched))
        found.append(wrong and wrong[0])
    return found


@pytest.mark.slow
def test_solutions_are_right_on_six_billion_elements():
    assert judged("vector_add", ROOT / "solutions" / "vector_add.cu", "vector_add") == [None]
    assert set(judged("softmax", ROOT / "solutions" / "softmax_block.cu", "softmax_block")) == {None}


@pytest.mark.slow
def test_a_grid_of_a_few_blocks_more_than_are_run_is_looked_at_to_its_end():
    """A block for each of 72 elements, of which 64 run."""
    path = ROOT / "tests" / "right" / "gemm_skinny_block_per_element.cu"
    assert set(judged("gemm", path, "gemm_skinny")) == {None}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["naive_grid_stride_capped_at_65535", "naive_cache_hints"])
def test_a_thread_that_walks_along_a_row_for_each_of_many_elements_comes_to_its_end(name):
    """Of 70,001 rows of 6,001 elements: some 900,000 accesses of each thread."""
    found = judged("softmax", ROOT / "tests" / "right" / f"{name}.cu", "softmax_naive")
    assert found and set(found) == {None}


@pytest.mark.slow
def test_a_launch_that_is_left_half_way_is_not_wrong_where_it_was_left():
    """It ends at its last permitted access, which may be a store: that one is neither made nor noted."""
    for name in ("add_cp_async_two_stages", "add_macros_and_checked_launch"):
        assert judged("vector_add", ROOT / "tests" / "right" / f"{name}.cu", "vector_add") == [None]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("add_grid_of_65535", "covers-too-little"),
        pytest.param("add_n_in_32_bits", "covers-too-little", marks=pytest.mark.slow),
        ("add_product_of_unsigned", "leaves-out"),
        pytest.param("add_unsigned_goes_round", "wraps", marks=pytest.mark.slow),
        pytest.param("add_returns_at_negative_n", "no-kernel", marks=pytest.mark.slow),
    ],
)
def test_each_way_to_lose_elements_has_its_name(name, code):
    assert judged("vector_add", ROOT / "tests" / "wrong" / f"{name}.cu", "vector_add") == [code]


@pytest.mark.slow
def test_of_an_answer_as_much_is_looked_at_as_the_grader_has_room_for(monkeypatch):
    monkeypatch.setattr(sparse, "MOST_ELEMENTS", 4096)
    assert set(judged("softmax", ROOT / "solutions" / "softmax_block.cu", "softmax_block")) == {None}
    assert judged("softmax", ROOT / "tests" / "wrong" / "block_y_stride_in_32_bits.cu", "softmax_block")[-1]


def test_an_answer_that_cannot_be_is_refused():
    asked = sparse.Sparse("y", 4096, True, 4, 1024, 1024, np.zeros(0, np.uint8))
    good = pack_sparse(replace(asked, runs=np.array([[8, 4]], np.uint64), data=np.zeros(4, np.uint8)))
    assert unpack_sparse(good, asked).runs.tolist() == [[8, 4]]
    for start, length, size in ((4096, 4, 4), (6, 4, 4), (8, 3, 3), (8, 4, 8), (2**64 - 4, 8, 8)):
        runs = np.array([[start, length]], np.uint64)
        forged = replace(asked, runs=runs, data=np.zeros(size, np.uint8))
        with pytest.raises(ValueError):
            unpack_sparse(pack_sparse(forged), asked)
    with pytest.raises(ValueError):
        unpack_sparse(b"\0" * 8, asked)


LARGE = """
__global__ void add(const float* a, const float* b, float* out, int64_t n) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        BODY
    }
}
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    add<<<BLOCKS, 256, 0, stream>>>(a, b, out, n);
    return cudaGetLastError();
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("blocks", "body", "code"),
    [
        (216 * 8, "out[i] = a[i] + b[i];", None),  # of which no thread comes to its end
        (8, "out[i] = a[i] + b[i];", None),
        (216 * 8, "if (i >= n / 4) break; out[i] = a[i] + b[i];", "covers-too-little"),  # the first ones do
        (216, "if (blockIdx.x % 2 == 0 && blockIdx.x) break; out[i] = a[i] + b[i];", None),  # half of them may
        (216, "if (blockIdx.x % 8) break; out[i] = a[i] + b[i];", "covers-too-little"),
        (8, "if (i < step) out[i] = a[i] + b[i]; else if (a[i] == 1.0e30f) out[0] = 0;", "wraps"),
    ],
)
def test_blocks_too_long_to_be_waited_for_tell_what_they_would_do(tmp_path, blocks, body, code):
    path = tmp_path / "k.cu"
    text = LARGE.replace("BODY", body).replace("BLOCKS", str(blocks))
    path.write_text("#include <cuda_runtime.h>\n#include <stdint.h>\n" + text)
    assert judged("vector_add", path, "vector_add") == [code]


@pytest.mark.slow
def test_other_blocks_run_where_the_draw_is_another(tmp_path):
    """Nobody foresees them; the first and the last are among them."""
    program = simulator.build(ROOT / "solutions" / "vector_add.cu", side_stream=True)
    op, seen = OPERATORS["vector_add"], []
    for seed in (1, 1, 2):
        call = sparse.make(op, "vector_add", next(c for c in op.group("large") if c.runs(SIMULATED)), "float32", seed)
        program.call(call.function, call.args, SPARSE)
        out = next(a for a in call.args if isinstance(a, sparse.Sparse) and a.writable)
        seen.append({int(start) for start, _ in out.runs})
        assert 0 in seen[-1] and max(int(s + n) for s, n in out.runs) == out.span
    assert seen[0] == seen[1] != seen[2] and len(seen[0]) >= 60

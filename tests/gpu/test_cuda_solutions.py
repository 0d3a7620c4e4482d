"""The tuned softmax on a GPU: what the simulator cannot show. Clusters, huge tensors, graphs, streams, equal bits."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

from onekernel import cuda
from onekernel.checks.speed import judge as speed
from onekernel.grading.submission import Submission
from onekernel.labs.reader import load
from onekernel.ops import OPERATORS, softmax
from support.gpu import needs_cuda

ROOT = Path(__file__).resolve().parents[2]
SUFFIX = {"float32": "", "float16": "_f16", "bfloat16": "_bf16"}


pytestmark = needs_cuda()

# Both sides of each regime's limits, from lanes to two launches.
COLUMNS = (1, 9, 63, 129, 1025, 2060, 4097, 8200, 16385, 24513, 32769, 65537, 100003, 262145, 400001, 905000, 2000003)
RESERVED_MEM_CURRENT = 5  # CUmemPool_attribute: bytes that a pool holds of the system's memory
LAYOUTS = ((0, 0, 0, 0), (1, 1, 0, 0), (1, 0, 0, 0), (3, 2, 1, 5))  # shifts of x and y, gaps of x and y


@pytest.fixture(scope="module")
def kernels():
    operator = OPERATORS["softmax"]
    prototypes = [operator.prototype("softmax_tuned", dtype) for dtype in SUFFIX]
    program = cuda.build(ROOT / "solutions" / "record" / "softmax_tuned.cu", prototypes)
    return {dtype: program.function("softmax_tuned" + suffix) for dtype, suffix in SUFFIX.items()}


def call(kernel, x, y, stream: int | None = None) -> None:
    import torch

    stream = torch.cuda.current_stream().cuda_stream if stream is None else stream
    assert kernel(x.data_ptr(), y.data_ptr(), *x.shape, x.stride(0), y.stride(0), stream) == 0


def wrong(y, x, dtype: str) -> int:
    """Elements that differ from softmax in float64 by more than the operator's tolerance."""
    import torch

    e = torch.exp(x.double() - x.double().amax(1, keepdim=True))
    want, got = e / e.sum(1, keepdim=True), y.double()
    limit = softmax.RELATIVE[dtype] * want.abs() + softmax.ABSOLUTE[dtype]
    agrees = torch.where(want.isnan(), got.isnan(), (got - want).abs() <= limit)
    return int((~agrees).sum())


@pytest.mark.parametrize("dtype", SUFFIX)
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("cols", COLUMNS)
def test_every_regime_is_right_and_touches_nothing_else(kernels, dtype, cols, layout):
    import torch

    x_shift, y_shift, x_gap, y_gap = layout
    rows, kind = (37 if cols < 20_000 else 3), getattr(torch, dtype)
    flat = torch.full((x_shift + rows * (cols + x_gap),), float("nan"), dtype=kind, device="cuda")
    x = flat[x_shift:].view(rows, -1)[:, :cols]
    x.normal_()
    out = torch.full((y_shift + rows * (cols + y_gap) + 64,), 7.0, dtype=kind, device="cuda")
    y = out[y_shift:-64].view(rows, -1)[:, :cols]
    call(kernels[dtype], x, y)
    assert wrong(y, x, dtype) == 0
    y.fill_(7.0)
    assert (out == 7.0).all()


@pytest.mark.parametrize("dtype", SUFFIX)
@pytest.mark.parametrize("layout", LAYOUTS[:2], ids=str)
@pytest.mark.parametrize("cols", [700, 1025, 2060, 4097, 8200])
def test_many_rows_are_right_where_few_take_another_kernel(kernels, dtype, layout, cols):
    import torch

    shift, _, x_gap, y_gap = layout
    rows, kind = 9000, getattr(torch, dtype)
    flat = torch.randn(shift + rows * (cols + x_gap), device="cuda").to(kind)
    x = flat[shift:].view(rows, -1)[:, :cols]
    y = torch.full((rows, cols + y_gap), 7.0, dtype=kind, device="cuda")[:, :cols]
    call(kernels[dtype], x, y)
    assert wrong(y, x, dtype) == 0


# Rows for a team: too long for a cluster, and more blocks than two overlapping launches have.
TEAMS = ((9, 1_000_003), (5, 2_000_000), (4, 3_000_001), (3, 10_000_000))


@pytest.mark.parametrize("dtype", SUFFIX)
@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize(("rows", "cols"), TEAMS)
def test_a_team_is_right_and_touches_nothing_else(kernels, dtype, rows, cols, layout):
    import torch

    x_shift, y_shift, x_gap, y_gap = layout
    kind = getattr(torch, dtype)
    flat = torch.full((x_shift + rows * (cols + x_gap),), float("nan"), dtype=kind, device="cuda")
    x = flat[x_shift:].view(rows, -1)[:, :cols]
    x.normal_()
    out = torch.full((y_shift + rows * (cols + y_gap) + 64,), 7.0, dtype=kind, device="cuda")
    y = out[y_shift:-64].view(rows, -1)[:, :cols]
    call(kernels[dtype], x, y)
    assert wrong(y, x, dtype) == 0
    y.fill_(7.0)
    assert (out == 7.0).all()


@pytest.mark.parametrize("dtype", SUFFIX)
@pytest.mark.parametrize("shape", [(300, 63), (300, 4097), (64, 65_537), (9, 1_000_003), (1, 4_000_000)], ids=str)
def test_a_call_in_place_is_right(kernels, dtype, shape):
    import torch

    x = torch.randn(shape, device="cuda").to(getattr(torch, dtype))
    y = x.clone()
    call(kernels[dtype], y, y)
    assert wrong(y, x, dtype) == 0


def test_code_for_an_older_gpu_is_right_on_this_one(tmp_path):
    """compute_80's PTX has no messages between blocks and no overlapping launches, whatever the card can do."""
    import torch

    library = tmp_path / "softmax_tuned.so"
    target = ["-gencode", "arch=compute_80,code=compute_80", "-shared", "-Xcompiler", "-fPIC", "-o", library]
    nvcc = shutil.which("nvcc") or pytest.skip("there is no nvcc on the path")
    subprocess.run([nvcc, "-O3", *target, ROOT / "solutions" / "record" / "softmax_tuned.cu"], check=True)
    kernel = ctypes.CDLL(str(library)).softmax_tuned
    kernel.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int64] * 4 + [ctypes.c_void_p]
    for rows, cols in ((1000, 64), (300, 4097), (64, 65_537), (16, 262_144), (9, 1_000_003), (1, 4_000_000)):
        x = torch.randn(rows, cols, device="cuda")
        y = torch.full_like(x, 7.0)
        call(kernel, x, y)
        assert wrong(y, x, "float32") == 0, (rows, cols)


@pytest.mark.parametrize("dtype", SUFFIX)
@pytest.mark.parametrize("cols", COLUMNS)
def test_special_values_stay_in_their_rows(kernels, dtype, cols):
    import torch

    x = torch.randn(7, cols, device="cuda")
    x[0] = float("-inf")
    x[1, cols // 2] = float("nan")
    x[2, cols // 3] = float("inf")
    x[3, -1] = float("nan")
    x[4, cols // 2 :] = float("-inf")
    x[5] *= 1e4 if dtype == "float16" else 1e38
    x = x.to(getattr(torch, dtype))
    y = torch.full_like(x, 7.0)
    call(kernels[dtype], x, y)
    assert wrong(y, x, dtype) == 0


@pytest.mark.parametrize("dtype", SUFFIX)
@pytest.mark.parametrize(
    "shape",
    [(3000, 63), (300, 4097), (64, 65537), (16, 262144), (1, 4_194_304), (2, 3_000_000), (9, 1_000_003)], ids=str,
)
def test_the_bits_repeat_in_turn_in_graphs_and_on_streams_side_by_side(kernels, dtype, shape):
    import torch

    x = torch.randn(shape, device="cuda").to(getattr(torch, dtype))
    first, again = torch.empty_like(x), torch.full_like(x, 7.0)
    call(kernels[dtype], x, first)
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        call(kernels[dtype], x, again, stream.cuda_stream)
    graph.replay()
    graph.replay()
    streams, sides = [torch.cuda.Stream() for _ in range(4)], [torch.full_like(x, 7.0) for _ in range(4)]
    torch.cuda.synchronize()
    for _ in range(5):
        for s, y in zip(streams, sides, strict=True):
            call(kernels[dtype], x, y, s.cuda_stream)
    torch.cuda.synchronize()
    assert all(torch.equal(first, y) for y in (again, *sides))


@pytest.mark.parametrize("dtype", SUFFIX)
def test_launches_that_overlap_read_what_the_ones_before_them_wrote(kernels, dtype):
    """Launches of few blocks begin early. Each here reads what the one before wrote, and writes over what it read."""
    import torch

    size, rounds = 1 << 21, 8
    shapes = [(1, size), (8, 262_144), (1000, 1024), (200, 2995), (16, 32_768), (128, 4096), (2000, 64)]

    def chain(wait) -> list:
        torch.manual_seed(0)
        pair, seen = [torch.randn(size, device="cuda").to(getattr(torch, dtype)) for _ in range(2)], []
        for step in range(rounds * len(shapes)):
            rows, cols = shapes[step % len(shapes)]
            x, y = (flat[: rows * cols].view(rows, cols) for flat in pair)
            call(kernels[dtype], x, y)
            wait()
            if step % len(shapes) == len(shapes) - 1:
                seen.append(y.clone())
                pair[1].mul_(1000.0)  # or soon every row is uniform
            pair.reverse()
        return seen

    assert all(torch.equal(a, b) for a, b in zip(chain(torch.cuda.synchronize), chain(lambda: None), strict=True))


@pytest.mark.parametrize(("dtype", "rows", "cols"), [("bfloat16", 70_000, 32_768), ("bfloat16", 40_000_000, 64)])
def test_more_than_two_to_the_31_elements(kernels, dtype, rows, cols):
    import torch

    if torch.cuda.mem_get_info()[0] < 12 << 30:
        pytest.skip("12 GB of GPU memory are not free")
    x = torch.randn(1 << 20, device="cuda").to(getattr(torch, dtype)).repeat(rows * cols // (1 << 20) + 1)
    x = x[: rows * cols].view(rows, cols)
    y = torch.full_like(x, 7.0)
    call(kernels[dtype], x, y)
    assert not any(wrong(y[i : i + 64], x[i : i + 64], dtype) for i in (0, rows // 2, rows - 64))


def test_a_learners_log_times_the_shape_that_it_names():
    whole = load(ROOT)
    exercise = whole.exercises["softmax_tuned"]
    submission = Submission(whole, exercise, whole.solution(exercise), "cuda", 0)
    told = speed.time_at(submission, "bfloat16", (48, 4095))
    assert told.key == "bench.timed-at", told.text("en")


def test_the_pool_keeps_what_blocks_tell_each_other(kernels):
    """Given back to the system at each synchronization, the words of a team cost up to a millisecond a call."""
    import torch

    x = torch.randn(40, 1_500_000, device="cuda")
    call(kernels["float32"], x, torch.empty_like(x))
    torch.cuda.synchronize()
    driver = ctypes.CDLL("libcuda.so.1")
    pool, reserved = ctypes.c_void_p(), ctypes.c_uint64()
    assert driver.cuDeviceGetMemPool(ctypes.byref(pool), torch.cuda.current_device()) == 0
    assert driver.cuMemPoolGetAttribute(pool, RESERVED_MEM_CURRENT, ctypes.byref(reserved)) == 0
    assert reserved.value > 0

"""Tensors of more elements than 32 bits count, in Triton's interpreter: which programs run, what is laid and kept."""

from __future__ import annotations

import numpy as np
import pytest

from onekernel.backends.base import CallReport, Finding, Sparse
from onekernel.backends.sparse import placed
from onekernel.counts import KernelCounts
from onekernel.grading.sparse import judge_whole, make
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import PASSED
from onekernel.messages import Message
from onekernel.ops import OPERATORS
from onekernel.ops.base import Case
from onekernel.ops.softmax import cases
from onekernel.sandbox.supervisor import CallOutcome
from onekernel.triton import sparse
from onekernel.triton.faults import CountedRange, Stop
from onekernel.triton.sparse import ENDLESS, ENDS, PAGE, UNSEEN, Extent, Pages, blame_wrapped, is_blind, on_device, told
from onekernel.ways import SPARSE
from support.course import COURSE


@pytest.mark.parametrize("size", [1, 38, 39, 65_535, 2**31 - 1])
def test_of_a_large_grid_both_ends_run_and_some_programs_in_every_stretch(size: int) -> None:
    numbers = [int(n) for n in CountedRange(Extent(size))]
    assert numbers == sorted(set(numbers)) and numbers[0] >= 0 and numbers[-1] == size - 1 and len(numbers) <= 38
    assert numbers[:ENDS] == list(range(min(ENDS, size)))
    assert size < 39 or all(any(part * size <= 16 * n < (part + 1) * size for n in numbers) for part in range(16))


def test_equal_inputs_have_the_same_programs_run_and_others_others() -> None:
    """And other draws: what runs is not for the file to find out from its inputs."""

    def chosen(of: int, draw: int = 0) -> tuple[int, ...]:
        x = Sparse("x", 8 * PAGE, False, 4, 8 * PAGE // 4, 0, np.full(PAGE, of, np.uint8), draw)
        sparse.laid_out([x, Sparse("out", PAGE, True, 4, PAGE // 4, 0, np.zeros(0, np.uint8))], "float32")
        return Extent(2**31 - 1).chosen

    assert chosen(1) == chosen(1) != chosen(2) and chosen(1, 5) == chosen(1, 5) != chosen(1)


def room_of(span: int, writable: bool) -> tuple[Pages, np.ndarray, Sparse]:
    pattern = np.arange(3 * PAGE, dtype=np.uint32).view(np.uint8)[: 3 * PAGE].copy()
    tensor = Sparse("x", span, writable, 4, span // 4, 0, np.zeros(0, np.uint8) if writable else pattern)
    room = np.zeros(span, np.uint8)
    return Pages(tensor, room), room, tensor


def test_a_page_has_its_pattern_when_it_is_read() -> None:
    pages, room, tensor = room_of(10 * PAGE, writable=False)
    pages.touched(np.array([7 * PAGE + 4]), 4, "load")
    assert np.array_equal(room[7 * PAGE : 8 * PAGE], tensor.pattern[PAGE : 2 * PAGE])
    assert not room[: 7 * PAGE].any() and not room[8 * PAGE :].any()


def test_what_was_written_comes_back_in_runs() -> None:
    pages, room, tensor = room_of(64 * PAGE, writable=True)
    room.view(np.float32)[[0, 1, 2, 40_000]] = [1, 2, 3, 4]
    pages.touched(np.array([160_000, 0]), 4, "store")
    pages.touched(np.array([4, 8, 4]), 4, "store")
    pages.take()
    assert tensor.runs.tolist() == [[0, 12], [160_000, 4]]
    assert tensor.data.view(np.float32).tolist() == [1, 2, 3, 4]
    assert tensor.bins == 1 | 1 << 160_000 // (tensor.span // 64 + 1)


@pytest.mark.parametrize(
    ("accesses", "found"),
    [
        ("(4 * n, 'store') if n % 3 == 2 else (4 * n, 'load')", UNSEEN),
        ("(4 * (n % 3000), 'load')", ENDLESS),  # the same again, once it has had some
        ("(4 * n, 'load')", ENDLESS),  # on and on, and nothing comes of it
        ("(4, 'store')", ENDLESS),
    ],
)
def test_a_call_that_takes_too_long_says_nothing_where_it_goes_on(
    monkeypatch: pytest.MonkeyPatch, accesses: str, found: Finding
) -> None:
    pages, _, _ = room_of(64 * PAGE, writable=True)
    clock = [100.0]
    monkeypatch.setattr(sparse.time, "process_time", lambda: clock[0])
    with pytest.raises(Stop) as stopped:
        for n in range(10_000):
            at, kind = eval(accesses, {"n": n})
            pages.touched(np.array([at]), 4, kind)
            clock[0] += sparse.SECONDS / 9_000
    assert told([stopped.value.finding]) == [found]


def launched(programs: int, ran: int) -> KernelCounts:
    return KernelCounts("k", (programs, 1, 1), (128, 1, 1), 0, None, {}, (), extra={"ran": ran})


def test_what_a_launcher_raises_after_some_programs_ran_says_nothing() -> None:
    """Nor do the values that they left; where they came is looked at all the same."""
    raised = Finding("raised", Message("triton.raised", {"line": 1, "why": "AssertionError"}))
    outside = Finding("illegal-address", Message("triton.strayed", {"why": "-"}))
    assert told([raised], [launched(9, 9)]) == [raised] and not is_blind([raised], (), [launched(9, 9)])
    kernels = [launched(9, 9), launched(100, 38)]
    assert told([raised], kernels) == [] and is_blind([raised], (), kernels)
    assert told([outside, raised], [launched(100, 38)]) == [outside]


@pytest.mark.parametrize(("first", "code"), [(-(2**31), "offset-wraps"), (2**24, "out-of-bounds-read")])
def test_only_an_offset_that_went_round_is_blamed_on_32_bits(first: int, code: str) -> None:
    """Beyond the end leads a wrong stride: of a copy, say, whose rows follow one another."""
    where = Message("triton.at-offset", {"first": first, "last": first})
    values = {"line": 1, "call": "tl.load", "name": "a", "program": "0, 0, 0", "where": where}
    stray = Finding("out-of-bounds-read", Message("triton.out-of-bounds-read", values), "k.py", 1)
    assert [f.code for f in told([stray])] == [code]
    assert blame_wrapped(stray, "triton.offset-wraps", stride=1 << 30).code == code


@pytest.mark.parametrize(("end", "code"), [((1 << 32) - 1, "offset-wraps"), (4063, "out-of-bounds-write")])
def test_what_is_stored_before_a_small_tensor_did_not_go_round(end: int, code: str) -> None:
    """Another stride than its own led C's rows past C, into the room before B."""
    where = Message("triton.at-offset", {"first": -(2**20), "last": -(2**20)})
    values = {"line": 1, "call": "tl.store", "name": "b", "program": "0, 0, 0", "where": where, "end": end}
    stray = Finding("out-of-bounds-write", Message("triton.out-of-bounds-write", values), "k.py", 1)
    assert [f.code for f in told([stray])] == [code]


def test_what_the_host_copied_into_an_output_is_not_what_programs_wrote() -> None:
    pages, room, _ = room_of(4 * PAGE, writable=True)
    room.view(np.float32)[[0, 3]] = 1.0
    pages.touched(np.array([0]), 4, "store")
    assert pages.by_the_host and is_blind([], [pages], [])
    pages.touched(np.array([12]), 4, "store")
    assert not pages.by_the_host and not is_blind([], [pages], [])
    inputs, room, _ = room_of(4 * PAGE, writable=False)
    inputs.touched(np.array([0]), 4, "load")
    assert not inputs.by_the_host


def test_what_took_its_time_before_the_first_access_is_not_the_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    pages, _, _ = room_of(PAGE, writable=True)
    clock = [100.0]
    monkeypatch.setattr(sparse.time, "process_time", lambda: clock[0])
    pages.touched(np.array([0]), 4, "store")
    clock[0] += sparse.SECONDS
    pages.touched(np.array([0]), 4, "store")
    clock[0] += 0.1
    with pytest.raises(Stop):
        pages.touched(np.array([0]), 4, "store")


COMPUTED = {
    "arithmetic": "x + 1", "a function": "torch.softmax(x, -1)", "a sum": "x.sum()", "in place": "x.mul_(2)",
    "an index": "x[torch.tensor([0])]", "random": "torch.rand(x.shape)",
}  # fmt: skip
MOVED = {
    "a conversion": "x.half()", "a copy": "x.clone()", "a copy into": "x.copy_(y)", "ones": "torch.ones(x.shape)",
    "full": "torch.full((1 << 16, 1 << 16), 1.0)", "a range": "torch.arange(1 << 32)", "like": "torch.full_like(x, 2)",
    "repeated": "torch.ones(1, 1).repeat(1 << 16, 1 << 16)", "turned and copied": "x.T.contiguous()",
}  # fmt: skip
PARTS = {
    "a view": "x.view(-1)[5:9].reshape(2, 2)", "a row": "x[7] + 1", "a number": "x[3, 4].item()",
    "split": "x.split(1 << 15)", "zeros": "torch.zeros_like(x)", "zeros by a size": "torch.zeros(x.shape)",
    "empty": "torch.empty_like(x, dtype=torch.half)", "turned": "x.T.unsqueeze(0).expand(3, -1, -1)",
    "small": "torch.ones(1000) * 2", "its pieces": "x.chunk(2)[1].storage_offset()",
}  # fmt: skip


@pytest.mark.parametrize("said", [*COMPUTED, *MOVED, *PARTS])
def test_an_operator_that_would_touch_all_of_a_large_tensor_is_not_begun(said: str) -> None:
    """Where the machine's memory suffices for its result it would take minutes, and elsewhere the memory of others.
    What is moved is a tensor of that shape all the same: programs may be seen to go through it."""
    torch = pytest.importorskip("torch")
    elements = 1 << 32
    x, y = (torch.from_numpy(sparse.reserved(4 * elements, 4)).view(torch.float32).view(1 << 16, -1) for _ in "xy")
    with sparse.without_touching_all([]):
        if said in PARTS:
            eval(PARTS[said], {"torch": torch, "x": x})
        elif said in MOVED:
            made = eval(MOVED[said], {"torch": torch, "x": x, "y": y})
            assert made.numel() == elements and made.is_contiguous() and made.device.type == "cpu"
        else:
            with pytest.raises(Stop) as stopped:
                eval(COMPUTED[said], {"torch": torch, "x": x})
            assert stopped.value.finding.code == "host-computation"


def test_where_a_device_has_room_the_tensors_are_whole_and_outputs_are_sampled() -> None:
    torch = pytest.importorskip("torch")
    pattern = np.arange(3 * PAGE // 4, dtype=np.float32)
    x = Sparse("x", 8 * PAGE, False, 4, 2, 2, pattern.view(np.uint8))
    y = Sparse("y", 8 * PAGE, True, 4, 2, 2, np.zeros(0, np.uint8))
    rows = 8 * PAGE // 8
    with on_device([x, y, rows, 2, 2, 2], "float32", device="cpu") as tensors:
        assert [t.shape for t in tensors] == [(rows, 2)] * 2 and torch.isnan(tensors[1]).all()
        assert np.array_equal(tensors[0].flatten().numpy(), np.resize(pattern, 2 * rows))
        tensors[1][: rows // 2].copy_(tensors[0][: rows // 2])
    assert x.runs.size == 0 and y.runs[0].tolist() == [0, 8] and y.runs[-1].tolist() == [8 * (rows - 1), 8]
    got, at = y.data.view(np.float32), y.runs[:, 0].astype(int) // 4
    written = got[: 2 * int((at < rows).sum())].reshape(-1, 2)
    assert np.array_equal(written[:, 0], np.resize(pattern, 2 * rows)[at[at < rows]]) and np.isnan(got[-2:]).all()


def test_of_rows_longer_than_a_piece_what_is_read_back_is_judged_as_it_lies() -> None:
    torch = pytest.importorskip("torch")
    case = Case("many", "large", {"rows": 300, "cols": 1289}, cases.normal(), Message("ops.softmax", {}), way=SPARSE)
    operator = OPERATORS["softmax"]
    for wrong in (False, True):
        call = make(operator, "softmax_triton", case, "float32", 1)
        with on_device(call.args, "float32", device="cpu") as tensors:
            x, y = tensors
            y.copy_(torch.softmax(x, 1))
            if wrong:
                y[299, 1200:] = torch.nan
        outcome = CallOutcome(touched={a.name: a for a in call.args if isinstance(a, Sparse)})
        assert bool(judge_whole(operator, call, outcome)) == wrong


def test_what_somebody_else_takes_in_the_same_moment_is_no_fault_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is room when it is asked for, and not any more when it is taken: then nothing is told of the call."""
    torch = pytest.importorskip("torch")
    emptied: list[int] = []

    def full(*_: object, **__: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(torch, "full", full)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (1 << 40, 1 << 40))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda: 0)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: emptied.append(1))
    output = Sparse("y", 1 << 33, True, 4, 1 << 16, 1 << 16, np.zeros(0, np.uint8))
    assert placed([output], torch) is None and emptied


@pytest.mark.parametrize(("room", "told"), [(True, []), (False, ["grading.no-room"])])
def test_an_input_for_which_a_gpu_has_no_room_is_told(room: bool, told: list[str]) -> None:
    """It is no failure, and nobody takes it for one that the GPU has run."""
    torch = pytest.importorskip("torch")
    exercise = COURSE.exercises["softmax_triton"]
    submission = Submission(COURSE, exercise, COURSE.solution(exercise), "cuda", 1)
    check = next(c for c in exercise.checks if c.kind.shows_right)
    case = Case("many", "large", {"rows": 300, "cols": 1289}, cases.normal(), Message("ops.softmax", {}), way=SPARSE)
    call = make(submission.operator, exercise.slug, case, "float32", 1)
    if room:
        with on_device(call.args, "float32", device="cpu") as tensors:
            tensors[1].copy_(torch.softmax(tensors[0], 1))
    touched = {a.name: a for a in call.args if isinstance(a, Sparse)}
    outcome = CallOutcome(CallReport(0, "cudaSuccess"), touched=touched)
    verdict = check.kind.judge(submission, check, [(call, outcome)], [])
    assert verdict.status == PASSED and [d.key for d in verdict.details] == told

"""How calls are timed, on a torch that only keeps the books: what is captured, into which outputs, how often."""

from __future__ import annotations

import contextlib
import itertools
import sys
from types import SimpleNamespace

import pytest

from audits import records
from audits.bench import graphs, roofs
from audits.bench.softmax import cases, measurement
from onekernel.bench import device, timing
from onekernel.bench.sample import AboveRoof, Sample

H200 = device.Device("NVIDIA H200", "h200", "9.0", 132, 62914560, 150 << 30, "580", 4.8e12, 66.9e12, "test")


class Clock:
    """Microseconds of a pretended GPU: each call adds what it costs, at once or when its graph is replayed."""

    def __init__(self) -> None:
        self.now, self.recording = 0.0, None

    def spend(self, micros: float) -> None:
        if self.recording is None:
            self.now += micros
        else:
            self.recording.micros += micros


class Allocator:
    """Hands out a freed block before it makes a new one, as torch's does."""

    def __init__(self) -> None:
        self.free: list[int] = []
        self.fresh = itertools.count()

    def empty(self):
        allocator = self

        class Output:
            def __init__(self) -> None:
                self.block = allocator.free.pop() if allocator.free else next(allocator.fresh)

            def __del__(self) -> None:
                allocator.free.append(self.block)

        return Output()


@pytest.fixture
def gpu(monkeypatch):
    clock = Clock()

    class Event:
        def __init__(self, enable_timing: bool) -> None:
            self.at = 0.0

        def record(self) -> None:
            self.at = clock.now

        def elapsed_time(self, end) -> float:
            return (end.at - self.at) / 1e3

    class Graph:
        micros = 0.0

        def replay(self) -> None:
            clock.now += self.micros

    @contextlib.contextmanager
    def capture(graph):
        clock.recording = graph
        yield
        clock.recording = None

    stream = SimpleNamespace(wait_stream=lambda other: None)
    cuda = SimpleNamespace(Event=Event, CUDAGraph=Graph, graph=capture, Stream=lambda: stream, synchronize=lambda: None,
                           current_stream=lambda: stream, stream=lambda s: contextlib.nullcontext())  # fmt: skip
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    return clock


def test_a_peer_that_allocates_writes_as_many_outputs_as_one_that_does_not(gpu):
    allocator, written = Allocator(), []

    def allocating():
        out = allocator.empty()
        if gpu.recording is not None:
            written.append(out.block)
        gpu.spend(2.0)
        return out

    sets = graphs.rotation(1 << 20, H200.l2_bytes)
    timed = graphs.in_graph({"peer": [allocating] * sets}, repeats=3)
    assert len(set(written)) == len(written) == sets
    assert timed["peer"].median == pytest.approx(2e-6)


def test_few_sets_are_walked_over_equally_often(gpu):
    calls = dict.fromkeys(range(5), 0)

    def call(number):
        calls[number] += 1 if gpu.recording is not None else 0
        gpu.spend(1.0)

    timed = graphs.in_graph({"k": [lambda n=n: call(n) for n in calls]}, repeats=3)
    assert set(calls.values()) == {10} and timed["k"].median == pytest.approx(1e-6)


@pytest.mark.parametrize("cell", [c for c in cases.grid() if c.launch_bound], ids=lambda c: f"{c.dtype} {c.name}")
def test_the_inputs_of_every_launch_bound_shape_exceed_l2_twice(cell):
    sets = graphs.rotation(cell.bytes / 2, H200.l2_bytes)
    assert sets * cell.bytes / 2 > 2 * H200.l2_bytes and sets >= graphs.GRAPH_CALLS
    assert sets * cell.bytes * 4 < 0.1 * H200.memory_bytes  # x, y, and the outputs of two peers that allocate


def test_a_slow_call_is_replayed_less_often_than_a_fast_one(gpu):
    calls = {"fast": [lambda: gpu.spend(3.0)], "slow": [lambda: gpu.spend(5000.0)]}
    timed = graphs.in_graph(calls, repeats=25)
    assert (timed["fast"].count, timed["slow"].count) == (25, timing.FEWEST)


@pytest.mark.parametrize("how", ["graph", "events"])
def test_the_state_of_the_card_is_read_once_and_before_the_card_is_waited_for(gpu, how, monkeypatch):
    told = []
    monkeypatch.setattr(sys.modules["torch"].cuda, "synchronize", lambda: told.append("waited"))
    calls = {"a": lambda: told.append("called"), "b": lambda: gpu.spend(9.0)}
    calls["a"] = lambda: (told.append("called"), gpu.spend(9.0))
    if how == "graph":
        graphs.in_graph({name: [call] for name, call in calls.items()}, 25, lambda: told.append("read"))
    else:
        timing.interleaved(calls, 25, lambda: None, lambda: told.append("read"))  # type: ignore[arg-type]
    assert told.count("read") == 1
    assert told[told.index("read") + 1] == "waited"


def test_nobody_always_follows_the_same_call(gpu):
    """What a call leaves behind, a warm card above all, meets the next one."""
    told: list[str] = []
    calls = {name: lambda name=name: (told.append(name), gpu.spend(9.0)) for name in "abcd"}
    timing.interleaved(calls, 11, lambda: None)  # type: ignore[arg-type]
    turns = told[4:]  # after each has been called once
    assert all(turns.count(name) == 11 for name in "abcd")
    assert all(sorted(turns[i : i + 4]) == list("abcd") for i in range(0, 44, 4))
    before = {name: {a for a, b in itertools.pairwise(turns) if b == name} for name in "abcd"}
    assert all(len(those - {name}) == 3 for name, those in before.items())


def test_timings_are_counted_as_time_of_the_gpu(gpu):
    before = timing.seconds_timed()
    timing.interleaved({"a": lambda: gpu.spend(9.0)}, 5, lambda: None)  # type: ignore[arg-type]
    assert timing.seconds_timed() > before
    assert set(records.took(0.0)) == {"wall_s", "gpu_s"}


def test_a_graph_is_held_to_the_roof_too():
    """121 inputs of 1 MiB: at most 60 MiB of them, and 60 MiB of the outputs, can have stayed in L2."""
    moved, sets = 1 << 20, 121
    least = 2 * (sets * moved - H200.l2_bytes) / H200.datasheet_bandwidth / sets
    roofs.check(Sample.of([least * 1.01]), moved, moved, H200, calls=sets)
    with pytest.raises(AboveRoof):
        roofs.check(Sample.of([least * 0.99]), moved, moved, H200, calls=sets)


def test_an_error_is_kept_without_its_colours():
    error = RuntimeError("\x1b[91m\x1b[1merror[CUDA]:\x1b[0m launch failed\nmore")
    assert measurement._first_line(error) == "RuntimeError: error[CUDA]: launch failed"


@pytest.mark.parametrize("cell", [cases.Case("bfloat16", 128, 4096), cases.Case("float32", 3, 1000, 1)])
def test_the_tensors_of_a_cell_do_not_touch_and_begin_where_the_cell_says(cell, monkeypatch):
    torch = pytest.importorskip("torch")
    on_cpu = torch.empty
    monkeypatch.setattr(torch, "empty", lambda *a, device=None, **k: on_cpu(*a, **k))
    monkeypatch.setattr(torch, "Generator", lambda device: torch.random.default_generator)
    card = device.Device(**{**vars(H200), "l2_bytes": 1 << 20})
    made = measurement._tensors(cell, card, seed=0)
    assert len(made) == graphs.rotation(cell.bytes / 2, card.l2_bytes)
    base = min(x.data_ptr() for x, _ in made) - cell.shift * x_size(cell)
    for x, y in made:
        assert x.shape == y.shape == (cell.rows, cell.cols) and x.is_contiguous()
        assert (x.data_ptr() - base) % 256 == cell.shift * x_size(cell)
        assert torch.isfinite(x.float()).all() and torch.isnan(y.float()).all()
    starts = sorted(x.data_ptr() for x, _ in made)
    assert all(b - a >= cell.bytes / 2 for a, b in itertools.pairwise(starts))


def x_size(cell):
    return cases.ITEMSIZE[cell.dtype]

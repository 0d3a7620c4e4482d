"""What a trace is said to show: the five shares by construction, facts, hostile traces, and the command."""

from __future__ import annotations

import gzip
import itertools
import json
import random
import string
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onekernel.cli import main
from onekernel.errors import UserError
from onekernel.explain import chrome, facts, picture, words
from onekernel.explain.chrome import Event
from onekernel.explain.intervals import both, length, minus, union
from onekernel.explain.owners import own_time
from onekernel.explain.shares import BOTTLENECKS, Explained
from onekernel.messages import LANGUAGES, set_language
from support.traces import BIG, CARD, Builder

ROOT = Path(__file__).parents[2]
QUIET = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_ROOT", str(ROOT))
    set_language("en")


def explained(builder: Builder, folder: Path, **about: object) -> Explained:
    return Explained(chrome.read(builder.write(folder / "t.json", about)))


def said(found: Explained) -> str:
    return "\n".join(text for text, _ in words.lines(found, "t.json"))


# --- moments ----------------------------------------------------------------------------------------------------------
NUMBERS = st.integers(0, 40)
SPANS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=12)


def points(spans: list[tuple[int, int]]) -> set[int]:
    return {n for a, b in spans for n in range(a, b)}


@given(SPANS, SPANS)
def test_sets_of_moments_are_what_counting_gives(a, b):
    these, those = union(a), union(b)
    assert length(these) == len(points(a))
    assert length(minus(these, those)) == len(points(a) - points(b))
    assert length(both(these, those)) == len(points(a) & points(b))
    assert all(x[1] < y[0] for x, y in itertools.pairwise(these))


@st.composite
def nested(draw, low: int = 0, high: int = 60, depth: int = 3) -> list[tuple[int, int]]:
    """Intervals of one thread: two of them lie apart or one in the other."""
    found: list[tuple[int, int]] = []
    at = low
    while at < high and draw(st.booleans()):
        start = draw(st.integers(at, high - 1))
        end = draw(st.integers(start + 1, high))
        found.append((start, end))
        if depth:
            found += draw(nested(start, end, depth - 1))
        at = end
    return found


@given(nested(), st.randoms())
def test_each_moment_of_a_thread_belongs_to_its_innermost_operator(spans, shuffle):
    events = [Event("op", f"{k}", float(a), float(b)) for k, (a, b) in enumerate(spans)]
    shuffled = list(events)
    shuffle.shuffle(shuffled)
    own = list(own_time(shuffled))
    for moment in range(60):
        around = [e for e in events if e.start <= moment < e.end]
        mine = [e for a, b, e in own if a <= moment < b]
        assert len(mine) == bool(around)
        assert not mine or mine[0].duration == min(e.duration for e in around)


# --- the five shares, by construction ---------------------------------------------------------------------------------
# What a stretch of a trace holds, and to whom its time belongs.
STRETCHES = {
    "product": "compute", "attention": "compute", "add": "memory", "fill": "memory", "unknown": "memory",
    "device-copy": "memory", "collective": "communication", "host-collective": "communication", "to-device": "data",
    "to-host": "data", "loader": "data", "nothing": "launch", "short": "launch", "python": "launch",
}  # fmt: skip


def put(builder: Builder, kind: str, ts: float, dur: float) -> None:
    if kind == "product":
        builder.kernel("sm80_xmma_gemm_f32", ts, dur, "aten::mm", BIG)
    elif kind == "attention":
        shape = [4, 16, 4096, 64]
        builder.kernel(
            "flash_fwd", ts, dur, "aten::_scaled_dot_product_flash_attention", [shape] * 3, dtype="c10::Half"
        )
    elif kind == "add":
        builder.kernel("elementwise", ts, dur, "aten::add", ([1 << 20], [1 << 20]))
    elif kind == "fill":
        builder.kernel("Memset (Device)", ts, dur, cat="gpu_memset", call="cudaMemsetAsync")
    elif kind == "unknown":
        builder.kernel("my_kernel", ts, dur)
    elif kind == "device-copy":
        builder.kernel("Memcpy DtoD (Device -> Device)", ts, dur, cat="gpu_memcpy", call="cudaMemcpyAsync", bytes=8)
    elif kind == "collective":
        builder.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", ts, dur)
    elif kind == "host-collective":
        builder.mark("gloo:all_reduce", ts, dur)
    elif kind in ("to-device", "to-host"):
        name = "Memcpy HtoD (Pageable -> Device)" if kind == "to-device" else "Memcpy DtoH (Device -> Pageable)"
        builder.kernel(name, ts, dur, cat="gpu_memcpy", call="cudaMemcpyAsync", bytes=1000)
    elif kind == "loader":
        builder.mark("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", ts, dur)
    elif kind == "short":
        for k in range(int(dur) // 4):
            builder.kernel("gemm_tiny", ts + 4 * k, 3.0, "aten::mm", BIG)
    elif kind == "python":
        builder.op("aten::item", ts, dur)


WALK = st.lists(st.tuples(st.sampled_from(sorted(STRETCHES)), st.integers(8, 400)), min_size=1, max_size=14)


@given(WALK, st.integers(0, 2**40))
@QUIET
def test_each_stretch_counts_for_its_own_bottleneck_and_all_sum_to_one(tmp_path, walk, begin):
    builder, at = Builder(), 0.0
    builder.kernel("warm", -50.0 + begin, 1.0)  # there is a GPU, whatever the walk holds
    want = dict.fromkeys(BOTTLENECKS, 0.0)
    for kind, dur in walk:
        put(builder, kind, begin + at, dur)
        want[STRETCHES[kind]] += dur
        at += dur
    builder.step(begin, begin + at)
    found = explained(builder, tmp_path)
    assert sum(found.shares.values()) == pytest.approx(1.0)
    for name in BOTTLENECKS:
        assert found.shares[name] == pytest.approx(want[name] / at, abs=1e-3), (name, walk)
    assert want[found.binds] == pytest.approx(max(want.values()), abs=0.01 * at)


@given(WALK, st.randoms())
@QUIET
@pytest.mark.slow
def test_the_order_of_the_events_in_the_file_says_nothing(tmp_path, walk, shuffle):
    builder, at = Builder(), 0.0
    for kind, dur in walk:
        put(builder, kind, at, dur)
        at += dur
    builder.kernel("last", at, 1.0)
    first = explained(builder, tmp_path).shares
    shuffle.shuffle(builder.events)
    assert explained(builder, tmp_path).shares == pytest.approx(first)


@pytest.mark.parametrize(
    ("beneath", "share"), [("product", 0.0), ("add", 0.0), ("nothing", 1.0), ("loader", 1.0), ("short", 1.0)]
)
def test_only_communication_that_nothing_hides_counts(tmp_path, beneath, share):
    builder = Builder()
    put(builder, beneath, 100, 100)
    builder.kernel("ncclDevKernel_AllGather_RING_LL", 100, 100, stream=9)
    builder.step(100, 200)
    assert explained(builder, tmp_path).shares["communication"] == pytest.approx(share, abs=1e-6)


@pytest.mark.parametrize(("name", "bound"), [("c10d::allreduce_", "launch"), ("gloo:all_reduce", "communication")])
def test_launching_a_collective_is_no_communication_unless_the_host_exchanges_itself(tmp_path, name, bound):
    builder = Builder()
    builder.kernel("warm", 0, 1)
    builder.mark(name, 10, 90)
    builder.step(10, 100)
    assert explained(builder, tmp_path).binds == bound


def test_a_loader_that_works_while_the_gpu_does_costs_nothing(tmp_path):
    builder = Builder()
    put(builder, "add", 0, 100)
    put(builder, "loader", 0, 90)
    builder.step(0, 100)
    assert explained(builder, tmp_path).shares["memory"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("dims", "dtype", "kernel", "bound"),
    [
        (([1, 4096], [4096, 4096]), "float", "gemv", "memory"),  # a matrix and a vector: two FLOPs for four bytes
        (BIG, "c10::BFloat16", "nvjet_gemm", "compute"),
        (([64, 64], [64, 64]), "c10::BFloat16", "nvjet_gemm", "memory"),  # 21 FLOP/byte, and the ridge lies at 206
        (([64, 64], [64, 64]), "float", "gemm", "memory"),  # 10.7 FLOP/byte below 13.9
        (([128, 128], [128, 128]), "float", "gemm", "compute"),  # 21.3 above
    ],
)
def test_the_nearer_roof_is_that_of_the_card_and_the_type(tmp_path, dims, dtype, kernel, bound):
    builder = Builder()
    builder.kernel(kernel, 10, 100, "aten::mm", dims, dtype=dtype)
    builder.allocation(9.2, dims[0][0] * dims[1][1] * (4 if dtype == "float" else 2), 1)
    builder.step(10, 110)
    assert explained(builder, tmp_path).binds == bound


def test_an_unknown_card_has_the_roofs_that_were_measured_with_the_trace(tmp_path):
    builder = Builder(card="NVIDIA Future 9000")
    builder.kernel("gemm", 10, 100, "aten::mm", BIG)
    builder.step(10, 110)
    slow = {"bandwidth": 1e15, "fp32": 1e12}
    assert explained(builder, tmp_path, roofs=slow).binds == "compute"
    found = explained(builder, tmp_path, roofs={"bandwidth": 1e6, "fp32": 1e15})
    assert found.binds == "memory"
    assert "measured here" in said(found)
    assert explained(builder, tmp_path, roofs={"bandwidth": "x"}).binds == "compute"  # by the kernel's name


# --- without a GPU ----------------------------------------------------------------------------------------------------
def test_on_the_cpu_operators_stand_for_kernels_and_those_that_call_others_count_for_nothing(tmp_path):
    builder = Builder(card="")
    builder.op("aten::linear", 0, 100, BIG)
    builder.op("aten::mm", 10, 80, BIG)
    builder.op("aten::add", 120, 50, ([1 << 22], [1 << 22]))
    builder.op("aten::view", 170, 20, ([1 << 22],))
    builder.op("aten::add", 191, 3, ([1 << 22], [1 << 22]))  # too short to be more than its start
    builder.step(0, 200)
    found = explained(builder, tmp_path, roofs={"bandwidth": 1e10, "fp32": 4e10})
    shares = {k: round(200 * v) for k, v in found.shares.items()}
    assert shares == {"compute": 80, "memory": 50, "launch": 70, "data": 0, "communication": 0}


def test_a_call_that_calls_others_is_counted_once(tmp_path):
    builder = Builder(card="")
    builder.op("aten::mm", 0, 100, BIG)
    for start in (10, 40, 70):
        builder.op("aten::resize_", start, 5)
    builder.op("aten::mm", 120, 60, BIG)
    builder.step(0, 200)
    found = explained(builder, tmp_path, roofs={"bandwidth": 1e10, "fp32": 4e10})
    assert [(r.name, r.count, r.microseconds) for r in facts.rows(found)] == [("aten::mm", 2, 145)]
    assert "2 calls of 1 operator." in said(found)


@pytest.mark.parametrize(("bandwidth", "far"), [(1e10, False), (1e13, True)])
def test_far_below_its_roof_nothing_is_said_to_bind(tmp_path, bandwidth, far):
    builder = Builder(card="")
    builder.op("aten::cumsum", 0, 5000, ([1 << 22],))  # 16 MiB at least: 0.3 % or 34 % of the roof
    builder.step(0, 5000)
    text = said(explained(builder, tmp_path, roofs={"bandwidth": bandwidth, "fp32": 1e15}))
    assert ("neither roof binds" in text) == far != ("fewer bytes" in text)


def test_what_a_loader_computes_on_the_cpu_is_the_loaders(tmp_path):
    builder = Builder(card="")
    put(builder, "loader", 0, 100)
    builder.op("aten::stack", 20, 60, ([1 << 22], [1 << 22]))
    builder.step(0, 100)
    assert explained(builder, tmp_path).shares["data"] == pytest.approx(1.0)


# --- facts ------------------------------------------------------------------------------------------------------------
def test_waits_copies_memory_and_gaps_are_counted_without_the_recorders_own_wait(tmp_path):
    builder = Builder()
    for k in range(3):
        at = 100 * k
        builder.kernel("elementwise", at + 2, 40, "aten::add", ([1 << 20], [1 << 20]))
        builder.op("aten::item", at + 10, 45)
        builder.op("aten::_local_scalar_dense", at + 11, 43)
        builder.add("cuda_runtime", "cudaStreamSynchronize", at + 12, 40)
        builder.kernel("Memcpy DtoH (Device -> Pageable)", at + 43, 2, cat="gpu_memcpy", call="cudaMemcpyAsync",
                       at=at + 11.5, bytes=4)  # fmt: skip
        builder.allocation(at + 1, 1000, at)
        builder.allocation(at + 50, -1000, at)
    builder.mark("onekernel:wait", 299, 2)
    builder.add("cuda_runtime", "cudaDeviceSynchronize", 299.5, 1)
    builder.add("cuda_runtime", "cudaMalloc", 60, 5)
    builder.step(0, 301)
    found = explained(builder, tmp_path)
    assert [(w.count, w.microseconds, w.by) for w in facts.waits(found)] == [(3, 120.0, "item")]
    assert [(c.direction, c.count, c.bytes) for c in facts.copies(found)] == [("DtoH", 3, 12.0)]
    memory = facts.memory(found)
    assert (memory.count, memory.bytes, memory.peak, memory.driver_calls) == (3, 3000.0, 1000.0, 1)
    assert facts.launches(found)[0] == 3
    text = said(found)
    assert "waited for the GPU 3 times, 120 us in all, in item" in text
    assert "3 copies from GPU to host: 12 B" in text
    assert "The GPU worked 126 us of 301 us, 42 %" in text
    (start, end), during = facts.longest_gap(found)
    assert (start, end, during) == (45.0, 102.0, "")


@pytest.mark.parametrize(("pause", "why"), [(900, "the file's own Python"), (30, "fewer, larger launches")])
def test_python_that_takes_its_time_is_told_from_many_launches(tmp_path, pause, why):
    builder, at = Builder(), 0.0
    for _ in range(10):
        builder.kernel("elementwise", at + 5, 3, "aten::add", ([1024], [1024]))
        at += 10 + pause
    builder.step(0, at)
    assert why in said(explained(builder, tmp_path))


def test_a_kernels_bytes_are_its_operators_inputs_and_what_it_kept(tmp_path):
    builder = Builder()
    builder.op("aten::mul", 0, 10, ([1 << 20], [1 << 20]))
    builder.op("aten::empty", 1, 1)
    builder.allocation(1.5, 4 << 20, 1)  # the output
    builder.allocation(2.5, 100, 2)  # a workspace that is given back
    builder.allocation(4.0, -100, 2)
    builder.add("cuda_runtime", "cudaLaunchKernel", 3, 1, correlation=1)
    builder.add("kernel", "void at::native::vectorized_elementwise_kernel<4, F>(int)", 20, 10, correlation=1, stream=7)
    builder.step(0, 30)
    (piece,) = explained(builder, tmp_path).pieces
    assert piece.cost.bytes == 12 << 20
    assert facts.short_name(piece.name) == "vectorized_elementwise_kernel"
    assert facts.short_name("void cutlass::Kernel2<cutlass_80_wmma_bf16_s161616>(cutlass::Params)") == (
        "cutlass_80_wmma_bf16_s161616"
    )


def test_a_trace_of_somebody_else_is_read_by_its_steps_or_from_end_to_end(tmp_path):
    builder = Builder()
    builder.kernel("setup", 10, 500)
    builder.mark("ProfilerStep#3", 1000, 100)
    put(builder, "add", 1010, 150)
    assert explained(builder, tmp_path).window == (1000.0, 1160.0)
    plain = Builder()
    put(plain, "add", 10, 90)
    assert explained(plain, tmp_path).window == (8.75, 100.0)


def test_a_bare_list_of_events_and_a_compressed_file_are_traces(tmp_path):
    builder = Builder()
    put(builder, "product", 10, 90)
    path = tmp_path / "t.json.gz"
    path.write_bytes(gzip.compress(json.dumps(builder.events).encode()))
    assert Explained(chrome.read(path)).shares["compute"] > 0.9


# --- hostile traces ---------------------------------------------------------------------------------------------------
def test_a_recording_in_which_a_gpu_is_only_waited_for_holds_nothing(tmp_path, capsys):
    """What is left of a file that computes nothing, on a machine with a GPU: the recorder's own two waits."""
    builder = Builder()
    builder.step(10, 20)
    builder.mark("onekernel:wait", 11, 8)
    for moment in (12, 25):
        builder.add("cuda_runtime", "cudaDeviceSynchronize", moment, 1)
    assert main(["explain", str(builder.write(tmp_path / "waits.json"))]) == 2
    assert "waits.json holds no operator" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{}", b'{"traceEvents": 3}', b"[" * 100_000, b'"x"', b"\x1f\x8b broken", b"\xff\xfe", b"null",
     b'{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": NaN, "dur": 1}]}', b"123" * 2000],
)  # fmt: skip
def test_what_is_no_trace_is_refused_in_a_sentence(tmp_path, content):
    path = tmp_path / "t.json"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"t\.json"):
        chrome.read(path)


def test_a_bomb_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(chrome, "MOST_BYTES", 1 << 20)
    path = tmp_path / "t.json.gz"
    path.write_bytes(gzip.compress(b"[" + b" " * (8 << 20) + b"]"))
    with pytest.raises(UserError, match="more than 512 MB"):
        chrome.read(path)


ODD = st.one_of(st.none(), st.booleans(), st.integers(-5, 2**70), st.floats(), st.text(max_size=3),
                st.lists(st.integers(-3, 3), max_size=3),
                st.dictionaries(st.text(max_size=2), st.integers()))  # fmt: skip
FIELDS = ("ts", "dur", "name", "cat", "ph", "pid", "tid", "args", "correlation", "bytes", "Input Dims", "Input type",
          "Bytes", "Addr", "stream", "device", "External id", "Device Type")  # fmt: skip


@pytest.mark.slow
@given(WALK, st.lists(st.tuples(st.integers(0, 200), st.sampled_from(FIELDS), ODD), max_size=12))
@QUIET
def test_a_trace_with_odd_fields_is_told_or_refused(tmp_path, walk, changes):
    builder, at = Builder(), 0.0
    for kind, dur in walk:
        put(builder, kind, at, dur)
        at += dur
    builder.allocation(1, 10, 1)
    for where, name, value in changes:
        event = builder.events[where % len(builder.events)]
        holder = event if name in event or not isinstance(event.get("args"), dict) else event["args"]
        holder[name] = value
    try:
        found = explained(builder, tmp_path, versions=3, roofs=[], mode={}, date=None)
    except UserError:
        return
    assert sum(found.shares.values()) == pytest.approx(1.0) or found.microseconds == 0
    assert said(found)


def test_a_name_cannot_steer_the_terminal(tmp_path):
    builder = Builder()
    builder.kernel("evil\x1b[2Jkernel", 10, 90, "aten::\x1b]0;x\x07")
    assert "\x1b" not in said(explained(builder, tmp_path))


# --- words and pictures -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", ["product", "add", "collective", "loader", "nothing"])
def test_each_bottleneck_is_named_with_its_rule_its_numbers_and_what_helps(tmp_path, kind, lang):
    builder = Builder()
    builder.kernel("warm", 0, 1)
    put(builder, kind, 10, 90)
    builder.step(10, 100)
    found = explained(builder, tmp_path)
    set_language(lang)
    text = said(found)
    assert found.binds == STRETCHES[kind] and "100 %" in text
    assert {"en": "The rule:", "es": "La regla:"}[lang] in text and {"en": "What helps", "es": "Lo que ayuda"}[
        lang
    ] in text
    if kind != "product":  # one picture in each language
        return
    written = picture.draw(found, "t.json", "onekernel explain t.json", tmp_path / lang)
    assert [p.suffix for p in written] == [".png", ".svg"] and all(p.stat().st_size > 1000 for p in written)


def test_a_picture_of_many_kernels_shows_the_first_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(picture, "MOST_DRAWN", 20)
    builder = Builder()
    for k in range(60):
        put(builder, "add", 10 * k, 9)
    (_, svg) = picture.draw(explained(builder, tmp_path), "t", "c", tmp_path / "p")
    assert "the first" in svg.read_text(encoding="utf-8")


# --- the command ------------------------------------------------------------------------------------------------------
def test_the_command_reads_a_trace_and_writes_its_picture(tmp_path, capsys):
    builder = Builder()
    put(builder, "add", 10, 90)
    path = builder.write(tmp_path / "mine.json")
    assert main(["explain", str(path), "--out", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "Bound by memory" in out and CARD in out
    assert (tmp_path / "out" / "mine.png").is_file()


PROGRAMS = {
    "raises.py": (
        "import torch\nx = torch.ones(3)\ndef step():\n    return x @ torch.ones(4)\n",
        "line 4: RuntimeError",
    ),
    "syntax.py": ("def step(:\n", "line 1: SyntaxError"),
    "stops.py": ("import sys\nsys.exit('no GPU here')\n", "no GPU here"),
    "needs.py": ("def step(x):\n    return x\n", "takes no arguments"),
    "nothing.py": ("x = 1\n", "nothing.py ran, but"),
    "dies.py": ("import os\nos._exit(7)\n", "without a trace"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_program_that_gives_no_trace_is_answered_with_a_sentence(tmp_path, capsys, name):
    text, why = PROGRAMS[name]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert main(["explain", str(path), "--out", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert why in err and "Traceback" not in err


def test_a_program_is_stopped_after_its_time(tmp_path, capsys):
    path = tmp_path / "hangs.py"
    path.write_text("while True:\n    pass\n", encoding="utf-8")
    assert main(["explain", str(path), "--seconds", "0.5"]) == 2
    assert "took longer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words_", "why"),
    [(["none.py"], "no file none.py"), (["README.md"], "neither a Python file"), (["--seconds", "0", "x"], "--seconds"),
     (["t.json", "--save", "u.json"], "a trace already")],
)  # fmt: skip
def test_what_cannot_be_explained_is_refused(capsys, words_, why):
    assert main(["explain", *words_]) == 2
    assert why in capsys.readouterr().err


LIVE = """
import os, torch
assert os.path.samefile(os.getcwd(), {folder!r})
a = torch.randn(512, 512)
big = torch.randn(1 << 22)
def step():
    print("heard once")
    {body}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("body", "bound"), [("a @ a @ a @ a", "compute"), ("big + big", "memory")])
def test_live_on_this_machine(tmp_path, monkeypatch, capsys, body, bound):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    path = tmp_path / "live.py"
    path.write_text(LIVE.format(folder=str(tmp_path), body=body), encoding="utf-8")
    assert main(["explain", str(path), "--out", str(tmp_path), "--save", str(tmp_path / "kept.json.gz")]) == 0
    assert "one step()" in capsys.readouterr().out
    found = Explained(chrome.read(tmp_path / "kept.json.gz"))
    assert found.shares[bound] == max(found.shares[b] for b in ("compute", "memory"))  # idle time is the machine's
    assert {p.op.name for p in found.pieces if p.op} & {"aten::mm", "aten::add"}


THEIRS = """
import sys, torch
from torch.profiler import ProfilerActivity, profile, schedule
a = torch.randn(600, 600)
done = lambda found: found.export_chrome_trace(sys.argv[1])
plan = schedule(wait=1, warmup=1, active=1)
with profile(activities=[ProfilerActivity.CPU], schedule=plan, record_shapes=True, on_trace_ready=done) as profiler:
    for _ in range(3):
        a @ a
        profiler.step()
"""


@pytest.mark.slow
def test_a_trace_that_somebody_elses_profiler_exported_is_read(tmp_path, capsys):
    trace = tmp_path / "theirs.json"
    subprocess.run([sys.executable, "-c", THEIRS, str(trace)], check=True, capture_output=True)
    assert main(["explain", str(trace), "--out", str(tmp_path)]) == 0
    found = Explained(chrome.read(trace))
    assert found.shares["compute"] > found.shares["memory"]
    assert [m.name for m in found.trace.of("mark") if (m.start, m.end) == found.window] == ["ProfilerStep#2"]
    assert "mm" in capsys.readouterr().out


def test_random_names_of_kernels_are_shortened_and_never_empty():
    drawn = random.Random(1)
    for _ in range(200):
        name = "".join(drawn.choice(string.printable) for _ in range(drawn.randint(1, 90)))
        assert len(facts.short_name(name, 20)) <= 20

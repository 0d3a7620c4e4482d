"""Small kernels, right and wrong, each with what the simulator must say of it written in its own comments.

    // n: 1000                       elements of x (float32, in [1, 2)) and of y; `run(x, y, n, stream)` is called
    // arch: sm_90                   the card to model (sm_80 if absent)
    // status: cudaErrorX            what the launcher returns (cudaSuccess if absent)
    // stream: side                  a non-blocking stream is passed (the default stream if absent)
    // compiler: g++                 of what another one makes nothing is said
    // Result: x + x                 y, exactly; an expression of numpy on x and n
    // Total: load_requests 64, ...  counts of the first launch, derived by hand
    ...  // <- code variable, code   the findings of this line; a line without an arrow must stay silent
    ...  // = requests 8, sectors 32 counts of this line
"""

import json
import os
import re
import shutil
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from onekernel import counts, simulator
from onekernel.backends.base import Buffer
from onekernel.simulator.compilation.compiler import compiler, fused
from onekernel.ways import TURNED
from support.compilers import OTHERS

FOLDER = Path(__file__).with_name("kernels")
KERNELS = sorted(FOLDER.glob("*.cu"))


def once(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), [key for key, _ in pairs]
    return dict(pairs)


@pytest.fixture(autouse=True)
def each_key_of_a_report_stands_once(monkeypatch):
    strict = SimpleNamespace(loads=partial(json.loads, object_pairs_hook=once))
    monkeypatch.setattr("onekernel.simulator.program.json", strict)


SAMPLED = [pytest.mark.slow, pytest.mark.sample(every=4)]
MARKS = [() if i % 16 == 0 else SAMPLED for i in range(len(KERNELS))]  # the fast ones are the same each day
EACH_KERNEL = pytest.mark.parametrize(
    "path", [pytest.param(p, id=p.stem, marks=m) for p, m in zip(KERNELS, MARKS, strict=True)]
)
METRICS = {
    "load_requests": counts.LOAD_REQUESTS,
    "load_sectors": counts.LOAD_SECTORS,
    "store_requests": counts.STORE_REQUESTS,
    "store_sectors": counts.STORE_SECTORS,
    "shared_load_wavefronts": counts.SHARED_LOAD_WAVEFRONTS,
    "shared_load_conflicts": counts.SHARED_LOAD_CONFLICTS,
    "shared_store_wavefronts": counts.SHARED_STORE_WAVEFRONTS,
    "shared_store_conflicts": counts.SHARED_STORE_CONFLICTS,
    "bytes_loaded": counts.BYTES_LOADED,
    "bytes_stored": counts.BYTES_STORED,
    "atomics": counts.ATOMICS,
    "barriers": counts.BARRIERS,
    "distributed_requests": counts.DISTRIBUTED_REQUESTS,
    "distributed_bytes": counts.DISTRIBUTED_BYTES,
    "divergent_branches": counts.DIVERGENT_BRANCHES,
}


def tree(x):
    """The sum that a halving tree gives in float32."""
    while len(x) > 1:
        x = x[: len(x) // 2] + x[len(x) // 2 :]
    return x[0]


def blocks(x):
    """32 elements a block added in order, then the blocks in order, all in float32."""
    total = np.float32(0)
    for block in x.reshape(-1, 32):
        part = np.float32(0)
        for v in block:
            part += v
        total += part
    return total


def sum_of(x, t):
    """x[t] added t + 1 times in float32."""
    total = np.float32(0)
    for _ in range(t + 1):
        total += x[t]
    return total


def product(x):
    """x times x as 16 x 16 matrices, added in order in float32, products fused if the processor can."""
    a = x.reshape(16, 16)
    c = np.zeros((16, 16), np.float32)
    for k in range(16):
        terms = a[:, k : k + 1].astype(np.float64 if fused() else np.float32) * a[k]
        c = (terms + c).astype(np.float32)
    return c.ravel()


FUNCTIONS = {f.__name__: f for f in (tree, blocks, sum_of, product)} | {"butterfly": tree}


def buffer(name, array, writable):
    guard = 256
    memory = np.full(array.nbytes + 2 * guard, 0xFF, np.uint8)
    if not writable:
        memory[guard : guard + array.nbytes] = array.view(np.uint8)
    return Buffer(name, memory, guard, array.nbytes, writable, array.itemsize)


def content(buf):
    return np.frombuffer(buf.memory[buf.offset : buf.offset + buf.extent].tobytes(), np.float32)


def header(text, key, default=None):
    match = re.search(rf"^// {key}: (.*)$", text, re.MULTILINE)
    return match[1].strip() if match else default


def pairs(text):
    return {name: int(value) for name, value in (piece.split() for piece in text.split(","))}


def call(path, mode="count", way="", **options):
    text = path.read_text(encoding="utf-8")
    n = int(header(text, "n"))
    x = np.random.default_rng(0).uniform(1, 2, n).astype(np.float32)
    y = buffer("y", np.zeros(n, np.float32), True)
    options.setdefault("time_limit", 0.5 if "time-limit" in text else 20)
    options.setdefault("arch", header(text, "arch", "sm_80"))
    program = simulator.build(path, mode, side_stream=header(text, "stream") == "side", **options)
    return program.call("run", [buffer("x", x, False), y, n], way), x, y


def expected_findings(text):
    out = set()
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.search(r"// <- (.*)$", line):
            for piece in match[1].split(","):
                code, _, variable = piece.strip().partition(" ")
                out.add((number, code, variable))
    return out


DOCS = Path(__file__).parents[2] / "docs"


def says_where(finding, path):
    """In both languages: kernel, block and variable, as far as they are known; the line; a lesson that exists."""
    assert finding.file == str(path) and (finding.line or finding.code in ("host-crash", "time-limit"))
    told = {k: finding.message.values[k] for k in ("variable", "buffer") if k in finding.message.values}
    if "block" in finding.message.values:
        told |= {k: finding.message.values[k] for k in ("kernel", "block")}
    for language in ("en", "es"):
        text = finding.message.text(language)
        assert all(str(value) in text for value in told.values()), (text, told)
        if finding.chapter:
            page, _, anchor = finding.chapter.partition("#")
            assert f'<a id="{anchor}">' in (DOCS / language / f"{page}.md").read_text(encoding="utf-8"), anchor


@EACH_KERNEL
def test_kernel_gives_exactly_what_its_comments_say(path):
    text = path.read_text(encoding="utf-8")
    chosen = os.environ.get("ONEKERNEL_TEST_CXX")
    if header(text, "compiler") == "g++" and compiler(chosen).family != "g++":
        pytest.skip("its counts are exact with g++ alone")
    report, x, y = call(path, with_compiler=chosen, machine_code=False)  # comments count what is written
    wanted = expected_findings(text)
    named = {(line, code) for line, code, variable in wanted if variable}
    found = set()
    for f in report.findings:
        variable = str(f.message.values.get("variable", "")) if (f.line, f.code) in named else ""
        found.add((f.line, f.code, variable))
        says_where(f, path)
    assert found == wanted, [str(f) for f in report.findings]
    assert report.status_name == header(text, "status", "cudaSuccess")
    if path.stem.startswith("clean_"):
        assert not wanted
    if result := header(text, "Result"):
        n = len(x)
        scope = {"np": np, "x": x, "n": n, **FUNCTIONS}
        np.testing.assert_array_equal(content(y), np.asarray(eval(result, scope), np.float32))
    for name, value in pairs(header(text, "Total", "")).items() if header(text, "Total") else ():
        assert report.kernels[0].metrics[METRICS[name]] == value, name
    lines = {place.line: place.metrics for place in report.kernels[0].lines} if report.kernels else {}
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.search(r"// = (.*)$", line):
            for name, value in pairs(match[1]).items():
                assert lines[number][METRICS[name]] == value, (number, name)


ORDERED = re.compile(r"bar\.sync|bar\.arrive|__threadfence|memory_order|tiled_partition")
IN_ORDER = [p for p in KERNELS if p.stem.startswith("clean_") and ORDERED.search(p.read_text(encoding="utf-8"))]
AT_ONCE = "clean_named_barrier_of_block"
TURNED_ONES = [pytest.param(p, id=p.stem, marks=() if p.stem == AT_ONCE else SAMPLED) for p in IN_ORDER]


@pytest.mark.parametrize("path", TURNED_ONES)
def test_what_is_ordered_stays_so_where_blocks_run_from_the_last_to_the_first(path):
    """A grader has some calls run so: nothing promises an order. Who waits for a block before it waits long."""
    findings = call(path, "check", TURNED, time_limit=1)[0].findings
    assert {f.code for f in findings} <= {"time-limit"}, [str(f) for f in findings]


@pytest.mark.slow
@pytest.mark.sample(every=4)
@pytest.mark.parametrize("mode", ["check", "machine code"])
@pytest.mark.parametrize("path", [p for p in KERNELS if "_read_" in p.stem], ids=lambda p: p.stem)
def test_loads_that_are_put_down_late_are_found_in_every_mode(path, mode):
    """What is loaded from a tensor that nobody has written yet is known to who writes it: checks/late_reads.h."""
    usual, *_ = call(path, machine_code=False)
    other, *_ = call(path, "check") if mode == "check" else call(path, machine_code=True)
    assert [str(f) for f in other.findings] == [str(f) for f in usual.findings]
    if mode == "check":  # machine code may load a byte less often
        assert [k.buffers for k in other.kernels] == [k.buffers for k in usual.kernels]


@EACH_KERNEL
def test_counts_alone_are_those_of_checked_blocks(path):
    text = path.read_text(encoding="utf-8")
    (checked, *_), (alone, *_) = call(path, machine_code=False), call(path, "count-only", machine_code=False)
    if checked.status or "time-limit" in text:
        pytest.skip("how far a launch comes that does not end is not counted alike")
    assert len(alone.kernels) == len(checked.kernels)
    for one, other in zip(alone.kernels, checked.kernels, strict=True):
        assert one.metrics == other.metrics
        assert {line.line: line.metrics for line in one.lines} == {line.line: line.metrics for line in other.lines}
        assert sorted(map(str, one.buffers)) == sorted(map(str, other.buffers))


NOT_BY_BOUNDS = {"race-shared", "race-global", "stream-race", "uninitialised-read", "written-read-only", "missing-wait"}


@EACH_KERNEL
def test_bounds_mode_finds_all_but_races_and_first_reads(path):
    text = path.read_text(encoding="utf-8")
    chosen = os.environ.get("ONEKERNEL_TEST_CXX")
    if header(text, "compiler") == "g++" and compiler(chosen).family != "g++":
        pytest.skip("another compiler moves what is found with g++ alone")
    report, x, y = call(path, "bounds", with_compiler=chosen)
    wanted = {(line, code) for line, code, _ in expected_findings(text) if code not in NOT_BY_BOUNDS}
    assert {(f.line, f.code) for f in report.findings} == wanted, [str(f) for f in report.findings]
    assert report.status_name == header(text, "status", "cudaSuccess")
    assert all(counts.LOAD_REQUESTS not in k.metrics and counts.BYTES_LOADED not in k.metrics for k in report.kernels)
    if path.stem.startswith("clean_") and (result := header(text, "Result")):
        scope = {"np": np, "x": x, "n": len(x), **FUNCTIONS}
        np.testing.assert_array_equal(content(y), np.asarray(eval(result, scope), np.float32))


@pytest.mark.parametrize("name", ["ended_by_second_block", "oob_in_every_block"])
def test_bounds_mode_tells_the_same_on_all_cores_as_check_mode_on_one(name):
    one = [str(f) for f in call(FOLDER / f"{name}.cu", "check")[0].findings]
    for _ in range(3):
        assert [str(f) for f in call(FOLDER / f"{name}.cu", "bounds")[0].findings] == one


@pytest.mark.slow
def test_a_loop_stopped_between_two_threads_is_named_by_its_line():
    for milliseconds in range(5, 45):  # where the limit falls is chance: one in twenty falls while a turn begins
        report, _, _ = call(FOLDER / "endless_barriers.cu", "fast", time_limit=milliseconds / 1000)
        assert [(f.line, f.code) for f in report.findings] == [(6, "time-limit")], milliseconds


@pytest.mark.slow
def test_next_call_in_the_same_process_is_right_after_each_fault():
    good = FOLDER / "clean_vector_add.cu"
    for name in ("endless_loop", "null_pointer", "stack_overflow", "host_touch", "deadlock_shuffle_barrier"):
        report, _, _ = call(FOLDER / f"{name}.cu")
        assert report.findings, name
        report, x, y = call(good)
        assert not report.findings
        np.testing.assert_array_equal(content(y), x + x)


@pytest.mark.slow
def test_check_mode_is_deterministic():
    for name in ("race_missing_barrier", "oob_read_tail"):
        texts = {tuple(str(f) for f in call(FOLDER / f"{name}.cu", "check")[0].findings) for _ in range(3)}
        assert len(texts) == 1


CLEAN = [p for p in KERNELS if p.stem.startswith("clean_") and header(p.read_text(), "Result")]


@pytest.mark.parametrize("path", [
    pytest.param(p, id=p.stem, marks=[pytest.mark.slow, pytest.mark.sample(every=8)]) for p in CLEAN
])  # fmt: skip
def test_fast_mode_gives_the_same_results(path):
    _, _, slow = call(path)
    report, _, fast = call(path, "fast")
    assert not report.findings
    np.testing.assert_array_equal(content(slow), content(fast))


@pytest.mark.slow
def test_a_compiler_that_hardens_by_itself_moves_no_line(tmp_path):
    """Ubuntu's g++ does: it would notice at the end of a function that its way back is overwritten, and abort there."""
    hardening = tmp_path / "g++"
    options = "-fstack-protector-strong -fstack-clash-protection -fcf-protection -D_FORTIFY_SOURCE=3"
    hardening.write_text(f'#!/bin/sh\nexec {shutil.which("g++")} {options} "$@"\n')
    hardening.chmod(0o755)
    path = tmp_path / "mine.cu"  # of the file itself there may be a build already
    path.write_text((FOLDER / "local_array_overrun_by_pointer.cu").read_text(encoding="utf-8"), encoding="utf-8")
    report, _, _ = call(path, with_compiler=str(hardening))
    assert {(f.line, f.code) for f in report.findings} == {(8, "crash")}


OTHERWISE = (
    "clean_float4", "clean_count_by_value", "clean_count_divergent", "clean_count_same_test_twice",
    "clean_count_same_test_thrice", "misaligned_float4", "clean_cuda_atomic", "race_cuda_atomic",
    "clean_count_nested_loops",
)  # fmt: skip
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("kernel", OTHERWISE)
@pytest.mark.slow
@pytest.mark.sample(every=4)
def test_other_compilers_give_the_same_counts_and_findings(kernel, name, monkeypatch):
    monkeypatch.setenv("ONEKERNEL_TEST_CXX", name)
    test_kernel_gives_exactly_what_its_comments_say(FOLDER / f"{kernel}.cu")

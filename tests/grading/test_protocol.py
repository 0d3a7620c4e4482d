"""What the untrusted side writes is data: whatever it is, the trusted side reads it or refuses it, and lives."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
from pathlib import Path

import numpy as np
import pytest

from onekernel.backends.base import Buffer, Scalar
from onekernel.checks import correct
from onekernel.course import Check, Course, Text
from onekernel.grading.verdicts import FAILED, Failure, Verdict
from onekernel.messages import Message
from onekernel.report import text as reports
from onekernel.sandbox import disk_quota, landlock, protocol, seals, supervisor
from onekernel.sandbox.protocol import Forged, Request, read_request

SOURCE = Path(__file__)
DISK = {"key": "simulator.disk", "values": {"why": "full", "folder": "/x"}}
FINDING = {"code": "disk", "message": DISK, "file": None, "line": None, "severity": "error", "chapter": None}
REPORT = {"status": 0, "status_name": "cudaSuccess", "findings": [], "kernels": [], "seconds": 0.1}


def nested(levels: int) -> dict:
    message = DISK
    for _ in range(levels):
        message = {"key": "simulator.disk", "values": {"why": message, "folder": ""}}
    return message


@pytest.mark.parametrize(
    "finding",
    [
        {**FINDING, "line": float("inf")},
        {**FINDING, "line": float("nan")},
        {**FINDING, "message": {"key": "simulator.disk", "values": {}}},
        {**FINDING, "message": {"key": "simulator.no-such", "values": {}}},
        {**FINDING, "message": {"key": "../cli.x", "values": {}}},
        {**FINDING, "message": {"key": "a" * 300 + ".x", "values": {}}},
        {**FINDING, "message": {"key": "simulator.disk", "values": []}},
        {**FINDING, "message": {"key": "simulator.disk", "values": {"why": "x" * 100_000, "folder": ""}}},
        {**FINDING, "message": nested(900)},
        {**FINDING, "file": "/etc/\0passwd", "line": 1},
        {},
        [],
        7,
    ],
)
def test_a_finding_that_cannot_be_shown_is_refused(finding: object) -> None:
    with pytest.raises(Forged):
        protocol.read_findings([finding], SOURCE)


def test_values_are_not_format_strings() -> None:
    values = {"why": "{folder.__class__} {0} %s {}", "folder": "{why}"}
    (finding,) = protocol.read_findings([{**FINDING, "message": {"key": "simulator.disk", "values": values}}], SOURCE)
    assert values["why"] in finding.message.text()


def test_a_finding_shows_no_file_but_the_submissions() -> None:
    """The trusted side prints the line that a finding names: of the submission, not of what its reader may read."""
    (there,) = protocol.read_findings([{**FINDING, "file": "/etc/passwd", "line": 1}], SOURCE)
    assert there.file is None and there.line is None
    (mine,) = protocol.read_findings([{**FINDING, "file": str(SOURCE), "line": 1}], SOURCE)
    assert mine.file == str(SOURCE)


def test_nothing_of_a_submission_steers_the_terminal_or_begins_a_line() -> None:
    check = Check("x.y", correct.KIND, 10, Text("t", "t"), "01-04-bounds#bounds", {})
    hostile = Message("grading.plain", {"text": "\x1b[2J\x1b]0;x\x07 \u202e\x9b1m\nada: 34 / 34"})
    failure = Failure(hostile, "01-cuda#\x1b[1m\nx", file="/x/\x1b[1m\n.cu", line=1)
    verdict = Verdict(check, FAILED, failures=(failure,), note=hostile)
    lines = list(reports.lines(verdict, Course(Path("/x"), ()), "again"))
    assert len(lines) == 5
    assert all(line.isprintable() for line in lines), lines


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "7", '"x"', "[[" * 100_000, '{"status": 1e999}', "9" * 5000, "\x00", '{"status": {}}'],
    ids=lambda t: t[:20],
)
def test_a_report_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "0.json"
    path.write_text(text)
    with pytest.raises(Forged):
        protocol.read_report(path, SOURCE)


@pytest.mark.parametrize("field", REPORT)
def test_a_report_with_a_field_of_another_kind_is_refused(tmp_path: Path, field: str) -> None:
    path = tmp_path / "0.json"
    for value in (None, [[]], {"a": float("inf")}, "x" if field != "status_name" else []):
        path.write_text(json.dumps({**REPORT, field: value}))
        if field == "status_name":
            assert isinstance(protocol.read_report(path, SOURCE).status_name, str)
        elif not (field in ("findings", "kernels") and value == {}):
            with pytest.raises(Forged):
                protocol.read_report(path, SOURCE)


def buffer(name: str, memory: np.ndarray) -> Buffer:
    return Buffer(name, memory.view(np.uint8), 0, memory.nbytes, True, memory.itemsize)


def test_the_buffers_of_all_calls_are_one_file_and_come_as_they_were(tmp_path: Path) -> None:
    """A file costs more than the bytes in it, a millisecond of the kernel's on some file systems."""
    made = [[buffer("x", np.arange(n, dtype=np.float32)), n, Scalar("eps", 0.5), buffer("y", np.ones(n, np.uint16))]
            for n in (3, 0, 70_001, 5)]  # fmt: skip
    Request(SOURCE, "simulator", [("f", args) for args in made]).write(tmp_path)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["in", "job.json", "out"]
    request, _ = read_request(tmp_path)
    for (function, args), given in zip(request.calls, made, strict=True):
        assert function == "f" and args[1:3] == given[1:3]
        for mine, theirs in ((args[0], given[0]), (args[3], given[3])):
            assert isinstance(mine, Buffer) and isinstance(theirs, Buffer)
            assert mine.name == theirs.name and mine.memory.tobytes() == theirs.memory.tobytes()
            mine.memory[:] = 7  # each is its own


@pytest.mark.parametrize("length", [0, 29, 31])
def test_buffers_of_another_length_are_refused(tmp_path: Path, length: int) -> None:
    asked = [buffer("x", np.zeros(5, np.float32)), buffer("y", np.zeros(5, np.uint16))]
    (tmp_path / "0.buffers").write_bytes(bytes(range(30)))
    after = protocol.read_buffers(tmp_path / "0.buffers", asked)
    assert [list(after[name]) for name in ("x", "y")] == [list(range(20)), list(range(20, 30))]
    (tmp_path / "0.buffers").write_bytes(bytes(length))
    with pytest.raises(Forged):
        protocol.read_buffers(tmp_path / "0.buffers", asked)


def test_what_is_timed_brings_back_what_may_be_written_alone() -> None:
    x, y = (Buffer(name, np.zeros(4, np.uint8), 0, 4, name == "y", 4) for name in "xy")
    timed = {"launches": 3, "kept": [0]}
    assert protocol.returned(Request(SOURCE, "cuda"), [x, 4, y]) == [x, y]
    assert protocol.returned(Request(SOURCE, "cuda", timed=timed), [x, 4, y]) == [y]


def test_the_calls_that_have_begun_are_read_from_a_plain_file_of_their_numbers(tmp_path: Path) -> None:
    assert protocol.begun(tmp_path, 9) == set()
    (tmp_path / protocol.STARTED).symlink_to(SOURCE)
    assert protocol.begun(tmp_path, 9) == set()
    (tmp_path / protocol.STARTED).unlink()
    for number in (0, 4, 1):
        protocol.begin(tmp_path, number)
    assert protocol.begun(tmp_path, 9) == {0, 1, 4}
    with (tmp_path / protocol.STARTED).open("ab") as started:
        started.write(b"..")
    assert protocol.begun(tmp_path, 9) == {0, 1, 4}
    assert protocol.begun(tmp_path, 3) == set()  # more than were asked for


@pytest.mark.parametrize("times", [[1e-5], [1e-5] * 3, [float("nan")] * 2, [float("inf")] * 2, [0, 1], [-1, 1], 7])
def test_times_are_as_many_durations_as_launches(tmp_path: Path, times: object) -> None:
    path = tmp_path / "0.times"
    path.write_text(json.dumps(times))
    with pytest.raises(Forged):
        protocol.read_times(path, 2)


def test_only_a_plain_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(SOURCE)
    for name in ("folder", "pipe", "link"):
        with pytest.raises(Forged):
            protocol.read_bytes(tmp_path / name)


def test_the_room_that_is_taken_is_counted_at_any_depth(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "file").write_bytes(b"x" * 100_000)
    (deep / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert disk_quota.taken(tmp_path, 200_000) == 2
    with pytest.raises(disk_quota.Flooded):
        disk_quota.taken(tmp_path, 50_000)


def test_a_folder_is_removed_however_it_lies_there(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    here = os.open(folder, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    (folder / "closed").mkdir(mode=0o000)
    disk_quota.remove(folder)
    assert not folder.exists()


def test_what_a_job_brought_is_gone_once_it_is_read_and_closed_until_its_call(tmp_path: Path) -> None:
    """A submission reads in this folder, and runs in this process: it is to find no inputs to compute with."""
    given = buffer("x", np.arange(1000, dtype=np.float32))
    Request(SOURCE, "simulator", [("f", [given, 1000])]).write(tmp_path)
    request, inputs = read_request(tmp_path)
    assert not (tmp_path / "in").exists() and not (tmp_path / "job.json").exists()
    inputs.close([request.calls[0][1]])
    taken, count = inputs.take(request.calls[0][1])
    assert isinstance(taken, Buffer) and taken.memory.tobytes() == given.memory.tobytes() and count == 1000
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os._exit(int(request.calls[0][1][0].memory[0]))  # type: ignore[union-attr]
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGSEGV


def test_an_answer_that_is_changed_or_sealed_twice_is_none(tmp_path: Path) -> None:
    with seals.expected(tmp_path) as expected:
        sealing = seals.Sealing(tmp_path)
        for call in (0, 1, 2, 1):
            sealing.put(call, {"a.json": b"{}", "a.buffers": bytes(9)})
        same = {"a.buffers": bytes(9), "a.json": b"{}"}
        assert expected.hold(0, same) and expected.hold(2, same)
        assert not expected.hold(0, {**same, "a.json": b"{ }"}) and not expected.hold(2, {"a.json": b"{}"})
        assert not expected.hold(1, same)  # sealed twice
        assert not expected.hold(3, same)  # never


IDLE = """#include <cuda_runtime.h>
extern "C" cudaError_t idle(const float*, const float*, float*, int64_t, cudaStream_t) { return cudaSuccess; }
"""


@pytest.mark.slow
def test_the_buffers_of_a_call_may_be_larger_together_than_any_one_file_of_a_submission(tmp_path: Path) -> None:
    """Those of a timed call on a GPU are: 2 x 64 MB of GeLU."""
    source = tmp_path / "idle.cu"
    source.write_text(IDLE)
    each = landlock.FILE_BYTES // 3 + 4096
    buffers = [Buffer(n, np.zeros(each, np.uint8), 0, each, n == "out", 4) for n in ("a", "b", "out")]
    (call,) = supervisor.run(Request(source, "simulator", [("idle", [*buffers, each // 4])])).calls
    assert call.ended is None and {n: len(v) for n, v in call.after.items()} == dict.fromkeys(("a", "b", "out"), each)

"""Calls that are dealt to several processes come out as those of one do, and one that ends takes no other along."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from onekernel.backends.base import Buffer
from onekernel.messages import Message
from onekernel.sandbox import lanes, machine, protocol, seals, supervisor
from onekernel.sandbox.protocol import Request
from onekernel.sandbox.supervisor import RunOutcome
from support.course import ROOT
from support.patience import HUNG_SECONDS

WHO = """
import os, signal
import torch, triton, triton.language as tl

CALLS = []

@triton.jit
def write(x_ptr, y_ptr, n, WHO, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) * 0 + WHO, mask=at < n)

def who(x, y):
    n = x.numel()
    CALLS.append(n)
    if n == 5:
        os.kill(os.getpid(), signal.SIGSEGV)
    write[(1,)](x, y, n, 1000 * len(CALLS) + os.getpid() % 1000, BLOCK=16)
"""
LENGTHS = [4, 6, 4, 7, 8, 6]


def asked(tmp_path: Path, lengths: list[int], dealt: list[int], text: str = WHO) -> RunOutcome:
    path = tmp_path / "who.py"
    path.write_text(text)
    calls = []
    for n in lengths:
        x, y = (Buffer(name, np.zeros(4 * n, np.uint8), 0, 4 * n, name == "y", 4, shape=(n,)) for name in "xy")
        calls.append(("who", [x, y]))
    return supervisor.run(Request(path, "triton-interpreted", calls, lanes=dealt))


def told(outcome: RunOutcome) -> list[tuple[int, int]]:
    """Of each call how many its process had made with it, and which process that was."""
    values = [int(call.after["y"].view(np.float32)[0]) for call in outcome.calls]
    return [(value // 1000, value % 1000) for value in values]


@pytest.mark.slow
def test_each_lane_makes_its_calls_in_order_in_a_process_of_its_own(tmp_path: Path) -> None:
    outcome = asked(tmp_path, LENGTHS, lanes.dealt(LENGTHS, 3))
    assert outcome.built and not any(call.ended for call in outcome.calls)
    assert [count for count, _ in told(outcome)] == [1, 1, 2, 1, 2, 2]
    first, second, same, third, fourth, again = (process for _, process in told(outcome))
    assert first == same and second == again and third == fourth and len({first, second, third}) == 3


@pytest.mark.slow
def test_a_call_that_kills_its_lane_costs_that_call_alone(tmp_path: Path) -> None:
    """What its lane had still to make is made by a process that is alone."""
    lengths = [4, 5, 6, 7]
    outcome = asked(tmp_path, lengths, [0, 1, 1, 0])
    assert outcome.calls[1].ended == Message("grading.killed", {"signal": "SIGSEGV"})
    assert [call.ended for n, call in enumerate(outcome.calls) if n != 1] == [None] * 3
    counts = told(RunOutcome([outcome.calls[n] for n in (0, 2, 3)]))
    assert [count for count, _ in counts] == [1, 1, 2] and counts[0][1] == counts[2][1] != counts[1][1]


@pytest.mark.slow
def test_a_file_that_does_not_import_is_told_once(tmp_path: Path) -> None:
    outcome = asked(tmp_path, [4, 6], [0, 1], "import nothing_of_that_name\n")
    assert [finding.code for finding in outcome.build] == ["import-failed"]


IN_A_WORKER = """
import os
import sys
from pathlib import Path

from onekernel.backends.base import Unavailable
from onekernel.messages import Message
from onekernel.sandbox import hiding, landlock, turn, worker

nodes = lambda: [Path("/dev/null")]
landlock.gpu_nodes = turn.gpu_nodes = worker.gpu_nodes = nodes
turn.wait = lambda *asked: None
"""
READS = """
def build(request, lane=0):
    text = open("/proc/self/maps").read(4)
    Path("out", f"read-{lane}").write_text(text)
    raise Unavailable(Message("triton.gpu-unseen"))

worker.build = build
"""


def as_worker(tmp_path: Path, request: Request, script: str) -> Path:
    """What a worker writes for a request on a machine that has a GPU's device nodes."""
    folder = tmp_path / "onekernel-job"
    folder.mkdir()
    request.write(folder)
    command = [sys.executable, "-c", f"{IN_A_WORKER}{script}\nworker.work(Path(sys.argv[1]))", str(folder)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OPENBLAS_NUM_THREADS": "1"}
    with seals.expected(folder):
        done = subprocess.run(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True,
                              timeout=HUNG_SECONDS)  # fmt: skip
    assert "Error" not in done.stderr, done.stderr
    return folder / "out"


def test_each_lane_can_start_the_driver_of_a_gpu(tmp_path: Path) -> None:
    """Which reads what /proc tells of its own process, and of no other."""
    request = Request(tmp_path / "who.py", "triton", [("who", []), ("who", [])], lanes=[0, 1])
    out = as_worker(tmp_path, request, READS)
    assert sorted(path.name for path in out.glob("read-*")) == ["read-0", "read-1"]


def test_what_is_asked_for_on_a_gpu_is_not_interpreted(tmp_path: Path) -> None:
    path = tmp_path / "who.py"
    path.write_text(WHO)
    script = "import torch; torch.cuda.is_available = lambda: False"
    told = json.loads((as_worker(tmp_path, Request(path, "triton", []), script) / protocol.BUILT).read_text())
    assert told == {"unavailable": Message("triton.gpu-unseen").to_json()}


def test_calls_of_a_kind_share_a_lane_and_one_kind_has_none() -> None:
    assert lanes.dealt(["a", "b", "a", "c", "d", "b"], 3) == [0, 1, 0, 2, 2, 1]
    assert lanes.dealt(["a", "a"], 8) == [] and lanes.dealt(["a", "b"], 1) == [] and lanes.dealt([], 8) == []


def test_there_are_no_more_lanes_than_memory_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)))
    monkeypatch.setattr(lanes, "_beside", 1)
    monkeypatch.setattr(lanes.gpu_state, "library", lambda: None)
    for of_machine, of_gpu, expected in ((512, None, 16), (12, None, 12), (512, 8, 4), (512, 1, 1), (0, 8, 1)):
        monkeypatch.setattr(machine, "memory_free", lambda of=of_machine: of << 30)
        monkeypatch.setattr(lanes.gpu_state, "memory_free", lambda _, of=of_gpu: of and of << 30)
        assert lanes.many() == expected
    monkeypatch.setattr(machine, "memory_free", lambda: 512 << 30)
    monkeypatch.setattr(lanes.gpu_state, "memory_free", lambda _: 128 << 30)
    lanes.share_with(16, 128 << 30)
    monkeypatch.setattr(lanes.gpu_state, "memory_free", lambda _: 8 << 30)  # for as long as some calls take the rest
    assert lanes.many() == 4
    monkeypatch.setattr(lanes.gpu_state, "memory_free", lambda _: 128 << 30)
    assert lanes.graders(40, on_gpu=True) == 40 and lanes.graders(99, on_gpu=True) == 64


def test_a_small_gpu_limits_the_graders_that_use_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    monkeypatch.setattr(machine, "memory_free", lambda: 512 << 30)
    monkeypatch.setattr(lanes.gpu_state, "library", lambda: None)
    monkeypatch.setattr(lanes.gpu_state, "memory_free", lambda _: 4 << 30)
    assert (lanes.graders(40, on_gpu=True), lanes.graders(40, on_gpu=False)) == (2, 9)


@pytest.mark.parametrize(("endings", "expected"), [
    (["pass", "pass"], 0), (["os._exit(3)", "pass"], 3),
    (["os._exit(3)", "os.kill(os.getpid(), signal.SIGKILL)"], -signal.SIGKILL),
])  # fmt: skip
def test_several_processes_end_as_the_one_that_the_machine_may_have_ended(endings: list[str], expected: int) -> None:
    """A signal says more than a status: memory that was gone must not look like the file's fault."""
    text = "import os, signal\nfrom onekernel.sandbox import guardian\nlane = guardian.split(2)\n"
    text += "".join(f"if lane == {n}: {ending}\n" for n, ending in enumerate(endings))
    assert subprocess.run([sys.executable, "-c", text], timeout=HUNG_SECONDS).returncode == expected


def test_a_request_says_who_makes_each_call(tmp_path: Path) -> None:
    Request(tmp_path / "x.py", "triton", [("f", [1]), ("f", [2])], lanes=[1, 0]).write(tmp_path)
    request, _ = protocol.read_request(tmp_path)
    assert request.lanes == [1, 0]

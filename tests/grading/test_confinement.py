"""The walls around a submission: which stand is told, one that falls is told on every report, or grading is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from onekernel.backends.base import Needs
from onekernel.errors import UserError
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import Scorecard
from onekernel.messages import set_language
from onekernel.report import gradescope
from onekernel.sandbox import capabilities, confinement, landlock, worker
from onekernel.sandbox.protocol import Request
from onekernel.ways import INTERPRETED
from support.course import COURSE
from support.courses import make_course, with_plugin

pytest_plugins = ["pytester"]

closed_machine = pytest.mark.skipif(landlock.landlock_version() < 2, reason="no Landlock that closes reading")
# A system that does not know seccomp, seen by the process apart and by the worker: as a sitecustomize of theirs.
NO_SECCOMP = """
import sys
if any("onekernel.sandbox" in word for word in getattr(sys, "orig_argv", ())):
    from onekernel.sandbox import seccomp
    seccomp.refuse = lambda **_: False
"""


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confinement, "_fallen", set())
    monkeypatch.delenv("ONEKERNEL_REQUIRE_SANDBOX", raising=False)
    set_language("en")


@closed_machine
def test_every_wall_stands_here() -> None:
    assert confinement.lacking() == []
    confinement.require()
    assert confinement.required()


def in_a_child(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_root_gives_up_every_capability() -> None:
    """Also where the test does not run as root: then there is none to give up."""
    code = "from onekernel.sandbox import capabilities as c; print(c.drop(), c.held())"
    assert in_a_child(code) == "True 0"
    assert capabilities.held() >= 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make device files")
def test_root_makes_no_device_afterwards(tmp_path: Path) -> None:
    code = f"""
import os
from onekernel.sandbox import capabilities
capabilities.drop()
try:
    os.mknod({str(tmp_path / "null")!r}, 0o020666, os.makedev(1, 3))
except PermissionError:
    print("refused")
"""
    assert in_a_child(code) == "refused"


@closed_machine
@pytest.mark.parametrize("path", ["/proc/self/mem", "/proc/self/environ", "/proc/1/environ", "/dev/tty"])
def test_what_tells_of_processes_and_devices_cannot_be_read(path: str, tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from onekernel.sandbox import confinement
here = Path({str(tmp_path)!r})
confinement.before_build([], here / "a.cu", here)
confinement.before_run([here], kept=None, limit_memory=False, file_bytes=1000, alone=True)
open("/dev/null").close(); open("/proc/cpuinfo").close()
try:
    open({path!r}, "rb").close()
except PermissionError:
    print("closed")
"""
    assert in_a_child(code) == "closed"


@closed_machine
def test_home_is_closed_but_for_what_a_compiler_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    for name in (".ssh/id_ed25519", "tools/bin/compiler", "notes.txt", "course/learners/ana/x.cu"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("secret")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{home}/tools/bin:{os.environ['PATH']}")
    code = f"""
from pathlib import Path
from onekernel.sandbox import confinement
home, job = Path({str(home)!r}), Path({str(tmp_path / "job")!r})
job.mkdir()
confinement.before_build([], home / "course" / "learners" / "ana" / "x.cu", job)
for name in (".ssh/id_ed25519", "tools/bin/compiler", "notes.txt", "course/learners/ana/x.cu"):
    try:
        (home / name).read_text()
        print(name)
    except PermissionError:
        pass
"""
    assert in_a_child(code).split() == ["tools/bin/compiler", "course/learners/ana/x.cu"]


def without_seccomp(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(NO_SECCOMP)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder / "site"), os.environ.get("PYTHONPATH", "")]))


@pytest.mark.slow
def test_a_wall_that_falls_is_told_on_every_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_seccomp(tmp_path, monkeypatch)
    exercise = COURSE.exercises["vector_add"]
    result = grade(Submission(COURSE, exercise, COURSE.solution(exercise), "simulator", 1))
    assert result.status == "passed" and "calls" in result.open_walls
    card = Scorecard.of([result])
    assert "calls" in json.loads(json.dumps(card.to_json()))["open_walls"]
    assert "seccomp" in gradescope.results(card, COURSE)["output"]


@pytest.mark.slow
def test_required_walls_are_required_of_each_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_seccomp(tmp_path, monkeypatch)
    with pytest.raises(UserError, match="seccomp"):
        confinement.require()
    exercise = COURSE.exercises["vector_add"]
    path = tmp_path / exercise.file
    path.write_text(COURSE.solution(exercise).read_text() + "\n")
    result = grade(Submission(COURSE, exercise, path, "simulator", 1))
    assert result.status == "not-assessed" and "--require-sandbox" in str(result.verdicts[0].failures[0].message)


@pytest.mark.slow
def test_both_doors_refuse_a_machine_without_a_wall(
    pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_seccomp(tmp_path, monkeypatch)
    root = make_course(pytester.path)
    (root / "pyproject.toml").write_text('[tool.pytest.ini_options]\ntestpaths = ["labs"]\n')
    result = pytester.runpytest_subprocess(*with_plugin(), "--submission=solutions", "--require-sandbox")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--require-sandbox*seccomp*"])
    main = "import sys; from onekernel.cli import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", main, "check", "--solutions", "--require-sandbox"], cwd=root,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode not in (0, 1) and "seccomp" in done.stderr and "Traceback" not in done.stderr


@closed_machine
def test_a_process_that_is_alone_starts_programs_and_no_threads(tmp_path: Path) -> None:
    code = f"""
import subprocess, threading
from pathlib import Path
from onekernel.sandbox import confinement
confinement.before_run([Path({str(tmp_path)!r})], kept=None, limit_memory=False, file_bytes=1000, alone=True)
print(subprocess.run(["/bin/echo", "a program"], capture_output=True, text=True).stdout.strip())
try:
    threading.Thread(target=print).start()
except RuntimeError:
    print("no thread")
"""
    assert in_a_child(code).splitlines() == ["a program", "no thread"]


@pytest.mark.parametrize(
    "call",
    [
        "libc.shmget(0x0b0e, 4096, 0o1600)",
        "libc.semget(0x0b0e, 1, 0o1600)",
        "libc.msgget(0x0b0e, 0o1600)",
        "libc.mq_open(b'/onekernel-was-here', 0o102, 0o600, None)",
        "libc.memfd_create(b'room', 0)",
        "libc.personality(0x0400000)",
    ],
)
def test_nothing_without_a_path_outlives_a_submission_and_no_new_memory_is_executable(call: str) -> None:
    code = f"""
import ctypes
from onekernel.sandbox import landlock, seccomp
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
assert seccomp.refuse(on_gpu=False)
print({call}, ctypes.get_errno())
"""
    assert in_a_child(code) == "-1 1"


@pytest.mark.parametrize(
    ("backend", "wanted"),
    [
        ("cuda", ["built", "turn", "split", ("close", True, True), "driver", ("refuse", {}), "file"]),
        ("triton", ["built", "turn", "split", ("close", True, True), "driver", ("refuse", {}), "file"]),
        ("simulator", ["built", "split", ("close", False, False), "file"]),
        (INTERPRETED, ["built", "split", ("close", False, False), "file"]),
    ],
)
def test_on_a_gpu_a_file_waits_once_it_is_built_and_the_driver_starts_within_walls_that_are_whole_before_the_file_runs(
    backend: str, wanted: list[object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[object] = []
    node = Path("/dev/full")
    program = SimpleNamespace(needs=Needs(), split=lambda: seen.append("split") or True,
                              prepare=lambda: seen.append("file"))  # fmt: skip
    for module in (worker, worker.turn):
        monkeypatch.setattr(module, "gpu_nodes", lambda: [node])
    monkeypatch.setattr(worker, "build", lambda request, lane: seen.append("built") or program)
    monkeypatch.setattr(worker.turn, "wait", lambda folder: seen.append("turn"))
    monkeypatch.setattr(worker.confinement, "before_run", lambda writable, **how: seen.append(
        ("close", how["on_gpu"], node in writable)) or frozenset(confinement.WALLS))  # fmt: skip
    (tmp_path / "out").mkdir(exist_ok=True)
    monkeypatch.setattr(worker.tasks, "look_around", lambda: seen.append("driver"))
    monkeypatch.setattr(worker.seccomp, "refuse", lambda **how: seen.append(("refuse", how)))
    worker.ready(Request(tmp_path / "x", backend), tmp_path, frozenset())
    assert seen == wanted


@pytest.mark.parametrize(("backend", "wanted"), [
    ("cuda", ["driver", "built", "turn", "close", ("python", False), "file"]),
    ("simulator", ["driver", "close", ("python", True), "kernel"]),
])  # fmt: skip
def test_a_python_exercise_with_a_kernel_is_closed_before_a_line_of_either_is_loaded_here(
    backend: str, wanted: list[object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On a GPU the kernel is loaded in the same process; else that process waits for the one that has it."""
    from onekernel.triton import callbacks

    seen: list[object] = []
    for module in (worker, worker.turn):
        monkeypatch.setattr(module, "gpu_nodes", lambda: [Path("/dev/full")])
    program = SimpleNamespace(needs=Needs(), prepare=lambda: seen.append("file"))
    monkeypatch.setattr(worker, "build", lambda request: seen.append("built") or program)
    monkeypatch.setattr(worker.turn, "wait", lambda folder: seen.append("turn"))
    monkeypatch.setattr(worker.confinement, "before_run", lambda *_, **__: seen.append("close") or
                        frozenset(confinement.WALLS))  # fmt: skip
    monkeypatch.setattr(worker.tasks, "look_around", lambda: seen.append("driver"))
    monkeypatch.setattr(worker, "limit_build", lambda **_: None)
    monkeypatch.setattr(callbacks, "close", lambda apart: seen.append(("python", apart)))
    (tmp_path / "out").mkdir()
    options = {"kernel": "k.cu", "kernel_backend": backend, "function": "k", "requests": []}
    apart: Any = SimpleNamespace(wait=lambda: seen.append("kernel")) if backend == "simulator" else None
    worker.ready_for_task(Request(tmp_path / "x.py", "python", options=options), tmp_path, frozenset(), apart)
    assert seen == wanted

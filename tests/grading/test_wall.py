"""One wall: every process that loads a line of a submission is closed alike before it does, and has no later input."""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from onekernel.backends.base import Buffer
from onekernel.minigpt.port_request import requests
from onekernel.sandbox import confinement, supervisor
from onekernel.sandbox.landlock import gpu_nodes
from onekernel.sandbox.protocol import Request
from support.corpus import graded
from support.course import ROOT
from support.patience import HUNG_SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(confinement.lacking()), reason="a wall is missing here")]

# What a file tries as soon as a line of it runs. Whatever succeeds is told; then it waits to be looked at.
TRIES = """
import ctypes, gc, json, os, resource, socket, sys, time

def tries():
    yield "reads memory by a file", lambda: open("/proc/self/mem", "rb").close()
    yield "writes outside", lambda: open("/tmp/onekernel-was-here", "w").close()
    for family in range(1, 46):
        for kind in range(1, 6):
            yield f"opens {family}, {kind}", lambda f=family, k=kind: refused(lambda: socket.socket(f, k))
    yield "opens two sockets", lambda: refused(socket.socketpair)
    yield "changes modes", lambda: os.chmod("out", 0o777)
    yield "changes owners", lambda: os.chown("out", os.getuid(), os.getgid())
    yield "changes times", lambda: os.utime("out", (1, 1))
    yield "changes the grader's limits", lambda: resource.prlimit(GRADER, resource.RLIMIT_NOFILE)
    yield "changes the grader's processors", lambda: os.sched_setaffinity(GRADER, {0})
    yield "changes the grader's priority", lambda: os.setpriority(os.PRIO_PROCESS, GRADER, 19)
    yield "reads the grader's environment", lambda: open("/proc/GRADER/environ", "rb").read()
    yield "reads the grader's pages", lambda: open("/proc/GRADER/maps", "rb").read()
    yield "copies itself", lambda: os.fork() or os._exit(0)
    yield "signals the grader", lambda: os.kill(GRADER, 0)
    yield "asks Python for all objects", gc.get_objects
    yield "calls past Python", lambda: ctypes.CDLL(None)
    yield "calls past Python in another interpreter", elsewhere
    yield "loads a library of its own", library
    yield "starts a program", lambda: os.system("true")
    yield "starts a program by a module that is loaded anew", anew
    yield "makes a built-in module anew", built_in
    yield "loads what Python is tested with", of_tests
    yield "loads a module by another spelling", spelt
    yield "loads a module by a name of its own class", named
    yield "loads a built-in module from a library", lambda: dynamic("_imp")
    yield "asks Python for all objects past a rule of its own", ruled
    yield "finds a hook in a frame", in_a_frame
    yield "handles a signal", handled
    yield "has garbage collected wherever it is", collected
    yield "starts a thread", thread
    yield "looks at the frames of threads", sys._current_frames
    yield "has the rights of pages changed", rights

def elsewhere():
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    try:
        made = interpreters.create()
    except Exception as error:
        raise OSError from error
    interpreters.run_string(made, "import ctypes; ctypes.CDLL(None)")

def library():
    import _struct, importlib.machinery, importlib.util
    at = os.path.join(os.environ["TMPDIR"], "_struct.so")
    if not hasattr(_struct, "__file__"):  # of this Python's own: there is none to be copied
        raise OSError
    with open(_struct.__file__, "rb") as right, open(at, "wb") as copy:
        copy.write(right.read())
    loader = importlib.machinery.ExtensionFileLoader("_struct", at)
    importlib.util.module_from_spec(importlib.util.spec_from_loader("_struct", loader))

def anew():
    before = sys.modules.pop("_posixsubprocess", None)
    try:
        import _posixsubprocess
        if _posixsubprocess.fork_exec is None:
            raise OSError
    finally:
        sys.modules["_posixsubprocess"] = before

def thread():
    import _thread
    _thread.start_new_thread(int, ())

def rights():
    from onekernel.sandbox import inputs
    held = [*vars(inputs).values()]
    if not any(type(value).__name__ == "_FuncPtr" for value in held):
        raise OSError

def handled():
    import signal
    signal.signal(signal.SIGALRM, lambda *given: None)
    if signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, None):
        raise OSError

def collected():
    gc.enable()
    if not gc.isenabled():
        raise OSError

def built_in():
    import _imp, importlib.machinery
    try:
        _imp.create_builtin(importlib.machinery.ModuleSpec("itertools", None))
    except ImportError as error:
        raise OSError from error

def of_tests():
    try:
        import _testcapi
    except ImportError as error:  # not every Python has it
        raise OSError from error

def dynamic(name):
    import _imp, _posixsubprocess, importlib.machinery
    if not hasattr(_posixsubprocess, "__file__"):  # of this Python's own: there is no library
        raise OSError
    try:
        _imp.create_dynamic(importlib.machinery.ModuleSpec(name, None, origin=_posixsubprocess.__file__))
    except ImportError:  # asked for, past the wall
        pass

def spelt():
    dynamic("-posixsubprocess")

def named():
    class Name(str):
        def __hash__(self):
            return 0
        def __eq__(self, other):
            return False
    dynamic(Name("_posixsubprocess"))

def ruled():
    from onekernel.triton import callbacks
    before = vars(callbacks).copy()
    callbacks._EVENTS, callbacks._is_own = (), lambda *_: False
    try:
        gc.get_objects()
    finally:
        vars(callbacks).update(before)

def in_a_frame():
    from onekernel.sandbox import inputs
    for event, *args in (("gc.get_objects",), ("onekernel.open",), ("onekernel.close", {}), (inputs._TAKE, [])):
        try:
            sys.audit(event, *args)
        except OSError as error:
            at = error.__traceback__.tb_next
            while at:
                known = at.tb_frame.f_locals.values()
                if any(callable(v) and getattr(v, "__closure__", None) or hasattr(v, "func") for v in known):
                    return
                if {"installed", "real", "change"} & set(at.tb_frame.f_locals):
                    return
                at = at.tb_next
    raise OSError

def refused(attempt):  # by the wall, and not for want of such sockets here: then this one shows nothing
    try:
        attempt()
    except OSError as error:
        if error.errno != 1:
            raise ValueError(error.errno)
        raise

def succeeded():
    for name, attempt in tries():
        try:
            attempt()
            yield name
        except OSError:
            pass
        except ValueError as error:
            yield f"{name}: {error}"

found = json.dumps([*succeeded()])
with open(os.path.join(os.environ["TMPDIR"], f"loaded.{os.getpid()}"), "w") as file:
    file.write(found)
until = time.monotonic() + 60
while not os.path.exists(os.path.join(os.environ["TMPDIR"], f"go.{os.getpid()}")) and time.monotonic() < until:
    time.sleep(0.02)

def f(x, y=None):
    return x
"""
PORT = (ROOT / "solutions" / "torch_minigpt.py").read_text(encoding="utf-8")
IN_CUDA = """
#include <cuda_runtime.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

__global__ void idle(float* out) { out[0] = 0.0f; }

static int tries() {
    char name[64], told[4096] = "[";
    struct rlimit limits;
    auto succeeded = [&](const char* what, bool it) {
        if (it && strlen(told) < 4000) snprintf(told + strlen(told), 64, "%s\\"%s\\"", told[1] ? "," : "", what);
    };
    succeeded("reads memory by a file", open("/proc/self/mem", O_RDONLY) >= 0);
    succeeded("writes outside", open("/tmp/onekernel-was-here", O_WRONLY | O_CREAT, 0600) >= 0);
    succeeded("opens a socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
    int pair[2];
    for (int family = 1; family < 46; family++)
        for (int kind = 1; kind < 6; kind++)
            succeeded("opens a socket of some family", socket(family, kind, 0) >= 0 || errno != EPERM);
    succeeded("opens two sockets", socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 || errno != EPERM);
    succeeded("changes modes", chmod("out", 0777) == 0);
    succeeded("changes owners", chown("out", getuid(), getgid()) == 0);
    succeeded("changes times", utimensat(AT_FDCWD, "out", nullptr, 0) == 0);
    succeeded("changes the grader's limits", prlimit(GRADER, RLIMIT_NOFILE, nullptr, &limits) == 0);
    const pid_t child = fork();
    if (child == 0) _exit(0);
    succeeded("copies itself", child > 0);
    succeeded("signals the grader", kill(GRADER, 0) == 0);
    snprintf(name, 64, "out/loaded.%d", (int)getpid());
    FILE* file = fopen(name, "w");
    fprintf(file, "%s]", told);
    fclose(file);
    snprintf(name, 64, "out/go.%d", (int)getpid());
    for (int k = 0; k < 3000 && access(name, F_OK); k++) usleep(20000);
    return 0;
}
static const int tried = tries();  // as the file is loaded

extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) {
    idle<<<1, 1, 0, stream>>>(out);
    return cudaGetLastError();
}
extern "C" cudaError_t softmax_naive(const float* x, float* y, int64_t rows, int64_t cols, int64_t x_row_stride,
                                     int64_t y_row_stride, cudaStream_t stream) {
    idle<<<1, 1, 0, stream>>>(y);
    return cudaGetLastError();
}
"""
ADD = "cudaError_t vector_add(const float*, const float*, float*, int64_t, cudaStream_t);"
N = 300_000  # elements of a call's tensors: their pages stand out


@dataclass(frozen=True)
class Process:
    """A process that has loaded a line of a submission, as it is seen from outside while that line runs."""

    succeeded: list[str]
    status: dict[str, str]
    limits: str
    descriptors: list[str]
    inputs: list[str]  # the rights of the pages that inputs came in

    @property
    def wall(self) -> dict[str, str]:
        return {k: self.status[k] for k in ("NoNewPrivs", "Seccomp", "CapEff", "CapPrm", "CapBnd", "Threads")}


def looked_at(folder: Path, told: Path) -> Process:
    pid = told.suffix.removeprefix(".")
    proc = Path("/proc") / pid
    status = dict(line.split(":\t", 1) for line in (proc / "status").read_text().splitlines() if ":\t" in line)
    links = [os.readlink(fd) for fd in (proc / "fd").iterdir()]
    maps = [line.split() for line in (proc / "maps").read_text().splitlines()]
    return Process(
        json.loads(told.read_text()), {k: v.strip() for k, v in status.items()}, (proc / "limits").read_text(),
        sorted(link.replace(str(folder), "JOB").split(":[")[0] for link in links),
        [line[1] for line in maps if line[5:6] == ["/dev/zero"]],
    )  # fmt: skip


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Process]]:
    """Runs a request until so many processes have loaded a line, looks at each while it waits, and lets it go on."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def run(start: Callable[[], object], count: int) -> list[Process]:
        found: list[Process] = []
        done = threading.Event()

        def look() -> None:
            until, seen = time.monotonic() + HUNG_SECONDS / 2, set[Path]()
            while time.monotonic() < until and not done.is_set():
                for told in (p for p in tmp_path.glob("onekernel-*/out/loaded.*") if p not in seen):
                    process = looked_at(told.parents[1], told) if told.stat().st_size else None
                    if process and f"JOB/out/{told.name}" not in process.descriptors:  # it has written all, and waits
                        seen.add(told)
                        found.append(process)
                        (told.parent / f"go{told.suffix}").touch()
                time.sleep(0.02)

        looks = threading.Thread(target=look)
        looks.start()
        try:
            start()
        finally:
            done.set()
            looks.join()
        assert len(found) == count
        return found

    return run


def file(tmp_path: Path, name: str, more: str = "") -> Path:
    path = tmp_path / "handed-in" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(more + (IN_CUDA if name.endswith(".cu") else TRIES).replace("GRADER", str(os.getpid())))
    return path


def tensors(names: str) -> list[Buffer]:
    return [Buffer(n, np.zeros(4 * N, np.uint8), 0, 4 * N, n == names[-1], 4, shape=(N,)) for n in names]


def started(kind: str, path: Path) -> Callable[[], object]:
    triton = [("f", tensors("xy")), ("f", tensors("xy"))]
    if kind == "simulator":
        calls = [("vector_add", [*tensors("abo"), N])] * 2
        return lambda: supervisor.run(Request(path, kind, calls, [ADD]))
    if kind == "port":
        kernel = file(path.parents[1], "softmax_naive.cu")
        file(path.parents[1], path.name, PORT)
        options = {"task": "port", "requests": requests("kernel")[:1], "kernel": str(kernel),
                   "kernel_backend": "simulator", "function": kernel.stem}  # fmt: skip
        return lambda: supervisor.run_task(Request(path, "python", options=options), count=1, seconds=60.0)
    if kind == "task":
        asked = {"function": "f", "shapes": [[2]], "given": []}
        request = Request(path, "python", options={"task": "returns", "requests": [asked]})
        return lambda: supervisor.run_task(request, count=1, seconds=60.0)
    return lambda: supervisor.run(Request(path, "triton-interpreted", triton, lanes=[0, 1] if kind == "lanes" else []))


# Who loads a line. On a GPU there is one process, for which test_confinement looks at the order of its walls.
KINDS = {"simulator": ("x.cu", 1), "triton": ("x.py", 2), "lanes": ("x.py", 4), "task": ("x.py", 1),
         "port": ("x.py", 2)}  # fmt: skip


def limits(process: Process, of_driver: bool) -> list[str]:
    """Where a driver has been started, which reserves memory, its process may have any amount; the kernel that a port
    uses, apart, may not."""
    lines = process.limits.splitlines()
    return [line for line in lines if not (of_driver and line.startswith("Max data size"))]


@pytest.mark.parametrize("kind", KINDS)
def test_every_process_that_loads_a_line_is_closed_and_holds_no_later_input(
    kind: str, tmp_path: Path, loaded: Callable[..., list[Process]]
) -> None:
    name, count = KINDS[kind]
    if name.endswith(".py"):
        pytest.importorskip("triton")
    processes = loaded(started(kind, file(tmp_path, name)), count)
    for process in processes:
        assert process.succeeded == []
        none = f"{0:016x}"
        wanted = {"NoNewPrivs": "1", "Seccomp": "2", "CapEff": none, "CapPrm": none, "CapBnd": none, "Threads": "1"}
        known = {"JOB/output", "JOB/seals", "/dev/null", "pipe"}
        of_driver = kind in ("task", "port") and gpu_nodes()  # torch has looked for the card, whose driver has a
        if of_driver:  # thread, files, and pages that look like inputs
            wanted["Threads"] = process.wall["Threads"]
            known |= {at for at in process.descriptors if at.startswith(("/dev/nvidia", "anon_inode", "socket"))}
        assert process.wall == wanted
        assert {"JOB/output", "/dev/null"} <= {*process.descriptors} <= known
        assert of_driver or not [rights for rights in process.inputs if rights[:3] != "---"]
        assert limits(process, of_driver) == limits(processes[0], of_driver)
    who_calls = [p for p in processes if p.inputs]
    assert len(who_calls) * (1 if kind in ("simulator", "task") else 2) == count  # the other copy has no inputs
    for copy in (p for p in processes if not p.inputs):
        assert copy.descriptors == ["/dev/null", "JOB/output", "JOB/output", "pipe", "pipe"]


HANGS_IN_THE_COPY = """
import os, time
if "TRITON_INTERPRET" not in os.environ:
    time.sleep(60)
"""


def test_a_compiler_that_never_answers_costs_a_file_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    """The process that waits for it may signal nobody: it goes on without it."""
    pytest.importorskip("triton")
    if device != "simulator":
        pytest.skip("only the interpreter has a compiler beside it")
    path = tmp_path / "softmax_triton.py"
    solution = (ROOT / "solutions" / "softmax_triton.py").read_text(encoding="utf-8")
    path.write_text(solution.replace("\nimport triton\n", HANGS_IN_THE_COPY + "import triton\n", 1), encoding="utf-8")
    assert HANGS_IN_THE_COPY in path.read_text(encoding="utf-8")
    result = graded(path, "softmax_triton", device, frozenset({"shapes"}))
    assert result.status == "passed", [str(f.message) for v in result.verdicts for f in v.failures]

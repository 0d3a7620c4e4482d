"""The trusted side of running a submission: starts the untrusted process, survives its end, reads what it left.

A call that hangs or crashes costs that call alone: the rest is made in a fresh process, RESTARTS times at most.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from onekernel.backends.base import Buffer, CallReport, Finding, Sparse
from onekernel.backends.processors import COMPILING, OF_BLAS, TOLD, processors
from onekernel.messages import Message, language
from onekernel.sandbox import (
    confinement,
    disk_quota,
    job_folder,
    lanes,
    own_time,
    process,
    progress,
    protocol,
    seals,
    turn,
    warm,
)
from onekernel.sandbox.arrays import MOST_BYTES, MOST_SPARSE_BYTES, ArraysError, unpack, unpack_sparse
from onekernel.sandbox.protocol import Forged, Request

RESTARTS = 2
BUILD_SECONDS = 90.0
IMPORT_SECONDS = 20.0  # of a Python file: what it imports of ours is there already
CALL_SECONDS = 20.0  # of wall-clock time without a word; the simulator stops a call by itself after less of the CPU's
TOTAL_SECONDS = 900.0
MOST_REASON = 300  # characters of what is wrong with an answer
# What a submission may see of our environment: no more than a compiler and a driver need.
_ENVIRONMENT = (
    "PATH", "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "CXX",
    "ONEKERNEL_CXX", "PYTHONPATH", "VIRTUAL_ENV", "XDG_CACHE_HOME", "ONEKERNEL_CACHE", "ONEKERNEL_ARCH",
    "ONEKERNEL_NVCC", "ONEKERNEL_REQUIRE_SANDBOX",
)  # fmt: skip

Fork = Callable[[Path, Mapping[str, str]], process.Running | None]


@dataclass
class CallOutcome:
    """What came of one call: a report and the buffers after it, or the way it ended."""

    report: CallReport | None = None
    after: dict[str, np.ndarray] = field(default_factory=dict)
    touched: dict[str, Sparse] = field(default_factory=dict)  # of tensors that do not travel whole
    ended: Message | None = None  # it crashed, hung, or its answer is not one
    exports: tuple[Finding, ...] = ()  # the launcher is missing
    times: tuple[float, ...] = ()  # seconds of each timed launch, as the process says


@dataclass
class TaskRun:
    """What came of a Python exercise: the arrays of each request, or why there are none."""

    answers: list[dict[str, np.ndarray]] = field(default_factory=list)
    build: tuple[Finding, ...] = ()  # of the kernel that it was to use
    unavailable: Message | None = None
    ended: Message | None = None


@dataclass
class RunOutcome:
    """What came of a submission: the build's findings, or one outcome a call."""

    calls: list[CallOutcome]
    build: tuple[Finding, ...] = ()
    log: str = ""
    unavailable: Message | None = None
    ended: Message | None = None  # the process ended before the build did
    warnings: tuple[Finding, ...] = ()  # of the compiler, on a file that it built

    @property
    def built(self) -> bool:
        return not (self.build or self.unavailable or self.ended)


def run(request: Request) -> RunOutcome:
    """Builds and runs a submission in an untrusted process. Raises OSError where this machine has no room for it."""
    outcomes: list[CallOutcome] = [CallOutcome() for _ in request.calls]
    todo = list(range(len(outcomes)))
    for attempt in range(RESTARTS + 1):
        ways = [request.ways[i] for i in todo] if request.ways else ()
        dealt = request.lanes if attempt == 0 else ()  # what ended one of them is met again by one that is alone
        part = replace(request, calls=[request.calls[i] for i in todo], ways=ways, lanes=dealt)
        with job_folder.opened() as folder, seals.expected(folder) as sealed:
            part.write(folder)
            asked_for = sum(_room(a) for _, args in part.calls for a in args)
            # Triton interpreted is Python, program after program: 300 of them, of one row each, take seconds.
            seconds = CALL_SECONDS * (2 if "triton" in request.backend else 1)
            told = partial(_calls, folder / "out", len(todo), len(outcomes))
            ended = _start(folder, request, asked_for, seconds, told)
            whole = _read_built(folder / "out", ended, request, sealed)
            if not whole.built:
                return whole
            done = [_read_call(folder / "out", n, request.calls[i][1], part, sealed) for n, i in enumerate(todo)]
            begun = protocol.begun(folder / "out", len(todo))
        for n, i in enumerate(todo):
            found = done[n]
            if found is not None:
                outcomes[i] = found
            elif n in begun:
                outcomes[i] = CallOutcome(ended=_how(ended))
        todo = [i for n, i in enumerate(todo) if done[n] is None and n not in begun]
        if ended.returncode == 0 or ended.timed_out:  # an input did not end: the next would take as long
            for i in todo:
                outcomes[i] = CallOutcome(ended=Message("grading.not-run"))
            break
        if not todo:
            break
        if attempt == RESTARTS or not begun:
            for i in todo:
                outcomes[i] = CallOutcome(ended=Message("grading.gave-up", {"times": attempt + 1}))
            break
    return RunOutcome(outcomes, warnings=whole.warnings)


def _room(arg: object) -> int:
    """The bytes that a call's argument may leave behind in a file."""
    if isinstance(arg, Sparse):
        return MOST_SPARSE_BYTES
    return arg.memory.nbytes if isinstance(arg, Buffer) else 0


def runs(request: Request) -> bool:
    """Whether this machine can run the backend, asked with a file of ours. That it cannot is not a submission's to say:
    points that are not assessed are not lost."""
    return run(request).unavailable is None


def run_task(request: Request, *, count: int, seconds: float) -> TaskRun:
    """Has a Python exercise answer `count` requests in an untrusted process, in one go."""
    with job_folder.opened() as folder, seals.expected(folder) as sealed:
        request.write(folder)
        ended = _start(folder, request, call_seconds=seconds, told=partial(_answers, folder / "out", count))
        built = _read_built(folder / "out", ended, request, sealed)
        if not built.built:
            return TaskRun(build=built.build, unavailable=built.unavailable, ended=built.ended)
        try:
            return TaskRun(_read_arrays(folder / "out", count, sealed))
        except FileNotFoundError:
            return TaskRun(ended=_how(ended))
        except Forged as error:
            return TaskRun(ended=_forged(error))


def _calls(out: Path, todo: int, every: int) -> None:
    """Tells how many of `every` call have begun, when so many were still to do."""
    begun = len(protocol.begun(out, todo))
    progress.reached(every - todo + begun if begun else 0, every)


def _answers(out: Path, count: int) -> None:
    """Tells which request of `count` is being answered, once there is something that answers."""
    built = os.path.lexists(out / protocol.BUILT)
    progress.reached(1 + sum(os.path.lexists(out / f"{n}.arrays") for n in range(count - 1)) if built else 0, count)


def _start(
    folder: Path, request: Request, asked_for: int = 0, call_seconds: float | None = None,
    told: Callable[[], None] = lambda: None,
) -> process.Ended:
    """Runs the worker until it ends, or makes no progress for as long as a build or a call may take, or takes much more
    room than the `asked_for` bytes of its buffers, or has used up what its file has in all. For a GPU it waits as long
    as others have it. `told` is called now and then, to say how far it has come."""
    out = folder / "out"
    mine = own_time.allowance(request.source)
    if mine and request.source in mine.hung:  # it would hang again, in each check
        return process.Ended(-signal.SIGKILL, True, "", mine.hung[request.source], loading=True)
    if mine and mine.over:
        return process.Ended(-signal.SIGKILL, True, "", mine.seconds, over=True)
    most = disk_quota.SPARE_BYTES + asked_for

    def patience(at: turn.Turn | None, pid: int) -> tuple[Hashable, float]:
        files = disk_quota.taken(out, most)
        told()
        if at and at.waits(pid):
            return (files, at.changes), math.inf
        seconds = (call_seconds or CALL_SECONDS) if os.path.lexists(out / protocol.BUILT) else BUILD_SECONDS
        if protocol.loading(out):
            seconds = IMPORT_SECONDS
        return (files, at.changes if at else 0), seconds

    argv, env, fork = _worker(folder, request)
    wanted = {"alone": turn.alone(request), "fills": turn.fills(request)}
    turns = turn.kept(folder, **wanted) if turn.needed(request) else contextlib.nullcontext()
    with turns as at:
        known = partial(patience, at)
        ended = process.run(argv, folder=folder, env=env, timeout=TOTAL_SECONDS, patience=known, fork=fork,
                            allowance=mine)  # fmt: skip
    if ended.timed_out and protocol.loading(out):
        ended = replace(ended, loading=True)
        if mine:
            mine.hung[request.source] = ended.limit
    return ended


def _worker(folder: Path, request: Request) -> tuple[list[str], dict[str, str], Fork | None]:
    """The untrusted process of a job: its command, its environment, and what makes a copy of a warm one."""
    argv = [sys.executable, "-P", "-m", "onekernel.sandbox.worker", str(folder), str(os.getpid())]
    env = _environment(folder)
    server = warm.server(request.backend, env)
    return argv, env, server.fork if server else None


@contextlib.contextmanager
def building(request: Request) -> Iterator[Callable[[], None]]:
    """Has a file built while other requests are run, for one to come that finds it built. Gives what waits for that."""
    with job_folder.opened() as folder:
        replace(request, calls=(), ways=(), lanes=(), only_built=True).write(folder)
        argv, env, fork = _worker(folder, request)
        with process.beside(argv, folder=folder, env=env, fork=fork) as wait:
            yield partial(wait, BUILD_SECONDS)


def _how(ended: process.Ended) -> Message:
    if ended.survivors:
        return Message("grading.survived")
    if ended.flooded:
        return Message("grading.flooded")
    if ended.loading:
        return Message("grading.import-timed-out", {"seconds": ended.limit})
    if ended.over:
        return Message("grading.total-time", {"seconds": ended.limit})
    if ended.timed_out:
        return Message("grading.timed-out", {"seconds": ended.limit})
    if ended.signal:
        return Message("grading.killed", {"signal": ended.signal})
    return Message("grading.left", {"code": ended.returncode, "output": _last_line(ended.output)})


def _last_line(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "-"


def _read_walls(out: Path) -> None:
    """Notes which walls did not stand. Where one is missing, what is said of it may be forged like all the rest."""
    try:
        confinement.fell(str(wall) for wall in protocol.read_json(out / protocol.WALLS))
    except (Forged, FileNotFoundError, *protocol.NOT_AS_ASKED):
        return


def _read_built(out: Path, ended: process.Ended, request: Request, sealed: seals.Seals) -> RunOutcome:
    """What came of the build, as the worker told it before the first call: what is written in its place later may tell
    an input. (What a file writes as it loads may be anything, too, but knows none.)"""
    _read_walls(out)
    if ended.survivors or ended.flooded:
        return RunOutcome([], ended=_how(ended), log=ended.output)
    try:
        data = protocol.read_json(out / protocol.BUILT)
        if not sealed.hold(seals.BUILD, {protocol.BUILT: protocol.read_bytes(out / protocol.BUILT)}):
            raise Forged(f"{protocol.BUILT}: changed after it was written")
        if "unavailable" in data:
            return RunOutcome([], unavailable=protocol.printable(Message.from_json(data["unavailable"])))
        build = protocol.read_findings(data["findings"], request.source)
        warnings = protocol.read_findings(data.get("warnings", []), request.source)
        return RunOutcome([], build=build, log=str(data["log"]), warnings=warnings)
    except FileNotFoundError:
        slow = ended.timed_out and not (ended.survivors or ended.flooded or ended.over or ended.loading)
        told = Message("grading.build-timed-out", {"seconds": ended.limit}) if slow else _how(ended)
        return RunOutcome([], ended=told, log=ended.output)
    except (Forged, *protocol.NOT_AS_ASKED) as error:
        return RunOutcome([], ended=_forged(error))


def _forged(error: Exception) -> Message:
    return Message("grading.forged", {"why": str(error)[:MOST_REASON]})


def _read_call(
    out: Path, number: int, args: Sequence[object], request: Request, sealed: seals.Seals
) -> CallOutcome | None:
    """The outcome of a call that came to its end; None for one that did not."""
    try:
        data = protocol.read_json(out / f"{number}.json")
        if isinstance(data, dict) and "export" in data:
            _require_sealed(out, number, ["json"], sealed)
            return CallOutcome(exports=protocol.read_findings(data["export"], request.source))
        report = protocol.read_report(out / f"{number}.json", request.source)
        times = protocol.read_times(out / f"{number}.times", request.timed["launches"]) if request.timed else ()
        after = protocol.read_buffers(out / f"{number}.buffers", protocol.returned(request, args))
        seen = {a.name: _touched(out / f"{number}.{a.name}", a) for a in args if isinstance(a, Sparse)}
        parts = ["json", *(["times"] if request.timed else []), *(["buffers"] if after else []), *seen]
        _require_sealed(out, number, parts, sealed)
        return CallOutcome(report, after, seen, times=times)
    except FileNotFoundError as error:
        if str(error.filename).endswith(f"{number}.json"):
            return None
        missing = Forged(f"{Path(error.filename).name}: missing")  # its folder is this machine's, and nobody's business
        return CallOutcome(ended=_forged(missing))
    except (Forged, *protocol.NOT_AS_ASKED) as error:
        return CallOutcome(ended=_forged(error))


def _require_sealed(out: Path, number: int, parts: Sequence[str], sealed: seals.Seals) -> None:
    """Raises Forged where the files of an answer, which were found to be as long as they may be, are not those that the
    worker has written."""
    paths = [out / f"{number}.{part}" for part in parts]
    if not sealed.hold(number, {p.name: protocol.read_bytes(p, at_most=p.stat().st_size) for p in paths}):
        raise Forged(f"{number}.json: changed after it was written")


def _touched(path: Path, asked: Sparse) -> Sparse:
    """What became of a tensor larger than memory. Raises Forged, FileNotFoundError."""
    return unpack_sparse(protocol.read_bytes(path, at_most=MOST_SPARSE_BYTES), asked)


def _read_arrays(out: Path, count: int, sealed: seals.Seals) -> list[dict[str, np.ndarray]]:
    """The answers to `count` requests. Raises Forged for one that is none, or not as it was written at first,
    FileNotFoundError where there is none."""
    answers = []
    for number in range(count):
        name = f"{number}.arrays"
        data = protocol.read_bytes(out / name, at_most=MOST_BYTES)
        if not sealed.hold(number, {name: data}):
            raise Forged(f"{name}: changed after it was written")
        try:
            answers.append(unpack(data))
        except ArraysError as error:
            raise Forged(str(error)) from None
    return answers


def _environment(folder: Path) -> dict[str, str]:
    env = {k: os.environ[k] for k in _ENVIRONMENT if k in os.environ}
    package = str(Path(__file__).resolve().parents[2])
    env["PYTHONPATH"] = os.pathsep.join([package, *filter(None, [env.get("PYTHONPATH")])])
    # One thread until the worker has confined itself: Landlock closes the file system to the thread that asks for it
    # and to those that it starts, not to those that NumPy's BLAS has started before.
    env |= dict.fromkeys(OF_BLAS, "1")
    env |= {"TMPDIR": str(folder / "out"), "ONEKERNEL_LANG": language(), "PYTHONDONTWRITEBYTECODE": "1"}
    env |= {"PYTHONHASHSEED": "0"}  # a set has the same order in every run: equal files get equal verdicts
    env |= {"TRITON_CACHE_DIR": str(folder / "out" / "triton"), "OMP_NUM_THREADS": "2"}
    env |= {TOLD: str(processors()), COMPILING: str(lanes.share())}
    return env

"""The untrusted process: `python -m onekernel.sandbox.worker FOLDER PARENT` builds a submission and runs it.

It writes raw bytes, and ends with the process PARENT. Nothing that it says is believed (see `protocol`). It confines
itself before the first line of the submission runs, and holds nothing that a submission could want to read: no oracle,
no answer, no verdict (tests/unit/test_imports.py follows its imports).
"""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from onekernel.backends.base import Buffer, BuildError, Program, Sparse, Unavailable
from onekernel.messages import Message
from onekernel.sandbox import cards, confinement, guardian, own_kernel, seals, seccomp, tasks, turn
from onekernel.sandbox.arrays import pack_sparse
from onekernel.sandbox.landlock import CALLS, FILE_BYTES, gpu_nodes, limit_build
from onekernel.sandbox.protocol import (
    BUILT,
    LOADING,
    WALLS,
    Request,
    begin,
    mark,
    read_request,
    report_to_json,
    returned,
)
from onekernel.sandbox.second_opinion import SecondOpinion
from onekernel.ways import INTERPRETED, SPARSE, TURNED

ENDLESS = "time-limit"
LOST = 3


def build(request: Request, lane: int = 0) -> Program:
    """The submission, built by the backend asked for, in that lane; nothing of it has run. Raises BuildError,
    Unavailable."""
    limit_build(memory=request.backend == "simulator")
    if request.backend == "simulator":
        return _simulated(request)
    if request.backend == "cuda":
        from onekernel import cuda

        return cuda.build(request.source, prototypes=request.prototypes, **request.options)
    if request.backend in ("triton", INTERPRETED):
        from onekernel import triton

        program = triton.build(request.source, interpret=request.backend == INTERPRETED, apart=True, first=lane,
                               **request.options)  # fmt: skip
        if program.interpreted and turn.on_gpu(request.backend):  # asked for on a GPU: nothing else may pass for it
            raise Unavailable(Message("triton.gpu-unseen"))
        return program
    raise ValueError(f"backend {request.backend!r}")


def _simulated(request: Request) -> Program:
    """The file on the simulator, and what NVIDIA's compiler says of it, where it is here and has a say: both at the
    same time."""
    from onekernel import simulator

    options = dict(request.options)
    counted = options.get("mode") == "count" and bool(options.get("machine_code"))
    asked = options.pop("second_opinion", True)
    second = SecondOpinion(request.source, options.get("arch"), whole=counted) if asked else None
    program = simulator.build(request.source, prototypes=request.prototypes, side_stream=True, scrambled=True,
                              **options)  # fmt: skip
    if second is not None:
        program.registers = second.wait()
    return program


def ready(request: Request, folder: Path, stand: frozenset[str], lane: int = 0, tells: bool = True) -> Program:
    """Builds what the request asks for, closes this process, then lets the file load. Raises BuildError, Unavailable.

    `stand`: the walls that stand already. Which do not is told before anything of the file runs, unless another process
    `tells` it. What a GPU is to run waits for its turn once it is built.
    """
    kept = folder / "out"
    on_gpu = turn.on_gpu(request.backend)
    program = build(request, lane)
    if turn.needed(request):
        turn.wait(folder)
    needs = program.needs
    calls = program.split()
    answers = (sum(a.memory.nbytes for a in args if isinstance(a, Buffer)) for _, args in request.calls)
    _close(
        folder, stand, on_gpu,
        kept=None if needs.removes_files else kept,
        limit_memory=not needs.reserves_memory,
        file_bytes=max(FILE_BYTES, *answers, 0),  # a call's buffers go back in one file
        alone=needs.alone,
        on_gpu=on_gpu,
        tells=calls and tells,
    )  # fmt: skip
    if request.source.suffix == ".py" and calls:
        mark(kept, LOADING)
    program.prepare()
    return program


def ready_for_task(
    request: Request, folder: Path, stand: frozenset[str], kernel: own_kernel.Apart | None
) -> own_kernel.Softmax | None:
    """Closes this process for a Python exercise, whose file is loaded then. Returns the learner's kernel where it is to
    use one, which is loaded here where a GPU runs it: no process apart shares a GPU's memory. Raises as `ready`."""
    from onekernel.triton import callbacks

    on_gpu, waits = turn.on_gpu(request.backend), turn.needed(request)
    limit_build(memory=False)
    tasks.look_around()
    of_gpu = _of_kernel(request) if "kernel" in request.options and kernel is None else None
    program = build(of_gpu) if of_gpu else None
    if waits:
        turn.wait(folder)
    _close(folder, stand, on_gpu, kept=folder / "out", limit_memory=not on_gpu, file_bytes=FILE_BYTES, alone=False)
    if not waits:
        callbacks.leave_none()
    callbacks.close(apart=not waits)  # for a GPU PyTorch's compiler starts programs and calls by ctypes
    if kernel:
        kernel.wait()
    if program:
        program.prepare()
        return own_kernel.softmax_of(program, request.options["function"])
    return kernel


def _kernel_apart(request: Request, folder: Path) -> own_kernel.Apart | None:
    """The process that runs the learner's kernel for a Python exercise; None where there is none, or a GPU runs it."""
    if "kernel" not in request.options or turn.on_gpu(request.options["kernel_backend"]):
        return None
    kernel = _of_kernel(request)

    def make() -> Program:
        return ready(kernel, folder, confinement.before_build(kernel.hidden, kernel.source, folder), tells=False)

    return own_kernel.Apart(make, request.options["function"])


def _of_kernel(request: Request) -> Request:
    options = request.options
    return replace(request, source=Path(options["kernel"]), backend=options["kernel_backend"], options={})


def _close(folder: Path, stand: frozenset[str], nodes: bool, tells: bool = True, **how: Any) -> None:
    """The wall. Every process that is to load a line of a submission comes through here before it does, those beside
    the one that makes the calls too; it `tells` which walls do not stand. Raises Unavailable where all of them have to.

    `nodes`: it may write to the GPU's. `on_gpu`: NVIDIA's driver starts here, and what only that needs is closed after
    it."""
    tempfile.gettempdir()  # it tries a folder by removing a file there, which `confine` forbids; torch asks for it late
    writable = [folder / "out", Path("/dev/null"), *(gpu_nodes() if nodes else [])]
    stands = confinement.all_of(stand, confinement.before_run(writable, **how))
    if how.get("on_gpu"):
        tasks.look_around()
        if not seccomp.refuse():
            stands = [wall for wall in stands if wall != CALLS]
    lacking = confinement.missing(stands)
    if tells:
        _write(folder / "out" / WALLS, lacking)
    if lacking and confinement.required():
        raise Unavailable(confinement.refusal(lacking))


def work(folder: Path) -> None:
    """Does what `folder/job.json` asks and writes the answers to `folder/out`."""
    request, inputs = read_request(folder)
    if request.only_built:
        inputs.close([])
        confinement.before_build(request.hidden, request.source, folder)
        with contextlib.suppress(BuildError, Unavailable):  # told when it is to run
            build(request)
        return
    sealing = seals.Sealing(folder)
    out = folder / "out"
    # First: what stays open of /proc is this process's own, and a copy could not read its own.
    lane = guardian.split(max(request.lanes) + 1) if request.lanes else 0
    mine = [n for n in range(len(request.calls)) if not request.lanes or request.lanes[n] == lane]
    inputs.close([request.calls[n][1] for n in mine])  # now: copies of this process from here on have none
    kernel = _kernel_apart(request, folder) if request.backend == "python" else None
    stand = confinement.before_build(request.hidden, request.source, folder)
    card = cards.apart(folder / cards.NAME) if (folder / cards.NAME).exists() else None
    program: Program | None = None
    softmax: own_kernel.Softmax | None = None
    try:
        if request.backend == "python":
            softmax = ready_for_task(request, folder, stand, kernel)
        else:
            program = ready(request, folder, stand, lane)
    except BuildError as error:
        _built(out, lane, sealing, {"findings": [f.to_json() for f in error.findings], "log": error.log[-20_000:]})
        return
    except Unavailable as error:
        _built(out, lane, sealing, {"unavailable": error.message.to_json()})
        return
    warnings = [f.to_json() for f in getattr(program, "warnings", ())]
    _built(out, lane, sealing, {"findings": [], "log": "", "warnings": warnings})
    on_gpu = turn.needed(request)
    timed = on_gpu and turn.alone(request)
    if timed:
        turn.wait(folder, turn.ALONE)
    if request.backend == "python":
        tasks.work(request, out, sealing, softmax, card)
        return
    assert program is not None
    fill = [n for n in mine if on_gpu and request.ways and request.ways[n] == SPARSE]
    for number in mine:
        function, asked = request.calls[number]
        way = request.ways[number] if request.ways else ""
        if fill and number == fill[0]:
            turn.wait(folder, turn.FILLS)
        args = inputs.take(asked)
        begin(out, number)
        answer: dict[str, bytes] = {}
        try:
            if request.timed:
                report, times = program.timed(function, args, request.timed["launches"], request.timed["kept"][number])
                answer[f"{number}.times"] = _json(times)
            else:
                report = program.call(function, args, way)
        except BuildError as error:
            findings = [f.to_json() for f in error.findings]
            _answer(out, number, {f"{number}.json": _json({"export": findings})}, sealing)
            continue
        for arg in args:
            if isinstance(arg, Sparse):
                answer[f"{number}.{arg.name}"] = pack_sparse(arg)
        if held := returned(request, args):
            answer[f"{number}.buffers"] = b"".join(buffer.memory.data for buffer in held)
        answer[f"{number}.json"] = _json(report_to_json(report))
        _answer(out, number, answer, sealing)
        if fill and number == fill[-1]:
            turn.leave(folder, turn.FILLED)
        if any(f.code == ENDLESS for f in report.findings) and way not in (SPARSE, TURNED):
            return  # the next input would take as long: a learner waits for one time limit, not for thirty
        if not program.usable:
            sys.exit(LOST)  # this process lost its GPU context: the rest is run in a fresh one
    if timed:
        turn.leave(folder)  # to end takes as long as a launch of another one


def _built(out: Path, lane: int, sealing: seals.Sealing, said: Mapping[str, Any]) -> None:
    """What came of the build. Each lane builds the same file: the first tells, and one that fares worse makes no call,
    so that a process without lanes does."""
    if lane == 0:
        data = _json(said)
        sealing.put(seals.BUILD, {BUILT: data})
        (out / BUILT).write_bytes(data)
    elif said.get("findings") or "unavailable" in said:
        sys.exit(LOST)


def _answer(out: Path, number: int, files: Mapping[str, bytes], sealing: seals.Sealing) -> None:
    """Writes the files of a call's answer, the report last: whoever reads it finds the others."""
    sealing.put(number, files)
    for name, data in files.items():
        (out / name).write_bytes(data)


def _json(data: object) -> bytes:
    return json.dumps(data).encode()


def _write(path: Path, data: object) -> None:
    path.write_bytes(_json(data))


if __name__ == "__main__":
    guardian.stay(int(sys.argv[2]))
    work(Path(sys.argv[1]))

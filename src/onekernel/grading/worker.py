"""The untrusted process: `python -m onekernel.grading.worker FOLDER PARENT` builds a submission and runs it.

It writes raw bytes, and ends with the process PARENT. Nothing that it says is believed: see `onekernel.grading.job`.
It confines itself before the first line of the submission runs.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from onekernel.backends.base import Buffer, BuildError, Program, Unavailable
from onekernel.grading import tasks
from onekernel.grading.confine import FILE_BYTES, confine, end_with, gpu_nodes, limit_build
from onekernel.grading.job import Request, read_request, report_to_json

ENDLESS = "time-limit"
LOST = 3


def build(request: Request, folder: Path) -> Program | None:
    """Builds the submission with the backend asked for and confines this process. Raises BuildError, Unavailable.

    A Python exercise is no program; what it may bring is the learner's kernel that it is to use.
    """
    kept = folder / "out"
    tempfile.gettempdir()  # it tries a folder by removing a file there, which `confine` forbids; torch asks for it late
    writable = [kept, Path("/dev/null")]
    if gpu_nodes():
        writable.append(Path("/dev"))
    limit_build(memory=request.backend == "simulator")
    if request.backend == "python":
        import torch  # before the process is closed: it looks around when it is first imported, and so does CUDA

        if torch.cuda.is_available():
            torch.zeros(1, device="cuda")
        if "kernel" not in request.options:
            confine(writable, kept=kept, limit_memory=False)
            return None
        kernel = Path(request.options["kernel"])
        return build(replace(request, source=kernel, backend=request.options["kernel_backend"], options={}), folder)
    if request.backend == "simulator":
        from onekernel.backends import simulator

        program: Program = simulator.build(
            request.source, prototypes=request.prototypes, side_stream=True, **request.options
        )
        confine(writable, kept=kept)
        return program
    if request.backend == "cuda":
        from onekernel.backends import cuda

        program = cuda.build(request.source, prototypes=request.prototypes, **request.options)
        largest = max((a.memory.nbytes for _, args in request.calls for a in args if isinstance(a, Buffer)), default=0)
        confine(writable, kept=kept, limit_memory=False, file_bytes=max(FILE_BYTES, largest))
        return program
    if request.backend == "triton":
        from onekernel.backends import triton

        compiles = not triton.prepare()  # into a cache in our folder, each file under another name first
        confine(writable, kept=None if compiles else kept, limit_memory=False)
        return triton.build(request.source, **request.options)
    raise ValueError(f"backend {request.backend!r}")


def work(folder: Path) -> None:
    """Does what `folder/job.json` asks and writes the answers to `folder/out`."""
    request = read_request(folder)
    out = folder / "out"
    try:
        program = build(request, folder)
    except BuildError as error:
        findings = [f.to_json() for f in error.findings]
        _write(out / "built.json", {"findings": findings, "log": error.log[-20_000:]})
        return
    except Unavailable as error:
        _write(out / "built.json", {"unavailable": error.message.to_json()})
        return
    _write(out / "built.json", {"findings": [], "log": ""})
    if request.backend == "python":
        tasks.work(request, out, program)
        return
    assert program is not None
    for number, (function, args) in enumerate(request.calls):
        (out / f"{number}.started").touch()
        try:
            if request.timed:
                kept = request.timed["kept"][number]
                report, times = program.timed(function, args, request.timed["launches"], kept)  # type: ignore[attr-defined]
                _write(out / f"{number}.times", times)
            else:
                report = program.call(function, args)
        except BuildError as error:
            findings = [f.to_json() for f in error.findings]
            _write(out / f"{number}.json", {"export": findings})
            continue
        for arg in args:
            if isinstance(arg, Buffer):
                (out / f"{number}.{arg.name}").write_bytes(arg.memory.tobytes())
        _write(out / f"{number}.json", report_to_json(report))
        if any(f.code == ENDLESS for f in report.findings):
            return  # the next input would take as long: a learner waits for one time limit, not for thirty
        if not getattr(program, "usable", True):
            sys.exit(LOST)  # this process lost its GPU context: the rest is run in a fresh one


def _write(path: Path, data: object) -> None:
    path.write_text(json.dumps(data), encoding="utf-8")


if __name__ == "__main__":
    end_with(int(sys.argv[2]))
    work(Path(sys.argv[1]))

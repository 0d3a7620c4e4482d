"""The untrusted process: `python -m onekernel.grading.worker FOLDER` builds a submission, runs it, writes raw bytes.

Nothing that it says is believed: see `onekernel.grading.job`. It confines itself before the first line of the
submission runs.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from onekernel.backends.base import Buffer, BuildError, Program, Unavailable
from onekernel.grading.confine import confine
from onekernel.grading.job import Request, read_request, report_to_json


def build(request: Request, folder: Path) -> Program:
    """Builds the submission with the backend asked for. Raises BuildError, Unavailable."""
    writable = [folder / "out", Path("/dev/null")]
    if request.backend == "simulator":
        from onekernel.backends import simulator

        program = simulator.build(request.source, prototypes=request.prototypes, **request.options)
        confine(writable)
        return program
    if request.backend == "cuda":
        from onekernel.backends import cuda

        program = cuda.build(request.source, prototypes=request.prototypes, **request.options)
        confine([*writable, Path("/dev")], limit_memory=False)
        return program
    if request.backend == "triton":
        from onekernel.backends import triton

        triton.prepare()
        confine([*writable, Path("/dev")], limit_memory=False)
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
    for number, (function, args) in enumerate(request.calls):
        (out / f"{number}.started").touch()
        try:
            report = program.call(function, args)
        except BuildError as error:
            findings = [f.to_json() for f in error.findings]
            _write(out / f"{number}.json", {"export": findings})
            continue
        for arg in args:
            if isinstance(arg, Buffer):
                (out / f"{number}.{arg.name}").write_bytes(arg.memory.tobytes())
        _write(out / f"{number}.json", report_to_json(report))


def _write(path: Path, data: object) -> None:
    path.write_text(json.dumps(data), encoding="utf-8")


if __name__ == "__main__":
    work(Path(sys.argv[1]))

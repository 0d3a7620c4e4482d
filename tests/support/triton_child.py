"""Runs a Triton file in the interpreter, in a process of its own, whatever machine and whatever was imported before.

`run(path, slug, ...)` is for tests; `python triton_child.py` is a process that imports torch and Triton once and forks
another for each file: the imports take seconds, a file's own kernels often less.
"""

from __future__ import annotations

import functools
import json
import os
import select
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def run(path: Path, slug: str, dtypes=("float32",), cases=(), groups=(), seed: int = 7) -> list[dict[str, Any]]:
    """One entry per call: case, dtype, fault, findings (code, line, text), kernels, passes (reads, writes)."""
    from support.patience import HUNG_SECONDS

    request = {"path": str(path), "slug": slug, "dtypes": list(dtypes), "cases": [list(c) for c in cases]}
    request |= {"groups": list(groups), "seed": seed}
    parent = _parent()
    print(json.dumps(request), file=parent.stdin, flush=True)
    ready, _, _ = select.select([parent.stdout], [], [], HUNG_SECONDS)
    answer = json.loads(parent.stdout.readline()) if ready else "it hung"
    if isinstance(answer, list):
        return answer
    raise AssertionError(answer[-3000:])


@functools.cache
def _parent() -> subprocess.Popen[str]:
    """The process that forks; it ends when this one does, for want of requests."""
    environment = os.environ | {"TRITON_INTERPRET": "1", "PYTHONPATH": str(ROOT / "src"), "ONEKERNEL_LANG": "en"}
    environment |= {"CUDA_VISIBLE_DEVICES": ""}  # as on a machine without a GPU
    command = [sys.executable, __file__]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def main() -> None:
    """Answers each line of standard input with a line: a list of answers, or a string that says what failed."""
    import torch  # noqa: F401
    import triton  # noqa: F401

    answer_to = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a kernel prints is no answer
    for line in sys.stdin:
        reading, writing = os.pipe()
        if (child := os.fork()) == 0:
            try:
                text = json.dumps(answers_to(json.loads(line)))
            except BaseException:
                text = json.dumps(traceback.format_exc())
            with os.fdopen(writing, "w") as out:
                out.write(text)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as said:
            text = said.read()
        _, status = os.waitpid(child, 0)
        print(text or json.dumps(f"the process ended with {status}"), file=answer_to, flush=True)


def answers_to(request: dict[str, Any]) -> list[dict[str, Any]]:
    from onekernel import triton
    from onekernel.backends.base import Buffer, BuildError
    from onekernel.grading import buffers
    from onekernel.messages import Message
    from onekernel.ops import OPERATORS
    from onekernel.ops.base import SIMULATED, Case

    operator = OPERATORS["softmax"]
    plain = operator.group("shapes")[0].fill
    every = (c for name in request["groups"] for c in operator.group(name))
    cases = [c for c in every if c.plain and c.runs(SIMULATED)]  # the others take tensors larger than memory
    for rows, cols, x_gap, y_gap in request["cases"]:
        about = Message("ops.softmax_normal", {"rows": rows, "cols": cols})
        sizes = {"rows": rows, "cols": cols}
        cases.append(Case(f"{rows}x{cols}", "test", sizes, plain, about, {"x": x_gap, "y": y_gap}))
    answers: list[dict[str, Any]] = []
    try:
        program = triton.build(request["path"])
        program.prepare()
    except BuildError as error:
        answers = [{"build": [(f.code, f.line, f.message.text("en"), f.message.text("es")) for f in error.findings]}]
        cases = []
    for dtype in request["dtypes"]:
        for case in cases:
            call = buffers.make(operator, request["slug"], case, dtype, request["seed"])
            try:
                report = program.call(call.function, call.args)
            except BuildError as error:
                answers.append({"build": [(f.code, f.line, str(f.message), "") for f in error.findings]})
                continue
            after = {a.name: a.memory for a in call.args if isinstance(a, Buffer)}
            fault = buffers.judge(operator, call, after)
            size = case.sizes["rows"] * case.sizes["cols"] * call.args[0].itemsize
            moved = [k.metrics for k in report.kernels]
            answers.append(
                {
                    "case": case.name,
                    "dtype": dtype,
                    "fault": fault and fault.message.text("en"),
                    "findings": [(f.code, f.line, f.message.text("en"), f.message.text("es")) for f in report.findings],
                    "kernels": [(k.kernel, k.grid) for k in report.kernels],
                    "reads": sum(m["onekernel__bytes_requested_global_ld.sum"] for m in moved) / size if size else 0,
                    "writes": sum(m["onekernel__bytes_requested_global_st.sum"] for m in moved) / size if size else 0,
                    "walks": [b.passes() for k in report.kernels for b in k.buffers if b.name == "x"],
                }
            )
    return answers


if __name__ == "__main__":
    main()

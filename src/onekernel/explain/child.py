"""Runs a file of PyTorch under torch.profiler and writes a small Chrome trace: the process that `record` starts.

Usage: python child.py FILE TRACE FOLDER; the file runs in FOLDER. This imports torch and the standard library alone.
What the trace holds besides the profiler's events stands under "onekernel": how it was recorded, the versions, and
the machine's two roofs, measured.
"""

from __future__ import annotations

import contextlib
import datetime
import inspect
import io
import json
import os
import platform
import runpy
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

STEP, WAIT = "onekernel:step", "onekernel:wait"  # what the profiled lines stand in; our own wait at their end
WARM_UPS = 3  # before the profiler is started; one more under it
TRACED = ("cpu_op", "user_annotation", "kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime", "cuda_driver")
# Of a runtime call: a launch, a copy, a wait, memory. Queries of attributes and of errors are left out.
CALLS = ("Launch", "Memcpy", "Memset", "Synchronize", "Malloc", "Free", "HostAlloc", "HostRegister", "WaitEvent")
KEPT = ("External id", "Input Dims", "Input type", "correlation", "stream", "device", "bytes", "grid", "block",
        "registers per thread", "shared memory")  # fmt: skip
CARD = ("id", "name", "totalGlobalMem", "computeMajor", "computeMinor", "numSms")
LONGEST = 240  # characters of a kernel's name
BAD_FILE = 3  # the exit status of a file that raises: its sentence is on the standard error
MEBIBYTE = 1 << 20


def main() -> int:
    path, target = Path(sys.argv[1]), Path(sys.argv[2])
    os.chdir(sys.argv[3])
    sys.argv = [str(path)]
    sys.path[0] = str(path.parent.resolve())  # as if the file had been started itself
    try:
        import torch

        call, mode = _callable(path)
        raw = _profiled(torch, call)
    except SystemExit as end:
        print(json.dumps({"stopped": str(end.code)}), file=sys.stderr)
        return BAD_FILE
    except BaseException as error:
        print(json.dumps(_told(error, path)), file=sys.stderr)
        return BAD_FILE
    roofs: dict[str, float] = {}
    with contextlib.suppress(RuntimeError):  # the file may have left no memory for it
        roofs = _roofs(torch)
    told = {"file": path.name, "mode": mode, "versions": _versions(torch), "roofs": roofs,
            "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")}  # fmt: skip
    target.write_text(json.dumps(trimmed(raw) | {"onekernel": told}, separators=(",", ":")), encoding="utf-8")
    return 0


def _callable(path: Path) -> tuple[Callable[[], Any], str]:
    """What is profiled: the file's `step()`, or else the whole file, which then has run once already."""
    found = runpy.run_path(str(path), run_name="__main__")
    step = found.get("step")
    if callable(step):
        with contextlib.suppress(ValueError):  # some callables do not tell what they take
            inspect.signature(step).bind()
        return step, "step"
    return lambda: runpy.run_path(str(path), run_name="__main__"), "file"


def _profiled(torch: Any, call: Callable[[], Any]) -> dict[str, Any]:
    from torch.profiler import ProfilerActivity, profile, record_function

    cuda = torch.cuda.is_available()
    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if cuda else [])
    with contextlib.redirect_stdout(io.StringIO()):
        for _ in range(WARM_UPS):
            call()
    def synchronize() -> None:
        if cuda:
            torch.cuda.synchronize()

    with profile(activities=activities, record_shapes=True, profile_memory=True) as profiler:
        # The first launches under a profiler take milliseconds: they come before what is looked at.
        with contextlib.redirect_stdout(io.StringIO()):
            call()
            synchronize()
        with record_function(STEP):
            kept = call()
            with record_function(WAIT):
                synchronize()
    del kept
    with tempfile.TemporaryDirectory() as folder:
        profiler.export_chrome_trace(f"{folder}/trace.json")
        found: dict[str, Any] = json.loads(Path(folder, "trace.json").read_text(encoding="utf-8", errors="replace"))
        return found


def trimmed(raw: dict[str, Any]) -> dict[str, Any]:
    """A trace with what `explain` reads of it, from the profiled step on. Any viewer of Chrome traces shows it."""
    events = [e for e in raw["traceEvents"] if _wanted(e)]
    steps = [float(e["ts"]) for e in events if e["name"] == STEP]
    begin = min(steps or [float(e["ts"]) for e in events], default=0.0)
    cards = [{k: c[k] for k in CARD if k in c} for c in raw.get("deviceProperties", [])]
    after = [_small(e, begin) for e in events if float(e["ts"]) >= begin]
    return {"schemaVersion": 1, "deviceProperties": cards, "traceEvents": after}


def _wanted(event: dict[str, Any]) -> bool:
    if event.get("name") == "[memory]":
        return True
    if event.get("ph") != "X" or event.get("cat") not in TRACED:
        return False
    return not event["cat"].startswith("cuda_") or any(word in event["name"] for word in CALLS)


def _small(event: dict[str, Any], begin: float) -> dict[str, Any]:
    args = event.get("args", {})
    if event["name"] == "[memory]":
        kept = {k: args[k] for k in ("Bytes", "Device Type", "Total Allocated", "Addr") if k in args}
    else:
        kept = {k: args[k] for k in KEPT if k in args}
    out = {"ph": event["ph"], "cat": event.get("cat", ""), "name": event["name"][:LONGEST], "pid": event.get("pid", 0),
           "tid": event.get("tid", 0), "ts": round(float(event["ts"]) - begin, 3)}  # fmt: skip
    if "dur" in event:
        out["dur"] = round(float(event["dur"]), 3)
    return out | {"args": kept}


def _versions(torch: Any) -> dict[str, str]:
    found = {"python": platform.python_version(), "torch": torch.__version__}
    with contextlib.suppress(ImportError):
        import triton

        found["triton"] = triton.__version__
    return found


def _roofs(torch: Any) -> dict[str, float]:
    """Bytes/s of a copy (read and written) and FLOP/s of an fp32 matrix product, the best of three."""
    cuda = torch.cuda.is_available()
    device, size, side = ("cuda", 512 * MEBIBYTE, 4096) if cuda else ("cpu", 64 * MEBIBYTE, 1024)
    x = torch.zeros(size, dtype=torch.uint8, device=device)
    y = torch.empty_like(x)
    a = torch.randn(side, side, device=device)

    def best(call: Callable[[], Any]) -> float:
        times = []
        for _ in range(4):
            began = time.perf_counter()
            call()
            if cuda:
                torch.cuda.synchronize()
            times.append(time.perf_counter() - began)
        return min(times[1:])

    return {"bandwidth": 2 * size / best(lambda: y.copy_(x)), "fp32": 2 * side**3 / best(lambda: a @ a)}


def _told(error: BaseException, path: Path) -> dict[str, Any]:
    """What a file raised, and the last of its own lines on the way there."""
    text = str(error).strip().splitlines()
    if isinstance(error, SyntaxError):
        line = error.lineno
    else:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).name == path.name]
        line = frames[-1].lineno if frames else None
    return {"raised": type(error).__name__, "text": text[0] if text else "", "line": line or 0}


if __name__ == "__main__":
    sys.exit(main())

"""After a crash on the GPU: the same call once more under compute-sanitizer, which names the line and the thread.

The call is replayed in a process of its own (`replay.py`), since the first one lost its context. Each tensor gets an
allocation of exactly its bytes there, so that the first byte outside it is noticed.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from onekernel.backends.base import Arg, Buffer, Finding, Scalar, Sparse
from onekernel.messages import Message

TIME_LIMIT = 60.0  # seconds; the replay slows memory accesses down by ten times and more
LARGEST = 1 << 30  # bytes: a larger call is not replayed

_WHAT = re.compile(r"=+ Invalid __(?P<space>\w+)__ (?P<kind>read|write|atomic) of size (?P<size>\d+) bytes")
_WHERE = re.compile(r"=+\s+at .* in (?P<file>\S+?):(?P<line>\d+)\s*$")
_THREAD = re.compile(r"=+\s+by thread \((?P<thread>[\d,]+)\) in block \((?P<block>[\d,]+)\)")
_ADDRESS = re.compile(
    r"=+\s+(?:Access (?:at|to)|Address) 0x(?P<address>[0-9a-f]+) is (?P<fault>out of bounds|misaligned)"
)
_TENSOR = re.compile(r"^onekernel-buffer (?P<name>\S+) 0x(?P<start>[0-9a-f]+) (?P<bytes>\d+) (?P<itemsize>\d+)$")


class _Tensor(NamedTuple):
    name: str
    start: int
    bytes: int
    itemsize: int


def explain(library: Path, path: Path, function: str, args: Sequence[Arg]) -> list[Finding]:
    """The invalid accesses of this call by line, at most three; a warning where the tool is absent."""
    tool = shutil.which("compute-sanitizer")
    size = sum(a.extent for a in args if isinstance(a, Buffer))
    if tool is None:
        return [Finding("no-sanitizer", Message("cuda.no-sanitizer"), str(path), None, "warning")]
    if size > LARGEST:
        return []
    try:
        with tempfile.TemporaryDirectory(prefix="onekernel-replay-") as folder:
            job = _write_job(Path(folder), library, function, args)
            command = [tool, "--tool", "memcheck", "--print-limit", "20", sys.executable, "-m",
                       "onekernel.cuda.replay", str(job)]  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    except (subprocess.TimeoutExpired, OSError):  # the crash is told without a line, as on a machine without the tool
        return []
    return list(findings_of_report(done.stdout.splitlines(), path))[:3]


def _write_job(folder: Path, library: Path, function: str, args: Sequence[Arg]) -> Path:
    described: list[object] = []
    for number, arg in enumerate(args):
        if isinstance(arg, Buffer):
            data = folder / f"{number}.bin"
            arg.memory[arg.offset : arg.offset + arg.extent].tofile(data)
            described.append({"name": arg.name, "data": str(data), "bytes": arg.extent,
                              "itemsize": arg.itemsize, "skew": arg.offset % 256})  # fmt: skip
        else:
            assert not isinstance(arg, Sparse)
            described.append(arg.value if isinstance(arg, Scalar) else int(arg))
    job = folder / "job.json"
    job.write_text(json.dumps({"library": str(library), "function": function, "args": described}), encoding="utf-8")
    return job


def findings_of_report(lines: Iterable[str], path: Path) -> Iterable[Finding]:
    """memcheck's text -> one finding for each (kind, line) at fault, in the order of the report."""
    tensors: list[_Tensor] = []
    seen = set()
    current: dict[str, str] = {}
    for line in lines:
        if match := _TENSOR.match(line):
            tensors.append(_Tensor(match["name"], int(match["start"], 16), int(match["bytes"]), int(match["itemsize"])))
        elif match := _WHAT.match(line):
            current = match.groupdict()
        elif current and (match := (_WHERE.match(line) or _THREAD.match(line))):
            current |= match.groupdict()
        elif current and (match := _ADDRESS.match(line)):
            current |= match.groupdict()
            key = (current["kind"], current["fault"], current.get("line"))
            if key not in seen:
                seen.add(key)
                yield _finding(current, tensors, path)
            current = {}


def _finding(report: dict[str, str], tensors: list[_Tensor], path: Path) -> Finding:
    address = int(report["address"], 16)
    values: dict[str, object] = {
        "size": int(report["size"]),
        "thread": report.get("thread", "?").replace(",", ", "),
        "block": report.get("block", "?").replace(",", ", "),
        "place": _place(address, tensors, report["space"]),
    }
    line = int(report["line"]) if "line" in report else None
    file = str(path) if Path(report.get("file", path.name)).name == path.name else report["file"]
    if report["fault"] == "misaligned":
        code, chapter = "misaligned-access", "02-05-vector-loads#vectors"
    else:
        code = "out-of-bounds-read" if report["kind"] == "read" else "out-of-bounds-write"
        chapter = "01-04-bounds#bounds"
    return Finding(code, Message(f"cuda.{code}", values), file, line, "error", chapter)


def _place(address: int, tensors: list[_Tensor], space: str) -> Message:
    """Where the address lies, as an index into the nearest tensor."""
    if space == "shared":
        return Message("cuda.place-shared")
    if not tensors:
        return Message("cuda.place-unknown")
    near = min(tensors, key=lambda t: max(t.start - address, address - (t.start + t.bytes - 1), 0))
    values = {
        "name": near.name,
        "index": (address - near.start) // near.itemsize,
        "count": near.bytes // near.itemsize,
    }
    return Message("cuda.place-element", values)

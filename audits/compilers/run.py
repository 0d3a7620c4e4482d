"""The counts of several C++ compilers, as the kernels are written: what another makes of a kernel than g++ does.

But:    g++ is what the others are held to. Where it says itself that nvcc may do better, the other may have done so.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from audits import command, records
from audits.records import took
from audits.words import in_each
from onekernel.bench import device
from onekernel.course import find_root
from onekernel.errors import UserError
from onekernel.messages import Message, say
from onekernel.simulator.compilation.compiler import compiler, compilers

EQUAL, SAID, OF_GCC, SILENT = "equal", "said", "of-gcc", "silent"
ENDS = (EQUAL, SAID, OF_GCC, SILENT)
_SPACES = {True: "shared", False: "global"}
Counted = dict[str, dict[str, Any]]


def main(argv: Sequence[str]) -> int:
    options, root = _parser().parse_args(argv), find_root()
    there = [name for name in options.only or _here() if shutil.which(name)]
    if options.dry_run:
        print(say("bench.dry-run-here", command="python -m audits.compilers"))
        print("  " + ", ".join(there))
        return 0
    began, path = time.perf_counter(), options.out or records.results(root) / "cpu" / "compilers.json"
    counted = {name: _counted(name) for name in there}
    versions = {name: compiler(name).version for name in there}
    ends = {name: ended(counted[there[0]], counted[name]) for name in there[1:]}
    records.write(path, {
        "bench": "compilers",
        "command": "python -m audits.compilers",
        "date": date.today().isoformat(),
        "machine": device.machine(),
        "versions": {"python": platform.python_version(), **versions},
        "ends": ends,
        "tables": {"counts": table(ends, versions)},
        "took": took(began),
    })  # fmt: skip
    print(say("bench.written", path=path))
    silent = [f"{name}: {kernel}" for name, all_ in ends.items() for kernel, end in all_.items() if end == SILENT]
    print("\n".join(silent))
    return int(bool(silent))


def _here() -> list[str]:
    """By name, g++ before others: it is what they are held to."""
    return [Path(c.path).name for c in sorted(compilers(), key=lambda c: c.family != "g++")]


def ended(base: Counted, other: Counted) -> dict[str, str]:
    """What became of each kernel that `base` launches: one of ENDS."""
    return {name: _end(one, other.get(name, {})) for name, one in base.items() if one.get("launches")}


def _end(base: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    mine, theirs = base["launches"], other.get("launches", [])
    if base["found"] != other.get("found") or [a["kernel"] for a in mine] != [b["kernel"] for b in theirs]:
        return SILENT
    end = EQUAL
    for a, b in zip(mine, theirs, strict=True):
        where = {_SPACES["shared" in metric] for metric in a["metrics"] if a["metrics"][metric] != b["metrics"][metric]}
        if where <= set(b["uncertain"]):
            end = SAID if where else end
        elif where <= {*a["uncertain"], *b["uncertain"]}:
            end = OF_GCC
        else:
            return SILENT
    return end


def table(ends: Mapping[str, Mapping[str, str]], versions: Mapping[str, str]) -> dict[str, Any]:
    """A compiler a row: of how many kernels its counts are g++'s, and what is said of the others."""
    rows = [[f"`{name}` ({versions[name]})", str(len(all_)), *(str([*all_.values()].count(end)) for end in ENDS)]
            for name, all_ in ends.items()]  # fmt: skip
    return {"columns": [in_each(f"compilers-{key}") for key in ("name", "kernels", *ENDS)], "rows": rows}


def _counted(name: str) -> Counted:
    """In a process of its own: the compiler is the environment's."""
    words = [sys.executable, "-m", "audits.compilers.count"]
    done = subprocess.run(words, env={**os.environ, "ONEKERNEL_CXX": name}, capture_output=True, text=True, check=False)
    if done.returncode:
        why = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        raise UserError(Message.of("bench.compiler-failed", compiler=name, why=why[-1]))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line.pop("name"): line for line in lines}


def _parser() -> argparse.ArgumentParser:
    parser = command.parser("compilers", "audits.compilers")
    command.option(parser, "compilers", "--only", nargs="+", metavar="CXX")
    command.option(parser, "compilers", "--out", type=Path, metavar="FILE")
    return parser

"""The matrix of machines: a cell is a Python, a PyTorch with its Triton, a C++ compiler, and maybe an nvcc or a GPU.

    make matrix                                   the cells, and which of them can be had on this machine
    make matrix CELL=py3.12-torch2.15-clang16     runs one in an environment of its own, and records what it found
    python -m audits.matrix --here                the same on the packages of this very interpreter, without a network

A cell grades solutions, those that cells.toml names or with --whole all of the course, then runs the tests that depend
on what a cell is made of. What it found is one entry of results/matrix.json, from which the pages' table is written.
Needs nothing but the standard library: run with PYTHONPATH=src it is there before any package is.

But: packages come from the index that uv or pip is set up with; a CPU build of PyTorch stands for the CUDA one.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from audits import records
from audits.records import processor_seconds
from audits.words import in_each, in_numbers
from onekernel import __version__
from onekernel.arguments import Parser, choose_language
from onekernel.backends.gpus import gpu_names, gpu_present
from onekernel.bench import device
from onekernel.errors import UserError, told
from onekernel.messages import Message, say

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "audits" / "results" / "matrix.json"
ENVIRONMENTS = ROOT / "build" / "matrix"
FACTS = tomllib.loads((ROOT / "audits" / "cells.toml").read_text(encoding="utf-8"))
GPU = "gpu"
_NAME = re.compile(
    r"py(?P<python>[\d.]+)-torch(?P<torch>[\d.]+)-(?P<compiler>[^-]+)(?:-(?P<nvcc>nvcc[\d.]*))?(?P<gpu>-gpu)?"
)
_NVCC_PARTS = "cuda-toolkit[nvcc,nvvm,crt,cudart,cccl]"
# What an interpreter says of what it would run a cell with.
_VERSIONS = """
import json, platform
from importlib import metadata
packages = {name: metadata.version(name) for name in ("torch", "triton", "numpy")}
print(json.dumps({"python": platform.python_version(), **packages}))
"""
_ONEKERNEL = "import sys; from onekernel.cli import main; sys.exit(main(sys.argv[1:]))"


@dataclass(frozen=True)
class Cell:
    """What a name says: versions of Python and PyTorch, keys of [compiler] and, or "", of [nvcc]; whether on a GPU."""

    python: str
    torch: str
    compiler: str
    nvcc: str = ""
    gpu: bool = False

    @property
    def name(self) -> str:
        parts = (f"py{self.python}", f"torch{self.torch}", self.compiler, self.nvcc, GPU if self.gpu else "")
        return "-".join(filter(None, parts))

    @property
    def cxx(self) -> str:
        """The compiler's command."""
        return str(FACTS["compiler"][self.compiler])


def parsed(name: str) -> Cell:
    """The cell of that name. Raises UserError for one that cells.toml has no values for."""
    found = _NAME.fullmatch(name)
    parts = found.groupdict("") if found else {}
    cell = Cell(**{axis: parts[axis] for axis in parts if axis != GPU}, gpu=bool(parts[GPU])) if parts else None
    if cell is None or not _known(cell):
        axes = {"python": FACTS["python"]["versions"], **{axis: FACTS[axis] for axis in ("torch", "compiler", "nvcc")}}
        known = {axis: ", ".join(values) for axis, values in axes.items()}
        raise UserError(Message.of("bench.matrix-no-cell", name=name, **known))
    return cell


def _known(cell: Cell) -> bool:
    return (
        cell.python in FACTS["python"]["versions"]
        and cell.torch in FACTS["torch"]
        and cell.compiler in FACTS["compiler"]
        and cell.nvcc in ("", *FACTS["nvcc"])
    )


def missing(cell: Cell) -> Message | None:
    """Why the cell cannot be had on this machine, as far as that is known before anything is installed."""
    if _interpreter(cell.python) is None:
        return Message.of("bench.matrix-missing", what=f"python{cell.python}")
    if shutil.which(cell.cxx) is None:
        return Message.of("bench.matrix-missing", what=cell.cxx)
    if cell.gpu and not gpu_present():
        return Message.of("bench.matrix-missing", what="GPU")
    return None


def _interpreter(version: str) -> str | None:
    """A python of that version: on PATH, or one of pyenv's."""
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for found in (shutil.which(f"python{version}"), *map(str, sorted(pyenv.glob(f"{version}.*/bin/python{version}")))):
        if found and not subprocess.run([found, "-c", ""], capture_output=True).returncode:  # pyenv's shims may refuse
            return found
    return None


def _installed(folder: Path, made_with: str, *wanted: str) -> Path:
    """The python of an environment with these packages, made now unless it is whole. Raises UserError.

    uv makes it where it is installed, else venv and pip do.
    """
    uv, python, whole = shutil.which("uv"), folder / "bin" / "python", folder / "whole"
    if whole.is_file():
        return python
    create = [uv, "venv", "-q", "--clear", "--python", made_with] if uv else [made_with, "-m", "venv", "--clear"]
    install = [uv, "pip", "install", "--python", str(python)] if uv else [str(python), "-m", "pip", "install"]
    for words in ([*create, str(folder)], [*install, "-q", *wanted]):
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            last = next(filter(None, reversed(done.stderr.splitlines())), "-")
            raise UserError(Message.of("bench.matrix-not-installed", what=", ".join(wanted), why=last))
    whole.touch()
    return python


def environment(cell: Cell) -> tuple[str, dict[str, str]]:
    """Makes what the cell runs in, or finds what another of the same packages left: its python, its variables."""
    made_with, settings = _interpreter(cell.python), {}
    assert made_with
    # Editable, as the README installs it, and resolved together: the bounds of pyproject.toml hold here, too.
    packages = f"torch=={cell.torch}.*", f"triton=={FACTS['torch'][cell.torch]}.*"
    python = _installed(ENVIRONMENTS / f"py{cell.python}-torch{cell.torch}", made_with, *packages, "-e", ".[test]")
    if cell.nvcc:
        # Apart: PyTorch's wheels want one version of the toolkit's parts, the compiler's another.
        toolkit = _installed(ENVIRONMENTS / cell.nvcc, made_with, _NVCC_PARTS + FACTS["nvcc"][cell.nvcc]).parents[1]
        settings["CUDA_HOME"] = str(next((toolkit / "lib").glob("python*/site-packages/nvidia/cu13")))
    return str(python), settings


def run(cell: Cell, python: str, settings: Mapping[str, str], command: str, whole: bool) -> dict[str, Any]:
    """The cell's entry: when, on what, with which versions, and what the course's solutions and the tests came to."""
    kept = ENVIRONMENTS / "cache" / cell.name
    nvcc = {} if cell.nvcc else {"ONEKERNEL_NVCC": "off"}
    surroundings = {
        **os.environ, "ONEKERNEL_CXX": cell.cxx, **settings, **nvcc, "ONEKERNEL_CACHE": str(kept),
        "TRITON_CACHE_DIR": str(kept / "triton"), "ONEKERNEL_LANG": "en",
        "ONEKERNEL_TEST_NVCC": "on" if cell.nvcc else "off",
    }  # fmt: skip
    began = processor_seconds(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        course = _course(cell, python, surroundings, Path(folder) / "card.json", whole)
        tests = _tests(cell, python, surroundings, Path(folder) / "junit.xml")
    return {
        "date": _today(),
        "machine": device.machine(),
        "command": command,
        "versions": _versions(cell, python, surroundings),
        "course": course,
        "tests": tests,
        "processor_s": round(processor_seconds(resource.RUSAGE_CHILDREN) - began),
    }


def _course(cell: Cell, python: str, surroundings: Mapping[str, str], card: Path, whole: bool) -> dict[str, Any]:
    """The points of the solutions, and the exercises that earned fewer than can be assessed on such a machine."""
    words = ["check", "--solutions", "--device", "cuda" if cell.gpu else "simulator", "--json", str(card)]
    asked = [] if whole else FACTS["course"]["exercises"]
    done = subprocess.run([python, "-c", _ONEKERNEL, *words, *asked], cwd=ROOT, env=surroundings)
    if not card.is_file():
        raise UserError(Message.of("bench.matrix-not-graded", status=done.returncode))
    graded = records.read(card)
    return {
        "exercises": len(graded["results"]), "earned": graded["earned"], "assessed": graded["assessed"],
        "short": {r["exercise"]: _failures(r) for r in graded["results"] if r["earned"] < r["assessed"]},
    }  # fmt: skip


def _failures(result: Mapping[str, Any]) -> list[str]:
    """The codes of what an exercise lost points for."""
    return sorted({failure["code"] for verdict in result["verdicts"] for failure in verdict["failures"]})


def _tests(cell: Cell, python: str, surroundings: Mapping[str, str], junit: Path) -> dict[str, Any]:
    """How many tests passed, failed and were skipped, and which failed."""
    words = ["-m", "pytest", "-q", "-m", "not slow", f"--junit-xml={junit}"]
    words += ["--device", "cuda"] * cell.gpu
    done = subprocess.run([python, *words, *FACTS["tests"]["paths"]], cwd=ROOT, env=surroundings)
    if done.returncode > 1:  # 1 is a test that failed
        raise UserError(Message.of("bench.matrix-not-tested", status=done.returncode))
    cases = list(ET.parse(junit).iter("testcase"))
    failed = [c for c in cases if c.find("failure") is not None or c.find("error") is not None]
    skipped = sum(c.find("skipped") is not None for c in cases)
    return {
        "passed": len(cases) - len(failed) - skipped, "failed": len(failed), "skipped": skipped,
        "names": sorted(f"{c.get('classname')}::{c.get('name')}" for c in failed),
    }  # fmt: skip


def _today() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d")


def _output(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def _version(compiler: str) -> str:
    """What a compiler's --version calls it: "13.3.0"."""
    found = re.search(r"\d+\.\d+\.\d+", _output(compiler, "--version"))
    return found[0] if found else "?"


def _versions(cell: Cell, python: str, surroundings: Mapping[str, str]) -> dict[str, str]:
    """What the cell is really made of."""
    found: dict[str, str] = json.loads(_output(python, "-c", _VERSIONS))
    found["c++"] = _version(surroundings["ONEKERNEL_CXX"])
    if cell.nvcc:
        found["nvcc"] = _version(str(Path(surroundings["CUDA_HOME"]) / "bin" / "nvcc"))
    if cell.gpu:
        found["gpu"] = ", ".join(gpu_names())
    return found


def here() -> tuple[Cell, dict[str, str]]:
    """The cell that this interpreter is, by what it finds on this machine, and the variables that let it be run so."""
    found = json.loads(_output(sys.executable, "-c", _VERSIONS))
    python, torch = (".".join(found[name].split(".")[:2]) for name in ("python", "torch"))
    cxx = os.environ.get("ONEKERNEL_CXX") or next(filter(shutil.which, ("g++", "clang++")), "")
    if not cxx:
        raise UserError(Message.of("bench.matrix-missing", what="g++"))
    compiler = ("clang" if "clang" in _output(cxx, "--version") else "g++") + _version(cxx).split(".")[0]
    from onekernel.cuda import nvcc  # with NumPy, which is there on an interpreter that can be a cell

    settings = {"ONEKERNEL_CXX": cxx, "PYTHONPATH": str(ROOT / "src")}
    release, toolkit = "", nvcc.find()
    if toolkit is not None:
        settings["CUDA_HOME"] = str(toolkit.home)
        release = "nvcc13.0" if toolkit.version == "13.0" else "nvcc13"
    return parsed(Cell(python, torch, compiler, release, gpu_present()).name), settings


def listed() -> list[str]:
    """A line for each cell: its name, and when it was run or why it cannot be had here."""
    entries = records.read(RESULTS)["cells"] if RESULTS.is_file() else {}
    lines = []
    for name in FACTS["matrix"]["cells"]:
        why, entry = missing(parsed(name)), entries.get(name, {})
        lines.append(f"{name:44} {entry.get('date', '-'):10}  {why or say('bench.matrix-here')}")
    return lines


def keep(name: str, entry: Mapping[str, Any]) -> None:
    """Writes a cell's entry into the record, and the record's table anew."""
    entries = records.read(RESULTS)["cells"] if RESULTS.is_file() else {}
    if "missing" not in entry or "missing" in entries.get(name, {"missing": True}):  # what was once run stays
        entries[name] = dict(entry)
    order = [*FACTS["matrix"]["cells"], *sorted(entries)]
    entries = {known: entries[known] for known in dict.fromkeys(order) if known in entries}
    records.write(RESULTS, {
        "bench": "matrix",
        "command": "make matrix CELL=NAME",
        "date": max(entry["date"] for entry in entries.values()),
        "machine": "; ".join(dict.fromkeys(entry["machine"] for entry in entries.values())),
        "versions": {"onekernel": __version__},
        "cells": entries,
        "tables": {"cells": table(entries)},
    })  # fmt: skip


def table(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A cell a row: exact versions, points of the course, tests, processor time, date."""
    columns = [in_each(f"matrix-{key}") for key in ("cell", "versions", "course", "tests", "seconds", "date")]
    return {"columns": columns, "rows": [_row(name, entry) for name, entry in entries.items()]}


def _row(name: str, entry: Mapping[str, Any]) -> list[Any]:
    if "missing" in entry:
        return [f"`{name}`", in_each("matrix-not-had", what=entry["missing"]), "-", "-", "-", entry["date"]]
    course, tests = entry["course"], entry["tests"]
    points = in_each("matrix-points", earned=course["earned"], points=course["assessed"], count=course["exercises"])
    counts = in_numbers("{:,}, {:,}, {:,}", *(tests[kind] for kind in ("passed", "failed", "skipped")))
    versions = ", ".join(f"{what} {version}" for what, version in entry["versions"].items())
    return [f"`{name}`", versions, points, counts, str(entry["processor_s"]), entry["date"]]


def main(argv: Sequence[str]) -> int:
    parser = Parser(prog="python -m audits.matrix", description=say("bench.about-matrix"))
    parser.add_argument("cells", nargs="*", metavar="CELL", help=say("bench.opt-matrix-cells"))
    parser.add_argument("--here", action="store_true", help=say("bench.opt-matrix-here"))
    parser.add_argument("--whole", action="store_true", help=say("bench.opt-matrix-whole"))
    options = parser.parse_args(argv)
    if options.here:
        cell, settings = here()
        return _kept(cell, sys.executable, settings, "PYTHONPATH=src python -m audits.matrix --here", options.whole)
    if not options.cells:
        print("\n".join(listed()))
    bad = 0
    for cell in [parsed(name) for name in options.cells]:
        if why := missing(cell):
            keep(cell.name, {"missing": why.values["what"], "machine": device.machine(), "date": _today()})
            raise UserError(why)
        bad |= _kept(cell, *environment(cell), f"make matrix CELL={cell.name}", options.whole)
    return bad


def _kept(cell: Cell, python: str, settings: Mapping[str, str], command: str, whole: bool) -> int:
    entry = run(cell, python, settings, command + " --whole" * whole, whole)
    keep(cell.name, entry)
    print(say("bench.written", path=RESULTS))
    return int(bool(entry["course"]["short"] or entry["tests"]["failed"]))


if __name__ == "__main__":
    choose_language(sys.argv[1:])
    sys.exit(told(lambda: main(sys.argv[1:])))

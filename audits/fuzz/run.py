"""Every reader of what a submission holds, given files that were changed at random: each must be read or refused in a
sentence, soon.

A reader is called as the grader calls it, but in this process where that process apart has its limits already: what
would end it there counts as an end in a sentence, too.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from audits import command, records
from audits.fuzz.mutate import mutated
from audits.words import in_each, in_numbers
from onekernel import units
from onekernel.backends.base import BuildError
from onekernel.bench import device
from onekernel.checks.log.rounds import rounds
from onekernel.course import find_root
from onekernel.errors import UserError
from onekernel.messages import say
from onekernel.sandbox import arrays, protocol, readers
from onekernel.sandbox.arrays import ArraysError
from onekernel.sandbox.protocol import Forged
from onekernel.sandbox.reasons import words_of_reasons
from onekernel.simulator.rewrite import rewrite

FILES = 10_000  # of each kind, but for CUDA: the simulator's rewriting takes 20 ms of each
SECONDS = 5.0  # no verdict takes longer
SEED = 20_261_122
SENTENCES: tuple[type[Exception], ...] = (UserError, BuildError, SyntaxError, Forged, ArraysError, FileNotFoundError)
APART = (MemoryError, RecursionError, ValueError)  # of the parser: its process may end (onekernel.sandbox.reader)


@dataclass(frozen=True)
class Kind:
    """A kind of file: what it is made from, what reads it, and what else may come of the reading."""

    name: str
    seeds: Callable[[Path], list[bytes]]
    read: Callable[[bytes, Path], object]
    also: tuple[type[Exception], ...] = ()
    files: int = FILES


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _cuda(data: bytes, folder: Path) -> object:
    path = folder / "softmax_naive.cu"
    path.write_bytes(data)
    return rewrite(path)


def _python(data: bytes, folder: Path) -> object:
    text = _text(data)
    return readers.constants(text), readers.figures(text), readers.peeks(text), words_of_reasons(text)


def _log(data: bytes, folder: Path) -> object:
    return [r.missing([]) for r in rounds(_text(data))]


def _number(data: bytes, folder: Path) -> object:
    return units.parse(_text(data))


def _report(data: bytes, folder: Path) -> object:
    (folder / "0.json").write_bytes(data)
    return protocol.read_report(folder / "0.json", folder / "a.cu")


def _arrays(data: bytes, folder: Path) -> object:
    return arrays.unpack(data)


def kinds() -> list[Kind]:
    """Every kind of file that a submission, or the process that runs it, hands to a reader of ours."""
    return [
        Kind("cuda", lambda root: _read(root, "solutions/*.cu", "tests/wrong/add_*.cu"), _cuda, files=2_000),
        Kind("python", lambda root: _read(root, "solutions/*.py"), _python, APART),
        Kind("log", lambda root: _read(root, "solutions/tuning_log.md", "solutions/*.md", "kernels/*.md"), _log),
        Kind("number", lambda root: [b"100.7 MB", b"33,69 MB", b"0.167 FLOP/byte", b"1_000_000", b"1e9 B/s"], _number),
        Kind("report", _reports, _report),
        Kind("arrays", _packed, _arrays),
    ]  # fmt: skip


def _read(root: Path, *patterns: str) -> list[bytes]:
    return [path.read_bytes() for pattern in patterns for path in sorted(root.glob(pattern))]


def _reports(root: Path) -> list[bytes]:
    message = {"key": "grading.timed-out", "values": {"seconds": 3.5}}
    finding = {"code": "race", "message": message, "file": "a.cu", "line": 3, "severity": "error", "chapter": None}
    kernel = {"name": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "metrics": {}, "buffers": [], "lines": []}
    report = {"status": 0, "status_name": "cudaSuccess", "findings": [finding], "kernels": [kernel], "seconds": 0.1}
    return [json.dumps(report).encode(), json.dumps({**report, "kernels": []}).encode()]


def _packed(root: Path) -> list[bytes]:
    import numpy as np

    return [arrays.pack({"y": np.arange(12, dtype=np.float32).reshape(3, 4), "n": np.array(3)}), arrays.pack({})]


def tried(kind: Kind, root: Path, files: int, seed: int) -> dict[str, Any]:
    """What came of `files` changed files: how many were read, how many ended in a sentence, and what else there was."""
    chance, seeds, ends = random.Random(f"{seed} {kind.name}"), kind.seeds(root), Counter[str]()
    slowest, other = 0.0, []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(files):
            data = mutated(chance.choice(seeds), seeds, chance)
            began = time.process_time()
            try:
                kind.read(data, folder)
                ends["read"] += 1
            except (*SENTENCES, *kind.also):
                ends["refused"] += 1
            except Exception as error:  # what this bench is there to find
                ends["other"] += 1
                other.append({"number": number, "error": f"{type(error).__name__}: {error}"[:200]})
            slowest = max(slowest, time.process_time() - began)
    return {"files": files, **{k: ends[k] for k in ("read", "refused", "other")}, "slowest_s": round(slowest, 2),
            "first": other[:5]}  # fmt: skip


def main(argv: Sequence[str]) -> int:
    options, root = _parser().parse_args(argv), find_root()
    known = kinds()
    command.names(options.only or [], [k.name for k in known])
    if options.dry_run:
        print(say("bench.dry-run-here", command="python -m audits.fuzz"))
        print("  " + records.expected(root, "fuzz").text())
        return 0
    path = options.output or records.results(root) / "cpu" / "fuzz.json"
    found = dict(records.read(path)["kinds"]) if path.is_file() else {}
    sys.setrecursionlimit(1000)
    for kind in known:
        if not options.only or kind.name in options.only:
            found[kind.name] = tried(kind, root, kind.files, SEED)
    rows = [
        [in_each(f"fuzz-{name}"), *(in_numbers("{:,}", one[k]) for k in ("files", "read", "refused", "other")),
         in_numbers("{:.2f}", one["slowest_s"])]
        for name, one in found.items()
    ]  # fmt: skip
    columns = [in_each(f"fuzz-{name}") for name in ("kind", "files", "read", "refused", "other", "slowest")]
    records.write(path, {
        "bench": "fuzz", "command": "python -m audits.fuzz", "date": date.today().isoformat(),
        "machine": device.machine(),
        "versions": {"python": sys.version.split()[0]},
        "kinds": found, "tables": {"kinds": {"columns": columns, "rows": rows}},
    })  # fmt: skip
    print(say("bench.written", path=path))
    bad = any(one["other"] or one["slowest_s"] > SECONDS for one in found.values())
    return 1 if bad else 0


def _parser() -> argparse.ArgumentParser:
    parser = command.parser("fuzz", "audits.fuzz")
    command.option(parser, "fuzz", "--only", nargs="+", metavar="KIND")
    command.option(parser, "fuzz", "--output", type=Path, metavar="FILE")
    return parser

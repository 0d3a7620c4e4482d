"""Mutation testing of the graders: wrong kernels made from right ones, and which of them are found out.

But:    a survivor is a question: an input is missing, or the change does not matter. `equivalent.toml` says why it does
        not; what has no reason there stands in the table as what the graders do not see.
"""

from __future__ import annotations

import argparse
import platform
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

from onekernel.bench import command, device, records
from onekernel.bench.mutants import good
from onekernel.bench.mutants.equivalent import reason
from onekernel.bench.mutants.files import Original, originals
from onekernel.bench.mutants.grading import graded
from onekernel.bench.mutants.mutations import Mutant, mutants
from onekernel.bench.timing import took
from onekernel.course import Course, find_root
from onekernel.labs.reader import load
from onekernel.messages import say

SEED = 20_261_122
Recorded = list[dict[str, Any]]


def main(argv: Sequence[str]) -> int:
    options, root = _parser().parse_args(argv), find_root()
    chosen = [o for o in originals(root) if not options.only or o.path.stem in options.only]
    command.names(options.only or [], [o.path.stem for o in originals(root)])
    if options.dry_run:
        print(say("bench.dry-run-here", command="python bench/mutants.py"))
        wanted = sum(len(mutants(o.path, o.most)) for o in chosen)
        print("  " + say("bench.mutants-line", mutants=wanted, files=len(chosen)))
        print("  " + records.expected(root, "mutants").text())
        return 0
    began, path = time.perf_counter(), options.output or records.results(root) / "cpu" / "mutants.json"
    result: dict[str, Any] = {"files": {}, "took": {"wall_s": 0.0}}
    if path.is_file() and (options.only or options.survivors or options.resume or options.right):
        result = records.read(path)
    course, earlier = load(root), float(result["took"]["wall_s"])
    if options.right:
        for found in _right(root, course):
            result["right"] = found
            records.write(path, result)
        print(say("bench.written", path=path))
        return 0
    for original in chosen:
        recorded = result["files"].get(original.path.name, [])
        if options.survivors:
            recorded = [m for m in recorded if m["by"] or reason(original.path.name, m)]
        known = recorded if options.survivors or options.resume else []
        for ended in _file(course, original, known, options.jobs):
            result["files"][original.path.name] = ended
            result |= {
                "bench": "mutants",
                "command": "python bench/mutants.py",
                "date": date.today().isoformat(),
                "machine": device.machine(),
                "versions": {"python": platform.python_version()},
                "took": took(began) | {"wall_s": earlier + time.perf_counter() - began},
            }
            records.write(path, result)
        print(_line(original.path.name, result["files"][original.path.name]), flush=True)
    print(say("bench.written", path=path))
    return 0


def _right(root: Path, course: Course) -> Iterator[dict[str, Any]]:
    """What became of right kernels, operator by operator, with the date."""
    found: dict[str, Any] = {"date": date.today().isoformat(), "operators": {}}
    with tempfile.TemporaryDirectory(prefix="onekernel-right-") as folder:
        for operator, one in good.measure(root, course, Path(folder)):
            found["operators"][operator] = one
            values = {"operator": operator, "files": len(one["files"]), **{k: one[k] for k in ("seeds", "calls")}}
            print(say("bench.right-line", refused=len(one["refused"]), **values), flush=True)
            for refusal in one["refused"][:5]:
                print(f"    {refusal}")
            yield found


def _file(course: Course, original: Original, known: Recorded, jobs: int) -> Iterator[Recorded]:
    """The mutants of one file as they are graded, `jobs` at a time: all that are done so far. Those of `known` stay."""
    done = {(m["line"], m["after"]): m for m in known}

    def one(mutant: Mutant) -> dict[str, Any]:
        if (mutant.line, mutant.after) in done:
            return done[mutant.line, mutant.after]
        line = {"rule": mutant.rule, "line": mutant.line, "before": mutant.before, "after": mutant.after}
        explained = reason(original.path.name, line) is not None
        with tempfile.TemporaryDirectory(prefix="onekernel-mutant-") as folder:
            path = Path(folder) / original.path.name
            path.write_text(original.answers(mutant.text), encoding="utf-8")
            end = graded(original, course, path, SEED, explained=explained)
        return {**line, "end": end.end, "by": list(end.by)}

    found: Recorded = []
    jobs = jobs if len(original.cards) == 1 else 1  # the card is this process's environment
    with original.on(original.cards[0]), ThreadPoolExecutor(jobs) as pool:
        for ended in pool.map(one, mutants(original.path, original.most)):
            found.append(ended)
            yield found


def _line(name: str, found: Iterable[dict[str, Any]]) -> str:
    ends = [m["end"] for m in found]
    open_ = [m for m in found if m["end"] == "survived" and not reason(name, m)]
    text = f"{name:28}" + "".join(f"{ends.count(e):>5} {e}" for e in ("killed", "survived", "refused"))
    return "\n".join([text, *(f"    {m['line']}: {m['before']}  ->  {m['after']}" for m in open_)])


def _parser() -> argparse.ArgumentParser:
    parser = command.parser("mutants")
    command.option(parser, "mutants", "--only", nargs="+", metavar="FILE")
    command.option(parser, "mutants", "--survivors", action="store_true")
    command.option(parser, "mutants", "--resume", action="store_true")
    command.option(parser, "mutants", "--right", action="store_true")
    command.option(parser, "mutants", "--jobs", type=int, default=1, metavar="N")
    command.option(parser, "mutants", "--output", type=Path, metavar="FILE")
    return parser

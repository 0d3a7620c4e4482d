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
from concurrent.futures import as_completed
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from audits import command, dealt, records
from audits.mutants import good
from audits.mutants.equivalent import reason
from audits.mutants.files import Original, every
from audits.mutants.grading import graded
from audits.mutants.mutations import Mutant
from audits.mutants.tables import tables
from audits.records import took
from onekernel.arguments import DEVICES, device_of
from onekernel.bench import device
from onekernel.course import find_root
from onekernel.labs.reader import load
from onekernel.messages import say

SEED = 20_261_122
Recorded = list[dict[str, Any]]


def main(argv: Sequence[str]) -> int:
    options, root = _parser().parse_args(argv), find_root()
    chosen = [o for o in every(root) if not options.only or Path(o.name).stem in options.only]
    command.names(options.only or [], [Path(o.name).stem for o in every(root)])
    if options.dry_run:
        print(say("bench.dry-run-here", command="python -m audits.mutants"))
        wanted = sum(len(o.mutants()) for o in chosen)
        print("  " + say("bench.mutants-line", mutants=wanted, files=len(chosen)))
        print("  " + records.expected(root, "mutants").text())
        return 0
    on_gpu = options.device == "cuda"
    if on_gpu and not command.has_gpu("dry-run-instead"):
        return 0
    card = device.current() if on_gpu else None
    began, path = time.perf_counter(), options.output or _results(root, card)
    result: dict[str, Any] = {"files": {}, "took": {"wall_s": 0.0}}
    if path.is_file() and (options.only or options.survivors or options.resume or options.right):
        result = records.read(path)
    earlier = float(result["took"]["wall_s"])
    if options.right:
        for found in _right(root, options, result.get("right", {}) if options.resume else {}):
            result["right"] = found
            records.write(path, result | {"tables": tables(result)})
        print(say("bench.written", path=path))
        return 0
    files: dict[str, Recorded] = result["files"]
    known = {o.name: _known(o.name, files, options) for o in chosen}
    survived = records.read(_results(root, None))["files"] if card else None
    facts = {"device": asdict(card), **device.provenance()} if card else {"command": "python -m audits.mutants"}
    for original, ended in _graded(root, chosen, known, survived, options.jobs):
        files[original.name] = ended
        result |= {
            "bench": "mutants",
            "date": date.today().isoformat(),
            "machine": device.machine(),
            "versions": {"python": platform.python_version()},
            **facts,
            "took": took(began) | {"wall_s": earlier + time.perf_counter() - began},
        }
        records.write(path, result | {"tables": tables(result)})
    for original in chosen:
        print(_line(original.name, files.get(original.name, [])))
    print(say("bench.written", path=path))
    return 0


def _results(root: Path, card: device.Device | None) -> Path:
    return records.results(root) / (card.slug if card else "cpu") / "mutants.json"


def _known(name: str, files: dict[str, Recorded], options: argparse.Namespace) -> Recorded:
    """What is recorded of a file and stays: all with --resume, what is not open with --survivors."""
    recorded = files.get(name, []) if options.survivors or options.resume else []
    return [m for m in recorded if not options.survivors or m["by"] or reason(name, m)]


def _right(root: Path, options: argparse.Namespace, known: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What became of right kernels, file by file, with the date: all that is known so far."""
    found: dict[str, Any] = {"date": "", "machine": device.machine(), "operators": known.get("operators", {})}
    counted = {name: each["seeds"] for one in found["operators"].values() for name, each in one["files"].items()}
    for operator, name, seeds, calls, refused in good.measure(root, load(root), options.jobs, options.seeds, counted):
        one = found["operators"].setdefault(operator, {"files": {}, "refused": []})
        before = one["files"].get(name, {"seeds": 0, "calls": 0})
        one["files"][name] = {"seeds": before["seeds"] + seeds, "calls": before["calls"] + calls}
        one["refused"] += refused
        print(say("bench.right-line", file=name, refused=len(refused), **one["files"][name]), flush=True)
        for refusal in refused[:5]:
            print(f"    {refusal}")
        found["date"] = date.today().isoformat()
        yield found


def _graded(
    root: Path, chosen: Sequence[Original], known: dict[str, Recorded], simulated: dict[str, Recorded] | None, jobs: int
) -> Iterator[tuple[Original, Recorded]]:
    """The mutants of the files as they are graded, in `jobs` processes: a file and all that is known of it so far, in
    the mutants' order. What is `known` stays. `simulated`, what became of them on the simulator, has a GPU grade those
    that survived there."""
    every = {o.name: o.mutants() for o in chosen}
    on = "simulator" if simulated is None else "cuda"
    if simulated is not None:
        left = {(name, m["line"], m["after"]) for name, ended in simulated.items() for m in ended if not m["by"]}
        every = {name: [m for m in made if (name, m.line, m.after) in left] for name, made in every.items()}
    done = {name: {(m["line"], m["after"]): m for m in recorded} for name, recorded in known.items()}
    wanted = [(o, m) for o in chosen for m in every[o.name] if (m.line, m.after) not in done[o.name]]
    pool = dealt.pool(jobs, on)
    try:
        asked = {pool.submit(_one, root, original, mutant, on): original for original, mutant in wanted}
        for ended in as_completed(asked):
            name, found = asked[ended].name, ended.result()
            done[name][found["line"], found["after"]] = found
            yield asked[ended], [done[name][key] for m in every[name] if (key := (m.line, m.after)) in done[name]]
    finally:
        pool.shutdown(cancel_futures=True)


def _one(root: Path, original: Original, mutant: Mutant, on: str) -> dict[str, Any]:
    """One mutant, graded in this process."""
    line = {"rule": mutant.rule, "line": mutant.line, "before": mutant.before, "after": mutant.after}
    explained = on != "cuda" and reason(original.name, line) is not None
    with tempfile.TemporaryDirectory(prefix="onekernel-mutant-") as folder:
        path = Path(folder) / original.name
        path.write_text(original.answers(mutant.text), encoding="utf-8")
        end = graded(original, load(root), path, on, SEED, explained=explained)
    return {**line, "end": end.end, "by": list(end.by)}


def _line(name: str, found: Iterable[dict[str, Any]]) -> str:
    ends = [m["end"] for m in found]
    open_ = [m for m in found if m["end"] == "survived" and not reason(name, m)]
    text = f"{name:28}" + "".join(f"{ends.count(e):>5} {e}" for e in ("killed", "survived", "refused"))
    return "\n".join([text, *(f"    {m['line']}: {m['before']}  ->  {m['after']}" for m in open_)])


def _parser() -> argparse.ArgumentParser:
    parser = command.parser("mutants", "audits.mutants")
    command.option(parser, "mutants", "--only", nargs="+", metavar="FILE")
    command.option(parser, "mutants", "--device", choices=DEVICES[1:], type=device_of, default="simulator")
    command.option(parser, "mutants", "--survivors", action="store_true")
    command.option(parser, "mutants", "--resume", action="store_true")
    command.option(parser, "mutants", "--right", action="store_true")
    command.option(parser, "mutants", "--seeds", type=int, default=good.SEEDS, metavar="N")
    command.option(parser, "mutants", "--jobs", type=int, default=1, metavar="N")
    command.option(parser, "mutants", "--output", type=Path, metavar="FILE")
    return parser

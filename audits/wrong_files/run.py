"""The wrong files graded as `onekernel check` does on a machine without a GPU and without nvcc: refused or not, points,
what the learner reads; and whether that is still what a person has judged.

The seed is fixed, so that a message that changes has been changed by the product and not by the inputs.

But:    a base that loses points of correctness ends the run: then its wrong files say nothing.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import as_completed
from datetime import date
from pathlib import Path
from typing import Any

from audits import checked, command, dealt, records
from audits.records import took
from audits.wrong_files.corpus import BASES, WrongFile, bases, wrong_files
from audits.wrong_files.tables import tables
from onekernel.bench import device
from onekernel.course import find_root
from onekernel.errors import UserError
from onekernel.grading.verdicts import Failure
from onekernel.messages import Message, say

SEED = 20_261_130
BY_ITSELF = {"predict-first", "right-first", "told-at-first"}
"""Codes of sentences that tell nothing of the file."""


def main(argv: Sequence[str]) -> int:
    options, root, every = _parser().parse_args(argv), find_root(), wrong_files()
    command.names(options.names, [each.name for each in every])
    chosen = [each for each in every if not options.names or each.name in options.names]
    if options.dry_run:
        print(say("bench.dry-run-here", command="python -m audits.wrong_files"))
        print("  " + records.expected(root, "wrong_files").text())
        return 0
    os.environ["ONEKERNEL_NVCC"] = "off"
    began, path = time.perf_counter(), (options.out or records.results(root) / "cpu") / "wrong_files.json"
    known = records.read(path) if path.is_file() else {}
    ended = {name: found for name, found in known.get("files", {}).items() if name in {each.name for each in every}}
    earlier = known["took"]["wall_s"] if options.names and known else 0.0
    with dealt.pool(options.jobs, "simulator") as pool:
        right = {pool.submit(of_base, root, base): base for base in sorted({each.base for each in chosen})}
        for tried, base in right.items():
            if not tried.result():
                raise UserError(Message.of("bench.wrong-files-base", file=base))
        asked = {pool.submit(of_file, root, each): each for each in chosen}
        for done in as_completed(asked):
            each, ended[asked[done].name] = asked[done], done.result()
            _print(each, ended[each.name])
            result = {
                "bench": "wrong_files",
                "command": "python -m audits.wrong_files",
                "date": date.today().isoformat(),
                "machine": device.machine(),
                "took": took(began) | {"wall_s": earlier + time.perf_counter() - began},
                "files": {one.name: ended[one.name] for one in every if one.name in ended},
            }
            records.write(path, result | {"tables": tables(every, result)})
    print(say("bench.written", path=path))
    return 0


def of_base(root: Path, base: str) -> bool:
    """Whether every result of the base is right."""
    return not checked.refused(checked.graded(root, bases()[base], BASES / base, "simulator", SEED))


def of_file(root: Path, each: WrongFile) -> dict[str, Any]:
    """What becomes of a wrong file: `refused`, where a result is wrong, `earned` of `points`, and what is `said`."""
    with tempfile.TemporaryDirectory(prefix="onekernel-wrong-") as folder:
        path = Path(folder) / each.file
        path.write_text(each.text(), encoding="utf-8")
        result = checked.graded(root, each.exercise, path, "simulator", SEED)
    told = [f for v in result.verdicts if v.check.kind.shows_right for f in v.failures if f.code not in BY_ITSELF]
    return {
        "exercise": each.exercise,
        "refused": checked.refused(result),
        "earned": result.earned,
        "points": result.assessed,
        "codes": sorted({code for f in told for code in _codes(f)}),
        "said": list({(f.line, f.message.text()): {"line": f.line, "text": f.message.text()} for f in told}.values()),
    }


def _codes(failure: Failure) -> tuple[str, ...]:
    """The failure's own code, and that of the cause that its sentence names."""
    cause = failure.message.values.get("cause")
    return (failure.code, cause.key) if isinstance(cause, Message) else (failure.code,)


def _print(each: WrongFile, found: dict[str, Any]) -> None:
    """A line for each file; below it what is said, where nobody has judged that yet."""
    key = "refused" if found["refused"] else "not-refused"
    print(say(f"bench.wrong-file-{key}", name=each.name, exercise=each.exercise, earned=found["earned"]), flush=True)
    if each.told is None or list(each.codes) != found["codes"]:
        was, now = ", ".join(each.codes) or "-", ", ".join(found["codes"]) or "-"
        print("    " + say("bench.wrong-file-changed", was=was, now=now, told=each.told or "-"))
        for said in found["said"]:
            print(f"    {said['line'] or '-'}: {said['text']}", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = command.parser("wrong_files", "audits.wrong_files")
    command.option(parser, "wrong_files", "names", nargs="*", metavar="NAME")
    command.option(parser, "wrong_files", "--jobs", type=int, default=1, metavar="N")
    command.option(parser, "wrong_files", "--out", type=Path, metavar="DIR")
    return parser

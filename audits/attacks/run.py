"""The corpus of attacks, each graded as a submission: it must earn nothing and stop nobody.

A run tells of the identity that it has, root or a user, and keeps what is recorded of the other one. NVIDIA's compiler
is not asked: what closes a door must do so where there is none.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from audits import command, dealt, records
from audits.words import in_each
from onekernel.arguments import DEVICES, device_of
from onekernel.bench import device
from onekernel.checks import correct
from onekernel.course import Check, Course, Text, find_root
from onekernel.errors import UserError
from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission
from onekernel.labs.reader import load
from onekernel.messages import Message, say
from onekernel.sandbox.landlock import landlock_version
from onekernel.sandbox.machine import MachineFault

GROUPS = {".cu": ("exact-blocks", "tails"), ".py": ("special",)}  # of inputs that every such exercise has
CHAPTER = "01-03-launch#launch"
COMMENT = {".cu": "// ", ".py": "# "}


@dataclass(frozen=True)
class Attack:
    """A file of tests/hostile and what its header says: `attack` and `ataque` in a sentence, `closed by` what; where it
    is after the points of one `group` of inputs, or of the exercise's checks of one kind, `check`, it says so."""

    path: Path
    header: dict[str, str]

    @property
    def sentence(self) -> dict[str, str]:
        return {"en": self.header["attack"], "es": self.header["ataque"]}


def attacks(root: Path) -> list[Attack]:
    """The corpus, by name."""
    found = []
    for path in sorted((root / "tests" / "hostile").iterdir()):
        if comment := COMMENT.get(path.suffix):
            lines = path.read_text(encoding="utf-8").splitlines()
            words = [n.removeprefix(comment).partition(": ") for n in lines if n.startswith(comment)]
            found.append(Attack(path, {key: value for key, mark, value in words if mark}))
    return found


def main(argv: Sequence[str]) -> int:
    options, root = _parser().parse_args(argv), find_root()
    every = attacks(root)
    chosen = [a for a in every if not options.only or a.path.stem in options.only]
    command.names(options.only or [], [a.path.stem for a in every])
    if options.dry_run:
        print(say("bench.dry-run-here", command="python -m audits.attacks"))
        print("  " + records.expected(root, "attacks").text())
        return 0
    path = options.output or records.results(root) / "cpu" / "attacks.json"
    known = records.read(path) if path.is_file() else {}
    who = "gpu" if options.device == "cuda" else "root" if os.geteuid() == 0 else "user"
    card = asdict(device.current()) if who == "gpu" else known.get("with_gpu")
    machine = f"{device.machine()}, Linux {os.uname().release}"
    machine = known.get("machine", machine) if who == "gpu" else machine  # the GPU's own is not the table's
    course = load(root)
    os.environ["ONEKERNEL_NVCC"] = "off"
    for suffix in {a.path.suffix for a in chosen}:
        _require_right(course, suffix, options.device)
    ended: dict[str, Any] = dict(known.get("ended", {}))
    for attack, how in _tried(root, chosen, options.device, options.jobs):
        ended[attack.path.name] = {**ended.get(attack.path.name, {}), who: how}
        result: dict[str, Any] = {
            "bench": "attacks",
            "command": "python -m audits.attacks",
            "date": date.today().isoformat(),
            "machine": machine,
            "versions": _versions(card),
            **({"with_gpu": card} if card else {}),
            "ended": {a.path.name: ended[a.path.name] for a in every if a.path.name in ended},
        }
        result["tables"] = {"attacks": _table(every, result["ended"])}
        records.write(path, result)
    print(say("bench.written", path=path))
    return 0


def _versions(gpu: Mapping[str, Any] | None) -> dict[str, str]:
    """What the attacks met; the GPU has a column of its own, run on a machine of its own."""
    found = {"landlock": str(landlock_version())}
    return found | ({"GPU": f"{gpu['name']}, driver {gpu['driver']}"} if gpu else {})


def _parser() -> argparse.ArgumentParser:
    parser = command.parser("attacks", "audits.attacks")
    command.option(parser, "attacks", "--only", nargs="+", metavar="NAME")
    command.option(parser, "attacks", "--output", type=Path, metavar="FILE")
    command.option(parser, "attacks", "--device", choices=DEVICES[1:], type=device_of, default="simulator")
    command.option(parser, "attacks", "--jobs", type=int, default=1, metavar="N")
    return parser


def _tried(root: Path, chosen: Sequence[Attack], on: str, jobs: int) -> Iterator[tuple[Attack, dict[str, Any]]]:
    """Each attack, graded in one of `jobs` processes, and how that ended; in the order in which they end."""
    with dealt.pool(jobs, on) as pool:
        asked = {pool.submit(_alone, root, attack, on): attack for attack in chosen}
        for done in as_completed(asked):
            yield asked[done], done.result()


def _alone(root: Path, attack: Attack, on: str) -> dict[str, Any]:
    return _ended(load(root), attack, on)


def _require_right(course: Course, suffix: str, on: str) -> None:
    """Raises UserError where a right file earns nothing either: then no attack has been tried."""
    slug = {".cu": "vector_add", ".py": "softmax_triton"}[suffix]
    header = {"exercise": slug, "attack": "", "ataque": ""}
    ended = _ended(course, Attack(course.solution(course.exercises[slug]), header), on)
    if not ended["earned"]:
        raise UserError(Message.of("bench.attacks-control", file=course.exercises[slug].file))


def _ended(course: Course, attack: Attack, on: str) -> dict[str, Any]:
    """What the attack earned, what was said of it, whether it stopped the grading, and the seconds."""
    known, header = course.exercises[attack.header["exercise"]], attack.header
    checks = tuple(
        Check(f"{known.slug}.{g}", correct.KIND, 10, Text(g, g), CHAPTER, {"groups": [g]})
        for g in ((header["group"],) if "group" in header else GROUPS[attack.path.suffix])
    )
    if "check" in header:
        checks = tuple(check for check in known.checks if check.id.endswith(f"-{header['check']}"))
    exercise = replace(known, checks=checks, dtypes=("float32",)) if known.operator else known
    began = time.monotonic()
    try:
        result = grade(Submission(Course(course.root, ()), exercise, attack.path, on, fresh_seed()))
    except MachineFault as fault:
        return {"earned": 0, "stopped": str(fault.message.key), "seconds": round(time.monotonic() - began, 1)}
    codes = sorted({f.code for v in result.verdicts for f in v.failures if f.code})
    return {"earned": result.earned, "said": codes, "seconds": round(time.monotonic() - began, 1)}


def _table(every: Sequence[Attack], ended: dict[str, Any]) -> dict[str, Any]:
    rows = []
    for attack in every:
        mine = ended.get(attack.path.name, {})
        seen = [_cell(mine.get(who)) for who in ("user", "root")]
        closed = in_each("closed-" + attack.header["closed by"].replace(" ", "-"))
        on_gpu = _cell(mine["gpu"]) if "gpu" in mine else in_each("attack-gpu-same")
        rows.append([f"`{attack.path.name}`", attack.sentence, closed, *seen, on_gpu])
    names = ("file", "attack", "closed", "user", "root", "gpu")
    return {"columns": [in_each(f"attacks-{name}") for name in names], "rows": rows}


def _cell(ended: dict[str, Any] | None) -> dict[str, str]:
    if ended is None:
        return in_each("attack-not-run")
    if ended.get("stopped"):
        return in_each("attack-stopped")
    return in_each("attack-earned", points=ended["earned"]) if ended["earned"] else in_each("attack-nothing")

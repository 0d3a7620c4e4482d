"""A synthetic class through `onekernel grade`: seconds and memory per student, and that a class killed by `kill -9` on
the way, stopped by a disk that fills and by a limit on memory, ends with the results, byte for byte, of one graded in
peace.

But:    the seconds are those of a machine that may be doing other things; processor seconds are told beside them.
"""

from __future__ import annotations

import json
import os
import platform
import random
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from audits import records
from audits.command import ONEKERNEL
from audits.grading import synthetic
from audits.records import processor_seconds
from audits.words import in_each, in_numbers
from onekernel.bench import device
from onekernel.messages import say

SEED = 20261122
JOURNAL, RESULTS = "class-journal.jsonl", "results.jsonl"
_SAMPLE_SECONDS = 0.05
_MB_A_JOB = 50  # of the temporary folder
# What happens to a grader for some seconds once it has written so many results (OK_AFTER, in the journal OK_JOURNAL);
# "$@" grades. A full disk: the temporary folder, OK_MB in a mount of its own, is filled. No memory: each of its
# processes may have a gigabyte of addresses, which is less than anything that is graded needs.
_WHEN = '(until [ "$(wc -l < "$OK_JOURNAL")" -gt "$OK_AFTER" ]; do sleep 0.02; done; '
_EACH = 'for process in $$ $(pgrep -P $$); do prlimit --pid $process --as='
TROUBLES = {
    "disk": ["unshare", "--map-root-user", "--mount", "sh", "-c",
             f'mount -t tmpfs -o size="$OK_MB"m none "$TMPDIR"; {_WHEN}head -c "$OK_MB"m /dev/zero > "$TMPDIR/full"; '
             'sleep 8; rm "$TMPDIR/full") 2>/dev/null & exec "$@"', "sh"],
    "memory": ["sh", "-c", f'{_WHEN}{_EACH}1000000000: ; done; sleep 8; {_EACH}unlimited: ; done) 2>/dev/null & '
               'exec "$@"', "sh"],
}  # fmt: skip
_PAUSED = b"Trying again"  # what the grader then says, in English


@dataclass(frozen=True)
class Night:
    """A class graded, whole or in parts."""

    wall: float
    cpu: float
    peak_mb: float  # of the process that grades the class, without those that run submissions
    results: bytes
    paused: bool  # it noticed that the machine lacked something, and tried again later


def main(root: Path, sizes: Sequence[int], light: Sequence[int], jobs: int, results: Path) -> int:
    """Grades a class of each size, once in peace and once killed three times and paused twice; writes
    bench/results/cpu/class.json, anew after each size."""
    runs: list[dict[str, Any]] = []
    words = " ".join(str(n) for n in sizes), " ".join(str(n) for n in light)
    without = "ONEKERNEL_NVCC=off " if os.environ.get("ONEKERNEL_NVCC") == "off" else ""
    command = f"{without}python -m audits.grading --jobs {jobs}"
    command += (f" --class {words[0]}" if sizes else "") + (f" --class-read {words[1]}" if light else "")
    path = results / "cpu" / "class.json"
    facts = {
        "bench": "class",
        "command": command,
        "date": date.today().isoformat(),
        "machine": device.machine(),
        "versions": {"python": platform.python_version()},
        "seed": SEED,
    }
    for number, read in [*((n, True) for n in light), *((n, False) for n in sizes)]:
        runs.append(_size(root, number, jobs, light=read))
        print(", ".join(f"{key} {value}" for key, value in runs[-1].items()), flush=True)
        columns, rows = [in_each(f"class-{c}") for c in _COLUMNS], [_row(r) for r in runs]
        records.write(path, {**facts, "runs": runs, "tables": {"sizes": {"columns": columns, "rows": rows}}})
    print(say("bench.written", path=path))
    return 0 if all(run["equal"] and set(run["paused_by"]) == set(TROUBLES) for run in runs) else 1


_COLUMNS = ("students", "files", "cpu", "memory", "killed", "stopped", "equal")


def _row(run: dict[str, Any]) -> list[Any]:
    kind = in_each("class-read" if run["light"] else "class-mixed", students=run["students"])
    equal = in_each("class-yes" if run["equal"] else "class-no")
    met = in_each("class-yes" if set(run["paused_by"]) == set(TROUBLES) else "class-no")
    return [kind, in_numbers("{:,}", run["files"]), in_numbers("{:.2f}", run["cpu_per_student"]),
            in_numbers("{:.0f}", run["peak_mb"]), str(run["kills"]), met, equal]  # fmt: skip


def _size(root: Path, number: int, jobs: int, *, light: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="onekernel-bench-") as folder:
        at = Path(folder)
        (at / "class").mkdir()
        synthetic.write(root, at / "class", synthetic.students(number, light=light), SEED)
        peace = _night(root, at, "peace", jobs)
        total = len((at / "peace" / RESULTS).read_bytes().splitlines()) - 1
        first, full, second, tight, third = _moments(total, random.Random(SEED + number))
        _night(root, at, "stormy", jobs, kill_after=first)
        nights = {"disk": (full, second), "memory": (tight, third)}
        paused = [name for name, (when, then) in nights.items()
                  if _night(root, at, "stormy", jobs, kill_after=then, trouble=(name, when)).paused]  # fmt: skip
        stormy = _night(root, at, "stormy", jobs)
        return {
            "students": number,
            "light": light,
            "files": total,
            "jobs": jobs,
            "wall_per_student": round(peace.wall / number, 3),
            "cpu_per_student": round(peace.cpu / number, 3),
            "peak_mb": round(peace.peak_mb, 1),
            "kills": 3,
            "killed_after_files": [first, second, third],
            "paused_by": {name: nights[name][0] for name in paused},
            "equal": stormy.results == peace.results,
            "different": _different(peace.results, stormy.results),
        }


def _different(*nights: bytes) -> list[str]:
    """The results that are not the same in both, each as `student exercise`."""
    read = [[json.loads(line) for line in results.splitlines()] for results in nights]
    one, other = ({(r["student"], r["exercise"]): r for r in found if "exercise" in r} for found in read)
    names = sorted(one.keys() | other.keys())
    return [f"{student} {exercise}" for student, exercise in names
            if one.get((student, exercise)) != other.get((student, exercise))]  # fmt: skip


def _moments(total: int, chance: random.Random) -> list[int]:
    """After how many of `total` results five things happen, some results apart."""
    return [max(1, total * k // 6 + chance.randint(-total // 30, total // 30)) for k in range(1, 6)]


def _night(
    root: Path, at: Path, out: str, jobs: int, kill_after: int | None = None, trouble: tuple[str, int] | None = None
) -> Night:
    """One run of the command, ended by `kill -9` once that many results are written, or met by one of TROUBLES."""
    environment, before_it = dict(os.environ), list[str]()
    if trouble:
        before_it = TROUBLES[trouble[0]]
        (at / "room").mkdir(exist_ok=True)
        environment |= {"OK_JOURNAL": str(at / out / JOURNAL), "OK_AFTER": str(trouble[1]),
                        "OK_MB": str(max(2, jobs) * _MB_A_JOB)}
        environment |= {"TMPDIR": str(at / "room"), "ONEKERNEL_LANG": "en"}
    words = ["grade", str(at / "class"), "00", "01", "02", "--out", str(at / out), "--jobs", str(jobs)]
    words += ["--seed", str(SEED), "--device", "simulator"]
    before, began = processor_seconds(resource.RUSAGE_CHILDREN), time.perf_counter()
    with (at / "told").open("wb") as told:
        process = subprocess.Popen([*before_it, *ONEKERNEL, *words], cwd=root, env=environment,
                                   stdout=subprocess.DEVNULL, stderr=told, start_new_session=True)  # fmt: skip
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, _peak(process.pid))
        if kill_after is not None and _written(at / out / JOURNAL) >= kill_after:
            os.kill(process.pid, signal.SIGKILL)
        time.sleep(_SAMPLE_SECONDS)
    cpu = processor_seconds(resource.RUSAGE_CHILDREN) - before
    final = at / out / RESULTS
    written = final.read_bytes() if final.is_file() else b""
    return Night(time.perf_counter() - began, cpu, peak, written, _PAUSED in (at / "told").read_bytes())


def _written(journal: Path) -> int:
    """The results in a journal, without its head."""
    return max(0, journal.read_bytes().count(b"\n") - 1) if journal.is_file() else 0


def _peak(pid: int) -> float:
    """The most memory that a process has had, in MB."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM:")), 0.0)

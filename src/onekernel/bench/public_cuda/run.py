"""A seeded sample of public programs, each run under its limits: a table by cause.

It fetches nothing and keeps nothing of anybody's code: names, causes and counts alone.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from onekernel.bench import command, records
from onekernel.bench.public_cuda import outcomes as ends
from onekernel.bench.public_cuda.outcomes import AFTER, FOUND, RAN, SLOW, result_of
from onekernel.bench.public_cuda.programs import Candidate, candidates, helpers
from onekernel.course import find_root
from onekernel.cuda import nvcc
from onekernel.messages import say

_MAIN = "import sys; from onekernel.cli import main; sys.exit(main())"
_ASKS = re.compile(r"\busage\b|invalid device ordinal", re.IGNORECASE)  # for arguments, for a second card
_PATIENCE = 4  # times the limit, and a minute: of the clock, for a program that waits for something


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    everything = list(candidates(p.resolve() for p in options.folders))
    able = [c for c in everything if not c.needs]
    earlier = json.loads(options.again.read_text(encoding="utf-8"))["outcomes"] if options.again else []
    kept = {(o["repository"], o["program"]): o for o in earlier if o["cause"] in (*ends.GOOD, ends.REFUSED)}
    sample = random.Random(options.seed).sample(able, min(options.sample or len(able), len(able)))
    print(say("bench.public-asked", found=len(everything), other=len(everything) - len(able), sample=len(sample)))
    if options.dry_run:
        return 0
    began, load = time.perf_counter(), os.getloadavg()[0]
    outcomes = []
    for candidate in sorted(sample, key=lambda c: c.path):
        name = candidate.path.relative_to(candidate.root).as_posix()
        outcome = kept.get((candidate.root.name, name)) or tried(candidate, options.limit)
        outcomes.append(outcome)
        print(f"{outcome['cause']:<16} {outcome['program']}  {outcome.get('detail', '-')}", flush=True)
    about = {
        "command": shlex.join(["python", "bench/public_cuda.py", *_shown(argv, options)]),
        "load_before": load, "seed": options.seed, "limit_seconds": options.limit, "mode": "check",
        "programs_with_main": len(everything), "sample": len(sample), "took": {"wall_s": time.perf_counter() - began},
        **({"not_run_again": len(kept)} if earlier else {}),
    }  # fmt: skip
    result = result_of(outcomes, about, options.folders)
    for cause, count in result["causes"].items():
        print(f"{count:6d}  {cause}")
    print(say("bench.public-rate", good=result["good"], sample=result["programs"]))
    path = options.output or records.results(find_root()) / "cpu" / "public_cuda.json"
    records.write(path, result, indent=1)
    print(say("bench.written", path=path))
    return 0


def _shown(argv: Sequence[str], options: argparse.Namespace) -> list[str]:
    """The command's words, with folders by their names and no output: where they lie is nobody else's business."""
    names = {str(path): path.resolve().name for path in (*options.folders, *([options.again] if options.again else []))}
    return [names.get(word, word) for word in argv if word not in ("--output", str(options.output))]


def tried(candidate: Candidate, limit: float) -> dict[str, str]:
    """What became of one program: in a folder of its own that looks like the one in which it lies."""
    about = {"program": candidate.path.relative_to(candidate.root).as_posix(), "repository": candidate.root.name}
    with tempfile.TemporaryDirectory() as folder:
        for entry in candidate.path.parent.iterdir():
            (Path(folder) / entry.name).symlink_to(entry)
        cause, detail = _run(candidate, [candidate.path], limit, Path(folder))
        if cause == "undefined" and helpers(candidate.path):
            cause, detail = _run(candidate, [candidate.path, *helpers(candidate.path)], limit, Path(folder))
        if cause == "compile-error" and _nvcc_refuses(candidate, Path(folder)):
            cause = ends.REFUSED
    return {**about, "cause": cause, "detail": detail}


def _run(candidate: Candidate, files: Sequence[Path], limit: float, folder: Path) -> tuple[str, str]:
    report = folder / "onekernel-report.json"
    includes = [word for f in candidate.folders for word in ("-I", str(f))]
    words = [sys.executable, "-c", _MAIN, "run", *map(str, files), *includes, "-std", "c++17",
             "--limit", str(limit), "--report", "json", "-o", str(report)]  # fmt: skip
    if shutil.which("g++") and re.search(r"\bomp_\w+\s*\(", candidate.path.read_text("utf-8", errors="replace")):
        words += ["-l", "gomp"]
    try:
        done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=_PATIENCE * limit + 60, check=False,
                              env={**os.environ, "ONEKERNEL_LANG": "en"})  # fmt: skip
    except subprocess.TimeoutExpired:
        return "waits", ""
    if not report.is_file():
        return _unbuilt(done.stderr)
    told = json.loads(report.read_text(encoding="utf-8"))
    errors = [f for f in told["findings"] if f["severity"] == "error"]
    codes = sorted({f["code"] for f in errors})
    said = "; ".join(
        f"{Path(f['file'] or '').name}:{f['line']} {f['code']}: {f['text']['en'][:160]}" for f in errors[:3]
    )
    if SLOW in codes and not set(codes) - {SLOW, *AFTER}:
        return SLOW, said
    if "unsupported" in codes or "no-report" in codes:
        return "unsupported" if "unsupported" in codes else "no-report", said
    if errors and not set(codes) - set(AFTER):
        return ends.CRASH, said  # on the host: whose fault it is, nobody has looked at
    if errors:
        return FOUND, said
    if told["status"] == 0:
        return ends.LESS if any(f["code"] == "checked-less" for f in told["findings"]) else RAN, ""
    printed = (done.stderr + done.stdout).strip().splitlines()[-3:]  # why, as a rule: an argument that is missing
    told_why = told["status"] == ends.WAIVED or _ASKS.search(done.stdout + done.stderr)
    return ends.ASKS if told_why else ends.OWN, f"status {told['status']}: " + " | ".join(printed)[:300]


def _nvcc_refuses(candidate: Candidate, folder: Path) -> bool:
    """Whether NVIDIA's compiler, where it is here, refuses the file too: an exercise with blanks is no program."""
    compiler = nvcc.find()
    if compiler is None:
        return False
    includes = [word for f in candidate.folders for word in ("-I", str(f))]
    words = [str(compiler.path), "-std=c++17", "-arch=sm_80", "-rdc=true", *includes, "-c", str(candidate.path),
             "-o", "made.o"]  # fmt: skip
    return subprocess.run(words, cwd=folder, capture_output=True, check=False).returncode != 0


def _unbuilt(text: str) -> tuple[str, str]:
    lines = [n for n in text.splitlines() if n.strip() and not n.startswith("!")]
    first = lines[0][:300] if lines else ""
    if "the simulator does not support it" in text or "dynamic parallelism" in text:
        return "unsupported", first
    if "defined nowhere" in text or "undefined" in text.lower():
        return "undefined", first
    return ("trouble", lines[-1][:300]) if "Traceback" in text else ("compile-error", first)


def _parser() -> argparse.ArgumentParser:
    parser = command.parser("public_cuda")
    parser.add_argument("folders", metavar="DIR", type=Path, nargs="+", help=say("bench.opt-public_cuda-folders"))
    command.option(parser, "public_cuda", "--sample", type=int, metavar="N")
    command.option(parser, "public_cuda", "--seed", type=int, metavar="N", default=1)
    command.option(parser, "public_cuda", "--limit", type=float, metavar="S", default=20.0)
    command.option(parser, "public_cuda", "--again", type=Path, metavar="FILE")
    command.option(parser, "public_cuda", "--output", type=Path, metavar="FILE")
    return parser

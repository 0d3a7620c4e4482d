"""A seeded sample of public programs, each run under its limits: a table by cause.

It fetches nothing and keeps nothing of anybody's code: names, causes and counts alone.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shlex
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from onekernel.bench import command, records
from onekernel.bench.public_cuda import outcomes as ends
from onekernel.bench.public_cuda.details import Details
from onekernel.bench.public_cuda.outcomes import result_of
from onekernel.bench.public_cuda.programs import Candidate, candidates
from onekernel.bench.public_cuda.recording import record
from onekernel.bench.public_cuda.trial import tried
from onekernel.course import find_root
from onekernel.messages import say

_LIMIT = 60.0  # processor seconds, as `onekernel run` has them: a test compares


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
    if options.record:
        return record(sample, options.record, options.jobs)
    load = os.getloadavg()[0]
    details = Details(options.details)
    cores = iter(_cores(options.jobs))

    def outcome_of(candidate: Candidate) -> dict[str, Any]:
        at = candidate.root.name, candidate.name
        outcome = dict(details.kept.get(at) or kept.get(at) or tried(candidate, options.limit))
        if at not in details.kept:
            details.add(outcome)
        print(f"{outcome['cause']:<16} {outcome['program']}  {outcome.get('detail', '-')}", flush=True)
        return outcome

    with ThreadPoolExecutor(max(options.jobs, 1), initializer=lambda: os.sched_setaffinity(0, {next(cores)})) as pool:
        outcomes = list(pool.map(outcome_of, sorted(sample, key=lambda c: c.path)))
    about = {
        "command": shlex.join(["python", "bench/public_cuda.py", *_shown(argv, options)]),
        "load_before": load, "seed": options.seed, "limit_seconds": options.limit, "mode": "check",
        "programs_with_main": len(everything), "sample": len(sample), "took": {"processor_s": _processor_seconds()},
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


def _cores(jobs: int) -> list[int]:
    """A core for each of `jobs` programs at once. The limit is of each thread's processor time: were there threads on
    several cores, how far they come until the first is over its limit would depend on what else those cores have to do.
    """
    mine = sorted(os.sched_getaffinity(0))
    return [mine[k % len(mine)] for k in range(max(jobs, 1))]


def _processor_seconds() -> float:
    """Of everything that was built and run."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def _shown(argv: Sequence[str], options: argparse.Namespace) -> list[str]:
    """The command's words, with files by their names and no output: where they lie is nobody else's business."""
    names = {str(path): path.resolve().name for path in (*options.folders, options.again, options.details) if path}
    return [names.get(word, word) for word in argv if word not in ("--output", str(options.output))]


def _parser() -> argparse.ArgumentParser:
    parser = command.parser("public_cuda")
    parser.add_argument("folders", metavar="DIR", type=Path, nargs="+", help=say("bench.opt-public_cuda-folders"))
    command.option(parser, "public_cuda", "--sample", type=int, metavar="N")
    command.option(parser, "public_cuda", "--seed", type=int, metavar="N", default=1)
    command.option(parser, "public_cuda", "--limit", type=float, metavar="S", default=_LIMIT)
    command.option(parser, "public_cuda", "--jobs", type=int, metavar="N", default=1)
    command.option(parser, "public_cuda", "--again", type=Path, metavar="FILE")
    command.option(parser, "public_cuda", "--details", type=Path, metavar="FILE")
    command.option(parser, "public_cuda", "--record", type=Path, metavar="FILE")
    command.option(parser, "public_cuda", "--output", type=Path, metavar="FILE")
    return parser

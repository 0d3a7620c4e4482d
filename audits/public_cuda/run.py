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
from pathlib import Path
from typing import Any

from audits import command, records
from audits.public_cuda import against, patience
from audits.public_cuda import outcomes as ends
from audits.public_cuda.details import Details
from audits.public_cuda.outcomes import result_of
from audits.public_cuda.programs import Candidate, candidates
from audits.public_cuda.recording import record
from audits.public_cuda.trial import tried
from audits.records import processor_seconds
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
    sample.sort(key=lambda c: c.path)
    about = {
        "command": shlex.join(["python", "-m", "audits.public_cuda", *_shown(argv, options)]),
        "load_before": load, "seed": options.seed, "limit_seconds": options.limit,
    }  # fmt: skip
    if options.against:
        output = options.output or records.results(find_root()) / "cpu" / "public_cuda_recorded.json"
        return against.run(sample, options, about, details, output)

    def outcome_of(candidate: Candidate) -> dict[str, Any]:
        at = candidate.root.name, candidate.name
        outcome = dict(details.kept.get(at) or kept.get(at) or tried(candidate, options.limit))
        if at not in details.kept:
            details.add(outcome)
        print(f"{outcome['cause']:<16} {outcome['program']}  {outcome.get('detail', '-')}", flush=True)
        return outcome

    outcomes = patience.on_cores(outcome_of, sample, options.jobs)
    about |= {
        "mode": "check", "programs_with_main": len(everything), "sample": len(sample),
        "took": {"processor_s": processor_seconds(resource.RUSAGE_CHILDREN)},
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
    """The command's words, with files by their names and no output: where they lie is nobody else's business. Of the
    very many folders that a recording has, the result file has the names.
    """
    files = (options.again, options.details, options.against)
    names = {str(path): path.resolve().name for path in (*options.folders, *files) if path}
    left_out = {"--output", str(options.output), *(map(str, options.folders) if options.against else ())}
    return [names.get(word, word) for word in argv if word not in left_out] + ["DIR..."] * bool(options.against)


def _parser() -> argparse.ArgumentParser:
    parser = command.parser("public_cuda", "audits.public_cuda")
    parser.add_argument("folders", metavar="DIR", type=Path, nargs="+", help=say("bench.opt-public_cuda-folders"))
    command.option(parser, "public_cuda", "--sample", type=int, metavar="N")
    command.option(parser, "public_cuda", "--seed", type=int, metavar="N", default=1)
    command.option(parser, "public_cuda", "--limit", type=float, metavar="S", default=_LIMIT)
    command.option(parser, "public_cuda", "--jobs", type=int, metavar="N", default=1)
    command.option(parser, "public_cuda", "--again", type=Path, metavar="FILE")
    command.option(parser, "public_cuda", "--details", type=Path, metavar="FILE")
    command.option(parser, "public_cuda", "--record", type=Path, metavar="FILE")
    command.option(parser, "public_cuda", "--against", type=Path, metavar="FILE")
    command.option(parser, "public_cuda", "--output", type=Path, metavar="FILE")
    return parser

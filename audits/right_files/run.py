"""The corpus tests/right graded with several seeds, each time by every check of its exercise that shows a right file,
in all its types: on the simulator as on a machine without nvcc, or on a GPU. None may be refused.

The seeds are the same in each run, so that a file that is refused is refused again. All files are graded with the first
seed before any is with the second, and what is known is written as it comes: --resume goes on with it.

But:    a seed draws the calls of one check; `python -m audits.mutants --right` makes small ones with hundreds of seeds.
"""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from concurrent.futures import as_completed
from contextlib import ExitStack
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from audits import checked, command, dealt, records
from audits.mutants.files import right
from audits.records import took
from audits.right_files.tables import tables
from onekernel.arguments import DEVICES, device_of
from onekernel.backends.processors import shared_among
from onekernel.bench import device
from onekernel.course import find_root
from onekernel.errors import UserError
from onekernel.grading.verdicts import PASSED
from onekernel.messages import say
from onekernel.sandbox import lanes

SEEDS = 5
FIRST = 20_261_201  # the first seed; the others follow it


def main(argv: Sequence[str]) -> int:
    options, root = _parser().parse_args(argv), find_root()
    every = {path.stem: (path, slug) for path, slug in right(root)}
    command.names(options.names, list(every))
    if options.seeds < 1:
        raise command.too_small("--seeds", options.seeds)
    chosen = options.names or list(every)
    if options.dry_run or (options.device == "cuda" and not command.has_gpu("dry-run-instead")):
        print(say("bench.right-files-line", files=len(chosen), seeds=options.seeds))
        print("  " + records.expected(root, "right_files").text())
        return 0
    card = device.current() if options.device == "cuda" else None
    facts: dict[str, Any] = {"machine": device.machine()}
    if card:
        facts |= {"device": asdict(card), **device.provenance()}
    else:
        os.environ["ONEKERNEL_NVCC"] = "off"
    folder = options.out or records.results(root) / (card.slug if card else "cpu")
    began, path = time.perf_counter(), folder / "right_files.json"
    known = records.read(path) if path.is_file() and (options.names or options.resume) else {}
    files = {name: one for name, one in known.get("files", {}).items() if name in every}
    earlier = known["took"]["wall_s"] if known else 0.0
    for name in chosen:
        seeds = files.get(name, {}).get("seeds", {}) if options.resume else {}
        files[name] = {"exercise": every[name][1], "seeds": dict(seeds)}
    wanted = [(n, s) for s in range(FIRST, FIRST + options.seeds) for n in chosen if str(s) not in files[n]["seeds"]]
    with ExitStack() as held:
        held.enter_context(shared_among(options.jobs))
        pool = held.enter_context(dealt.pool(options.jobs, options.device))
        free = lanes.gpu_free() if card else None
        asked = {
            pool.submit(of_file, root, *every[name], options.device, seed, options.jobs, free): (name, seed)
            for name, seed in wanted
        }
        for done in as_completed(asked):
            name, seed = asked[done]
            files[name]["seeds"][str(seed)] = said = done.result()
            _print(name, seed, said)
            result = {
                "bench": "right_files",
                "command": f"python -m audits.right_files --device {options.device}",
                **facts,
                "date": date.today().isoformat(),
                "took": took(began) | {"wall_s": round(earlier + time.perf_counter() - began, 1)},
                "files": {one: files[one] for one in every if one in files and files[one]["seeds"]},
            }
            records.write(path, result | {"tables": tables(result)})
    print(say("bench.written", path=path))
    return int(any(said for name in chosen for said in files[name]["seeds"].values()))


def of_file(root: Path, path: Path, slug: str, on: str, seed: int, jobs: int = 1, free: int | None = None) -> list[str]:
    """What is said of a right file that is refused with this seed, sentence by sentence: nothing where it passes.
    `jobs`: how many grade at the same time, on a GPU with `free` bytes."""
    lanes.share_with(jobs, free)
    try:
        result = checked.graded(root, slug, path, on, seed, results_alone=True)
    except UserError as error:  # of the machine: the others are graded
        return [error.message.text()]
    lost = [v for v in result.verdicts if v.status != PASSED]
    said = [f"{v.check.id}: {m.text()}" for v in lost for m in [*(f.message for f in v.failures), v.note] if m]
    return list(dict.fromkeys(said or [f"{v.check.id}: {v.status}" for v in lost]))


def _print(name: str, seed: int, said: Sequence[str]) -> None:
    if said:
        print(say("bench.right-file-refused", name=name, seed=seed), flush=True)
    for sentence in said:
        print(f"    {sentence}", flush=True)


def _parser() -> ArgumentParser:
    parser = command.parser("right_files", "audits.right_files")
    command.option(parser, "right_files", "names", nargs="*", metavar="NAME")
    command.option(parser, "right_files", "--seeds", type=int, default=SEEDS, metavar="N")
    command.option(parser, "right_files", "--device", choices=DEVICES[1:], type=device_of, default="simulator")
    command.option(parser, "right_files", "--resume", action="store_true")
    command.option(parser, "right_files", "--jobs", type=int, default=1, metavar="N")
    command.option(parser, "right_files", "--out", type=Path, metavar="DIR")
    return parser

"""What launches cost, what a CUDA graph and early launches save, when fusing loses, and what fused attention gains."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from audits import command, records
from audits.overhead import attention, launches, recompute
from audits.overhead.tables import tables
from audits.records import took
from onekernel import cuda
from onekernel.bench import device
from onekernel.course import find_root
from onekernel.loading import load_module
from onekernel.messages import say


def main(argv: Sequence[str]) -> int:
    parser = command.parser("overhead", "audits.overhead")
    command.option(parser, "overhead", "--out", type=Path, metavar="DIR")
    options, root = parser.parse_args(argv), find_root()
    if options.dry_run or not command.has_gpu("overhead-instead"):
        sizes = ", ".join(f"{4 * n >> 10} KiB" for n in launches.ELEMENTS)
        rounds, lengths = (", ".join(map(str, walk)) for walk in (recompute.ROUNDS, attention.LENGTHS))
        print(say("bench.overhead-line", kernels=launches.KERNELS, sizes=sizes, rounds=rounds, lengths=lengths))
        print(records.expected(root, "overhead").text())
        return 0
    began = time.perf_counter()
    card = device.current()
    chain = cuda.build(root / "bench" / "kernels" / "chain.cu").function("chain")
    both = cuda.build(root / "bench" / "kernels" / "recompute.cu")
    module = load_module(root / "solutions" / "reading" / "flash_attention.py", once=True)
    data = {
        "bench": "overhead", "device": asdict(card), **device.provenance(),
        "kernels": launches.KERNELS, "launches": launches.measure(chain),
        "shape": [recompute.ROWS, recompute.COLS],
        "recompute": recompute.measure(both.function("broadcast_fused"), both.function("broadcast_apart")),
        "attention": attention.measure(module),
        "attention_shape": {"tokens": attention.TOKENS, "heads": attention.HEADS, "d": attention.WIDTH},
    }  # fmt: skip
    path = (options.out or records.results(root) / card.slug) / "overhead.json"
    records.write(path, data | {"took": took(began), "tables": tables(data)})
    print(say("bench.written", path=path))
    return 0

"""Sums by halves in shared memory, and launches with blocks that do not fit: elements are lost without an error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.simulator.read.excerpt import code_lines
from onekernel.simulator.read.traffic import kernel_name

CHAPTER = "02-02-shared-tree#shared-memory"
_HALVES = re.compile(
    r"\bfor\s*\(\s*(?:unsigned\s+)?\w+\s+(\w+)\s*=\s*blockDim\.x\s*(?:/\s*2|>>\s*1)\s*;[^;]*;\s*\1\s*(?:>>=\s*1|/=\s*2)\s*\)"
)
_KERNEL = re.compile(r"__global__[^;(]*?\b(\w+)\s*\(")
_BODY = 3  # lines behind the loop's head that are looked at


def odd_trees(report: dict[str, Any], files: Iterable[Path], functions: dict[int, str]) -> tuple[Finding, ...]:
    """A warning for each such loop of a kernel that was launched with blocks of no power of two."""
    sizes: dict[str, int] = {}
    for launch in report["launches"]:
        threads = launch["block"][0]
        if threads & (threads - 1) and threads > 1:
            sizes.setdefault(re.split(r"[<(:]", kernel_name(launch, functions))[0].strip(), threads)
    read = ((f, line, kernel) for f in files if sizes for line, kernel in _trees(code_lines(str(f))))
    return tuple(
        Finding("odd-tree", Message("simulator.odd-tree", {"kernel": kernel, "threads": sizes[kernel]}), str(file),
                line, "warning", CHAPTER)
        for file, line, kernel in read
        if kernel in sizes
    )  # fmt: skip


def _trees(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines of loops that halve a step from blockDim.x / 2 on and add what lies that far, and their kernels."""
    kernel = ""
    for n, line in enumerate(lines, 1):
        kernel = next(iter(_KERNEL.findall(line)), kernel)
        if found := _HALVES.search(line):
            step = found[1]
            body = " ".join([line[found.end() :], *lines[n : n + _BODY]])
            if re.search(rf"\bif\s*\(\s*\w+(?:\.x)?\s*<\s*{step}\s*\)", body) and re.search(rf"\+\s*{step}\s*\]", body):
                yield n, kernel

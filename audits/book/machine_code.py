"""Machine code in the pages: the instructions of a kernel that matter, as NVIDIA's compiler writes them for sm_90a.

    <!-- machine-code: solutions/reading/hopper/2_mbarrier.cu hand_over SYNCS.PHASECHK LDS SYNCS.ARRIVE -->
    ...written by `python -m audits.book machine-code`...
    <!-- /machine-code -->

After the file and the kernel's name in C++ stand words: each shows the next instruction that has it. Registers are one
compiler's choice, so the pages are compared only where that compiler is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from audits.book import tables
from onekernel.cuda import nvcc
from onekernel.cuda.ahead import compile_ahead
from onekernel.errors import UserError
from onekernel.messages import Message

ARCH, VERSION = "sm_90a", "13.0"
_MARK = re.compile(
    r"(<!-- machine-code: (?P<path>\S+) (?P<kernel>\w+) (?P<words>[^>]+?) -->\n).*?(<!-- /machine-code -->)", re.S
)
_INSTRUCTION = re.compile(r"^\s+/\*[0-9a-f]{4,5}\*/\s+(?P<text>.*?) ?;")


def refresh(root: Path, check: bool = False) -> list[Path]:
    """Writes every listing anew; with `check` only compares. The pages that were stale.

    Raises UserError for a kernel or an instruction that is not there, Unavailable without nvcc or nvdisasm."""

    def filled(page: Path, text: str) -> str:
        def one(found: re.Match[str]) -> str:
            words = found["words"].split()
            lines = list(shown(instructions(root / found["path"], found["kernel"]), words))
            if len(lines) < len(words):
                told = {"page": str(page.relative_to(root)), "path": found["path"], "name": found["kernel"]}
                raise UserError(Message("book.no-machine-code", told | {"word": words[len(lines)]}))
            return "\n".join([f"{found[1]}```text", *lines, "```", found[5]])

        return _MARK.sub(one, text)

    return tables.rewrite(tables.pages(root), filled, check)


def here() -> bool:
    """Whether this machine has the compiler whose machine code the pages show."""
    compiler = nvcc.find()
    return compiler is not None and compiler.version.startswith(VERSION)


def instructions(path: Path, kernel: str) -> list[str]:
    """A kernel's instructions, with the predicates before them; of a template, those of the last that is launched."""
    compiled = compile_ahead(path, ARCH)
    named = re.compile(rf"(?:^|\s){kernel}(?:<|$)")
    symbols = [k.symbol for k in compiled.kernels if named.search(k.name)]
    listing = compiled.machine_code()[symbols[-1]].listing if symbols else ""
    found = (_INSTRUCTION.match(line) for line in listing.splitlines())
    return [" ".join(m["text"].split()) for m in found if m]


def shown(code: Iterable[str], words: Iterable[str]) -> Iterator[str]:
    """For each word the next instruction that has it; ends at one that is not found."""
    left = iter(code)
    for word in words:
        line = next((text for text in left if word in text), None)
        if line is None:
            return
        yield line

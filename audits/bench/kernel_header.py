"""What a kernel's file says of itself in its first lines, by key.

    // Work: row per thread
    // Ledger (longer rows): reads 3, writes 1
    // Ledger: loads 0.25 bytes per FMA from global memory

`Work` is what one thread, warp, block, cluster or Triton program computes by itself: a row, or one output of it.
`Ledger` is how often each element is read and written, for each regime where there are several; of a matrix product,
the bytes that its threads ask for. A key that is not there says nothing.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

_CODE = re.compile(r"^(?:#include|import|from) ", re.MULTILINE)  # the header ends here
_KEY = r"^(?:// |# )?"
_FMA = re.compile(_KEY + r"Ledger: loads (?P<bytes>[\d.]+) bytes per FMA from global memory$", re.MULTILINE)
_SCOPES = "thread|warp|block|cluster|program"
_WORK = re.compile(_KEY + rf"Work: +(?P<item>row|output) per (?P<scope>{_SCOPES})$", re.MULTILINE)
_LEDGER = re.compile(_KEY + r"Ledger(?: \([^)]*\))?: reads (?P<reads>[^,]+), writes (?P<writes>\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Ledger:
    """Reads and writes of each element in one regime: numbers, or sums of products of numbers and `cols`."""

    reads: str
    writes: str

    def accesses(self, cols: int) -> float:
        """Reads plus writes of an element, in rows of `cols` elements."""
        return _value(self.reads, cols) + _value(self.writes, cols)


@dataclass(frozen=True)
class Header:
    """`work` is ("row", "thread") and the like; None where the file does not say. `ledgers` as written, in order.
    `bytes_per_fma` of a product, far from its edges; None where the file does not say."""

    work: tuple[str, str] | None
    ledgers: tuple[Ledger, ...]
    bytes_per_fma: float | None = None

    @property
    def row_per_thread(self) -> bool:
        """Whether one thread computes a whole row, so that a few rows keep a few threads busy."""
        return self.work == ("row", "thread")

    @property
    def rereads(self) -> bool:
        """Whether reads grow with the columns: each output reads its whole row again."""
        return any("cols" in ledger.reads for ledger in self.ledgers)


def read(path: Path) -> Header:
    """The header of a `.cu` or Triton file."""
    head = _CODE.split(path.read_text(encoding="utf-8"), maxsplit=1)[0]
    work = _WORK.search(head)
    ledgers = tuple(Ledger(m["reads"], m["writes"]) for m in _LEDGER.finditer(head))
    fma = _FMA.search(head)
    return Header((work["item"], work["scope"]) if work else None, ledgers, float(fma["bytes"]) if fma else None)


def _value(text: str, cols: int) -> float:
    """A count of a ledger: a number, or a sum of terms such as 2*cols+1."""
    terms = (term.split("*") for term in text.replace(" ", "").split("+"))
    return sum(math.prod(float(cols) if f == "cols" else float(f) for f in factors) for factors in terms)

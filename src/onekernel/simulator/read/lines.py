"""From an address in a shared object to the line of the learner's file that it was compiled from."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Place:
    file: str
    line: int
    function: str


class Lines:
    """Resolves return addresses of `library` to places in `files`, through inlined calls. Without addr2line: None."""

    def __init__(self, library: Path, files: Iterable[Path]) -> None:
        self._library = library
        self._files = {str(path) for path in files}
        self._known: dict[int, Place | None] = {}

    def resolve(self, addresses: Iterable[int]) -> None:
        """Looks up many addresses in one go."""
        new = sorted({a for a in addresses if a not in self._known})
        tool = shutil.which("addr2line") or shutil.which("llvm-addr2line")
        if not new or tool is None:
            self._known.update(dict.fromkeys(new))
            return
        for start in range(0, len(new), 2000):
            part = new[start : start + 2000]
            # A return address lies behind its call: one byte back is inside it.
            command = [tool, "-e", str(self._library), "-a", "-i", "-f", "-C", *(hex(a - 1) for a in part)]
            text = subprocess.run(command, capture_output=True, text=True, errors="replace").stdout
            self._read(part, text)

    def _read(self, addresses: list[int], text: str) -> None:
        frames: list[list[str]] = []
        for line in text.splitlines():
            if line.startswith("0x") and len(line) >= 10:
                frames.append([])
            elif frames:
                frames[-1].append(line)
        for address, lines in zip(addresses, frames, strict=False):
            self._known[address] = None
            for function, where in zip(lines[::2], lines[1::2], strict=False):
                file, _, number = where.partition(" (")[0].rpartition(":")
                if file in self._files and number.isdigit() and int(number):
                    self._known[address] = Place(file, int(number), function)
                    break

    def place(self, address: int) -> Place | None:
        if address not in self._known:
            self.resolve([address])
        return self._known.get(address)

    def first(self, addresses: Iterable[int]) -> Place | None:
        """The place of the first address that lies in the learner's files."""
        return next((p for p in (self.place(a) for a in addresses) if p is not None), None)

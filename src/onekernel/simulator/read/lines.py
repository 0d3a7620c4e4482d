"""From an address in a shared object to the line of the learner's file that it was compiled from."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_BATCH = 2000  # addresses: fewer bytes than a pipe takes, so that nobody waits for nobody
_SECONDS = 20.0  # without a word: that program does not answer while it runs
_END = re.compile(rb"^0x0+\n[^\n]*\n[^\n]*\n\Z", re.MULTILINE)  # what it says of address 0, which is asked last


@dataclass(frozen=True)
class Place:
    file: str
    line: int
    function: str


@cache
def _tool() -> str | None:
    return shutil.which("addr2line") or shutil.which("llvm-addr2line")


class _Server:
    """addr2line, asked through its standard input: one answer after each address."""

    def __init__(self, command: list[str]) -> None:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   bufsize=0)  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        weakref.finalize(self, _ended, process)

    def ask(self, addresses: list[str]) -> str:
        """Its answers. Raises OSError where there are none in time."""
        self._in.write("".join(f"{a}\n" for a in (*addresses, "0x0")).encode())
        said = b""
        while not _END.search(said[-4096:]):
            ready, _, _ = select.select([self._out], [], [], _SECONDS)
            more = os.read(self._out.fileno(), 1 << 16) if ready else b""
            if not more:
                raise TimeoutError
            said += more
        return _END.sub(b"", said).decode("utf-8", "replace")


def _ended(process: subprocess.Popen[bytes]) -> None:
    """Nobody asks any more."""
    process.kill()
    process.communicate()


class Lines:
    """Resolves return addresses of `library` to places in `files`, through inlined calls. Without addr2line: None."""

    def __init__(self, library: Path, files: Iterable[Path]) -> None:
        self._library = library
        self._files = {str(path) for path in files}
        self._known: dict[int, Place | None] = {}
        self._server: _Server | None = None
        self._resident = True

    def resolve(self, addresses: Iterable[int]) -> None:
        """Looks up many addresses in one go."""
        new = sorted({a for a in addresses if a not in self._known})
        tool = _tool()
        if not new or tool is None:
            self._known.update(dict.fromkeys(new))
            return
        for start in range(0, len(new), _BATCH):
            part = new[start : start + _BATCH]
            asked = [hex(a - 1) for a in part]  # a return address lies behind its call: one byte back is inside it
            self._read(part, self._asked(tool, asked))

    def _asked(self, tool: str, addresses: list[str]) -> str:
        """What the program says of them. It stays, because it reads the whole library before its first answer, and each
        call of a launcher brings some addresses that are new."""
        command = [tool, "-e", str(self._library), "-a", "-i", "-f", "-C"]
        if self._resident:
            try:
                self._server = self._server or _Server(command)
                return self._server.ask(addresses)
            except OSError:
                self._resident, self._server = False, None
        return subprocess.run([*command, *addresses], capture_output=True, text=True, errors="replace").stdout

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

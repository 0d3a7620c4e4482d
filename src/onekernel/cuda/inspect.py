"""What nvcc makes of a `.cu`, for any architecture, with no GPU: registers, spills, occupancy, widths of loads by line.

    print(read("solutions/softmax_block.cu", ["sm_80", "sm_90"]))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from onekernel.backends.machine_code import Function
from onekernel.backends.occupancy import LIMITS, occupancy
from onekernel.cuda.ahead import Resources, compile_ahead
from onekernel.errors import UserError
from onekernel.messages import Message, say

BLOCKS = (128, 256, 512, 1024)  # threads: what a launch decides, and the compiler does not know
MOST_BY_LINE = 4  # kernels of an architecture that are shown line by line without being asked for by name
WARP = 32


@dataclass(frozen=True)
class Compiled:
    """One kernel for one architecture."""

    arch: str
    resources: Resources
    code: Function

    def summary(self) -> list[str]:
        """What it takes, as sentences; the first is its title."""
        r = self.resources
        sizes = {"registers": r.registers, "shared": r.shared, "sass": self.code.instructions}
        lines = [say("compiled.title", kernel=r.name, arch=self.arch), say("compiled.resources", **sizes)]
        lines.append(say("compiled.occupancy", each="; ".join(self._occupancy(threads) for threads in BLOCKS)))
        if r.spill_stores or r.spill_loads:
            lines.append(say("compiled.spills", stored=r.spill_stores, loaded=r.spill_loads))
        elif r.stack:
            lines.append(say("compiled.stack", stack=r.stack))
        for kind in ("load", "store"):
            wide, total = self.code.wide(kind)
            if total:
                lines.append(say(f"compiled.wide-{kind}s", wide=wide, total=total))
        return lines

    def by_line(self) -> list[str]:
        """Its loads, stores, shuffles, barriers, atomics and exponentials, in order of lines."""
        return [say(f"compiled.{c.kind}", line=c.line, times=c.times, bytes=c.bytes) for c in self.code.counts]

    def _occupancy(self, threads: int) -> str:
        found = occupancy(self.arch, self.resources.registers, threads // WARP, self.resources.shared)
        limit = say(f"compiled.limit-{found.limit}")
        return say("compiled.occupancy-of", threads=threads, percent=found.percent, limit=limit)


@dataclass(frozen=True)
class Inspection:
    """The kernels of a file, compiled. Prints as a reading; the listings are fields."""

    path: Path
    nvcc: str
    kernels: tuple[Compiled, ...]
    ptx: dict[str, str]

    def __str__(self) -> str:
        whole = len({k.resources.name for k in self.kernels}) <= MOST_BY_LINE
        parts = [say("compiled.inspection", file=self.path.name, version=self.nvcc)]
        for kernel in self.kernels:
            title, *lines = [*kernel.summary(), *(kernel.by_line() if whole else [])]
            parts.append("\n".join([title, *("  " + line for line in lines)]))
        if not whole:
            name = self.kernels[0].resources.name
            count = len({k.resources.name for k in self.kernels})
            parts.append(say("compiled.more-kernels", count=count, name=f"'{name}'"))
        return "\n\n".join(parts)

    def write(self, folder: Path) -> list[Path]:
        """Writes the listings (.ptx of each architecture, .sass of each kernel) into `folder`; returns their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        files = {f"{self.path.stem}-{arch}.ptx": text for arch, text in self.ptx.items()}
        for number, k in enumerate(self.kernels):
            name = "".join(c if c.isalnum() or c == "_" else "-" for c in k.resources.name).strip("-")
            files[f"{number:02}-{name}-{k.arch}.sass"] = k.code.listing
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        return [folder / name for name in files]


def read(path: Path | str, archs: Sequence[str] = ("sm_80", "sm_90"), *, kernel: str = "") -> Inspection:
    """Compiles the file for each architecture and reads its machine code; `kernel`: only those with that in their name.

    Raises UserError for an architecture or a kernel that does not exist, Unavailable without nvcc or nvdisasm,
    BuildError where nvcc refuses the file.
    """
    path = Path(path).resolve()
    unknown = [arch for arch in archs if arch not in LIMITS]
    if unknown:
        raise UserError(Message.of("triton.unknown-arch", arch=", ".join(unknown), known=", ".join(LIMITS)))
    found: list[Compiled] = []
    ptx: dict[str, str] = {}
    version = ""
    for arch in archs:
        ahead = compile_ahead(path, arch)
        code = ahead.machine_code()
        version, ptx[arch] = ahead.nvcc, ahead.ptx
        found += [Compiled(arch, r, code[r.symbol]) for r in ahead.kernels if r.symbol in code]
    chosen = tuple(k for k in found if kernel.replace(" ", "") in k.resources.name.replace(" ", ""))
    if kernel and not chosen:
        known = ", ".join(dict.fromkeys(k.resources.name for k in found))
        raise UserError(Message.of("compiled.no-such-kernel", asked=kernel, known=known))
    return Inspection(path, version, chosen, ptx)

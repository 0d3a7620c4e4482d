"""The configurations of softmax_triton.py that a sweep tries, and how one of them is launched at a shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SHAPES = (
    (131072, 128), (65536, 256), (32768, 512), (32768, 1000), (16384, 1024), (16384, 2048), (8192, 4096), (8192, 4095),
    (8192, 8192), (4096, 12345), (4096, 16384), (4096, 32768), (4096, 50257), (2048, 65536), (2048, 131072),
    (1024, 262144), (128, 131072), (16, 262144), (1, 4194304), (1024, 1024), (128, 4096),
)  # fmt: skip
WIDTHS = {"float32": 4, "bfloat16": 8}  # elements in 16 bytes
# Of programs that share a row: elements of a thread, warps, most registers of a thread (None: as the compiler likes).
_SHARES = (
    (64, 4, None), (64, 4, 80), (64, 4, 64), (56, 4, 72), (48, 4, 64), (32, 4, None), (64, 8, 80), (32, 8, None),
    (32, 16, None), (32, 32, None),
)  # fmt: skip


@dataclass(frozen=True)
class Configuration:
    """One kernel of the file ("tile" or "team"), its constants, warps of a program, most registers of a thread."""

    kernel: str
    constants: tuple[tuple[str, int], ...]
    warps: int
    registers: int | None

    def __str__(self) -> str:
        return f"{self.kernel} {self.constants[0][1]}/{self.warps}w/{self.registers}r"


def configurations(cols: int, width: int) -> list[Configuration]:
    """What is tried at rows of `cols` elements: more than the solution keeps, so as to judge its choice.

    `width` elements make 16 bytes.
    """
    import triton

    found = []
    if cols <= 32768:
        for lanes in (4, 8, 16, 32, 64, 128, 256, 512, 1024):
            each = triton.cdiv(triton.cdiv(cols, width), lanes) * width
            for warps in (2, 4) if lanes <= 32 else (lanes // 32,):
                if 8 <= each <= 128 and (each > width or lanes * width < 2 * cols):
                    found.append(Configuration("tile", (("LANES", lanes),), warps, 64 if lanes >= 512 else None))
    if cols >= 12345:
        for each, warps, registers in _SHARES:
            share = 32 * warps * each
            if triton.cdiv(cols, share) <= 128 and share < 2 * cols:
                found.append(Configuration("team", (("EACH", each),), warps, registers))
    return found


class Shape:
    """A pair of tensors and everything that a launch needs except the configuration. `solution`: softmax_triton.py."""

    def __init__(self, rows: int, cols: int, dtype: str, device: str, solution: Any) -> None:
        import torch

        self.rows, self.cols, self.dtype, self.solution = rows, cols, dtype, solution
        if device == "cuda":
            self.x = torch.randn((rows, cols), device=device, dtype=getattr(torch, dtype))
            self.y = torch.empty_like(self.x)
        else:  # for compiling ahead: only addresses matter, nothing is touched
            self.x, self.y = (self._as_on_a_card(torch, getattr(torch, dtype)) for _ in "xy")

    def _as_on_a_card(self, torch: Any, dtype: Any) -> Any:
        """A tensor that starts on a cache line, as a GPU's do."""
        flat = torch.empty(self.rows * self.cols + 128, dtype=dtype)
        start = -flat.data_ptr() % 128 // flat.element_size()
        return flat[start : start + self.rows * self.cols].view(self.rows, self.cols)

    def launcher(self, chosen: Configuration) -> tuple[Callable[[], Any], Callable[[], Any]]:
        """-> (prepare, launch): `prepare` zeroes the team's words outside the timed span."""
        import torch
        import triton

        solution, constants = self.solution, dict(chosen.constants)
        options = solution.alignment_of(self.x, self.y) | constants
        options |= {"num_warps": chosen.warps, "maxnreg": chosen.registers}
        strides = self.x.stride(0), self.y.stride(0)
        if chosen.kernel == "tile":
            grid = (triton.cdiv(self.rows, max(1, 32 * chosen.warps // constants["LANES"])),)
            options |= {"VECTORS": solution.vectors_in(self.cols, **options), "FAR": False, "FEW": self.rows <= 512}
            tiles = (self.x, self.y, self.rows, self.cols, *strides)
            return (lambda: None), lambda: solution.tile.fn[grid](*tiles, **options)
        grid = (self.rows * triton.cdiv(self.cols, 32 * chosen.warps * constants["EACH"]),)
        parts = max(solution.slots_for(self.cols), triton.next_power_of_2(grid[0] // self.rows))
        words = torch.zeros(self.rows * parts, dtype=torch.int64, device=self.x.device)
        args = (self.x, self.y, self.cols, *strides)
        return words.zero_, lambda: solution.team.fn[grid](*args, words_ptr=words, PARTS=parts, **options)


def solution_of(root: Path) -> Path:
    """The file whose configurations are swept."""
    return root / "solutions" / "softmax_triton.py"

"""The figures of the theory chapters, all made from recordings by one command: `onekernel author figures`."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from onekernel import messages
from onekernel.backends import call_arguments
from onekernel.messages import LANGUAGES, each_language, say
from onekernel.trace import pictures
from onekernel.trace.recording import Recording, record

STAMPS = "figures.json"  # beside the figures: what each was drawn from


@dataclass(frozen=True)
class Figure:
    """A figure: its name in docs/img, its kind of picture, the file that runs, the shape and the element type."""

    name: str
    kind: str
    file: str
    shape: tuple[int, ...]
    dtype: str = "float32"

    @property
    def command(self) -> str:
        """What a reader types to see it, and the other pictures of the same launch."""
        path = Path(self.file)
        what = f"{path.stem} --solutions" if path.parent.name == "solutions" else self.file
        typed = "" if self.dtype == "float32" else f" --dtype {self.dtype}"
        return f"onekernel trace {what} --shape {','.join(map(str, self.shape))}{typed}"


_TILES = (128, 128, 32)  # a tile of each rung of the GEMM ladder, or several
FIGURES = (
    Figure("strided", "access", "bench/kernels/strided_copy.cu", (4096,)),
    Figure("bank-conflicts", "banks", "bench/kernels/transpose.cu", (64, 64)),
    Figure("bank-conflicts-padded", "banks", "bench/kernels/transpose_padded.cu", (64, 64)),
    Figure("block-timeline", "timeline", "solutions/softmax_block.cu", (4, 512)),
    Figure("gemm-naive", "access", "solutions/ladder/gemm_01_naive.cu", (64, 64, 32)),
    Figure("gemm-coalesced", "access", "solutions/ladder/gemm_02_coalesced.cu", (64, 64, 32)),
    Figure("gemm-shared-tile", "banks", "solutions/ladder/gemm_03_shared_tile.cu", _TILES),
    Figure("gemm-register-tile-1d", "banks", "solutions/ladder/gemm_04_register_tile_1d.cu", _TILES),
    Figure("gemm-register-tile-2d", "banks", "solutions/ladder/gemm_05_register_tile_2d.cu", _TILES),
    Figure("gemm-vector-loads", "banks", "solutions/ladder/gemm_06_vector_loads.cu", _TILES),
    Figure("gemm-padding", "banks", "solutions/ladder/gemm_07_padding.cu", _TILES),
    Figure("gemm-double-buffering", "timeline", "solutions/ladder/gemm_08_double_buffering.cu", _TILES),
    Figure("gemm-warp-tiles", "banks", "solutions/ladder/gemm_09_warp_tiles.cu", _TILES),
    Figure("gemm-mma-sync", "banks", "solutions/ladder/gemm_10_mma_sync.cu", _TILES, "bfloat16"),
    Figure("heat-naive", "heat", "solutions/softmax_naive.cu", (8, 256)),
)


def refresh(root: Path, check: bool = False) -> list[Path]:
    """Draws each figure whose recording or words have changed, in every language; with `check` only lists them.

    Raises BuildError, Unavailable or UserError for a kernel that cannot be recorded.
    """
    folder = root / "docs" / "img"
    known = stamps(folder)
    stale: list[Path] = []
    for figure in FIGURES:
        function, args = call_arguments.of_file(root / figure.file, figure.shape, figure.dtype)
        recording = record(root / figure.file, function, args, machine_code=False)  # the same on every machine
        stamp = _stamp(figure, recording)
        wanted = [folder / f"{figure.name}{suffix}.png" for suffix in ("", *(f".{x}" for x in LANGUAGES if x != "en"))]
        if known.get(figure.name) == stamp and all(p.is_file() for p in wanted):
            continue
        stale += wanted
        if not check:
            for lang in each_language():
                suffix = "" if lang == "en" else f".{lang}"
                under = say("trace.under", command=figure.command)
                written = pictures.draw(figure.kind, [recording], folder / f"{figure.name}{suffix}", under)
                for path in written or []:
                    if path.suffix == ".svg":
                        path.unlink()  # the pages show the PNG
            known[figure.name] = stamp
    if stale and not check:
        write_stamps(folder, known)
    return stale


def stamps(folder: Path) -> dict[str, str]:
    """What each figure of a folder was drawn from, by its name."""
    path = folder / STAMPS
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def write_stamps(folder: Path, known: dict[str, str]) -> None:
    (folder / STAMPS).write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _stamp(figure: Figure, recording: Recording) -> str:
    """Stands for everything that a figure shows: how it is drawn, the words, the source, what the launch did."""
    drawing = [p.read_text(encoding="utf-8") for p in sorted(Path(__file__).parent.glob("*.py"))]
    parts: list[Any] = [drawing, asdict(figure), messages.area("trace"), recording.source.read_text(encoding="utf-8")]
    parts += [{**asdict(r), "file": ""} for r in recording.requests]
    parts += [asdict(p) for p in recording.phases]
    parts += [[n.line, dict(n.metrics)] for n in recording.counts.lines]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

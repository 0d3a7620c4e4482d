"""The figures of the pages that no bench draws: of the simulator's recordings, of recorded traces, of attention.

`python -m audits.book figures` makes them all. A figure is drawn anew where what it shows, or how, is no longer what
its stamp in docs/img/figures.json stands for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from audits.book import attention
from onekernel import messages, trace
from onekernel.backends import call_arguments
from onekernel.explain import chrome, picture
from onekernel.explain.shares import Explained
from onekernel.messages import LANGUAGES, each_language, localized, say
from onekernel.trace import Recording, pictures

STAMPS = "figures.json"  # beside the figures: what each was drawn from
TRACES = Path("labs") / "05-fusion" / "traces"
TIMELINES = ("item", "no_item", "small_kernels", "small_kernels_graph")  # of the recorded traces
Draw = Callable[[Path], object]  # at a path without its ending; PNG and SVG


@dataclass(frozen=True)
class Recorded:
    """A figure of a launch in the simulator: its name in docs/img, its kind of picture, the file that runs, the shape
    and the element type."""

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
RECORDED = (
    Recorded("strided", "access", "bench/kernels/strided_copy.cu", (4096,)),
    Recorded("bank-conflicts", "banks", "bench/kernels/transpose.cu", (64, 64)),
    Recorded("bank-conflicts-padded", "banks", "bench/kernels/transpose_padded.cu", (64, 64)),
    Recorded("block-timeline", "timeline", "solutions/softmax_block.cu", (4, 512)),
    Recorded("gemm-naive", "access", "solutions/ladder/gemm_01_naive.cu", (64, 64, 32)),
    Recorded("gemm-coalesced", "access", "solutions/ladder/gemm_02_coalesced.cu", (64, 64, 32)),
    Recorded("gemm-shared-tile", "banks", "solutions/ladder/gemm_03_shared_tile.cu", _TILES),
    Recorded("gemm-register-tile-1d", "banks", "solutions/ladder/gemm_04_register_tile_1d.cu", _TILES),
    Recorded("gemm-register-tile-2d", "banks", "solutions/ladder/gemm_05_register_tile_2d.cu", _TILES),
    Recorded("gemm-vector-loads", "banks", "solutions/ladder/gemm_06_vector_loads.cu", _TILES),
    Recorded("gemm-padding", "banks", "solutions/ladder/gemm_07_padding.cu", _TILES),
    Recorded("gemm-double-buffering", "timeline", "solutions/ladder/gemm_08_double_buffering.cu", _TILES),
    Recorded("gemm-warp-tiles", "banks", "solutions/ladder/gemm_09_warp_tiles.cu", _TILES),
    Recorded("gemm-mma-sync", "banks", "solutions/ladder/gemm_10_mma_sync.cu", _TILES, "bfloat16"),
    Recorded("heat-naive", "heat", "solutions/softmax_naive.cu", (8, 256)),
)


def refresh(root: Path, check: bool = False) -> list[Path]:
    """Draws each figure whose sources or words have changed, in every language; with `check` only lists them.

    Raises BuildError, Unavailable or UserError for a kernel that cannot be recorded, and UserError for a trace that
    cannot be read.
    """
    folder = root / "docs" / "img"
    path = folder / STAMPS
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    stale: list[Path] = []
    for name, draw, stamp in _every(root):
        wanted = {lang: folder / localized(name, lang) for lang in LANGUAGES}
        if known.get(name) == stamp and all(_ending(p, "png").is_file() for p in wanted.values()):
            continue
        stale += [_ending(p, "png") for p in wanted.values()]
        if not check:
            for lang in each_language():
                draw(wanted[lang])
                _ending(wanted[lang], "svg").unlink(missing_ok=True)  # the pages show the PNG
            known[name] = stamp
            path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return stale


def _every(root: Path) -> Iterator[tuple[str, Draw, str]]:
    """Each figure: its name, what draws it, and what stands for all that it shows."""
    for figure in RECORDED:
        function, args = call_arguments.of_file(root / figure.file, figure.shape, figure.dtype)
        recording = trace.record(root / figure.file, function, args, machine_code=False)  # the same on every machine
        yield figure.name, _launch(figure, recording), _stamp_of_launch(figure, recording)
    yield "flash-attention", attention.draw, _stamp([Path(attention.__file__)], "book")
    code = [Path(picture.__file__).with_name(f"{part}.py") for part in ("picture", "shares", "costs")]
    for name in TIMELINES:
        path = root / TRACES / f"{name}.json.gz"
        yield f"explain-{name.replace('_', '-')}", _timeline(path), _stamp([path, *code], "explain")


def _launch(figure: Recorded, recording: Recording) -> Draw:
    def draw(target: Path) -> object:
        return pictures.draw(figure.kind, [recording], target, say("trace.under", command=figure.command))

    return draw


def _timeline(path: Path) -> Draw:
    name = path.name.removesuffix(".json.gz")
    command = f"onekernel explain {TRACES.as_posix()}/{path.name}"
    return lambda target: picture.draw(Explained(chrome.read(path)), f"{name}.py", command, target)


def _ending(path: Path, ending: str) -> Path:
    return path.with_name(f"{path.name}.{ending}")


def _stamp(sources: list[Path], area: str) -> str:
    """Stands for what a figure is drawn from, how, and the words."""
    digest = hashlib.sha256(json.dumps(messages.area(area), sort_keys=True).encode())
    for path in sources:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _stamp_of_launch(figure: Recorded, recording: Recording) -> str:
    """Stands for how it is drawn, the words, the source, and what the launch did."""
    drawing = [p.read_text(encoding="utf-8") for p in sorted(Path(pictures.__file__).parent.glob("*.py"))]
    parts: list[Any] = [drawing, asdict(figure), messages.area("trace"), recording.source.read_text(encoding="utf-8")]
    parts += [{**asdict(r), "file": ""} for r in recording.requests]
    parts += [asdict(p) for p in recording.phases]
    parts += [[n.line, dict(n.metrics)] for n in recording.counts.lines]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]

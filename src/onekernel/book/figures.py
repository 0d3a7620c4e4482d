"""The figures of the pages that no bench draws: of the simulator's recordings, of recorded traces, of attention."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from onekernel import messages
from onekernel.book import attention
from onekernel.explain import chrome, picture
from onekernel.explain.shares import Explained
from onekernel.messages import LANGUAGES, each_language
from onekernel.trace import figures as recorded

TRACES = Path("labs") / "05-fusion" / "traces"
TIMELINES = ("item", "no_item", "small_kernels", "small_kernels_graph")  # of the recorded traces
Draw = Callable[[Path], object]


def refresh(root: Path, check: bool = False) -> list[Path]:
    """Draws each figure whose sources or words have changed, in every language; with `check` only lists them.

    Raises what trace.figures.refresh raises, and UserError for a trace that cannot be read.
    """
    stale = recorded.refresh(root, check)
    folder = root / "docs" / "img"
    known = recorded.stamps(folder)
    for name, (draw, sources, area) in _figures(root).items():
        stamp = _stamp(sources, area)
        wanted = {lang: folder / (name if lang == "en" else f"{name}.{lang}") for lang in LANGUAGES}
        if known.get(name) == stamp and all(_png(p).is_file() for p in wanted.values()):
            continue
        stale += [_png(p) for p in wanted.values()]
        if not check:
            for lang in each_language():
                draw(wanted[lang])
                wanted[lang].with_name(f"{wanted[lang].name}.svg").unlink()  # the pages show the PNG
            known[name] = stamp
            recorded.write_stamps(folder, known)
    return stale


def _figures(root: Path) -> dict[str, tuple[Draw, list[Path], str]]:
    """Each figure by name: what draws it, what it is drawn from, the area of its words."""
    code = Path(picture.__file__).parent
    found: dict[str, tuple[Draw, list[Path], str]] = {
        "flash-attention": (attention.draw, [Path(attention.__file__)], "book"),
    }
    for name in TIMELINES:
        path = root / TRACES / f"{name}.json.gz"
        sources = [path, *(code / f"{part}.py" for part in ("picture", "shares", "costs"))]
        found[f"explain-{name.replace('_', '-')}"] = (_timeline(path), sources, "explain")
    return found


def _timeline(path: Path) -> Draw:
    name = path.name.removesuffix(".json.gz")
    command = f"onekernel explain {TRACES.as_posix()}/{path.name}"
    return lambda target: picture.draw(Explained(chrome.read(path)), f"{name}.py", command, target)


def _png(path: Path) -> Path:
    return path.with_name(f"{path.name}.png")


def _stamp(sources: list[Path], area: str) -> str:
    """Stands for all that a figure shows: what it is drawn from, how, and the words."""
    digest = hashlib.sha256(json.dumps(messages.area(area), sort_keys=True).encode())
    for path in sources:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]

"""Gap markers: a solution carries its own starter.

    // <gap>
    //| // TODO: what the learner writes here
    ... the solution's lines ...
    // </gap>

The starter has the `//|` lines, without that prefix, in place of the whole region. In Python files `#` stands for `//`.
"""

from __future__ import annotations

from pathlib import Path

from onekernel.errors import UserError
from onekernel.messages import Message

COMMENT = {".cu": "//", ".py": "#", ".md": "<!--"}


def starter(text: str, path: Path) -> str:
    """The starter that `text`, the solution at `path`, carries. Raises UserError where the markers do not pair."""
    mark = COMMENT[path.suffix]
    close = " -->" if path.suffix == ".md" else ""
    opening, closing, keep = f"{mark} <gap>{close}", f"{mark} </gap>{close}", f"{mark}|"
    kept: list[str] = []
    opened = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        stripped = line.strip()
        if stripped == opening:
            if opened:
                raise _unpaired("nested", path, number, line=opened)
            opened = number
        elif stripped == closing:
            if not opened:
                raise _unpaired("unopened", path, number, marker=opening)
            opened = 0
        elif not opened:
            kept.append(line)
        elif stripped.startswith(keep):
            indent = line[: len(line) - len(line.lstrip())]
            body = stripped.removeprefix(keep).removesuffix(close).removeprefix(" ")
            kept.append(f"{indent}{body}\n" if body else "\n")
    if opened:
        raise _unpaired("unclosed", path, opened, marker=closing)
    return "".join(kept)


def _unpaired(key: str, path: Path, at: int, **values: object) -> UserError:
    return UserError(Message(f"course.gap-{key}", {"place": f"{path}:{at}", **values}))


def solved(text: str, path: Path) -> str:
    """The solution without its markers and its starter lines: what a reader is shown."""
    mark = COMMENT[path.suffix]
    hidden = (f"{mark} <gap>", f"{mark} </gap>", f"{mark}|")
    return "".join(line for line in text.splitlines(keepends=True) if not line.strip().startswith(hidden))


def has_gaps(text: str) -> bool:
    """Whether a text carries gap markers."""
    return "<gap>" in text


def write_starters(root: Path, check: bool = False) -> list[Path]:
    """Writes `kernels/` from `solutions/`, and each small exercise's `starter` from its `answer` beside it. Returns the
    starters that were stale; with `check`, writes nothing.

    A solution without gaps is reading, not an exercise, and has no starter. A starter without a solution is removed.
    """
    wanted: dict[Path, str] = {}
    answers = sorted((root / "labs").glob("*/*/answer.*"))
    for path in (*sorted((root / "solutions").iterdir()), *answers):
        if path.is_file() and path.suffix in COMMENT:
            text = path.read_text(encoding="utf-8")
            if has_gaps(text):
                beside = path.with_name(f"starter{path.suffix}")
                wanted[beside if path in answers else root / "kernels" / path.name] = starter(text, path)
    made = (*sorted((root / "kernels").glob("*")), *sorted((root / "labs").glob("*/*/starter.*")))
    stray = [p for p in made if p.is_file() and p not in wanted]
    stale = [p for p, text in wanted.items() if not p.is_file() or p.read_text(encoding="utf-8") != text]
    if not check:
        for path in stray:
            path.unlink()
        for path in stale:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
    return stale + stray

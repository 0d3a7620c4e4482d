"""The recording on the front page: a session at the terminal, run for real, as an animated SVG in each language.

`session` plays the commands in a copy of the course and keeps what they print, colours included; `drawn` makes frames
of it. Nothing in the picture is typed by hand but the commands and the learner's two lines.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import onekernel
from audits.command import ONEKERNEL
from onekernel.messages import LANGUAGES, Message, localized

COLUMNS, SECONDS = 64, 20.0
FOLDERS = ("labs", "kernels", "solutions", "docs")
EXERCISE = Path("learners") / "ada" / "vector_add.cu"
INDEX = "    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
BODY = "    out[i] = a[i] + b[i];\n"
BLOCKS = ("const int64_t blocks = 1;", "const int64_t blocks = (n + kThreads - 1) / kThreads;")
GUARD = r"sed -i 's/^    out/    if (i < n) out/' vector_add.cu"
SHOW = "grep -n '^    out' vector_add.cu"
CHECK = "onekernel check vector_add --seed 7"
AGAIN = f"{CHECK} | head -13"  # without what comes next, which each new exercise changes
_SGR = re.compile(r"\x1b\[([\d;]*)m")
_LINE, _CHAR, _LEFT, _TOP = 17.0, 7.5, 14.0, 26.0
COLOURS = {"31": "red", "32": "green", "33": "yellow", "36": "cyan", "1": "bold", "2": "dim"}


@dataclass(frozen=True)
class Step:
    """One command: what is typed, what it printed, when it is typed and when its output comes, in seconds."""

    command: str
    output: str
    typed: float
    answered: float


def refresh(root: Path, check: bool = False) -> list[Path]:
    """Records anew and writes where it differs; with `check` only lists the files that are stale."""
    folder = root / "docs" / "img"
    made = {folder / localized("session.svg", lang): drawn(session(root, lang), lang) for lang in LANGUAGES}
    stale = [path for path, text in made.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if not check:
        for path in stale:
            path.write_text(made[path], encoding="utf-8")
    return stale


def session(root: Path, lang: str) -> list[list[Step]]:
    """The scenes, each on an empty screen: a kernel without a guard is checked; it is given one and checked again."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name in FOLDERS:
            (home / name).symlink_to(root / name)
        _run(home, "onekernel start ada", lang)
        file = home / EXERCISE
        file.write_text(_first_try(file.read_text(encoding="utf-8")), encoding="utf-8")
        first = [Step(SHOW, _run(file.parent, SHOW, lang), 0.3, 1.8),
                 Step(CHECK, _run(file.parent, CHECK, lang), 3.0, 5.0)]  # fmt: skip
        second = [Step(GUARD, _run(file.parent, GUARD, lang), 12.3, 14.0),
                  Step(AGAIN, _run(file.parent, AGAIN, lang), 14.2, 16.2)]  # fmt: skip
    return [first, second]


def _first_try(starter: str) -> str:
    """The starter as a learner fills it who forgets the bounds."""
    comments = re.compile(r"    // [^\n]*\n(?:    // [^\n]*\n)*    \(void\)a;[^\n]*\n")
    filled, gaps = comments.subn(INDEX + BODY, starter)
    if gaps != 1 or BLOCKS[0] not in filled:
        raise ValueError("the starter of vector_add is not the one that this session fills")
    return filled.replace(*BLOCKS)


def _run(folder: Path, command: str, lang: str) -> str:
    """What a command prints on a terminal of this width, on a machine without a GPU."""
    package = str(Path(onekernel.__path__[0]).parent)  # which need not be installed to be recorded
    env = os.environ | {"PYTHONPATH": package, "COLUMNS": str(COLUMNS), "FORCE_COLOR": "1", "TERM": "xterm-256color",
                        "ONEKERNEL_LANG": lang, "CUDA_VISIBLE_DEVICES": ""}  # fmt: skip
    env.pop("ONEKERNEL_ROOT", None)
    words = ["bash", "-c", f'onekernel() {{ {shlex.join(ONEKERNEL)} "$@"; }}\n{command}']
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode == 2 or (done.returncode and not done.stdout):
        raise RuntimeError(done.stderr)
    said = done.stdout.rstrip("\n")
    if wide := [line for line in said.splitlines() if len(_SGR.sub("", line)) > COLUMNS]:
        raise ValueError(f"wider than the recording: {wide[0]}")
    return said


def drawn(scenes: list[list[Step]], lang: str) -> str:
    """The animation: text that is shown from a moment on, a cover that slides off what is typed."""
    rows = max(sum(2 + _rows(step) for step in scene) for scene in scenes)
    width, height = _LEFT * 2 + COLUMNS * _CHAR, _TOP + rows * _LINE
    title, about = (Message(f"book.session-{key}").text(lang) for key in ("title", "about"))
    body: list[str] = []
    rules: list[str] = []
    for number, scene in enumerate(scenes):
        start = scene[0].typed - 0.3
        end = scenes[number + 1][0].typed - 0.3 if number + 1 < len(scenes) else SECONDS
        body.append(f'<g class="scene s{number}">')
        rules.append(_shown(f"s{number}", start, end))
        row = 0
        for k, step in enumerate(scene):
            name = f"t{number}{k}"
            body += [*_typed(step, row, name), f'<g class="{name}o">', *_printed(step, row + 1), "</g>"]
            rules += [*_typing(step, name), _shown(f"{name}o", step.answered, end)]
            row += 2 + _rows(step)
        body.append("</g>")
    still = "".join(f".s{n}{{display:none}}" for n in range(len(scenes) - 1))
    style = _STYLE + "".join(rules) + _STILL.format(hidden=still)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}"'
        f' height="{height:g}" role="img" lang="{lang}" aria-labelledby="title about">',
        f'<title id="title">{escape(title)}</title>', f'<desc id="about">{escape(about)}</desc>',
        f"<style>{style}</style>",
        f'<rect class="screen" width="{width:g}" height="{height:g}" rx="8"/>', *body, "</svg>", "",
    ])  # fmt: skip


_STYLE = (
    "text{font:12.5px ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d7dee6;white-space:pre}"
    ".screen,.cover{fill:#10161d}.bold{font-weight:700}.dim{fill:#8b98a5}.red{fill:#ff7b72}.green{fill:#56d364}"
    ".yellow{fill:#e3b341}.cyan{fill:#56d4dd}"
)

# Who asks for no motion sees the last scene.
_STILL = "@media (prefers-reduced-motion:reduce){{*{{animation:none!important}}.cover{{display:none}}{hidden}}}"


def _rows(step: Step) -> int:
    return len(step.output.splitlines())


def _typed(step: Step, row: int, name: str) -> list[str]:
    y = _TOP + row * _LINE
    at = f'x="{_LEFT + 2 * _CHAR:g}" y="{y - 12:g}" width="{len(step.command) * _CHAR + 4:g}" height="16"'
    return [
        _text(0, y, "$", "green"), _text(2, y, step.command, "bold"), f'<rect class="cover {name}" {at}/>'
    ]  # fmt: skip


def _typing(step: Step, name: str) -> list[str]:
    """The cover over a command moves off it, a letter at a time."""
    letters = len(step.command)
    begun, done = step.typed / SECONDS * 100, (step.typed + 0.03 * letters) / SECONDS * 100
    away = f"transform:translateX({letters * _CHAR + 4:g}px) scaleX(0)"
    frames = f"0%,{begun:.2f}%{{transform:none;animation-timing-function:steps({letters})}}{done:.2f}%,100%{{{away}}}"
    return [f"@keyframes {name}{{{frames}}}.{name}{{{away};transform-box:fill-box;transform-origin:right;"
            f"animation:{name} {SECONDS:g}s infinite}}"]  # fmt: skip


def _shown(name: str, start: float, end: float) -> str:
    """Visible from `start` to `end`, in seconds."""
    a, b = start / SECONDS * 100, end / SECONDS * 100
    before = f"0%,{a - 0.01:.2f}%{{visibility:hidden}}" if a > 0 else ""
    after = f"{b + 0.01:.2f}%,100%{{visibility:hidden}}" if b < 100 else ""
    frames = f"{before}{a:.2f}%,{b:.2f}%{{visibility:visible}}{after}"
    return f"@keyframes {name}{{{frames}}}.{name}{{animation:{name} {SECONDS:g}s step-end infinite}}"


def _printed(step: Step, row: int) -> list[str]:
    """The output's lines, each run of one colour a text of its own, at its column."""
    found = []
    for n, line in enumerate(step.output.splitlines()):
        column, kind = 0, ""
        for k, part in enumerate(_SGR.split(line)):
            if k % 2:
                kind = " ".join(COLOURS[code] for code in part.split(";") if code in COLOURS)
            elif part.strip():
                found.append(_text(column, _TOP + (row + n) * _LINE, part, kind))
            column += 0 if k % 2 else len(part)
    return found


def _text(column: int, y: float, text: str, kind: str) -> str:
    """`text` at a column, its blanks at either end left out, as wide as the terminal writes it."""
    column += len(text) - len(text.lstrip())
    text = text.strip()
    chosen = f' class="{kind}"' if kind else ""
    return (f'<text{chosen} x="{_LEFT + column * _CHAR:g}" y="{y:g}" textLength="{len(text) * _CHAR:g}"'
            f' lengthAdjust="spacingAndGlyphs">{escape(text)}</text>')  # fmt: skip

"""What is shown while a file is graded: on a terminal a line for each file in work, elsewhere nothing."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from onekernel import messages
from onekernel.cli import pool, waiting
from onekernel.grading.submission import Submission
from onekernel.sandbox import process, supervisor
from onekernel.sandbox.progress import Progress, about, followed, reached
from onekernel.sandbox.protocol import STARTED, Request
from support.course import COURSE, ROOT

SLUG = "vector_add"
CHECK = COURSE.exercises[SLUG].checks[1]
SECONDS = re.compile(r"· \d+ s\b")
_STEERING = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "_chosen", "en")


def terminal(*words: str, columns: int = 100, stdout: int | None = None, **env: str) -> tuple[int, str]:
    """The exit code of a command, and all that it wrote to a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    surroundings = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")}
    started = subprocess.Popen(
        [sys.executable, "-c", "import sys; from onekernel.cli import main; sys.exit(main())", *words],
        stdin=subprocess.DEVNULL, stdout=theirs if stdout is None else stdout, stderr=theirs, cwd=ROOT,
        env={**surroundings, "TERM": "xterm", **env},
    )  # fmt: skip
    os.close(theirs)
    data = b""
    try:
        while more := os.read(ours, 1 << 16):
            data += more
    except OSError:  # how Linux says that nobody has the other end any more
        pass
    os.close(ours)
    return started.wait(), data.decode("utf-8")


def frames(text: str) -> list[str]:
    """What was written, a line after the other, without colours and what moves the cursor."""
    return [line for line in re.split(r"[\r\n]+", _STEERING.sub("", text)) if line.strip()]


@pytest.mark.slow
@pytest.mark.parametrize(("lang", "said"), [("en", r"of \d+ inputs"), ("es", r"de \d+ entradas")])
def test_a_terminal_shows_exercise_check_inputs_and_seconds(lang: str, said: str) -> None:
    slug = "softmax_naive"  # its inputs take seconds: of shorter ones none may be at hand when the line is written
    code, text = terminal("check", "--solutions", slug, "--device", "simulator", "--lang", lang)
    titles = "|".join(re.escape(c.title.en if lang == "en" else c.title.es) for c in COURSE.exercises[slug].checks)
    place = "simulator" if lang == "en" else "simulador"
    waited = [f for f in frames(text) if re.search(rf" {slug}: ({titles}) · {place} · \d+ {said} · \d+ s$", f)]
    assert code == 0 and waited
    end = text.rindex("\x1b[?25h")  # the cursor is back, and what stood there is wiped away
    assert text[end:].startswith("\x1b[?25h\r\x1b[1A\x1b[2K") and not SECONDS.search(text[end:])


@pytest.mark.slow
def test_where_stderr_is_no_terminal_there_is_nothing_of_it() -> None:
    words = ["check", "--solutions", SLUG, "--device", "simulator"]
    command = [sys.executable, "-c", "import sys; from onekernel.cli import main; sys.exit(main())", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stderr == "" and "✓ vector_add" in done.stdout and not SECONDS.search(done.stdout)


@pytest.mark.slow
def test_files_side_by_side_are_told_apart_and_nothing_of_it_reaches_a_redirected_report(tmp_path: Path) -> None:
    code = "import os; os.sched_getaffinity = lambda pid: {0, 1}"  # of a machine with two cores
    (tmp_path / "sitecustomize.py").write_text(code)
    paths = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    with (tmp_path / "report").open("w+") as report:
        done, text = terminal("check", "--solutions", "reverse", "guard", "--device", "simulator",
                              stdout=report.fileno(), PYTHONPATH=paths)  # fmt: skip
        report.seek(0)
        told = report.read()
    waited = re.findall(r" (reverse|guard): .* s$", "\n".join(frames(text)), re.MULTILINE)
    assert done == 0 and set(waited) == {"reverse", "guard"}
    assert "✓ reverse" in told and "\x1b" not in told and not SECONDS.search(told)


@pytest.mark.slow
def test_a_terminal_that_can_do_nothing_is_shown_nothing() -> None:
    code, text = terminal("check", "--solutions", "guard", "--device", "simulator", TERM="dumb")
    assert code == 0 and "✓ guard" in text and not SECONDS.search(text) and "\x1b[?" not in text


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """The lines that a terminal of so many columns is shown of what is told."""

    def drawn(columns: int, **told: object) -> list[str]:
        err = Console(file=StringIO(), force_terminal=True, width=columns, legacy_windows=False, _environ={})
        monkeypatch.setattr(waiting, "console", lambda stderr: err)
        monkeypatch.setattr(waiting, "width", lambda: err.width)
        monkeypatch.setattr(waiting.time, "monotonic", lambda: 1000.0)  # a busy machine takes seconds for one line
        one = Progress(since=991.5, place=b"cuda", check=CHECK.id.encode(), **told)
        with waiting.shown(partial(waiting.grading, [COURSE.exercises[SLUG]], [one], 0.0, COURSE.exercises[SLUG])):
            pass
        return frames(err.file.getvalue())

    return drawn


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({}, "vector_add: Any size · cuda · 8 s"),
        ({"inputs": 40}, "vector_add: Any size · cuda · preparing · 8 s"),
        ({"inputs": 40, "input": 12}, "vector_add: Any size · cuda · 12 of 40 inputs · 8 s"),
        ({"inputs": 1, "input": 1}, "vector_add: Any size · cuda · 1 of 1 input · 8 s"),
        ({"inputs": 40, "input": 12, "answer": True},
         "vector_add: Any size · cuda · the course's answer: 12 of 40 inputs · 8 s"),
    ],
)  # fmt: skip
def test_each_step_has_its_words(drawn: Callable[..., list[str]], told: dict[str, object], said: str) -> None:
    assert {f[2:] for f in drawn(100, **told)} == {said}


@pytest.mark.parametrize("columns", [1, 2, 5, 20, 40, 60])
def test_a_narrow_terminal_gets_one_line_that_fits(drawn: Callable[..., list[str]], columns: int) -> None:
    shown = drawn(columns, inputs=40, input=12)
    assert shown and max(map(len, shown)) <= max(columns - 1, 3)
    numbers = "12 of 40 inputs · 8 s"
    ends = {60: f" · cuda · {numbers}", 40: f"vector_add: … · {numbers}", 20: "vector_add… · 8 s"}
    assert shown[0].endswith(ends.get(columns, ""))


@pytest.mark.parametrize(("said", "believed"), [(0, 0), (1, 1), (3, 3), (4, 3), (1 << 40, 3), (-1, 0)])
def test_no_more_is_believed_than_was_asked_for(said: int, believed: int) -> None:
    with followed(told := Progress()):
        with about([CHECK.id] * 3, "simulator"):
            reached(said, 3)
            assert (told.input, told.inputs, told.check) == (believed, 3, CHECK.id.encode())
        assert (told.input, told.inputs, told.check, told.over) == (0, 0, b"", False)
    assert told.over


def test_who_does_not_look_is_told_nothing() -> None:
    before = Progress()
    with followed(before):
        pass
    with about([CHECK.id], "simulator"):
        reached(1, 1)
    assert (before.input, before.inputs, before.check) == (0, 0, b"")


def test_a_process_that_says_that_it_has_begun_more_calls_than_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """What begins a call is a number in a file, which the process of a submission can write as many of as it likes."""
    found = []

    def run(argv: list[str], *, folder: Path, patience: Callable[[int], object], **_: object) -> process.Ended:
        for numbers in ([], [1], [1, 0], [0, 0], [7, 1 << 31], [0] * 5000):
            (folder / "out" / STARTED).write_bytes(struct.pack(f"<{len(numbers)}I", *numbers))
            patience(os.getpid())
            found.append((told.input, told.inputs))
        return process.Ended(1, False, "", 0.0)

    monkeypatch.setattr(process, "run", run)
    monkeypatch.setattr(supervisor.warm, "server", lambda *_: None)
    with followed(told := Progress()), about([CHECK.id], "simulator"):
        supervisor.run(Request(Path("nothing.cu"), "simulator", [("vector_add", [1]), ("vector_add", [2])]))
    assert found == [(0, 2), (1, 2), (2, 2), (1, 2), (0, 2), (0, 2)]


@pytest.mark.slow
def test_what_another_process_does_is_seen_from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    submissions = [Submission(COURSE, COURSE.exercises[n], COURSE.solution(COURSE.exercises[n]), "simulator", 7)
                   for n in ("reverse", "guard")]  # fmt: skip
    told = pool.progress_of(2)
    results: Iterator[object] = pool.graded(submissions, progress=told)
    assert len(list(results)) == 2
    assert [(t.since > 0, t.over, t.place) for t in told] == [(True, True, b"simulator")] * 2

"""Workers that are copies of a warm one are what workers started anew are, and know nothing of each other."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from onekernel.sandbox import supervisor, warm
from onekernel.sandbox.hiding import ANSWERS
from onekernel.sandbox.protocol import Request

pytestmark = pytest.mark.slow

LOOKS = f"""
import builtins, os, resource, signal, sys, threading

def there(fd):
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True

def state():
    answers = [m for m in sys.modules for a in {ANSWERS!r} if (m + ".").startswith("onekernel." + a + ".")]
    left = hasattr(builtins, "left"), "LEFT" in os.environ, os.path.exists("left")
    builtins.left = os.environ["LEFT"] = "here"
    return [
        len(answers), *left,
        sum(there(fd) for fd in range(3, 200)),
        os.read(0, 1) == b"", os.fstat(1).st_ino == os.fstat(2).st_ino == os.stat("output").st_ino,
        os.getsid(0) == os.getpgid(0) == os.getppid(), os.getcwd() == os.path.dirname(os.environ["TMPDIR"]),
        *(value for name in ("CORE", "FSIZE", "NOFILE", "DATA", "CPU")
          for value in resource.getrlimit(getattr(resource, "RLIMIT_" + name))),
        len(os.environ), sum(b"".join(sorted(map(os.fsencode, os.environ)))), threading.active_count(),
        signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, os.umask(0o77), os.getpriority(os.PRIO_PROCESS, 0),
    ]
"""


@pytest.fixture
def looked(tmp_path: Path):
    path = tmp_path / "looks.py"
    path.write_text(LOOKS)
    asked = {"function": "state", "shapes": [], "given": []}
    request = Request(path, "python", options={"task": "returns", "requests": [asked]})

    def look() -> list[float]:
        done = supervisor.run_task(request, count=1, seconds=60)
        assert done.answers and "value" in done.answers[0], (done, done.answers)
        return done.answers[0]["value"].tolist()

    return look


def test_a_copy_is_what_a_new_process_is_and_nothing_stays(looked, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as cold:
        cold.setattr(warm, "server", lambda *_: None)
        anew = looked()
    assert anew[:4] == [0, 0, 0, 0], "no answer in memory, nothing left by an earlier one"
    made = []
    fork = warm.Server.fork
    monkeypatch.setattr(warm.Server, "fork", lambda *asked: made.append(fork(*asked)) or made[-1])
    assert [looked(), looked()] == [anew, anew]
    assert len(made) == 2 and all(made), "both were copies"


def test_a_server_that_ended_or_answers_nothing_costs_nobody_their_points(
    looked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "_servers", {})
    monkeypatch.setitem(warm._MODULES, "python", ())
    first = looked()
    (_, server), = warm._servers.values()
    os.kill(server.pid, signal.SIGKILL)
    assert looked() == first
    warm.end()
    monkeypatch.setitem(warm._MODULES, "python", ("onekernel.no_such_module",))
    assert looked() == first
    warm.end()

"""Reads what a submission wrote, as data and never run, in a process that may fail.

Python's parser answers a file of 10 kB with MemoryError, RecursionError, minutes of work or the end of its process. So
the parser runs apart, with a limit of time and memory, and one bad file costs that file alone.
"""

from __future__ import annotations

import functools
import importlib
import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from onekernel.errors import UserError
from onekernel.messages import Message
from onekernel.sandbox.landlock import limit

CPU_SECONDS = 4  # beside what its imports took; the longest file that is graded takes a tenth
CLOCK_SECONDS = 300.0  # a machine that gives so little of itself grades nobody
MEMORY_BYTES = 1 << 30  # beside what they hold: NumPy, for one, keeps memory for a thread on every processor
ANSWER_BYTES = 4 << 20
_SYNTAX, _REFUSED, _ANSWER = "syntax", "refused", "answer"

T = TypeVar("T")


@functools.lru_cache(maxsize=16)
def read(function: Callable[[str], T], text: str) -> T:
    """`function(text)`, in a process of its own. The function is a module's, its answer JSON's: a tuple comes back as a
    list. A character that no encoding has (a lone surrogate) comes back as "?".

    Raises SyntaxError and UserError as the function does, UserError for a text that it cannot read within its limits;
    OSError where this machine cannot start or feed a process: that is nobody's mistake.
    """
    argv = [sys.executable, "-P", "-m", "onekernel.sandbox.reader", function.__module__, function.__qualname__]
    given = text.encode("utf-8", "replace")
    try:
        done = subprocess.run(argv, input=given, capture_output=True, timeout=CLOCK_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(str(error)) from None
    if done.returncode == -9:  # not our limit, which ends with SIGXCPU: the machine had no memory left
        raise MemoryError
    if done.returncode:
        raise UserError(Message.of("grading.unreadable-text"))
    kind, answer = json.loads(done.stdout)
    if kind == _SYNTAX:
        line, why = answer
        raise SyntaxError(why, (None, line, None, None))
    if kind == _REFUSED:
        raise UserError(Message.from_json(answer))
    return answer  # type: ignore[no-any-return]


def _held() -> int:
    """The bytes of data that this process has, as RLIMIT_DATA counts them."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(next(line for line in status.splitlines() if line.startswith("VmData:")).split()[1])


def main() -> None:
    """The process apart: a module's name and a function's, the text on standard input, JSON on standard output."""
    module, name = sys.argv[1:]
    function = getattr(importlib.import_module(module), name)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_DATA, _held() + MEMORY_BYTES)
    limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + CPU_SECONDS, beyond=60)
    try:
        found = [_ANSWER, function(sys.stdin.buffer.read().decode("utf-8-sig"))]
    except SyntaxError as error:
        found = [_SYNTAX, [error.lineno or 0, error.msg]]
    except UserError as error:
        found = [_REFUSED, error.message.to_json()]
    written = json.dumps(found, ensure_ascii=False).encode("utf-8", "replace")
    if len(written) > ANSWER_BYTES:
        sys.exit(1)
    sys.stdout.buffer.write(written)


if __name__ == "__main__":
    main()

"""`onekernel doctor`: the machine, and each backend tried with a kernel whose answer is known."""

from __future__ import annotations

import argparse
import textwrap

from onekernel import doctor
from onekernel.backends.gpus import gpu_present
from onekernel.cli.common import load_course
from onekernel.cli.console import MARKS, console, width, write
from onekernel.messages import say


def run(args: argparse.Namespace) -> int:
    course = load_course()
    write(say("doctor.machine"), "bold")
    for fact in doctor.facts():
        _line(fact.state, fact.name, " ".join(filter(None, (fact.value, str(fact.mend or "")))))
    write()
    write(say("doctor.backends"), "bold")
    working = []
    for backend, slug in doctor.BACKENDS.items():
        if slug not in course.exercises or (backend == "cuda" and not gpu_present()):
            continue
        health = doctor.health(course, backend, again=True)
        if health.ok:
            working.append(backend)
            kernel = course.exercises[slug].file
            _line("ok", backend, say("doctor.backend-works", kernel=kernel, inputs=health.inputs))
        else:
            _line("missing", backend, str(health.cause))
    write()
    devices = [b for b in working if b != "triton"]
    write(say("doctor.ready", devices=", ".join(devices)) if devices else say("doctor.not-ready"), "bold")
    return 0 if devices else 1


def _line(state: str, name: str, text: str) -> None:
    """A mark, a name and a text whose further lines stand below its first."""
    from rich.text import Text

    mark, style = MARKS[state]
    margin = " " * 13
    wrapped = textwrap.wrap(text, width(), initial_indent=margin, subsequent_indent=margin,
                            break_long_words=False, break_on_hyphens=False)  # fmt: skip
    line = Text.assemble((f"{mark} ", style), f"{name:<10} ", "\n".join(wrapped).strip())
    console().print(line, soft_wrap=True)

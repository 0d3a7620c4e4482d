"""`onekernel log`: measures the kernel that a tuning log is about and writes the figures into the log."""

from __future__ import annotations

import argparse

from onekernel import doctor, learners
from onekernel.checks import log as kind
from onekernel.checks.log.figures import lines
from onekernel.checks.log.rounds import baseline, fill, ready_for_baseline, ready_to_measure
from onekernel.cli.common import load_course, select, shape_of
from onekernel.cli.console import tell, verbatim
from onekernel.course import Check, Course, Exercise
from onekernel.errors import UserError
from onekernel.grading.grader import fresh_seed
from onekernel.grading.submission import Submission
from onekernel.messages import Message, say


def run(args: argparse.Namespace) -> int:
    course = load_course()
    learner = learners.chosen(course.root, args.learner)
    logged, check = _log_of(course, args.log)
    exercise = course.exercises[check.options["kernel"]]
    shape = shape_of(args.shape, len(check.options["sizes"]))
    kernel, log = learner.path(exercise.file), learner.path(logged.file)
    for path in (kernel, log):
        if not path.is_file():
            raise UserError(Message.of("cli.log-missing", path=path.relative_to(course.root), slug=path.stem))
    device, health, _ = doctor.choose(course, args.device)
    if not health.ok:
        raise UserError(Message.of("cli.log-device", device=device, why=health.cause))
    before = log.read_text(encoding="utf-8")
    if args.baseline:
        ready_for_baseline(before)
    else:
        ready_to_measure(before, kernel)  # a number that is written after the measurement predicts nothing
    found = lines(Submission(course, exercise, kernel, device, fresh_seed()), check, shape, args.dtype)
    if args.baseline:
        after = baseline(before, kernel, found, say("grading.log-round-0"))
    else:
        after = fill(before, kernel, found)
    learners.write_bytes(log, after.encode())
    tell("log-baseline" if args.baseline else "log-filled", path=log.relative_to(course.root))
    for line in found:
        verbatim(f"    {line}")
    return 0


def _log_of(course: Course, name: str | None) -> tuple[Exercise, Check]:
    """The log that a name means, its own, its kernel's or its lab's, with what it asks for; the course's first without
    a name. Raises UserError where nothing of that name has a log."""
    logs = [(e, c) for e in course.exercises.values() for c in e.checks if c.kind is kind.KIND]
    meant = {e.slug for e in select(course, [name] if name else [])}
    found = [(e, c) for e, c in logs if {e.slug, c.options["kernel"]} & meant]
    if not found:
        known = ", ".join(e.slug for e, _ in logs)
        raise UserError(Message.of("cli.log-of-nothing", name=name, known=known))
    return found[0]

"""`onekernel log`: measures the tuned kernel and writes the figures into the tuning log."""

from __future__ import annotations

import argparse

from onekernel import doctor, learners
from onekernel.checks.log.rounds import KERNEL, baseline, fill, ready_for_baseline, ready_to_measure
from onekernel.cli.common import load_course, shape_of
from onekernel.cli.console import tell, verbatim
from onekernel.errors import UserError
from onekernel.grading.grader import fresh_seed
from onekernel.grading.submission import Submission
from onekernel.messages import Message, say
from onekernel.report.log_figures import lines


def run(args: argparse.Namespace) -> int:
    course = load_course()
    learner = learners.existing(course.root, args.learner) if args.learner else learners.current(course.root)
    exercise = course.exercises[KERNEL]
    sizes = shape_of(args.shape, 2)
    shape = (sizes[0], sizes[1]) if sizes else None
    kernel, log = learner.path(exercise.file), learner.path("tuning_log.md")
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
    found = lines(Submission(course, exercise, kernel, device, fresh_seed()), shape, args.dtype)
    if args.baseline:
        after = baseline(before, kernel, found, say("grading.log-round-0"))
    else:
        after = fill(before, kernel, found)
    learners.write_bytes(log, after.encode())
    tell("log-baseline" if args.baseline else "log-filled", path=log.relative_to(course.root))
    for line in found:
        verbatim(f"    {line}")
    return 0

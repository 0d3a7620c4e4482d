"""What is missing from a kind of check."""

from __future__ import annotations

from importlib import import_module

from onekernel import checks
from onekernel.course import Course
from onekernel.messages import Message


def missing(course: Course, name: str) -> list[Message]:
    """Everything that is missing from it."""
    return [*judged(name), *used(course, name)]


def judged(name: str) -> list[Message]:
    """It has a judge, and a plan where it says so."""
    kind = checks.named(name)
    module = import_module(f"{kind.package}.judge")
    told = []
    if not callable(getattr(module, "judge", None)):
        told.append(Message.of("author.no-judge", name=name))
    if hasattr(module, "plan") != kind.plans:
        told.append(Message.of("author.unplanned" if kind.plans else "author.plans", name=name))
    if kind.counted and not kind.plans:
        told.append(Message.of("author.counts-nothing", name=name))
    return told


def used(course: Course, name: str) -> list[Message]:
    """An exercise has a check of it."""
    kinds = {check.kind.name for exercise in course.exercises.values() for check in exercise.checks}
    return [] if name in kinds else [Message.of("author.unused", name=name)]

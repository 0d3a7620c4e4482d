"""What several commands need: the course, the exercises that a name means, the next step of a learner."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from onekernel.cli.console import tell, verbatim
from onekernel.course import Course, Exercise, find_root
from onekernel.errors import UserError
from onekernel.labs.reader import load
from onekernel.learners import Learner
from onekernel.messages import Message, language


def load_course() -> Course:
    return load(find_root())


def select(course: Course, names: Sequence[str]) -> tuple[Exercise, ...]:
    """The exercises that the names mean, each once, in the course's order; all of them for no name."""
    if not names:
        return course.select(None)
    wanted: set[str] = set()
    for name in names:
        try:
            wanted |= {e.slug for e in course.select(name)}
        except KeyError:
            raise _unknown(course, name) from None
    return tuple(e for slug, e in course.exercises.items() if slug in wanted)


def one(course: Course, name: str) -> Exercise:
    """The exercise of that name. Raises UserError for a lab or a name that nothing has."""
    found = select(course, [name])
    if len(found) != 1:
        raise UserError(Message.of("cli.one-exercise", name=name, known=", ".join(e.slug for e in found)))
    return found[0]


def _unknown(course: Course, name: str) -> UserError:
    known = [*course.exercises, *(lab.name for lab in course.labs)]
    # A lab all of whose words stand in the name comes first: before it was divided, 03-triton-and-pytorch was both.
    meant = [lab.name for lab in course.labs if _words(lab.name) and _words(lab.name) <= _words(name)]
    near = meant or difflib.get_close_matches(name, known, n=1)
    if near:
        either = Message.of("cli.either", names=", ".join(near[:-1]), last=near[-1]) if near[1:] else near[0]
        return UserError(Message.of("cli.unknown-near", name=name, near=either))
    return UserError(Message.of("cli.unknown-name", name=name, known=", ".join(known)))


def _words(name: str) -> set[str]:
    """The words of a lab's name without its number."""
    return set(re.findall(r"[a-z]+", name.lower()))


def shape_of(text: str | None, dimensions: int | None = None) -> tuple[int, ...] | None:
    """ "8192,4096" -> (8192, 4096). Raises UserError for anything else."""
    if text is None:
        return None
    try:
        shape = tuple(int(part) for part in text.split(","))
    except ValueError:
        shape = ()
    if not shape or min(shape) < 1 or (dimensions and len(shape) != dimensions):
        raise UserError(Message.of("cli.bad-shape", text=text))
    return shape


def statement(course: Course, exercise: Exercise) -> str:
    """The lab's page in the language in force, from the course's root."""
    return f"labs/{exercise.lab}/README{'.es' if language() == 'es' else ''}.md"


def next_step(course: Course, learner: Learner, at: Sequence[Exercise] = ()) -> None:
    """Says which exercise comes next: its file, its statement, the command that checks it. Those that the learner is
    `at`, as they were just checked, come before the course's order."""
    for exercise in (*at, *course.exercises.values()):
        if learner.solved(exercise.slug):
            continue
        verbatim("")
        tell("next", slug=exercise.slug)
        verbatim(f"    learners/{learner.name}/{exercise.file}", "bold")
        verbatim(f"    {statement(course, exercise)}", "dim")
        verbatim(f"    onekernel check {exercise.slug}", "dim")
        return
    verbatim("")
    tell("all-done")

"""What several commands need: the course, the exercises that a name means, the next step of a learner."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from onekernel.cli.console import indented, tell, verbatim, write
from onekernel.course import Course, Exercise, Lab, find_root
from onekernel.errors import UserError
from onekernel.labs.reader import load
from onekernel.labs.statements import statement
from onekernel.learners import Learner
from onekernel.messages import Message, say

SLIP = 0.85  # of difflib's ratio: a name that is one exercise's but for a slip


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


def answer(course: Course, exercise: Exercise, args: argparse.Namespace) -> Path:
    """The course's own file: a learner's answer with --solutions, the record with --record."""
    return course.record(exercise) if args.solutions == "--record" else course.solution(exercise)


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
    begun = [slug for slug in course.exercises if slug.startswith(f"{name}_")]  # softmax, gemm: all that they may mean
    spelled = re.sub(r"[-\s]+", "_", name.strip().lower())
    slip = difflib.get_close_matches(spelled, list(course.exercises), n=1, cutoff=SLIP)  # a letter or two are others
    near = slip or meant or begun or difflib.get_close_matches(name, known, n=1)
    if near:
        either = Message.of("cli.either", names=", ".join(near[:-1]), last=near[-1]) if near[1:] else near[0]
        return UserError(Message.of("cli.unknown-near", name=name, near=either))
    if "/" in name:
        return UserError(Message.of("cli.unknown-path", name=name))
    return UserError(Message.of("cli.unknown-name", name=name, known=", ".join(lab.name for lab in course.labs)))


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


def prose(text: str) -> None:
    """A page's text on the terminal: paragraphs are broken to fit, code is not, pictures are left out."""
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        if part.startswith("!["):
            continue
        write()
        if part.startswith("    "):
            verbatim(part)
        else:
            words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", part.replace("**", ""))
            indented(" ".join(words.split()), 0)


def lab_heading(lab: Lab) -> str:
    """ "Lab 02: The tuned kernel"; of a lab without a number its title alone."""
    number = lab.name.split("-")[0]
    return say("cli.lab", number=number, title=lab.title) if number.isdigit() else str(lab.title)


def open_ones(course: Course, learner: Learner, at: str) -> Iterator[Exercise]:
    """What is not solved yet, the labs' exercises from lab `at` on and then those before it, then the small ones."""
    labs = [e for e in course.exercises.values() if not e.home]
    place = next((n for n, e in enumerate(labs) if e.lab == at), 0)
    return (e for e in (*labs[place:], *labs[:place], *_small(course, at)) if not learner.solved(e.slug))


def _small(course: Course, at: str) -> Iterator[Exercise]:
    """The small exercises, those that come before lab `at` first, then those before later labs."""
    names = [lab.name for lab in course.labs]
    place = names.index(at) if at in names else 0
    later = [e for e in course.practice if e.before in names[place:]]
    return chain(later, (e for e in course.practice if e not in later))


def lab_of(course: Course, learner: Learner, at: Sequence[Exercise] = ()) -> str:
    """The lab that a learner is in: of what they are `at`, or else of what they have checked last; "" for none."""
    asked = [e.lab for e in at if not e.home]
    if asked:
        return asked[0]
    scores = learner.scores()
    checked = [e for e in course.exercises.values() if not e.home and e.slug in scores]
    return max(checked, key=lambda e: str(scores[e.slug]["last"]["date"])).lab if checked else ""


def next_of(course: Course, learner: Learner, at: Sequence[Exercise] = ()) -> Exercise | None:
    """The exercise that comes next; None where all are solved. Those that the learner is `at`, as they were just
    checked, come before the course's order, which begins at their lab; after a small exercise the next small one."""
    lab = lab_of(course, learner, at)
    mine = (e for e in at if not learner.solved(e.slug))
    small = (e for e in open_ones(course, learner, lab) if e.home and at and all(e.home for e in at))
    return next(chain(mine, small, open_ones(course, learner, lab)), None)


def next_step(course: Course, learner: Learner, at: Sequence[Exercise] = ()) -> None:
    """Says which exercise comes next: its file, its statement, the command that checks it."""
    exercise = next_of(course, learner, at)
    verbatim("")
    if exercise is None:
        part = [e.slug for e in course.exercises.values() if learner.in_part(e.slug)]
        if part:
            tell("all-settled", names=", ".join(part))
        else:
            tell("all-done")
        return
    tell("next", slug=exercise.slug)
    verbatim(f"    learners/{learner.name}/{exercise.file}", "bold")
    verbatim(f"    {statement(course, exercise)}", "dim")
    verbatim(f"    onekernel check {exercise.slug}", "dim")
    small = [e for e in _small(course, exercise.lab) if not learner.solved(e.slug)]
    if small and not exercise.home:
        tell("or-practise", slug=small[0].slug, open=len(small), total=len(course.practice))

"""What a learner reads of an exercise, in the language in force: its statement and its hints."""

from __future__ import annotations

import re
from pathlib import Path

from onekernel.course import Course, Exercise
from onekernel.messages import localized


def statement(course: Course, exercise: Exercise) -> str:
    """The page of its lab, or its own, in the language in force, from the course's root."""
    folder = exercise.home.relative_to(course.root) if exercise.home else Path("labs") / exercise.lab
    return f"{folder}/{localized('README.md')}"


def parts_of(course: Course, exercise: Exercise) -> tuple[str, str]:
    """The statement of an exercise with a folder of its own: what to do, and what stands under `## Hint`."""
    text = (course.root / statement(course, exercise)).read_text(encoding="utf-8")
    text = re.sub(r"\A<!--.*?-->\n", "", text)
    body, *rest = re.split(r"^## .*$", text, maxsplit=1, flags=re.MULTILINE)
    return body.partition("\n")[2], "".join(rest)


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a page; lines of code stay with the one before them."""
    found: list[str] = []
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        if part.startswith("    ") and found:
            found[-1] += f"\n\n{part}"
        elif part.strip():
            found.append(part)
    return found


def hints_of(course: Course, exercise: Exercise) -> list[str]:
    """The hints of an exercise, from the nudge to nearly the code: the `### N` parts under its `## slug`. Of one with a
    folder of its own, what its statement says under `## Hint`, a paragraph each."""
    if exercise.home:
        return paragraphs(parts_of(course, exercise)[1])
    page = course.root / "labs" / exercise.lab / localized("hints.md")
    parts = re.split(r"^## +(.+?) *$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    sections = {name.strip("` ").removesuffix(".cu").removesuffix(".py"): body
                for name, body in zip(parts[1::2], parts[2::2], strict=True)}  # fmt: skip
    levels = re.split(r"^### +.*$", sections.get(exercise.slug, ""), flags=re.MULTILINE)[1:]
    return [level.strip("\n") for level in levels]

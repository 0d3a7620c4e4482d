"""The page for contributors: its commands can be typed, and its limits are those that are verified."""

from __future__ import annotations

import re
import shlex

from onekernel.author import SORTS, exercises
from onekernel.cli import parser
from support.course import COURSE, ROOT

PAGES = [(ROOT / "docs" / lang / "contributing.md").read_text(encoding="utf-8") for lang in ("en", "es")]
COMMAND = re.compile(r"^    onekernel (.*)$", re.MULTILINE)


def test_every_sort_has_a_recipe_whose_commands_can_be_typed() -> None:
    for page in PAGES:
        typed = [parser.parse(shlex.split(line))[1] for line in COMMAND.findall(page)]
        begun = {args.name: args for args in typed if args.part == "new"}
        assert {args.sort for args in begun.values()} == set(SORTS)
        assert [args.name for args in typed if args.part == "verify"] == list(begun)
        assert {args.lab for args in begun.values()} - {None} <= {lab.name for lab in COURSE.labs}


def test_the_limits_on_the_page_are_those_that_are_verified() -> None:
    bounds = (exercises.WORDS, (1, exercises.HINTS), exercises.LINES)
    for page, between in zip(PAGES, (r"(\d+) to (\d+)", r"de (\d+) a (\d+)"), strict=True):
        (line,) = re.findall(r"^\* (?:The statement has|El enunciado tiene) .*$", page, re.MULTILINE)
        assert [tuple(map(int, found)) for found in re.findall(between, line)] == list(bounds)

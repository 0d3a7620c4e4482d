"""The course as data: what labs/ holds is consistent, and every mistake in a lab.toml is refused with its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from onekernel import checks, course
from onekernel.author import exercises, verify
from onekernel.checks.prediction import QUANTITIES
from onekernel.errors import UserError
from onekernel.labs.reader import load
from onekernel.learners import read_predictions
from onekernel.ops import OPERATORS
from onekernel.units import parse
from support import rules
from support.courses import LAB, make_course

ROOT = course.find_root(Path(__file__).parent)


@pytest.fixture(scope="module")
def real() -> course.Course:
    return load(ROOT)


def test_every_kind_has_a_judge_a_plan_where_it_says_so_and_a_check(real: course.Course) -> None:
    rules.each(checks.names(), lambda name: verify.missing_kind(real, name), "what is missing")


def test_no_check_can_be_passed_by_doing_nothing(real: course.Course) -> None:
    for exercise in real.exercises.values():
        for check in exercise.checks:
            for group in check.options.get("groups", ("-",)):
                operator = exercise.made or OPERATORS.get(exercise.operator or "")
                cases = operator.group(group) if group != "-" and operator else ()
                if cases and not any(all(c.sizes.values()) for c in cases):
                    assert len(check.options["groups"]) > 1, f"{check.id}: {group} alone"


def test_check_ids_and_titles_are_unique_within_an_exercise(real: course.Course) -> None:
    for exercise in real.exercises.values():
        for language in ("en", "es"):
            titles = [getattr(c.title, language) for c in exercise.checks]
            assert len(set(titles)) == len(titles), exercise.slug
        assert len({c.id for c in exercise.checks}) == len(exercise.checks)


def test_every_exercise_has_a_starter_a_statement_and_hints_in_each_language(real: course.Course) -> None:
    rules.each(real.exercises, lambda slug: not real.starter(real.exercises[slug]).is_file(), "write the starter")
    told = {slug: exercises.told_in_both(real, e) for slug, e in real.exercises.items()}
    rules.each(told, lambda slug: list(told[slug]), "what is missing")


def test_every_exercise_on_an_operator_has_a_wrong_solution(real: course.Course) -> None:
    mine = [e for e in real.exercises.values() if not e.home]
    rules.each(mine, lambda e: exercises.mistaken(real, e), "what is missing")


def test_a_lab_has_the_number_of_its_chapter_and_each_links_to_the_other(real: course.Course) -> None:
    for lab in real.labs:
        number = lab.name.partition("-")[0]
        if not number.isdigit():
            continue
        (chapter,) = [c for c in lab.chapters if c.startswith(f"{number}-")]
        for language, statement in (("en", "README.md"), ("es", "README.es.md")):
            page = ROOT / "docs" / language / f"{chapter}.md"
            assert f"(../../labs/{lab.name}/{statement})" in page.read_text(encoding="utf-8"), page
            assert f"docs/{language}/{chapter}.md" in (lab.folder / statement).read_text(encoding="utf-8"), lab.name


def test_the_solutions_answer_every_prediction_in_its_unit(real: course.Course) -> None:
    given = read_predictions(ROOT / "solutions")
    for exercise in (e for e in real.exercises.values() if not e.home):  # a small one's answers are in its folder
        for check in exercise.checks:
            for question in check.options.get("questions", ()):
                answer = given[exercise.slug][question["id"]]
                assert parse(answer).unit == QUANTITIES[question["quantity"]].unit, (exercise.slug, question["id"])


def test_select_by_lab_number_name_slug_and_file(tmp_path: Path) -> None:
    found = load(make_course(tmp_path))
    slugs = [[e.slug for e in found.select(n)] for n in (None, "00", "01-second", "labs/01-second/", "exam", "exam.py")]
    assert slugs == [["quiz", "exam"], ["quiz"], ["exam"], ["exam"], ["exam"], ["exam"]]
    with pytest.raises(KeyError):
        found.select("02")


def _edit(old: str, new: str) -> Callable[[Path], None]:
    def edit(root: Path) -> None:
        path = root / "labs" / "01-second" / "lab.toml"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return edit


def _remove(name: str) -> Callable[[Path], None]:
    return lambda root: (root / name).unlink()


def _log(entries: str) -> Callable[[Path], None]:
    """A lab with a log, and with a kernel that it may be about."""

    def edit(root: Path) -> None:
        for name in ("kernel.cu", "log.md"):
            (root / "solutions" / name).write_text("")
        path = root / "labs" / "01-second" / "lab.toml"
        check = '[[exercise.check]]\npoints = 1\ntitle = { en = "A", es = "B" }\nchapter = "00-motivation#roofline"\n'
        title = 'title = { en = "A", es = "B" }\n'
        kernel = f'[[exercise]]\nfile = "kernel.cu"\noperator = "softmax"\n{title}{check}kind = "speed"\n'
        log = f'[[exercise]]\nfile = "log.md"\n{title}{check}kind = "log"\n{entries}\n'
        path.write_text(path.read_text() + log + kernel)

    return edit


_LOG = 'kernel = "kernel"\nsizes = { rows = 2, cols = 8 }\nfigures = ["passes", "requests"]'

MISTAKES = {
    "a log of a kernel of no lab": (_log(_LOG.replace('"kernel"', '"kernels"')), "lab.toml:29", "nearest is kernel"),
    "a log at another operator's sizes": (_log(_LOG.replace("cols", "k")), "lab.toml:30", "cols"),
    "a log of figures of another operator": (_log(_LOG.replace("passes", "bytes_per_fma")), "lab.toml:31", "passes"),
    "a log of no kernel": (_log(_LOG.replace('kernel = "kernel"', "")), "lab.toml", "'kernel'"),
    "unknown key of a lab": (_edit("chapters", "chapter"), "lab.toml:2", "chapters"),
    "unknown key of an exercise": (_edit("file =", "path ="), "lab.toml:5", "file"),
    "unknown key of a check": (_edit("points = 2", "points = 2\nbonus = 1"), "lab.toml:18", "bonus"),
    "no points": (_edit("points = 2", "points = 0"), "lab.toml:17", "1 to 100"),
    "half points": (_edit("points = 2", "points = 1.5"), "lab.toml:17", "whole number"),
    "points as words": (_edit("points = 4", 'points = "4"'), "lab.toml:10", "1 to 100"),
    "true points": (_edit("points = 4", "points = true"), "lab.toml:10", "1 to 100"),
    "unknown kind": (_edit('kind = "answers"', 'kind = "answer"'), "lab.toml:9", "answers"),
    "missing option": (_edit('names = ["BINDS"]', ""), "lab.toml:16", "names"),
    "one language": (_edit(', es = "Techo"', ""), "lab.toml:18", "es"),
    "no such chapter": (_edit('["00-motivation"]', '["09-motives"]'), "lab.toml:2", "docs/en"),
    "no such anchor": (_edit("#roofline", "#ridge"), "lab.toml:12", '<a id="ridge">'),
    "no such file": (_edit('"exam.py"', '"exams.py"'), "lab.toml:5", "solutions/"),
    "a path for a file": (_edit('"exam.py"', '"../exam.py"'), "lab.toml:5", "solutions/"),
    "the same exercise twice": (_edit('"exam.py"', '"quiz.py"'), "lab.toml", "00-first"),
    "not TOML": (_edit("chapters = [", "chapters = "), "lab.toml", "not TOML"),
    "no statement": (_remove("labs/01-second/README.es.md"), "README.es.md", "write it"),
    "no hints": (_remove("labs/01-second/hints.md"), "hints.md", "write it"),
    "no lab.toml": (_remove("labs/01-second/lab.toml"), "lab.toml", "missing"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refused_with_its_place_and_mend(mistake: str, tmp_path: Path) -> None:
    make, place, mend = MISTAKES[mistake]
    make(make_course(tmp_path))
    with pytest.raises(UserError) as refused:
        load(tmp_path)
    assert place in str(refused.value)
    assert mend in str(refused.value)
    spanish = refused.value.message.text("es")
    assert place in spanish and spanish != str(refused.value)


def test_a_log_is_read_with_what_it_is_about(tmp_path: Path) -> None:
    make_course(tmp_path)
    _log(_LOG)(tmp_path)
    (check,) = load(tmp_path).exercises["log"].checks
    assert check.options == {"kernel": "kernel", "sizes": {"rows": 2, "cols": 8}, "figures": ["passes", "requests"]}


def test_an_exercise_without_a_check_is_refused(tmp_path: Path) -> None:
    make_course(tmp_path)
    text = LAB.format(file="exam.py").split("[[exercise.check]]")[0]
    (tmp_path / "labs" / "01-second" / "lab.toml").write_text(text)
    with pytest.raises(UserError, match="no check"):
        load(tmp_path)


def test_no_course_is_said_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "labs").mkdir()
    with pytest.raises(UserError, match="no lab here"):
        load(tmp_path)
    monkeypatch.setenv("ONEKERNEL_ROOT", str(tmp_path / "nowhere"))
    assert course.find_root(ROOT) == ROOT  # a root that is none is passed over

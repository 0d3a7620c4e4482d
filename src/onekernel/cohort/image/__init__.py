"""Gradescope's autograder: writes the folder, and the archive, that it builds an image of; `grade` runs in that.

Source: "Autograder Specifications", gradescope-autograders.readthedocs.io: setup.sh is run once as root in
/autograder/source, run_autograder for each submission, which lies in /autograder/submission; the result is
/autograder/results/results.json.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path

from onekernel.course import Course, Exercise
from onekernel.errors import UserError
from onekernel.messages import Message, language
from onekernel.report.gradescope import VISIBILITIES

ARCHIVE = "autograder.zip"
_FILES = ("setup.sh", "run_autograder", "Dockerfile")
# What grading needs of the course; nobody's work, no test, no picture.
_COURSE = ("pyproject.toml", "README.md", "LICENSE", "src", "labs", "kernels", "solutions", "docs/en", "docs/es")
_LEFT = shutil.ignore_patterns("__pycache__", "*.egg-info", ".*")


def write(course: Course, to: Path, exercises: Sequence[Exercise], visibility: str) -> Path:
    """The folder `to` and in it the archive to upload, which is returned. Raises UserError where `to` holds something
    else already."""
    if visibility not in VISIBILITIES:
        raise UserError(Message.of("cohort.odd-visibility", text=visibility, known=", ".join(VISIBILITIES)))
    if to.is_dir() and any(to.iterdir()) and not (to / "run_autograder").is_file():
        raise UserError(Message.of("cohort.image-there", folder=to))
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    names = " ".join(e.slug for e in exercises)
    for name in _FILES:
        text = Path(__file__).with_name(name).read_text(encoding="utf-8")
        for word, value in (("EXERCISES", names), ("LANGUAGE", language()), ("VISIBILITY", visibility)):
            text = text.replace(word, value)
        (to / name).write_text(text, encoding="utf-8")
        (to / name).chmod(0o644 if name == "Dockerfile" else 0o755)
    for name in _COURSE:
        _copy(course.root / name, to / "course" / name)
    return _packed(to)


def _copy(path: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.copytree(path, to, ignore=_LEFT)
    elif path.is_file():
        shutil.copy2(path, to)


def _packed(folder: Path) -> Path:
    """The folder as Gradescope takes it: scripts at the top, executable."""
    archive = folder / ARCHIVE
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and p != archive):
            out.write(path, path.relative_to(folder))
    return archive

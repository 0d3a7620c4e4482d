"""A small course in a folder, for tests of what surrounds grading: two labs, answers only, no compiler needed."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

SOLUTION = """\
# Answers.
# <gap>
#| FLOPS = ""
#| BYTES = ""
FLOPS = "16.8 MFLOP"
BYTES = "100.7 MB"
# </gap>
# <gap>
#| BINDS = ""
BINDS = "memory"
# </gap>
"""
LAB = """\
title = {{ en = "A lab", es = "Un laboratorio" }}
chapters = ["00-motivation"]

[[exercise]]
file = "{file}"
title = {{ en = "A quiz", es = "Un test" }}

[[exercise.check]]
kind = "answers"
points = 4
title = {{ en = "Work", es = "Trabajo" }}
chapter = "00-motivation#roofline"
names = ["FLOPS", "BYTES"]

[[exercise.check]]
kind = "answers"
points = 2
title = {{ en = "Roof", es = "Techo" }}
chapter = "00-motivation#roofline"
names = ["BINDS"]
"""
HINTS = "# Hints\n\n## {slug}\n\n### 1\n\nA **nudge** about `{slug}`.\n\n### 2\n\nNearly:\n\n    the_code();\n"
HINTS_ES = "# Pistas\n\n## {slug}\n\n### 1\n\nUn empujón.\n\n### 2\n\nCasi:\n\n    the_code();\n"


def with_plugin() -> tuple[str, ...]:
    """What a pytest of its own needs to load the plugin, where the checkout was not installed, and to leave out
    Hypothesis, whose import would be a sixth of its time."""
    installed = any(e.value == "onekernel.pytest_plugin" for e in entry_points(group="pytest11"))
    return ("-p", "no:hypothesispytest", *(() if installed else ("-p", "onekernel.pytest_plugin")))


def make_course(root: Path) -> Path:
    """Writes the course and returns its root: labs 00-first (quiz) and 01-second (exam)."""
    from onekernel import gaps

    for name, slug in (("00-first", "quiz"), ("01-second", "exam")):
        lab = root / "labs" / name
        lab.mkdir(parents=True)
        (lab / "lab.toml").write_text(LAB.format(file=f"{slug}.py"), encoding="utf-8")
        (lab / "README.md").write_text("# A lab\n")
        (lab / "README.es.md").write_text("<!-- en: 0 -->\n# Un laboratorio\n")
        (lab / "hints.md").write_text(HINTS.format(slug=slug))
        (lab / "hints.es.md").write_text("<!-- en: 0 -->\n" + HINTS_ES.format(slug=slug))
        (root / "solutions").mkdir(exist_ok=True)
        (root / "solutions" / f"{slug}.py").write_text(SOLUTION)
    for language in ("en", "es"):
        (root / "docs" / language).mkdir(parents=True)
    (root / "docs" / "en" / "00-motivation.md").write_text('<a id="roofline"></a>\n# Roofline\n')
    (root / "docs" / "es" / "00-motivation.md").write_text('<!-- en: 0 -->\n<a id="roofline"></a>\n# Roofline\n')
    (root / "learners").mkdir()
    gaps.write_starters(root)
    return root

"""A new piece of the course, written from templates.

`templates/SORT` is laid out as the repository, with NAME, FILE and LAB in its paths: a piece's name, the same
without hyphens, and its lab's. `x.new` becomes a file x, and the text of `x.append` goes to the end of x. In a text
`$NAME`, `$FILE`, `$LAB` and `$CHAPTER` are replaced, and `MARK` stands wherever an author has something to fill in.
"""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

from onekernel.course import Course
from onekernel.errors import UserError
from onekernel.labs.reader import load
from onekernel.messages import Message

MARK = "FILL IN"
_TEMPLATES = Path(__file__).with_name("templates")
_NEW, _APPEND = ".new", ".append"
_NAME, _CODE = re.compile(r"[a-z][a-z0-9_]*"), re.compile(r"[a-z][a-z-]*[a-z]")
_OF_A_CODE = ("finding", "checker")  # a checker is begun with the finding that it makes


def write(root: Path, sort: str, name: str, lab: str | None = None) -> list[Path]:
    """Writes every file that a piece of that sort needs; those that it wrote or added to. Raises UserError."""
    if not (_CODE if sort in _OF_A_CODE else _NAME).fullmatch(name):
        raise UserError(Message.of("author.bad-name", name=name, sort=sort))
    course = load(root)
    words = _words(course, sort, name, lab)
    made = {root / path: source for source, path in _places(sort, words)}
    for path, source in made.items():
        if path.exists() and (source.suffix == _NEW or f"\n[{name}]\n" in path.read_text(encoding="utf-8")):
            raise UserError(Message.of("author.already-there", file=path.relative_to(root), name=name))
    for path, source in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(Template(source.read_text(encoding="utf-8")).safe_substitute(words))
    return list(made)


def files(root: Path, sort: str, name: str) -> list[Path]:
    """The files that hold a piece, of those that there are: what its templates became, in whatever language it is
    written, and all that lies in a folder of its own. Some hold other pieces, too."""
    words = {"NAME": name, "FILE": name.replace("-", "_"), "LAB": "*"}
    found: set[Path] = set()
    for _, path in _places(sort, words):
        *folders, file = path.split("/")
        if name in folders:
            folders, file = folders[: folders.index(name) + 1], "*"
        elif words["FILE"] in file:
            file = f"{file.partition('.')[0]}.*"
        found |= {p for p in root.glob("/".join([*folders, file])) if p.is_file()}
    return sorted(found)


def marks(root: Path, paths: list[Path]) -> list[Message]:
    """What is still to be filled in, a sentence for each mark."""
    told = []
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for what in re.findall(rf'{MARK}: ([^"\n]*)', line):
                place = f"{path.relative_to(root)}:{number}"
                told.append(Message("author.mark", {"place": place, "what": what.removesuffix("-->").strip()}))
    return told


def _words(course: Course, sort: str, name: str, lab: str | None) -> dict[str, str]:
    """What the variables of the templates stand for. A small exercise begins as the last one before the last lab."""
    labs = {each.name: each for each in course.labs if not each.elective}
    if (sort == "exercise") != (lab is not None) or (lab is not None and lab not in labs):
        raise UserError(Message.of(f"author.{'which' if sort == 'exercise' else 'no'}-lab", labs=", ".join(labs)))
    if sort in ("exercise", "practice") and name in course.exercises:
        raise UserError(Message.of("author.already-there", file=f"labs/{course.exercises[name].lab}", name=name))
    chosen = labs[lab] if lab else list(labs.values())[-1]
    spelled = {"NAME": name, "FILE": name.replace("-", "_"), "CLASS": name.title().replace("-", "")}
    return {**spelled, "LAB": chosen.name, "CHAPTER": chosen.chapters[0]}


def _places(sort: str, words: dict[str, str]) -> list[tuple[Path, str]]:
    """Each template of that sort, and where in the repository its text goes."""
    places = []
    for folder in (_TEMPLATES / part for part in (("finding", sort) if sort == "checker" else (sort,))):
        for source in sorted(p for p in folder.rglob("*") if p.suffix in (_NEW, _APPEND)):
            path = source.relative_to(folder).with_suffix("").as_posix()
            places.append((source, re.sub("NAME|FILE|LAB", lambda found: words[found[0]], path)))
    return places

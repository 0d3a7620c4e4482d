"""Classes as they come: nobody's accident is without a sentence, nothing is lost, and nobody else is touched by it."""

from __future__ import annotations

import io
import tarfile
import unicodedata
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from onekernel.cohort import submissions
from onekernel.cohort.submissions import HandedIn
from onekernel.errors import UserError
from onekernel.messages import LANGUAGES, Message
from support.course import COURSE

ADD = "// my kernel\n"
HERE = ("vector_add.cu",)
FINE = {"bo": (HERE, [])}  # who is graded beside the odd one


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return root


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def tarred(files: Mapping[str, str], mode: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def read(source: Path) -> HandedIn:
    return submissions.read(source, COURSE, source.parent / "out")


def key(note: Message) -> str:
    return note.key.removeprefix("cohort.").removeprefix("note-")


def told(found: HandedIn) -> dict[str, tuple[tuple[str, ...], list[str]]]:
    return {s.name: (s.files, [key(n) for n in s.notes]) for s in found.students}


OF_ONE: dict[str, tuple[Mapping[str, str | bytes], tuple[str, ...], list[str]]] = {
    "a zip without an ending": ({"work": zipped({"vector_add.cu": ADD})}, HERE, []),
    "a zip under a source's name": ({"vector_add.cu": zipped({"vector_add.cu": ADD})}, HERE, []),
    "a tar.gz named zip": ({"work.zip": tarred({"vector_add.cu": ADD}, "w:gz")}, HERE, []),
    "a tar.xz named tar": ({"work.tar": tarred({"./vector_add.cu": ADD}, "w:xz")}, HERE, []),
    "a tar named tgz": ({"work.tgz": tarred({"vector_add.cu": ADD}, "w:")}, HERE, []),
    "a zip named tar.gz": ({"work.tar.gz": zipped({"vector_add.cu": ADD})}, HERE, []),
    "zips in zips by backslashes": ({"w.zip": zipped({"x\\in.zip": zipped({"y\\vector_add.cu": ADD})})}, HERE, []),
    "a rar named zip": ({"work.zip": b"Rar!\x1a\x07\x01\x00"}, (), ["archive-broken"]),
    "a 7z": ({"work.7z": b"7z\xbc\xaf\x27\x1c"}, (), ["packed-otherwise"]),
    "a notebook": ({"vector_add.ipynb": "{}"}, (), ["nothing"]),
    "a notebook of Python": ({"softmax_triton.ipynb": "{}"}, (), ["no-text"]),
    "a document": ({"vector_add.docx": b"PK\x03\x04"}, (), ["no-text"]),
    "a picture": ({"vector_add.png": b"\x89PNG"}, (), ["no-text"]),
    "a header": ({"vector_add.cuh": ADD}, (), ["similar"]),
    "plain C++": ({"vector_add.cpp": ADD}, (), ["similar"]),
    "two endings": ({"vector_add.cu.cu": ADD}, (), ["similar"]),
    "an editor's copy": ({"vector_add.cu~": ADD, ".vector_add.cu.swp": "x"}, (), ["similar"]),
    "an ending .txt": ({"vector_add.cu.txt": ADD}, HERE, ["near"]),
    "a name in front": ({"ada_vector_add.cu": ADD}, (), ["similar"]),
    "a letter of Cyrillic": ({"vector_\u0430dd.cu": ADD}, (), ["similar"]),
    "a space without width": ({"vector\u200b_add.cu": ADD}, (), ["similar"]),
    "a hyphen": ({"vector-add.cu": ADD}, HERE, ["near"]),
    "a resubmission's number": ({"vector_add-1.cu": ADD}, HERE, ["near"]),
    "a copy in Spanish": ({"vector_add - copia (2).cu": ADD}, HERE, ["near"]),
    "names that Windows takes for one": ({"vector_add.cu": ADD, "VECTOR_ADD.CU": "x"}, HERE, ["two"]),
    "nothing at all": ({"docs/": ""}, (), ["empty"]),
    "an empty file": ({"vector_add.cu": " \n"}, HERE, ["empty-file"]),
    "carriage returns alone": ({"vector_add.cu": "// mine\rint x;\r"}, HERE, ["line-ends"]),
    "carriage returns as on Windows": ({"vector_add.cu": "// mine\r\nint x;\r\n"}, HERE, []),
    "an encoding of 1990": ({"vector_add.cu": "// año\n".encode("latin-1")}, HERE, ["windows"]),
    "a program's bytes": ({"vector_add.cu": b"\x7fELF\x02\x01\x00\xff"}, HERE, []),
    "more than a megabyte": ({"vector_add.cu": ADD * 100_000}, HERE, ["large-file"]),
    "a submodule that is not there": ({".gitmodules": "\tpath = mine\n", "mine/": ""}, (), ["submodule"]),
    "a submodule that leads outside": ({".gitmodules": "path = ../bo\n", "x.txt": ""}, (), ["nothing"]),
    "a pointer of LFS": ({"vector_add.cu": "version https://git-lfs.github.com/spec/v1\n"}, HERE, ["lfs"]),
    "another folder": ({"my/own/place/vector_add.cu": ADD}, HERE, []),
    "a folder named like the file": ({"vector_add.cu/vector_add.cu": ADD}, HERE, []),
    "a small exercise at the top": ({"guard.cu": ADD}, ("practice/guard.cu",), []),
    "a file where a folder belongs": ({"practice": "x", "vector_add.cu": ADD}, HERE, []),
    "a thousand files": ({"vector_add.cu": ADD, **{f"junk/{n}.txt": "" for n in range(1000)}}, HERE, []),
    "what a Mac packs": ({"__MACOSX/._vector_add.cu": b"\0\5", "vector_add.cu": ADD}, HERE, []),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_ONE)
def test_what_one_student_hands_in_is_graded_or_says_what_to_do(name: str, tmp_path: Path) -> None:
    files, wanted, notes = OF_ONE[name]
    write(tmp_path / "in", {f"ada/{n}": t for n, t in files.items()} | {"bo/vector_add.cu": ADD})
    found = read(tmp_path / "in")
    assert told(found) == {"ada": (wanted, notes), **FINE}
    assert all(n.text(language) for s in found.students for n in s.notes for language in LANGUAGES)


def test_a_file_of_an_older_editor_is_read_as_that_editor_does(tmp_path: Path) -> None:
    write(tmp_path / "in", {"ada/vector_add.cu": "// año, €\n".encode("cp1252"), "bo/vector_add.cu": ADD})
    ada, _ = read(tmp_path / "in").students
    assert ada.path("vector_add.cu").read_text(encoding="utf-8") == "// año, €\n"


NAMES: dict[str, list[str]] = {
    "spaces and quotes": ['Ana María "la" O\'Neil', "Bo"],
    "pictures": ["🙂", "🙂 Zoë"],
    "one name in two spellings": [unicodedata.normalize("NFD", "Núñez"), "Núñez"],
    "upper and lower case": ["ana", "Ana"],
    "an end in a space or a dot": ["ana ", "bo."],
    "very long, and alike for long": ["a" * 200, "a" * 200 + "b"],
    "two lines": ["ana\nbo", "ana bo"],
    "from right to left": ["\u202egnp.ana", "bo"],
    "commas and sections": ["Doe, Jane, section B", "Doe, Jane"],
    "the teacher among them": ["solutions", "ada"],
}


@pytest.mark.parametrize("name", NAMES)
def test_odd_names_are_students_with_results_of_their_own(name: str, tmp_path: Path) -> None:
    write(tmp_path / "in", {f"{n}/vector_add.cu": f"// {n!r}\n" for n in NAMES[name]})
    students = read(tmp_path / "in").students
    assert sorted(s.path("vector_add.cu").read_text() for s in students) == sorted(f"// {n!r}\n" for n in NAMES[name])
    assert len({s.key.casefold() for s in students}) == len(students) == len(NAMES[name])


def test_one_name_twice_is_two_students_where_their_numbers_differ(tmp_path: Path) -> None:
    write(tmp_path / "in", {f"Ann_{n}_assignsubmission_file_/vector_add.cu": ADD for n in (5, 6)})
    assert [s.ids for s in read(tmp_path / "in").students] == [{"moodle": "5"}, {"moodle": "6"}]


# --- a class within a folder, or one student's ------------------------------------------------------------------------
CLASS: dict[str, tuple[Mapping[str, str | bytes], list[str], list[str]]] = {
    "a class in a folder": ({"all/ada/vector_add.cu": ADD, "all/bo/vector_add.cu": ADD}, ["ada", "bo"], ["a-class"]),
    "and a list beside it": (
        {"all/ada/vector_add.cu": ADD, "all/bo/vector_add.cu": ADD, "all/list.csv": "x"}, ["ada", "bo"],
        ["a-class", "nobodys"]),
    "wrapped twice": ({"x/y/ada/vector_add.cu": ADD, "x/y/bo/vector_add.cu": ADD}, ["ada", "bo"], ["a-class"]),
    "names that are nearly right": (
        {"all/ada/Vector-Add.cu": ADD, "all/bo/vector_add (1).cu": ADD}, ["ada", "bo"], ["a-class"]),
    "archives in a folder": (
        {"all/ada.zip": zipped({"vector_add.cu": ADD}), "all/bo.zip": zipped({"gelu.cu": ADD})}, ["ada", "bo"],
        ["a-class"]),
    "a folder for each lab": ({"ada/lab00/vector_add.cu": ADD, "ada/lab01/softmax_naive.cu": ADD}, ["ada"],
                              ["one-student"]),
    "archives for each lab": (
        {"ada/lab00.zip": zipped({"vector_add.cu": ADD}), "ada/lab01.zip": zipped({"gelu.cu": ADD})}, ["ada"],
        ["one-student"]),
    "versions of one file": ({"ada/old/vector_add.cu": ADD, "ada/final/vector_add.cu": "x"}, ["ada"], ["one-student"]),
    "predictions in common": (
        {"me/warps/gelu.cu": ADD, "me/warps/predictions.json": "{}", "me/add/vector_add.cu": ADD,
         "me/add/predictions.json": "{}"}, ["me"], ["one-student"]),
    "nothing in common": ({"all/ada/vector_add.cu": ADD, "all/bo/gelu.cu": ADD}, ["all"], ["one-student"]),
    "files in it": ({"ada/vector_add.cu": ADD, "ada/x/vector_add.cu": ADD, "ada/y/vector_add.cu": ADD}, ["ada"], []),
    "a clone": ({"ada/.git/HEAD": "", "ada/x/vector_add.cu": ADD, "ada/y/vector_add.cu": ADD}, ["ada"], []),
    "one folder in it": ({"ada/work/vector_add.cu": ADD}, ["ada"], []),
    "alone": ({"ada/vector_add.cu": ADD}, ["ada"], []),
}  # fmt: skip


@pytest.mark.parametrize("files", [
    {"ada/vector_add.cu": ADD, "ada/.gitmodules": f"path = {'ñ' * 200}\n"},
    {"ada/vector_add.cu": ADD, "ada/.git/HEAD": f"ref: refs/{'a' * 5000}", "ada/.git/objects/x": ""},
])  # fmt: skip
def test_a_name_in_a_file_that_no_system_takes_costs_nobody_anything(files: Mapping[str, str], tmp_path: Path) -> None:
    write(tmp_path / "in", {f"all/{name}": text for name, text in {**files, "bo/vector_add.cu": ADD}.items()})
    assert told(read(tmp_path / "in")) == {"ada": (HERE, []), **FINE}


PACKED = [(n, packed) for n in CLASS for packed in (False, True) if (n, packed) != ("a clone", True)]


@pytest.mark.parametrize(("name", "packed"), PACKED)
def test_exercises_that_two_folders_answer_make_a_class_of_them(name: str, packed: bool, tmp_path: Path) -> None:
    files, students, notes = CLASS[name]
    source = tmp_path / "in"
    if packed:
        source = tmp_path / "in.zip"
        source.write_bytes(zipped(files))
    else:
        write(source, files)
    found = read(source)
    assert [s.name for s in found.students] == students
    assert [key(n) for n in found.notes] == notes


@pytest.mark.parametrize("folders", [("lab00", "lab01"), ("00-hello-cuda", "01-naive-kernel")])
def test_folders_of_labs_are_one_students(folders: tuple[str, str], tmp_path: Path) -> None:
    first, second = folders
    write(tmp_path / "ada", {f"{first}/vector_add.cu": ADD, f"{second}/softmax_naive.cu": ADD})
    with pytest.raises(UserError, match="--submission"):
        read(tmp_path / "ada")


@pytest.mark.parametrize("files", [
    ("predictions.json", "practice/{small}"), ("{small}", "notes/x.txt"),
    ("lab00/vector_add.cu", "lab00/predictions.json", "lab01/softmax_naive.cu", "lab01/predictions.json"),
])  # fmt: skip
def test_what_one_student_predicts_makes_no_class(files: tuple[str, ...], tmp_path: Path) -> None:
    small = next(Path(e.file).name for e in COURSE.exercises.values() if e.file.startswith("practice/"))
    write(tmp_path / "ada", {name.format(small=small): "{}" for name in files})
    with pytest.raises(UserError, match="--submission"):
        read(tmp_path / "ada")


def test_files_of_a_class_in_one_heap_say_what_to_do(tmp_path: Path) -> None:
    write(tmp_path / "in", {"ada_vector_add.cu": ADD, "bo_vector_add.cu": ADD})
    with pytest.raises(UserError, match="one folder, or one archive"):
        read(tmp_path / "in")

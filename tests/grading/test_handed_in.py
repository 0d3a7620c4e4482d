"""What a class handed in: the systems' layouts, names that are nearly right, archives that are not to be trusted."""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import os
import subprocess
import tarfile
import tempfile
import time
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from onekernel.cohort import archives, matching, submissions
from onekernel.cohort.submissions import HandedIn, Student
from onekernel.course import Course, find_root
from onekernel.errors import UserError
from onekernel.grading.refusals import KEPT_OPEN
from onekernel.grading.submission import SOURCE_BYTES
from onekernel.labs.reader import load

ADD = "// my kernel\n"


@pytest.fixture(scope="module")
def course() -> Course:
    return load(find_root(Path(__file__)))


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return root


def read(source: Path, course: Course) -> HandedIn:
    return submissions.read(source, course, source.parent / "out")


def one(source: Path, course: Course) -> Student:
    (student,) = read(source, course).students
    return student


def told(student: Student) -> list[str]:
    return [note.key.removeprefix("cohort.") for note in student.notes]


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def test_canvas_names_and_numbers(course: Course, tmp_path: Path) -> None:
    folder = write(tmp_path / "in", {
        "lovelaceada_12345_67890_vector_add.cu": "old\n", "lovelaceada_12345_67999_vector_add-1.cu": "new\n",
        "lovelaceada_12345_67891_softmax-naive.cu": ADD, "hopper-2_LATE_777_5_work.zip": zipped({"vector_add.cu": ADD}),
    })  # fmt: skip
    found = read(folder, course)
    assert found.layout == "canvas"
    hopper, ada = found.students
    assert (ada.name, ada.ids, ada.files) == ("lovelaceada", {"canvas": "12345"}, ("softmax_naive.cu", "vector_add.cu"))
    assert set(told(ada)) == {"note-near", "note-two"}
    assert hopper.late and hopper.files == ("vector_add.cu",) and not told(hopper)


def test_canvas_names_with_underscores_and_classes_without_names(course: Course, tmp_path: Path) -> None:
    folder = write(tmp_path / "in", {
        "mary_jane_LATE_12_34_vector_add.cu": ADD, "anon_a1B2c_35_vector_add.cu": ADD,
        "LATE_anon_xYz01_36_softmax_naive.cu": ADD, "lovelaceada_13_text.html": "<p>what I typed</p>",
        "7_37_vector_add.cu": ADD, "readme.txt": "from the office",
    })  # fmt: skip
    (folder / "hopper_14_38_vector_add.cu").symlink_to("/nowhere")
    found = read(folder, course)
    assert found.layout == "canvas" and [n.values["names"] for n in found.notes] == ["readme.txt"]
    assert {s.name: (s.ids, s.late, s.files) for s in found.students} == {
        "mary_jane": ({"canvas": "12"}, True, ("vector_add.cu",)),
        "anon_a1B2c": ({"anonymous": "anon_a1B2c"}, False, ("vector_add.cu",)),
        "anon_xYz01": ({"anonymous": "anon_xYz01"}, True, ("softmax_naive.cu",)),
        "lovelaceada": ({"canvas": "13"}, False, ()), "7": ({"canvas": "7"}, False, ("vector_add.cu",)),
        "hopper": ({"canvas": "14"}, False, ()),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new"),
    [("vector_add.cu", "vector_add.cu"), ("vector_add.cu", "vector_add-1.cu"), ("work.zip", "work-1.zip"),
     ("work.zip", "work.zip"), ("work.zip", "vector_add.cu")],
)  # fmt: skip
def test_of_two_attempts_the_later_one_counts(course: Course, tmp_path: Path, old: str, new: str) -> None:
    packed = {"a_1_9_" + old: "// old\n", "a_1_10_" + new: ADD}
    files = {n: zipped({"vector_add.cu": t}) if n.endswith("zip") else t for n, t in packed.items()}
    student = one(write(tmp_path / "in", files), course)
    assert student.path("vector_add.cu").read_text() == ADD and "note-two" in told(student)


def test_moodle_names_and_numbers(course: Course, tmp_path: Path) -> None:
    folder = write(tmp_path / "in", {
        "Ada Lovelace_4711_assignsubmission_file_/vector_add.cu": ADD,
        "Ada Lovelace_4711_assignsubmission_onlinetext_/onlinetext.html": "<p>see file</p>",
        "Grace B. Hopper_4712_assignsubmission_file/vector_add.cu.txt": ADD,
    })  # fmt: skip
    found = read(folder, course)
    assert found.layout == "moodle" and [s.name for s in found.students] == ["Ada Lovelace", "Grace B. Hopper"]
    assert [s.ids["moodle"] for s in found.students] == ["4711", "4712"]
    assert [s.files for s in found.students] == [("vector_add.cu",)] * 2


def test_gradescope_export_with_a_group(course: Course, tmp_path: Path) -> None:
    metadata = (
        "---\nsubmission_31:\n  :submitters:\n  - :name: Ada Lovelace\n    :sid: '12'\n    :email: ada@example.org\n"
        "  - :name: \"Grace Hopper\"\n    :sid: '13'\n  :created_at: 2026-09-29 02:30:41.160906000 Z\n"
        "  :history:\n  - :created_at: 2026-01-01 00:00:00 Z\n"
    )
    packed = {"assignment_9_export/submission_metadata.yml": metadata,
              "assignment_9_export/submission_31/vector_add.cu": ADD}  # fmt: skip
    (tmp_path / "export.zip").write_bytes(zipped(packed))
    found = read(tmp_path / "export.zip", course)
    assert found.layout == "gradescope"
    assert [(s.name, s.ids.get("sid"), s.date) for s in found.students] == [
        ("Ada Lovelace", "12", "2026-09-29T02:30:41Z"), ("Grace Hopper", "13", "2026-09-29T02:30:41Z"),
    ]  # fmt: skip


def test_gradescope_names_are_the_submitters_alone_as_yaml_spells_them(course: Course, tmp_path: Path) -> None:
    metadata = (
        "submission_31:\n  :submitters:\n  - :name: 'O''Brien'\n    :sid: &a '12'\n  - :name: \"Zo\\xEB \\u03a9\"\n"
        "  :created_at: 2026-09-29 02:30:41 Z\n  :results:\n    tests:\n    - name: 1.1) odd sizes\n"
        "      created_at: 2020-01-01 00:00:00 Z\n  :history:\n  - :submitters:\n    - :name: Somebody Else\n"
    )
    files = {f"submission_{n}/vector_add.cu": ADD for n in (31, 32)} | {"submission_metadata.yml": metadata}
    found = read(write(tmp_path / "in", files), course)
    assert [(s.name, s.date[:10]) for s in found.students if s.ids["gradescope"] == "31"] == [
        ("O'Brien", "2026-09-29"), ("Zoë Ω", "2026-09-29"),
    ]  # fmt: skip
    assert [s.name for s in found.students if s.ids["gradescope"] == "32"] == ["submission_32"]


def test_a_clone_is_dated_by_its_commit_and_its_configuration_runs_nothing(course: Course, tmp_path: Path) -> None:
    clone, trap = tmp_path / "in" / 'ada: "x"', tmp_path / "trapped"
    write(clone, {"vector_add.cu": ADD})
    env = {**os.environ, "GIT_COMMITTER_DATE": "2026-03-04T05:06:07+0100", "GIT_CONFIG_GLOBAL": os.devnull}

    def git(*words: str) -> None:
        named = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *named, *words], cwd=clone, env=env, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "mine")
    with (clone / ".git" / "config").open("a") as config:
        config.write(f'[log]\n showSignature = true\n[gpg]\n program = "touch {trap}"\n')
        config.write(f'[core]\n fsmonitor = "touch {trap}"\n')
    assert one(tmp_path / "in", course).date == "2026-03-04T05:06:07+01:00"
    assert not trap.exists()


def test_a_commit_that_unpacks_to_more_than_a_commit_has_is_not_read(course: Course, tmp_path: Path) -> None:
    said = b"tree " + b"0" * 40 + b"\nauthor a <a> 1 +0000\ncommitter a <a> 1000000000 +0000\n\n"
    for name, size in {"ada": 1_000, "bo": 64 << 20}.items():
        raw = b"commit %d\0" % size + said.ljust(size)
        commit = hashlib.sha1(raw).hexdigest()
        files = {f"objects/{commit[:2]}/{commit[2:]}": zlib.compress(raw), "HEAD": commit}
        write(tmp_path / "in" / name / ".git", files)
        write(tmp_path / "in" / name, {"vector_add.cu": ADD})
    ada, bo = read(tmp_path / "in", course).students
    assert ada.date == "2001-09-09T01:46:40+00:00"
    assert bo.files == ("vector_add.cu",) and not bo.date.startswith("2001")  # but as of its file


def test_as_many_files_as_are_looked_at_are_told_apart_soon(course: Course) -> None:
    names, began = matching.wanted(course), time.process_time()
    assert not any(matching._meant(f"a/{n}.cu", names)[0] for n in range(matching.MOST_FILES))
    assert time.process_time() - began < 4  # 9 s where the course's names were read again for each


def test_a_checkout_of_the_course_is_the_learners_folder(course: Course, tmp_path: Path) -> None:
    files = {"labs/x/lab.toml": "", "solutions/vector_add.cu": "theirs", "kernels/vector_add.cu": "starter",
             "learners/borja/vector_add.cu": "borja's", "learners/ada/vector_add.cu": ADD,
             "audits/wrong_files/vector_add/vector_add.cu": "wrong on purpose"}  # fmt: skip
    own = write(tmp_path / "course", {"learners/borja/vector_add.cu": "borja's"})  # whoever learns in this checkout
    student = one(write(tmp_path / "in" / "ada", files).parent, replace(course, root=own))
    assert student.path("vector_add.cu").read_text() == ADD and told(student) == ["note-checkout"]


@pytest.mark.parametrize(
    "name",
    ["vector_add (1).cu", "Vector_Add.CU", "vector-add.cu", "vector_add.cu.txt", "vector_add - Copy.cu",
     "vector add.cu", "Copy of vector_add.cu", "vector_add_final_v2.cu", "vector_add - copia (2).cu",
     "softmax_triton-1.py"],
)  # fmt: skip
def test_a_name_that_is_nearly_right_is_taken_and_said(course: Course, tmp_path: Path, name: str) -> None:
    exercise = "softmax_triton.py" if "softmax" in name else "vector_add.cu"
    student = one(write(tmp_path / "in", {f"ada/{name}": ADD}), course)
    assert student.files == (exercise,) and told(student) == ["note-near"]
    assert student.path(exercise).read_text() == ADD


def test_a_name_that_is_only_similar_is_named_and_left_alone(course: Course, tmp_path: Path) -> None:
    student = one(write(tmp_path / "in", {"ada/vectoradd.cu": ADD, "ada/notes.txt": "x"}), course)
    assert student.files == () and told(student) == ["note-similar"]


def test_marks_of_byte_order_are_read(course: Course, tmp_path: Path) -> None:
    files = {"ada/vector_add.cu": b"\xef\xbb\xbf" + ADD.encode(), "ada/softmax_naive.cu": ADD.encode("utf-16")}
    student = one(write(tmp_path / "in", files), course)
    assert [student.path(f).read_text() for f in student.files] == [ADD, ADD]
    assert told(student) == ["note-mark", "note-mark"]


def test_utf16_without_a_mark_and_pointers_of_lfs_are_named(course: Course, tmp_path: Path) -> None:
    files = {"ada/vector_add.cu": ADD.encode("utf-16-le"), "ada/softmax_naive.cu": ADD.encode("utf-16-be"),
             "bo/vector_add.cu": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 9\n"}  # fmt: skip
    ada, bo = read(write(tmp_path / "in", files), course).students
    assert [ada.path(f).read_text() for f in ada.files] == [ADD, ADD] and told(ada) == ["note-utf16"] * 2
    assert told(bo) == ["note-lfs"]


@pytest.mark.parametrize("packed", [False, True])
def test_what_is_no_plain_file_is_named(course: Course, tmp_path: Path, packed: bool) -> None:
    """Whether an archive lies beside it or not."""
    ada = write(tmp_path / "in", {"ada/" + "d/" * 12 + "vector_add.cu": ADD}) / "ada"
    if packed:
        write(ada, {"more.zip": zipped({"gelu.cu": ADD})})
    os.mkfifo(ada / "vector_add.cu")
    (ada / "rmsnorm.cu").symlink_to("/etc/passwd")
    (ada / "softmax_naive.cu").mkdir()
    student = one(ada.parent, course)
    assert student.files == (("gelu.cu",) if packed else ())
    named = {"rmsnorm.cu": "note-link", "softmax_naive.cu": "note-folder", "vector_add.cu": "note-no-file"}
    assert sorted(told(student)) == sorted(["note-deep", *named.values()])
    why = {f: m.key.removeprefix("cohort.") for f in named if (m := student.unread_of(f))}
    assert why == named and student.unread_of("gelu.cu") is None


@pytest.mark.parametrize("packed", [False, True])
def test_what_cannot_be_read_costs_its_student_alone_and_is_named(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    files: dict[str, str | bytes] = {"ada/vector_add.cu": ADD, "ada/gelu.cu": ADD, "bo/vector_add.cu": ADD}
    folder = write(tmp_path / "in", {**files, "ada/more.zip": zipped({"rmsnorm.cu": ADD})} if packed else files)
    opened = Path.open

    def closed(path: Path, *words: object, **named: object) -> object:
        if path == folder / "ada" / "vector_add.cu":  # modes keep nobody out who grades as root
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *words, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", closed)
    ada, bo = read(folder, course).students
    assert set(ada.files) == {"gelu.cu", *(["rmsnorm.cu"] if packed else [])} and told(ada) == ["note-unreadable"]
    why = ada.unread_of("vector_add.cu")
    assert why is not None and why.key == KEPT_OPEN and ada.unread_of("softmax_naive.cu") is None
    assert bo.files == ("vector_add.cu",)


@pytest.mark.parametrize("closed", ["ada", "ada/lab00"])
def test_a_folder_that_cannot_be_read_is_named(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed: str
) -> None:
    folder = write(tmp_path / "in", {"ada/lab00/vector_add.cu": ADD, "ada/gelu.cu": ADD, "bo/gelu.cu": ADD})
    scandir, listdir, stat = os.scandir, os.listdir, Path.stat

    def refuse(path: Path, when: bool) -> None:  # modes keep nobody out who grades as root
        if when:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

    def scanned(path: Path) -> object:
        refuse(path, str(path) == str(folder / closed))
        return scandir(path)

    def listed(path: Path) -> list[str]:
        refuse(path, str(path) == str(folder / closed))
        return listdir(path)

    def stated(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        refuse(path, path.parent == folder / closed)
        return stat(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(os, "scandir", scanned)
    monkeypatch.setattr(os, "listdir", listed)
    monkeypatch.setattr(Path, "stat", stated)
    student, bo = read(folder, course).students
    assert bo.files == ("gelu.cu",)
    assert [n.values for n in student.notes] == [{"file": Path(closed).name}] and told(student) == ["note-closed"]
    why = student.unread_of("vector_add.cu")
    assert why is not None and why.key == KEPT_OPEN
    assert student.files == (() if closed == "ada" else ("gelu.cu",))


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EMFILE, errno.ESTALE])
def test_what_this_machine_lacks_while_unpacking_scores_nobody(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """An archive is not damaged because the disk is full: the error names the file that could not be made."""
    folder = write(tmp_path / "in", {"ada.zip": zipped({"vector_add.cu": ADD})})
    opened = Path.open

    def full(path: Path, mode: str = "r", *words: object) -> object:
        if mode == "wb":
            raise OSError(code, os.strerror(code), str(path))
        return opened(path, mode, *words)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(OSError, match=os.strerror(code)):
        read(folder, course)


def test_links_are_said_and_not_followed(course: Course, tmp_path: Path) -> None:
    secret = write(tmp_path / "secret", {"vector_add.cu": "somebody else's"})
    write(tmp_path / "in", {"ada/profile.md": "", "bo/vector_add.cu": ADD})
    (tmp_path / "in" / "ada" / "vector_add.cu").symlink_to(secret / "vector_add.cu")
    (tmp_path / "in" / "ada" / "more").symlink_to(secret)
    (tmp_path / "in" / "eva").symlink_to(tmp_path / "in" / "bo")
    ada, bo, eva = read(tmp_path / "in", course).students
    assert ada.files == () and "note-link" in told(ada)
    assert bo.files == ("vector_add.cu",)
    assert eva.files == () and told(eva) == ["note-link"]


def tar_with(name: str, **fields: object) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        info = tarfile.TarInfo(name)
        info.size = 4
        for field, value in fields.items():
            setattr(info, field, value)
        archive.addfile(info, io.BytesIO(b"x = 1"))
    return out.getvalue()


def nameless() -> bytes:
    """A zip in which a file has no name, for which zipfile raises an IndexError before Python 3.12."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo(""), ADD)
    return out.getvalue()


HOSTILE: dict[str, tuple[bytes | Callable[[], bytes], str]] = {  # the large ones are made where they are used
    "up.zip": (zipped({"../../vector_add.cu": ADD}), "archive-outside"),
    "absolute.zip": (zipped({"/tmp/vector_add.cu": ADD}), "archive-outside"),
    "drive.zip": (zipped({"C:\\vector_add.cu": ADD}), "archive-outside"),
    "up.tar.gz": (tar_with("a/../../vector_add.cu"), "archive-outside"),
    "link.tgz": (tar_with("vector_add.cu", type=tarfile.SYMTYPE, linkname="/etc/passwd", size=0), "archive-link"),
    "pipe.tar.gz": (tar_with("vector_add.cu", type=tarfile.FIFOTYPE, size=0), "archive-link"),
    "bomb.tar.gz": (lambda: gzip.compress(bytes(archives.ONE + 1024), 1), "archive-large"),
    "bomb.zip": (lambda: zipped({"vector_add.cu": bytes(archives.ONE + 1)}), "archive-large"),
    "torn.zip": (zipped({"vector_add.cu": ADD * 100})[:-40], "archive-broken"),
    "not.zip": (b"hello", "archive-broken"),
    "nameless.zip": (nameless(), "archive-broken"),
    "empty.tar.gz": (b"", "archive-broken"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_an_archive_that_is_not_to_be_trusted_costs_its_student_alone(
    course: Course, tmp_path: Path, name: str
) -> None:
    data, key = HOSTILE[name]
    right = zipped({"work/vector_add.cu": ADD, "__MACOSX/._vector_add.cu": b"\0"})
    write(tmp_path / "in", {name: data() if callable(data) else data, "zoe.zip": right})
    before = {p for p in tmp_path.rglob("*")}
    found = {s.name: s for s in read(tmp_path / "in", course).students}
    zoe = found.pop("zoe")
    (student,) = found.values()
    assert student.files == () and told(student) == [key]
    assert zoe.files == ("vector_add.cu",) and not told(zoe)
    assert all(p.is_relative_to(tmp_path / "out") for p in set(tmp_path.rglob("*")) - before)
    assert not Path("/tmp/vector_add.cu").exists()


@pytest.mark.parametrize("data", [b"no archive", zipped({"escaped.txt": ADD}), zipped({"vector_add.cu": ADD})])
def test_an_archive_named_like_the_folder_above_stays_inside(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    """Without its suffix "...zip" is "..": unpacked there it wrote into the temporary folder, or emptied it."""
    temporary = write(tmp_path / "tmp", {"somebodys": "work"})
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    names = ("...zip", "..zip", ".zip", "...tar.gz")
    read(write(tmp_path / "in", {f"ada/{name}": data for name in names} | {"ada/gelu.cu": ADD}), course)
    assert [p.name for p in temporary.rglob("*")] == ["somebodys"]
    moodle = write(tmp_path / "moodle", {"Ada_1_assignsubmission_file_../escaped.txt": ADD,
                                         "Ada_1_assignsubmission_file_./gelu.cu": ADD})  # fmt: skip
    assert one(moodle, course).files == ("gelu.cu",)
    assert [p.name for p in temporary.rglob("*")] == ["somebodys"]


def test_archives_in_archives_and_in_folders_are_unpacked(course: Course, tmp_path: Path) -> None:
    inner = zipped({"vector_add.cu": ADD})
    windows = zipped({"work/gelu.cu": ADD}).replace(b"work/gelu.cu", b"work\\gelu.cu")
    deep = inner
    for _ in range(4):
        deep = zipped({"next.zip": deep})
    folder = write(tmp_path / "in", {
        "ada.zip": zipped({"lab00.zip": inner, "notes.rar": "Rar!"}), "bo/lab00/work.zip": inner, "eva.zip": windows,
        "kim.zip": deep, "max.zip": zipped({f"{n}.zip": zipped({f"{n}.txt": "x"}) for n in range(20)}),
        "zoe/one.zip": zipped({"vector_add.cu": "// one\n"}), "zoe/one.tar.gz": tar_with("vector_add.cu"),
    })  # fmt: skip
    ada, bo, eva, kim, most, zoe = read(folder, course).students
    assert ada.files == bo.files == ("vector_add.cu",) and eva.files == ("gelu.cu",)
    assert (told(ada), told(bo), told(eva)) == (["note-packed-otherwise"], [], [])
    assert kim.files == () and told(kim) == ["note-packed-within"]
    assert told(most) == ["note-packed-within"] * 5
    assert told(zoe) == ["note-two"]  # one of them is not lost in silence


def test_the_names_of_an_archive_are_limited_before_they_are_read(course: Course, tmp_path: Path) -> None:
    """A million of them took 13 s of processor time and 970 MB."""
    many = zipped({str(n) + "x" * 200: "" for n in range(archives.MOST_MEMBERS)})
    folder = write(tmp_path / "in", {"ada.zip": many})
    tracemalloc.start()
    student = one(folder, course)
    assert told(student) == ["archive-many"] and tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()


def test_what_one_students_archives_hold_is_limited_together(course: Course, tmp_path: Path) -> None:
    bomb = zipped({"zeros": bytes(archives.ONE // 2 - 1)})
    student = one(write(tmp_path / "in", {f"ada/{n}.zip": bomb for n in range(3)}), course)
    assert told(student) == ["archive-large"]


def test_a_long_file_is_graded_as_one_that_is_too_long(course: Course, tmp_path: Path) -> None:
    long = "/" * (SOURCE_BYTES + 10)
    folder = write(tmp_path / "in", {"ada.zip": zipped({"vector_add.cu": long}), "bo/vector_add.cu": long,
                                     "eva/vector_add.cu": long, "eva/x.zip": zipped({})})  # fmt: skip
    for student in read(folder, course).students:
        assert student.path("vector_add.cu").stat().st_size > SOURCE_BYTES


def test_notes_on_one_student_are_few(course: Course, tmp_path: Path) -> None:
    ada = write(tmp_path / "in", {"ada/vector_add.cu": ADD}) / "ada"
    for n in range(500):
        (ada / f"link{n}").symlink_to("x")
    student = one(ada.parent, course)
    assert len(student.notes) == submissions.MOST_NOTES + 1 and student.notes[-1].values == {"count": 470}


def test_what_is_nobodys_is_named(course: Course, tmp_path: Path) -> None:
    files = {"ada/vector_add.cu": ADD, "bo.cu": ADD, ".eva/vector_add.cu": ADD, ".DS_Store": ""}
    found = read(write(tmp_path / "in", files), course)
    assert [n.values for n in found.notes] == [{"count": 2, "names": ".eva, bo.cu"}]


def test_a_folder_of_one_student_is_no_class(course: Course, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--submission"):
        read(write(tmp_path / "ada", {"vector_add.cu": ADD}), course)


def test_names_of_students_are_safe_names_of_files(course: Course, tmp_path: Path) -> None:
    names = ["<script>alert(1)</script>".replace("/", "|"), "=cmd", "Zoë Ω", "zoë ω", "-rf", "."*5]
    write(tmp_path / "in", {f"{name}/vector_add.cu": ADD for name in names})
    keys = [s.key for s in read(tmp_path / "in", course).students]
    assert len({k.casefold() for k in keys}) == len(keys) == 5  # what begins with a dot is nobody's
    assert all(k.replace("_", "").replace("-", "").isalnum() for k in keys)

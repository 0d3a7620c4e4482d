"""What a class handed in: the systems' layouts, names that are nearly right, archives that are not to be trusted."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from onekernel.cohort import archives, handed_in
from onekernel.cohort.handed_in import HandedIn, Student
from onekernel.course import Course, find_root
from onekernel.errors import UserError
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
    return handed_in.read(source, course, source.parent / "out")


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


def test_a_clone_is_dated_by_its_commit_and_its_configuration_runs_nothing(course: Course, tmp_path: Path) -> None:
    clone, trap = tmp_path / "in" / "ada", tmp_path / "trapped"
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


def test_a_checkout_of_the_course_is_the_learners_folder(course: Course, tmp_path: Path) -> None:
    files = {"labs/x/lab.toml": "", "solutions/vector_add.cu": "theirs", "kernels/vector_add.cu": "starter",
             "learners/borja/vector_add.cu": "borja's", "learners/ada/vector_add.cu": ADD}  # fmt: skip
    student = one(write(tmp_path / "in" / "ada", files).parent, course)
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


HOSTILE: dict[str, tuple[bytes | Callable[[], bytes], str]] = {  # the large ones are made where they are used
    "up.zip": (zipped({"../../vector_add.cu": ADD}), "archive-outside"),
    "absolute.zip": (zipped({"/tmp/vector_add.cu": ADD}), "archive-outside"),
    "drive.zip": (zipped({"C:\\vector_add.cu": ADD}), "archive-outside"),
    "up.tar.gz": (tar_with("a/../../vector_add.cu"), "archive-outside"),
    "link.tgz": (tar_with("vector_add.cu", type=tarfile.SYMTYPE, linkname="/etc/passwd", size=0), "archive-link"),
    "pipe.tar.gz": (tar_with("vector_add.cu", type=tarfile.FIFOTYPE, size=0), "archive-link"),
    "bomb.tar.gz": (lambda: gzip.compress(bytes(archives.ONE.whole + 1024), 1), "archive-large"),
    "bomb.zip": (lambda: zipped({"vector_add.cu": bytes(archives.ONE.whole + 1)}), "archive-large"),
    "torn.zip": (zipped({"vector_add.cu": ADD * 100})[:-40], "archive-broken"),
    "not.zip": (b"hello", "archive-broken"),
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


def test_a_folder_of_one_student_is_no_class(course: Course, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--submission"):
        read(write(tmp_path / "ada", {"vector_add.cu": ADD}), course)


def test_names_of_students_are_safe_names_of_files(course: Course, tmp_path: Path) -> None:
    names = ["<script>alert(1)</script>".replace("/", "|"), "=cmd", "Zoë Ω", "zoë ω", "-rf", "."*5]
    write(tmp_path / "in", {f"{name}/vector_add.cu": ADD for name in names})
    keys = [s.key for s in read(tmp_path / "in", course).students]
    assert len({k.casefold() for k in keys}) == len(keys) == 5  # what begins with a dot is nobody's
    assert all(k.replace("_", "").replace("-", "").isalnum() for k in keys)

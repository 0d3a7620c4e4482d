"""In which language a student's page is written."""

import time
from pathlib import Path

import pytest

from onekernel.cohort import outputs
from onekernel.cohort.submissions import Student
from onekernel.course import find_root
from onekernel.grading.submission import SOURCE_BYTES
from onekernel.labs.reader import load
from onekernel.messages import speaking

COURSE = load(find_root())
CODE = "#include <cuda_runtime.h>\n__global__ void k(float* x) { x[0] = 1; }\n"
SPANISH = "// Cada hilo lee un elemento de la fila y escribe su resultado.\n"
ENGLISH = "// Each thread reads an element of the row and writes its result.\n"

# Of three quotes, of one, of nothing that Python could read: nested beyond its parser, lines that end otherwise.
PYTHON = ("'''{}'''", 'def f():\n    """{}"""\n', "x = (\n# {}", "# {}\n" + "-" * 100_000 + "1",
          "# {}\nx" + ".a" * 100_000, "x\r'''{}'''", "'''{}")  # fmt: skip


def student(folder: Path, **files: str) -> Student:
    named = {f"{name}.cu": text for name, text in files.items()}
    for name, text in named.items():
        (folder / name).write_text(text, encoding="utf-8")
    return Student("ana", "ana", folder, tuple(named))


@pytest.mark.parametrize("lang", ["en", "es"])
def test_starters_as_they_are_tell_the_language(tmp_path: Path, lang: str) -> None:
    names = ("vector_add", "softmax_naive")
    texts = {name: COURSE.starters(COURSE.exercises[name])[lang] for name in names}
    with speaking({"en": "es", "es": "en"}[lang]):
        assert outputs.language_of(student(tmp_path, **texts), COURSE) == lang


@pytest.mark.parametrize(("lang", "comment"), [("en", SPANISH), ("es", ENGLISH)])
def test_one_comment_in_another_language_does_not_change_it(
    tmp_path: Path, lang: str, comment: str
) -> None:
    """Neither among nothing else nor among comments that they have written themselves."""
    with speaking(lang):
        assert outputs.language_of(student(tmp_path, vector_add=CODE + comment), COURSE) == lang
    own = {"en": ENGLISH, "es": SPANISH}[lang]
    with speaking({"en": "es", "es": "en"}[lang]):
        mine = student(tmp_path, vector_add=own + own.replace(".", ",") + CODE + comment)
        assert outputs.language_of(mine, COURSE) == lang


@pytest.mark.parametrize(("lang", "comment"), [("en", SPANISH), ("es", ENGLISH)])
def test_one_line_of_a_starter_does_not_change_it(tmp_path: Path, lang: str, comment: str) -> None:
    other = {"en": "es", "es": "en"}[lang]
    starter = COURSE.starters(COURSE.exercises["vector_add"])[other]
    line = next(line for line in starter.splitlines() if line.startswith("// ") and len(line) > 60)
    with speaking(lang):
        assert outputs.language_of(student(tmp_path, vector_add=f"{line}\n{CODE}"), COURSE) == lang


def test_words_of_the_code_are_no_prose(tmp_path: Path) -> None:
    text = CODE + 'const char* s = "// the end of the row is of the last thread";\n' * 9
    with speaking("es"):
        assert outputs.language_of(student(tmp_path, vector_add=text), COURSE) == "es"


@pytest.mark.parametrize("frame", PYTHON, ids=lambda frame: frame[:12])
def test_what_no_parser_reads_tells_its_language_and_stops_no_class(tmp_path: Path, frame: str) -> None:
    said = "\n".join([ENGLISH.strip("/ \n"), "# and each of the rows that follow is read by the next one"])
    (tmp_path / "softmax_triton.py").write_bytes(frame.format(said).encode())
    with speaking("es"):
        assert outputs.language_of(Student("ana", "ana", tmp_path, ("softmax_triton.py",)), COURSE) == "en"


@pytest.mark.parametrize("suffix", [".cu", ".py"])
@pytest.mark.parametrize("text", ['"\\', "'\\", "/* ", '"""', "'", "#"])
def test_what_is_never_closed_is_read_once(tmp_path: Path, suffix: str, text: str) -> None:
    name = {".cu": "vector_add.cu", ".py": "softmax_triton.py"}[suffix]
    (tmp_path / name).write_text(text * (SOURCE_BYTES // len(text)), encoding="utf-8")
    began = time.process_time()
    outputs.language_of(Student("ana", "ana", tmp_path, (name,)), COURSE)
    assert time.process_time() - began < 5

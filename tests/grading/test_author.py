"""The author's door: one piece of each sort is made from nothing in a copy, and verified until nothing is missing."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from onekernel.author import SORTS, exercises, new, verify
from onekernel.course import Course, Exercise
from onekernel.errors import UserError
from onekernel.labs.reader import load
from onekernel.messages import LANGUAGES, Message
from support import in_process
from support.course import ROOT
from support.patience import HUNG_SECONDS
from support.repository import copy

SMALL = "max_by_shuffles"
PIECES = {SMALL: ("practice", None), "words": ("kind", None), "freed-early": ("finding", None),
          "lone-barrier": ("checker", None), "doubled": ("exercise", "00-hello-cuda")}  # fmt: skip
# A whole small exercise, as an author would fill it in.
FOLDER = {
    "exercise.toml": """\
title = { en = "A maximum by shuffles", es = "Un máximo con shuffles" }
chapter = "02-03-warp-shuffles#warp-shuffles"
before = "butterfly"
minutes = 5
inputs = [{ rows = 5 }, { rows = 1 }]
meant = "x.max(axis=1)"

[tensors.x]
shape = ["rows", 32]
values = "negative"

[tensors.out]
shape = ["rows"]
out = true

[limits]
barriers = 1

[[wrong]]
change = "step = 16;"
to = "step = 8;"
caught = "values"
""",
    "answer.cu": """\
// out[r] = the largest of 32 numbers, one per lane of a warp.
#include <cuda_runtime.h>
#include <stdint.h>

__global__ void largest(const float* x, float* out) {
    float value = x[blockIdx.x * 32 + threadIdx.x];
    // <gap>
    //| // TODO: five steps, each with half the distance
    for (int step = 16; step > 0; step /= 2) value = fmaxf(value, __shfl_down_sync(0xffffffffu, value, step));
    // </gap>
    if (threadIdx.x == 0) out[blockIdx.x] = value;
}

extern "C" cudaError_t max_by_shuffles(const float* x, float* out, int64_t rows, cudaStream_t stream) {
    largest<<<(unsigned)rows, 32, 0, stream>>>(x, out);
    return cudaGetLastError();
}
""",
    "answer.es.txt": """\
out[r] = the largest of 32 numbers, one per lane of a warp.
    out[r] = el mayor de 32 números, uno por carril de un warp.
TODO: five steps, each with half the distance
    TODO: cinco pasos, cada uno con la mitad de distancia
""",
    "README.md": """\
# A maximum by shuffles

The sum by shuffles added what came from a lane further on. Every operation that may be done in any order can
be done so: here it is the larger of two numbers. After five steps lane 0 has met all 32 of them, and it alone
writes.

## Hint

Which function gives the larger of two floats?
""",
    "README.es.md": """\
<!-- en: 0 -->
# Un máximo con shuffles

La suma con shuffles añadía lo que venía de un carril posterior. Toda operación que se pueda hacer en
cualquier orden se puede hacer así: aquí, el mayor de dos números. Tras cinco pasos, el carril 0 los ha visto
todos, y solo él escribe.

## Pista

¿Qué función da el mayor de dos floats?
""",
}
STEPS = "for (int s = 16; s > 0; s /= 2) value = fmaxf(value, __shfl_down_sync(0xffffffffu, value, s));"
# What a finding and a checker need in files of the runtime that are there: the file, the line before which it goes, it.
CALLS = (
    ("memory/heap.cpp", "        if (a.live && a.base == reinterpret_cast<uintptr_t>(pointer)) {\n",
     '        Finding("freed-early", uint64_t(at.line)).at(at).number("threads", a.end - a.base).add();\n'),
    ("checkers/list.h", '#include "order.h"\n', '#include "lone_barrier.h"\n'),
    ("checkers/list.h", "    OrderChecker,\n", "    LoneBarrierChecker,\n"),
)  # fmt: skip
CHECK = """
[[exercise.check]]
kind = "words"
least = 1
points = 1
title = { en = "Words", es = "Palabras" }
chapter = "00-motivation"
"""
ONEKERNEL = """
import json, sys
from pathlib import Path
from audits.book.run import tables
from onekernel.author import generated, new, verify

root, pieces, step = Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3]
told = {}
for name, (sort, lab) in pieces.items():
    if step == "new":
        new.write(root, sort, name, lab)
    elif step == "verify":
        told[name] = [message.to_json() for message in verify.missing(root, name)]
for write in (generated.PARTS["starters"], tables, generated.PARTS["stamp"]) if step == "write" else ():
    write(root, False)
print(json.dumps(told))
"""


def carried_out(step: str, root: Path) -> dict[str, list[Message]]:
    """A step for every piece, in a process that has the copy's own modules; what "verify" tells of each."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ONEKERNEL_", "PYTEST_"))}
    done = subprocess.run(
        [sys.executable, "-c", ONEKERNEL, str(root), json.dumps(PIECES), step], cwd=root, capture_output=True,
        env={**environment, "PYTHONPATH": str(root / "src")}, text=True, timeout=HUNG_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return {name: [Message.from_json(m) for m in told] for name, told in json.loads(done.stdout).items()}


@pytest.mark.slow
@pytest.mark.sample(every=4)
def test_one_of_each_goes_from_sentences_to_nothing(tmp_path: Path) -> None:
    copy(tmp_path)
    carried_out("new", tmp_path)
    begun = carried_out("verify", tmp_path)
    for name, told in begun.items():
        keys = {message.key for message in told}
        assert {"author.mark", "author.stale"} <= keys and not keys & {"author.starter-stops", "author.solution-loses"}
        assert all(message.text("en") != message.text("es") for message in told), name
    assert {"author.words", "author.untold"} <= {m.key for m in begun[SMALL]}
    assert {"author.unmade", "author.no-lesson"} <= {m.key for m in begun["freed-early"]}
    assert {"author.unlisted"} <= {m.key for m in begun["lone-barrier"]}
    assert "author.unused" in {m.key for m in begun["words"]}

    for name, text in FOLDER.items():
        (tmp_path / "labs" / "practice" / SMALL / name).write_text(text, encoding="utf-8")
    for name, (sort, _) in PIECES.items():
        for path in new.files(tmp_path, sort, name):
            text = path.read_text(encoding="utf-8")
            path.write_text(re.sub(rf"^% {new.MARK}.*\n|{new.MARK}: ", "", text, flags=re.M), encoding="utf-8")
    lines = [re.sub(f"{new.MARK}: ", "", m.values["line"]) for m in begun["doubled"] if m.key == "author.untold"]
    with (tmp_path / "solutions" / "starters.es.txt").open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n    {line}, en español\n" for line in lines)
    with (tmp_path / "labs" / "04-pytorch" / "lab.toml").open("a", encoding="utf-8") as file:
        file.write(CHECK)
    simulator = tmp_path / "src" / "onekernel" / "simulator"
    records = (simulator / "findings.toml").read_text(encoding="utf-8")
    for name in ("freed-early", "lone-barrier"):
        others, mine = records.split(f"[{name}]\n")
        mine = re.sub('chapter = ".*"', 'chapter = "01-06-errors#errors"', mine).replace("{line}", "{threads}")
        records = f"{others}[{name}]\n{mine}"
    (simulator / "findings.toml").write_text(records, encoding="utf-8")
    for file, before, line in CALLS:
        path = simulator / "runtime" / file
        text = path.read_text(encoding="utf-8")
        assert text.count(before) == 1
        path.write_text(text.replace(before, line + before), encoding="utf-8")

    carried_out("write", tmp_path)
    ended = carried_out("verify", tmp_path)
    assert {name: [m.text("en") for m in told] for name, told in ended.items()} == {name: [] for name in PIECES}
    listed = (tmp_path / "labs" / "practice" / "README.es.md").read_text(encoding="utf-8")
    assert re.search(r"`shuffle_sum`.*\n.*Un máximo con shuffles.*\n.*`butterfly`", listed)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with the small exercise, the lab and the other exercise that it names."""
    root = tmp_path_factory.mktemp("course")
    for part in ("docs", "solutions"):
        (root / part).symlink_to(ROOT / part)
    shutil.copytree(ROOT / "labs" / "02-tuned-kernel", root / "labs" / "02-tuned-kernel")
    (root / "labs" / "practice" / SMALL).mkdir(parents=True)
    for name in ("lab.toml", "README.md", "README.es.md"):
        shutil.copy(ROOT / "labs" / "practice" / name, root / "labs" / "practice")
    return root


@pytest.fixture(autouse=True, scope="module")
def _in_this_process() -> Iterator[None]:
    yield from in_process.patched()


ASKED: dict[str, Callable[[Course, Exercise], object]] = {
    "told_in_both": exercises.told_in_both, "untold": exercises.untold, "to_write": exercises.to_write,
    "left_over": lambda course, e: exercises.left_over(course, course.words(e, "es")), "wrong": exercises.wrong,
    "starter": exercises.starter, "solution": exercises.solution, "meant": exercises.meant,
}  # fmt: skip


@pytest.mark.parametrize(
    ("file", "old", "put", "asked", "key"),
    [
        ("README.md", "Which function", "Which function", "told_in_both", None),
        ("README.md", "Every operation that may be done in any order can\nbe done so: ", "", "told_in_both", "words"),
        ("README.es.md", "¿Qué función da el mayor de dos floats?", "", "told_in_both", "paragraphs"),
        ("answer.es.txt", "the largest of", "the greatest of", "untold", "untold"),
        ("answer.es.txt", "the largest of", "the greatest of", "left_over", "left-over"),
        ("answer.cu", "    // <gap>", "    // <gap>\n" + "    value += 0;\n" * 15, "to_write", "lines"),
        ("answer.cu", "//| // TODO", "//| value = 1 // TODO", "starter", "starter-stops"),
        ("answer.cu", "//| // TODO", f"//| {STEPS} // TODO", "starter", "starter-earns"),
        ("answer.cu", "= x[blockIdx.x", "= x[1 + blockIdx.x", "solution", "solution-loses"),
        ("answer.cu", "__global__", "__global__ void idle(float* y) { y[0] = 1; }\n__global__", "solution", "untried"),
        ("exercise.toml", "x.max(axis=1)", "x.min(axis=1)", "meant", "meant-differs"),
        ("exercise.toml", "x.max(axis=1)", "z.max(axis=1)", "meant", "meant-fails"),
        ("exercise.toml", "x.max(axis=1)", "x.max(axis=1)", "meant", None),
        ("exercise.toml", 'caught = "values"', 'caught = "race-shared"', "wrong", "wrong-passes"),
    ],
)  # fmt: skip
def test_each_mistake_has_its_sentence(
    small: Path, file: str, old: str, put: str, asked: str, key: str | None
) -> None:
    folder = small / "labs" / "practice" / SMALL
    for name, text in FOLDER.items():
        changed = text.replace('"butterfly"', '"02-tuned-kernel"')
        assert name != file or old in changed
        (folder / name).write_text(changed.replace(old, put) if name == file else changed, encoding="utf-8")
    course = load(small)
    told = list(ASKED[asked](course, course.exercises[SMALL]))  # type: ignore[call-overload]
    assert [m.key for m in told] == ([f"author.{key}"] if key else [])
    assert all(m.text(lang) for m in told for lang in LANGUAGES)


@pytest.mark.parametrize(
    ("sort", "name", "lab", "key"),
    [
        ("practice", "guard", None, "already-there"),
        ("practice", "vector_add", None, "already-there"),
        ("kind", "memory", None, "already-there"),
        ("exercise", "mine", None, "which-lab"),
        ("exercise", "mine", "practice", "which-lab"),
        ("kind", "mine", "00-hello-cuda", "no-lab"),
        ("practice", "44-mine", None, "bad-name"),
        ("finding", "my_code", None, "bad-name"),
        ("finding", "host-copy", None, "already-there"),  # a record, of which no kernel has the name
    ],
)
def test_what_cannot_be_begun_is_refused_and_nothing_written(sort: str, name: str, lab: str | None, key: str) -> None:
    with pytest.raises(UserError) as refused:
        new.write(ROOT, sort, name, lab)
    assert refused.value.message.key == f"author.{key}"


@pytest.mark.parametrize("name", ["nobody", "*", "../x", ""])
def test_what_is_not_begun_is_refused(name: str) -> None:
    with pytest.raises(UserError) as refused:
        verify.missing(ROOT, name)
    assert refused.value.message == Message("author.unknown", {"name": name})


def test_every_template_has_a_mark_and_every_mark_says_what_is_wanted() -> None:
    for sort in SORTS:
        for path in (Path(new.__file__).with_name("templates") / sort).rglob("*.*"):
            text = path.read_text(encoding="utf-8")
            assert text.count(new.MARK) == len(re.findall(rf"{new.MARK}: \S", text)) > 0, path

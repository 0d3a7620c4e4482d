"""Beginner's slips: changes to right files under tests/slips, and what each is told first."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Collection
from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from audits import dealt
from onekernel.course import Course
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import Failure
from onekernel.messages import LANGUAGES
from support.corpus import exercise
from support.course import COURSE, ROOT

FOLDER = ROOT / "tests" / "slips"
SLUGS = {
    "add.cu": "vector_add", "stride.cu": "vector_add", "naive.cu": "softmax_naive", "rows.cu": "softmax_naive",
    "block.cu": "softmax_block", "online.cu": "softmax_block", "dot.cu": "dot_product", "atomic.cu": "dot_product",
    "tuned.cu": "softmax_tuned", "gelu.cu": "gelu", "mul.cu": "softmax_mul", "rms.cu": "rmsnorm",
    "triton.py": "softmax_triton", "tiles.py": "softmax_triton", "gelu_triton.py": "gelu_triton",
    "gemm.cu": "gemm_tiled", "gemm_buffers.cu": "gemm_tiled",
    "gemm_mma.cu": "gemm_tensorcore", "gemm_rows.cu": "gemm_tiled", "gemm_plain.cu": "gemm_naive",
    "gemm_thin.cu": "gemm_skinny", "gemm_triton.py": "gemm_triton",
    "row_loop.cu": "softmax_block", "gelu_loop.cu": "gelu", "rms_warps.cu": "rmsnorm",
    "mul_triton.py": "softmax_mul_triton", "torch_minigpt.py": "torch_minigpt",
}  # fmt: skip
GROUPS = {  # the inputs that a slip is tried on: few, and of each kind
    "vector_add": ("exact-blocks", "tails", "empty"),
    "softmax_naive": ("shapes", "empty", "peaked", "range", "special", "strides"),
    "softmax_block": ("shapes", "empty", "peaked", "range", "strides"),
    "softmax_tuned": ("shapes", "range"),
    "dot_product": ("shapes", "counted"),
    "gelu": ("exact", "tanh", "range", "empty"),
    "rmsnorm": ("shapes", "strides", "range", "eps"),
    "softmax_mul": ("shapes", "strides", "range"),
    "gemm_tiled": ("shapes", "transposed", "scalars", "strides"),
    "gemm_tensorcore": ("shapes", "transposed", "scalars"),
    "gemm_naive": ("shapes", "transposed", "scalars"),
    "gemm_skinny": ("shapes", "transposed", "scalars"),
    "gemm_triton": ("shapes", "transposed", "scalars"),
    "softmax_triton": ("shapes", "range", "special", "strides"),
    "gelu_triton": ("exact", "tanh"),
    "softmax_mul_triton": ("shapes", "range", "strides"),
}
SEED = 1914


@dataclass(frozen=True)
class Slip:
    """A change to a right file; `at` is a piece of the line that must be named, "" where none is."""

    name: str
    file: str
    change: tuple[tuple[str, str], ...]
    code: str
    at: str = ""
    groups: tuple[str, ...] = ()  # of the inputs that it is tried on, where they are others than GROUPS says
    types: tuple[str, ...] = ()  # of the elements, where not float32 alone

    def text(self) -> str:
        text = (FOLDER / self.file).read_text(encoding="utf-8")
        for old, new in self.change:
            assert old in text, f"{self.name}: {old!r} is not in {self.file}"
            text = text.replace(old, new)
        return text

    def sentence(self, language: str) -> str:
        return sentences().get((self.name, language), "")

    def first(self, folder: Path, on: str = "simulator") -> tuple[Failure | None, str]:
        """What is told first of the changed file, graded on that device, and the line that it names."""
        path = folder / f"{self.name}{Path(self.file).suffix}"
        path.write_text(self.text(), encoding="utf-8")
        slug = SLUGS[Path(self.file).name]
        groups = self.groups or GROUPS.get(slug)
        checked = exercise(slug, frozenset(groups)) if groups else COURSE.exercises[slug]
        checked = replace(checked, dtypes=self.types) if self.types else checked
        result = grade(Submission(Course(ROOT, ()), checked, path, on, SEED))
        failure = next((f for v in result.verdicts for f in v.failures), None)
        lines = self.text().splitlines()
        line = failure.line if failure else None
        return failure, lines[line - 1] if line and line <= len(lines) else ""


def told(failure: Failure, language: str) -> str:
    return " ".join(failure.message.text(language).split())


TABLE = FOLDER / "README.md"
HEAD = """# Beginner's slips, and what each is told first

Each slip is a change to one of the right files here, in `slips.toml`. `python tests/slips/table.py` grades them all and
writes this table; `tests/grading/test_slips.py` holds it.

"""


@cache
def sentences() -> dict[tuple[str, str], str]:
    """Of each slip and language what the table says."""
    found: dict[tuple[str, str], str] = {}
    name = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines() if TABLE.is_file() else ():
        if line.startswith("## "):
            name = line[3:]
        elif line[:3] in ("en ", "es "):
            found[name, line[:2]] = line[3:]
    return found


def write_table(path: Path, names: Collection[str] = (), jobs: int = 1, on: str = "simulator") -> None:
    """Grades every slip, or those of `names` and those that the table lacks, `jobs` at a time on the device `on`, and
    writes the table. Ends with a list of those that are told what they must not be told: they keep what the table says
    of them."""
    kept = _parts() if names else {}
    graded = [s for s in slips() if s.name not in kept or s.name in names]
    with dealt.pool(jobs, on) as pool:
        asked = {pool.submit(_part, slip, on): slip.name for slip in graded}
        wrong = []
        for ended in as_completed(asked):
            name, error = asked[ended], ended.exception()
            print(error or name, flush=True)
            if error:
                wrong.append(name)
                continue
            kept[name] = ended.result()
            path.write_text(HEAD + "\n".join(kept[s.name] for s in slips() if s.name in kept), encoding="utf-8")
    if wrong:
        raise SystemExit(f"told otherwise: {' '.join(wrong)}")


def _part(slip: Slip, on: str) -> str:
    """The table's part of a slip, as it is graded now. Raises AssertionError where it is told what it must not be."""
    with tempfile.TemporaryDirectory() as folder:
        failure, line = slip.first(Path(folder), on)
    assert failure is not None, f"{slip.name} passes"
    right = failure.code == slip.code and (slip.at in line if slip.at else not line)
    said = told(failure, "en")
    assert right, f"{slip.name}: {failure.code} at {line!r}; {slip.code} at {slip.at!r} is wanted. It says: {said}"
    changes = "".join(f"    {_lines(old)}  ->  {_lines(new) or '(nothing)'}\n" for old, new in slip.change)
    place = f"at `{line.strip()}`\n" if line else ""
    said = "\n\n".join(f"{lang} {told(failure, lang)}" for lang in LANGUAGES)
    return f"## {slip.name}\n\n`{slip.file}`\n\n{changes}\n{place}\n{said}\n"


def _parts() -> dict[str, str]:
    """The table's part of each slip, as it stands."""
    text = TABLE.read_text(encoding="utf-8") if TABLE.is_file() else ""
    return {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in text.split("\n## ")[1:]}


def _lines(code: str) -> str:
    return " ".join(code.split())


def slips() -> list[Slip]:
    data = tomllib.loads((FOLDER / "slips.toml").read_text(encoding="utf-8"))
    return [
        Slip(n, d["file"], tuple(map(tuple, d["change"])), d["code"], d.get("at", ""), tuple(d.get("groups", ())),
             tuple(d.get("types", ())))
        for n, d in data.items()
    ]

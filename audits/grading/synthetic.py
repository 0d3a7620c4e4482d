"""A class that nobody taught: students who are complete, partly right, hung, crashing or hostile, and archives that are
broken; each file with a line of its own, so that no build of one serves another."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

COMPLETE, PARTIAL, HUNG, CRASHING, HOSTILE, BROKEN, READ = (
    "complete", "partial", "hung", "crashing", "hostile", "broken", "read",
)  # fmt: skip
# Of twenty students: two complete, a twentieth each of the odd ones, the rest partly right.
_OF_TWENTY = (COMPLETE, COMPLETE, HUNG, CRASHING, HOSTILE, BROKEN)
_LABS = ("vector_add.cu", "roofline_challenge.py", "softmax_naive.cu", "dot_product.cu", "softmax_block.cu",
         "softmax_tuned.cu", "tuning_log.md")  # fmt: skip
_HOSTILE = ("exit_zero_on_load.cu", "forges_reports.cu", "writes_outside.cu", "link_for_an_answer.cu",
            "opens_sockets.cu")  # fmt: skip
_WRONG = {"vector_add.cu": "add_*.cu", "softmax_block.cu": "block_*.cu"}
_HANGS = "    for (volatile int64_t turn = n; turn > 0;) {}\n"
_CRASHES = "    __builtin_trap();\n"


def students(number: int, *, light: bool = False) -> list[str]:
    """What each student of a class is; `light` ones hand in what is read and never run."""
    if light:
        return [READ] * number
    return [_OF_TWENTY[n % 20] if n % 20 < len(_OF_TWENTY) else PARTIAL for n in range(number)]


def write(root: Path, folder: Path, kinds: Sequence[str], seed: int) -> None:
    """The class as folders and archives in `folder`; the same seed gives the same files."""
    chance = random.Random(seed)
    for number, kind in enumerate(kinds):
        files = dict(_files(root, kind, number, chance))
        name = f"student{number:03}"
        if kind == BROKEN or number % 7 == 3:
            data = _zip(files)
            (folder / f"{name}.zip").write_bytes(data[: len(data) // 2] if kind == BROKEN else data)
            continue
        (folder / name).mkdir()
        for file, text in files.items():
            (folder / name / file).write_text(text, encoding="utf-8")


def _files(root: Path, kind: str, number: int, chance: random.Random) -> Iterator[tuple[str, str]]:
    right = {file: (root / "solutions" / file).read_text(encoding="utf-8") for file in _LABS}
    own = {".cu": f"// student {number}\n", ".py": f"# student {number}\n", ".md": f"<!-- student {number} -->\n"}
    if kind == READ:
        right = {file: text for file, text in right.items() if not file.endswith(".cu")}
    for file, text in right.items():
        if kind == PARTIAL:
            if file not in _LABS[:3] or (file != "vector_add.cu" and chance.random() < 0.5):
                continue
            if file in _WRONG and chance.random() < 0.5:
                text = chance.choice(sorted((root / "tests" / "wrong").glob(_WRONG[file]))).read_text(encoding="utf-8")
        elif kind in (HUNG, CRASHING, HOSTILE) and file != "vector_add.cu":
            continue
        elif kind == HUNG:
            text = text.replace("    if (n <= 0)", f"{_HANGS}    if (n <= 0)", 1)
        elif kind == CRASHING:
            text = text.replace("    if (n <= 0)", f"{_CRASHES}    if (n <= 0)", 1)
        elif kind == HOSTILE:
            text = (root / "tests" / "hostile" / _HOSTILE[number // 20 % len(_HOSTILE)]).read_text(encoding="utf-8")
        yield file, own[Path(file).suffix] + text


def _zip(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(f"work/{name}", (2026, 11, 1, 0, 0, 0)), text)
    return out.getvalue()

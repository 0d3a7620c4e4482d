"""Hopper's own instructions: whole programs that compare with the host, right here as on an H200 (the folder hopper),
and what is told of those that are used wrongly."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from onekernel import simulator
from onekernel.backends.base import CallReport
from onekernel.programs.executable import build
from support.simulated import buffer

PROGRAMS = sorted(Path(__file__).with_name("hopper").glob("*.cu"))
LAUNCHERS = Path(__file__).with_name("hopper") / "launchers"
EACH_PROGRAM = pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)


@pytest.mark.slow
@EACH_PROGRAM
def test_a_program_is_right_and_nothing_is_said_of_it(path: Path) -> None:
    run = build([path], arch="sm_90a").run(quiet=True)
    assert [str(f) for f in run.findings] == []
    assert run.status == 0


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs NVIDIA's compiler")
@pytest.mark.parametrize("path", [*PROGRAMS, *sorted(LAUNCHERS.glob("*.cu"))], ids=lambda p: p.stem)
def test_a_program_is_cuda(path: Path, tmp_path: Path) -> None:
    nvcc = ["nvcc", "-std=c++17", "-arch=sm_90a", "-cubin", "-o", tmp_path / "program.cubin", path]
    assert subprocess.run(nvcc, capture_output=True, text=True).returncode == 0


BOXES, PRODUCT = ((LAUNCHERS / f"{name}.cu").read_text(encoding="utf-8") for name in ("boxes", "product"))
BOXED = np.arange(48 * 32, dtype=np.float32)
MULTIPLIED = (np.arange(1024, dtype=np.float32) * 7) % 5 - 2


def call(folder: Path, source: str, x: np.ndarray, size: int, mode: str = "check") -> tuple[np.ndarray, CallReport]:
    path = folder / "kernel.cu"
    path.write_text(source, encoding="utf-8")
    out = buffer("y", np.zeros(size, np.float32), True)
    report = simulator.build(path, mode, arch="sm_90a", time_limit=5).call("run", [buffer("x", x, False), out, x.size])
    return np.frombuffer(out.memory[256 : 256 + 4 * size].tobytes(), np.float32), report


SLOWER = [pytest.param(mode, marks=pytest.mark.slow) for mode in ("fast", "count")]


@pytest.mark.parametrize("mode", ["check", *SLOWER])
def test_boxes_and_products_are_right_in_every_mode(tmp_path: Path, mode: str) -> None:
    got, report = call(tmp_path, BOXES, BOXED, BOXED.size, mode)
    assert [str(f) for f in report.findings] == [] and report.status_name == "cudaSuccess"
    np.testing.assert_array_equal(got.reshape(48, 32), BOXED.reshape(48, 32)[:, ::-1])
    got, report = call(tmp_path, PRODUCT, MULTIPLIED, 1024, mode)
    assert [str(f) for f in report.findings] == [] and report.status_name == "cudaSuccess"
    a = MULTIPLIED.reshape(64, 16)
    np.testing.assert_array_equal(got.reshape(2, 64, 8), [a @ a[:8].T] * 2)


COPY_LINE, STORE_LINE = '[%1, {%2, %3}], [%4];"', "[%0, {%1, %2}], [%3];"
ENCODE_LINE, READ_LINE = "if (encode(", "back[i][threadIdx.x] ="
COMMITTED = '            asm volatile("cp.async.bulk.commit_group;" ::: "memory");\n'
TO, TO_STORE = '"r"(0), "r"(16 * turn), "r"(at(&full))', '"r"(0), "r"(16 * turn), "r"(at(back))'
WAITED = '            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");\n        }\n'
LAST = '    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");\n}'
# What is changed in the right kernel, and what is then told: the code, the message's form, and what its line contains.
OF_BOXES = {
    "not waited for": ("        wait(&full, turn % 2);\n", "", "missing-wait-bulk", READ_LINE),
    "the other parity": ("wait(&full, turn % 2)", "wait(&full, turn % 2 ^ 1)", "missing-wait-bulk", READ_LINE),
    "too many bytes": ("&full, sizeof tile)", "&full, 2 * sizeof tile)", "deadlock-threads", "mbarrier.try_wait"),
    "misaligned in shared memory": ('"r"(at(tile)), "l"', '"r"(at(tile) + 64), "l"', "bad-bulk-copy-shared", COPY_LINE),
    "misaligned column": (TO, TO.replace("(0)", "(2)"), "bad-bulk-copy-column", COPY_LINE),
    "no map": ('"l"(&in)', '"l"(plain)', "bad-bulk-copy-map", COPY_LINE),
    "a generic address": ('"r"(at(tile)), "l"', '"r"(128), "l"', "out-of-bounds-shared-write", COPY_LINE),
    "stored below 0": (TO_STORE, TO_STORE.replace("(0)", "(-4)"), "bad-bulk-copy-below", STORE_LINE),
    "stored, not waited for at the end": (LAST, "}", "unread-bulk-copy-left", STORE_LINE),
    "stored, never committed": (COMMITTED, "", "unread-bulk-copy-open", STORE_LINE),
    "stored, written too early": (WAITED, "        }\n", "unread-bulk-copy-changed", STORE_LINE),
    "a wide box": ("box[2] = {32, 16}", "box[2] = {32, 257}", "bad-tensor-map-box", ENCODE_LINE),
    "a narrow box": ("box[2] = {32, 16}", "box[2] = {3, 16}", "bad-tensor-map-inner", ENCODE_LINE),
    "a stride in elements": ("strides[1] = {128}", "strides[1] = {33}", "bad-tensor-map-stride", ENCODE_LINE),
    "a row wider than the swizzle": ("SWIZZLE_NONE", "SWIZZLE_64B", "bad-tensor-map-wide", ENCODE_LINE),
    "a tensor at any address": ("(void*)x", "(void*)(x + 1)", "bad-tensor-map-base", ENCODE_LINE),
    "boxes as steps": ("box, every", "every, box", "bad-tensor-map-every", ENCODE_LINE),
    "more than the buffer": ("strides[1] = {128}", "strides[1] = {256}", "out-of-bounds-read", COPY_LINE),
}
MMA_LINE = "wgmma.mma_async"
COMMIT = '    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");\n'
WAIT = '    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");\n'
FENCE = '    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");\n'
REGISTERS = '    if (warp == 0) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");\n'
WRITTEN = "    a[0][threadIdx.x % 64][0] = __nv_bfloat16(9);\n"
OF_PRODUCTS = {
    "never waited for": (WAIT, "", "unwaited-product-left", MMA_LINE),
    "waited for too laxly": (WAIT, WAIT.replace("aligned 0", "aligned 1"), "unwaited-product-left", MMA_LINE),
    "never committed": (COMMIT, "", "unwaited-product-open", MMA_LINE),
    "a warp is missing": (FENCE, "    if (warp == 2) return;\n" + FENCE, "bad-warpgroup-missing", "wgmma.fence"),
    "a warp goes another way": ("if (group >= 0)", "if (warp != 2)", "bad-warpgroup-elsewhere", "wgmma.commit"),
    "registers of one warp": (FENCE, REGISTERS + FENCE, "bad-warpgroup-elsewhere", "wgmma.fence"),
    "one thread": ("if (group >= 0)", "if (threadIdx.x % 32 == 0)", "mismatched-collective", MMA_LINE),
    "no fence": (FENCE, "", "bad-warpgroup-no-fence", MMA_LINE),
    "other descriptors": ("of_b = tile_at(b, 8)", "of_b = tile_at(b[warp / 2], 8)", "bad-warpgroup-differs", MMA_LINE),
    "no whole warpgroup": ("k<<<1, 256, 0", "k<<<1, 192, 0", "bad-warpgroup-small", "wgmma.fence"),
    "out of the array": ("of_a = tile_at(a, 64)", "of_a = tile_at(a, 128)", "bad-warpgroup-outside", MMA_LINE),
    "an address of nothing": ("((at(p) & 0x3ffff) >> 4)", "0x3000", "bad-warpgroup-nowhere", MMA_LINE),
    "written before the wait": (WAIT, WRITTEN + WAIT, "unwaited-product-changed", MMA_LINE),
}


def cases(*tables: tuple[str, dict[str, tuple[str, str, str, str]], np.ndarray, int]) -> list[object]:
    return [
        pytest.param(source, x, size, *case, id=name.replace(" ", "-"))
        for source, table, x, size in tables
        for name, case in table.items()
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "x", "size", "old", "new", "told", "line"),
    cases((BOXES, OF_BOXES, BOXED, BOXED.size), (PRODUCT, OF_PRODUCTS, MULTIPLIED, 1024)),
)
def test_a_wrong_use_is_one_sentence_at_its_line(
    tmp_path: Path, source: str, x: np.ndarray, size: int, old: str, new: str, told: str, line: str
) -> None:
    assert source.count(old) == 1
    changed = source.replace(old, new)
    _, report = call(tmp_path, changed, x, size)
    keys = [(f"{f.message.key}", f.line) for f in report.findings]
    assert keys and keys[0][0].startswith(f"simulator.{told}"), keys
    finding = report.findings[0]  # what follows from it may be told, too
    assert finding.line is not None
    assert any(line in text for text in changed.splitlines()[finding.line - 1 : finding.line + 1]), (keys, finding.line)
    assert all(re.search(r"\{\w+\}", finding.message.text(language)) is None for language in ("en", "es"))

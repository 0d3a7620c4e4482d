"""The watched interpreter: each fault planted in a small kernel is reported at its line, with its offsets."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import triton_child

pytestmark = pytest.mark.slow

pytest.importorskip("triton")

KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, y_ptr, cols, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x))
    tl.store(y_ptr + row * y_stride + at, e / tl.sum(e), mask=at < cols)


def softmax_bad(x, out=None):
    rows, cols = x.shape
    kernel[(rows,)](x, out, cols, x.stride(0), out.stride(0), BLOCK=triton.next_power_of_2(cols))
    return out
"""


def run_changed(tmp_path: Path, *changes: tuple[str, str], case=(3, 12, 0, 0), dtype="float32"):
    text = KERNEL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "softmax_bad.py"
    path.write_text(text)
    (answer,) = triton_child.run(path, "softmax_bad", (dtype,), cases=[case])
    return answer, text.splitlines()


def line_of(lines: list[str], what: str) -> int:
    return next(n for n, text in enumerate(lines, 1) if what in text)


def test_the_unchanged_kernel_has_no_findings(tmp_path):
    for dtype in ("float32", "float16", "bfloat16"):
        answer, _ = run_changed(tmp_path, dtype=dtype, case=(3, 12, 2, 1))
        assert not answer["fault"] and not answer["findings"]


def test_a_load_without_mask_is_found_at_its_line_with_its_offsets(tmp_path):
    answer, lines = run_changed(tmp_path, (', mask=at < cols, other=-float("inf"))', ")"))
    code, line, english, spanish = answer["findings"][0]
    assert (code, line) == ("out-of-bounds-read", line_of(lines, "tl.load"))
    # Rows of 12 in tiles of 16: only the last of the 3 rows runs past the end, by 4 elements.
    assert "4 of its 16 active lanes" in english and "offsets 36 to 39" in english and "program (2, 0, 0)" in english
    assert "36 a 39" in spanish
    assert len(answer["findings"]) == 1
    assert answer["fault"]


def test_a_store_without_mask_is_found_and_does_no_harm(tmp_path):
    answer, lines = run_changed(tmp_path, ("e / tl.sum(e), mask=at < cols)", "e / tl.sum(e))"), case=(1, 12, 0, 0))
    code, line, english, _ = answer["findings"][0]
    assert (code, line) == ("out-of-bounds-write", line_of(lines, "tl.store"))
    assert "offsets 12 to 15. y has 12 elements: its offsets end at 11. Fix" in english  # one row: no rows, no gaps
    assert not answer["fault"]  # the stray lanes were taken out: guards are whole and the values are right


def test_a_store_into_the_gap_between_rows_is_found(tmp_path):
    answer, lines = run_changed(tmp_path, ("e / tl.sum(e), mask=at < cols)", "e / tl.sum(e))"), case=(3, 12, 0, 8))
    code, line, english, _ = answer["findings"][0]
    assert (code, line) == ("out-of-bounds-write", line_of(lines, "tl.store"))
    assert "row 0, column 12" in english and "20 apart" in english


def test_a_negative_offset_is_found(tmp_path):
    answer, lines = run_changed(tmp_path, ("row * x_stride + at,", "row * x_stride + at - 3,"))
    code, line, english, _ = answer["findings"][0]
    assert (code, line) == ("out-of-bounds-read", line_of(lines, "tl.load"))
    assert "offsets -3 to -1" in english


def test_a_write_to_the_input_is_found(tmp_path):
    answer, lines = run_changed(tmp_path, ("tl.store(y_ptr + row * y_stride", "tl.store(x_ptr + row * x_stride"))
    assert answer["findings"][0][:2] == ["write-to-input", line_of(lines, "tl.store")]


def test_a_stray_access_of_scratch_memory_is_found(tmp_path):
    answer, lines = run_changed(
        tmp_path,
        ("def kernel(x_ptr, y_ptr, cols", "def kernel(x_ptr, y_ptr, s_ptr, cols"),
        ("    e = tl.exp", "    tl.store(s_ptr + row + 1, 1.0)\n    e = tl.exp"),
        ("](x, out, cols", "](x, out, torch.zeros(rows), cols"),
    )
    code, line, english, _ = answer["findings"][0]
    assert (code, line) == ("out-of-bounds-write", line_of(lines, "s_ptr + row + 1"))
    assert "s_ptr" in english and "active lane, offset 3: " in english


def test_bfloat16_arithmetic_is_refused_at_its_line(tmp_path):
    answer, lines = run_changed(tmp_path, (".to(tl.float32)", ""), ("x - tl.max(x)", "(x - x)"), dtype="bfloat16")
    assert answer["findings"][0][:2] == ["bf16-arithmetic", line_of(lines, "(x - x)")]


def test_an_exception_in_a_kernel_names_its_line(tmp_path):
    answer, lines = run_changed(tmp_path, ("tl.exp(x", "tl.no_such_function(x"))
    code, line, english, _ = answer["findings"][0]
    assert (code, line) == ("raised", line_of(lines, "no_such_function"))
    assert "no_such_function" in english


def test_a_grid_that_asks_for_an_argument_of_another_name_is_told_so(tmp_path):
    answer, lines = run_changed(tmp_path, ("kernel[(rows,)]", 'kernel[lambda meta: (meta["ROWS"],)]'))
    code, line, english, spanish = answer["findings"][0]
    assert (code, line) == ("raised", line_of(lines, 'meta["ROWS"]'))
    assert "no argument has the name" in english and "ninguno tiene el nombre" in spanish and "'ROWS'" in english


@pytest.mark.parametrize("named", ['torch.empty(rows, device="cuda")', "x.cuda()"])
def test_a_device_that_is_not_there_is_told_of_at_its_line(tmp_path, named):
    answer, lines = run_changed(tmp_path, ("rows, cols = x.shape", f"rows, cols = x.shape\n    {named}"))
    code, line, english, spanish = answer["findings"][0]
    assert (code, line) == ("raised", line_of(lines, named))
    assert "device=x.device" in english and "device=x.device" in spanish


def test_asking_for_the_driver_is_explained(tmp_path):
    ask = "triton.runtime.driver.active.get_current_device()"
    answer, lines = run_changed(tmp_path, ("rows, cols = x.shape", f"rows, cols = x.shape\n    {ask}"))
    assert answer["findings"][0][:2] == ["needs-driver", line_of(lines, "get_current_device")]


def test_autotune_with_two_configurations_needs_no_gpu(tmp_path):
    tuned = '@triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["cols"])\n@triton.jit'
    answer, _ = run_changed(tmp_path, ("@triton.jit", tuned), (", BLOCK=triton.next_power_of_2(cols))", ")"))
    assert not answer["fault"] and not answer["findings"]


def test_an_ignored_out_is_found(tmp_path):
    answer, _ = run_changed(tmp_path, ("    return out", "    return torch.softmax(x, 1)"))
    assert answer["findings"][0][0] == "out-ignored"


def test_a_missing_function_and_a_syntax_error_are_told(tmp_path):
    answer, _ = run_changed(tmp_path, ("def softmax_bad", "def softmax_worse"))
    assert answer["build"][0][0] == "no-function"
    answer, lines = run_changed(tmp_path, ("    return out", "    return out)"))
    assert answer["build"][0][:2] == ["syntax", line_of(lines, "return out)")]
    answer, lines = run_changed(tmp_path, ("import torch", "import torch\nimport no_such_module"))
    assert answer["build"][0][:2] == ["import-failed", line_of(lines, "no_such_module")]


def test_bytes_are_counted_by_tensor(tmp_path):
    answer, _ = run_changed(tmp_path, case=(5, 12, 0, 0), dtype="float16")
    assert (answer["reads"], answer["writes"], answer["walks"]) == (1, 1, [1])

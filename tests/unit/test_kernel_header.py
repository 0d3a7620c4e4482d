"""What a kernel's header says by key, and that prose says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from audits.bench import kernel_header
from onekernel.course import rungs

ROOT = Path(__file__).parents[2]
RUNGS = rungs(ROOT)


@pytest.mark.parametrize("name", RUNGS)
def test_every_rung_says_what_works_on_a_row_and_how_often_it_reads(name: str) -> None:
    header = kernel_header.read(RUNGS[name])
    assert header.work is not None and header.work[0] == "row" and header.ledgers
    assert header.row_per_thread == (name == "ladder/1_row_per_thread")


def test_a_ledger_that_grows_with_the_columns_is_one_of_a_row_read_again() -> None:
    naive, block = (kernel_header.read(ROOT / "solutions" / f"softmax_{name}.cu") for name in ("naive", "block"))
    assert naive.rereads and not block.rereads
    assert naive.ledgers[0].accesses(100) == 202 and [x.accesses(100) for x in block.ledgers] == [2, 4]


def test_keys_are_read_from_the_header_alone_and_prose_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "softmax_mine.cu"
    prose = "// Row softmax, one thread for each row.\n// Work as I like it. Ledger: none.\n"
    path.write_text(f"{prose}#include <math.h>\n// Work: row per thread\n")
    assert kernel_header.read(path) == kernel_header.Header(None, ())
    path.write_text("// softmax_mine\n// Work: output per thread\n// Ledger (long rows): reads 2*cols, writes 1\n")
    header = kernel_header.read(path)
    assert header.work == ("output", "thread") and not header.row_per_thread and header.rereads


def test_a_triton_file_says_it_in_its_docstring_or_below(tmp_path: Path) -> None:
    path = tmp_path / "softmax_mine.py"
    path.write_text('"""Row softmax.\n\nWork:   row per program\n"""\n\n# Ledger: reads 1, writes 1\n\nimport triton\n')
    assert kernel_header.read(path) == kernel_header.Header(("row", "program"), (kernel_header.Ledger("1", "1"),))

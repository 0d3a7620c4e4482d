"""The Triton solution and its reading ladder: right on every case, with the traffic that their headers state."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from onekernel.gaps import starter
from onekernel.ops import OPERATORS
from onekernel.ops.base import SIMULATED
from support import triton_child

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SOLUTION = ROOT / "solutions" / "softmax_triton.py"
RECORD = ROOT / "solutions" / "record" / "softmax_triton.py"
BOTH = pytest.mark.parametrize("path", [SOLUTION, RECORD], ids=["answer", "record"])
LADDER = ["triton_three_pass", "triton_online", "triton_single_tile"]
HERE = [c for c in OPERATORS["softmax"].cases if c.plain and c.runs(SIMULATED) and c.group != "rows"]
GROUPS = tuple(dict.fromkeys(c.group for c in HERE))
SHORT = tuple(g for g in GROUPS if g != "long")
pytest.importorskip("triton")


def ledger(path: Path) -> dict[str, tuple[float, float]]:
    lines = re.findall(r"^# Ledger(?: \((\w+)\))?: reads ([\d.]+), writes ([\d.]+)$", path.read_text(), re.MULTILINE)
    return {regime: (float(reads), float(writes)) for regime, reads, writes in lines}


@BOTH
def test_the_solution_is_right_on_every_case_and_touches_nothing_else(path):
    dtypes = ("float32", "float16", "bfloat16")
    answers = triton_child.run(path, "softmax_triton", dtypes, groups=GROUPS)
    wrong = [a for a in answers if a["fault"] or a["findings"]]
    assert not wrong
    assert len(answers) == len(dtypes) * len(HERE)


@BOTH
@pytest.mark.parametrize("cols", [40000, 33 * 1024 + 5])
def test_rows_of_every_length_take_the_regime_that_the_header_names(path, cols):
    short, long = triton_child.run(path, "softmax_triton", cases=[(3, 4096, 0, 0), (2, cols, 1, 0)])
    assert [k for k, _ in short["kernels"]] == ["tile"]
    assert [k for k, _ in long["kernels"]] == ["reduce_part", "write_part"]
    for answer, regime in ((short, "tile"), (long, "split")):
        reads, writes = ledger(path)[regime]
        assert answer["reads"] == pytest.approx(reads, rel=0.01)  # the split's maxima and sums are scratch: below 1 %
        assert answer["writes"] == pytest.approx(writes, rel=0.01)


def test_rows_that_start_between_cache_lines_are_whole():
    """Aligned to 16 bytes, not to 128: a body that begins on a line must not skip what lies before it."""
    cases = ((33, 1040, 0, 0), (7, 1024, 8, 16), (2, 25000, 8, 24), (5, 4096, 7, 7))
    for answer in triton_child.run(RECORD, "softmax_triton", ("float32", "bfloat16"), cases=cases):
        assert not answer["fault"] and not answer["findings"], answer


@BOTH
def test_several_short_rows_share_a_program(path):
    (answer,) = triton_child.run(path, "softmax_triton", cases=[(1000, 16, 0, 0)])
    ((kernel, grid),) = answer["kernels"]
    assert kernel == "tile" and grid[0] <= 1000 // 16


@pytest.mark.parametrize("name", LADDER)
def test_a_rung_is_right_and_its_ledger_is_counted(name):
    path = ROOT / "solutions" / "ladder" / f"{name}.py"
    answers = triton_child.run(path, name, ("float32", "bfloat16"), groups=SHORT)
    assert not [a for a in answers if a["fault"] or a["findings"]]
    (counted,) = triton_child.run(path, name, cases=[(2, 5000, 3, 1)])
    assert (counted["reads"], counted["writes"]) == ledger(path)[""]
    assert counted["walks"] == [counted["reads"]]


def test_the_rung_of_regimes_is_right_and_each_regime_reads_what_its_ledger_says():
    path = ROOT / "solutions" / "ladder" / "triton_regimes.py"
    answers = triton_child.run(path, "triton_regimes", ("float32", "float16", "bfloat16"), groups=SHORT)
    assert not [a for a in answers if a["fault"] or a["findings"]]
    cases = {(1000, 16, 0, 0): "tile", (2, 5000, 3, 1): "tile", (2, 40000, 1, 0): "split"}
    answers = triton_child.run(path, "triton_regimes", cases=list(cases))
    for answer, regime in zip(answers, cases.values(), strict=True):
        assert not answer["fault"] and not answer["findings"], answer
        accesses = answer["reads"], answer["writes"]
        assert accesses == pytest.approx(ledger(path)[regime], rel=0.01)  # maxima and sums of the parts: below 1 %


def test_the_starter_imports_and_fails(tmp_path):
    path = tmp_path / "softmax_triton.py"
    path.write_text(starter(SOLUTION.read_text(), SOLUTION))
    answers = triton_child.run(path, "softmax_triton", cases=[(2, 8, 0, 0)])
    assert "build" not in answers[0] and answers[0]["fault"]


def test_the_solution_runs_alone_without_the_tool(tmp_path):
    """Torch and Triton only: no onekernel on the path, no guard in place."""
    import os
    import subprocess
    import sys

    code = (
        "import torch, softmax_triton as s\n"
        "x = torch.randn(5, 300)\n"
        "want = torch.softmax(x, 1)\n"
        "torch.testing.assert_close(s.softmax_triton(x), want)\n"
        "torch.testing.assert_close(s.softmax_triton(x, x), want)\n"
        "assert 'onekernel' not in __import__('sys').modules\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"TRITON_INTERPRET": "1"}
    environment["CUDA_VISIBLE_DEVICES"] = ""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "solutions", env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_wrong_arguments_are_refused_in_words():
    import os
    import subprocess
    import sys

    code = (
        "import torch, softmax_triton as s\n"
        "for bad in (torch.zeros(3), torch.zeros(4, 6).t(), torch.zeros(2, 3, dtype=torch.float64)):\n"
        "    try: s.softmax_triton(bad)\n"
        "    except ValueError as e: print(e)\n"
    )
    environment = os.environ | {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "solutions", env=environment, capture_output=True, text=True
    )
    assert len(done.stdout.splitlines()) == 3, done.stderr


@pytest.mark.gpu
@BOTH
def test_the_solution_on_a_gpu_agrees_with_float64_in_every_regime(path):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs an NVIDIA GPU")
    import importlib.util

    spec = importlib.util.spec_from_file_location("softmax_triton_on_gpu", path)
    solution = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(solution)
    shapes = [(300, 63, 0), (64, 4095, 1), (8, 32768, 0), (4, 50257, 3), (2, 262144, 0), (1, 4194304, 0)]
    for rows, cols, shift in shapes:
        for dtype, tolerance in ((torch.float32, 3e-5), (torch.bfloat16, 5e-3)):
            x = torch.randn(rows * cols + shift, device="cuda", dtype=dtype)[shift:].view(rows, cols)
            want = torch.softmax(x.double().cpu(), 1)
            got = solution.softmax_triton(x).double().cpu()
            assert ((got - want).abs() <= tolerance * want).all(), (rows, cols, shift, dtype)


@pytest.mark.gpu
def test_a_team_whose_wait_never_ends_goes_on_alone(tmp_path):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs an NVIDIA GPU")
    import importlib.util

    path = tmp_path / "softmax_impatient.py"
    text = RECORD.read_text()
    assert "PATIENCE = tl.constexpr(100_000)" in text
    path.write_text(text.replace("PATIENCE = tl.constexpr(100_000)", "PATIENCE = tl.constexpr(1)"))
    spec = importlib.util.spec_from_file_location("softmax_impatient", path)
    impatient = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(impatient)
    x = torch.randn((300, 50257), device="cuda")
    want = torch.softmax(x.double().cpu(), 1)
    assert ((impatient.softmax_triton(x).double().cpu() - want).abs() <= 3e-5 * want).all()

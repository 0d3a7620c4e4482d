"""The fusion bench without a GPU: its ways in PyTorch are the operators, its tables show what was measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from audits.bench.fusion import cases, figure, tables
from audits.bench.fusion.cases import LARGE, MIB, OPERATIONS, Case, grid
from onekernel.bench import style

ROOT = Path(__file__).resolve().parents[2]


def test_a_case_of_a_tensor_size_has_rows_of_8192_and_least_bytes() -> None:
    big = Case("rmsnorm", "float16", 64 * MIB)
    assert big.shape == (4096, 8192) and big.traffic == 3 * 64 * MIB and big.reference == "add"
    assert Case("gelu", "float32", 4096).shape == (1, 1024)
    ragged = Case("gelu", "bfloat16", 64 * MIB, ragged=True)
    assert ragged.shape == (4096, 8191) and ragged.traffic == 2 * 2 * 4096 * 8191 and ragged.reference == "copy"
    assert [c.launch_bound for c in (Case("gelu", "bfloat16", MIB), big)] == [True, False]


def test_the_grid_has_each_case_once_and_begins_with_the_large_ones() -> None:
    walk = list(grid())
    assert len(set(walk)) == len(walk)
    assert {c.operation for c in walk} == set(OPERATIONS)
    shapes = [(size, False) for size in LARGE] + [(cases.RAGGED, True)]
    assert {(c.dtype, c.size, c.ragged) for c in walk[:27]} == {(d, *s) for d in cases.ITEMSIZE for s in shapes}


@pytest.mark.slow
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_ways_of_pytorch_compute_the_operator_and_are_counted(operation: str) -> None:
    torch = pytest.importorskip("torch")
    from audits.bench.fusion import measurement, ways

    case = Case(operation, "float32", 4 * 4 * 8192)
    rows, cols = case.shape
    x, w = torch.randn(rows, cols), torch.randn(rows, cols)
    t = ways.Tensors(x, w if case.inputs == 2 else x, torch.randn(cols), torch.empty_like(x))
    for way in (ways.unfused, ways.framework):
        measurement.check(case, t, way(operation, t), strict=False)
    with pytest.raises(measurement.WrongOutput, match="wrong, the worst"):
        measurement.check(case, t, x + 1, strict=False)
    moved = measurement._moved(lambda: ways.unfused(operation, t))["bytes_moved"] / case.traffic
    wanted = {"gelu": 9.0, "softmax_mul": 11 / 3, "rmsnorm": 11 / 3, "cos_cos": 2.0}[operation]
    assert moved == pytest.approx(wanted, abs=0.1)


def _measured() -> dict:
    """A result as the bench writes it, with times that follow from sizes."""
    cells = []
    for case in grid():
        small = case.launch_bound
        ways = {}
        for number, way in enumerate([case.reference, "unfused", "framework", "cuda", "triton", "compile"]):
            seconds = (1 + number / 10) * (1e-6 + case.traffic / 4e12)
            found = {"gpu_s": seconds, "host_s": 7e-6, "eager_s": 8e-6, "graph_s": seconds} if small else {
                "median_s": seconds, "q1_s": seconds, "q3_s": seconds, "count": 9}  # fmt: skip
            ways[way] = found | ({"launches": 8 - number, "bytes_moved": 9 * case.traffic} if case.counted else {})
        ways["compile"] = {"failed": "no compiler"} if case.ragged else ways["compile"]
        ways["triton"] |= {"discarded": "too fast"} if case.size == 1 << 32 else {}
        cells.append({
            "operation": case.operation, "dtype": case.dtype, "size": case.size, "ragged": case.ragged,
            "rows": case.shape[0], "cols": case.shape[1], "bytes": case.traffic, "reference": case.reference,
            "method": "calls" if small else "events", "ways": ways,
        })  # fmt: skip
    return {"bench": "fusion", "device": {"name": "NVIDIA Test", "driver": "1"}, "versions": {"torch": "2"},
            "date": "2026-01-01", "command": "python bench/fusion.py", "cells": cells}  # fmt: skip


@pytest.mark.parametrize("lang", ["en", "es"])
def test_the_tables_show_shares_microseconds_and_bytes(tmp_path: Path, lang: str) -> None:
    path = tmp_path / "fusion.json"
    path.write_text(json.dumps(_measured()))
    made = {name: part(path, lang) for name, part in tables.PARTS.items()}
    speed = next(line for line in made["speed"] if "float32 | 2048 x 8192" in line)
    assert [cell.strip() for cell in speed.split("|")[5:-1]] == ["91", "83", "77", "71", "67"]
    assert any("8191" in line and line.rstrip(" |").endswith("-") for line in made["speed"])  # what did not compile
    assert sum("| 7" in line for line in made["launches"]) == len(OPERATIONS) * 5
    assert all(line.split("|")[2].strip() in ("9.0", "9,0") for line in made["traffic"][2:6])


@pytest.mark.parametrize(("lang", "none"), [("en", "No cell falls short."), ("es", "Ninguna celda se queda corta.")])
def test_where_another_way_is_faster_than_both_kernels_is_listed(tmp_path: Path, lang: str, none: str) -> None:
    path, data = tmp_path / "fusion.json", _measured()
    for cell in data["cells"]:  # as fast as the course's faster kernel, and not faster
        ways = cell["ways"]
        ways.update({way: dict(ways["cuda"]) for way in ("unfused", "framework", "compile") if way in ways})
    path.write_text(json.dumps(data))
    assert tables.PARTS["shortfalls"](path, lang)[0] == none
    small = next(c for c in data["cells"] if c["method"] == "calls")
    large = [c for c in data["cells"] if c["method"] == "events" and not c["ragged"]]
    small["ways"]["compile"]["graph_s"] *= 0.96
    for found, q3 in ((large[0]["ways"]["compile"], 0.96), (large[1]["ways"]["compile"], 1.01)):  # the second overlaps
        found.update(q3_s=q3 * found["median_s"], median_s=0.95 * found["median_s"])
    path.write_text(json.dumps(data))
    listed = [line for line in tables.PARTS["shortfalls"](path, lang) if line.startswith("- ")]
    graph = {"en": "in a CUDA graph", "es": "en un grafo CUDA"}[lang]
    assert len(listed) == 2 and sum(graph in line and "torch.compile" in line for line in listed) == 1
    assert ("5.3 %" if lang == "en" else "5,3 %") in next(line for line in listed if graph not in line)


@pytest.mark.slow
def test_the_figure_is_drawn_in_each_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style, "KINDS", ("svg",))
    for lang in ("en", "es"):
        (written,) = figure.draw(tmp_path / f"fusion.{lang}", _measured()["cells"], "title", "under", lang)
        text = written.read_text(encoding="utf-8")
        assert "softmax(x) * w" in text and ("copia" in text) == (lang == "es")


# In a process of its own: whether Triton interprets is decided when a kernel's file is imported.
PLAIN = """
import sys
sys.path.insert(0, "bench/kernels")
import torch
from fused_triton import cos_cos, rmsnorm

def rows_of(cols, gap, shift, dtype):
    flat = torch.randn(shift + 3 * (cols + gap)).to(dtype)
    return flat[shift:].view(3, cols + gap)[:, :cols]

for dtype, near in ((torch.float32, 1e-5), (torch.bfloat16, 2e-2)):
    for cols in (1, 9, 16, 99):
        for gap, shift, elsewhere in ((0, 0, 0), (1, 0, 0), (3, 5, 5), (8, 3, 3), (0, 0, 1)):
            x, r, out = (rows_of(cols, gap, s, dtype) for s in (shift, shift, elsewhere))
            w = torch.randn(cols).to(dtype)
            h = x.double() + r.double()
            want = h * torch.rsqrt((h * h).mean(1, keepdim=True) + 1e-5) * w.double()
            rmsnorm(x, r, w, out.fill_(torch.nan), 1e-5)
            error = ((out.double() - want).abs() / (want.abs() + 1e-2)).max().item()
            assert error < near, (dtype, cols, gap, shift, elsewhere, error)
# Larger angles only on a GPU (tests/gpu/test_bench.py): the interpreter rounds a fused multiply-add twice.
for n, most in ((5000, 3.0), (100_000, 3.0), (1_050_000, 3.0), (1_050_000, 1e9)):
    x = (2 * torch.rand(n) - 1) * most
    assert (cos_cos(x, torch.empty_like(x)).double() - x.double().cos().cos()).abs().max() < 3e-7, (n, most)
"""


@pytest.mark.slow
def test_the_plain_triton_ways_are_right_wherever_a_row_lies() -> None:
    environment = os.environ | {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, "-c", PLAIN], env=environment, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]

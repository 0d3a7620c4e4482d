"""What is committed under bench/results/: each record belongs to the card whose folder it lies in."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from audits import records
from audits.bench.softmax.cases import Case
from onekernel.bench import device

ROOT = Path(__file__).parents[2]
RECORDS = sorted(p for p in ROOT.glob("bench/results/*/*.json") if not p.stem.endswith("_predicted"))


def name_of_gpu(data) -> str | None:
    return data.get("device", {}).get("name") or data.get("gpu")


def what_is_wrong(path: Path, data: dict) -> list[str]:
    """Why this record cannot be of the card that its folder names."""
    gpu, wrong = name_of_gpu(data), []
    if path.parent.name == "cpu":
        return ["measured on a GPU"] if gpu else []
    if not gpu or device.slug_of(gpu) != path.parent.name:
        wrong.append(f"its GPU is {gpu}")
    if "+cpu" in data.get("versions", data).get("torch", ""):
        wrong.append("torch without CUDA")
    if path.stem == "byte_identity":
        compared = {"numpy", *data["models"][0]["against_numpy"]}
        wrong += [f"{lib} is missing" for lib in ("numpy", "torch cpu", "torch cuda", "cupy") if lib not in compared]
        wrong += [f"no version of {name}" for name in ("torch", "cuda", "cupy") if not data.get(name)]
    return wrong


@pytest.mark.parametrize("path", RECORDS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_record_is_of_the_card_whose_folder_it_lies_in(path):
    assert what_is_wrong(path, json.loads(path.read_text(encoding="utf-8"))) == []


def test_a_record_without_a_gpu_is_noticed_in_the_folder_of_a_gpu():
    cpu = json.loads((ROOT / "bench/results/cpu/byte_identity.json").read_text(encoding="utf-8"))
    assert "torch cuda is missing" in what_is_wrong(Path("h200/byte_identity.json"), cpu)
    there = {"torch cpu": {}, "torch cuda": {}}
    data = {"gpu": "NVIDIA H200", "torch": "2.11.0+cu130", "cuda": "13.0", "models": [{"against_numpy": there}]}
    assert what_is_wrong(Path("h200/byte_identity.json"), data) == ["cupy is missing", "no version of cupy"]
    there["cupy"] = {}
    assert what_is_wrong(Path("h200/byte_identity.json"), data | {"cupy": "14"}) == []
    assert what_is_wrong(Path("nvidia-h200/byte_identity.json"), data | {"cupy": "14"}) == ["its GPU is NVIDIA H200"]


@pytest.mark.parametrize("name", ["mutants", "byte_identity", "overhead"])
def test_the_tables_that_a_record_keeps_are_those_of_its_figures(name):
    made = importlib.import_module(f"audits.{name}.tables").tables
    kept = [records.read(path) for path in RECORDS if path.stem == name]
    assert kept and all(data["tables"] == made(data) for data in kept), "the audit writes them anew"


# --- how long a bench takes -------------------------------------------------------------------------------------------
def _record(root, gpu, bench, **data):
    folder = root / "bench" / "results" / gpu
    folder.mkdir(parents=True)
    (folder / f"{bench}.json").write_text(json.dumps({"date": "2026-01-02", **data}))


def test_the_duration_of_a_bench_is_what_its_record_says(tmp_path):
    assert records.expected(tmp_path, "softmax").key == "bench.expected-unknown"
    _record(tmp_path, "cpu", "minigpt", machine="a laptop", took={"wall_s": 21.6})
    assert "22 s on a laptop" in records.expected(tmp_path, "minigpt").text("en")
    cells = [
        {"dtype": "float32", "rows": rows, "cols": 1024, "shift": 0, "took": {"wall_s": wall, "gpu_s": wall / 4}}
        for rows, wall in ((1024, 4.0), (2048, 8.0))
    ]
    whole = {"wall_s": 13.0, "gpu_s": 3.0}
    _record(tmp_path, "h200", "softmax", device={"name": "NVIDIA H200"}, cells=cells, took=whole)
    assert "13 s, 3 s of them" in records.expected(tmp_path, "softmax").text("en")
    one = records.expected(tmp_path, "softmax", [Case("float32", 2048, 1024)]).text("en")
    assert "8 s, 2 s of them" in one  # the time of that shape
    other = records.expected(tmp_path, "softmax", [Case("float32", 7, 7), Case("float32", 8, 8)]).text("es")
    assert "12 s, 3 s de ellos" in other  # the mean of those that are recorded, twice

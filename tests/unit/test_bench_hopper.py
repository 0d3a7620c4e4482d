"""The benchmark of Hopper's pieces without a card: rates, tables, and launchers that are where it looks for them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from audits.bench.hopper import parts, run
from onekernel import messages
from onekernel.cuda.toolchain import target

ROOT = Path(__file__).resolve().parents[2]
LAUNCHER = re.compile(r'^extern "C" cudaError_t (\w+)\(', re.M)


def part(unit: str, work: float) -> parts.Part:
    return parts.Part("mbarrier", unit, {"synced": parts.Way(lambda: None, work, lambda: False)})


@pytest.mark.parametrize(("unit", "work", "rate"), [
    ("GB/s", 3e9, 1.5), ("TFLOP/s", 4e12, 2.0), ("ns", 20_000, 100_000.0),
])  # fmt: skip
def test_a_time_becomes_a_rate(unit: str, work: float, rate: float) -> None:
    assert part(unit, work).rate("synced", 2.0) == pytest.approx(rate)


def test_a_table_has_a_row_for_each_way_in_both_languages() -> None:
    ways = {"synced": {"median_s": 12.3456e-3, "rate": 61.7}, "wgmma_64": {"median_s": 2e-6, "rate": 612.3}}
    found = {"ways": ways}
    table = run.table(part("ns", 20_000), found)
    assert [column["es"] if isinstance(column, dict) else column for column in table["columns"]] == [
        "variante", "us", "ns por ronda",
    ]  # fmt: skip
    assert table["rows"][0][1:] == [{"en": "12,345.6", "es": "12.345,6"}, "62"]
    assert table["rows"][1][0]["en"].startswith("`wgmma`, 64 x 64 x 16")


def test_every_launcher_is_measured_under_a_name_of_its_own() -> None:
    launchers = {name for path in parts.sources(ROOT) for name in LAUNCHER.findall(path.read_text(encoding="utf-8"))}
    told = (ROOT / "audits/bench/hopper/parts.py").read_text(encoding="utf-8")
    assert len(launchers) == 15 and not [name for name in launchers - {"wgmma_tile"} if f'"{name}"' not in told]
    for name in launchers - {"wgmma_tile", "persistent", "multicast"}:
        assert f"hopper-{name}" in messages.area("bench"), name


def test_it_is_built_for_the_architecture_that_alone_has_wgmma() -> None:
    assert target((9, 0)) == run.ARCH

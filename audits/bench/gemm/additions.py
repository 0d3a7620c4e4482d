"""Ways that are measured after the others join the record of a card: what it holds of the others stays.

A share is of one run. So a way that came later brings the times of the library (and of the copy) from its own turns,
its `beside`; the record's `later` says when it came, by which command and on which versions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from audits.bench.gemm.cells import Cell
from audits.bench.gemm.ways import LIBRARY

BESIDE = (*LIBRARY, "copy")


def join(record: dict[str, Any], run: Mapping[str, Any], names: Collection[str]) -> None:
    """Puts the ways `names` of a run into the record of an earlier one, in the places of what it had of them.

    A cell that the record lacks is taken whole.
    """
    cells = {_key(cell): cell for cell in record["cells"]}
    for cell in run["cells"]:
        kept = cells.get(_key(cell))
        if kept is None:
            record["cells"].append(cell)
            continue
        beside = {name: cell["ways"][name] for name in BESIDE if name in cell["ways"]}
        kept["ways"] |= {name: {**way, "beside": beside} for name, way in cell["ways"].items() if name in names}
    record["kernels"] |= run["kernels"]
    before = [{**told, "ways": [n for n in told["ways"] if n not in names]} for told in record.get("later", [])]
    how = {key: run[key] for key in ("versions", "date", "command")}
    record["later"] = [*(told for told in before if told["ways"]), {"ways": sorted(names), **how}]


def as_met(cell: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A cell of a record as one of its ways met it: with the library's times from the run in which it was measured."""
    return {**cell, "ways": {**cell["ways"], **cell["ways"].get(name, {}).get("beside", {})}}


def _key(cell: Mapping[str, Any]) -> Cell:
    return Cell(*(cell[field] for field in ("kind", "dtype", "m", "n", "k", "turned")))

"""The mutants as tables: what became of those of each file, why survivors are right, and how right files fared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from audits.mutants.equivalent import reason
from audits.words import in_each, in_numbers

ON_A_GPU = ("gpu", "promise")
"""Reasons that say: not here. The line, or what is made of it, runs on a GPU alone."""
_ENDS = ("killed", "equivalent", "gpu", "open", "refused")


def tables(data: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a result, as its file keeps them."""
    right = {"right": _right(data["right"])} if "right" in data else {}
    return {"files": _files(data), "reasons": _reasons(data), **right}


def _files(data: Mapping[str, Any]) -> dict[str, Any]:
    """A file a row: how many mutants, and what became of them."""
    total: Counter[str] = Counter()
    rows: list[list[Any]] = []
    for name, mutants in sorted(data["files"].items()):
        ends = Counter(_end(name, m) for m in mutants)
        total.update(ends)
        rows.append([f"`{name}`", *(str(ends[key]) for key in _ENDS)])
    rows.append([in_each("mutants-all"), *(str(total[key]) for key in _ENDS)])
    columns = [in_each("mutants-file"), *(in_each(f"mutants-{key}") for key in _ENDS)]
    return {"columns": columns, "rows": rows, "under": _under("mutants-under", data)}


def _reasons(data: Mapping[str, Any]) -> dict[str, Any]:
    """Why the equivalent ones are right, and how many for each reason."""
    found = Counter(why for name, mutants in data["files"].items() for m in mutants if (why := _why(name, m)))
    rows = [[in_each(f"mutant-{why}"), str(count)] for why, count in sorted(found.items())]
    return {"columns": [in_each("mutants-reason"), in_each("mutants-equivalent")], "rows": rows, "under": ""}


def _right(data: Mapping[str, Any]) -> dict[str, Any]:
    """An operator a row: right files, the fewest seeds of one, seeds, calls, and how many calls were refused."""
    rows = []
    for operator, one in sorted(data["operators"].items()):
        seeds = [each["seeds"] for each in one["files"].values()]
        calls = sum(each["calls"] for each in one["files"].values())
        counts = [len(seeds), min(seeds), sum(seeds), calls, len(one["refused"])]
        rows.append([f"`{operator}`", *(in_numbers("{:,}", count) for count in counts)])
    columns = [in_each(f"right-{key}") for key in ("operator", "files", "least", "seeds", "calls", "refused")]
    return {"columns": columns, "rows": rows, "under": _under("right-under", data)}


def _why(name: str, mutant: Mapping[str, Any]) -> str | None:
    return reason(name, mutant) if mutant["end"] == "survived" else None


def _end(name: str, mutant: Mapping[str, Any]) -> str:
    if mutant["end"] != "survived":
        return str(mutant["end"])
    why = reason(name, mutant)
    return "open" if why is None else "gpu" if why in ON_A_GPU else "equivalent"


def _under(key: str, data: Mapping[str, Any]) -> dict[str, str]:
    return in_each(key, machine=data["machine"], date=data["date"])

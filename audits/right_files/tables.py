"""What became of the right files as a table: an exercise a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from audits.words import in_each

KEYS = ("files", "graded", "refused", "all")


def tables(data: Mapping[str, Any]) -> dict[str, Any]:
    """The table of a result, as its file keeps it: files, gradings, refused gradings, files that always pass."""
    found: dict[str, Counter[str]] = {}
    for one in data["files"].values():
        refused = sum(bool(said) for said in one["seeds"].values())
        row = found.setdefault(one["exercise"], Counter())
        row.update({"files": 1, "graded": len(one["seeds"]), "refused": refused, "all": int(not refused)})
    total = sum(found.values(), Counter[str]())
    rows: list[list[Any]] = [[f"`{slug}`", *(str(row[key]) for key in KEYS)] for slug, row in sorted(found.items())]
    rows.append([in_each("mutants-all"), *(str(total[key]) for key in KEYS)])
    columns = [in_each("wrong-files-exercise"), *(in_each(f"right-files-{key}") for key in KEYS)]
    return {"exercises": {"columns": columns, "rows": rows, "under": _under(data)}}


def _under(data: Mapping[str, Any]) -> dict[str, str]:
    on = data["device"]["name"] if "device" in data else data["machine"]
    return in_each("right-files-under", machine=on, date=data["date"], command=data["command"])

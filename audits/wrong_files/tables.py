"""What became of the wrong files as a table: an exercise a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from audits.words import in_each
from audits.wrong_files.corpus import TOLD, WrongFile


def tables(every: Sequence[WrongFile], data: Mapping[str, Any]) -> dict[str, Any]:
    """The table of a result, as its file keeps it. A file whose messages nobody has read, or that tell something else
    than when they were, is in none of the last columns."""
    found: dict[str, Counter[str]] = {}
    for each in every:
        if each.name not in data["files"]:
            continue
        ended, row = data["files"][each.name], found.setdefault(each.exercise, Counter())
        row.update(["files"] + ["refused"] * ended["refused"])
        row.update([each.told] if each.told and list(each.codes) == ended["codes"] else [])
    keys = ("files", "refused", *TOLD)
    total = sum(found.values(), Counter[str]())
    rows: list[list[Any]] = [[f"`{slug}`", *(str(row[key]) for key in keys)] for slug, row in found.items()]
    rows.append([in_each("mutants-all"), *(str(total[key]) for key in keys)])
    columns = [in_each("wrong-files-exercise"), *(in_each(f"wrong-files-{key}") for key in keys)]
    return {"exercises": {"columns": columns, "rows": rows, "under": _under(data)}}


def _under(data: Mapping[str, Any]) -> dict[str, str]:
    return in_each("wrong-files-under", machine=data["machine"], date=data["date"])

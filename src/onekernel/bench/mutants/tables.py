"""The mutants' bench as tables: what became of the mutants of each file, and why survivors are right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from onekernel.bench import records
from onekernel.bench.markdown import grid
from onekernel.bench.mutants.equivalent import reason
from onekernel.bench.words import words
from onekernel.numerals import number


def files(path: Path, lang: str) -> list[str]:
    """A file a row: how many mutants, and what became of them."""
    data = records.read(path)
    total: Counter[str] = Counter()
    rows = []
    for name, mutants in sorted(data["files"].items()):
        ends = Counter(_end(name, m) for m in mutants)
        total.update(ends)
        rows.append([f"`{name}`", *(str(ends[key]) for key in _ENDS)])
    rows.append([words("mutants-all", lang), *(str(total[key]) for key in _ENDS)])
    head = [words("mutants-file", lang), *(words(f"mutants-{key}", lang) for key in _ENDS)]
    return ["", *grid(head, rows), "", _under(data, lang), ""]


def reasons(path: Path, lang: str) -> list[str]:
    """Why the equivalent ones are right, and how many for each reason."""
    data = records.read(path)
    found = Counter(why for name, mutants in data["files"].items() for m in mutants if (why := _why(name, m)))
    rows = [[words(f"mutant-{why}", lang), str(count)] for why, count in sorted(found.items())]
    return ["", *grid([words("mutants-reason", lang), words("mutants-equivalent", lang)], rows), ""]


def right(path: Path, lang: str) -> list[str]:
    """An operator a row: right files, the fewest seeds of one, seeds, calls, and how many calls were refused."""
    data = records.read(path)["right"]
    rows = []
    for operator, one in sorted(data["operators"].items()):
        seeds = [each["seeds"] for each in one["files"].values()]
        calls = sum(each["calls"] for each in one["files"].values())
        counts = [len(seeds), min(seeds), sum(seeds), calls, len(one["refused"])]
        rows.append([f"`{operator}`", *(number(count, ",", lang) for count in counts)])
    head = [words(f"right-{key}", lang) for key in ("operator", "files", "least", "seeds", "calls", "refused")]
    return ["", *grid(head, rows), "", words("right-under", lang, machine=data["machine"], date=data["date"]), ""]


PARTS: dict[str, Callable[[Path, str], list[str]]] = {"files": files, "reasons": reasons, "right": right}
_ENDS = ("killed", "equivalent", "gpu", "open", "refused")


# Reasons that say: not here. The line, or what is made of it, runs on a GPU alone.
ON_A_GPU = ("gpu", "promise")


def _why(name: str, mutant: dict[str, Any]) -> str | None:
    return reason(name, mutant) if mutant["end"] == "survived" else None


def _end(name: str, mutant: dict[str, Any]) -> str:
    if mutant["end"] != "survived":
        return str(mutant["end"])
    why = reason(name, mutant)
    return "open" if why is None else "gpu" if why in ON_A_GPU else "equivalent"


def _under(data: dict[str, Any], lang: str) -> str:
    facts = {key: data[key] for key in ("machine", "date")}
    return words("mutants-under", lang, **facts)

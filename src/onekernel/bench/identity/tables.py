"""The byte-identity bench as a table of chapter 04: an operator a row, a library a column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from onekernel.bench import records
from onekernel.bench.words import words
from onekernel.messages import area
from onekernel.numerals import number

AS_CODE = ("sqrt", "exp", "tanh", "sum", "matmul")  # operators that are shown by the name of their function


def operators(path: Path, lang: str) -> list[str]:
    """How many values of each operator, and of the models, have other bytes than NumPy's, library by library."""
    data = records.read(path)
    libraries = list(data["models"][0]["against_numpy"])
    lines = [f"| {words('identity-operator', lang)} | " + " | ".join(libraries) + " |",
             "|---" * (len(libraries) + 1) + "|"]  # fmt: skip
    for operator, row in data["operators"].items():
        lines.append(f"| {_named(operator, lang)} | " + " | ".join(_cell(row[lib], lang) for lib in libraries) + " |")
    for kind in ("native", "reproducible"):
        rows = [r["against_numpy"] for r in data["models"] if r["operators"] == kind]
        cells = []
        for lib in libraries:
            sums = {key: sum(r[lib][key] for r in rows) for key in ("different", "of")}
            cells.append(_cell({**sums, "worst_ulp": max(r[lib]["worst_ulp"] for r in rows)}, lang))
        lines.append(f"| {words(f'identity-{kind}', lang)} | " + " | ".join(cells) + " |")
    shown = [*(["CuPy " + data["cupy"]] if "cupy" in data else []), data["gpu"] or words("identity-no-gpu", lang)]
    facts = {**{key: data[key] for key in ("numpy", "torch", "cpu", "date", "command")}, "libraries": ", ".join(shown)}
    return ["", *lines, "", words("identity-compared", lang, **facts), ""]


PARTS: dict[str, Callable[[Path, str], list[str]]] = {"operators": operators}


def _cell(difference: Mapping[str, int], lang: str) -> str:
    if not difference["different"]:
        return words("identity-equal", lang)
    counts: dict[str, Any] = {key: number(difference[key], ",", lang) for key in ("different", "of", "worst_ulp")}
    return words("identity-differ", lang, **counts)


def _named(operator: str, lang: str) -> str:
    plain = operator.removeprefix("reproducible ")
    if plain != operator:
        return f"`Reproducible.{plain}`"
    if plain in AS_CODE:
        return f"`{plain}`"
    key = "identity-" + plain.replace(" ", "-")
    return words(key, lang) if key in area("bench") else plain

"""The byte-identity audit as a table of chapter 04: an operator a row, a library a column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from audits.words import in_each, words
from onekernel.messages import LANGUAGES, area

AS_CODE = ("sqrt", "exp", "tanh", "sum", "matmul")  # operators that are shown by the name of their function


def tables(data: Mapping[str, Any]) -> dict[str, Any]:
    """How many values of each operator, and of the models, have other bytes than NumPy's, library by library."""
    libraries = list(data["models"][0]["against_numpy"])
    rows = [[_named(operator), *(_cell(row[lib]) for lib in libraries)] for operator, row in data["operators"].items()]
    for kind in ("native", "reproducible"):
        models = [r["against_numpy"] for r in data["models"] if r["operators"] == kind]
        cells = []
        for lib in libraries:
            sums = {key: sum(r[lib][key] for r in models) for key in ("different", "of")}
            cells.append(_cell({**sums, "worst_ulp": max(r[lib]["worst_ulp"] for r in models)}))
        rows.append([in_each(f"identity-{kind}"), *cells])
    return {"operators": {"columns": [in_each("identity-operator"), *libraries], "rows": rows, "under": _under(data)}}


def _under(data: Mapping[str, Any]) -> dict[str, str]:
    facts = {key: data[key] for key in ("numpy", "torch", "cpu", "date", "command")}
    cupy = [f"CuPy {data['cupy']}"] if "cupy" in data else []
    none = in_each("identity-no-gpu")
    shown = {lang: ", ".join([*cupy, data["gpu"] or none[lang]]) for lang in LANGUAGES}
    return {lang: words("identity-compared", lang, **facts, libraries=shown[lang]) for lang in LANGUAGES}


def _cell(difference: Mapping[str, int]) -> dict[str, str]:
    if not difference["different"]:
        return in_each("identity-equal")
    return in_each("identity-differ", **{key: difference[key] for key in ("different", "of", "worst_ulp")})


def _named(operator: str) -> str | dict[str, str]:
    plain = operator.removeprefix("reproducible ")
    if plain != operator:
        return f"`Reproducible.{plain}`"
    if plain in AS_CODE:
        return f"`{plain}`"
    key = "identity-" + plain.replace(" ", "-")
    return in_each(key) if key in area("bench") else plain

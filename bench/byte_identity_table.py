"""Writes the table of chapter 04 from the newest record of byte_identity.py, one from a GPU if there is any.

Run:    python bench/byte_identity_table.py            rewrites docs/{en,es}/04-pytorch-as-substrate.md
        python bench/byte_identity_table.py --check    says which page is stale, and exits with 1
        Afterwards: onekernel author stamp             (the English page has changed)
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from onekernel.units import number  # noqa: E402

OPEN, CLOSE = "<!-- byte-identity -->\n", "<!-- /byte-identity -->"
SPANISH = {
    "add": "suma",
    "multiply": "producto",
    "divide": "división",
    "divide by the number 96": "división entre el número 96",
    "sum": "`sum`",
}
WORDS = {
    "en": {
        "head": "operator, float64",
        "cell": "{different} of {of} differ, {worst_ulp} ULP",
        "equal": "all bytes equal",
        "model": "the model, reproducible operators",
        "native": "the model, native operators",
        "foot": "Compared with NumPy {numpy}. torch {torch}, {libraries}{gpu}; {cpu}; {date}. Reproduce: `{command}`.",
    },
    "es": {
        "head": "operador, float64",
        "cell": "difieren {different} de {of}, {worst_ulp} ULP",
        "equal": "todos los bytes iguales",
        "model": "el modelo, operadores reproducibles",
        "native": "el modelo, operadores nativos",
        "foot": "Comparado con NumPy {numpy}. torch {torch}, {libraries}{gpu}; {cpu}; {date}. Orden: `{command}`.",
    },
}


def record() -> dict[str, Any]:
    """The newest record, those with a GPU before those without."""
    found = [json.loads(p.read_text()) for p in (ROOT / "bench" / "results").glob("*/byte_identity.json")]
    return max(found, key=lambda r: (r["gpu"] is not None, r["date"]))


def table(data: dict[str, Any], language: str) -> str:
    words = WORDS[language]
    libraries = list(data["models"][0]["against_numpy"])

    def cell(d: dict[str, int]) -> str:
        counts = {key: number(d[key], ",", language) for key in ("different", "of", "worst_ulp")}
        return words["cell"].format(**counts) if d["different"] else words["equal"]

    def named(operator: str) -> str:
        plain = operator.removeprefix("reproducible ")
        if plain != operator:
            return f"`Reproducible.{plain}`"
        spoken = SPANISH.get(plain, plain) if language == "es" else plain
        return f"`{plain}`" if plain in ("sqrt", "exp", "tanh", "sum", "matmul") else spoken

    lines = [f"| {words['head']} | " + " | ".join(libraries) + " |", "|---" * (len(libraries) + 1) + "|"]
    for operator, row in data["operators"].items():
        lines.append(f"| {named(operator)} | " + " | ".join(cell(row[lib]) for lib in libraries) + " |")
    for kind in ("native", "model"):
        rows = [r["against_numpy"] for r in data["models"] if (r["operators"] == "reproducible") == (kind == "model")]
        cells = []
        for lib in libraries:
            sums = {key: sum(r[lib][key] for r in rows) for key in ("different", "of")}
            cells.append(cell({**sums, "worst_ulp": max(r[lib]["worst_ulp"] for r in rows)}))
        lines.append(f"| {words[kind]} | " + " | ".join(cells) + " |")
    facts = {
        **data,
        "libraries": f"CuPy {data['cupy']}, " if "cupy" in data else "",
        "gpu": data["gpu"] or {"en": "no GPU", "es": "sin GPU"}[language],
    }
    return "\n" + "\n".join(lines) + "\n\n" + words["foot"].format(**facts) + "\n\n"


def main() -> None:
    data, stale = record(), []
    for language in WORDS:
        page = ROOT / "docs" / language / "04-pytorch-as-substrate.md"
        text = page.read_text(encoding="utf-8")
        before, _, rest = text.partition(OPEN)
        _, _, after = rest.partition(CLOSE)
        if not after:
            raise SystemExit(f"{page}: write {OPEN.strip()} and {CLOSE} around the place of the table")
        fresh = before + OPEN + table(data, language) + CLOSE + after
        if fresh != text:
            stale.append(page)
            if "--check" not in sys.argv[1:]:
                page.write_text(fresh, encoding="utf-8")
    for page in stale:
        print("stale:" if "--check" in sys.argv[1:] else "written:", page.relative_to(ROOT))
    if stale and "--check" in sys.argv[1:]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()

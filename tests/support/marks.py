"""What a file of CUDA says is found in its lines: `// <- CODE CODE` at their ends."""

from __future__ import annotations

import re
from pathlib import Path


def marked(path: Path, number: int | None = None) -> set[tuple[str, int]]:
    """(code, line) of each; with a `number`, of those that are `NUMBER:CODE`, the codes alone."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = ((re.search(r"// <- (.*)", line), n) for n, line in enumerate(lines, 1))
    codes = ((code, n) for match, n in found if match for code in match[1].split())
    prefix = f"{number}:" if number is not None else ""
    return {(code.removeprefix(prefix), n) for code, n in codes if code.startswith(prefix)}

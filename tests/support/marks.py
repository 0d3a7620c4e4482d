"""What a file of CUDA says is found in its lines: `// <- CODE CODE` at their ends."""

from __future__ import annotations

import re
from pathlib import Path


def marked(path: Path) -> set[tuple[str, int]]:
    """(code, line) of each."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = ((re.search(r"// <- (.*)", line), n) for n, line in enumerate(lines, 1))
    return {(code, n) for match, n in found if match for code in match[1].split()}

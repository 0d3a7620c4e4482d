"""Makes what lab 05 shows of torch.compile readable.

`python -m audits.compiled RECORDED.json FOLDER` makes the files of labs/05-fusion/compiled from what
labs/05-fusion/programs/compiled_code.py recorded.
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_KERNEL = re.compile(r"async_compile\.triton\('\w+', '''\n(.*?)'''", re.S)
_CALL = re.compile(r"^    def call\(self, args\):\n(.*?)^runner = ", re.S | re.M)
_META = re.compile(r"(triton_meta|inductor_meta)=\{.*\}(,?)$", re.M)


def readable(modules: Sequence[str], heading: str) -> str:
    """The kernels of generated modules and the function that calls them, as one file. Metadata of a kernel is cut to
    {...}; all other lines are as they were written."""
    parts = [f"# {line}" for line in heading.splitlines()]
    for module in modules:
        for number, kernel in enumerate(_KERNEL.findall(module)):
            text = _META.sub(r"\1={...}\2", kernel)
            if number:
                text = text[text.index("@triton_heuristics") :]
            parts += ["", text.strip()]
        call = _CALL.search(module)
        if call:
            parts += ["", "def call(args):", textwrap.indent(textwrap.dedent(call[1]).rstrip(), "    ")]
    return "\n".join(line.rstrip() for line in "\n".join(parts).splitlines()) + "\n"


def write(recorded: Mapping[str, Any], folder: Path) -> list[Path]:
    """Writes a file for each function that was recorded, and recorded.json with everything but the code. The paths."""
    folder.mkdir(parents=True, exist_ok=True)
    versions = ", ".join(f"{name} {v}" for name, v in recorded["versions"].items())
    where = f"{recorded['gpu']}, driver {recorded['driver']}, {versions}, {recorded['date']}"
    written = []
    for name, one in recorded["functions"].items():
        shapes = ", ".join("x".join(map(str, s)) for s in one["shapes"])
        what = f"What torch.compile wrote for {name} ({shapes}, {one['dtype']}; options {one['options'] or 'none'})."
        again = "To read, not to run. Write it anew: python labs/05-fusion/programs/compiled_code.py"
        written.append(folder / f"{name}.py")
        written[-1].write_text(readable(one["code"], f"{what}\n{where}\n{again} {name}"), encoding="utf-8")
    functions = {name: {k: v for k, v in one.items() if k != "code"} for name, one in recorded["functions"].items()}
    written.append(folder / "recorded.json")
    written[-1].write_text(json.dumps({**recorded, "functions": functions}, indent=1) + "\n", encoding="utf-8")
    return written


if __name__ == "__main__":
    print(*write(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), Path(sys.argv[2])), sep="\n")

"""Reads what torch.compile wrote: the Triton kernels of a module that Inductor generated, and what their lines do.

`python -m onekernel.explain.inductor RECORDED.json FOLDER` makes the readable files of labs/05-fusion/compiled from
what labs/05-fusion/programs/compiled_code.py recorded. Source of the form: PyTorch 2.11, torch/_inductor/codegen.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

LOAD, STORE, REDUCTION, MASK, LOOP = KINDS = ("load", "store", "reduction", "mask", "loop")
_KERNEL = re.compile(r"async_compile\.triton\('\w+', '''\n(.*?)'''", re.S)
_CALL = re.compile(r"^    def call\(self, args\):\n(.*?)^runner = ", re.S | re.M)
_MASK = re.compile(r"[a-z]\d?_?mask")
_META = re.compile(r"(triton_meta|inductor_meta)=\{.*\}(,?)$", re.M)
_REDUCERS = {
    "max2", "min2", "sum", "max", "min", "any", "online_softmax_reduce", "argmax", "argmin", "prod", "reduce",
    "welford",
}  # fmt: skip
_HEURISTICS = ("pointwise", "persistent_reduction", "reduction")


@dataclass(frozen=True)
class Kernel:
    """A generated kernel. Lines are counted in the file that it stands in, from 1."""

    function: ast.FunctionDef

    @property
    def name(self) -> str:
        return self.function.name

    @property
    def kind(self) -> str:
        """ "pointwise", "persistent_reduction" (a row in one tile), "reduction" (a loop over tiles), or ""."""
        for decorator in self.function.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else None
            if isinstance(called, ast.Attribute) and called.attr in _HEURISTICS:
                return called.attr
        return ""

    @cached_property
    def lines(self) -> Mapping[str, tuple[int, ...]]:
        """The lines on which a load, a store, a reduction, the making of a mask or a loop begins."""
        found: dict[str, set[int]] = {kind: set() for kind in KINDS}
        for node in ast.walk(self.function):
            if isinstance(node, ast.For):
                found[LOOP].add(node.lineno)
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if isinstance(node, ast.Assign) and isinstance(target, ast.Name) and _MASK.fullmatch(target.id):
                found[MASK].add(node.lineno)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                called = node.func.attr
                kind = {"load": LOAD, "store": STORE}.get(called, REDUCTION if called in _REDUCERS else "")
                if kind:
                    found[kind].add(node.lineno)
        return {kind: tuple(sorted(lines)) for kind, lines in found.items()}

    @cached_property
    def constants(self) -> Mapping[str, int]:
        """The whole numbers that the kernel gives names: "R0_BLOCK" -> 1024, "r0_numel" -> 1000."""
        found = {}
        for node in self.function.body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            value = getattr(node, "value", None)
            if isinstance(target, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, int):
                found[target.id] = value.value
        return found

    def always_true(self, line: int) -> bool:
        """Whether the mask that a line makes holds nothing but True."""
        for node in ast.walk(self.function):
            if isinstance(node, ast.Assign) and node.lineno == line:
                return "True" in ast.unparse(node.value)
        return False

    def pointers(self, kind: str) -> list[tuple[int, str]]:
        """Line and pointer of each load (store), in order."""
        found = []
        for node in ast.walk(self.function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == kind:
                names = [n.id for n in ast.walk(node.args[0]) if isinstance(n, ast.Name) and "ptr" in n.id]
                found += [(node.lineno, name) for name in names[:1]]
        return sorted(found)

    @property
    def elements(self) -> int:
        """How many elements an access of the whole tensor touches: rows times columns."""
        return self.constants.get("xnumel", 0) * self.constants.get("r0_numel", 1)


def kernels(text: str) -> list[Kernel]:
    """The jitted functions of a readable file, in order."""
    found = []
    for node in ast.parse(text).body:
        jitted = isinstance(node, ast.FunctionDef) and any(ast.unparse(d) == "triton.jit" for d in node.decorator_list)
        if jitted and isinstance(node, ast.FunctionDef):
            found.append(Kernel(node))
    return found


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

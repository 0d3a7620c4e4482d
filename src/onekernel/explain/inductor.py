"""Reads what torch.compile wrote: the Triton kernels of a module that Inductor generated, and what their lines do.

Source of the form: PyTorch 2.11, torch/_inductor/codegen.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

LOAD, STORE, REDUCTION, MASK, LOOP = KINDS = ("load", "store", "reduction", "mask", "loop")
_MASK = re.compile(r"[a-z]\d?_?mask")
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

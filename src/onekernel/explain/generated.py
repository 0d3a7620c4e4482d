"""Reads what torch.compile writes: the Triton kernels in a module that Inductor generated, and what their lines are.

Source of the form: PyTorch, torch/_inductor/codegen/triton.py, as of 2.11.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

LOAD, STORE, REDUCTION, MASK, LOOP = KINDS = ("load", "store", "reduction", "mask", "loop")
_KERNEL = re.compile(r"async_compile\.triton\('(?P<name>\w+)', '''\n(?P<text>.*?)'''", re.S)
_REDUCERS = {
    "max2", "min2", "sum", "max", "min", "any", "online_softmax_reduce", "argmax", "argmin", "prod", "reduce",
    "welford",
}  # fmt: skip
_HEURISTICS = ("pointwise", "persistent_reduction", "reduction")


@dataclass(frozen=True)
class Kernel:
    """A generated kernel: its name and its source, a Python module."""

    name: str
    text: str

    @cached_property
    def _tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def function(self) -> ast.FunctionDef:
        """The jitted function. Raises ValueError where the source has none of that name."""
        for node in self._tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == self.name:
                return node
        raise ValueError(f"no function {self.name}")

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
        """The numbers of the lines that load, store, reduce, make a mask, begin a loop: as the text counts, from 1."""
        found: dict[str, set[int]] = {kind: set() for kind in KINDS}
        for node in ast.walk(self.function):
            if not isinstance(node, ast.stmt | ast.expr):
                continue
            if isinstance(node, ast.For):
                found[LOOP].add(node.lineno)
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if isinstance(target, ast.Name) and re.fullmatch(r"[a-z]\d?_?mask", target.id):
                found[MASK].add(node.lineno)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                called = node.func.attr
                kind = {"load": LOAD, "store": STORE}.get(called, REDUCTION if called in _REDUCERS else "")
                if kind:
                    found[kind].add(node.lineno)
        return {kind: tuple(sorted(lines)) for kind, lines in found.items()}

    @cached_property
    def constants(self) -> Mapping[str, int]:
        """The constants of the kernel that are written down in it: "R0_BLOCK" -> 1024, "r0_numel" -> 1000."""
        found = {}
        for node in self.function.body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            value = getattr(node, "value", None)
            if isinstance(target, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, int):
                found[target.id] = value.value
        return found

    def pointers(self, kind: str) -> list[str]:
        """The pointer that each load (store) goes through, in order of the lines."""
        called = {LOAD: "load", STORE: "store"}[kind]
        found = []
        for node in ast.walk(self.function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == called:
                names = [n.id for n in ast.walk(node.args[0]) if isinstance(n, ast.Name) and "ptr" in n.id]
                found += [(node.lineno, name) for name in names[:1]]
        return [name for _, name in sorted(found)]


def kernels(module: str) -> list[Kernel]:
    """The Triton kernels in a module that Inductor generated, in order."""
    return [Kernel(m["name"], m["text"]) for m in _KERNEL.finditer(module)]

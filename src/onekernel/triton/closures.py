"""Kernels that a function makes: where they stand in the file, and what they see of the function around them.

Triton's compiler takes a function's variables into a kernel (JITCallable.get_capture_scope); its interpreter rewrites
the kernel's text and loses them (seen with 3.6.0 and 3.7.1). And the compiling process imports the file, but calls no
launcher: what is made in a call it makes itself, of the file's text and of what was captured.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

Where = dict[str, Any]
"""A function in words that another process understands: the line of its `def`, and what it captured."""


def keep_closures(interpreter: Any) -> None:
    """Has the interpreter's rewritten functions see what the original ones captured, and know which they are of."""
    rewriter = interpreter.FunctionRewriter
    compile_and_exec = rewriter._compile_and_exec

    def kept(self: Any, tree: Any) -> Any:
        made = compile_and_exec(self, tree)
        captured = closure(self.fn)
        if captured:
            made = FunctionType(made.__code__, made.__globals__ | captured, made.__name__, made.__defaults__)
            made.__annotations__, made.__kwdefaults__ = self.fn.__annotations__, self.fn.__kwdefaults__
        made.onekernel_original = self.fn
        return made

    rewriter._compile_and_exec = kept
    _rewrite_for_good(interpreter)


def _rewrite_for_good(interpreter: Any) -> None:
    """What the interpreter runs for a function is what its text was rewritten as, whatever a file does with either."""
    made: dict[Any, tuple[Any, ...]] = {}  # function -> what runs for it, and that one's code, and what is filled in

    def rewrite(self: Any) -> Any:
        known = made.get(self.fn)
        if known is None or known[1:] != _filled(known[0]):
            written = interpreter.FunctionRewriter(self.fn).rewrite_ast()
            known = made[self.fn] = (written, *_filled(written))
        return known[0]

    interpreter.InterpretedFunction.rewrite = rewrite


def _filled(function: Any) -> tuple[Any, ...]:
    return function.__code__, function.__defaults__, function.__kwdefaults__


def closure(function: Any) -> dict[str, Any]:
    """What a function sees of the one around it."""
    return {
        name: cell.cell_contents
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    }


def where(kernel: Any) -> Where | None:
    """A kernel, as the interpreter runs it, in words; None where it has captured what has none."""
    function = getattr(kernel, "onekernel_original", kernel)
    captured = {name: _described(value) for name, value in closure(function).items()}
    if None in captured.values():
        return None
    return {"at": _def_line(function), "captured": captured}


def _def_line(function: Any) -> int:
    """Its `def`'s line: code that has decorators begins with the first of them."""
    code = function.__code__
    lines = Path(code.co_filename).read_text(encoding="utf-8").splitlines() if Path(code.co_filename).is_file() else []
    rest = range(code.co_firstlineno, len(lines) + 1)
    return next((n for n in rest if lines[n - 1].lstrip().startswith("def ")), int(code.co_firstlineno))


def _described(value: Any) -> tuple[str, Any] | None:
    fixed = type(value).__name__ == "constexpr"
    value = value.value if fixed else value
    if value is None or isinstance(value, bool | int | float | str):
        return "constexpr" if fixed else "value", value
    if type(value).__module__.startswith("triton.language") and hasattr(value, "primitive_bitwidth"):
        return "type", value.name
    if isinstance(value, ModuleType) and value.__name__.startswith("triton"):
        return "module", value.__name__
    if hasattr(value, "fn") and hasattr(value.fn, "__code__"):
        inside = where(value.fn)
        return ("function", inside) if inside else None
    return None


class Functions:
    """The @triton.jit functions of a file in the compiling process: its import's, and others as they are asked."""

    def __init__(self, path: Path) -> None:
        from triton.runtime.jit import JITFunction

        self.all: list[Any] = []  # as they were made
        self._path, self._made = path, dict[str, Any]()
        patched: Any = JITFunction
        begin = patched.__init__

        def noted(function: Any, fn: Any, *args: Any, **kwargs: Any) -> None:
            begin(function, fn, *args, **kwargs)
            if fn.__code__.co_filename == str(path):
                self.all.append(function)

        patched.__init__ = noted

    def find(self, asked: Where, module: ModuleType) -> Any:
        """The function at that line that has captured the same; made of the file's text where the import made none."""
        key = repr(asked)
        if key not in self._made:
            alike = (f for f in self.all if where(f.fn) == _tuples(asked))
            self._made[key] = next(alike, None) or self._make(asked, module)
        return self._made[key]

    def _make(self, asked: Where, module: ModuleType) -> Any:
        from triton import jit

        tree = ast.parse(self._path.read_text(encoding="utf-8"))
        nodes = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.lineno == asked["at"])
        node = next(nodes, None)
        if node is None:
            return None
        node.decorator_list = []
        scope = vars(module) | {name: self._value(module, *told) for name, told in asked["captured"].items()}
        exec(compile(ast.Module([node], []), str(self._path), "exec"), scope)
        return jit(scope[node.name])

    def _value(self, module: ModuleType, kind: str, value: Any) -> Any:
        from triton import language

        if kind == "constexpr":
            return language.constexpr(value)
        if kind == "type":
            return getattr(language, value)
        if kind == "module":
            return sys.modules[value]
        return self.find(value, module) if kind == "function" else value


def _tuples(asked: Where) -> Where:
    """As it was before it went through JSON."""

    def one(told: Any) -> tuple[str, Any]:
        return told[0], _tuples(told[1]) if told[0] == "function" else told[1]

    return {"at": asked["at"], "captured": {name: one(told) for name, told in asked["captured"].items()}}

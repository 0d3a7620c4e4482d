"""What Triton's compiler refuses, as a finding at a line of the learner's file, in the learner's words."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from onekernel.backends.base import Finding
from onekernel.messages import Message

CHAPTER = "03-05-looking-inside#interpreter"
CODE = "not-compiled"
MODULES = ("np", "numpy", "math", "torch", "F")  # what people import, and call in a kernel
CUDA_NAMES = ("threadIdx", "blockIdx", "blockDim", "gridDim")
_UNREADABLE = "error encountered during parsing"
_ALONE = (_UNREADABLE, "PassManager::run failed", "Unsupported function referenced")  # of no CompilationError
# Raised before a kernel is compiled, at what it refers to: no line is told.
_REFERRED = re.compile(r"Unsupported function referenced: <(?:function|built-in \w+) (?:\w+\.)*(\w+)")
MOST_WORDS = 300  # characters of what the compiler says
# The compiler's words -> the message triton.refused-NAME, which is given what the groups match.
_WORDS = {
    "torch-function": r"must be Tensor, not tensor",
    "set-element": r"__setitem__ is not supported",
    "f-string": r"Cannot evaluate f-string",
    "pointer-index": r"forget to add @triton\.jit",
    "python-reduction": r"(?:min|max) requires at least 2 values",
    "loop-type": r"variable (?P<name>\w+) has initial type (?P<first>.+?) but is re-assigned to (?P<then>.+?) in loop",
    "branch-types": r"for (?P<name>\w+) between then block \((?P<first>.+?)\) and else block \((?P<then>[^()]+)\)",
    "global": r"Cannot access global variable (?P<name>\w+) from within",
    "return-in-loop": r"Cannot have `return` statements inside",
    "chained": r"simultaneous multiple comparison",
    "one": r"'(?:int|constexpr)' object has no attribute '(?P<name>to)'",
    "python-number": r"(?P<name>int|float)\(\) argument must be",
    "pass": r"PassManager::run failed",
    "if-on-tile": r"Boolean value of Tensor with more than one value",
    "static-range": r"used as tl.static_range .* is not a constexpr",
    "not-constexpr": r"arange's arguments must be of type tl.constexpr|Shape element \d+ must have type",
    "power-of-two": r"range must be a power of 2|must be a power of 2",
    "empty-range": r"arange's end argument must be greater",
    "mask-on-one": r"(?:Mask|Other) argument cannot be block type if pointer",
    "store-to-one": r"Value argument cannot be block type if pointer",
    "wider-than-pointer": r"Expected pointer argument to have shape",
    "comprehension": r"only tuple comprehensions",
    "no-tensor": r"cannot convert (?P<value>.+?) of type (?P<kind>.+?) to tensor",
    "index": r"unsupported tensor index",
    "pointer-arithmetic": r"invalid operands of type pointer<\w+> and (?:triton\.language\.)?(?P<kind>\w+)",
    "needs-float": r"Expected dtype \['fp32', 'fp64'\] but got (?P<kind>\w+)",
}
_STATEMENTS = {
    "Break": "break", "Continue": "continue", "Try": "try", "With": "with", "Dict": "{...}", "Set": "{...}",
    "Delete": "del", "Lambda": "lambda", "Import": "import", "ImportFrom": "import", "Global": "global",
    "Nonlocal": "nonlocal", "NamedExpr": ":=", "Raise": "raise", "Starred": "*", "Yield": "yield",
    "ClassDef": "class", "Match": "match", "DictComp": "{... for ...}", "SetComp": "{... for ...}",
    "GeneratorExp": "(... for ...)",
}  # fmt: skip


def own_functions(module: ModuleType) -> list[Any]:
    """The file's own @triton.jit functions, out of whatever is around them: an autotuner, heuristics."""
    found = []
    for value in vars(module).values():
        while hasattr(value, "fn") and not hasattr(value, "raw_src"):
            value = value.fn
        if hasattr(value, "raw_src") and value.__module__ == module.__name__:
            found.append(value)
    return found


def is_refusal(error: BaseException) -> bool:
    """Whether Triton's compiler raised this, which has the error that it met as its cause, or another one alone."""
    chain = _chain(error)
    kinds = {kind.__name__ for each in chain for kind in type(each).__mro__}
    return "CompilationError" in kinds or any(words in str(chain[-1]) for words in _ALONE)


def _chain(error: BaseException) -> list[BaseException]:
    """An error, and what caused each, down to the first."""
    chain = [error]
    while (cause := chain[-1].__cause__) is not None:
        chain.append(cause)
    return chain


def refusal(error: BaseException, path: Path, functions: Sequence[Any], runs: bool) -> Finding:
    """The finding for what the compiler raised. `runs` says whether the interpreter runs what it refuses."""
    chain = _chain(error)
    line = next((at for at in (_line(e, functions) for e in reversed(chain)) if at), None)
    said = " ".join(str(getattr(chain[-1], "error_message", None) or chain[-1]).split())
    why = _in_words(said, "\n".join(str(f.src) for f in functions))
    if line is None and _UNREADABLE in said and (line := _choice(functions)):
        why = Message("triton.refused-if-on-tile")
    if line is None and (referred := _REFERRED.search(said)):
        line, why = _reference(functions, referred[1]) or (line, why)
    if line is None and len(functions) == 1:
        line = _in_file(functions[0], 1)
    values = {"line": line or "?", "why": why}
    message = Message("triton.not-compiled" if runs else "triton.raised", values)
    return Finding(CODE, message, str(path), line, chapter=CHAPTER)


def _in_words(said: str, text: str) -> Message | str:
    """The learner's words for the compiler's. `text`: of the file's own functions."""
    if match := re.search(r"unsupported AST node type: (\w+)", said):
        return Message("triton.refused-statement", {"name": _STATEMENTS.get(match[1], match[1])})
    if match := re.search(r"(\w+) is not defined", said):
        return Message(f"triton.refused-{_of_a_name(match[1], text)}", {"name": match[1]})
    for name, words in _WORDS.items():
        if match := re.search(words, said):
            return Message(f"triton.refused-{name}", dict(match.groupdict()))
    return Message("triton.refused", {"said": said[:MOST_WORDS]})


def _of_a_name(name: str, text: str) -> str:
    """What is told of a name that the compiler does not know."""
    if hasattr(builtins, name):
        return "python-function"
    if name in MODULES:
        return "not-imported"
    if name in CUDA_NAMES:
        return "cuda-name"
    return "undefined" if re.search(rf"\b{name}\b[^=\n]*=[^=]", text) else "unknown"


def _line(error: BaseException, functions: Sequence[Any]) -> int | None:
    """The line that a compilation error is at, if it is in one of the file's own functions."""
    source, at = getattr(error, "src", None), getattr(getattr(error, "node", None), "lineno", None)
    for function in functions:
        if source is not None and at is not None and function.src == source:
            return _in_file(function, at)
    return None


def _choice(functions: Sequence[Any]) -> int | None:
    """The line of the first `a if test else b`: of a tile, the compiler makes code of it that it cannot read itself."""
    nodes = ((f, node) for f in functions for node in ast.walk(ast.parse(f.src)) if isinstance(node, ast.IfExp))
    return next((_in_file(function, node.lineno) for function, node in nodes), None)


def _reference(functions: Sequence[Any], name: str) -> tuple[int, Message] | None:
    """Where a function of that name is first used, and what is told of it: one of the file's own, or of a module."""
    nodes = ((f, node) for f in functions for node in ast.walk(ast.parse(f.src)))
    for function, node in nodes:
        if isinstance(node, ast.Name) and node.id == name:
            return _in_file(function, node.lineno), Message("triton.refused-global", {"name": name})
        if isinstance(node, ast.Attribute) and node.attr == name:
            return _in_file(function, node.lineno), Message("triton.refused-torch-function")
    return None


def _in_file(function: Any, at: int) -> int:
    """The line of the file that is line `at` of the function."""
    above = next(n for n, text in enumerate(function.raw_src) if text.lstrip().startswith("def "))
    return int(function.starting_line_number + above + at - 1)

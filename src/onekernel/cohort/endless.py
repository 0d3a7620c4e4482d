"""The one loop of a file that cannot end, told from its text alone: the same in every run, whatever stopped the file.

Only what is certain counts: no way leads out of the loop, and nothing in it changes what its condition tests, or
nothing makes that false. Where a text could mean anything else, or two loops cannot end, none is told.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from onekernel.errors import UserError
from onekernel.sandbox.reader import read
from onekernel.simulator.facts.file import LOOPS, Facts, facts_of
from onekernel.simulator.facts.functions import Function
from onekernel.simulator.facts.macros import macros_of
from onekernel.simulator.facts.statements import Statement, counted
from onekernel.simulator.facts.tokens import Token, closing, text_of

_OUT = {"break", "return", "goto", "throw", "exit", "_exit", "_Exit", "quick_exit", "abort", "terminate", "longjmp",
        "__trap", "__builtin_trap", "asm", "__asm", "__asm__", "assert"}  # fmt: skip
_INDICES = {"threadIdx", "blockIdx", "blockDim", "gridDim"}
_TYPES = {"int", "long", "short", "char", "unsigned", "signed", "auto", "bool", "float", "double", "const"}
_NO_SIGN = {"unsigned", "size_t", "uint32_t", "uint64_t", "uint16_t", "uint8_t", "uint"}
_TRUE = ("", "1", "true")
_TESTS = re.compile(r"[<>=!+\-%&|().]")
_ASSIGNS = "+-*/%&|^"
_BY_VALUE = re.compile(r"__\w+|(?:f?(?:min|max)|sqrt|exp|log|fabs|abs|pow|tanh|erf|floor|ceil)f?|(?:grid|block)?sync")


def head(path: Path) -> int | None:
    """The line on which that loop begins; None where there is none, or it is not certain. OSError where this machine
    cannot read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        found = read(in_cuda if path.suffix == ".cu" else in_python, text)
    except (SyntaxError, UserError, UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
        return None
    return found[0] if len(found) == 1 else None


def in_cuda(text: str) -> list[int]:
    """The lines of such loops in CUDA C."""
    facts = facts_of(text)
    words = {t.text for t in facts.code}
    unread = any(t.kind == "directive" and re.match(r'#\s*(?:include\s*"|if|el|pragma)', t.text) for t in facts.tokens)
    if unread or words & (_OUT - {"break", "return"}):
        return []
    return [loop.first_line for loop in facts.statements if loop.word in LOOPS and _cannot_end(facts, loop)]


def _cannot_end(facts: Facts, loop: Statement) -> bool:
    code, (opens, closes) = facts.code, loop.head or (0, 0)
    parts = counted(code, loop)
    condition = parts.condition if parts else code[opens + 1 : closes]
    within = [*condition, *(parts.step if parts else []), *code[loop.first : loop.last + 1]]  # what each turn does
    texts = [t.text for t in within]
    macros = macros_of(facts.tokens).keys() - facts.numbers.keys()
    function = _around(facts, loop)
    if function is None or {*texts} & (_OUT | macros) or _has_other_names(facts, function):
        return False
    if loop.word == "for" and parts is None:  # over a container
        return False
    if text_of(condition) in _TRUE:
        return True
    tested = _tested(facts, condition)
    if tested is None or not tested:
        return False
    if not all(_is_local(facts, function, name) and _stays_here(facts, within, name) for name in tested):
        return False
    changes = {name: [*_changes(within, name)] for name in tested}
    if not any(changes.values()):
        return True
    moving = [name for name in tested if changes[name]]
    if len(moving) != 1:
        return False
    name, how = moving[0], changes[moving[0]]
    if text_of(condition) in (f"{name}>=0", f"0<={name}"):
        return _has_no_sign(facts, function, name) or all(by in (">>=", "/=") for by in how)
    from_zero = parts is not None and parts.name == name and text_of(parts.value) == "0"
    below = bool(re.fullmatch(rf"{name}<=?[\w.]+", text_of(condition)))
    return from_zero and below and all(by in ("*=", "<<=") for by in how)


def _around(facts: Facts, loop: Statement) -> Function | None:
    inside = [f for f in facts.functions if f.body is not None and f.begin < loop.begin < f.braces(facts.code)[1]]
    return inside[0] if len(inside) == 1 else None


def _has_other_names(facts: Facts, function: Function) -> bool:
    """Whether a reference or a lambda in it may change what has another name around it."""
    code = [*_body(facts, function), *[Token("sign", "", 0)] * 3]
    for k, token in enumerate(code[:-3]):
        before, after, then = code[k - 1], code[k + 1], code[k + 2 : k + 4]
        if token.text == "[" and after.text in ("&", "="):
            return True
        if token.text == "&" and before.kind == after.kind == "name" and (
            _is_type(before.text) or (then[0].text == "=" and then[1].text != "=") or then[0].text == "{"
        ):
            return True
    return False


def _is_type(word: str) -> bool:
    return word in _TYPES or word.endswith("_t")


def _body(facts: Facts, function: Function) -> list[Token]:
    return facts.code[function.begin : function.braces(facts.code)[1] + 1]


def _tested(facts: Facts, condition: list[Token]) -> list[str] | None:
    """The variables of a condition of numbers and variables alone; None of any other."""
    names: list[str] = []
    for k, token in enumerate(condition):
        before = condition[k - 1].text if k else ""
        if token.kind == "name":
            if before == "." or token.text in facts.numbers:
                continue
            if k + 1 < len(condition) and condition[k + 1].text == "." and token.text not in _INDICES:
                return None
            if k + 1 < len(condition) and condition[k + 1].text == "(":
                return None
            if token.text not in (*_INDICES, "warpSize"):
                names.append(token.text)
        elif token.kind != "number" and not _TESTS.fullmatch(token.text):
            return None
    return list(dict.fromkeys(names))


def _is_local(facts: Facts, function: Function, name: str) -> bool:
    """Whether it is a variable or parameter of the function, held by value, of which nobody has the address."""
    if name in facts.in_memory:
        return False
    code, declared = _body(facts, function), False
    for k, token in enumerate(code):
        if token.text != name or not k:
            continue
        before = code[k - 1]
        if before.text in ("&", "*", "->", ".", "::"):
            return False
        declared |= before.kind == "name" and _is_type(before.text)
    return declared


def _stays_here(facts: Facts, within: list[Token], name: str) -> bool:
    """Whether no call in these tokens can change it: it is passed to none but to functions that take values."""
    references = {f.name for f in facts.functions if any(t.text == "&" for p in f.parameters(facts.code) for t in p)}
    known = {f.name for f in facts.functions} - references
    for k, token in enumerate(within[1:-1], 1):
        if token.text != "(" or within[k - 1].kind != "name" or within[k - 1].text in ("if", "for", "while", "switch"):
            continue
        callee = within[k - 1].text
        passed = {t.text for t in within[k : closing(within, k)]}
        if name in passed and callee not in known and not _BY_VALUE.fullmatch(callee):
            return False
    return True


def _changes(within: list[Token], name: str) -> Iterator[str]:
    """How the tokens change it: `=`, `+=`, `++` and so on."""
    text = [t.text for t in within] + [""] * 3
    for k in (k for k, t in enumerate(within) if t.text == name):
        after = text[k + 1 : k + 4]
        if after[0] == "=" and after[1] != "=":
            yield "="
        elif after[0] in ("+", "-") and after[1] == after[0]:
            yield after[0] * 2
        elif after[0] and after[0] in _ASSIGNS and after[1] == "=":
            yield f"{after[0]}="
        elif after[0] in ("<", ">") and after[1] == after[0] and after[2] == "=":
            yield f"{after[0] * 2}="
        if k >= 2 and text[k - 1] in ("+", "-") and text[k - 2] == text[k - 1]:
            yield text[k - 1] * 2


def _has_no_sign(facts: Facts, function: Function, name: str) -> bool:
    code = _body(facts, function)
    kinds = [code[k - 1].text if code[k - 1].text not in ("int", "long") else code[k - 2].text
             for k, t in enumerate(code) if k > 1 and t.text == name and code[k - 1].kind == "name"]  # fmt: skip
    return bool(kinds) and {*kinds} <= _NO_SIGN


def in_python(text: str) -> list[int]:
    """The lines of such `while` loops in Python. Raises SyntaxError."""
    tree = ast.parse(text)
    if any(isinstance(node, ast.Global | ast.Nonlocal) for node in ast.walk(tree)):
        return []
    guarded = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.Try | ast.TryStar | ast.With)
               for inner in ast.walk(node)}  # fmt: skip
    return [node.lineno for node in ast.walk(tree)
            if isinstance(node, ast.While) and id(node) not in guarded and _goes_on(node)]  # fmt: skip


_ENDS = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await, ast.Assert)
_PLAIN = (ast.Constant, ast.Name, ast.Compare, ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.operator, ast.boolop,
          ast.unaryop, ast.cmpop, ast.expr_context)  # fmt: skip


def _goes_on(loop: ast.While) -> bool:
    inside = [node for statement in loop.body for node in ast.walk(statement)]
    named = {node.attr if isinstance(node, ast.Attribute) else node.id for node in inside
             if isinstance(node, ast.Attribute | ast.Name)}  # fmt: skip
    if any(isinstance(node, _ENDS) for node in inside) or named & {"exit", "_exit", "quit", "abort", "kill", "exec"}:
        return False
    test = [*ast.walk(loop.test)]
    if not all(isinstance(node, _PLAIN) for node in test):
        return False
    names = {node.id for node in test if isinstance(node, ast.Name)}
    if not names:
        return isinstance(loop.test, ast.Constant) and bool(loop.test.value)
    given = {node.id for node in inside if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    for node in inside:  # an object can change though its name stays
        held = [node.value] if isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.keyword) else []
        held += node.args if isinstance(node, ast.Call) else []
        given |= {each.id for each in held if isinstance(each, ast.Name)}
    others = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Match)
    return not names & given and not any(isinstance(node, others) for node in inside)

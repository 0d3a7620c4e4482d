"""The one loop of a file that cannot end, told from its text alone: the same in every run, whatever stopped the file.

Only what is certain counts: no way leads out of the loop, and nothing in it changes what its condition tests, or
nothing makes that false. Where a text could mean anything else, or two loops cannot end, none is told.
"""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from pathlib import Path

from onekernel.errors import UserError
from onekernel.sandbox.reader import read
from onekernel.simulator.facts import LOOPS, Facts, facts_of
from onekernel.simulator.facts.calls import calls
from onekernel.simulator.facts.elements import changes
from onekernel.simulator.facts.macros import macros_of
from onekernel.simulator.facts.names import INDICES, Named
from onekernel.simulator.facts.statements import Statement, counted
from onekernel.simulator.facts.tokens import Token, text_of

_OUT = {"break", "return", "goto", "throw", "exit", "_exit", "_Exit", "quick_exit", "abort", "terminate", "longjmp",
        "__trap", "__builtin_trap", "asm", "__asm", "__asm__", "assert"}  # fmt: skip
_KNOWN = {*INDICES, "warpSize"}
_TESTS = re.compile(r"[<>=!+\-%&|().]")
_NUMBERS = re.compile(r"auto|bool|float|double|\w+_t")
_BY_VALUE = re.compile(
    r"__\w+|static_cast|(?:f?(?:min|max)|sqrt|exp|log|fabs|abs|pow|tanh|erf|floor|ceil)f?|(?:grid|block)?sync"
)


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
    tests = parts.condition if parts else code[opens + 1 : closes]
    ends = Token("sign", ";", loop.first_line)
    steps = parts.step if parts else []
    within = [*tests, ends, *steps, ends, *code[loop.first : loop.last + 1]]  # what each turn does
    macros = macros_of(facts.tokens).keys() - facts.numbers.keys()
    function = facts.function_around(loop.begin)
    if function is None or {t.text for t in within} & (_OUT | macros):
        return False
    begin, end = function.begin, function.braces(code)[1]
    own = [one for one in facts.named if begin <= one.at <= end]
    if _has_other_names(code[begin:end], own) or (loop.word == "for" and parts is None):  # over a container
        return False
    condition = text_of(tests)
    if condition in ("", "1", "true"):
        return True
    names = _tested(facts, tests)
    if not names or not all(_is_certain(facts, code[begin : end + 1], within, own, name) for name in names):
        return False
    changed = [name for name in names if changes(within, name)]
    if len(changed) != 1:
        return not changed
    name, how = changed[0], {*changes(within, changed[0])}
    if condition in (f"{name}>=0", f"0<={name}"):
        never_below = all(one.is_integer and any(w[0] == "u" or w == "size_t" for w in one.type)
                          for one in own if one.name == name)  # fmt: skip
        return never_below or how <= {">>=", "/="}
    from_zero = parts is not None and parts.name == name and text_of(parts.value) == "0"
    return from_zero and bool(re.fullmatch(rf"{name}<=?[\w.]+", condition)) and how <= {"*=", "<<="}


def _has_other_names(code: list[Token], own: list[Named]) -> bool:
    """Whether a reference or a lambda may change what has another name around it."""
    captures = any(sign.text == "[" and after.text in ("&", "=") for sign, after in pairwise(code))
    return captures or any("&" in one.type and not one.is_parameter for one in own)


def _tested(facts: Facts, condition: list[Token]) -> list[str]:
    """The variables of a condition of numbers and variables alone; none of any other."""
    names: list[str] = []
    texts = ["", *(t.text for t in condition), ""]
    for before, token, after in zip(texts, condition, texts[2:], strict=False):
        if token.kind == "name" and before != "." and token.text not in facts.numbers:
            if after == "(" or (after == "." and token.text not in _KNOWN):
                return []
            names += [token.text] if token.text not in _KNOWN else []
        elif token.kind not in ("name", "number") and not _TESTS.fullmatch(token.text):
            return []
    return list(dict.fromkeys(names))


def _is_certain(facts: Facts, code: list[Token], within: list[Token], own: list[Named], name: str) -> bool:
    """Whether it is a number of the function's own, of which nobody has the address, and no call in a turn changes it:
    it is passed to none but to functions that take values."""
    if name in facts.in_memory or re.search(rf"(?:[&*.]|->|::) {name}(?!\w)", " ".join(t.text for t in code)):
        return False
    if not any(one.name == name and (one.is_integer or any(map(_NUMBERS.fullmatch, one.type))) for one in own):
        return False
    references = {f.name for f in facts.functions if any(t.text == "&" for p in f.parameters(facts.code) for t in p)}
    by_value = {f.name for f in facts.functions} - references
    passed = (call.name for call in calls(within) if name in re.findall(r"\w+", " ".join(call.given)))
    return all(callee in by_value or _BY_VALUE.fullmatch(callee) for callee in passed)


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

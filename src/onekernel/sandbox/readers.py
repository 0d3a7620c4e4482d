"""What is read of a Python file that is not run: its constants, what it imports.

They are called through `onekernel.sandbox.reader`, in a process of their own, and import nothing heavy.
"""

from __future__ import annotations

import ast
import contextlib
import operator
import re
from collections.abc import Iterator

from onekernel.messages import quoted

ALLOWED: dict[str, set[str] | None] = {
    "__future__": None,
    "itertools": None,
    "math": None,
    "statistics": {"fmean", "geometric_mean", "harmonic_mean", "mean", "median", "median_grouped", "median_high",
                   "median_low", "mode", "multimode", "pstdev", "pvariance", "quantiles", "stdev", "variance"},
    "collections": {"Counter", "OrderedDict", "abc", "defaultdict", "deque", "namedtuple"},
    "collections.abc": {"Callable", "Collection", "Generator", "Hashable", "ItemsView", "Iterable", "Iterator",
                        "KeysView", "Mapping", "MutableMapping", "MutableSequence", "Sequence", "Set", "Sized",
                        "ValuesView"},
    "dataclasses": {"dataclass", "field"},
    "functools": {"cache", "cmp_to_key", "lru_cache", "partial", "reduce"},
    "typing": {"Any", "Callable", "ClassVar", "Final", "Generic", "Iterable", "Iterator", "Literal", "NamedTuple",
               "Optional", "Protocol", "Sequence", "Tuple", "TypeAlias", "TypeVar", "Union", "cast"},
}  # fmt: skip
"""The modules of which a benchmark may use names, and which (None: every name). Others lead to all that Python has, or
look an attribute up by a string."""
_BEHIND = {"eval", "exec", "compile", "getattr", "setattr", "vars", "globals", "locals", "open", "breakpoint",
           "format", "format_map"}  # fmt: skip
_METHODS = {f"__{name}__" for name in ("init", "post_init", "call", "enter", "exit", "iter", "next", "len", "contains",
                                       "getitem", "repr", "str", "eq", "lt", "le", "gt", "ge", "hash", "bool", "add",
                                       "sub", "mul", "truediv")}  # fmt: skip
"""What a class of a benchmark's own may define: Python calls these for what its own lines say."""
_FRAMES = re.compile(r"(?:gi|cr|ag|tb|f)_(?:frame|back|locals|globals|builtins|code|next|yieldfrom|await)")


_ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
_IN_GROUPS = re.compile(r"(?m)^(\w+[ \t]*=[ \t]*)([1-9][0-9]{0,2}(?:[, ][0-9]{3})+)(?=[ \t]*(?:#.*)?$)")
_MOST_DIGITS = 64  # of a power of two
_MOST = 1e15  # no count is that large, and no arithmetic goes on beyond it


def constants(text: str) -> dict[str, str]:
    """The module's NAME = "string" lines. A number, 4096 or 2**12, is given as text, and so is 12,288, which is two
    numbers to Python. The file is parsed, not executed. Raises SyntaxError."""
    found: dict[str, str] = {}
    for node in _parsed(text).body:
        if not isinstance(node, ast.Assign):
            continue
        value = node.value.value if isinstance(node.value, ast.Constant) else _value(node.value, text)
        for target in node.targets:
            if isinstance(target, ast.Name) and (value is not None or isinstance(node.value, ast.Constant)):
                found[target.id] = quoted(str(value))
    return found


def figures(text: str) -> dict[str, float | str]:
    """The module's NAME = number or "word" lines; a number may be arithmetic, 32 * 4. What is written with a comma,
    12,288, is two numbers to Python: it is given as it is written. Parsed, not executed. Raises SyntaxError."""
    found: dict[str, float | str] = {}
    for node in _parsed(text).body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            value = _value(node.value, text)
            if value is not None:
                found[node.targets[0].id] = quoted(value) if isinstance(value, str) else value
    return found


def _parsed(text: str) -> ast.Module:
    """The file; a number in groups, 4,096 or 4 096, which Python refuses, as a text. Raises SyntaxError."""
    try:
        return ast.parse(text)
    except SyntaxError:
        quoted = _IN_GROUPS.sub(r'\1"\2"', text)
        with contextlib.suppress(SyntaxError):
            return ast.parse(quoted)
        raise


def _value(node: ast.expr, text: str) -> float | str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int | float | str) and _small(node.value) else None
    if isinstance(node, ast.Tuple) and len(node.elts) > 1 and all(_is_number(e) for e in node.elts):
        return ",".join(ast.get_source_segment(text, e) or "" for e in node.elts)  # 4,000 is no 4,0
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _value(node.operand, text)
        return -inner if isinstance(inner, int | float) else None
    if not isinstance(node, ast.BinOp) or type(node.op) not in _ARITHMETIC:
        return None
    left, right = _value(node.left, text), _value(node.right, text)
    if isinstance(left, str) or isinstance(right, str) or left is None or right is None:
        return None
    if isinstance(node.op, ast.Pow) and (not 0 < left <= _MOST or not -_MOST_DIGITS <= right <= _MOST_DIGITS):
        return None  # neither complex nor endless
    try:
        result: float = _ARITHMETIC[type(node.op)](left, right)
    except (ZeroDivisionError, OverflowError):
        return None
    return result if _small(result) else None


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _small(value: float | str) -> bool:
    return isinstance(value, str) or abs(value) <= _MOST


def peeks(text: str) -> tuple[int, str] | None:
    """The first import that a benchmark does not need, or name that looks behind the device, and its line: for whoever
    takes a short cut without meaning to. No wall: what is true of a simulated card lies in another process (`cards`).
    Raises SyntaxError.
    """
    nodes = list(ast.walk(ast.parse(text)))
    modules: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            modules |= {
                a.asname or a.name.split(".")[0]: a.name if a.asname else a.name.split(".")[0] for a in node.names
            }
        elif isinstance(node, ast.ImportFrom):
            named = {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
            modules |= {name: module for name, module in named.items() if module in ALLOWED}
    taken = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    for node in nodes:
        for name in _named(node, modules, taken):
            return getattr(node, "lineno", 0), name
    return None


def _named(node: ast.AST, modules: dict[str, str], taken: set[int]) -> Iterator[str]:
    """What a node names that is not a benchmark's. `modules`: the imported ones, by the names that they have here;
    `taken`: the nodes of which an attribute is taken, the only use of a module."""
    if isinstance(node, ast.Import):
        yield from (a.name for a in node.names if a.name not in ALLOWED)
    elif isinstance(node, ast.ImportFrom):
        module = node.module or "."
        yield from (a.name if module in ALLOWED else module for a in node.names if not _is_open(module, a.name))
    elif isinstance(node, ast.Name | ast.Attribute):
        name = node.id if isinstance(node, ast.Name) else node.attr
        of = _module(node.value, modules) if isinstance(node, ast.Attribute) else None
        as_value = _module(node, modules) is not None and id(node) not in taken
        if _is_hidden(name) or as_value or (of is not None and not _is_open(of, name)):
            yield name
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from (name for name in _identifiers(node) if _is_hidden(name) and name not in _METHODS)
    elif isinstance(node, ast.alias):
        yield from filter(_is_hidden, [node.asname or ""])
    else:
        yield from filter(_is_hidden, _identifiers(node))


def _identifiers(node: ast.AST) -> Iterator[str]:
    """The names in a node itself, whatever it does with them: every text that Python's grammar has but a constant's."""
    if isinstance(node, ast.Constant):
        return
    for field, value in ast.iter_fields(node):
        if field != "type_comment":
            yield from (name for name in (value if isinstance(value, list) else [value]) if isinstance(name, str))


def _module(node: ast.AST, modules: dict[str, str]) -> str | None:
    """The module that an expression stands for."""
    if isinstance(node, ast.Name):
        return modules.get(node.id)
    of = _module(node.value, modules) if isinstance(node, ast.Attribute) else None
    within = f"{of}.{node.attr}" if of and isinstance(node, ast.Attribute) else None
    return within if within in ALLOWED else None


def _is_hidden(name: str) -> bool:
    return (name.startswith("_") and name != "_") or name in _BEHIND or _FRAMES.fullmatch(name) is not None


def _is_open(module: str, name: str) -> bool:
    """Whether a benchmark may use that name of that module."""
    names = ALLOWED.get(module, set())
    return not _is_hidden(name) if names is None else name in names

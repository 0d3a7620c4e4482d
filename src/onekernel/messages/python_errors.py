"""What Python, or torch, says of a mistake, in words that say what to do: as the compiler's are for CUDA C.

Each pattern's groups are the values of the sentence `python.NAME`.
"""

from __future__ import annotations

import re

from onekernel.messages import Message

_NAME = r"'(?P<name>[^']{1,60})'"
_PATTERNS = (
    # a text that is no program
    (r"'(?P<sign>[(\[{])' was never closed", "never-closed"),
    (r"unmatched '(?P<sign>[)\]}])'", "unmatched"),
    (r"expected ':'", "colon"),
    (r"expected an indented block", "empty-block"),
    (r"unexpected indent", "indent"),
    (r"unindent does not match", "unindent"),
    (r"inconsistent use of tabs|TabError", "tabs"),
    (r"unterminated (?:triple-quoted )?string", "string"),
    (r"[Mm]aybe you meant '==' or ':='|cannot assign to .*Maybe you meant '=='", "assignment"),
    (r"cannot assign to", "no-target"),
    (r"invalid decimal literal", "number"),
    (r"leading zeros in decimal", "number"),
    (r"Perhaps you forgot a comma", "comma"),
    (r"'return' outside function", "return-outside"),
    (r"^(?:SyntaxError: )?invalid syntax", "syntax"),
    # names
    (rf"cannot access local variable {_NAME}|local variable {_NAME.replace('name', 'also')} referenced", "unset"),
    (rf"NameError: name {_NAME} is not defined", "undefined"),
    (rf"No module named {_NAME}", "no-module"),
    (rf"cannot import name {_NAME}", "no-import"),
    # calls and objects
    (r"(?P<name>[\w.]+)\(\) takes (?:from \d+ to )?(?P<takes>\d+) positional arguments? but (?P<given>\d+) w",
     "too-many"),
    (r"(?P<name>[\w.]+)\(\) missing \d+ required (?:positional|keyword-only) arguments?: (?P<which>.{1,120})",
     "too-few"),
    (rf"(?P<call>[\w.]+)\(\) got an unexpected keyword argument {_NAME}", "unknown-keyword"),
    (r"(?P<call>[\w.]+)\(\) got multiple values for argument", "twice"),
    (rf"'NoneType' object has no attribute {_NAME}|'NoneType' object is not|unsupported operand type.*'NoneType'",
     "none"),
    (rf"'(?P<kind>[^']{{1,40}})' object has no attribute {_NAME}", "no-attribute"),
    (rf"module '(?P<kind>[^']{{1,40}})' has no attribute {_NAME}", "no-member"),
    (r"'(?P<kind>[^']{1,40})' object is not callable", "not-callable"),
    (r"'(?P<kind>[^']{1,40})' object is not subscriptable", "not-subscriptable"),
    (r"'(?P<kind>[^']{1,40})' object is not iterable", "not-iterable"),
    (r"unsupported operand type\(s\) for (?P<sign>[^:]{1,8}): '(?P<kind>[^']{1,40})' and '(?P<other>[^']{1,40})'",
     "operands"),
    (r"too many values to unpack", "unpack-more"),
    (r"not enough values to unpack", "unpack-fewer"),
    (r"ZeroDivisionError", "zero"),
    (r"RecursionError", "recursion"),
    (r"(?:list|tuple) index out of range", "index"),
    # torch
    (r"size of tensor a \((?P<one>\d+)\) must match the size of tensor b \((?P<other>\d+)\) at non-singleton dimension "
     r"(?P<axis>\d+)", "sizes"),
    (r"mat1 and mat2 shapes cannot be multiplied \((?P<one>\d+x\d+) and (?P<other>\d+x\d+)\)", "product"),
    (r"shape '(?P<shape>[^']{1,60})' is invalid for input of size (?P<size>\d+)", "reshape"),
    (r"Dimension out of range \(expected to be in range of \[(?P<low>-?\d+), (?P<high>-?\d+)\], but got "
     r"(?P<axis>-?\d+)\)", "dimension"),
    (r"expected scalar type (?P<one>\w+) but found (?P<other>\w+)|expected m1 and m2 to have the same dtype", "types"),
    (r"leaf Variable that requires grad", "leaf"),
    (r"Boolean value of Tensor with more than one value", "truth"),
)  # fmt: skip


def explained(what: str) -> Message | None:
    """The sentence about an error, as "TYPE: TEXT" or the text alone; None for one that no pattern knows."""
    for pattern, name in _PATTERNS:
        if found := re.search(pattern, what[:600]):
            values = {key: value or "" for key, value in found.groupdict().items() if key != "also"}
            values["name"] = values.get("name") or found.groupdict().get("also") or ""
            return Message(f"python.{name}", values)
    return None


def said(what: str) -> Message | str:
    """The error with its sentence before it, as a value of another message; the error as it is where none is known."""
    advice = explained(what)
    return Message("python.said", {"advice": advice, "why": what}) if advice else what

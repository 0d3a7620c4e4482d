"""Kernel names as ncu prints them, in two spellings, made comparable."""

from __future__ import annotations

import re


def bare_name(name: str) -> str:
    """A kernel's name without return type, parameters and template arguments.

    "void softmax_kernel<(bool)1>(const float *, long)" -> "softmax_kernel". Two instances of one template in a launch
    share their name; the source page keeps their lines apart by function, and the first one found is taken.
    """
    text, depth = [], 0
    for sign in re.sub(r"<?unnamed>|\(anonymous namespace\)", "unnamed", name):
        if sign == "<":
            depth += 1
        elif sign == ">":
            depth -= 1
        elif sign == "(" and depth <= 0:
            break
        elif depth <= 0:
            text.append(sign)
    return "".join(text).removeprefix("void ").strip()

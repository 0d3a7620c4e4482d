"""What the interpreter does over and over, done once: a check in the interpreter takes half as long.

Seen with 3.6.0 and 3.7.1: each call of a @triton.jit function by another searches the whole language for functions to
replace, although the launch has replaced them, and each look-up of an element type builds the table of them all.
"""

from __future__ import annotations

from typing import Any


def hasten() -> None:
    """Replaces the slow parts of the interpreter, once a process."""
    from triton.runtime import interpreter

    if getattr(interpreter, "_onekernel_quick", False):
        return
    interpreter._onekernel_quick = True
    _replace_once_a_launch(interpreter)
    _remember_types(interpreter)


def _replace_once_a_launch(interpreter: Any) -> None:
    replace = interpreter._patch_lang
    call = interpreter.GridExecutor.__call__
    replaced: set[int] = set()  # the modules whose functions were called since the launch began

    def once(function: Any) -> Any:
        if id(function.__globals__) in replaced:
            return _Nothing()
        replaced.add(id(function.__globals__))
        return replace(function)

    def launch(self: Any, *args: Any, **kwargs: Any) -> Any:
        replaced.clear()  # the launch before has put the language back
        return call(self, *args, **kwargs)

    interpreter._patch_lang, interpreter.GridExecutor.__call__ = once, launch


class _Nothing:
    """A scope with nothing to put back."""

    def restore(self) -> None:
        return None


def _remember_types(interpreter: Any) -> None:
    look_up = interpreter._get_np_dtype
    known: dict[str, Any] = {}

    def remembered(kind: Any) -> Any:
        element = getattr(kind, "element_ty", kind) if isinstance(kind, interpreter.tl.block_type) else kind
        if isinstance(element, interpreter.tl.pointer_type):
            return look_up(element)
        if element.name not in known:
            known[element.name] = look_up(kind)
        return known[element.name]

    interpreter._get_np_dtype = remembered

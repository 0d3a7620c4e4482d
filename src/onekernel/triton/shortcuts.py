"""What the interpreter does over and over, done once: a check in the interpreter takes a tenth of the time.

Seen with 3.6.0 and 3.7.1: each call of a @triton.jit function by another searches the whole language for functions to
replace, although the launch has replaced them, and each launch lists the language anew; each look-up of an element type
builds the table of them all; each sum of integers is made twice, for nobody; each result's type is described from
nothing; and each operation finds out anew what its operands become (type_rules).
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import numpy as np

from onekernel.triton.type_rules import cache_rules


def take_shortcuts() -> None:
    """Replaces the slow parts of the interpreter, once a process."""
    from triton.runtime import interpreter

    if getattr(interpreter, "_onekernel_shortcuts", False):
        return
    interpreter._onekernel_shortcuts = True
    _replace_once_a_launch(interpreter)
    _cache_types(interpreter)
    _leave_idle_checks(interpreter)
    _describe_once(interpreter.tl.core)
    _leave_shapes(interpreter)
    _reduce_in_pairs(interpreter)
    cache_rules(interpreter, interpreter.tl.core)


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
    found: dict[Any, list[tuple[str, Any]]] = {}

    def patch(owner: Any, builder: Any, *scope: Any) -> None:
        if owner not in found:
            members = inspect.getmembers(owner)
            found[owner] = [(n, member) for n, member in members if interpreter.tl.core.is_builtin(member)]
        for name, member in found[owner]:
            if getattr(owner, name) is member:  # or it is replaced already
                interpreter._patch_attr(owner, name, member, builder, *scope)

    interpreter._patch_builtin = patch


class _Nothing:
    """A scope with nothing to put back."""

    def restore(self) -> None:
        return None


def _cache_types(interpreter: Any) -> None:
    look_up = interpreter._get_np_dtype
    known: dict[str, Any] = {}

    def cached(kind: Any) -> Any:
        element = getattr(kind, "element_ty", kind) if isinstance(kind, interpreter.tl.block_type) else kind
        if isinstance(element, interpreter.tl.pointer_type):
            return look_up(element)
        if element.name not in known:
            known[element.name] = look_up(kind)
        return known[element.name]

    fits, fitting = interpreter._validate_np_data_size, set[tuple[int, str]]()

    def cached_fit(array: Any, kind: Any) -> bool:
        key = (array.itemsize, kind.name)
        if key in fitting:
            return True
        if fits(array, kind):
            fitting.add(key)
        return key in fitting

    handle = interpreter.TensorHandle
    check = handle.__post_init__

    def init_handle(self: Any, data: Any, dtype: Any, attr: dict[str, Any] | None = None) -> None:
        self.data, self.dtype, self.attr = data, dtype, {} if attr is None else attr
        if (data.itemsize, dtype.name) not in fitting:
            check(self)

    handle.__init__ = init_handle
    interpreter._get_np_dtype, interpreter._validate_np_data_size = cached, cached_fit


def _leave_idle_checks(interpreter: Any) -> None:
    """Each sum and product of integers is computed again in 64 bits and compared, for an assertion that is made in
    debug mode alone: more than half of a check."""
    builder = interpreter.interpreter_builder
    if not builder.options.debug:
        builder.options = replace(builder.options, sanitize_overflow=False)


def _leave_shapes(interpreter: Any) -> None:
    """Tensors of one shape are not compared size by size to find the shape that they share, as at each load and store;
    and a new dimension is a view, for which NumPy's own function first asks what it was given."""
    semantic, builder = interpreter.interpreter_semantic, interpreter.InterpreterBuilder
    share, expand = semantic.broadcast_impl_value, builder.create_expand_dims

    def shared(lhs: Any, rhs: Any) -> Any:
        sizes = getattr(lhs.type, "_onekernel_sizes", None)
        if sizes is not None and sizes == getattr(rhs.type, "_onekernel_sizes", None):
            return lhs, rhs
        return share(lhs, rhs)

    def expanded(self: Any, arg: Any, axis: int) -> Any:
        if not 0 <= axis <= arg.data.ndim:
            return expand(self, arg, axis)
        return interpreter.TensorHandle(arg.data[(slice(None),) * axis + (None,)], arg.dtype.scalar)

    semantic.broadcast_impl_value, builder.create_expand_dims = shared, expanded


def _reduce_in_pairs(interpreter: Any) -> None:
    """tl.reduce with a function of the learner's calls it for each element of a tile, one after the other: here for all
    neighbours at once, then for all pairs, as a tree. Their order stays, so that it need not be commutative; that it is
    associative Triton asks for."""
    reduce = interpreter.ReduceOps.generic_reduce

    def in_pairs(self: Any, given: Any) -> Any:
        tensors, axis = self.unravel(given, self.axis)
        parts = [np.moveaxis(t.handle.data, axis, 0) for t in tensors]
        if len(parts[0]) & (len(parts[0]) - 1):
            return reduce(self, given)
        while len(parts[0]) > 1:
            both = [(p[first::2], t.dtype) for first in (0, 1) for p, t in zip(parts, tensors, strict=True)]
            pairs = [self.to_tensor(data, kind) for data, kind in both]
            made = self.combine_fn.fn(*pairs)
            made = made if isinstance(made, tuple) else (made,)
            values = [m.handle.data if isinstance(m, interpreter.tl.core.tensor) else m for m in made]
            shape = (len(parts[0]) // 2, *parts[0].shape[1:])
            parts = [np.broadcast_to(v, shape).astype(p.dtype) for v, p in zip(values, parts, strict=True)]
        return [self.to_tensor(_placed(p[0], self, len(tensors[0].handle.data.shape), axis), t.dtype)
                for p, t in zip(parts, tensors, strict=True)]  # fmt: skip

    interpreter.ReduceOps.generic_reduce = in_pairs


def _placed(data: np.ndarray, operation: Any, dimensions: int, axis: int) -> Any:
    """A reduced tile with the dimensions that the operation leaves it."""
    if operation.keep_dims:
        return np.expand_dims(data, axis if operation.axis is not None else tuple(range(dimensions)))
    return data.item() if operation.axis is None else data


def _describe_once(core: Any) -> None:
    """What a type says of itself and of its tensors is put together once a type, and not at each operation."""
    block, tensor, dtype, constexpr, several = core.block_type, core.tensor, core.dtype, core.constexpr, core.tuple
    make_block, make_tensor, equal, unwrap = block.__init__, tensor.__init__, dtype.__eq__, core._unwrap_if_constexpr
    blocks: dict[tuple[Any, ...], dict[str, Any]] = {}
    kinds: dict[tuple[Any, ...], int] = {}

    def init_block(self: Any, element_ty: Any, shape: Any) -> None:
        given = shape.values if type(shape) is several else shape
        sizes = tuple([size.value if type(size) is constexpr else size for size in given])
        key = (element_ty.name, getattr(element_ty, "address_space", 0), sizes)
        known = blocks.get(key) if all(type(size) is int for size in sizes) else None
        if known is None:
            make_block(self, element_ty, shape)
            self._onekernel_tensors, self._onekernel_sizes = {}, sizes
            blocks[key] = dict(vars(self))
        else:
            vars(self).update(known)

    def init_tensor(self: Any, handle: Any, kind: Any) -> None:
        said = vars(kind).setdefault("_onekernel_tensors", {})
        if not said:
            make_tensor(self, handle, kind)
            said.update({name: vars(self)[name] for name in ("shape", "numel", "dtype")})
            described = type(kind), str(kind), getattr(kind.scalar, "address_space", 0)
            said["onekernel_kind"] = kinds.setdefault(described, len(kinds))  # looked up more often than made
        self.handle, self.type = handle, kind
        vars(self).update(said)

    def same(self: Any, other: Any) -> Any:
        return self is other or equal(self, other)

    def plain(value: Any) -> Any:
        kind = type(value)
        if kind is constexpr:
            return value.value
        return value if kind is int or kind is tensor or kind is dtype else unwrap(value)

    block.__init__, tensor.__init__, dtype.__eq__, core._unwrap_if_constexpr = init_block, init_tensor, same, plain

"""The interpreter's rules for types, gone through once for each combination of types.

Before it computes anything, each operation of Triton's language finds out what its operands become: which type they
share, what is cast, what is broadcast to which shape. A compiler does that once a kernel, the interpreter once for each
operation of each program, in Python, at ten times the cost of NumPy's work. Types and Python's numbers alone decide it:
here the calls that an operation makes of the builder, which does NumPy's work, are kept under them and made again.

But:    only of operations that read no memory and ask nothing of the launch (PURE). What fails is not cached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_METHODS = (
    "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod neg invert not and rand or ror xor rxor"
    " lshift rlshift rshift rrshift gt rgt ge rge lt rlt le rle eq req ne rne getitem"
)
_FUNCTIONS = (
    "to cast add sub mul minimum maximum clamp where full arange broadcast_to expand_dims fma logical_and logical_or"
    " abs fdiv div_rn exp exp2 log log2 sin cos sqrt sqrt_rn rsqrt floor ceil erf"
)
PURE = frozenset([*(f"__{name}__" for name in _METHODS.split()), *_FUNCTIONS.split()])
"""Names of Triton's functions and of its tensors' methods."""
MOST_CACHED = 8192  # combinations; a kernel that walks a row by Python's numbers has one for each


class _Other(Exception):
    """An operand that is no part of a key, or a call that cannot be made again."""


def cache_rules(interpreter: Any, core: Any) -> None:
    """Has the interpreter cache what it has found out about types."""
    patch, cached = interpreter._patch_attr, dict[Any, Callable[..., Any]]()
    rules = Rules.active = Rules(interpreter.interpreter_semantic, interpreter.TensorHandle, core)

    def patched(owner: Any, name: str, member: Any, *rest: Any) -> None:
        patch(owner, name, member, *rest)  # which remembers what to put back
        if member not in cached:  # the same for each launch, so that it is soon seen to be what it was (tools)
            cached[member] = rules.of(member) if name in PURE else rules.without(member)
        setattr(owner, name, cached[member])

    interpreter._patch_attr = patched


class Rules:
    """What was found out."""

    active: Rules | None = None

    def __init__(self, semantic: Any, handle: Any, core: Any) -> None:
        self._semantic, self._handle, self._core = semantic, handle, core
        self._recipes: dict[Any, Callable[[tuple[Any, ...]], Any] | None] = {}
        self._recording = False
        self._plain = frozenset((int, bool, str, type(None)))

    @property
    def tables(self) -> tuple[dict[Any, Any], ...]:
        """All that was found out: what kernels run for an operation."""
        return (self._recipes,)

    def of(self, member: Callable[..., Any]) -> Callable[..., Any]:
        """The operation, with what it has found out kept."""
        recipes, semantic, tensor, key_of = self._recipes, self._semantic, self._core.tensor, self._key

        def operation(*args: Any, _semantic: Any = None, **named: Any) -> Any:
            operands = (*args, *named.values()) if named else args
            try:
                kinds = [x.onekernel_kind if type(x) is tensor else key_of(x) for x in operands]
                key = (member, *named, *kinds)
            except _Other:
                return member(*args, _semantic=semantic, **named)
            again = recipes.get(key)
            if again is not None:
                return again(operands)
            if self._recording or key in recipes or len(recipes) >= MOST_CACHED:
                return member(*args, _semantic=semantic, **named)
            return self._first(key, operands, lambda: member(*args, _semantic=semantic, **named))

        return operation

    def without(self, member: Callable[..., Any]) -> Callable[..., Any]:
        """The operation, found out anew each time."""
        semantic = self._semantic

        def operation(*args: Any, _semantic: Any = None, **named: Any) -> Any:
            return member(*args, _semantic=semantic, **named)

        return operation

    def _key(self, value: Any) -> Any:
        """What of an operand that is no tensor decides about types."""
        kind, core = type(value), self._core
        if kind in self._plain:
            return kind, value
        if kind is float:
            return kind, repr(value)  # 0.0 and -0.0 are equal, NaN is not
        if kind is core.constexpr and type(value.value) is not core.tensor:
            return kind, self._key(value.value)
        if kind is core.dtype:
            return kind, value.name
        if kind in (tuple, list, core.tuple):
            if any(type(part) is core.tensor for part in value):
                raise _Other
            return kind, *map(self._key, value)
        if kind is slice:
            return kind, self._key(value.start), self._key(value.stop), self._key(value.step)
        raise _Other

    def _first(self, key: Any, operands: tuple[Any, ...], call: Callable[[], Any]) -> Any:
        """The operation as Triton does it, with an eye on what it asks of the builder."""
        tensors = {n: x for n, x in enumerate(operands) if type(x) is self._core.tensor}
        builder = self._semantic.builder
        recorder = _Recorder(builder, self._handle, [t.handle for t in tensors.values()])
        self._semantic.builder, self._recording = recorder, True
        try:
            result = call()
        finally:
            self._semantic.builder, self._recording = builder, False
        recipe = recorder.recipe(result, tensors, self._core.tensor)
        self._recipes[key] = recipe.written_out(self._handle, self._core.tensor) if recipe else None
        return result


class _Recorder:
    """Stands before the builder and notes which handle is made of which."""

    def __init__(self, builder: Any, handle: Any, operands: list[Any]) -> None:
        self._builder, self._handle, self._operands = builder, handle, operands
        self._constants, self._made = list[Any](), list[tuple[Any, Callable[..., Any], tuple[Any, ...]]]()
        self._numpy: dict[int, tuple[Callable[..., Any], Any]] = {}  # by result: the call on two handles' bytes
        self._whole = len({id(h) for h in operands}) == len(operands)  # or nobody knows which of them is meant

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._builder, name)
        return self._noting(found) if callable(found) else found

    def _noting(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any, **named: Any) -> Any:
            result = self._watched(method, args) if len(args) == 2 and not named else method(*args, **named)
            from_operands = [self._from_operands(x) for x in args if isinstance(x, self._handle)]
            if type(result) is not self._handle:
                self._whole = self._whole and not from_operands
            elif any(from_operands):
                self._made.append((result, method, args))
            else:
                self._constants.append(result)
            self._whole = self._whole and not named and None not in from_operands
            return result

        return noted

    def _watched(self, method: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """The call's result; notes which function of NumPy's made its bytes, where the call was no more than that."""
        seen: list[tuple[Any, Any, Any, Any]] = []
        compute = self._builder.binary_op

        def binary_op(lhs: Any, rhs: Any, op: Callable[..., Any]) -> Any:
            raw: list[Any] = []

            def applied(left: Any, right: Any) -> Any:
                raw.append(op(left, right))
                return raw[0]

            made = compute(lhs, rhs, applied)
            seen.append((lhs, rhs, op, raw[0].dtype if made.data is raw[0] else None))
            return made

        self._builder.binary_op = binary_op
        try:
            result = method(*args)
        finally:
            del self._builder.binary_op
        if len(seen) == 1 and seen[0][0] is args[0] and seen[0][1] is args[1] and seen[0][3] is not None:
            self._numpy[id(result)] = seen[0][2:]
        return result

    def _from_operands(self, handle: Any) -> bool | None:
        """Whether a handle is an operand's or made of one; None for one that comes from elsewhere."""
        if any(handle is h for h in (*self._operands, *(m[0] for m in self._made))):
            return True
        return False if any(handle is h for h in self._constants) else None

    def recipe(self, result: Any, tensors: dict[int, Any], tensor: Any) -> Recipe | None:
        """What was noted, or None where it would not make the same result again."""
        if not self._whole or type(result) is not tensor:
            return None
        known = [*self._operands, *self._constants, *(m[0] for m in self._made)]
        numbers = {id(h): n for n, h in enumerate(known)}
        number = numbers.get(id(result.handle), -1)
        operand, constant = number < len(tensors), number < len(tensors) + len(self._constants)
        if number < 0 or (constant and not operand):
            return None  # the same handle twice: its bytes might be written to
        if any(result is x for x in tensors.values()):
            return Recipe(list(tensors), result=number)
        steps = []
        for made, method, args in self._made:
            if any(isinstance(part, self._handle) for x in args if isinstance(x, list | tuple) for part in x):
                return None
            places = {at: numbers[id(x)] for at, x in enumerate(args) if isinstance(x, self._handle)}
            numpy, dtype = self._numpy.get(id(made), (None, None))
            steps.append(Step(method, list(args), places, numpy, (dtype, made.dtype)))
        return Recipe(list(tensors), self._constants, steps, number, dict(vars(result)))


@dataclass
class Step:
    """A call of the builder: `given`, of which some places are filled by handles found or made before."""

    method: Callable[..., Any]
    given: list[Any]
    places: dict[int, int]
    numpy: Callable[..., Any] | None = None  # what the call is on the bytes of two handles, where it is no more
    dtypes: tuple[Any, Any] = (None, None)  # NumPy's and Triton's of what that makes


@dataclass
class Recipe:
    """Which operands are tensors, the handles that a combination always has, the calls, and where among the handles,
    those of the tensors first, the result stands."""

    tensors: list[int]
    constants: list[Any] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    result: int = 0
    said: dict[str, Any] | None = None  # what the result says of itself; None where it is an operand

    def written_out(self, handle: Any, tensor: Any) -> Callable[[tuple[Any, ...]], Any]:
        """The calls as a function of the operands, without a loop over them."""
        if self.said is None:
            place = self.tensors[self.result]
            return lambda operands: operands[place]
        known: dict[str, Any] = {"new": object.__new__, "Handle": handle, "Tensor": tensor, "said": self.said}
        lines = [f"h{n} = operands[{at}].handle" for n, at in enumerate(self.tensors)]
        known |= {f"h{n}": constant for n, constant in enumerate(self.constants, len(self.tensors))}
        for n, step in enumerate(self.steps, len(self.tensors) + len(self.constants)):
            known |= {f"m{n}": step.method, f"u{n}": step.numpy, f"np{n}": step.dtypes[0], f"tl{n}": step.dtypes[1]}
            known |= {f"g{n}_{at}": value for at, value in enumerate(step.given) if at not in step.places}
            words = [f"h{step.places[at]}" if at in step.places else f"g{n}_{at}" for at in range(len(step.given))]
            call = f"m{n}({', '.join(words)})"
            if step.numpy is None:
                lines.append(f"h{n} = {call}")
                continue
            lines += [
                f"made = u{n}({words[0]}.data, {words[1]}.data)",
                f"if made.dtype is np{n}:",
                f"    h{n} = new(Handle); h{n}.data = made; h{n}.dtype = tl{n}; h{n}.attr = {{}}",
                f"else: h{n} = {call}",
            ]
        lines += ["made = new(Tensor)", f"made.__dict__ = {{**said, 'handle': h{self.result}}}", "return made"]
        exec("def again(operands):\n" + "".join(f"    {line}\n" for line in lines), known)
        return known["again"]  # type: ignore[no-any-return]

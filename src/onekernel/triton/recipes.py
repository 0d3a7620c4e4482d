"""What an operation of the interpreter asks of the builder, or a whole program, kept to be asked again (type_rules,
programs).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import Any

Call = tuple[Any, Any, tuple[Any, ...], tuple[tuple[int, int], ...], Any, Any, Any]
"""NumPy's function of two handles' bytes, where the call is no more; the builder's method, none of a constant; what is
given; which places of it are filled by what was made before; NumPy's and Triton's type of the result; the line."""


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


@dataclass
class Node:
    """Calls of a program up to a number that is asked for: of which handle, how; and what follows each answer."""

    known: bool = False
    calls: list[Call] = field(default_factory=list)
    asked: tuple[int, Callable[[Any], int]] | None = None
    answers: dict[int, Node] = field(default_factory=dict)


def again(node: Node, made: list[Any], handle: Any) -> bool:
    """Makes the calls of a program again, of the handles in `made`, and adds to these; False at a new answer."""
    new, append = object.__new__, made.append
    while True:
        for numpy, method, given, places, number, dtype, _line in node.calls:  # see line_of
            if numpy is not None:
                (_, left), (_, right) = places
                data = numpy(made[left].data, made[right].data)
                if data.dtype is number:
                    result = new(handle)
                    result.data, result.dtype, result.attr = data, dtype, {}
                    append(result)
                    continue
            if method is None:
                append(given)
                continue
            args = [*given]
            for at, place in places:
                args[at] = made[place]
            append(method(*args))
        if node.asked is None:
            return True
        place, how = node.asked
        following = node.answers.get(how(made[place]))
        if following is None:
            return False
        node = following


def line_of(frame: FrameType, file: str, line: int | None = None) -> int | None:
    """The line of `file` that a frame is at, if it is in it or makes again what once was made there. `line`: where the
    frame is no longer what it was."""
    if frame.f_code is again.__code__:
        return frame.f_locals.get("_line")
    return (line or frame.f_lineno) if frame.f_code.co_filename == file else None


def lines_in(traceback: TracebackType | None, file: str) -> Iterator[int]:
    """The lines of `file` in a traceback, from the outermost on."""
    while traceback is not None:
        line = line_of(traceback.tb_frame, file, traceback.tb_lineno)
        if line is not None:
            yield line
        traceback = traceback.tb_next

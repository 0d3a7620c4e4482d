"""What an operation of the interpreter asks of the builder, kept to be asked again (type_rules)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


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

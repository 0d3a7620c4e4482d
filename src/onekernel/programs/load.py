"""`onekernel.cuda.load`: the launchers of a `.cu` as functions over NumPy arrays and torch tensors, without a GPU."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from onekernel import simulator
from onekernel.backends import declarations
from onekernel.backends.base import Arg, Buffer, CallReport, Scalar
from onekernel.errors import UserError
from onekernel.messages import Message

_REAL = re.compile(r"\b(?:float|double)\b")


class Found(Exception):
    """A call in which something was wrong: its text is every finding, `report` the whole of it."""

    def __init__(self, report: CallReport) -> None:
        super().__init__("\n".join(str(f) for f in report.findings if f.severity == "error"))
        self.report = report


class Loaded:
    """A file's launchers by their names: `loaded.add(a, b, out, n)`. The stream, their last parameter, is appended.

    An array is C-contiguous, of NumPy or of torch on the CPU; what is not `const` is changed in place. `report` is that
    of the last call, with its counts where the mode is "count" or "count-only".
    """

    def __init__(self, path: Path, mode: str, arch: str | None) -> None:
        self._program = simulator.build(path, mode, arch=arch)
        text = path.read_text(encoding="utf-8-sig", errors="replace")
        self._launchers = {d.name: d for d in declarations.functions(text) if d.name in self._program.source.exports}
        self.report: CallReport | None = None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._launchers]

    def __getattr__(self, name: str) -> Any:
        declared = self.__dict__.get("_launchers", {}).get(name)
        if declared is None:
            known = ", ".join(self.__dict__.get("_launchers", {})) or "-"
            raise AttributeError(str(Message("run.load-no-launcher", {"name": name, "known": known})))

        def launcher(*given: Any) -> None:
            self._call(declared, given)

        launcher.__name__, launcher.__doc__ = name, f"{name}({', '.join(declared.parameters)})"
        return launcher

    def _call(self, declared: declarations.Declared, given: tuple[Any, ...]) -> None:
        wanted = declared.parameters[:-1]
        if len(given) != len(wanted):
            values = {"name": declared.name, "wanted": len(wanted), "has": len(given), "how": ", ".join(wanted)}
            raise TypeError(str(Message("run.load-arguments", values)))
        arrays = [(_array(value), "const" not in how) if "*" in how else None
                  for value, how in zip(given, wanted, strict=True)]  # fmt: skip
        args: list[Arg] = []
        for value, how, array in zip(given, wanted, arrays, strict=True):
            name = re.split(r"[\s*]+", how)[-1]
            if array is None:
                args.append(Scalar(name, float(value)) if _REAL.search(how) else int(value))
                continue
            memory = array[0].reshape(-1).view(np.uint8).copy()
            args.append(Buffer(name, memory, 0, memory.size, array[1], array[0].itemsize))
        self.report = self._program.call(declared.name, args)
        for arg, array in zip(args, arrays, strict=True):
            if array is not None and array[1] and isinstance(arg, Buffer):
                array[0].reshape(-1).view(np.uint8)[:] = arg.memory
        if any(f.severity == "error" for f in self.report.findings):
            raise Found(self.report)


def load(path: str | Path, mode: str = "check", arch: str | None = None) -> Loaded:
    """The launchers of `path`: functions with extern "C" whose last parameter is a cudaStream_t. Load it again after
    each edit: builds are kept by content. `mode`: of simulator.build. Raises BuildError, Unavailable."""
    file = Path(path)
    if not file.is_file():
        raise UserError(Message("run.no-file", {"file": path}))
    return Loaded(file.resolve(), mode, arch)


def _array(value: Any) -> np.ndarray:
    array = value.detach().numpy() if hasattr(value, "detach") else value
    if not isinstance(array, np.ndarray) or not array.flags.c_contiguous:
        raise TypeError(str(Message("run.load-array", {"type": type(value).__name__})))
    return array

"""What Triton's compiler says of the launches that the interpreter runs: a process beside it, which compiles them.

The interpreter runs Python; the compiler takes a part of Python and wants every type to be known. What only the
interpreter accepts fails on a GPU at the first launch. Here each distinct launch (kernel, types, compile-time values)
is compiled while the interpreter runs it, up to Triton's own representation: by then whatever the language lacks has
been refused, and it takes a quarter of the time that machine code would.
"""

from __future__ import annotations

import json
import os
import select
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from onekernel.backends import forks
from onekernel.backends.base import Finding
from onekernel.loading import load_module
from onekernel.triton import callbacks
from onekernel.triton.capture import CompileOnlyDriver
from onekernel.triton.closures import Functions, where
from onekernel.triton.refusals import refusal

MOST = 2  # launches of a kernel that are compiled in any case, for each choice of element types, with a 1 and without
GROWS = 4  # then those whose largest compile-time number is so many times the largest before: another branch, perhaps
SECONDS = 6.0  # without an answer: then the compiler says nothing of this file any more
DEFAULT = "sm_80"
Launch = dict[str, Any]


class Ahead:
    """The compiling process of a file. It must begin before this process imports Triton to interpret: it is a copy of
    this one, so that what both need is imported once. It begins before either is closed: each then passes every wall by
    itself (worker, `callbacks.close`), and the copy has no pipe and no file of this one's but the two between them."""

    active: Ahead | None = None

    def __init__(self) -> None:
        import torch  # noqa: F401  # before the copy is made: it takes seconds

        self._asked: dict[str, list[float]] = {}  # a kernel and its types -> the largest number of each launch asked
        self._known: dict[str, list[Finding]] = {}  # a launch -> what the compiler said
        self._refused: set[str] = set()  # kernels and types of which it refused a launch: of these all are compiled
        child, answers, ask = forks.beside()
        self.is_copy = child == 0
        if self.is_copy:
            self._asking, self._answering = answers, ask
            return
        self._answers, self._requests = answers, ask
        self._pending: list[str] = []
        self._here: list[str] = []
        self._buffer = b""
        Ahead.active = self

    @staticmethod
    def possible() -> bool:
        """Whether this process can still have a compiling copy."""
        return "triton" not in sys.modules

    def serve(self, path: Path, apart: bool) -> NoReturn:
        """In the copy: loads the file as soon as it is told to (`begin`), and answers each line with a line, until
        there are no more."""
        try:
            os.environ.pop("TRITON_INTERPRET", None)
            compiler = _Compiler(path, apart)
            with os.fdopen(self._asking) as requests, os.fdopen(self._answering, "w") as answers:
                if requests.readline():
                    compiler.load()
                for line in requests:
                    print(json.dumps([f.to_json() for f in compiler.compile(json.loads(line))]), file=answers,
                          flush=True)  # fmt: skip
        finally:
            os._exit(0)

    def begin(self) -> None:
        """Has the copy load the file, which came to its end here: one that hangs is to hang once."""
        try:
            os.write(self._requests, b"\n")
        except OSError:
            self._give_up()

    def ask(self, launch: Launch | None) -> None:
        """Has a launch compiled, unless it was before or enough of its kind were."""
        if launch is None or self._requests < 0:
            return
        line = json.dumps(launch)
        if line not in self._known:
            kind = _kind(launch)
            before = self._asked.setdefault(kind, [])
            enough = len(before) >= MOST and launch["largest"] < GROWS * max(before)
            if enough and kind not in self._refused:
                return
            before.append(launch["largest"])
            self._known[line] = []
            self._pending.append(line)
            try:
                os.write(self._requests, line.encode() + b"\n")
            except OSError:
                self._give_up()
        self._here.append(line)

    def findings(self) -> Iterator[Finding]:
        """What the compiler says of the launches since the last time; waits for it."""
        while self._pending:
            answer = self._read()
            if answer is None:
                self._give_up()
                break
            line = self._pending.pop(0)
            self._known[line] = [Finding.from_json(f) for f in answer]
            if answer:
                self._refused.add(_kind(json.loads(line)))
        here, self._here = list(dict.fromkeys(self._here)), []
        for line in here:
            yield from self._known[line]

    def _read(self) -> Any:
        """The next answer; None where none comes."""
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], SECONDS)
            more = os.read(self._answers, 1 << 16) if ready else b""
            if not more:
                return None
            self._buffer += more
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)

    def _give_up(self) -> None:
        """A compiler that does not answer says nothing about the file. It ends when it looks for the next line, or with
        this process: a closed one signals no other."""
        self._pending.clear()
        if self._requests >= 0:
            os.close(self._requests)
            os.close(self._answers)
            self._requests = -1


def _kind(launch: Launch) -> str:
    """What launches have in common of which the compiler says much the same: the kernel, the element types, and whether
    it is given a 1, which the compiler puts in its place: a loop that ends after one turn is none any more."""
    return json.dumps([launch["kernel"], launch["types"], launch["ones"]])


def described(kernel: Any, names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Launch | None:
    """A launch in words that another process understands; None for one with arguments that have none."""
    given = dict(zip(names, args, strict=False)) | kwargs
    constants = {n for n, annotation in kernel.__annotations__.items() if "constexpr" in str(annotation)}
    values: dict[str, tuple[str, Any]] = {}
    for name, value in given.items():
        described = _described(value)
        if described is None:
            return None
        if type(described[1]) is int and name in names and name not in constants:
            described = "value", 1 if value == 1 else 16 if value % 16 == 0 else 3  # all that the compiler looks at
        values[name] = described
    place = where(kernel)
    if place is None:
        return None
    types = sorted({str(value) for kind, value in values.values() if kind == "tensor"})
    numbers = [abs(v) for n, (_, v) in values.items() if n in constants and isinstance(v, int | float)]
    ones = any(values[n][1] == 1 for n in values if n in names and n not in constants and type(values[n][1]) is int)
    return {"kernel": place, "types": types, "arguments": values, "ones": ones, "largest": max(numbers, default=0)}


def _described(value: Any) -> tuple[str, Any] | None:
    value = value.value if type(value).__name__ == "constexpr" else value
    if hasattr(value, "data_ptr") and hasattr(value, "dtype"):
        return "tensor", str(value.dtype).removeprefix("torch.")
    if value is None or isinstance(value, bool | int | float | str):
        return "value", value
    if type(value).__module__.startswith("triton.language") and hasattr(value, "primitive_bitwidth"):
        return "type", value.name
    return None


class _Compiler:
    """The kernels of a file, compiled for one card."""

    def __init__(self, path: Path, apart: bool) -> None:
        from triton.runtime.driver import driver
        from triton.runtime.jit import JITFunction

        self._path = path
        self._refused: Exception | None = None
        driver.set_active(CompileOnlyDriver(int(os.environ.get("ONEKERNEL_ARCH", DEFAULT).removeprefix("sm_"))))

        def stages(function: Any, _key: Any, signature: Any, device: Any, constexprs: Any, *rest: Any) -> None:
            self._stages(function, device, function.ASTSource(function, signature, constexprs, rest[1]), rest[0])

        compiled: Any = JITFunction
        compiled._do_compile = stages
        self._functions = Functions(path)
        self._module: ModuleType  # from `load` on
        if apart:
            callbacks.leave_none()
        callbacks.close(apart)

    def load(self) -> None:
        """Imports the file."""
        self._module = load_module(self._path)

    def compile(self, launch: Launch) -> list[Finding]:
        """What is wrong with a launch."""
        self._refused = None
        try:
            kernel = self._functions.find(launch["kernel"], self._module)
            values = {name: _value(*described) for name, described in launch["arguments"].items()}
            kernel.run(grid=(1,), warmup=True, **values)
        except Exception:  # before the kernel itself is compiled: the interpreter says it, too
            return []
        if self._refused is None or type(self._refused).__name__ == "CompileTimeAssertionFailure":
            return []  # tl.static_assert: how an autotuner is told that a configuration does not suit
        return [refusal(self._refused, self._path, self._functions.all, runs=True)]

    def _stages(self, function: Any, device: int, source: Any, options: Any) -> None:
        """Stands where Triton compiles and keeps what it made: no file is written, and no assembler is called."""
        from triton._C.libtriton import ir

        target, backend = function.device_caches[device][2:4]
        stages: dict[str, Any] = {}
        backend.add_stages(stages, options, source.language)
        context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        metadata: dict[str, Any] = {"hash": "", "target": target, **options.__dict__}
        try:
            code = (backend.get_codegen_implementation(options), backend.get_module_map())
            module = source.make_ir(target, options, *code, context)
            for name in ("ttir", "ttgir"):
                module = stages[name](module, metadata)
        except Exception as error:
            self._refused = error


def _value(kind: str, value: Any) -> Any:
    """An argument that `_described` has put in words."""
    if kind == "tensor":
        import torch

        return torch.empty(16, dtype=getattr(torch, value))
    if kind == "type":
        from triton import language

        return getattr(language, value)
    return value

"""A Triton file as a Program: its functions called on tensors that are laid over the buffers' bytes."""

from __future__ import annotations

import re
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from onekernel.backends.base import Arg, BuildError, CallReport, Finding, Needs, Scalar, Untimed
from onekernel.loading import load_module
from onekernel.messages import Message
from onekernel.messages.python_errors import explained
from onekernel.triton import callbacks, keeper, sparse
from onekernel.triton.ahead import Ahead
from onekernel.triton.faults import Stop, choose_interpreter, count_in, fix_interpreter
from onekernel.triton.hooks import install
from onekernel.triton.host import CHAPTER as PROGRAM
from onekernel.triton.host import CODE as HOST
from onekernel.triton.host import HostWatch
from onekernel.triton.memory import ClosedMemory
from onekernel.triton.refusals import is_refusal, own_functions, refusal
from onekernel.triton.shortcuts import take_shortcuts
from onekernel.triton.tools import Tools
from onekernel.triton.tuning import tune_in_turn
from onekernel.triton.watch import Watch, found_of_its_own, sealed
from onekernel.triton.ways import WAYS, Way, returned_out, unwritten_is_nan
from onekernel.ways import SPARSE

DTYPES = {"": "float32", "_f16": "float16", "_bf16": "bfloat16"}
CHAPTER = "03-05-looking-inside#interpreter"
CHAPTER_OF_MASKS = "03-triton#masks"


def build(
    path: Path | str, mode: str = "check", interpret: bool = False, apart: bool = False, first: int = 0
) -> TritonProgram:
    """Makes this process ready for a Triton file: compiled at its first call on a GPU, interpreted without one. Checks
    and counts are always on in the interpreter, whatever `mode`, and no file is timed. `interpret` has the interpreter
    run it on a GPU machine too; `apart` says that this process is there for the file alone; `first` is the
    configuration that an autotuner begins with. Raises Unavailable."""
    return TritonProgram(Path(path).resolve(), choose_interpreter(interpret), apart, first)


class TritonProgram(Untimed):
    """A Triton file. `interpreted` says whether its kernels run in the interpreter."""

    def __init__(self, path: Path, interpreted: bool, apart: bool = False, first: int = 0) -> None:
        self.path = path
        self.first = first
        self.apart = apart
        self.interpreted = interpreted
        self.needs = Needs(reserves_memory=True, removes_files=not interpreted)
        self._module: ModuleType | None = None
        self._ahead: Ahead | None = None
        self._tools: Tools | None = None
        self._rooms: dict[tuple[str, int], np.ndarray] = {}
        self.usable = True

    def split(self) -> bool:
        """Makes the process that compiles what this one interprets, where there still can be one."""
        if self.interpreted and self._ahead is None and Ahead.possible():
            self._ahead = Ahead()
        return self._ahead is None or not self._ahead.is_copy

    def prepare(self) -> None:
        """Imports Triton and the file. Raises BuildError for one that does not import."""
        if not self.split() and self._ahead:
            self._ahead.serve(self.path, self.apart)
        if self.interpreted:
            fix_interpreter()
            install()
            take_shortcuts()
        tune_in_turn(self.first)
        if self.interpreted and self.apart:
            callbacks.leave_none()
        Tools.active = self._tools = Tools(str(self.path)) if self.interpreted else None
        if self.interpreted:
            keeper.put_up(self._tools if self.apart else None)
            callbacks.close(self.apart)
        try:
            self._module = load_module(self.path)
            if self.interpreted:
                count_in(self._module)
            if self._ahead:
                self._ahead.begin()
        except SyntaxError as error:
            message = _raised({"line": error.lineno or "?", "why": error.msg})
            raise BuildError([Finding("syntax", message, str(self.path), error.lineno)], _log()) from None
        except Exception as error:
            line = _line(error, str(self.path))
            values = {"line": line or "?", "why": _why(error)}
            advice = explained(_why(error))
            key = "triton.raised-python" if advice else "triton.import-failed"
            message = Message(key, {**values, "advice": advice or ""})
            raise BuildError([Finding("import-failed", message, str(self.path), line)], _log()) from None

    def call(self, function: str, args: Sequence[Arg], way: str = "") -> CallReport:
        """Calls `function` on the tensors that `args` describe. The element type is the function's suffix, as for the C
        launchers: none, _f16, _bf16; the Python function has none. Tensors are passed in order, the output last,
        scalars by name.

        Raises BuildError where the file has no such function.
        """
        stem, dtype = _split(function)
        target = getattr(self._module, stem, None)
        if not callable(target):
            message = Message("triton.no-function", {"function": stem, "file": self.path.name})
            raise BuildError([Finding("no-function", message, str(self.path))])
        if way == SPARSE and not self.interpreted:
            return self._whole(stem, target, args, dtype)
        kind = WAYS.get(way, Way)
        try:
            call = kind(str(self.path), stem, args, dtype, "cpu" if self.interpreted else "cuda", self._rooms)
        except OSError:
            return CallReport(0, "cudaSuccess", (sparse.UNSEEN,), (), 0.0)
        watch = Watch(str(self.path), call.regions)
        watch.in_place = call.in_place
        host = HostWatch(str(self.path))
        memory = ClosedMemory(call.tensors if self.interpreted and call.closes_memory else (), watch)
        findings: list[Finding] = []
        found_by_host = host.findings
        started = time.monotonic()
        try:
            with memory:
                with watch, warnings.catch_warnings(), np.errstate(all="ignore"), host.watching(), call.scratch():
                    warnings.simplefilter("ignore")  # NaN and infinities are inputs here, not accidents
                    result = target(*call.given, **_scalars(args))
                    self._wait()
                with host.watching():  # what is returned may be of a class of the file's
                    findings += call.returned(result)
            if self.interpreted and sealed()[0]:  # else that is what is told: no kernel at all
                replaced = self._tools.replaced() if self._tools else []
                findings += found_of_its_own(found_by_host) or replaced or self._accompanied(memory)
            call.finish()
        except Exception as error:
            not_taken = call.not_taken(error) if _line(error, str(self.path)) is None else None
            findings.append(not_taken or self._failed(error))
        if self.interpreted:
            findings += _as_sealed(watch)
        if self._ahead is not None:
            findings = _with_refusals(findings, list(self._ahead.findings()))
        if self.usable:
            call.copy_back()
        seconds = time.monotonic() - started
        told = tuple(call.told(watch, findings))
        return CallReport(0, "cudaSuccess", told, tuple(watch.kernels), seconds)

    def _whole(self, stem: str, target: Callable[..., Any], args: Sequence[Arg], dtype: str) -> CallReport:
        """A call on a GPU, on tensors larger than what travels through files."""
        started, findings = time.monotonic(), []
        try:
            with sparse.on_device(args, dtype) as tensors:
                if tensors is None:
                    return CallReport(0, "cudaSuccess")
                with unwritten_is_nan():
                    result = target(*tensors, **_scalars(args))
                findings += returned_out(result, tensors[-1], stem, str(self.path))
        except Exception as error:
            findings.append(self._failed(error))
        return CallReport(0, "cudaSuccess", tuple(findings), (), time.monotonic() - started)

    def _wait(self) -> None:
        """Waits for a GPU's kernels. Raises what one of them did."""
        if not self.interpreted:
            import torch

            torch.cuda.synchronize()

    def _accompanied(self, memory: ClosedMemory) -> list[Finding]:
        found = Finding(HOST, Message("triton.accompanied"), str(self.path), chapter=PROGRAM)
        return [found] if memory.accompanied else []

    def _failed(self, error: BaseException) -> Finding:
        cause = error
        while cause.__cause__ is not None:  # the interpreter wraps what a kernel raises
            cause = cause.__cause__
        line = _line(cause, str(self.path)) or _line(error, str(self.path))
        if not self.interpreted and _STRAYED.search(str(cause)):
            self.usable = False
            return Finding("illegal-address", Message("triton.strayed", {"why": _why(cause)}), str(self.path),
                           chapter=CHAPTER_OF_MASKS)  # fmt: skip
        if is_refusal(error) and self._module is not None:
            return refusal(error, self.path, own_functions(self._module), runs=False)
        if isinstance(cause, Stop):
            message = Message(cause.finding.message.key, {**cause.finding.message.values, "line": line or "?"})
            return Finding(cause.finding.code, message, str(self.path), line, chapter=cause.finding.chapter)
        code = "needs-driver" if "active drivers" in str(cause) else "raised"
        values: dict[str, Any] = {"line": line or "?", "why": _why(cause)}
        message = _raised(values) if code == "raised" else Message(f"triton.{code}", values)
        return Finding(code, message, str(self.path), line, chapter=CHAPTER)


def _as_sealed(watch: Watch) -> list[Finding]:
    """Gives the watch of a call what the keeper has of its launches, instead of what a file may have written there; a
    finding where it has laid something of its own among what was found."""
    counts, found = sealed()
    told = found_of_its_own(watch.findings)
    watch.kernels, watch.findings = counts, [*(told or ()), *(f for f in found if f not in (told or ()))]
    return [] if told is not None else [
        Finding(HOST, Message("triton.tool-replaced", {"name": "Watch"}), watch.file, chapter=PROGRAM)
    ]  # fmt: skip


# What the driver says of a kernel that touched memory of nobody: the process has lost its GPU with it.
_STRAYED = re.compile(r"illegal memory access|misaligned address|unspecified launch failure|illegal instruction")

# What Triton says of a slip, and the sentence that says what to do.
_SLIPS = (
    (r"power of 2", "power"),
    (r"must be of type tl\.constexpr|constexpr", "constexpr"),
    (r"axis \d+ out of bounds|reduction axis|invalid axis", "axis"),
    (r"unsupported operand type\(s\) for \*\* or pow", "exponent"),
    (r"module 'triton\.language' has no attribute 'tanh'", "tanh"),
    (r"of libdevice is not in the interpreter", "libdevice"),
    (r"inline_asm not supported", "inline-asm"),
    (r"Block pointers have been removed", "block-pointers"),
    (r"module 'triton\.language' has no attribute", "no-such-function"),
    (r"'tuple' object has no attribute", "tuple"),
    (r"'function' object is not subscriptable", "jit"),
    (r"object of type 'int' has no len\(\)", "grid-tuple"),
    (r"missing \d+ required positional argument", "arguments"),
    (r"outside of the scope of a kernel|unexpected keyword argument 'num_", "grid"),
    (r"Torch not compiled with CUDA|No CUDA GPUs|NVIDIA driver", "device"),
    (r"^KeyError: '[A-Za-z_]\w*'$", "key"),
    (r"incompatible dimensions|cannot broadcast|could not be broadcast|Cannot make_shape_compatible", "shapes"),
)


def _raised(values: dict[str, Any]) -> Message:
    """What was raised, behind what to do about it where that is known."""
    known = next((name for pattern, name in _SLIPS if re.search(pattern, str(values["why"]))), None)
    if known is None:
        advice = explained(str(values["why"]))
        return (
            Message("triton.raised-python", {**values, "advice": advice})
            if advice
            else Message("triton.raised", values)
        )
    return Message("triton.raised-slip", {**values, "advice": Message(f"triton.slip-{known}")})


def _with_refusals(findings: list[Finding], refused: list[Finding]) -> list[Finding]:
    """What the compiler refuses, then the findings. Where the interpreter stopped as well, the compiler says it better:
    it knows the line within the kernel, and what was meant."""
    if refused and any(found.code == "raised" for found in findings):
        refused = [replace(f, message=_raised(dict(f.message.values))) for f in refused]
        findings = [f for f in findings if f.code != "raised"]
    return [*refused, *findings]


def _scalars(args: Sequence[Arg]) -> dict[str, int | float]:
    return {a.name: a.value for a in args if isinstance(a, Scalar)}


def _split(function: str) -> tuple[str, str]:
    for suffix, dtype in DTYPES.items():
        if suffix and function.endswith(suffix):
            return function.removesuffix(suffix), dtype
    return function, DTYPES[""]


def _line(error: BaseException, file: str) -> int | None:
    """The innermost line of `file` in the error's traceback."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    return lines[-1] if lines else None


def _why(error: BaseException) -> str:
    text = str(error).strip() or "-"
    return f"{type(error).__name__}: {text.splitlines()[0][:300]}"


def _log() -> str:
    return traceback.format_exc(limit=-8)

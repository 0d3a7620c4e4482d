"""A built `.cu`: its launchers called through their C ABI, on the current stream, under a device guard."""

from __future__ import annotations

import ctypes
import difflib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from onekernel.backends import declarations, sparse
from onekernel.backends.base import Arg, Buffer, BuildError, CallReport, Finding, Needs, Scalar, Sparse
from onekernel.backends.declarations import Declared
from onekernel.cuda import sanitizer
from onekernel.cuda.compile import library
from onekernel.cuda.diagnostics import finding_of_status, is_sticky
from onekernel.cuda.toolchain import Toolchain, require
from onekernel.messages import Message
from onekernel.ways import REFUSED, SPARSE

_CAPTURE_RELAXED = 2  # cudaStreamCaptureModeRelaxed
_EMPTIER_BYTES = 256 << 20  # more than twice the largest L2 in the course's table of cards
_lost: list[str] = []  # the launcher that took this process's CUDA context with it, if one did


def build(path: Path | str, prototypes: Sequence[str] = (), defines: Sequence[str] = ()) -> CudaProgram:
    """Builds `path`, a self-contained `.cu`, for the current GPU; a second build of the same content is read back.

    `prototypes` are the C declarations that the file's launchers are held to, as far as it defines them; `defines` are
    macros as of -D. Nothing of the file runs before the first call. Raises BuildError for a file that does not compile
    or whose launcher has another signature, Unavailable where this machine cannot build or run it.
    """
    path = Path(path)
    source = path.read_bytes()
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = source[: error.start].count(b"\n") + 1
        message = Message("cuda.not-utf8", {"byte": f"0x{source[error.start]:02x}"})
        raise BuildError([Finding("not-utf8", message, str(path), line)]) from error
    toolchain = require()
    built = library(path.absolute(), source, toolchain, defines)
    declared = declarations.functions(text)
    declarations.hold_to(prototypes, declared, path)
    return CudaProgram(path, {d.name: d for d in declared}, built, toolchain)


class CudaProgram:
    """A `.cu` as a library. `call` checks and reports; `function` is the bare launcher."""

    def __init__(self, path: Path, declared: Mapping[str, Declared], built: Path, toolchain: Toolchain) -> None:
        self.path = path
        self.library_path = built
        self.toolchain = toolchain
        self._declared = declared

    needs = Needs(reserves_memory=True)

    @property
    def usable(self) -> bool:
        """False once a call in this process lost the CUDA context: only a new process can call again."""
        return not _lost

    def split(self) -> bool:
        """No process is beside this one."""
        return True

    def prepare(self) -> None:
        """Nothing: the library is loaded at the first call, which is where its code may fail."""

    @cached_property
    def _library(self) -> ctypes.CDLL:
        import torch  # noqa: F401  # its CUDA runtime is loaded first, so that the library shares it

        library = ctypes.CDLL(str(self.library_path))
        library.cudaGetErrorName.restype = ctypes.c_char_p
        return library

    def call(self, function: str, args: Sequence[Arg], way: str = "") -> CallReport:
        """Calls the launcher `function` with `args` and the current stream, then waits for the whole device.

        Each buffer's `memory` holds afterwards what the device holds, guards included; after an error that loses
        the context it is left as it was. `seconds` is the time between two events around the call: it includes the
        launch and is no benchmark. Raises BuildError where the file has no such launcher.
        """
        if way == REFUSED:
            return self._refused(function, args)
        if way == SPARSE:
            return self._sparse(function, args)
        report, _ = self._launch(function, args, launches=1, kept=0)
        return report

    def timed(
        self, function: str, args: Sequence[Arg], launches: int, kept: int
    ) -> tuple[CallReport, tuple[float, ...]]:
        """Calls the launcher `launches` times, L2 emptied and the tensors as given before each; seconds of each.

        `memory` holds afterwards what launch number `kept` (from 0) left. One more launch goes before them, untimed.
        Errors are reported as `call` does, and there are no times then.
        """
        return self._launch(function, args, launches, kept)

    def _launch(
        self, function: str, args: Sequence[Arg], launches: int, kept: int
    ) -> tuple[CallReport, tuple[float, ...]]:
        import torch

        launcher = self.function(function)
        if _lost:
            lost = _finding("context-lost", "context-lost", self.path, None, function=_lost[0])
            return CallReport(46, "cudaErrorDevicesUnavailable", (lost,)), ()
        with torch.cuda.device(self.toolchain.device):
            held: list[Any] = [_to_device(a, torch) if isinstance(a, Buffer) else a for a in args]
            raw = [_raw(h, a) for h, a in zip(held, args, strict=True)]
            before = _Repeated(held, torch) if launches > 1 else None
            stream = torch.cuda.current_stream().cuda_stream
            events: list[tuple[Any, Any]] = []
            for number in range(-1 if before else 0, launches):
                if before:
                    before.restore()
                start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                if not before:
                    torch.cuda.synchronize()  # else the queue stays full, so that the launch itself is not timed
                start.record()
                returned = launcher(*raw, stream)
                pending = self._library.cudaGetLastError()
                if not is_sticky(returned or pending):
                    end.record()
                status = returned or pending or self._library.cudaDeviceSynchronize()
                if status:
                    break
                events.append((start, end))
                if before and number == kept:
                    before.keep()
            if is_sticky(status):
                _lost.append(function)
            else:
                for buffer, tensor in zip(args, before.kept if before and not status else held, strict=True):
                    if isinstance(buffer, Buffer):
                        np.copyto(buffer.memory, tensor.cpu().numpy())
            findings = self._explain(function, args, returned, status)
            times = () if status else tuple(s.elapsed_time(e) / 1e3 for s, e in events[-launches:])
        return CallReport(status, self._name(status), findings, seconds=times[0] if times else 0.0), times

    def _sparse(self, function: str, args: Sequence[Arg]) -> CallReport:
        """A call on tensors larger than what travels through files. Without room for them it says nothing."""
        import torch

        tensors = [a for a in args if isinstance(a, Sparse)]
        launcher = self.function(function)
        with torch.cuda.device(self.toolchain.device):
            placed = sparse.placed(tensors, torch)
            if placed is None:
                return CallReport(0, "cudaSuccess")
            memory_of = iter(placed)
            held: list[Any] = [next(memory_of) if isinstance(a, Sparse) else a for a in args]
            raw = [h.data_ptr() if isinstance(a, Sparse) else _raw(h, a) for h, a in zip(held, args, strict=True)]
            torch.cuda.synchronize()
            returned = launcher(*raw, torch.cuda.current_stream().cuda_stream)
            pending = self._library.cudaGetLastError()
            status = returned or pending or self._library.cudaDeviceSynchronize()
            if is_sticky(status):
                _lost.append(function)
            elif not status:
                for tensor, memory in zip(tensors, placed, strict=True):
                    if tensor.writable:
                        sparse.look(tensor, memory, torch)
                del memory
            del held, placed, memory_of
            if not is_sticky(status):
                torch.cuda.empty_cache()
        findings = (finding_of_status(status, self._name(status), function, self.path),) if status else ()
        return CallReport(status, self._name(status), findings)

    def _refused(self, function: str, args: Sequence[Arg]) -> CallReport:
        """What the launcher returns where the device takes no launch. A stream whose capture was broken, by waiting for
        it, refuses all work and harms nothing else (CUDA C++ Programming Guide, "Graphs: invalidation")."""
        import torch

        launcher, runtime = self.function(function), self._library
        with torch.cuda.device(self.toolchain.device):
            held = [_to_device(a, torch) if isinstance(a, Buffer) else a for a in args]
            raw = [_raw(h, a) for h, a in zip(held, args, strict=True)]
            torch.cuda.synchronize()
            stream, graph = torch.cuda.Stream(), ctypes.c_void_p()
            handle = ctypes.c_void_p(stream.cuda_stream)
            runtime.cudaStreamBeginCapture(handle, _CAPTURE_RELAXED)
            runtime.cudaStreamSynchronize(handle)
            runtime.cudaGetLastError()
            status = launcher(*raw, stream.cuda_stream)
            runtime.cudaStreamEndCapture(handle, ctypes.byref(graph))
            runtime.cudaGetLastError()
            torch.cuda.synchronize()
        return CallReport(status, self._name(status))

    def function(self, name: str) -> Callable[..., int]:
        """The launcher as a ctypes function of addresses and sizes, ints, and floats; it returns the cudaError_t.

        Raises BuildError where the file does not export it.
        """
        try:
            symbol = getattr(self._library, name)
        except AttributeError:
            raise BuildError([self._missing(name)]) from None
        symbol.restype = ctypes.c_int
        # Pointers, int64 and the stream all travel in 8-byte integer slots of the C ABI (System V x86-64 and AAPCS64).
        declared = self._declared.get(name)
        if declared is None:  # a macro may have written it
            kinds = {float: ctypes.c_float, int: ctypes.c_int64}
            return lambda *values: symbol(*(kinds[type(v)](v) for v in values))
        symbol.argtypes = [ctypes.c_float if "float" in p.split() and "*" not in p else ctypes.c_int64
                           for p in declared.parameters]  # fmt: skip
        launcher: Callable[..., int] = symbol
        return launcher

    def _missing(self, name: str) -> Finding:
        declared = self._declared.get(name)
        if declared is not None and not declared.extern_c:
            return _finding("missing-extern-c", "missing-extern-c", self.path, declared.line, function=name)
        near = difflib.get_close_matches(name, self._declared, n=1)
        if near:
            line = self._declared[near[0]].line
            return _finding("missing-export", "misspelt-export", self.path, line, function=name, near=near[0])
        return _finding("missing-export", "missing-export", self.path, None, function=name)

    def _name(self, status: int) -> str:
        name: bytes = self._library.cudaGetErrorName(status)
        return name.decode()

    def _explain(self, function: str, args: Sequence[Arg], returned: int, status: int) -> tuple[Finding, ...]:
        if status == 0:
            return ()
        findings = [finding_of_status(status, self._name(status), function, self.path)]
        if is_sticky(status):
            findings += sanitizer.explain(self.library_path, self.path, function, args)
        elif returned == 0:
            swallowed = {"function": function, "error": self._name(status)}
            findings.append(_finding("error-not-returned", "error-not-returned", self.path, None, **swallowed))
        return tuple(findings)


class _Repeated:
    """The tensors of repeated launches: each starts from the same bytes, with nothing of them in L2."""

    def __init__(self, held: Sequence[Any], torch: Any) -> None:
        self._held = held
        self._pristine = [h.clone() if hasattr(h, "clone") else h for h in held]
        self._filler = torch.empty(_EMPTIER_BYTES, dtype=torch.uint8, device="cuda")
        self.kept: Sequence[Any] = held

    def restore(self) -> None:
        for tensor, pristine in zip(self._held, self._pristine, strict=True):
            if hasattr(tensor, "copy_"):
                tensor.copy_(pristine)
        self._filler.zero_()

    def keep(self) -> None:
        self.kept = [h.clone() if hasattr(h, "clone") else h for h in self._held]


def _finding(code: str, key: str, path: Path, line: int | None, **values: str) -> Finding:
    return Finding(code, Message(f"cuda.{key}", values), str(path), line, "error", "01-03-launch#launch")


def _raw(held: Any, arg: Arg) -> int | float:
    """What the launcher is given for an argument whose tensor, where it has one, is `held`."""
    if isinstance(arg, Buffer):
        return int(held.data_ptr()) + arg.offset
    assert not isinstance(arg, Sparse)
    return arg.value if isinstance(arg, Scalar) else arg


def _to_device(buffer: Buffer, torch: Any) -> Any:
    """The whole allocation on the GPU. torch aligns to 512 bytes, so that `offset` keeps the alignment it had."""
    return torch.from_numpy(buffer.memory).to("cuda")

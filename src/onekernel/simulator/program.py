"""A simulated program: a shared object in this process, called with bytes, answering with a report."""

from __future__ import annotations

import ctypes
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from onekernel.backends import declarations
from onekernel.backends.base import Arg, Buffer, BuildError, CallReport, Finding, Needs, Scalar, Sparse, Untimed
from onekernel.backends.processors import processors
from onekernel.messages import Message
from onekernel.simulator import sparse
from onekernel.simulator.arch import architecture
from onekernel.simulator.compilation.compile import compile_source, require_fit, warnings_of
from onekernel.simulator.compilation.compiler import Compiler, compiler
from onekernel.simulator.compilation.imports import without_use
from onekernel.simulator.doubts import Doubts, doubts_in
from onekernel.simulator.facts.symbols import KINDS
from onekernel.simulator.machine_code.elf import Symbol, of_any_file, shared_sites, symbols, variables
from onekernel.simulator.machine_code.load import Codes, load, packed
from onekernel.simulator.read.errors import error_name
from onekernel.simulator.read.findings import findings_of
from onekernel.simulator.read.lines import Lines
from onekernel.simulator.read.traffic import kernels_of
from onekernel.simulator.rewrite import Source, rewrite
from onekernel.ways import AS_WRITTEN, LEFT, LONG, REFUSED, SPARSE, TURNED

MODES = {"fast": 0, "bounds": 1, "check": 1 | 2, "count": 1 | 2 | 4, "count-only": 1 | 4}
"""Mode -> Option bits of the runtime: bounds, order and first reads, counts."""
COUNTING = ("count", "count-only")

COUNT, TRACE, REFUSE, SAMPLE, BY_CODE, SCRAMBLE, TELL_LEFT, TURN, HALVES = 4, 8, 16, 32, 64, 128, 256, 512, 1024
_SPARSE_SECONDS = 2.0  # of a call on tensors larger than memory, of which some blocks run

_MOST_ARGUMENTS, _MOST_FLOATS = 16, 4


class Simulated(Untimed):
    """A built file. `time_limit`: processor seconds that one call may take on each core before it is stopped."""

    needs = Needs(alone=True)

    def __init__(
        self, source: Source, library: Path, mode: str, time_limit: float, side_stream: bool, exact_requests: bool,
        codes: Codes | None = None, scrambled: bool = False,
    ) -> None:
        self.source = source
        self.mode = mode
        self.time_limit = time_limit
        self.side_stream = side_stream
        self.library = library
        self.exact_requests = exact_requests
        self.codes = codes
        self.scrambled = scrambled
        self.warnings = warnings_of(source, library)
        self.registers: Mapping[str, int] = {}  # kernels' symbols -> of a thread, where NVIDIA's compiler has told
        self.shows: tuple[int, int] = (-1, -1)  # a block and a thread, of a file that was built to show a variable
        self.shown: dict[str, Any] = {}
        self.traced: tuple[int, int] | None = None  # a block (linear index) and one of its warps; where it counts
        self._symbols = symbols(library)
        self._lines = Lines(library, source.files)
        self._functions = {s.offset: s.name for s in self._symbols if s.is_function}

    def prepare(self) -> None:
        """Nothing: the library is loaded at the first call, which is where its code may fail."""

    @cached_property
    def _so(self) -> ctypes.CDLL:
        """The library, loaded at the first call: its constructors are the submission's code, and a grader confines
        the process before any of it runs."""
        so, c = ctypes.CDLL(str(self.library)), ctypes
        so.ok_symbol.argtypes = [c.c_char_p, c.c_uint64, c.c_uint64, c.c_int]
        so.ok_buffer.argtypes = [c.c_char_p, c.c_void_p, c.c_size_t, c.c_size_t, c.c_size_t, c.c_int, c.c_int]
        so.ok_buffer_pointer.restype = c.c_uint64
        so.ok_buffer_take.argtypes = [c.c_int, c.c_void_p]
        so.ok_call.argtypes = [c.c_void_p, c.POINTER(c.c_uint64), c.POINTER(c.c_float), c.c_uint, c.c_double, c.c_int,
                               c.POINTER(c.c_int)]  # fmt: skip
        so.ok_show.argtypes = [c.c_longlong, c.c_longlong]
        so.ok_trace.argtypes = [c.c_uint64, c.c_int]
        so.ok_report.restype = c.c_char_p
        sparse.declare(so)
        so.ok_given_stream.restype = c.c_uint64
        so.ok_code_base_address.restype = c.c_uint64
        for name, symbol in variables(self._symbols, self.source.variables):
            so.ok_symbol(name.encode(), symbol.offset, symbol.size, KINDS.index(self.source.variables[name]))
        so.ok_registers.argtypes = [c.c_uint64, c.c_int]
        so.ok_shared_of.argtypes = [c.c_uint64, c.c_uint64]
        for kernel, site in shared_sites(self._symbols):
            so.ok_shared_of(kernel.offset, site.offset)
        for symbol, number in self._with_registers():
            so.ok_registers(symbol.offset, number)
        if self.codes is not None:
            code = packed(self.codes, self._symbols)
            so.ok_programs.argtypes = [c.c_char_p, c.c_uint64]
            so.ok_programs(code, len(code))
        return so

    def _with_registers(self) -> Iterator[tuple[Symbol, int]]:
        """The kernels here of which NVIDIA's compiler has told the registers."""
        told = {of_any_file(symbol): number for symbol, number in self.registers.items()}
        for symbol in self._symbols:
            if symbol.is_function and (number := told.get(of_any_file(symbol.name))):
                yield symbol, number

    @cached_property
    def _doubts(self) -> Doubts:
        return doubts_in(self.source.files)

    def call(self, function: str, args: Sequence[Arg], way: str = "") -> CallReport:
        """Calls the launcher `function`; a stream is appended. Buffers' memory becomes what the device holds.

        REFUSED as `way`: every launch of a kernel ends in cudaErrorLaunchOutOfResources. LEFT: memory that it
        leaves allocated is reported, that of earlier calls with it. TURNED: blocks run from the last to the first.
        LONG: of races nothing is said, and nothing is counted. AS_WRITTEN: machine code is not counted.

        Raises BuildError if the file does not export `function`, or with another number of parameters.
        """
        address = self._address(function, len(args) + 1)
        started = time.perf_counter()
        ids: dict[int, int] = {}
        # The C ABI passes floats in registers of their own: the others keep their order without them.
        floats = [a.value for a in args if isinstance(a, Scalar) and isinstance(a.value, float)]
        words = [self._word(a, ids) for a in args if not (isinstance(a, Scalar) and isinstance(a.value, float))]
        words.append(self._so.ok_given_stream(int(self.side_stream)))
        values = (ctypes.c_uint64 * _MOST_ARGUMENTS)(*words)
        reals = (ctypes.c_float * _MOST_FLOATS)(*floats)
        status = ctypes.c_int(0)
        cores = processors()
        options = MODES[self.mode]
        if self.traced is not None and options & COUNT:
            self._so.ok_trace(*self.traced)
            options |= TRACE
        if self.scrambled:
            options |= SCRAMBLE
        if way == REFUSED:
            options |= REFUSE
        if way == LEFT:
            options |= TELL_LEFT
        if way == TURNED:
            options |= TURN
        if way == LONG:
            options = options & ~MODES["count"] | MODES["bounds"]
        if way == SPARSE:
            options = MODES["check"] | SAMPLE  # races in shared memory: of what other blocks touch nobody knows
        if self.codes is not None and options & COUNT and way != AS_WRITTEN:
            options |= BY_CODE
        if not self.source.wide_types:
            options |= HALVES
        limit = min(self.time_limit, _SPARSE_SECONDS) if way == SPARSE else self.time_limit
        self._so.ok_show(*self.shows)
        self._so.ok_call(address, values, reals, options, limit, cores, ctypes.byref(status))
        report: dict[str, Any] = json.loads(self._so.ok_report())
        self.shown = report["shown"]
        for arg in args:
            if isinstance(arg, Sparse):
                sparse.take(self._so, ids[id(arg)], arg)
            if isinstance(arg, Buffer) and id(arg) in ids:
                out = np.empty(max(arg.memory.size, 1), np.uint8)
                self._so.ok_buffer_take(ids.pop(id(arg)), out.ctypes.data)
                arg.memory[:] = out[: arg.memory.size]
        sparse.free(self._so, [ids.pop(id(arg)) for arg in args if isinstance(arg, Sparse)])
        seconds = time.perf_counter() - started
        path = str(self.source.path)
        return CallReport(
            status=status.value,
            status_name=error_name(status.value),
            findings=findings_of(report, self._lines, path, self._functions),
            kernels=kernels_of(report, self._lines, path, self._functions, self.mode, self.exact_requests,
                               self._doubts, self.codes.places if self.codes else ()),
            seconds=seconds,
        )

    def _word(self, arg: Arg, ids: dict[int, int]) -> int:
        if isinstance(arg, Buffer):
            return self._place(arg, ids)
        if isinstance(arg, Sparse):
            ids[id(arg)] = sparse.place(self._so, arg)
            return int(self._so.ok_buffer_pointer(ids[id(arg)]))
        return int(arg.value if isinstance(arg, Scalar) else arg) & 0xFFFFFFFFFFFFFFFF

    def _place(self, buffer: Buffer, ids: dict[int, int]) -> int:
        if id(buffer) not in ids:
            memory, unread = np.ascontiguousarray(buffer.memory), buffer.writable and not buffer.filled
            number = self._so.ok_buffer(buffer.name.encode(), memory.ctypes.data, memory.size, buffer.offset,
                                        buffer.extent, max(buffer.itemsize, 1), int(unread))  # fmt: skip
            if not number:
                raise MemoryError(f"{buffer.name}: {memory.size} bytes do not fit the simulated device")
            if self.scrambled:
                buffer.memory.fill(0)  # the host is not to find here what the device holds
            ids[id(buffer)] = number
        return int(self._so.ok_buffer_pointer(ids[id(buffer)]))

    def _address(self, function: str, parameters: int) -> int:
        symbol = next((s for s in self._symbols if s.name == function and s.exported and s.is_function), None)
        path = str(self.source.path)
        if symbol is None:
            hidden = any(s.is_function and s.name.startswith(f"_Z{len(function)}{function}") for s in self._symbols)
            others = ", ".join(sorted(self.source.exports))
            key = "not-extern-c" if hidden else "missing-export"
            said = key if hidden or self.source.exports else "no-export"
            raise BuildError([Finding(key, Message(f"simulator.{said}", {"name": function, "others": others}), path)])
        has = self.source.exports.get(function)
        if has is not None and has != parameters:
            values = {"name": function, "has": has, "wanted": parameters}
            raise BuildError([Finding("wrong-signature", Message("simulator.wrong-signature", values), path)])
        return int(self._so.ok_code_base_address()) + symbol.offset


def build(
    path: str | Path,
    mode: str = "check",
    *,
    prototypes: Sequence[str] = (),
    defines: Sequence[str] = (),
    time_limit: float = 10.0,
    side_stream: bool = False,
    with_compiler: str | None = None,
    arch: str | None = None,
    machine_code: bool = True,
    show: str | None = None,
    scrambled: bool = False,
) -> Simulated:
    """Builds a `.cu` file for the simulator.

    `mode`: "fast" runs on all cores and checks little; "bounds" does too and finds accesses outside of tensors and
    shared arrays; "check" also finds races and reads of what nobody wrote; "count" also counts requests, sectors and
    bank conflicts; "count-only" counts them on all cores, and finds what "bounds" does. `prototypes` are the C
    declarations that the file's launchers are held to; `defines` are macros as of -D.
    `side_stream`: launchers are given a non-blocking stream, as PyTorch makes them, and not the default one; work
    that is not ordered with it is then a finding. `with_compiler`: a C++ compiler's name or path. `arch`: the card
    to model, "sm_80" or "sm_90"; else what ONEKERNEL_ARCH says, else sm_80. `show`: a variable of which one
    thread's values are kept (`shows`, `shown`). `scrambled`: what copies and managed memory bring to the host is
    not what the device holds, but for 64 bytes a call (a size, a flag): the host is not to compute. Nothing of the
    file runs before the first call.
    Raises BuildError for a file that does not build, Unavailable where no C++ compiler is installed.
    """
    chosen: Compiler = compiler(with_compiler)
    source = rewrite(Path(path).resolve(), architecture(arch), show)
    library, whole_vectors = compile_source(source, mode, chosen, defines)
    if scrambled and (found := without_use(library, [(p, p.read_text("utf-8-sig", "replace")) for p in source.files])):
        raise BuildError(found)
    declarations.hold_to(prototypes, declarations.functions(source.path.read_text(encoding="utf-8")), source.path)
    # clang takes vector types apart whose copies are not spelled out: one access may count as several.
    exact = chosen.family == "g++" or (whole_vectors and not source.aligned_types)
    require_fit([source], symbols(library))
    codes = load(source.path, source.files, source.arch) if mode in COUNTING and machine_code else None
    return Simulated(source, library, mode, time_limit, side_stream, exact, codes, scrambled)

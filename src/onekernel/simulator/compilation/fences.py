"""What a graded file, the runtime and the libraries are to each other once they are linked, settled in the file's
object, where no macro, lambda or pointer hides anything.

A function that the file defines under a name that the runtime asks a library for, `strlen`, `operator new`, would be
called by the runtime, with device memory open: it becomes the file's alone. And whoever calls a function of a library
comes by a gate that asks whether a kernel runs: code of a library has no hooks, so nothing would see what it moves.

Behind the variables of the device there are gaps: where an index leaves one, it is not to come into the next. Each
variable has a section of its own (-fdata-sections), and the linker lays sections out one after the other: a section
that says that it is longer leaves a gap.
"""

from __future__ import annotations

import ctypes
import platform
import re
import struct
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from pathlib import Path

from onekernel.simulator.compilation.compiler import Compiler
from onekernel.simulator.compilation.imports import OF_DEVICE
from onekernel.simulator.compilation.parts import require_room, run_compiler
from onekernel.simulator.machine_code.elf import defined, demangled, sections, symbols_of, undefined, variables
from onekernel.simulator.paths import RUNTIME

GATE = "ok_gate_"  # the gate of a function is called so, with its name behind
_REAL = "__real_"  # what the linker calls a function that the runtime stands before
_LIBRARIES = ("libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1")
_OF_EACH = "DW.ref."  # what a compiler puts into each object that knows exceptions
_FUNCTIONS = (2, 10)  # STT_FUNC, STT_GNU_IFUNC
_DL_SYMENT = 1
# A gate hands its name and where it was called from to ok_gate, which leaves every register of an argument as it was.
_GATES = {
    "x86_64": """ leaq 9f(%rip), %r11
 call ok_gate
 jmp {name}@PLT
9: .string "{said}"
""",
    "aarch64": """ adr x17, 9f
 mov x16, x30
 stp x29, x30, [sp, #-16]!
 bl ok_gate
 ldp x29, x30, [sp], #16
 b {name}
9: .string "{said}"
""",
}
_GATE = {
    "x86_64": """ pushq %rbp
 movq %rsp, %rbp
 pushq %rax
 pushq %rdi
 pushq %rsi
 pushq %rdx
 pushq %rcx
 pushq %r8
 pushq %r9
 pushq %r10
 subq $128, %rsp
 andq $-16, %rsp
 movups %xmm0, (%rsp)
 movups %xmm1, 16(%rsp)
 movups %xmm2, 32(%rsp)
 movups %xmm3, 48(%rsp)
 movups %xmm4, 64(%rsp)
 movups %xmm5, 80(%rsp)
 movups %xmm6, 96(%rsp)
 movups %xmm7, 112(%rsp)
 movq %r11, %rdi
 movq 16(%rbp), %rsi
 call ok_library_of_host@PLT
 movups (%rsp), %xmm0
 movups 16(%rsp), %xmm1
 movups 32(%rsp), %xmm2
 movups 48(%rsp), %xmm3
 movups 64(%rsp), %xmm4
 movups 80(%rsp), %xmm5
 movups 96(%rsp), %xmm6
 movups 112(%rsp), %xmm7
 leaq -64(%rbp), %rsp
 popq %r10
 popq %r9
 popq %r8
 popq %rcx
 popq %rdx
 popq %rsi
 popq %rdi
 popq %rax
 popq %rbp
 ret
""",
    "aarch64": """ stp x29, x30, [sp, #-224]!
 stp x0, x1, [sp, #16]
 stp x2, x3, [sp, #32]
 stp x4, x5, [sp, #48]
 stp x6, x7, [sp, #64]
 str x8, [sp, #80]
 stp q0, q1, [sp, #96]
 stp q2, q3, [sp, #128]
 stp q4, q5, [sp, #160]
 stp q6, q7, [sp, #192]
 mov x0, x17
 mov x1, x16
 bl ok_library_of_host
 ldp x0, x1, [sp, #16]
 ldp x2, x3, [sp, #32]
 ldp x4, x5, [sp, #48]
 ldp x6, x7, [sp, #64]
 ldr x8, [sp, #80]
 ldp q0, q1, [sp, #96]
 ldp q2, q3, [sp, #128]
 ldp q4, q5, [sp, #160]
 ldp q6, q7, [sp, #192]
 ldp x29, x30, [sp], #224
 ret
""",
}


def put_up(
    built: Path, runtime: Sequence[Path], with_compiler: Compiler, work: Path, *, open_to: Collection[str] = ()
) -> list[Path]:
    """Changes the object file `built` of a graded file; what is to be linked with it. Kernels may call what is
    `open_to` them. Raises BuildError."""
    own = sorted(defined(built) & set[str]().union(*map(_asked, runtime)))
    ours = set[str](open_to).union(*map(_brought, runtime))
    gated = [n for n, weak in undefined(built).items() if not weak and n not in ours and _has_a_gate(n)]
    changes = [*(f"--localize-symbol={n}" for n in own), *(f"--redefine-sym={n}={GATE}{n}" for n in gated)]
    if changes:
        objcopy = run_compiler([with_compiler.path, "-print-prog-name=objcopy"]).stdout.strip()
        require_room(run_compiler([objcopy, *changes, str(built)]))
    if not gated:
        return []
    text, gates = work / "gates.s", work / "gates.o"
    text.write_text(_text(gated), encoding="utf-8")
    require_room(run_compiler([with_compiler.path, "-c", str(text), "-o", str(gates)]))
    return [gates]


def stand_in(built: Path, runtime: Sequence[Path]) -> list[str]:
    """What the object file `built` of a graded file defines under names that the runtime itself has: hooks that see
    nothing, what writes the report. Whatever a macro pastes or a pragma renames, here it has its name."""
    both = defined(built) & set[str]().union(*map(_brought, runtime))
    # An inline function of a header both may have, each as weakly as the other.
    theirs = both - (defined(built, weakly=True) & set[str]().union(*map(_weakly_brought, runtime)))
    return [_said(name) for name in sorted(theirs) if not name.startswith(_OF_EACH)]


@cache
def _asked(runtime: Path) -> frozenset[str]:
    return frozenset(name.removeprefix(_REAL) for name in undefined(runtime))


@cache
def _brought(runtime: Path) -> frozenset[str]:
    return defined(runtime)


@cache
def _weakly_brought(runtime: Path) -> frozenset[str]:
    return defined(runtime, weakly=True)


def _has_a_gate(name: str) -> bool:
    return not OF_DEVICE.fullmatch(name) and _is_function(name)


def _text(gated: Iterable[str]) -> str:
    machine = platform.machine()
    begin = '.section .note.GNU-stack,"",%progbits\n.text\n.balign 16\nok_gate:\n' + _GATE[machine]
    of_each = (
        f".balign 16\n.globl {GATE}{n}\n.hidden {GATE}{n}\n.type {GATE}{n}, %function\n{GATE}{n}:\n"
        + _GATES[machine].format(name=n, said=_said(n))
        for n in gated
    )
    return begin + "".join(of_each)


def _said(name: str) -> str:
    """A function's name as people write it, without its parameters."""
    return re.sub(r"[\\\"\n].*", "", demangled(name).partition("(")[0])


class _Found(ctypes.Structure):  # Dl_info
    _fields_ = [
        ("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p), ("at", ctypes.c_void_p),
    ]  # fmt: skip


@cache
def _is_function(name: str) -> bool:
    """Whether one of the libraries that every program is linked with has a function of that name; variables, and what
    the linker makes, have no gate. Source: dladdr1(3)."""
    for library in _LIBRARIES:
        try:
            handle = ctypes.CDLL(library)
            at = ctypes.cast(getattr(handle, name), ctypes.c_void_p)
        except (OSError, AttributeError):
            continue
        found, entry = _Found(), ctypes.c_void_p()
        if not ctypes.CDLL(None).dladdr1(at, ctypes.byref(found), ctypes.byref(entry), _DL_SYMENT) or not entry.value:
            return True  # the address of a function that is chosen when it is asked for
        return ctypes.c_ubyte.from_address(entry.value + 4).value & 15 in _FUNCTIONS
    return False


_PLACE_AT = 24  # of a section's header: where its bytes begin in the file, and how many it has
_ALIGNED = 64
_NO_BYTES = 8  # SHT_NOBITS: all of it begins as 0
_MERGED = 16  # SHF_MERGE: what is alike in several such sections is kept once
GAP_BYTES = int(re.search(r"SYMBOL_GAP = (\d+)", (RUNTIME / "memory" / "memory.h").read_text("utf-8"))[1])  # type: ignore[index]
"""Of a gap, as the runtime knows it."""


def leave_gaps(built: Path, names: Iterable[str]) -> None:
    """Makes the sections of the object file `built` longer that hold one of the variables `names` and nothing else."""
    data, headers = sections(built)
    table = struct.unpack_from("<Q", data, 40)[0]
    entry = struct.unpack_from("<H", data, 58)[0]
    changed = bytearray(data)
    for _, symbol in variables(symbols_of(data, headers), names):
        header = headers[symbol.section]
        if symbol.offset or header[5] != symbol.size or header[2] & _MERGED:
            continue  # it shares its section
        begin = header[4]
        if header[1] != _NO_BYTES:  # its bytes go to the file's end, where there is room
            begin = -(-len(changed) // _ALIGNED) * _ALIGNED
            changed += bytes(begin - len(changed)) + data[header[4] : header[4] + symbol.size] + bytes(GAP_BYTES)
        struct.pack_into("<QQ", changed, table + symbol.section * entry + _PLACE_AT, begin, symbol.size + GAP_BYTES)
    if changed != data:
        built.write_bytes(changed)

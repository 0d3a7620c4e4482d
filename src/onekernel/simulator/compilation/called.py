"""What the device's functions call of the host's libraries, read from the object: whatever it is called by in the text,
the libraries' code has no hooks, so nothing would see what it loads and stores.
"""

from __future__ import annotations

import re
from pathlib import Path

from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.simulator.facts.functions import BOTH, Function
from onekernel.simulator.machine_code.elf import References, plain_name, references
from onekernel.simulator.rewrite.source import SIDES, Source

_MATH = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1 fabs fdim floor"
    " fma fmax fmin fmod frexp hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround"
    " modf nan nearbyint nextafter pow remainder remquo rint round scalbln scalbn sin sincos sinh sqrt tan tanh tgamma"
    " trunc y0 y1 yn"
)
_LONG = ("sqrt", "cbrt", "hypot", "exp", "log", "sin", "cos", "erfc")
OF_DEVICE = re.compile(
    # Those in long double are what the runtime computes functions of double with, rsqrt and sinpi among them.
    rf"(?:{'|'.join(_MATH.split())})f?|(?:{'|'.join(_LONG)})l|abs|labs|llabs|printf|malloc|free|clock|mem(?:cpy|move|set)"
    # The machinery's, and the compiler's own.
    r"|_GLOBAL_OFFSET_TABLE_|ok_\w+|_ZN4__ok\w+|_ZTVN4__ok\w+|__[tu]\w*san_\w+|_Unwind_Resume\w*|__gxx_\w+|__cxa_(?!demangle)\w+"
    r"|_Z[nd][wal]\w+|__stack_chk_fail|__tls_get_addr|__assert_fail|abort|__clang_\w+"
    # What the C++ library computes complex numbers with.
    r"|c(?:abs|arg|exp|log|log10|pow|sqrt|a?sinh?|a?cosh?|a?tanh?)f?"
    r"|__(?:add|sub|mul|div|mod|fix|float|extend|trunc)\w+|fe[gs]etround|_ZSt\d+__throw_\w+|_ZSt9terminatev"
)

SHOWS = "snprintf"  # what writes a value down for `onekernel show`
# What moves bytes between places that it is given; a kernel could call it by its address.
_MOVES = re.compile(
    r"_*(?:mem|str|stp|wcs|wcp|wmem|bcopy|swab|qsort|bsearch|lfind|lsearch)\w*"
    r"|\w*(?:printf|scanf)\w*|f?(?:gets|puts)\w*|get(?:line|delim)|(?:f|p|process_vm_)?(?:read|write)v?(?:64)?"
    r"|recv\w*|send\w*|v?splice|tee|syscall|ioctl|_ZNK?S(?:s|t7__cxx1112basic_string)\w+(?<!D[012]Ev)"
)


def library_uses(source: Source, built: Path) -> list[Finding]:
    """A finding for each function of the device and each name of the libraries that its code in the object `built`
    refers to; where there is none, for each function of theirs that moves bytes and whose address the object takes."""
    used = references(built)
    return _calls(source, used) or _addresses(source, used)


def _calls(source: Source, used: References) -> list[Finding]:
    known: dict[str, Function] = {f.name: f for d in source.declared.values() for f in d.functions if _on_device(f)}
    files = {f.name: path for path, d in source.declared.items() for f in d.functions if f.name in known}
    found = []
    for symbol, names in used.by_function.items():
        function = known.get(plain_name(symbol.partition(".")[0]))
        for name in sorted(names) if function else ():
            ours = name == SHOWS and source.show
            if function and not ours and not OF_DEVICE.fullmatch(name) and name not in source.variables:
                why = Message("language.library-of-host", {"name": name, "caller": function.name})
                found.append(Finding("library-of-host", why, str(files[function.name]), function.line, chapter=SIDES))
    return found


def _addresses(source: Source, used: References) -> list[Finding]:
    moving = sorted(n for n in used.taken if _MOVES.fullmatch(n))
    lines = source.path.read_text(encoding="utf-8", errors="replace").splitlines() if moving else []
    found = []
    for name in moving:
        written = re.compile(rf"\b{re.escape(name)}\b")
        line = next((n for n, text in enumerate(lines, 1) if written.search(text)), None)
        why = Message("language.library-address", {"name": name})
        found.append(Finding("library-address", why, str(source.path), line, chapter=SIDES))
    return found


def _on_device(function: Function) -> bool:
    return function.on_device or (function.side == BOTH and "__device__" in function.head)

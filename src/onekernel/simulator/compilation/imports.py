"""What a built file asks of the system. A launcher that is graded calls the CUDA runtime and computes; whoever changes
the protection of memory, catches signals or jumps out of a kernel wants device memory open to the host.

The names are those of the object: a macro that pastes them together hides nothing. A weak name, which may stay without
a meaning when the file is linked, is one of whatever program this process is.

And what the device's functions call of the host's libraries: whatever it is called by in the text, the libraries' code
has no hooks, so nothing would see what it loads and stores.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from onekernel.backends.base import Finding
from onekernel.messages import Message
from onekernel.simulator.facts.functions import BOTH, Function
from onekernel.simulator.machine_code.elf import References, plain_name, references
from onekernel.simulator.rewrite import SIDES, Source

IMPORTS = ".imports"  # beside a build: the names that its object does not define itself
_WITHOUT_USE = re.compile(
    r"(?:pkey_)?mprotect|mremap|mmap(?:64)?|munmap|madvise|mincore|remap_file_pages|userfaultfd|memfd_create|shm_open"
    r"|syscall|dlopen|dlm?v?sym|dlmopen|dladdr1?|dlinfo|dl_iterate_phdr|__libc_dlsym|_dl_\w+|__tls_get_addr_slow"
    r"|sigaction|s?signal|sigset|bsd_signal|sysv_signal|__sysv_signal|sigaltstack|sigwait\w*|signalfd"
    r"|(?:set|get)itimer|alarm|ualarm|timer_\w+|timerfd_\w+"
    r"|_?_?(?:sig)?setjmp|_?(?:sig)?longjmp|____longjmp_chk|__longjmp_chk|(?:get|set|make|swap)context"
    r"|pthread_\w+|thrd_\w+|_ZNSt6thread\w*|_ZNSt13__future_base\w*|clone|__clone"
    r"|process_(?:vm_\w+|madvise)|ptrace|prctl|arch_prctl|vmsplice|splice|tee|p?writev?(?:64v?2?)?|sendfile(?:64)?|pipe2?|dup[23]?"
    r"|getauxval|_r_debug\w*|_rtld_\w+|_DYNAMIC|libc_stack_end|personality|iopl|ioperm|modify_ldt|iconv_open|gconv_\w+"
    r"|shm(?:get|at|dt|ctl)|msg(?:get|snd|rcv|ctl)|sem(?:get|op|ctl|timedop)|mq_\w+|getrusage|wait[34]|mallinfo2?|malloc_(?:info|stats)|s?brk|aio_\w+|lio_\w+|getaddrinfo_a|memfd_\w+|ffi_\w+|_?Py\w+"
    r"|ok_(?:buffer\w*|sparse\w*|call|symbol|report|show|trace|code_base_address|given_stream)"
)  # fmt: skip
# The C library's names for its own use, most of which mean what the plain ones do.
_PRIVATE = re.compile(r"_+(?:libc_|GI_)?")
# Weak names that a compiler makes by itself: of variables that each thread has, of guards for a single thread.
_WEAK = re.compile(r"_ZT[HW]\w+|_ITM_\w+|__gmon_start__|__cxa_\w+|__pthread_key_create|_?_gthrw\w*|__[tu]\w*san_\w+")
# What the headers of the simulator leave to its runtime, of the names that only C++ writes: api/ok/*.h.
_OF_THE_RUNTIME = re.compile(r"_ZN4__ok(?!4trap|13assert_failed|14missing_return)\w+")
# Texture units, whose requests are not counted, and the words that ask for them.
_TEXTURES = re.compile(r"ok_(?:texture|surface)_\w+")
_TEXTURE_WORDS = re.compile(r"\b(?:(?:tex|surf)[123]D\w*|cudaCreate(?:Texture|Surface)Object)\b")
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


def without_use(library: Path, texts: Iterable[tuple[Path, str]]) -> list[Finding]:
    """A finding for each function that no launcher needs, at the line of `texts` that names it, where one does. What
    was built without a list of them, imports nothing that is known."""
    try:
        names = read(library.with_suffix(IMPORTS).read_text(encoding="utf-8"))
    except OSError:
        return []
    found = [name for name, weak in names.items() if _is_without_use(name, weak=weak)]
    files = list(texts)
    textures = [_texture(files)] if any(_TEXTURES.fullmatch(n) for n in names) else []
    return [*textures, *(_finding(name, files) for name in found)]


def written(names: Mapping[str, bool]) -> str:
    """What is kept of a build: a name on each line, with a mark where it is weak."""
    return "".join(f"{name}{' weak' if weak else ''}\n" for name, weak in names.items())


def read(text: str) -> dict[str, bool]:
    """The names of `written`."""
    return {name: bool(weak) for name, _, weak in (line.partition(" ") for line in text.splitlines())}


def _is_without_use(name: str, *, weak: bool) -> bool:
    plain = _PRIVATE.sub("", name, count=1)
    refused = _WITHOUT_USE.fullmatch(name) or _WITHOUT_USE.fullmatch(plain) or _OF_THE_RUNTIME.fullmatch(name)
    return bool(refused) or (weak and not _WEAK.fullmatch(name))


def _texture(files: list[tuple[Path, str]]) -> Finding:
    for path, text in files:
        for number, line in enumerate(text.splitlines(), 1):
            if (word := _TEXTURE_WORDS.search(line)) and not line.lstrip().startswith(("#", "//")):
                message = Message("simulator.graded-texture", {"name": word[0]})
                return Finding("unsupported", message, str(path), number)
    return Finding("unsupported", Message("simulator.graded-texture", {"name": "tex2D"}), str(files[0][0]))


def _finding(name: str, files: list[tuple[Path, str]]) -> Finding:
    shown = "std::thread" if name.startswith("_ZNSt6thread") else name.lstrip("_")
    word = re.compile(rf"\b{re.escape(shown.removeprefix('std::'))}\b")
    for path, text in files:
        for number, line in enumerate(text.splitlines(), 1):
            if word.search(line) and not line.lstrip().startswith(("#", "//")):
                return Finding("host-function", Message("simulator.host-function", {"name": shown}), str(path), number)
    return Finding("host-function", Message("simulator.host-function", {"name": shown}), str(files[0][0]))


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

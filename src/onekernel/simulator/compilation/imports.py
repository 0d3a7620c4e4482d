"""What a built file asks of the system. A launcher that is graded calls the CUDA runtime and computes; whoever changes
the protection of memory, catches signals or jumps out of a kernel wants device memory open to the host.

The names are those of the object: a macro that pastes them together hides nothing. A weak name, which may stay without
a meaning when the file is linked, is one of whatever program this process is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from onekernel.backends.base import Finding
from onekernel.messages import Message

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

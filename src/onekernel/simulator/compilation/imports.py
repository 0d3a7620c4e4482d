"""What a built file asks of the system. A launcher that is graded calls the CUDA runtime and computes; whoever changes
the protection of memory, catches signals or jumps out of a kernel wants device memory open to the host.

The names are those of the object: a macro that pastes them together hides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from onekernel.backends.base import Finding
from onekernel.messages import Message

IMPORTS = ".imports"  # beside a build: the names that its object does not define itself
_WITHOUT_USE = re.compile(
    r"(?:pkey_)?mprotect|mremap|mmap(?:64)?|munmap|madvise|mincore|remap_file_pages|userfaultfd|memfd_create|shm_open"
    r"|syscall|dlopen|dlm?v?sym|dlmopen|dladdr1?|dlinfo|dl_iterate_phdr|__libc_dlsym|_dl_\w+|__tls_get_addr_slow"
    r"|sigaction|signal|sigset|bsd_signal|sysv_signal|__sysv_signal|sigaltstack|sigwait\w*|signalfd"
    r"|(?:set|get)itimer|alarm|ualarm|timer_\w+|timerfd_\w+"
    r"|_?_?(?:sig)?setjmp|_?(?:sig)?longjmp|____longjmp_chk|__longjmp_chk|(?:get|set|make|swap)context"
    r"|pthread_\w+|thrd_\w+|_ZNSt6thread\w*|_ZNSt13__future_base\w*|clone|__clone"
    r"|process_(?:vm_\w+|madvise)|ptrace|prctl|arch_prctl|vmsplice|splice|tee|p?writev?(?:64v?2?)?|sendfile(?:64)?|pipe2?|dup[23]?"
    r"|ok_(?:buffer\w*|sparse\w*|call|symbol|report|show|trace|code_base_address|given_stream)"
)  # fmt: skip
# What the headers of the simulator leave to its runtime, of the names that only C++ writes: api/ok/*.h.
_OF_THE_RUNTIME = re.compile(r"_ZN4__ok(?!4trap|13assert_failed|14missing_return)\w+")
# Texture units, whose requests are not counted, and the words that ask for them.
_TEXTURES = re.compile(r"ok_(?:texture|surface)_\w+")
_TEXTURE_WORDS = re.compile(r"\b(?:(?:tex|surf)[12]D\w*|cudaCreate(?:Texture|Surface)Object)\b")


def without_use(library: Path, texts: Iterable[tuple[Path, str]]) -> list[Finding]:
    """A finding for each function that no launcher needs, at the line of `texts` that names it, where one does. What
    was built without a list of them, imports nothing that is known."""
    try:
        names = library.with_suffix(IMPORTS).read_text(encoding="utf-8").split()
    except OSError:
        return []
    found = [n for n in names if _WITHOUT_USE.fullmatch(n) or _OF_THE_RUNTIME.fullmatch(n)]
    files = list(texts)
    textures = [_texture(files)] if any(_TEXTURES.fullmatch(n) for n in names) else []
    return [*textures, *(_finding(name, files) for name in found)]


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

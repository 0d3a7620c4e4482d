"""Where a count must not cost points: NVIDIA's compiler may make less of a kernel than was counted as it is written."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from onekernel.counts import KernelCounts
from onekernel.messages import Message

OF_REQUESTS = ("merges", "repeats", "apart", "early", "narrows")
OF_BYTES = ("repeats", "early", "narrows")  # those that are asked for: accesses that are merged ask for as many


def uncertain(
    kernels: Sequence[KernelCounts], space: str | None, kinds: Collection[str] = OF_REQUESTS
) -> Message | None:
    """The first access to that space ("global" or "shared" memory) of which the compiler may make less, in one of those
    ways; None: there is none, or the count is of neither."""
    for kernel in kernels:
        for _file, line, where, what in kernel.extra.get("doubts", ()):
            if where == space and (told := [kind for kind in what if kind in kinds]):
                return Message(f"grading.compiler-{told[0]}", {"line": line})
    return None

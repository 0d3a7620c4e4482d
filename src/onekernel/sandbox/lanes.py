"""Processes that share the calls of a job on a GPU, its lanes: how many there are, and who makes which call.

Triton compiles a kernel at its first launch, for each kind of call anew, which takes a core half a second: what a check
asks of a file on a GPU keeps one core busy for a minute and a half. So its calls are dealt to as many processes as this
machine has room for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from onekernel.backends.processors import processors
from onekernel.sandbox import gpu_state, machine

MOST = 16
LANE_BYTES = 1 << 30  # of the machine's memory: Python, torch and a compiler at work
CONTEXT_BYTES = 2 << 30  # of the GPU's: a context, torch's pool, the tensors of a call
LEAST_BESIDE = 4  # lanes of a job beside others: few of those have lanes
_beside = 1
_gpu_free: int | None = None


def share_with(graders: int, gpu_free: int | None) -> None:
    """From here on this process is one of so many that grade at the same time, and began with so many bytes free on the
    GPU (`gpu_free`): what some calls take for a moment does not say how many may work there."""
    global _beside, _gpu_free
    _beside, _gpu_free = max(1, graders), gpu_free


def gpu_free() -> int | None:
    """The bytes that are free on a GPU now; None where no driver says."""
    return gpu_state.memory_free(gpu_state.library())


def beside_others() -> bool:
    return _beside > 1


def share() -> int:
    """The processors that are this grader's."""
    return max(1, processors() // _beside)


def graders(most: int, *, on_gpu: bool) -> int:
    """How many may grade at the same time, of at most `most`: one more than there are processors, as far as memory, and
    on a GPU its own, has room for them."""
    room = machine.memory_free() // (2 * LANE_BYTES)
    free = gpu_free() if on_gpu else None
    return max(1, min(most, processors() + 1, room, *([free // CONTEXT_BYTES] if free is not None else [])))


def many() -> int:
    """How many lanes a job on the GPU may have now."""
    cores = processors()
    lanes = min(cores, max(LEAST_BESIDE, share()), machine.memory_free() // (LANE_BYTES * _beside), MOST)
    free = _gpu_free if beside_others() else gpu_free()
    return max(1, lanes if free is None else min(lanes, free // (CONTEXT_BYTES * _beside)))


def dealt(kinds: Sequence[Hashable], lanes: int) -> list[int]:
    """The lane of each call, by its kind; none where one process makes all. Calls of a kind share a lane: what is
    compiled, or wrongly kept, at the first of them is met at the next."""
    of_kind = Counter(kinds)
    if min(lanes, len(of_kind)) < 2:
        return []
    load = [0] * lanes
    lane_of = {}
    for kind, calls in of_kind.most_common():
        lane_of[kind] = load.index(min(load))
        load[lane_of[kind]] += calls
    return [lane_of[kind] for kind in kinds]

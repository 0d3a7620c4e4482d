"""What the driver says of the GPUs: errors of their memory, cards that are gone, clocks that the hardware holds down.

Asked of NVML itself (libnvidia-ml, part of every driver), so that it needs no package and no context on the card.
Source of the numbers: NVML API reference, nvmlReturn_t, nvmlMemoryErrorType_t and nvmlClocksEventReasons.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from onekernel.messages import Message
from onekernel.sandbox.machine import MachineFault

_SUCCESS, _GPU_IS_LOST, _RESET_REQUIRED = 0, 15, 16
_UNCORRECTED, _VOLATILE = 1, 0
_SLOWED = 0x08 | 0x40 | 0x80  # by the hardware: slowdown, too hot, power brake. A power cap is every busy card's.


@dataclass(frozen=True)
class Card:
    """A GPU as the driver has it now: uncorrected errors of its memory since the driver was loaded (None where it has
    no ECC), whether it is lost or wants a reset, whether the hardware holds its clocks down."""

    errors: int | None = None
    lost: bool = False
    slowed: bool = False


def library() -> Any:
    """NVML, ready to be asked; None where there is no driver."""
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None
    return nvml if nvml.nvmlInit_v2() == _SUCCESS else None


def cards(nvml: Any) -> tuple[Card, ...]:
    """Every GPU of this machine; none without a driver (`library`)."""
    if nvml is None:
        return ()
    count = ctypes.c_uint()
    if nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) != _SUCCESS:
        return ()
    return tuple(_card(nvml, index) for index in range(count.value))


def _card(nvml: Any, index: int) -> Card:
    handle, errors, reasons = ctypes.c_void_p(), ctypes.c_ulonglong(), ctypes.c_ulonglong()
    found = nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle))
    if found != _SUCCESS:
        return Card(lost=found in (_GPU_IS_LOST, _RESET_REQUIRED))
    counted = nvml.nvmlDeviceGetTotalEccErrors(handle, _UNCORRECTED, _VOLATILE, ctypes.byref(errors))
    held = nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle, ctypes.byref(reasons))
    lost = {counted, held} & {_GPU_IS_LOST, _RESET_REQUIRED}
    slowed = held == _SUCCESS and bool(reasons.value & _SLOWED)
    return Card(errors.value if counted == _SUCCESS else None, bool(lost), slowed)


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


def memory_free(nvml: Any) -> int | None:
    """Bytes that are free on the GPU that has fewest; None where no driver says."""
    count, found = ctypes.c_uint(), []
    if nvml is None or nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) != _SUCCESS:
        return None
    for index in range(count.value):
        handle, memory = ctypes.c_void_p(), _Memory()
        known = nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)) == _SUCCESS
        if known and nvml.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)) == _SUCCESS:
            found.append(memory.free)
    return min(found, default=None)


def require(before: Sequence[Card], after: Sequence[Card], *, timed: bool) -> None:
    """Raises MachineFault where a card got lost between two looks, or met an error in its memory, or, if what was lost
    are points for speed (`timed`), was held down by its hardware."""
    for number, card in enumerate(after):
        was = before[number] if number < len(before) else Card()
        if card.lost:
            raise MachineFault(Message.of("grading.machine-gpu-lost", number=number))
        if (card.errors or 0) > (was.errors or 0):
            raise MachineFault(Message.of("grading.machine-gpu-memory", number=number))
        if timed and (card.slowed or was.slowed):
            raise MachineFault(Message.of("grading.machine-gpu-slowed", number=number))
    if len(after) < len(before):
        raise MachineFault(Message.of("grading.machine-gpu-lost", number=len(after)))

"""How many programs fit on a multiprocessor, from registers, warps and shared memory.

Limits: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". Registers are dealt to a warp in
steps of 256, and each block keeps 1 KiB of shared memory for the system (8.0 and newer).
"""

from __future__ import annotations

from dataclasses import dataclass

REGISTERS = 65536
REGISTER_STEP = 256
SYSTEM_SHARED = 1024


@dataclass(frozen=True)
class Limits:
    """What one multiprocessor holds at most, and how many a well-known card of the architecture has."""

    warps: int
    blocks: int
    shared: int  # bytes
    multiprocessors: int


LIMITS = {
    "sm_80": Limits(64, 32, 164 << 10, 108),  # A100
    "sm_86": Limits(48, 16, 100 << 10, 82),  # RTX 3090
    "sm_89": Limits(48, 24, 100 << 10, 128),  # RTX 4090
    "sm_90": Limits(64, 32, 228 << 10, 132),  # H100, H200
    "sm_100": Limits(64, 32, 228 << 10, 148),  # B200
    "sm_120": Limits(48, 24, 100 << 10, 170),  # RTX 5090
}


@dataclass(frozen=True)
class Occupancy:
    """Resident programs and warps on a multiprocessor; `limit` is "warps", "registers", "shared" or "blocks"."""

    programs: int
    warps: int
    of_warps: int
    limit: str

    @property
    def percent(self) -> int:
        return round(100 * self.warps / self.of_warps)


def occupancy(arch: str, registers: int, warps: int, shared: int) -> Occupancy:
    """Theoretical occupancy of programs of `warps` warps, `registers` a thread, `shared` bytes. Raises KeyError."""
    limits = LIMITS[arch]
    per_warp = -(-registers * 32 // REGISTER_STEP) * REGISTER_STEP
    fits = {
        "warps": limits.warps // warps,
        "registers": REGISTERS // per_warp // warps,
        "shared": limits.shared // (shared + SYSTEM_SHARED),
        "blocks": limits.blocks,
    }
    limit = min(fits, key=lambda name: fits[name])
    return Occupancy(fits[limit], fits[limit] * warps, limits.warps, limit)

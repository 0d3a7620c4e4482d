"""The report schema that the simulator and Nsight Compute share: what one kernel launch did to memory.

Metric names are ncu's own wherever ncu has the metric, so that a count from a laptop and a reading from a GPU can be
laid side by side. How each count is modelled, and whether it is exact, a bound or an estimate: docs/en/simulator.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# The metrics that both sides fill. Source: Nsight Compute documentation, "Metrics Reference".
LOAD_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
STORE_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"
LOAD_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
STORE_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
SHARED_LOAD_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
SHARED_STORE_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
SHARED_LOAD_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
SHARED_STORE_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"
SHARED_COPY_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum"  # of cp.async, where it writes
LOCAL_LOAD_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"
LOCAL_STORE_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"
LOCAL_LOAD_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"
LOCAL_STORE_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"
CONSTANT_REQUESTS = "idc__requests.sum"
CONSTANT_LOADS = "smsp__inst_executed_op_ldc.sum"  # a request each where the lanes of a warp read one place
REDUCTION_REQUESTS = "lts__t_requests_srcunit_tex_op_red.sum"  # of atomics whose old value nobody wants, at L2
REDUCTION_SECTORS = "lts__t_sectors_srcunit_tex_op_red.sum"
ATOMIC_REQUESTS = "lts__t_requests_srcunit_tex_op_atom.sum"  # of those that give it
ATOMIC_SECTORS = "lts__t_sectors_srcunit_tex_op_atom.sum"
SHARED_ATOMIC_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"
SHARED_ATOMIC_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"
DRAM_READ = "dram__bytes_read.sum"
DRAM_WRITE = "dram__bytes_write.sum"

# The simulator's own, which ncu does not count by buffer.
BYTES_LOADED = "onekernel__bytes_requested_global_ld.sum"
BYTES_STORED = "onekernel__bytes_requested_global_st.sum"
ATOMICS = "onekernel__atomics_global.sum"
BARRIERS = "onekernel__barriers.sum"
DISTRIBUTED_REQUESTS = "onekernel__distributed_shared_requests.sum"
DISTRIBUTED_BYTES = "onekernel__distributed_shared_bytes.sum"
DIVERGENT_BRANCHES = "onekernel__divergent_branches.sum"

LOCAL = {"loads": (LOCAL_LOAD_REQUESTS, LOCAL_LOAD_SECTORS), "stores": (LOCAL_STORE_REQUESTS, LOCAL_STORE_SECTORS)}
CONFLICTS = (SHARED_LOAD_CONFLICTS, SHARED_STORE_CONFLICTS, SHARED_COPY_CONFLICTS)
SECTOR_BYTES = 32


@dataclass(frozen=True)
class BufferTraffic:
    """What the launch did to one tensor. All in bytes; `unique_*` counts a byte once however often it is touched."""

    name: str
    loaded: int
    stored: int
    unique_loaded: int
    unique_stored: int
    updated: int = 0  # by atomics, which the others leave out

    def passes(self) -> float:
        """How often the kernel walks the tensor: bytes loaded over distinct bytes loaded (stores if none is loaded)."""
        if self.unique_loaded:
            return self.loaded / self.unique_loaded
        return self.stored / self.unique_stored if self.unique_stored else 0.0


@dataclass(frozen=True)
class Side:
    """The loads, or the stores, of a line: requests, the sectors that they touch, the bytes that threads ask for."""

    requests: float
    sectors: float
    bytes: float

    @property
    def needed(self) -> float:
        """Sectors that would carry these bytes if neighbouring threads had neighbouring addresses; one a request at
        the least. Where several lanes want the same bytes, those that they do touch."""
        return min(self.sectors, max(self.requests, self.bytes / SECTOR_BYTES))

    @property
    def waste(self) -> float:
        """Bytes of the sectors that are moved beyond those needed."""
        return (self.sectors - self.needed) * SECTOR_BYTES


@dataclass(frozen=True)
class LineCounts:
    """The metrics that one source line is responsible for."""

    file: str
    line: int
    metrics: Mapping[str, float]

    def side(self, load: bool) -> Side:
        """What the line's loads (or stores) of global memory do."""
        names = (LOAD_REQUESTS, LOAD_SECTORS, BYTES_LOADED) if load else (STORE_REQUESTS, STORE_SECTORS, BYTES_STORED)
        return Side(*(self.metrics.get(name, 0) for name in names))

    @property
    def wavefronts(self) -> float:
        """Passes over shared memory, loads and stores."""
        return self.metrics.get(SHARED_LOAD_WAVEFRONTS, 0) + self.metrics.get(SHARED_STORE_WAVEFRONTS, 0)

    @property
    def conflicts(self) -> float:
        """Those of its wavefronts that a bank conflict costs."""
        return sum(self.metrics.get(name, 0) for name in CONFLICTS)


@dataclass(frozen=True)
class KernelCounts:
    """One kernel launch: its shape, its resources, its metrics in total and by line.

    `source` says who counted: "simulator" or "ncu". A metric that was not counted is absent, never zero.
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    registers: int | None
    metrics: Mapping[str, float]
    buffers: tuple[BufferTraffic, ...] = ()
    lines: tuple[LineCounts, ...] = ()
    source: str = "simulator"
    extra: Mapping[str, Any] = field(default_factory=dict)

    def sectors_per_request(self, load: bool = True) -> float | None:
        """Sectors of 32 bytes per warp-wide request; 4 is perfect for 4-byte accesses. None where nothing was asked."""
        requests = self.metrics.get(LOAD_REQUESTS if load else STORE_REQUESTS, 0)
        sectors = self.metrics.get(LOAD_SECTORS if load else STORE_SECTORS, 0)
        return sectors / requests if requests else None

    def to_json(self) -> dict[str, Any]:
        """Its fields by name. Not dataclasses.asdict, which copies every number: a call has a kernel of 30 lines."""
        buffers, lines = [dict(vars(b)) for b in self.buffers], [dict(vars(n)) for n in self.lines]
        return {**vars(self), "buffers": buffers, "lines": lines}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> KernelCounts:
        """Reads what `to_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        return cls(
            kernel=str(data["kernel"]),
            grid=_triple(data["grid"]),
            block=_triple(data["block"]),
            shared_bytes=int(data["shared_bytes"]),
            registers=None if data["registers"] is None else int(data["registers"]),
            metrics={str(k): float(v) for k, v in data["metrics"].items()},
            buffers=tuple(
                BufferTraffic(
                    str(b["name"]), int(b["loaded"]), int(b["stored"]), int(b["unique_loaded"]),
                    int(b["unique_stored"]), int(b.get("updated", 0)),
                )
                for b in data["buffers"]
            ),
            lines=tuple(
                LineCounts(str(n["file"]), int(n["line"]), {str(k): float(v) for k, v in n["metrics"].items()})
                for n in data["lines"]
            ),
            source=str(data["source"]),
            extra=dict(data["extra"]),
        )


def _triple(values: Any) -> tuple[int, int, int]:
    x, y, z = (int(v) for v in values)
    return x, y, z

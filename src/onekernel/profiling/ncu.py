"""Runs Nsight Compute on one launch and brings its report back as text; or says exactly why it cannot."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onekernel import counts, cuda
from onekernel.backends.base import Unavailable
from onekernel.errors import UserError
from onekernel.messages import Message

TIME_LIMIT = 300.0
SECTIONS = ("SpeedOfLight", "MemoryWorkloadAnalysis", "Occupancy", "LaunchStats", "WarpStateStats", "SourceCounters")
DURATION = "gpu__time_duration.sum"
L2_READ = "lts__t_sectors_op_read.sum"
L2_WRITE = "lts__t_sectors_op_write.sum"
DRAM_PERCENT = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
SM_PERCENT = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
ISSUE_PERCENT = "sm__issue_active.avg.pct_of_peak_sustained_elapsed"
ACHIEVED = "sm__warps_active.avg.pct_of_peak_sustained_active"
THEORETICAL = "sm__maximum_warps_per_active_cycle_pct"
WAVES = "launch__waves_per_multiprocessor"
REGISTERS = "launch__registers_per_thread"
SHARED_BYTES = "launch__shared_mem_per_block"
SYSTEM_SHARED_BYTES = "launch__shared_mem_per_block_driver"  # the part that the system takes; in section LaunchStats
LIMITS = ("blocks", "registers", "shared_mem", "warps", "barriers")  # launch__occupancy_limit_*
STALL_PREFIX = "smsp__average_warps_issue_stalled_"
STALL_SUFFIX = "_per_issue_active.ratio"

# Asked for by name, because the sections differ from version to version.
METRICS = (
    counts.LOAD_REQUESTS, counts.STORE_REQUESTS, counts.LOAD_SECTORS, counts.STORE_SECTORS,
    counts.SHARED_LOAD_WAVEFRONTS, counts.SHARED_STORE_WAVEFRONTS,
    counts.SHARED_LOAD_CONFLICTS, counts.SHARED_STORE_CONFLICTS, counts.DRAM_READ, counts.DRAM_WRITE,
    DURATION, L2_READ, L2_WRITE, DRAM_PERCENT, SM_PERCENT, ISSUE_PERCENT, ACHIEVED, THEORETICAL, WAVES, REGISTERS,
    SHARED_BYTES, *(f"launch__occupancy_limit_{limit}" for limit in LIMITS), "smsp__inst_executed.sum",
    "l1tex__t_sector_hit_rate.pct", "lts__t_sector_hit_rate.pct",
)  # fmt: skip


@dataclass(frozen=True)
class Exported:
    """ncu's report as CSV text: one row a kernel (`raw`), one row a source line or instruction (`source`)."""

    raw: str
    source: str
    version: str


def find() -> Path:
    """The ncu of this machine. Raises UserError where there is no GPU or no ncu."""
    try:
        toolchain = cuda.require()
    except Unavailable as error:
        raise UserError(Message("profile.no-gpu", {"cause": error.message})) from error
    found = shutil.which("ncu")
    if found:
        return Path(found)
    beside = toolchain.cuda_home / "bin" / "ncu"
    if beside.is_file():
        return beside
    raise UserError(Message("profile.no-ncu"))


def capture(
    job: Mapping[str, Any], metrics: Sequence[str] = METRICS, sections: Sequence[str] = SECTIONS
) -> Exported:
    """Profiles the launch that `job` describes (see `launch.py`) and exports the report.

    Fewer metrics take fewer replays of the launch; without sections the source page stays empty. Caches are flushed
    before each replay, which is ncu's default. The clocks stay as they are.
    Raises UserError where the counters are closed to this user, or the launch fails, or nothing was launched.
    """
    ncu = find()
    environment = dict(os.environ)
    environment["LC_ALL"] = "C.UTF-8"  # so that no locale writes 1.004 for 1,004
    environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    with tempfile.TemporaryDirectory(prefix="onekernel-ncu-") as folder:
        described, report = Path(folder) / "job.json", Path(folder) / "report.ncu-rep"
        described.write_text(json.dumps(job), encoding="utf-8")
        command = [str(ncu), "--clock-control", "none", "--profile-from-start", "off", "--metrics", ",".join(metrics)]
        for section in sections:
            command += ["--section", section]
        command += ["--export", str(report), sys.executable, "-m", "onekernel.profiling.launch", str(described)]
        output = _run(command, environment)
        if not report.is_file():
            raise UserError(explain(output))
        export = [str(ncu), "--import", str(report), "--csv", "--print-units", "base", "--page"]
        raw = _run([*export, "raw"], environment)
        source = _run([*export, "source", "--print-source", "cuda,sass"], environment) if sections else ""
    version = next((line for line in _run([str(ncu), "--version"], environment).splitlines() if "ersion" in line), "")
    return Exported(raw, source, version.removeprefix("Version").split("(")[0].strip())


def explain(output: str) -> Message:
    """Why ncu made no report, from what it and the program wrote."""
    if "ERR_NVGPUCTRPERM" in output:
        return Message("profile.blocked")
    if "LibraryNotLoaded" in output or "Failed to initialize the profiler" in output:
        return Message("profile.not-initialised")
    if "No kernels were profiled" in output:
        return Message("profile.nothing-launched")
    last = [line for line in output.splitlines() if line.strip() and not line.startswith("==PROF==")]
    return Message("profile.failed", {"text": last[-1].strip() if last else "-"})


def _run(command: list[str], environment: Mapping[str, str]) -> str:
    try:
        done = subprocess.run(
            command, env=dict(environment), capture_output=True, text=True, timeout=TIME_LIMIT, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(Message("profile.too-long", {"seconds": TIME_LIMIT})) from error
    return done.stdout + done.stderr

"""What is installed here: processor, compilers, GPU, PyTorch, Triton, Nsight Compute, the kernel's sandbox."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from onekernel.backends.base import Unavailable
from onekernel.backends.gpus import driver_present, gpu_present
from onekernel.backends.processors import processors
from onekernel.cuda import nvcc
from onekernel.messages import Message, written
from onekernel.numerals import Quantity
from onekernel.sandbox import confinement
from onekernel.sandbox.landlock import landlock_version
from onekernel.simulator.compilation.compiler import compiler

OK, MISSING, INFO = "ok", "missing", "info"
_ADMIN_ONLY = Path("/proc/driver/nvidia/params")


@dataclass(frozen=True)
class Fact:
    """One line of the doctor's report: what, its state, what is there, and how to mend it where it is not."""

    name: str
    state: str
    value: str = ""
    mend: Message | None = None


def facts() -> Iterator[Fact]:
    """The machine from the ground up. Slow parts (torch) come when they are asked for."""
    yield Fact("Linux", OK, platform.release())
    yield Fact("CPU", OK, f"{_cpu()}, {processors()} x")
    yield Fact("Python", OK, f"{platform.python_version()} ({sys.executable})")
    yield _sandbox()
    yield from _compilers()
    yield from _gpu()
    yield _package("triton", "triton-missing")
    yield _ncu()


def _cpu() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    match = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return match[1] if match else platform.machine()


def _sandbox() -> Fact:
    lacking = confinement.lacking()
    if not lacking:
        return Fact("Landlock", OK, f"{landlock_version()}, seccomp")
    mend = confinement.told(lacking) if landlock_version() else Message("doctor.no-landlock")
    return Fact("Landlock", MISSING, mend=mend)


def _compilers() -> Iterator[Fact]:
    try:
        used = compiler()
        chosen = ", ONEKERNEL_CXX" if os.environ.get("ONEKERNEL_CXX") else ""
        yield Fact(used.family, OK, f"{_version([used.path, '--version']) or '?'} ({used.path}{chosen})")
    except Unavailable as why:
        yield Fact("g++", MISSING, mend=why.message)
    found_nvcc, mixed = nvcc.find(), nvcc.mixed_wheels()
    if found_nvcc:
        yield Fact("nvcc", OK, f"{found_nvcc.version} ({found_nvcc.path})")
    elif mixed:
        told = ", ".join(f"{name} {version or '-'}" for name, version in mixed.items())
        yield Fact("nvcc", MISSING, mend=Message("doctor.nvcc-mixed", {"versions": told, "python": sys.executable}))
    else:
        yield Fact("nvcc", INFO, mend=Message("doctor.no-nvcc", {"python": sys.executable}))


def _gpu() -> Iterator[Fact]:
    if not gpu_present():
        yield Fact("GPU", INFO, mend=Message("doctor.no-gpu" if driver_present() else "doctor.no-driver"))
        yield _package("torch", "torch-missing")
        return
    import torch

    build = f"CUDA {torch.version.cuda}" if torch.version.cuda else "CPU"
    if torch.cuda.is_available():
        yield from _card()
    else:
        yield Fact("GPU", MISSING, mend=Message("doctor.gpu-unseen", {"version": torch.__version__}))
    # A CPU build is no mistake by itself: what to do for the GPU stands in the GPU's line.
    yield Fact("torch", OK if torch.version.cuda else INFO, f"{torch.__version__} ({build})")


def _card() -> Iterator[Fact]:
    from onekernel.bench import device
    from onekernel.bench.cards import card_named

    card = device.current()
    memory = written(Quantity(card.memory_bytes, "B"))
    yield Fact("GPU", OK, f"{card.name}, sm_{card.capability.replace('.', '')}, {card.sms} SM, {memory}")
    yield Fact("driver", OK, card.driver)
    yield Fact("DRAM", INFO, f"{written(Quantity(card.datasheet_bandwidth, 'B/s'))} ({card.bandwidth_source})")
    listed = card_named(card.name)
    if listed:
        peaks = {"fp32": listed.fp32, "fp16": listed.fp16, "fp16 Tensor Cores": listed.fp16_tensor}
        told = ", ".join(f"{name} {written(Quantity(value, 'FLOP/s'))}" for name, value in peaks.items())
        yield Fact("peaks", INFO, f"{told} (cards.toml: {listed.name})")
    else:
        yield Fact("peaks", INFO, f"fp32 {written(Quantity(card.fma_rate, 'FLOP/s'))}", Message("doctor.unlisted-card"))


def _package(name: str, mend: str) -> Fact:
    try:
        return Fact(name, OK, metadata.version(name))
    except metadata.PackageNotFoundError:
        return Fact(name, MISSING, mend=Message(f"doctor.{mend}", {"python": sys.executable}))


def _ncu() -> Fact:
    version = _version(["ncu", "--version"], r"Version ([\d.]+)")
    if not version:
        return Fact("ncu", INFO, mend=Message("doctor.no-ncu"))
    where = f"{version} ({shutil.which('ncu')})"
    if _ADMIN_ONLY.is_file() and "RmProfilingAdminOnly: 1" in _ADMIN_ONLY.read_text() and os.geteuid() != 0:
        return Fact("ncu", MISSING, where, Message("doctor.counters-blocked"))
    return Fact("ncu", OK, where)


def _version(argv: list[str], pattern: str = r"(\d+\.\d+(?:\.\d+)?)") -> str | None:
    """The version that a tool prints; None where it is not here or does not run."""
    if shutil.which(argv[0]) is None:
        return None
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(pattern, done.stdout)
    return match[1] if match else None

"""The card at hand: its name, its peaks, its state before and after a measurement, and the software around it."""

from __future__ import annotations

import datetime
import platform
import re
import shlex
import sys
from dataclasses import asdict, dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from onekernel.backends.processors import processors
from onekernel.errors import UserError
from onekernel.messages import Message

FP32_LANES = 128  # fp32 units of one multiprocessor, compute capability 8.6 and newer; 64 on 8.0
CARDS = "src/onekernel/bench/cards.toml"
PACKAGES = ("torch", "triton", "liger-kernel", "quack-kernels", "nvidia-cutlass-dsl", "numpy")

# Source: NVML API reference, "nvmlClocksEventReasons". Idle and application limits are no throttling.
_THROTTLE = {
    0x04: "software power cap",
    0x08: "hardware slowdown",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
}


@dataclass(frozen=True)
class Device:
    """What a result file says of the card. Bandwidths in bytes/s, rates in FLOP/s, sizes in bytes."""

    name: str
    slug: str
    capability: str
    sms: int
    l2_bytes: int
    memory_bytes: int
    driver: str
    datasheet_bandwidth: float
    fma_rate: float
    bandwidth_source: str


@dataclass(frozen=True)
class Clocks:
    """The state of the card at one moment, by NVML; None where nvidia-ml-py is not installed."""

    sm_mhz: int | None = None
    memory_mhz: int | None = None
    throttle: tuple[str, ...] = ()
    temperature_c: int | None = None
    power_w: float | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def slug_of(name: str) -> str:
    """The folder name of a card: "NVIDIA H200" -> "h200", "NVIDIA GeForce RTX 4090" -> "rtx-4090"."""
    short = re.sub(r"\b(NVIDIA|GeForce|Tesla|Graphics|GPU)\b", " ", name)
    return re.sub(r"[^a-z0-9]+", "-", short.lower()).strip("-") or "gpu"


def current() -> Device:
    """The current CUDA device. Raises RuntimeError where torch sees none."""
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("torch sees no CUDA device")
    index = torch.cuda.current_device()
    properties = torch.cuda.get_device_properties(index)
    driver, memory_mhz, bus_bits, sm_mhz = _nvml_facts(index)
    if memory_mhz and bus_bits:
        bandwidth, source = 2 * memory_mhz * 1e6 * bus_bits / 8, "NVML: 2 x memory clock x bus width / 8"
    else:
        bandwidth, source = _card_bandwidth(properties.name)
    lanes = 64 if (properties.major, properties.minor) == (8, 0) else FP32_LANES
    mhz = sm_mhz or getattr(properties, "clock_rate", 0) / 1e3
    return Device(
        name=properties.name,
        slug=slug_of(properties.name),
        capability=f"{properties.major}.{properties.minor}",
        sms=properties.multi_processor_count,
        l2_bytes=properties.L2_cache_size,
        memory_bytes=properties.total_memory,
        driver=driver,
        datasheet_bandwidth=bandwidth,
        fma_rate=properties.multi_processor_count * lanes * 2 * mhz * 1e6,
        bandwidth_source=source,
    )


def clocks() -> Clocks:
    """Clocks, throttle reasons, temperature and power now. Read it while the card works: at rest nothing throttles."""
    index = _torch_index()
    handle = None if index is None else _nvml_handle(index)
    if handle is None:
        return Clocks()
    import pynvml as nvml

    reasons = nvml.nvmlDeviceGetCurrentClocksEventReasons(handle)
    return Clocks(
        sm_mhz=nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM),
        memory_mhz=nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM),
        throttle=tuple(name for bit, name in _THROTTLE.items() if reasons & bit),
        temperature_c=nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU),
        power_w=nvml.nvmlDeviceGetPowerUsage(handle) / 1e3,
    )


def versions() -> dict[str, str]:
    """Python and the packages that a measurement depends on, as far as they are installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def machine() -> str:
    """The processor, and how many of its cores this process may use."""
    return f"{processor()}, {processors()} cores"


def processor() -> str:
    """The name of this machine's CPU, as far as it says."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def provenance() -> dict[str, Any]:
    """What every result file carries: versions, date (UTC) and the command that reproduces it, without its --out."""
    script = re.sub(r"^.*?(?=bench/|onekernel$)", "", sys.argv[0])
    module = getattr(sys.modules["__main__"], "__spec__", None)  # where it was run by -m
    if module is not None:
        script = f"-m {module.name.removesuffix('.__main__')}"
    arguments = re.sub(r"--out[ =]\S+ ?", "", " ".join(map(shlex.quote, sys.argv[1:]))).strip()
    command = f"{'onekernel' if script == 'onekernel' else f'python {script}'} {arguments}".strip()
    now = datetime.datetime.now(datetime.UTC)
    return {"versions": versions(), "date": now.strftime("%Y-%m-%d"), "command": command}


def _torch_index() -> int | None:
    """torch's current CUDA device; None where it has none."""
    try:
        import torch

        return torch.cuda.current_device()
    except Exception:
        return None


@cache  # looking it up takes longer than the work that `clocks` is to be read beside
def _nvml_handle(index: int) -> Any:
    """NVML's handle of torch's device of that index, which CUDA_VISIBLE_DEVICES may have renumbered."""
    try:
        import pynvml as nvml
        import torch

        nvml.nvmlInit()
        uuid = str(torch.cuda.get_device_properties(index).uuid)
        return nvml.nvmlDeviceGetHandleByUUID(f"GPU-{uuid}".encode())
    except Exception:  # not installed, no permission, MIG: the measurement goes on without it
        return None


def _nvml_facts(index: int) -> tuple[str, int, int, int]:
    """Driver version, largest memory clock (MHz), bus width (bits), largest SM clock (MHz); zeros where unknown."""
    handle = _nvml_handle(index)
    if handle is None:
        return "unknown", 0, 0, 0
    import pynvml as nvml

    return (
        str(nvml.nvmlSystemGetDriverVersion()),
        nvml.nvmlDeviceGetMaxClockInfo(handle, nvml.NVML_CLOCK_MEM),
        nvml.nvmlDeviceGetMemoryBusWidth(handle),
        nvml.nvmlDeviceGetMaxClockInfo(handle, nvml.NVML_CLOCK_SM),
    )


def _card_bandwidth(name: str) -> tuple[float, str]:
    from onekernel.bench.cards import card_named

    card = card_named(name)
    if card is None:
        raise UserError(Message.of("bench.unknown-bandwidth", name=name, cards=CARDS))
    return card.bandwidth, CARDS

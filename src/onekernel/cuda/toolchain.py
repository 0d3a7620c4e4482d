"""What a build for the GPU needs, found on this machine; or the one thing that is missing and how to fix it."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from onekernel.backends.base import Unavailable
from onekernel.cuda import nvcc
from onekernel.messages import Message

OLDEST = (8, 0)  # Ampere: the course's oldest card (docs/en/architecture.md)


@dataclass(frozen=True)
class Toolchain:
    """The GPU in use and the compiler that builds for it."""

    device: int
    name: str
    capability: tuple[int, int]
    cuda_home: Path
    torch_cuda: str

    @property
    def arch(self) -> str:
        """What nvcc is to build for: "80" for compute capability 8.0."""
        return target(self.capability)


def target(capability: tuple[int, int]) -> str:
    """The architecture to build for on a card, with all that it has: on 9.0 that is "90a", without which nvcc knows no
    wgmma. Other cards' own features are no subject of the course."""
    return f"{capability[0]}{capability[1]}{'a' if capability == (9, 0) else ''}"


@cache
def require() -> Toolchain:
    """The toolchain of this machine. Raises Unavailable with the exact cause and its fix.

    Causes are tested from the ground up, because torch's own words name the wrong one: a CPU-only torch reports that
    CUDA_HOME is not set, however it is set.
    """
    if sys.platform != "linux":
        _missing("not-linux", platform=sys.platform)
    if find_spec("torch") is None:
        _missing("no-torch", python=sys.executable)
    import torch

    driver = _driver()  # before torch's build: who has no card is not to install another torch
    if torch.version.cuda is None:
        _missing("cpu-torch", version=torch.__version__, python=sys.executable)
    _start(driver, torch)
    device = torch.cuda.current_device()
    capability = torch.cuda.get_device_capability(device)
    name = torch.cuda.get_device_name(device)
    if capability < OLDEST:
        _missing("old-card", name=name, capability=f"{capability[0]}.{capability[1]}")
    home = _cuda_home(torch.version.cuda)
    _ninja()
    if shutil.which(os.environ.get("CXX", "c++")) is None and shutil.which("g++") is None:
        _missing("no-host-compiler")
    return Toolchain(device, name, capability, home, torch.version.cuda)


def _missing(key: str, **values: Any) -> NoReturn:
    raise Unavailable(Message(f"cuda.{key}", values))


def _driver() -> Any:
    """The driver's library."""
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        _missing("wsl-driver" if "microsoft" in os.uname().release.lower() else "no-driver")


def _start(driver: Any, torch: Any) -> None:
    """Asks the driver itself, then torch: cuInit's code is the only thing that tells the causes apart."""
    code = driver.cuInit(0)
    if code == 100:  # CUDA_ERROR_NO_DEVICE
        hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
        if hidden is not None:
            _missing("hidden-devices", value=hidden)
        _missing("no-device")
    if code == 2:  # CUDA_ERROR_OUT_OF_MEMORY
        _missing("driver-memory")
    if code == 803:  # CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
        _missing("driver-mismatch")
    if code != 0:
        _missing("driver-fails", code=code)
    version = ctypes.c_int()
    driver.cuDriverGetVersion(ctypes.byref(version))
    supported = f"{version.value // 1000}.{version.value % 1000 // 10}"
    if int(torch.version.cuda.split(".")[0]) > version.value // 1000:
        _missing("old-driver", supported=supported, needed=torch.version.cuda)
    try:
        torch.cuda.init()
    except (RuntimeError, AssertionError) as error:
        _missing("torch-cuda-fails", text=str(error).splitlines()[0])


def _cuda_home(torch_cuda: str) -> Path:
    """The toolkit that torch builds with; a toolkit from pip is used where torch found none."""
    from torch.utils import cpp_extension

    if cpp_extension.CUDA_HOME is None:
        found = nvcc.wheels()
        if found is not None:
            cpp_extension.CUDA_HOME = str(found.home)  # torch offers no argument for it
    if cpp_extension.CUDA_HOME is None:
        _missing("no-nvcc", version=torch_cuda)
    home = Path(cpp_extension.CUDA_HOME)
    if not (home / "bin" / "nvcc").is_file():
        _missing("bad-cuda-home", path=str(home))
    return home


def _ninja() -> None:
    """torch looks for ninja on PATH alone; pip puts it beside a Python that may have been started by its full path."""
    scripts = str(Path(sys.executable).parent)
    if shutil.which("ninja") is None and shutil.which("ninja", path=scripts):
        os.environ["PATH"] = f"{os.environ.get('PATH', '')}{os.pathsep}{scripts}"
    if shutil.which("ninja") is None:
        _missing("no-ninja", python=sys.executable)

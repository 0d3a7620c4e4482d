"""What a program is compiled with that includes Thrust, of NVIDIA's own headers.

Thrust's device system is its own system `cpp` under another name, `simulated`, made here from the installed headers:
the memory of the host and of the device so stay two, as on a GPU. Its memory and algorithms are api/ok/thrust_*.h.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from onekernel.backends.cache import alone, cache_folder
from onekernel.simulator import cccl
from onekernel.simulator.compilation.parts import hash_of, work_folder
from onekernel.simulator.paths import RUNTIME

_HEADERS = ("thrust", "cuda", "nv")
_MACROS = (
    "-DOK_THRUST", "-DTHRUST_DEVICE_SYSTEM=5", "-D__THRUST_DEVICE_SYSTEM_NAMESPACE=simulated",
    "-DCCCL_DISABLE_NVTX", "-DCCCL_DISABLE_FP16_SUPPORT",  # both ask more of a toolkit than we have
)  # fmt: skip
_MEMORY = "thrust::mr::new_delete_resource"


@cache
def flags() -> tuple[str, ...]:
    """What stands before the compiler's other flags: where Thrust includes <cuda/std/...>, it is CCCL's."""
    place = cccl.find()
    if place is None:
        return ()
    version = (place / "thrust" / "version.h").read_text(encoding="utf-8", errors="replace")
    key = hash_of(str(place), version, Path(__file__).read_text(encoding="utf-8"))
    made = cache_folder("simulator") / f"cccl-{key}"
    with alone(made):
        if not made.is_dir():
            with work_folder(made.parent) as work:
                _make(place, Path(work) / "made")
                (Path(work) / "made").rename(made)
    return (*_MACROS, "-I", str(RUNTIME / "thrust"), "-I", str(made / "own"), "-I", str(made / "installed"))


def _make(place: Path, made: Path) -> None:
    own, installed = made / "own" / "thrust" / "system" / "simulated", made / "installed"
    installed.mkdir(parents=True)
    for name in _HEADERS:
        (installed / name).symlink_to(place / name)
    source = place / "thrust" / "system" / "cpp"
    for path in source.rglob("*"):
        if not path.is_file():
            continue
        text = re.sub(r"\bcpp\b", "simulated", path.read_text(encoding="utf-8", errors="replace"))
        if path.name == "memory_resource.h":  # of the device, then of both sides
            text = text.replace(_MEMORY, "::__ok::ThrustMemory", 1).replace(_MEMORY, "::__ok::ThrustManagedMemory")
            text = text.replace("#include <thrust/mr/new.h>", '#include "ok/thrust_memory.h"')
        target = own / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

"""What the simulator does not support, refused by name and line before a compiler sees it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from onekernel.backends.simulator.tokens import Token

_NAMES = {
    "asm": "inline PTX (asm)",
    "__asm__": "inline PTX (asm)",
    "__asm": "inline PTX (asm)",
    "cudaTextureObject_t": "textures",
    "cudaSurfaceObject_t": "surfaces",
    "cudaCreateTextureObject": "textures",
    "cudaMallocManaged": "managed memory (cudaMallocManaged)",
    "__managed__": "managed memory (__managed__)",
    "this_grid": "grid-wide synchronisation (cooperative_groups::this_grid)",
    "this_cluster": "thread block clusters",
    "__cluster_dims__": "thread block clusters",
    "cudaGraph_t": "CUDA graphs",
    "cudaStreamBeginCapture": "CUDA graphs",
    "cudaDeviceSynchronizeInKernel": "dynamic parallelism",
}
_HEADERS = re.compile(
    r"#\s*include\s*<((?:cub|thrust|cuda|cutlass|cute|torch|ATen|c10|pybind11|nvtx3)/[^>]*|mma\.h|cuda_pipeline[^>]*|"
    r"cooperative_groups/(?:memcpy_async|reduce|scan)\.h|cu(?:blas|dnn|rand|fft|sparse|solver)[^>]*|texture[^>]*|"
    r"cuda_fp[48]\.h|cudaTypedefs\.h|cuda\.h|nvrtc\.h)>"
)


@dataclass(frozen=True)
class Refusal:
    what: str
    line: int


def refusals(tokens: list[Token], supported_headers: frozenset[str]) -> list[Refusal]:
    """Every unsupported thing in the file, once each, in order of lines. `supported_headers`: those we do have."""
    found: dict[str, Refusal] = {}
    for token in tokens:
        what = None
        if token.kind == "name":
            what = _NAMES.get(token.text)
        elif token.kind == "directive" and (match := _HEADERS.match(token.text)) and match[1] not in supported_headers:
            what = f"<{match[1]}>"
        if what and what not in found:
            found[what] = Refusal(what, token.line)
    return list(found.values())

"""What CUDA has and the simulator lacks is refused by its name, whichever name of CUDA's it is; a slip stays a slip."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from onekernel import programs
from onekernel.backends.base import BuildError
from onekernel.simulator.compilation.compile import OF_PROGRAMS
from onekernel.simulator.compilation.compiler import compiler, flags
from onekernel.simulator.compilation.diagnostics import lacking
from onekernel.simulator.paths import SIMULATOR
from support.marks import marked

HEADERS = (
    "cuda_runtime.h", "cooperative_groups.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_pipeline.h",
    "cuda_awbarrier.h",
)  # fmt: skip
HEAD = """#include <cooperative_groups.h>
#include <cub/cub.cuh>
#include <cuda/barrier>
using namespace cub;
"""
LACKING = """__global__ void k(int* x) {
    cuda::latch* l;  // <- cuda::latch
    using Sort = BlockMergeSort<int, 32, 1>;  // <- BlockMergeSort
    x[0] = __cvta_generic_to_grid_constant(x);  // <- __cvta_generic_to_grid_constant
}
"""
MEMBERS = """__global__ void k(int* x) {
    __shared__ BlockExchange<int, 32, 1>::TempStorage storage;
    int v[1] = {1};
    BlockExchange<int, 32, 1>(storage).WarpStripedToBlocked(v, v);  // <- cub::BlockExchange::WarpStripedToBlocked
    cudaLaunchAttributeValue value;
    value.preferredClusterDim.x = 1;  // <- cudaLaunchAttributeValue::preferredClusterDim
}
"""
OF_THE_HOST = """int main() {
    cudaUserObject_t object;  // <- cudaUserObject_t
    cudaLibraryUnload(nullptr);  // <- cudaLibraryUnload
}
"""
SLIPS = """__global__ void k(int* x) { cooperative_groups::this_thread_block().thread_rnak(); }
int main() {
    cudaMalocc(nullptr, 4);
    cudaDeviceProp properties;
    properties.multiProcessor = 1;
    undeclared(1);
}
"""


def _findings(text: str, folder: Path) -> dict[int, tuple[str, str]]:
    path = folder / "lacking.cu"
    path.write_text(HEAD + text, encoding="utf-8")
    with pytest.raises(BuildError) as caught:
        programs.build([path])
    return {f.line or 0: (f.code, f.message.text("en")) for f in caught.value.findings}


@pytest.mark.parametrize("text", [LACKING, MEMBERS, OF_THE_HOST])
def test_what_cuda_has_is_refused_by_name(text: str, tmp_path: Path) -> None:
    found = _findings(text, tmp_path)
    wanted = marked(tmp_path / "lacking.cu")
    assert set(found) == {line for _, line in wanted}
    for name, line in wanted:
        assert found[line][0] == "unsupported"
        named = found[line][1].partition(": the simulator does not support it")[0]
        of_clang = compiler().family == "clang++"  # 19 tells no scope
        assert named == name or (of_clang and named == name.rpartition("::")[2])


def test_a_slip_is_a_slip(tmp_path: Path) -> None:
    found = _findings(SLIPS, tmp_path)
    assert found and {code for code, _ in found.values()} == {"compile-error"}


def test_no_name_of_the_runtimes_ends_in_a_compilers_error(tmp_path: Path) -> None:
    """Each of them is declared here, or the compiler's complaint about it is known for what it is."""
    names = tomllib.loads((SIMULATOR / "cuda_names.toml").read_text(encoding="utf-8"))["names"].split()
    asked = [name for name in names if re.match(r"cuda[A-Z]|__[a-z]|make_|tex|surf|atomic|norm", name)]
    lines = [f"#ifndef {n}\nnamespace t{i} {{ using ::{n}; }}\n#endif" for i, n in enumerate(asked)]
    path = tmp_path / "names.cpp"
    path.write_text("".join(f"#include <{h}>\n" for h in HEADERS) + "\n".join(lines), encoding="utf-8")
    chosen = compiler()
    how = (*flags("check", chosen, "sm_80"), *OF_PROGRAMS, "-std=gnu++17", "-fsyntax-only", "-fmax-errors=0")
    done = subprocess.run([chosen.path, *how, str(path)], capture_output=True, text=True, check=False)
    told = re.findall(r"names\.cpp:\d+:\d+: error: (.*)", done.stderr)
    assert len(asked) > 1500 and len(told) < len(asked) / 2
    unknown = [what for what in told if lacking(re.sub("[‘’]", "'", what)) is None]
    assert unknown == []

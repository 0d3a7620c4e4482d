"""One compiler's counts of every kernel, as it is written: a process of its own, a line of JSON for each kernel.

python -m audits.compilers.count [TEXT ...]   with ONEKERNEL_CXX set; TEXT: a part of the names wanted
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from audits.compilers.kernels import Kernel, kernels
from onekernel import counts, simulator
from onekernel.backends.base import BuildError
from onekernel.backends.call_arguments import buffers
from onekernel.counts import KernelCounts
from onekernel.course import find_root
from onekernel.labs.reader import load

_SECONDS = 120.0  # of processor time, of one call


def main(wanted: Sequence[str]) -> int:
    root = find_root()
    for kernel in kernels(root, load(root)):
        if not wanted or any(text in kernel.name for text in wanted):
            print(json.dumps(_counted(kernel)), flush=True)
    return 0


def _counted(kernel: Kernel) -> dict[str, Any]:
    """The kernel's launches, one after the other, and what was found; "refused" for a file that does not build."""
    try:
        program = simulator.build(
            kernel.path, "count", time_limit=_SECONDS, arch=kernel.arch or None, machine_code=False
        )
        report = program.call(kernel.function, buffers(kernel.arguments))
    except BuildError as error:
        if any(f.code == "runtime-build" for f in error.findings):
            sys.exit(str(error.findings[0]))  # no kernel's, and the same for each
        return {"name": kernel.name, "refused": sorted({f.code for f in error.findings}),
                "said": str(error.findings[0])}  # fmt: skip
    return {"name": kernel.name, "found": sorted({f.code for f in report.findings}),
            "launches": [_launch(launch) for launch in report.kernels]}  # fmt: skip


def _launch(launch: KernelCounts) -> dict[str, Any]:
    """Its metrics, and of which spaces it says that they may be other than counted."""
    spaces = {space for _, _, space, _ in launch.extra["doubts"]}
    if not launch.extra["exact_requests"]:
        spaces |= {"global", "shared"}
    metrics = {name: value for name, value in launch.metrics.items() if name != counts.DIVERGENT_BRANCHES}
    return {"kernel": launch.kernel, "metrics": metrics, "uncertain": sorted(spaces)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

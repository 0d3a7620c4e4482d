"""Every configuration of a sweep compiled ahead, in as many processes as there are cores.

`python -m audits.triton_sweep.compilation INDEX OF ARCH` compiles one share of them into Triton's cache.
"""

from __future__ import annotations

import subprocess
import sys

from audits.triton_sweep.configurations import SHAPES, WIDTHS, Shape, configurations, solution_of
from onekernel.course import find_root
from onekernel.errors import UserError
from onekernel.loading import load_module
from onekernel.messages import Message
from onekernel.triton.capture import CompileOnlyDriver


def compile_ahead(arch: int, workers: int) -> None:
    """Starts `workers` processes of `compile_share` and waits for them. Raises UserError where one failed."""
    command = [sys.executable, "-m", "audits.triton_sweep.compilation"]
    running = [subprocess.Popen([*command, str(i), str(workers), str(arch)]) for i in range(workers)]
    if any([process.wait() for process in running]):
        raise UserError(Message.of("bench.sweep-compiler"))


def compile_share(index: int, of: int, arch: int) -> None:
    """Compiles every `of`-th configuration into Triton's cache, so that the card does not wait for the compiler."""
    from triton.runtime.driver import driver
    from triton.runtime.jit import JITFunction

    driver.set_active(CompileOnlyDriver(arch))
    run = JITFunction.run
    JITFunction.run = lambda self, *a, grid, warmup, **k: run(self, *a, grid=grid, warmup=True, **k)
    solution = load_module(solution_of(find_root()))
    jobs = [(s, d, c) for s in SHAPES for d, width in WIDTHS.items() for c in configurations(s[1], width)]
    for shape, dtype, chosen in jobs[index::of]:
        Shape(*shape, dtype, "cpu", solution).launcher(chosen)[1]()


if __name__ == "__main__":
    compile_share(*map(int, sys.argv[1:]))

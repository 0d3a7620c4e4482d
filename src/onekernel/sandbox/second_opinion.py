"""What NVIDIA's compiler says of a `.cu` while g++ builds it for the simulator."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from onekernel.backends.base import BuildError, Unavailable
from onekernel.cuda import nvcc
from onekernel.cuda.ahead import compile_ahead
from onekernel.cuda.refusals import refuse
from onekernel.simulator.arch import architecture


class SecondOpinion:
    """Compiles `path` in a thread of its own, for the card that is simulated (`arch`, or the one that is modelled when
    nothing else is asked); nothing where there is no nvcc.

    The thread ends with the process: where the simulator refuses the file, nobody waits for it. ONEKERNEL_NVCC=off
    leaves it away, for a machine that is too slow for two compilers. `whole`: its machine code is wanted afterwards;
    else the compiler goes no further than it takes to know what it refuses, but for a kernel without a bound for its
    registers.
    """

    def __init__(self, path: Path, arch: str | None = None, *, whole: bool = False) -> None:
        self._path, self._arch, self._whole = path, arch, whole
        self._registers: dict[str, int] = {}
        self._refused: BuildError | None = None
        self._thread: threading.Thread | None = None
        if os.environ.get("ONEKERNEL_NVCC") != "off" and nvcc.find() is not None:
            self._thread = threading.Thread(target=self._ask, daemon=True)
            self._thread.start()

    def _ask(self) -> None:
        try:
            if self._whole or _is_unbound(self._path):
                made = compile_ahead(self._path, architecture(self._arch))
                self._registers = {kernel.symbol: kernel.registers for kernel in made.kernels}
            else:
                refuse(self._path, architecture(self._arch))
        except BuildError as error:
            self._refused = error
        except (Unavailable, OSError):
            return  # a compiler that does not work here says nothing about the file

    def wait(self) -> dict[str, int]:
        """The registers of a thread of each kernel, by its symbol, as far as they are known. Raises BuildError where
        nvcc refuses the file."""
        if self._thread is not None:
            self._thread.join()
        if self._refused is not None:
            raise self._refused
        return self._registers


def _is_unbound(path: Path) -> bool:
    """Whether a kernel may be given more registers than a multiprocessor has for the blocks that it is launched with:
    one without __launch_bounds__, within which the compiler stays."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return text.count("__global__") > text.count("__launch_bounds__")

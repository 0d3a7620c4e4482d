"""Whole CUDA programs on the simulator: somebody's files with their main(), run with their arguments, and a report.

`build` compiles the files, `Executable.run` runs them as the user who asks, `report` and `page` tell what was found.
"""

from __future__ import annotations

from onekernel.programs.executable import Executable, Run, build

__all__ = ["Executable", "Run", "build"]

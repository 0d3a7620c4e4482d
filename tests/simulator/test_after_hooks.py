"""What g++ leaves out behind the hooks (compiler.AFTER_HOOKS) changes none of them: not its place, not its line."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from onekernel.course import find_root
from onekernel.simulator.compilation import compiler
from onekernel.simulator.compilation.compile import compile_object
from onekernel.simulator.rewrite import rewrite

_FUNCTION = re.compile(r"[0-9a-f]+ <(.+)>:$")
_LINE = re.compile(r"\S*kernel\.cpp:\d+|\S+\.cu:\d+")
_CALL = re.compile(r"R_X86_64_PLT32\s+((?:__tsan|ok)_\w+)")


def hooks(how: tuple[str, ...], folder: Path) -> list[tuple[str, str, str]]:
    """The calls of the runtime in the code of a solution, in order: from which function, of which line."""
    built, found, function, line = folder / "kernel.o", [], "", ""
    source = rewrite(find_root() / "solutions" / "softmax_block.cu")
    compile_object(source, compiler.compiler("g++"), how, (), folder, built)
    told = subprocess.run(["objdump", "-dlr", str(built)], capture_output=True, text=True, check=True).stdout
    for text in told.splitlines():
        if match := _FUNCTION.match(text):
            function = match[1]
        elif match := _LINE.match(text):
            line = match[0]
        elif match := _CALL.search(text):
            found.append((function, match[1], line))
    return found


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("objdump") or not shutil.which("g++"), reason="no g++ or objdump")
def test_what_is_left_out_behind_the_hooks_moves_none_of_them(tmp_path: Path) -> None:
    how = compiler.flags("check", compiler.compiler("g++"))
    polished = tuple(flag for flag in how if flag not in compiler.AFTER_HOOKS)
    assert len(polished) == len(how) - len(compiler.AFTER_HOOKS)
    there = hooks(how, tmp_path)
    assert len({line for _, _, line in there}) > 10
    assert there == hooks(polished, tmp_path)

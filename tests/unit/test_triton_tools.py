"""What runs kernels in the interpreter is watched, in each version of Triton that the course allows."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("triton")

# Triton 3.6 makes the semantics of each function anew at each launch, 3.7 has one for all; both are played here.
CHILD = """\
import os
os.environ["TRITON_INTERPRET"] = "1"
from types import FunctionType
import triton.language as tl
from triton.runtime import interpreter
from onekernel.triton.tools import Tools

kept = []


def patch(obj, name, member, builder, scope):
    semantic = interpreter.TritonSemantic(builder)
    kept.append(semantic)
    dress = lambda *args, member=member, **kwargs: member(*args, **kwargs, _semantic=semantic)
    scope.set_attr(obj, name, dress)


interpreter._patch_attr = patch
tools = Tools("mine.py")
interpreter._patch_lang(FunctionType((lambda: None).__code__, {"tl": tl, "core": tl.core}))
tools.replaced()
print(tools.replaced())
FORGE
print([str(found.message) for found in tools.replaced()])
"""
FORGERIES = {
    "a method of its own": "for each in kept: each.add = lambda *args: None",
    "another class": """
class Mine(interpreter.TritonSemantic):
    def add(self, *args): return None
for each in kept: each.__class__ = Mine
""",
    "another builder": "for each in kept: each.builder = object()",
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_semantics_made_anew_are_the_interpreters_and_changed_ones_are_not(forgery: str) -> None:
    script = CHILD.replace("FORGE", FORGERIES[forgery])
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    before, after = done.stdout.splitlines()
    assert before == "[]"
    assert "which runs its kernels here" in after or "que aquí ejecuta" in after

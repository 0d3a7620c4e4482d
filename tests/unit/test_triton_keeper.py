"""The bytes of closed memory are given to the watch alone, and inputs that are held to the worker alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from onekernel.backends.base import Buffer
from onekernel.sandbox.inputs import ClosedInputs
from support.patience import HUNG_SECONDS

ROOT = Path(__file__).resolve().parents[2]
torch = pytest.importorskip("torch")

FILE = '''import sys
from types import SimpleNamespace

import numpy as np
import torch
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)

def double(x, out=None):
    out = torch.empty_like(x) if out is None else out
    add[(1,)](x, out, x.numel(), BLOCK=64)
    {then}
    return out
'''
ASKS = {
    "its function": "memory.opened().__enter__()",
    "its method": "memory._open()",
    "its end": "memory.__exit__()",
    "the event itself": "sys.audit('onekernel.open')",
    "a new one": "memory.__enter__()",
    "a tensor of its own": "memory._there[out.data_ptr()] = 4; sys.audit('onekernel.close', memory._there)",
}


# What a file sees between its launches, and that nothing stays of what it writes there.
NOISE = """seen = np.asarray(SimpleNamespace(__array_interface__={
        "data": (out.data_ptr(), False), "shape": (40,), "typestr": "<f4", "version": 3}))
    if not np.isnan(seen).all():
        raise ValueError(seen)
    seen[:] = 7"""
WAYS = {**ASKS, "a copy": "out.copy_(out.clone())", "noise": NOISE}


def called(folder: Path, then: str) -> tuple[list[str], list[float]]:
    """What is found in a file that does `then` behind its launch, and the numbers that it gives for 0 to 39."""
    from onekernel import triton

    path = folder / "double.py"
    found = 'memory = sys.modules["onekernel.triton.memory"].ClosedMemory.active\n    '
    path.write_text(FILE.replace("{then}", found + then), encoding="utf-8")
    program = triton.build(path, interpret=True)
    program.prepare()
    x = Buffer("x", np.arange(40, dtype=np.float32).view(np.uint8).copy(), 0, 160, False, 4)
    y = Buffer("y", np.full(160, 7, np.uint8), 0, 160, True, 4)
    report = program.call("double", [x, y, 40])
    return [f.code for f in report.findings], y.memory.view(np.float32).tolist()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[list[str], list[float]]]:
    """All of them, in a process that interprets and keeps the keeper for itself."""
    paths = os.pathsep.join(str(ROOT / name) for name in ("src", "tests"))
    environment = os.environ | {"TRITON_INTERPRET": "1", "PYTHONPATH": paths, "ONEKERNEL_LANG": "en"}
    command = [sys.executable, __file__, str(tmp_path_factory.mktemp("files"))]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=HUNG_SECONDS, check=True)
    answer: dict[str, tuple[list[str], list[float]]] = json.loads(done.stdout.splitlines()[-1])
    return answer


@pytest.mark.slow
@pytest.mark.parametrize("way", ASKS)
def test_a_file_cannot_ask_for_the_bytes(told: dict[str, tuple[list[str], list[float]]], way: str) -> None:
    assert told[way][0] == ["raised"]


@pytest.mark.slow
@pytest.mark.parametrize("way", ["a copy", "noise"])
def test_what_is_written_between_launches_is_gone_and_a_kernels_work_stays(
    told: dict[str, tuple[list[str], list[float]]], way: str
) -> None:
    assert told[way] == [[], [n + 1.0 for n in range(40)]]


def test_inputs_open_only_for_who_closed_them(tmp_path: Path) -> None:
    (tmp_path / "inputs").write_bytes(bytes(range(100)))
    inputs = ClosedInputs(tmp_path / "inputs")
    of_calls = [[Buffer("x", inputs.part(at, 10), 0, 10, False, 4)] for at in (0, 50)]
    inputs.close(of_calls)
    with pytest.raises(PermissionError):
        sys.audit("onekernel.take", inputs, [])
    with pytest.raises(PermissionError):
        _take(inputs)
    # One call after the other, whatever is asked for.
    taken = [*inputs.take(of_calls[1]), *inputs.take(of_calls[1])]
    assert [t.memory.tolist() for t in taken if isinstance(t, Buffer)] == [[*range(10)], [*range(50, 60)]]


def _take(inputs: ClosedInputs) -> None:
    inputs.take([Buffer("x", inputs.part(0, 100), 0, 100, False, 4)])


if __name__ == "__main__":
    print(json.dumps({way: called(Path(sys.argv[1]), then) for way, then in WAYS.items()}))

"""The autotuner in a check: configurations in turn, and a key that forgets what its pruning depends on is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from onekernel.triton import tuning
from support import triton_child
from support.patience import HUNG_SECONDS

pytest.importorskip("triton")

IN_TURN = """
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (16, 32, 64)], key=["n"])
@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 0)
"""


def test_what_is_named_to_be_restored_is_known_for_a_tensor_on_a_gpu_too(tmp_path):
    """There the interpreter's watch is not put up, which knew torch's own classes."""
    program = (
        "from onekernel.triton import host, tuning; tuning.tune_in_turn()\n"
        "import torch; print(host.is_torchs(torch.zeros(1)), host.is_torchs(1))"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(tuning.__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=HUNG_SECONDS
    )
    assert done.stdout.split() == ["True", "False"], done.stderr


def test_a_check_takes_each_configuration_in_turn_and_times_none(tmp_path):
    (tmp_path / "tuned.py").write_text(IN_TURN)
    program = (
        "from onekernel.triton import tuning; tuning.tune_in_turn(); tuning.tune_in_turn()\n"
        "import tuned; tuned.kernel.nargs = {}\n"
        "print([c.kwargs['BLOCK'] for _ in range(4) for c in tuned.kernel.prune_configs({})])\n"
        "print(tuned.kernel.do_bench(None, quantiles=(0.5, 0.2, 0.8)))"
    )
    paths = os.pathsep.join([str(tmp_path), str(Path(tuning.__file__).parents[2])])
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"} | {"PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment,
        timeout=HUNG_SECONDS, check=True,
    )
    assert done.stdout.split("\n")[:2] == ["[16, 32, 64, 16]", "[0.0, 0.0, 0.0]"]


KERNEL = """
import torch
import triton
import triton.language as tl


def fitting(configs, named_args, **meta):
    return [c for c in configs if c.kwargs["BLOCK"] >= {pruned_by}]


@triton.autotune(
    configs=[triton.Config({{"BLOCK": b}}) for b in (16, 64, 1024)],
    key=[{key}],
    prune_configs_by={{{prune}}},
)
@triton.jit
def kernel(x_ptr, y_ptr, cols, size, x_stride, y_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < cols, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x))
    tl.store(y_ptr + row * y_stride + at, (e / tl.sum(e)).to(y_ptr.dtype.element_ty), mask=at < cols)


def softmax_tuned_here(x, out=None):
    rows, cols = x.shape
    kernel[(rows,)](x, out, cols, triton.next_power_of_2(cols), x.stride(0), out.stride(0))
    return out
"""
PRUNE = '"early_config_prune": fitting'
RISING = ((2, 12, 0, 0), (2, 60, 0, 0), (2, 12, 0, 0))


def answers(tmp_path: Path, cases=RISING, pruned_by='named_args["cols"]', key='"x_stride"', prune=PRUNE):
    path = tmp_path / "softmax_tuned_here.py"
    path.write_text(KERNEL.format(pruned_by=pruned_by, key=key, prune=prune))
    return triton_child.run(path, "softmax_tuned_here", ("float32", "bfloat16"), cases=cases), path.read_text()


def codes(found) -> list[list[str]]:
    return [[code for code, *_ in answer["findings"]] for answer in found]


@pytest.mark.parametrize("order", [RISING, RISING[1:]], ids=["rising", "falling"])
def test_a_key_without_what_the_pruning_looks_at_is_found_in_either_order(tmp_path, order):
    found, text = answers(tmp_path, cases=order, key="")
    assert [bool(c) for c in codes(found)][: len(order)] == [False, True, False][: len(order)]
    code, line, english, spanish = found[1]["findings"][0]
    assert (code, line) == ("autotune-key", text.splitlines().index("@triton.autotune(") + 1)
    assert "2 x 12 and 2 x 60 have the same key" in english and "BLOCK: 16, num_warps: 4 " in english
    assert "lo que elija para 2 x 12 se usará también con 2 x 60" in spanish


@pytest.mark.parametrize(
    "changes",
    [
        {"key": '"cols"'},
        {"pruned_by": 'named_args["size"]', "key": '"size"'},
        {"pruned_by": '16 * named_args["x_ptr"].element_size()', "key": "", "cases": RISING[:1]},
        {"pruned_by": "1", "key": "", "cases": RISING[:1]},
        {"prune": "", "key": "", "cases": ((2, 12, 0, 0), (2, 11, 0, 0))},
    ],
    ids=["cols", "a number made of cols", "the type, always in the key", "no key", "no pruning"],
)
def test_an_honest_key_is_not_accused(tmp_path, changes):
    found, _ = answers(tmp_path, **changes)
    assert codes(found) == [[]] * len(found)


def test_a_configuration_that_does_not_fit_shows_in_its_turn(tmp_path):
    """Three keys take the three configurations: the first is too short for a row of 60."""
    found, _ = answers(tmp_path, cases=((2, 60, 0, 0), (2, 61, 0, 0), (2, 62, 0, 0)), key='"cols"', prune="")
    assert [bool(a["fault"]) for a in found] == [True, False, False] * 2


def test_what_lies_on_a_gpu_is_not_read_as_the_hosts_memory() -> None:
    """Compiled kernels are timed by the autotuner itself: reading their tensors here ended the process."""
    torch = pytest.importorskip("torch")
    from onekernel.triton import host
    from onekernel.triton.memory import ClosedMemory

    host.remember()
    tuner = SimpleNamespace(restore_value=["a"], reset_to_zero=["b"], arg_names=["a", "b"])
    on_device = torch.ones(4, device="meta")
    with ClosedMemory(()):
        assert tuning._named(tuner, (on_device, on_device), {}) == []
        held = torch.ones(4)
        [kept] = tuning._named(tuner, (held, on_device), {})
    assert kept.held.view("f4").tolist() == [1.0] * 4

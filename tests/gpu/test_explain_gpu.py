"""`onekernel explain` and the programs of lab 05 on a GPU: kernels are seen with the operators that launched them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from onekernel.explain import facts, record
from onekernel.explain.shares import Explained
from support.gpu import needs_cuda

PROGRAMS = Path(__file__).parents[2] / "labs" / "05-fusion" / "programs"
pytestmark = needs_cuda()


def test_a_distance_is_one_kernel_up_to_25_points_and_many_beyond():
    few, many = (Explained(record.trace(PROGRAMS / f"cdist_{n}.py")) for n in (25, 26))
    assert len(facts.kernels(few)) == 1 and len(facts.kernels(many)) > 5
    assert all(w.op is not None for w in many.launched)
    assert {"mm", "cat", "pow"} <= {r.op for r in facts.rows(many)}


def test_each_item_is_a_wait_of_the_host():
    found = Explained(record.trace(PROGRAMS / "item.py"))
    assert [(w.count, w.by) for w in facts.waits(found)] == [(20, "item")]
    assert sum(c.count for c in facts.copies(found) if c.direction == "DtoH") == 20


def test_what_is_compiled_is_shown_and_is_one_kernel():
    command = [sys.executable, str(PROGRAMS / "compiled_code.py"), "cos_two"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.count("@triton.jit") == 1

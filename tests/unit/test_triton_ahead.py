# ruff: noqa: E501
"""What the interpreter runs and Triton's compiler refuses: told at its line, in the learner's words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import torch
from packaging.version import Version

from support.patience import HUNG_SECONDS

pytest.importorskip("triton")

# name -> (the line that is slipped in after the load, the sentence that it gets, the same in Spanish); None: it compiles
SLIPS: dict[str, tuple[str, str | None, str]] = {
    "nothing": ("v = v", None, ""),
    "early_return": ("if cols > 1000000:\n        return", None, ""),
    "own_constant": ("v = v * HALF", None, ""),
    "break_": ("for i in range(4):\n        if i > 2:\n            break", "has no `break`", "no tiene `break`"),
    "continue_": ("for i in range(4):\n        if i > 2:\n            continue", "no `continue`", "no tiene `continue`"),
    "try_": ("try:\n        v = v\n    except ValueError:\n        v = v", "no `try`", "no tiene `try`"),
    "walrus": ("v = v + (w := 0)", "no `:=`", "no tiene `:=`"),
    "lambda_": ("f = lambda t: t\n    v = f(v)", "no `lambda`", "no tiene `lambda`"),
    "list_": ("s = [i for i in range(3)]", "has no lists", "no tiene listas"),
    "global_number": ("v = v * SCALE", "`SCALE` belongs to the file", "`SCALE` pertenece al fichero"),
    "global_helper": ("v = helper(v)", "`helper` belongs to the file", "`helper` pertenece"),
    "total_int": (
        "t = 0\n    for i in range(0, cols):\n        t = t + 0.5", "`t` is int32 before the loop and fp32 in it",
        "`t` es int32 antes del bucle y fp32 dentro",
    ),
    "total_shape": (
        "t = 0.0\n    for i in range(0, cols):\n        t = t + v", "`t` is fp32 before the loop and <['64'], fp32> in it",
        "`t` es fp32 antes del bucle",
    ),
    "one_branch": ("if cols > 0:\n        w = v\n    v = w", "`w` has no value here on every path", "`w` no tiene valor"),
    "two_shapes": (
        "if cols > 9:\n        w = tl.max(v)\n    else:\n        w = v\n    v = v - w",
        "`w` is fp32 after the `if` and <['64'], fp32> after the `else`", "`w` es fp32 tras el `if`",
    ),
    "chained": ("v = tl.where(0 <= c < cols, v, v)", "compares two things at a time", "compara dos cosas"),
    "return_in_loop": ("for i in range(cols):\n        if i > cols:\n            return", "from within a loop", "dentro de un"),
    "python_float": ("v = v * float(cols)", "`float(...)` makes one of Python's numbers", "`float(...)` crea"),
    "enumerate_": ("for i, j in enumerate(range(2)):\n        v = v", "`enumerate` is one of Python's", "`enumerate` es"),
    "if_tile": ("if v > 0:\n        v = v", "The condition is a tile", "La condición es un tile"),
    "choice_of_tile": ("v = v if v > 0 else 0.1 * v", "The condition is a tile", "La condición es un tile"),
    "static_range": ("for i in tl.static_range(cols):\n        v = v", "tl.static_range repeats", "tl.static_range repite"),
    "text": ("s = 'a' + 'b'", "A kernel cannot compute with", "Un kernel no puede calcular con"),
    "to_of_one": ("n = one.to(tl.int64)", "has no `.to()`", "no tiene `.to()`"),
    "cols_tile": ("z = tl.zeros((cols,), tl.float32)", "must be known when", "han de conocerse al compilar"),
    "odd_side": ("z = tl.arange(0, 33)", "a power of two", "una potencia de dos"),
    "element": ("w = v[0]", "no elements or slices", "no se toman elementos"),
    "half_a_pointer": ("w = tl.load(x + c / 2)", "An address meets a float32", "se encuentra con un float32"),
    "address_for_value": ("v = (x + c) - 1.5", "load it first", "léelo antes"),
    "max_of_tile": ("m = max(v)", "of a whole tile it is tl.max", "de un tile entero es tl.max"),
    "set_element": ("v[0] = 0.0", "cannot be set by its number", "no se puede cambiar por su número"),
    "f_string": ("s = f'{v}'", "tl.device_print", "tl.device_print"),
    "pointer_index": ("v = x[c]", "has no elements in square brackets", "no tiene elementos entre corchetes"),
    "numpy": ("m = np.inf", "A kernel cannot use `np`", "Un kernel no puede usar `np`"),
    "cuda_name": ("i = blockIdx.x", "is CUDA C's", "es de CUDA C"),
    "misspelt": ("v = v * sclae", "There is no `sclae` here", "Aquí no hay ningún `sclae`"),
    "torch_function": ("v = torch.exp(v)", "works on tensors outside", "trabaja con tensores fuera"),
    "exp_of_int": ("w = tl.exp(cols)", "takes float32, and is given int32", "toma float32 y recibe int32"),
}  # fmt: skip
if Version(metadata.version("triton")) >= Version("3.8"):  # it takes `:=`
    SLIPS["walrus"] = (SLIPS["walrus"][0], None, "")
if Version(metadata.version("triton")) >= Version("3.9"):  # it takes `a < b < c`; before, block pointers were there
    SLIPS["chained"] = (SLIPS["chained"][0], None, "")
    SLIPS["block_pointer"] = (
        "p = tl.make_block_ptr(x, (cols,), (1,), (0,), (BLOCK,), (0,))", "tensor descriptor, tl.make_tensor_descriptor(",
        "descriptor de tensor, tl.make_tensor_descriptor(",
    )  # fmt: skip
HEAD = """
import torch
import triton
import triton.language as tl

SCALE = 1.0
HALF = tl.constexpr(0.5)


def helper(v):
    return v
"""
KERNEL = """

@triton.jit
def kernel_{name}(x, y, cols, xs, ys, one, BLOCK: tl.constexpr):
    row, c = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    v = tl.load(x + row * xs + c, mask=c < cols, other=0.0)
    {slip}
    tl.store(y + row * ys + c, v, mask=c < cols)


def {name}(x, out=None):
    kernel_{name}[(x.shape[0],)](x, out, x.shape[1], x.stride(0), out.stride(0), 1, BLOCK=64)
    return out
"""
CHILD = """
import json, sys
import numpy as np
from onekernel import triton
from onekernel.backends.base import Buffer

program = triton.build(sys.argv[1], interpret=sys.argv[2] == "interpreted", apart=True)  # as behind the walls: what the compiler needs must not lie outside
program.prepare()
for name in sys.argv[3:]:
    buffers = [Buffer(n, np.zeros(264, np.uint8), 0, 264, n == "y", 4) for n in "xy"]
    report = program.call(name, [*buffers, 2, 33, 33, 33])
    found = [(f.code, f.line, f.message.text("en"), f.message.text("es")) for f in report.findings]
    print(json.dumps([name, found]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", ["interpreted", pytest.param("compiled", marks=pytest.mark.gpu)])
def test_what_only_the_interpreter_accepts_is_told_in_the_learners_words(tmp_path: Path, way: str) -> None:
    if way == "compiled" and not torch.cuda.is_available():
        pytest.skip("needs a GPU that torch sees")
    text = HEAD + "".join(KERNEL.format(name=name, slip=slip) for name, (slip, _, _) in SLIPS.items())
    path = tmp_path / "slips.py"
    path.write_text(text)
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[2] / "src")
    command = [sys.executable, "-W", "ignore", "-c", CHILD, str(path), way, *SLIPS]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=HUNG_SECONDS)
    assert done.returncode == 0, done.stderr[-3000:]
    heard = dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))
    lines = text.splitlines()
    wrong = {}
    for name, (slip, english, spanish) in SLIPS.items():
        found = heard[name]
        if english is None:
            if found:
                wrong[name] = found
            continue
        first = lines.index(f"def kernel_{name}(x, y, cols, xs, ys, one, BLOCK: tl.constexpr):") + 4
        at = range(first, first + len(slip.splitlines()) + 1)
        told = [f for f in found if f[1] in at and english in f[2] and spanish in f[3]]
        if not told or any(code == "raised" for code, *_ in found):
            wrong[name] = found
    assert not wrong, json.dumps(wrong, indent=1)


EACH_SIZE = """
import json, sys
import numpy as np
from onekernel import triton
from onekernel.backends.base import Buffer

program = triton.build(sys.argv[1])
program.prepare()
for cols in (33, 48, 1, 17, 32):
    buffers = [Buffer(n, np.zeros(8 * cols, np.uint8), 0, 8 * cols, n == "y", 4) for n in "xy"]
    report = program.call("text", [*buffers, 2, cols, cols, cols])
    print(json.dumps([f.code for f in report.findings]))
"""


@pytest.mark.slow
def test_a_kernel_that_is_refused_is_refused_on_every_input(tmp_path: Path) -> None:
    """Not on the first ones alone, of which each new kind is compiled: it earns nothing on a GPU, and nothing here."""
    path = tmp_path / "slips.py"
    path.write_text(HEAD + KERNEL.format(name="text", slip="s = 'a' + 'b'"))
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[2] / "src")
    command = [sys.executable, "-W", "ignore", "-c", EACH_SIZE, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=HUNG_SECONDS)
    assert done.returncode == 0, done.stderr[-3000:]
    assert [json.loads(line) for line in done.stdout.splitlines()] == [["not-compiled"]] * 5


@pytest.mark.slow
def test_a_compiler_that_does_not_answer_says_nothing(tmp_path: Path) -> None:
    """The file stops for good where it is not interpreted: its kernel is graded all the same."""
    path = tmp_path / "slips.py"
    held = "\nimport os, time\nif os.environ.get('TRITON_INTERPRET') != '1':\n    time.sleep(600)\n"
    path.write_text(HEAD + held + KERNEL.format(name="global_number", slip="v = v * SCALE"))
    child = "from onekernel.triton import ahead; ahead.SECONDS = 0.5\n" + CHILD
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[2] / "src")
    command = [sys.executable, "-W", "ignore", "-c", child, str(path), "interpreted", "global_number", "global_number"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=HUNG_SECONDS)
    assert done.returncode == 0, done.stderr[-3000:]
    assert [json.loads(line) for line in done.stdout.splitlines()] == [["global_number", []]] * 2


@pytest.mark.slow
def test_a_call_does_not_import_what_compiles_torch(tmp_path: Path) -> None:
    child = CHILD + "print(json.dumps([n for n in ('torch._dynamo', 'torch._inductor') if n in sys.modules]))"
    path = tmp_path / "right.py"
    path.write_text(HEAD + KERNEL.format(name="right", slip="x"))
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[2] / "src")
    command = [sys.executable, "-W", "ignore", "-c", child, str(path), "interpreted", "right"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=HUNG_SECONDS)
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout.splitlines()[-1]) == []


BEFORE = """
import json, sys
from pathlib import Path
from onekernel.loading import load_module
from onekernel.triton.refusals import is_refusal, own_functions, refusal

path = Path(sys.argv[1])
module = load_module(path)
for name in sys.argv[2:]:
    try:
        getattr(module, "kernel_" + name).cache_key
    except Exception as error:
        found = refusal(error, path, own_functions(module), runs=False)
        print(json.dumps([is_refusal(error), found.code, found.line, found.message.text("en")]))
"""


@pytest.mark.slow
@pytest.mark.skipif(Version(metadata.version("triton")) < Version("3.6"), reason="before, a call of it was refused")
def test_a_function_that_is_refused_before_a_kernel_is_compiled_has_its_line(tmp_path: Path) -> None:
    """As on a GPU, where nothing is compiled ahead."""
    names = ["nothing", "global_helper", "torch_function"]
    text = HEAD + "".join(KERNEL.format(name=name, slip=SLIPS[name][0]) for name in names)
    path = tmp_path / "slips.py"
    path.write_text(text)
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[2] / "src")
    command = [sys.executable, "-W", "ignore", "-c", BEFORE, str(path), *names]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=HUNG_SECONDS)
    assert done.returncode == 0, done.stderr[-3000:]
    told = [json.loads(line) for line in done.stdout.splitlines()]
    lines = text.splitlines()
    for (refused, code, line, said), name in zip(told, names[1:], strict=True):
        slip, words, _ = SLIPS[name]
        assert refused and code == "not-compiled" and lines[line - 1].strip() == slip and words in said

"""What torch.compile writes for the functions of lab 05, on this machine: Triton with a GPU, C++ without one.

Show:   python labs/05-fusion/programs/compiled_code.py softmax_tile       (the code; without a name: all names)
Record: python labs/05-fusion/programs/compiled_code.py --record OUT.json  (all of them, with kernels, times, hints)
But:    what is written depends on torch's version, the card and the shape. labs/05-fusion/compiled holds a recording.
"""

import json
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

import torch
from torch._inductor import config
from torch._inductor.utils import run_and_get_code

CUDA = torch.cuda.is_available()
DEVICE = "cuda" if CUDA else "cpu"


def gelu(x):
    return 0.5 * x * (1 + torch.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def cos_one(x):
    return x.cos().cos()


def cos_two(x):
    y = x.cos()
    return y.cos()


def cos_both(x):
    y = x.cos()
    return y, y.cos()


def softmax(x):
    return torch.softmax(x, dim=-1)


def softmax_mul(x, w):
    return torch.softmax(x, dim=-1) * w


def rmsnorm(x, residual, weight):
    h = x + residual
    return h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * weight


def matmul_relu(x):
    return torch.relu(x @ x) + 1.0


LONG = 1 << 26
BF16 = torch.bfloat16
# name: function, shapes of its arguments, their type, options of the compiler
FUNCTIONS = {
    "gelu": (gelu, [(LONG,)], torch.float32, {}),
    "gelu_bf16": (gelu, [(LONG,)], BF16, {}),
    "cos_one": (cos_one, [(LONG,)], torch.float32, {}),
    "cos_two": (cos_two, [(LONG,)], torch.float32, {}),
    "cos_both": (cos_both, [(LONG,)], torch.float32, {}),
    "softmax_tile": (softmax, [(32768, 1000)], torch.float32, {}),
    "softmax_online": (softmax, [(4096, 16384)], torch.float32, {}),
    "softmax_three_pass": (softmax, [(4096, 16384)], torch.float32, {"online_softmax": False}),
    "softmax_split": (softmax, [(16, 262144)], torch.float32, {}),
    "softmax_mul": (softmax_mul, [(8192, 8192), (8192, 8192)], torch.float32, {}),
    "rmsnorm": (rmsnorm, [(8192, 4096), (8192, 4096), (4096,)], torch.float32, {}),
    "matmul_relu": (matmul_relu, [(2048, 2048)], torch.float32, {}),
}


def compiled(name):
    """The compiled function, its arguments, the code that was written for it, and what the compiler warned of."""
    function, shapes, dtype, options = FUNCTIONS[name]
    if not CUDA:  # fewer rows, the same code
        shapes = [(s[0] // 64, *s[1:]) if s[0] > 4096 or (s[0] == 4096 and len(s) == 2) else s for s in shapes]
    args = [torch.randn(shape, device=DEVICE, dtype=dtype) for shape in shapes]
    torch._dynamo.reset()
    with config.patch(options), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = torch.compile(function, dynamic=False)
        _, code = run_and_get_code(found, *args)
    return found, args, code, [str(w.message).strip() for w in heard if "softmax" in str(w.message).lower()]


def kernels(function, args):
    """The names of the kernels of one call."""
    from torch.profiler import ProfilerActivity, profile

    function(*args)
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as found:
        function(*args)
        torch.cuda.synchronize()
    return [e.name[:200] for e in found.events() if str(e.device_type).endswith("CUDA")]


def seconds(function, args):
    """The median of ten calls, L2 emptied before each. A call of several short kernels waits for the host in it."""
    emptier = torch.empty(1 << 29, dtype=torch.uint8, device="cuda")
    times = []
    for _ in range(12):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        emptier.zero_()
        start.record()
        function(*args)
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / 1e3)
    return statistics.median(times[2:])


def record(path):
    """Writes what every function became on this GPU."""
    import triton

    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    driver = subprocess.run(query, capture_output=True, text=True).stdout.split()
    versions = {"torch": torch.__version__, "triton": triton.__version__, "cuda": torch.version.cuda}
    found = {"gpu": torch.cuda.get_device_name(), "driver": driver[0] if driver else "", "versions": versions,
             "date": time.strftime("%Y-%m-%d", time.gmtime()), "functions": {}}  # fmt: skip
    for name, (function, shapes, dtype, options) in FUNCTIONS.items():
        began = time.time()
        made, args, code, hints = compiled(name)
        one = {
            "shapes": shapes, "dtype": str(dtype), "options": options, "hints": hints, "code": code,
            "kernels": kernels(made, args), "eager_kernels": kernels(function, args),
            "seconds": seconds(made, args), "eager_seconds": seconds(function, args),
        }  # fmt: skip
        found["functions"][name] = one
        launched, eager = len(one["kernels"]), len(one["eager_kernels"])
        times = [round(1e6 * one[key]) for key in ("seconds", "eager_seconds")]
        print(f"{name:20}{time.time() - began:5.1f} s  {launched} kernels {times[0]} us, eager {eager} {times[1]} us",
              f"{len(hints)} hints", flush=True)  # fmt: skip
        Path(path).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"] and len(sys.argv) == 3:
        record(sys.argv[2])
    elif sys.argv[1:] and sys.argv[1] in FUNCTIONS:
        _, _, sources, hints = compiled(sys.argv[1])
        print(*sources, *hints, sep="\n")
    else:
        print("one of:", ", ".join(FUNCTIONS))

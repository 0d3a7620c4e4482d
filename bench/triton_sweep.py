"""Records what the autotuner sees: every configuration of softmax_triton.py, shape by shape, on a real card.

Run:    python bench/triton_sweep.py                 writes bench/results/<gpu>/triton_sweep.json
        python bench/triton_sweep.py --dry-run       says what it would measure; needs no GPU
Time:   CUDA events around one launch, the median of 15, 512 MB written between two samples so that L2 holds nothing of
        x. Configurations take turns, so that a drift of the clocks meets all of them.
But:    a sweep speaks for the card that it was recorded on, and for no other.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import itertools
import json
import os
import statistics
import subprocess
import sys
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "solutions"), str(ROOT / "solutions" / "ladder")]

SHAPES = [(131072, 128), (65536, 256), (32768, 512), (32768, 1000), (16384, 1024), (16384, 2048), (8192, 4096)]
SHAPES += [(8192, 4095), (8192, 8192), (4096, 12345), (4096, 16384), (4096, 32768), (4096, 50257), (2048, 65536)]
SHAPES += [(2048, 131072), (1024, 262144), (128, 131072), (16, 262144), (1, 4194304), (1024, 1024), (128, 4096)]
WIDTHS = {"float32": 4, "bfloat16": 8}  # elements in 16 bytes
LADDER = ("triton_three_pass", "triton_online", "triton_single_tile")
LADDER_SHAPES = [(32768, 1000), (8192, 4096), (4096, 16384), (2048, 65536), (1024, 262144)]
SAMPLES = 15


def configurations(rows: int, cols: int, width: int) -> list[tuple[str, dict[str, int], int, int | None]]:
    """(kernel, constants, warps, most registers) to try: more than the solution keeps, so as to judge its choice.

    `width` elements make 16 bytes.
    """
    import triton

    found = []
    if cols <= 32768:
        for lanes in (4, 8, 16, 32, 64, 128, 256, 512, 1024):
            each = triton.cdiv(triton.cdiv(cols, width), lanes) * width
            for warps in (2, 4) if lanes <= 32 else (lanes // 32,):
                if 8 <= each <= 128 and (each > width or lanes * width < 2 * cols):
                    found.append(("tile", {"LANES": lanes}, warps, 64 if lanes >= 512 else None))
    if cols >= 12345:
        shares = [
            (64, 4, None),
            (64, 4, 80),
            (64, 4, 64),
            (56, 4, 72),
            (48, 4, 64),
            (32, 4, None),
            (64, 8, 80),
            (32, 8, None),
        ]
        for each, warps, registers in [*shares, (32, 16, None), (32, 32, None)]:
            share = 32 * warps * each
            if triton.cdiv(cols, share) <= 128 and share < 2 * cols:
                found.append(("team", {"EACH": each}, warps, registers))
    return found


class Shape:
    """A pair of tensors and everything that a launch needs except the configuration."""

    def __init__(self, rows: int, cols: int, dtype: str, device: str) -> None:
        import torch

        self.rows, self.cols, self.dtype = rows, cols, dtype
        if device == "cuda":
            self.x = torch.randn((rows, cols), device=device, dtype=getattr(torch, dtype))
            self.y = torch.empty_like(self.x)
        else:  # for compiling ahead: only addresses matter, nothing is touched
            self.x, self.y = (self._as_on_a_card(torch, getattr(torch, dtype)) for _ in "xy")

    def _as_on_a_card(self, torch, dtype):
        """A tensor that starts on a cache line, as a GPU's do."""
        flat = torch.empty(self.rows * self.cols + 128, dtype=dtype)
        start = -flat.data_ptr() % 128 // flat.element_size()
        return flat[start : start + self.rows * self.cols].view(self.rows, self.cols)

    def launcher(self, kernel: str, constants: dict[str, int], warps: int, registers: int | None, solution=None):
        """-> (prepare, launch): `prepare` zeroes the team's words outside the timed span."""
        import torch
        import triton

        solution = solution or importlib.import_module("softmax_triton")
        options = solution.alignment_of(self.x, self.y) | constants | {"num_warps": warps, "maxnreg": registers}
        strides = self.x.stride(0), self.y.stride(0)
        if kernel == "tile":
            grid = (triton.cdiv(self.rows, max(1, 32 * warps // constants["LANES"])),)
            options |= {"VECTORS": solution.vectors_in(self.cols, **options), "FAR": False, "FEW": self.rows <= 512}
            args = (self.x, self.y, self.rows, self.cols, *strides)
            return (lambda: None), lambda: solution.tile.fn[grid](*args, **options)
        grid = (self.rows * triton.cdiv(self.cols, 32 * warps * constants["EACH"]),)
        parts = max(solution.slots_for(self.cols), triton.next_power_of_2(grid[0] // self.rows))
        words = torch.zeros(self.rows * parts, dtype=torch.int64, device=self.x.device)
        args = (self.x, self.y, self.cols, *strides)
        return words.zero_, lambda: solution.team.fn[grid](*args, words_ptr=words, PARTS=parts, **options)


def compile_share(index: int, of: int, arch: int) -> None:
    """Compiles every `of`-th configuration into Triton's cache, so that the card does not wait for the compiler."""
    from triton.runtime.driver import driver
    from triton.runtime.jit import JITFunction

    from onekernel.backends.triton.capture import CompileOnlyDriver

    driver.set_active(CompileOnlyDriver(arch))
    run = JITFunction.run
    JITFunction.run = lambda self, *a, grid, warmup, **k: run(self, *a, grid=grid, warmup=True, **k)
    jobs = [(s, d, c) for s in SHAPES for d, width in WIDTHS.items() for c in configurations(*s, width)]
    for shape, dtype, config in jobs[index::of]:
        Shape(*shape, dtype, "cpu").launcher(*config)[1]()


def compile_ahead(arch: int, workers: int) -> None:
    """Starts `workers` processes of compile_share and waits for them."""
    command = [sys.executable, __file__, "--arch", str(arch), "--compile-share"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    running = [subprocess.Popen([*command, f"{i}/{workers}"], env=environment) for i in range(workers)]
    if any(process.wait() for process in running):
        raise SystemExit("a compile worker failed: its message is above")


def sample(torch, flush, prepare, launch) -> float:
    """One launch, in microseconds."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    prepare()
    flush.zero_()
    begin.record()
    launch()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e3


def measure(rows: int, cols: int, dtype: str, flush) -> list[dict]:
    """The copy and every configuration at one shape, taking turns."""
    import torch

    shape = Shape(rows, cols, dtype, "cuda")
    x = shape.x.double()
    want = torch.exp(x - x.max(1, keepdim=True).values)
    want = (want / want.sum(1, keepdim=True)).float()
    del x
    contenders = {("copy", (), 0, None): ((lambda: None), lambda: shape.y.copy_(shape.x))}
    for kernel, constants, warps, registers in configurations(rows, cols, WIDTHS[dtype]):
        prepare, launch = shape.launcher(kernel, constants, warps, registers)
        shape.y.fill_(float("nan"))
        prepare()
        launch()
        error = ((shape.y.float() - want).abs() / want).max().item()
        if not error < (1e-2 if dtype == "bfloat16" else 1e-4):
            what = f"{kernel} {constants} {warps} warps, {dtype} {rows} x {cols}"
            raise SystemExit(f"{what}: wrong by {error:.1e}, so not timed")
        contenders[kernel, tuple(constants.items()), warps, registers] = prepare, launch
    del want
    times: dict = {key: [] for key in contenders}
    for _ in range(SAMPLES):
        for key, (prepare, launch) in contenders.items():
            times[key].append(sample(torch, flush, prepare, launch))
    copy = statistics.median(times["copy", (), 0, None])
    found = []
    for (kernel, constants, warps, registers), taken in times.items():
        low, middle, high = statistics.quantiles(taken, n=4)
        found.append(
            {
                "dtype": dtype,
                "rows": rows,
                "cols": cols,
                "kernel": kernel,
                "config": dict(constants) | ({"num_warps": warps, "maxnreg": registers} if warps else {}),
                "median_us": round(middle, 2),
                "spread_us": round(high - low, 2),
                "percent_of_copy": round(100 * copy / middle, 1),
            }
        )
    return found


def write(path: Path, header: dict, tables: dict[str, list[dict]]) -> None:
    """One measurement a line, so that a later recording shows as a readable difference."""
    parts = [f'"{key}": {json.dumps(value)}' for key, value in header.items()]
    for name, rows in tables.items():
        lines = ",\n  ".join(json.dumps(row) for row in rows)
        parts.append(f'"{name}": [\n  {lines}\n ]')
    path.write_text("{\n " + ",\n ".join(parts) + "\n}\n")


def measure_ladder(rows: int, cols: int, dtype: str, flush) -> list[dict]:
    """The copy and the reading ladder's rungs, as a learner calls them."""
    import torch

    x = torch.randn((rows, cols), device="cuda", dtype=getattr(torch, dtype))
    y = torch.empty_like(x)
    found = []
    for name in ("copy", *LADDER):
        if name == "triton_single_tile" and cols > 65536:
            continue  # no thread has room for its share of so long a row
        rung = None if name == "copy" else getattr(importlib.import_module(name), name)
        function = partial(rung, x, y) if rung else partial(y.copy_, x)
        function()
        taken = statistics.median(sample(torch, flush, lambda: None, function) for _ in range(SAMPLES))
        found.append({"dtype": dtype, "rows": rows, "cols": cols, "kernel": name, "median_us": round(taken, 2)})
    for row in found:
        row["percent_of_copy"] = round(100 * found[0]["median_us"] / row["median_us"], 1)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--compile-share", help=argparse.SUPPRESS)
    parser.add_argument("--arch", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.compile_share:
        index, of = map(int, args.compile_share.split("/"))
        compile_share(index, of, args.arch)
        return
    if args.dry_run:
        for (rows, cols), dtype in itertools.product(SHAPES, WIDTHS):
            named = (
                f"{k} {next(iter(c.values()))}/{w}w/{r}r" for k, c, w, r in configurations(rows, cols, WIDTHS[dtype])
            )
            print(f"{dtype:9} {rows:>7} x {cols:<8}", ", ".join(named))
        return
    import torch
    import triton

    if not torch.cuda.is_available():
        raise SystemExit("triton_sweep needs a GPU: it records times. --dry-run says what it would measure.")
    properties = torch.cuda.get_device_properties(0)
    compile_ahead(properties.major * 10 + properties.minor, max(1, (os.cpu_count() or 2) - 1))
    flush = torch.empty(512 * 2**20, dtype=torch.uint8, device="cuda")
    rows = []
    for (r, c), dtype in itertools.product(SHAPES, WIDTHS):
        measured = measure(r, c, dtype, flush)
        rows += measured
        best = max(measured[1:], key=lambda m: m["percent_of_copy"])
        copy, percent = measured[0]["median_us"], best["percent_of_copy"]
        print(f"{dtype:9} {r:>7} x {c:<8} copy {copy:8.1f} us; best {percent:5.1f} % of it:", end=" ")
        print(best["kernel"], best["config"], flush=True)
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    ladder = [row for s, d in itertools.product(LADDER_SHAPES, WIDTHS) for row in measure_ladder(*s, d, flush)]
    driver = subprocess.run(query, capture_output=True, text=True)
    header = {
        "gpu": properties.name,
        "driver": driver.stdout.strip().splitlines()[0] if driver.stdout else "",
        "versions": {"torch": torch.__version__, "triton": triton.__version__, "cuda": torch.version.cuda},
        "date": datetime.date.today().isoformat(),
        "command": "python bench/triton_sweep.py",
        "samples": SAMPLES,
    }
    from onekernel.bench.device import slug_of

    folder = ROOT / "bench" / "results" / slug_of(properties.name)
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "triton_sweep.json", header, {"sweep": rows, "ladder": ladder})


if __name__ == "__main__":
    main()

"""The simulator's own runtime under AddressSanitizer and UBSan, while it runs clean, wrong and crashing kernels.

The kernels keep the simulator's hooks; the runtime gets the sanitizers, which abort at the first thing they find.
Stacks are left out: fibers leave them without unwinding, which AddressSanitizer takes for a fault.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.patience import HUNG_SECONDS

pytestmark = pytest.mark.slow

KERNELS = (
    "async_barrier_before_wait", "async_no_wait", "clean_async_double_buffer", "clean_async_blocks",
    "clean_stream_fork_join", "clean_stream_scratch", "missing_return_device", "missing_return_launcher",
    "stream_non_blocking_beside_default", "stream_own_without_events",
    "barrier_in_branch", "clean_lock", "clean_order_through_third_block", "race_store_beside_atomics",
    "clean_cub_block", "clean_managed", "managed_too_early", "clean_cluster_dims", "race_cub_reuse",
    "clean_cluster_rotate", "clean_cluster_split", "clean_grid_flag", "clean_grid_sync",
    "cluster_exited_first", "cluster_sync_in_branch", "grid_sync_plain_launch", "race_cluster_no_barrier",
    "clean_count_transpose_conflicts", "clean_cached_copy", "clean_histogram", "clean_last_block",
    "clean_scan_double_buffer", "clean_shared_opt_in", "clean_shuffle_width", "clean_tile_reduce", "clean_two_kernels",
    "copy_too_long", "deadlock_shuffle_barrier", "device_assert", "endless_loop", "host_touch", "oob_read_before",
    "oob_shared_dynamic", "race_global_blocks", "race_missing_barrier", "stack_overflow", "use_after_free",
)  # fmt: skip
SHARES = 6  # a runtime with sanitizers takes half a minute, and so do as many kernels as these are parts
FLAGS = "-O1 -fsanitize=address,undefined -fno-sanitize-recover=all --param=asan-stack=0"
WRAPPER = """#!/bin/sh
case " $* " in
  *" -shared "*|*/runtime/each_*.cpp*) exec {compiler} "$@" {flags} ;;
esac
exec {compiler} "$@"
"""
# The simulator handles these signals itself; leaks are those of the interpreter.
OPTIONS = "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:use_sigaltstack=0"


def _libraries(compiler: str) -> list[str]:
    names = ("libasan.so", "libubsan.so")
    found = [subprocess.run([compiler, f"-print-file-name={n}"], capture_output=True, text=True) for n in names]
    return [f.stdout.strip() for f in found if Path(f.stdout.strip()).is_absolute()]


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.sample(every=SHARES)
def test_the_runtime_is_clean(share: int, tmp_path: Path) -> None:
    kernels = KERNELS[share::SHARES]
    compiler = shutil.which("g++")
    if compiler is None or len(_libraries(compiler)) < 2:
        pytest.skip("needs g++ with libasan and libubsan")
    wrapper = tmp_path / "g++"
    wrapper.write_text(WRAPPER.format(compiler=compiler, flags=FLAGS))
    wrapper.chmod(0o755)
    cache = tmp_path / "cache"
    child = Path(__file__).with_name("sanitizer_child.py")
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]  # the first for `support`
    environment = {
        **os.environ, "ONEKERNEL_CACHE": str(cache), "ASAN_OPTIONS": OPTIONS,
        "LD_PRELOAD": ":".join(_libraries(compiler)), "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }  # fmt: skip
    done = subprocess.run([sys.executable, str(child), str(wrapper), *kernels], capture_output=True, text=True,
                          env=environment, timeout=HUNG_SECONDS)  # fmt: skip
    assert done.returncode == 0 and "runtime error" not in done.stderr, done.stderr[-4000:]
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert {a["kernel"] for a in answers} == set(kernels)
    assert [a for a in answers if a["found"] != a["wanted"]] == []
    runtime = next(cache.rglob("runtime-*.o")).read_bytes()
    assert b"__asan_report" in runtime and b"__ubsan_handle_type_mismatch" in runtime

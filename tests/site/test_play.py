"""The interactive pieces compute what the simulator counts, and what the course computes elsewhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audits.bench.roofline.points import Roofs
from audits.book.drawings.reduction import join
from onekernel import simulator
from onekernel.bench.cards import cards
from onekernel.counts import LOAD_REQUESTS, LOAD_SECTORS, SHARED_LOAD_WAVEFRONTS
from onekernel.messages import LANGUAGES, area
from onekernel.site import play
from onekernel.site.build import THEME
from support.simulated import buffer

NODE = shutil.which("node")
ASSETS = THEME / "assets"
pytestmark = pytest.mark.skipif(NODE is None, reason="the model of the pages' pieces is JavaScript; there is no node")
ACCESS = [(stride, offset) for stride in (0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33) for offset in (0, 1, 5, 31)]
KERNEL = """
#include <cuda_runtime.h>
#include <stdint.h>
__global__ void global_load(const float* x, float* y, int64_t stride, int64_t offset) {
    y[threadIdx.x] = x[offset + stride * threadIdx.x];
}
__global__ void shared_load(const float* x, float* y, int64_t stride, int64_t offset) {
    __shared__ float s[33 * 32 + 32];
    for (int i = threadIdx.x; i < 33 * 32 + 32; i += 32) s[i] = 1.0f;
    __syncthreads();
    y[threadIdx.x] = s[offset + stride * threadIdx.x];
}
extern "C" cudaError_t run(const float* x, float* y, int64_t stride, int64_t offset, int64_t shared, cudaStream_t t) {
    if (shared) shared_load<<<1, 32, 0, t>>>(x, y, stride, offset);
    else global_load<<<1, 32, 0, t>>>(x, y, stride, offset);
    return cudaGetLastError();
}
"""


def computed(expression: str, *inputs: Any) -> Any:
    """What JavaScript makes of the inputs `given`, with the model of the pages."""
    script = f"const Model = require({json.dumps(str(ASSETS / 'model.js'))}); const given = {json.dumps(inputs)};"
    script += f"console.log(JSON.stringify({expression}))"
    done = subprocess.run([str(NODE), "-e", script], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.slow
def test_sectors_and_wavefronts_are_those_that_the_simulator_counts(tmp_path: Path) -> None:
    (tmp_path / "access.cu").write_text(KERNEL, encoding="utf-8")
    program = simulator.build(tmp_path / "access.cu", "count")
    x, y = np.ones(33 * 32 + 32, np.float32), np.zeros(32, np.float32)

    def metrics(*words: int) -> dict[str, float]:
        report = program.call("run", [buffer("x", x, False), buffer("y", y, True), *words])
        assert report.status_name == "cudaSuccess"
        return dict(report.kernels[0].metrics)

    want = []
    for stride, offset in ACCESS:
        loaded, shared = metrics(stride, offset, 0), metrics(stride, offset, 1)
        assert loaded[LOAD_REQUESTS] == 1
        want.append([loaded[LOAD_SECTORS], shared[SHARED_LOAD_WAVEFRONTS]])
    pair = "[Model.sectors(s, o).touched.length, Model.banks(s, o).wavefronts]"
    got = computed(f"given[0].map(([s, o]) => {pair})", ACCESS)
    assert got == want


def test_the_roofs_are_those_of_the_course() -> None:
    asked = [[i, c.bandwidth, c.fp32] for c in cards().values() for i in (1 / 12, 0.625, 10.0, c.ridge, 683.0)]
    got = computed("given[0].map((a) => Model.roofline(...a))", asked)
    for (intensity, bandwidth, peak), answer in zip(asked, got, strict=True):
        roofs = Roofs(0.0, bandwidth, peak)
        assert answer["rate"] == pytest.approx(roofs.attainable(intensity), rel=1e-12)
        assert answer["ridge"] == roofs.ridge and answer["binds"] == roofs.binds(intensity)


def test_the_states_of_the_online_softmax_are_those_of_the_drawing_and_end_at_the_sum() -> None:
    rows = [[1, 3, 2, 5, 4, 0], [5, 4, 3, 2, 1, 0], [0.25, -80.0, 3.5, 88.0], [2, 2, 2]]
    for row, states in zip(rows, computed("given[0].map(Model.online)", rows), strict=True):
        state = (np.float32(row[0]), np.float32(1))
        for x, got in zip(row[1:], states[1:], strict=True):
            state = join(state, (np.float32(x), np.float32(1)))
            assert got["m"] == state[0] and got["s"] == pytest.approx(float(state[1]), rel=2.5e-7)
        assert states[-1]["s"] == pytest.approx(np.exp(np.array(row) - max(row)).sum(), rel=1e-6)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_word_that_a_piece_uses_is_there_and_each_that_is_there_is_used(lang: str) -> None:
    script = (ASSETS / "play.js").read_text(encoding="utf-8")
    for name in play.NAMES:
        (body,) = re.findall(rf"\n  function {name}\(.*?\n  }}\n", script, re.S)
        used = {"title", *re.findall(r"\bwords\.(\w+)", body)}
        used |= {"memory", "compute"} if "words[binds]" in body else set()
        assert used == {k.removeprefix(f"{name}-") for k in area("play") if k.startswith(f"{name}-")}
        assert f'data-play="{name}"' in play.element(name, lang)


def test_the_scripts_fetch_nothing() -> None:
    for path in ASSETS.glob("*.js"):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|fetch\(|XMLHttp|import\b|localStorage|innerHTML", text)

"""Counts of random access patterns against a model in a few lines of Python."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onekernel import counts, simulator
from onekernel.backends.base import Buffer

pytestmark = pytest.mark.slow

KERNEL = """\
template <typename T>
__global__ void gather(const int* index, const T* data, T* out) {{
    int t = threadIdx.x;
    int i = index[t];
    if (i >= 0) out[t] = data[i];  // the access that is counted
}}
__global__ void in_shared(const int* index, const {T}* data, {T}* out) {{
    __shared__ {T} s[256];
    int t = threadIdx.x;
    for (int k = t; k < 256; k += 32) s[k] = data[k];
    __syncwarp();
    int i = index[t];
    if (i >= 0) {{
        {T} v = s[i];  // the access that is counted
        out[t] = v;
    }}
}}
__global__ void scatter(const int* index, const {T}* data, {T}* out) {{
    int i = index[threadIdx.x];
    {T} v = data[0];
    if (i >= 0) out[i] = v;  // the access that is counted
}}
__global__ void to_shared(const int* index, const {T}* data, {T}* out) {{
    __shared__ {T} s[256];
    int t = threadIdx.x, i = index[t];
    {T} v = data[0];
    if (i >= 0) s[i] = v;  // the access that is counted
    __syncwarp();
    if (i >= 0) out[t] = s[i];
}}
__global__ void two_ways(const int* index, const {T}* data, {T}* out) {{
    int t = threadIdx.x, i = index[t];
    if (i >= 128) {{
        {T} v = data[i];  // the access of one branch
        out[t] = v;
    }} else if (i >= 0) {{
        {T} v = data[255 - i];  // the access of the other
        out[32 + t] = v;
    }}
}}
extern "C" cudaError_t global_store(const int* index, const {T}* data, {T}* out, cudaStream_t) {{
    scatter<<<1, 32>>>(index, data, out);
    return cudaGetLastError();
}}
extern "C" cudaError_t shared_store(const int* index, const {T}* data, {T}* out, cudaStream_t) {{
    to_shared<<<1, 32>>>(index, data, out);
    return cudaGetLastError();
}}
extern "C" cudaError_t branches(const int* index, const {T}* data, {T}* out, cudaStream_t) {{
    two_ways<<<1, 32>>>(index, data, out);
    return cudaGetLastError();
}}
extern "C" cudaError_t global_memory(const int* index, const {T}* data, {T}* out, cudaStream_t) {{
    gather<<<1, 32>>>(index, data, out);
    return cudaGetLastError();
}}
extern "C" cudaError_t shared_memory(const int* index, const {T}* data, {T}* out, cudaStream_t) {{
    in_shared<<<1, 32>>>(index, data, out);
    return cudaGetLastError();
}}
"""
TYPES = {"unsigned char": 1, "short": 2, "float": 4, "double": 8, "float4": 16}
ELEMENTS = 256
INDICES = st.lists(st.integers(-1, ELEMENTS - 1), min_size=32, max_size=32)


def buffer(name, data, writable=False):
    memory = np.full(data.nbytes + 512, 0xFF, np.uint8)
    memory[256 : 256 + data.nbytes] = data.view(np.uint8)
    return Buffer(name, memory, 256, data.nbytes, writable, 4)


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("counts")
    out = {}
    for name, size in TYPES.items():
        path = folder / f"gather_{size}.cu"
        path.write_text(KERNEL.format(T=name))
        out[size] = simulator.build(path, "count", machine_code=False)  # as written, line by line
    return out


def line_of(text):
    return next(n for n, line in enumerate(KERNEL.splitlines(), 1) if text in line)


def line_counts(program, function, index, size, number):
    data = np.zeros(ELEMENTS * size, np.uint8)
    out = buffer("out", np.zeros(ELEMENTS * size, np.uint8), True)
    report = program.call(function, [buffer("index", np.array(index, np.int32)), buffer("data", data), out])
    assert report.status == 0 and not report.findings, [str(f) for f in report.findings]
    return next((n.metrics for n in report.kernels[0].lines if n.line == number), {})


def model_sectors(index, size):
    return len({(i * size + b) // 32 for i in index if i >= 0 for b in range(size)})


def pairs(index):
    """Whether each lane wants what its partner wants, which is next or next but one."""
    both = [[(i, index[k ^ apart]) for k, i in enumerate(index) if min(i, index[k ^ apart]) >= 0] for apart in (1, 2)]
    return any(all(i == other for i, other in some) for some in both)


def model_wavefronts(index, size, load=True):
    total = parts = 0
    lanes_each = {16: 8, 8: 16}.get(size, 32)
    if lanes_each < 32 and load and pairs(index):
        lanes_each *= 2
    for start in range(0, 32, lanes_each):
        lanes = [i for i in index[start : start + lanes_each] if i >= 0]
        words = {(i * size + b) // 4 for i in lanes for b in range(size)}
        banks = Counter(word % 32 for word in words)
        total += max(banks.values(), default=0)
        parts += bool(lanes)
    return total, total - parts


@pytest.mark.parametrize("size", TYPES.values())
def test_sectors_and_requests_of_random_gathers(programs, size):
    @given(INDICES)
    @settings(max_examples=25, deadline=None)
    def check(index):
        metrics = line_counts(programs[size], "global_memory", index, size, 5)
        some = any(i >= 0 for i in index)
        assert metrics.get(counts.LOAD_REQUESTS, 0) == some
        assert metrics.get(counts.LOAD_SECTORS, 0) == model_sectors(index, size)
        assert metrics.get(counts.BYTES_LOADED, 0) == size * sum(i >= 0 for i in index)

    check()


@pytest.mark.parametrize("size", TYPES.values())
def test_wavefronts_and_conflicts_of_random_gathers(programs, size):
    @given(INDICES)
    @settings(max_examples=25, deadline=None)
    def check(index):
        metrics = line_counts(programs[size], "shared_memory", index, size, 14)
        wavefronts, conflicts = model_wavefronts(index, size)
        assert metrics.get(counts.SHARED_LOAD_WAVEFRONTS, 0) == wavefronts
        assert metrics.get(counts.SHARED_LOAD_CONFLICTS, 0) == conflicts

    check()


@pytest.mark.parametrize("size", TYPES.values())
def test_stores_to_random_places(programs, size):
    """Lanes may share a place: all of them store the same value."""

    @given(INDICES)
    @settings(max_examples=25, deadline=None)
    def check(index):
        metrics = line_counts(programs[size], "global_store", index, size, line_of("out[i] = v;"))
        assert metrics.get(counts.STORE_REQUESTS, 0) == any(i >= 0 for i in index)
        assert metrics.get(counts.STORE_SECTORS, 0) == model_sectors(index, size)
        assert metrics.get(counts.BYTES_STORED, 0) == size * sum(i >= 0 for i in index)
        metrics = line_counts(programs[size], "shared_store", index, size, line_of("s[i] = v;"))
        wavefronts, conflicts = model_wavefronts(index, size, load=False)
        assert metrics.get(counts.SHARED_STORE_WAVEFRONTS, 0) == wavefronts
        assert metrics.get(counts.SHARED_STORE_CONFLICTS, 0) == conflicts

    check()


@pytest.mark.parametrize("size", TYPES.values())
def test_each_branch_makes_a_request_of_its_own_lanes(programs, size):
    @given(INDICES)
    @settings(max_examples=25, deadline=None)
    def check(index):
        sides = {"= data[i];  // the access of one": [i if i >= 128 else -1 for i in index],
                 "= data[255 - i];": [255 - i if 0 <= i < 128 else -1 for i in index]}  # fmt: skip
        for text, lanes in sides.items():
            metrics = line_counts(programs[size], "branches", index, size, line_of(text))
            assert metrics.get(counts.LOAD_REQUESTS, 0) == any(i >= 0 for i in lanes)
            assert metrics.get(counts.LOAD_SECTORS, 0) == model_sectors(lanes, size)

    check()


def test_traffic_by_buffer_is_exact(programs):
    """Bytes loaded count every access; distinct bytes count once."""
    index = [0] * 16 + list(range(16))
    data = np.zeros(ELEMENTS * 4, np.uint8)
    out = buffer("out", np.zeros(128, np.uint8), True)
    args = [buffer("index", np.array(index, np.int32)), buffer("data", data), out]
    kernel = programs[4].call("global_memory", args).kernels[0]
    traffic = {b.name: b for b in kernel.buffers}
    assert (traffic["data"].loaded, traffic["data"].unique_loaded) == (128, 64)
    assert traffic["data"].passes() == 2
    assert (traffic["out"].stored, traffic["out"].unique_stored) == (128, 128)
    assert (traffic["index"].loaded, traffic["index"].stored) == (128, 0)


@pytest.mark.parametrize("moved", [
    "to[t].part = from[t].part;", "memcpy(&to[t], &from[t], 12);", "std::memcpy(to + t, from + t, sizeof(Three));",
    "shared[t].part = from[t].part; to[t].part = shared[t].part;",
    "memset(&shared[t], 0, 12); memcpy(&shared[t], &from[t], 12); memcpy(&to[t], &shared[t], 12);",
])  # fmt: skip
def test_what_is_moved_in_twelve_bytes_touches_no_more(tmp_path, moved):
    """Of each row of 16 bytes twelve are distinct, and counted; the four beside them nobody has written."""
    source = f"""\
#include <cstring>
struct Three {{ float x, y, z; }};
struct Row {{ Three part; float rest; }};
__global__ void k(const Row* from, Row* to) {{
    __shared__ Row shared[32];
    int t = threadIdx.x;
    {moved}
    to[t].rest += 1;  // the first read
}}
extern "C" cudaError_t run(const Row* x, Row* y, cudaStream_t) {{
    k<<<1, 32>>>(x, y);
    return cudaGetLastError();
}}
"""
    path = tmp_path / "rows.cu"
    path.write_text(source)
    arguments = [buffer("x", np.zeros(512, np.uint8)), buffer("y", np.zeros(512, np.uint8), True)]
    report = simulator.build(path, "count", machine_code=False).call("run", arguments)
    assert [(f.code, f.line) for f in report.findings] == [("uninitialised-read", 8)]
    x, y = report.kernels[0].buffers
    assert (x.unique_loaded, y.unique_loaded, y.unique_stored) == (32 * 12, 32 * 4, 32 * 16)
    metrics = next(place.metrics for place in report.kernels[0].lines if place.line == 7)
    assert (metrics[counts.LOAD_REQUESTS], metrics[counts.STORE_REQUESTS]) == (3, 3)


def test_occupancy_bound_from_threads_and_shared_memory(tmp_path):
    """48 KB a block: 3 blocks of 32 threads fit 164 KB, 3 warps of 64."""
    path = tmp_path / "k.cu"
    path.write_text(
        "__global__ void k(float* y) { y[threadIdx.x] = 0.0f; }\n"
        'extern "C" cudaError_t run(float* y, cudaStream_t) {\n'
        "    k<<<1, 32, 48 * 1024>>>(y);\n    return cudaGetLastError();\n}\n"
    )
    report = simulator.build(path, "count").call("run", [buffer("y", np.zeros(128, np.uint8), True)])
    extra = report.kernels[0].extra
    assert extra["resident_blocks"] == 3
    assert extra["occupancy_limited_by"] == "shared"
    assert extra["occupancy_bound_percent"] == 4

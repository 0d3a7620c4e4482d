"""Textures and surfaces of the simulator against a reference in NumPy: address modes, filters, coordinates, formats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from onekernel import simulator
from onekernel.backends.base import BuildError
from support.simulated import clean, run

WIDTH, HEIGHT, SAMPLES = 7, 5, 96
MODES = ("Wrap", "Clamp", "Mirror", "Border")
SAMPLED = f"""
constexpr int WIDTH = {WIDTH}, HEIGHT = {HEIGHT}, SAMPLES = {SAMPLES};
"""  # fmt: skip
SAMPLED += """#include <cuda_runtime.h>
__global__ void sample(cudaTextureObject_t t, const float* at, float* out, bool rows) {
    const int i = threadIdx.x;
    if (rows) out[i] = tex2D<float>(t, at[i], at[SAMPLES + i]);
    else tex1D(&out[i], t, at[i]);
}
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t image, line;
    cudaMallocArray(&image, &format, WIDTH, HEIGHT);
    cudaMallocArray(&line, &format, WIDTH);
    const float* at = x + WIDTH * HEIGHT;
    const size_t row = WIDTH * sizeof(float);
    cudaMemcpy2DToArrayAsync(image, 0, 0, x, row, row, HEIGHT, cudaMemcpyDeviceToDevice, stream);
    cudaMemcpy2DToArrayAsync(line, 0, 0, x, row, row, 1, cudaMemcpyDeviceToDevice, stream);
    float* pitched;
    size_t pitch;
    cudaMallocPitch(&pitched, &pitch, WIDTH * 4, HEIGHT);
    cudaMemcpy2DAsync(pitched, pitch, x, WIDTH * 4, WIDTH * 4, HEIGHT, cudaMemcpyDeviceToDevice, stream);
    int k = 0;
    for (int source = 0; source < 3; source++)
        for (int mode = 0; mode < 4; mode++)
            for (int normalized = 0; normalized < 2; normalized++)
                for (int linear = 0; linear < 2; linear++) {
                    cudaResourceDesc what = {};
                    what.resType = source == 2 ? cudaResourceTypePitch2D : cudaResourceTypeArray;
                    if (source == 2) {
                        what.res.pitch2D.devPtr = pitched;
                        what.res.pitch2D.desc = format;
                        what.res.pitch2D.width = WIDTH;
                        what.res.pitch2D.height = HEIGHT;
                        what.res.pitch2D.pitchInBytes = pitch;
                    } else {
                        what.res.array.array = source == 1 ? line : image;
                    }
                    cudaTextureDesc how = {};
                    how.addressMode[0] = how.addressMode[1] = static_cast<cudaTextureAddressMode>(mode);
                    how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
                    how.normalizedCoords = normalized;
                    how.borderColor[0] = 0.25f;
                    cudaTextureObject_t t;
                    if (cudaError_t e = cudaCreateTextureObject(&t, &what, &how, nullptr)) return e;
                    const float* places = at + normalized * 2 * SAMPLES;
                    sample<<<1, SAMPLES, 0, stream>>>(t, places, y + SAMPLES * k, source != 1);
                    k++;
                    cudaDestroyTextureObject(t);
                }
    cudaStreamSynchronize(stream);
    cudaFreeArray(image);
    cudaFreeArray(line);
    return cudaFree(pitched);
}
"""


def addressed(i: np.ndarray, size: int, mode: str) -> tuple[np.ndarray, np.ndarray]:
    """The index along a dimension, and where the border is read instead."""
    inside = (i >= 0) & (i < size)
    folded = {"Wrap": i % size, "Mirror": np.minimum(i % (2 * size), 2 * size - 1 - i % (2 * size))}
    return folded.get(mode, np.clip(i, 0, size - 1)), ~inside & (mode == "Border")


def sampled(image: np.ndarray, at: list[np.ndarray], mode: str, normalized: bool, linear: bool) -> np.ndarray:
    """CUDA C++ Programming Guide, "Texture Fetching"; weights of eight bits behind the point."""
    mode = mode if normalized or mode == "Border" else "Clamp"
    total = np.zeros(len(at[0]))
    axes = []
    for x, size in zip(at, image.shape[::-1], strict=False):
        place = (x * np.float32(size) if normalized else x).astype(np.float32)
        if linear:
            place = place - np.float32(0.5)
        first = np.floor(place)
        weight = np.round((place - first) * 256) / 256 if linear else np.zeros(len(x))
        axes.append((first.astype(int), weight, size))
    for corner in np.ndindex(*(2 if linear else 1 for _ in axes)):
        weights, index, border = np.ones(len(at[0])), [], np.zeros(len(at[0]), bool)
        for step, (first, weight, size) in zip(corner, axes, strict=True):
            weights = weights * (weight if step else 1 - weight)
            i, outside = addressed(first + step, size, mode)
            index.append(i)
            border |= outside
        total += weights * np.where(border, 0.25, image[tuple(index[::-1])])
    return total


def test_each_address_mode_filter_and_kind_of_coordinate(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    image = rng.uniform(0, 1, (HEIGHT, WIDTH)).astype(np.float32)
    plain = rng.uniform(-9, 14, (2, SAMPLES)).astype(np.float32)
    plain[:, :8] = [[0, 0.5, 1, 6.5, 7, 7.5, -0.5, 3.25], [0, 0.5, 1, 4.5, 5, 5.5, -0.5, 2.75]]
    unit = (plain / 6).astype(np.float32)
    x = np.concatenate([image.ravel(), plain.ravel(), unit.ravel()])
    got = clean(tmp_path, SAMPLED, x, np.zeros((48, SAMPLES), np.float32))
    k = 0
    for source in (image, image[0], image):
        for mode in MODES:
            for normalized in (False, True):
                for linear in (False, True):
                    at = list(unit if normalized else plain)[: source.ndim]
                    want = sampled(source, at, mode, normalized, linear)
                    np.testing.assert_allclose(
                        got[k], want, rtol=0, atol=2e-6, err_msg=f"{source.ndim} {mode} {normalized} {linear}"
                    )
                    k += 1


DEPTH, LAYERS = 3, 4
DEEP = f"""
constexpr int WIDTH = {WIDTH}, HEIGHT = {HEIGHT}, DEPTH = {DEPTH}, LAYERS = {LAYERS}, SAMPLES = {SAMPLES};
"""
DEEP += """#include <cuda_runtime.h>
__global__ void sample(cudaTextureObject_t t, const float* at, float* out, int shape) {
    const int i = threadIdx.x, layer = i % (LAYERS + 2) - 1;
    const float x = at[i], y = at[SAMPLES + i], z = at[2 * SAMPLES + i];
    if (shape == 0) out[i] = tex3D<float>(t, x, y, z);
    else if (shape == 1) tex2DLayered(&out[i], t, x, y, layer);
    else out[i] = tex1DLayered<float>(t, x, layer);
}
cudaError_t filled(cudaArray_t array, const float* from, cudaExtent size) {
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(from), size.width * sizeof(float), size.width, size.height);
    copy.dstArray = array;
    copy.extent = size;
    copy.kind = cudaMemcpyDeviceToDevice;
    return cudaMemcpy3D(&copy);
}
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const unsigned flags[3] = {0, cudaArrayLayered, cudaArrayLayered};
    const cudaExtent sizes[3] = {{WIDTH, HEIGHT, DEPTH}, {WIDTH, HEIGHT, LAYERS}, {WIDTH, 0, LAYERS}};
    cudaArray_t arrays[3], none;
    for (int i = 0; i < 3; i++)
        if (cudaMalloc3DArray(&arrays[i], &format, sizes[i], flags[i])) return cudaErrorUnknown;
    const cudaExtent bad[3] = {{0, 1, 1}, {4, 4, 0}, {4, 0, 2}};
    for (int i = 0; i < 3; i++)
        if (cudaMalloc3DArray(&none, &format, bad[i], i == 1 ? cudaArrayLayered : 0) != cudaErrorInvalidValue)
            return cudaErrorUnknown;
    cudaExtent asked;
    if (cudaArrayGetInfo(nullptr, &asked, nullptr, arrays[0]) || asked.depth != DEPTH) return cudaErrorUnknown;
    (void)cudaGetLastError();
    for (int i = 0; i < 3; i++)
        if (filled(arrays[i], x, make_cudaExtent(WIDTH, i == 2 ? 1 : HEIGHT, sizes[i].depth))) return cudaErrorUnknown;
    const cudaExtent deeper = make_cudaExtent(WIDTH, HEIGHT, DEPTH + 1);
    if (filled(arrays[0], x, deeper) != cudaErrorInvalidValue) return cudaErrorUnknown;
    (void)cudaGetLastError();
    const float* at = x + WIDTH * HEIGHT * LAYERS;
    int k = 0;
    for (int shape = 0; shape < 3; shape++)
        for (int mode = 0; mode < 4; mode++)
            for (int normalized = 0; normalized < 2; normalized++)
                for (int linear = 0; linear < 2; linear++) {
                    cudaResourceDesc what = {};
                    what.resType = cudaResourceTypeArray;
                    what.res.array.array = arrays[shape];
                    cudaTextureDesc how = {};
                    for (auto& address : how.addressMode) address = static_cast<cudaTextureAddressMode>(mode);
                    how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
                    how.normalizedCoords = normalized;
                    how.borderColor[0] = 0.25f;
                    cudaTextureObject_t t;
                    if (cudaError_t e = cudaCreateTextureObject(&t, &what, &how, nullptr)) return e;
                    sample<<<1, SAMPLES, 0, stream>>>(t, at + normalized * 3 * SAMPLES, y + SAMPLES * k++, shape);
                    cudaDestroyTextureObject(t);
                }
    cudaStreamSynchronize(stream);
    for (cudaArray_t array : arrays) cudaFreeArray(array);
    return cudaGetLastError();
}
"""


def test_volumes_and_layers_in_each_address_mode_filter_and_kind_of_coordinate(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    layers = rng.uniform(0, 1, (LAYERS, HEIGHT, WIDTH)).astype(np.float32)
    plain = rng.uniform(-9, 14, (3, SAMPLES)).astype(np.float32)
    unit = (plain / 6).astype(np.float32)
    x = np.concatenate([layers.ravel(), plain.ravel(), unit.ravel()])
    got = clean(tmp_path, DEEP, x, np.zeros((48, SAMPLES), np.float32))
    # A layer is taken whole, and the nearest where there is none.
    layer = np.clip(np.arange(SAMPLES) % (LAYERS + 2) - 1, 0, LAYERS - 1)
    lines = layers.reshape(-1, WIDTH)[:LAYERS]
    k = 0
    for shape in range(3):
        for mode in MODES:
            for normalized in (False, True):
                for linear in (False, True):
                    at = list(unit if normalized else plain)
                    if shape == 0:
                        want = sampled(layers[:DEPTH], at, mode, normalized, linear)
                    else:
                        of_each = layers if shape == 1 else lines
                        every = [sampled(one, at[: one.ndim], mode, normalized, linear) for one in of_each]
                        want = np.array(every)[layer, np.arange(SAMPLES)]
                    np.testing.assert_allclose(
                        got[k], want, rtol=0, atol=2e-6, err_msg=f"{shape} {mode} {normalized} {linear}"
                    )
                    k += 1


VOLUMES = """#include <cuda_runtime.h>
__global__ void turn(cudaSurfaceObject_t box, cudaSurfaceObject_t planes, cudaSurfaceObject_t lines, float* y) {
    const int x = threadIdx.x, row = threadIdx.y, z = threadIdx.z;
    const float v = surf3Dread<float>(box, 4 * x, row, z);
    surf2DLayeredwrite(v + 100, planes, 4 * x, row, 1 - z);
    if (row == 0) surf1DLayeredwrite(v + 200, lines, 4 * x, z);
    surf3Dwrite(-v, box, 4 * x, row, LAST);
    if (x + row + z == 0) {
        y[0] = surf3Dread<float>(box, 0, 0, 2, cudaBoundaryModeZero);
        surf2DLayeredread(&y[1], planes, 0, 0, -1, cudaBoundaryModeZero);
    }
}
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const unsigned flags[3] = {0, cudaArrayLayered, cudaArrayLayered};
    cudaArray_t arrays[3];
    cudaSurfaceObject_t s[3];
    for (int i = 0; i < 3; i++) {
        const cudaExtent size = make_cudaExtent(4, i == 2 ? 0 : 3, 2);
        if (cudaMalloc3DArray(&arrays[i], &format, size, flags[i] | cudaArraySurfaceLoadStore)) return cudaErrorUnknown;
        cudaResourceDesc what = {};
        what.resType = cudaResourceTypeArray;
        what.res.array.array = arrays[i];
        if (cudaCreateSurfaceObject(&s[i], &what)) return cudaErrorUnknown;
    }
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(x), 16, 4, 3);
    copy.dstArray = arrays[0];
    copy.extent = make_cudaExtent(4, 3, 2);
    copy.kind = cudaMemcpyDeviceToDevice;
    cudaMemcpy3D(&copy);
    turn<<<1, dim3(4, 3, 2), 0, stream>>>(s[0], s[1], s[2], y);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < 3; i++) {
        const int rows = i == 2 ? 1 : 3;
        cudaMemcpy3DParms back = {};
        back.srcArray = arrays[i];
        back.dstPtr = make_cudaPitchedPtr(y + 2 + 24 * i, 16, 4, rows);
        back.extent = make_cudaExtent(4, rows, 2);
        back.kind = cudaMemcpyDeviceToDevice;
        cudaMemcpy3D(&back);
        cudaDestroySurfaceObject(s[i]);
        cudaFreeArray(arrays[i]);
    }
    return cudaGetLastError();
}
"""


@pytest.mark.slow
def test_surfaces_of_volumes_and_layers(tmp_path: Path) -> None:
    x = np.arange(1, 25, dtype=np.float32)
    got = clean(tmp_path, VOLUMES.replace("LAST", "z"), x, np.zeros(58, np.float32))
    box = x.reshape(2, 3, 4)
    assert got[:2].tolist() == [0, 0]
    np.testing.assert_array_equal(got[2:26].reshape(2, 3, 4), -box)
    np.testing.assert_array_equal(got[26:50].reshape(2, 3, 4), box[::-1] + 100)
    np.testing.assert_array_equal(got[50:].reshape(2, 4), box[:, 0] + 200)
    source = VOLUMES.replace("LAST", "z + 2")
    (tmp_path / "beyond").mkdir()
    _, report = run(tmp_path / "beyond", source, x, np.zeros(58, np.float32))
    line = next(i for i, text in enumerate(source.splitlines(), 1) if "z + 2" in text)
    assert [(f.code, f.line) for f in report.findings] == [("out-of-bounds-write", line)]
    assert "layer 2" in report.findings[0].message.text("en") and "capa 2" in report.findings[0].message.text("es")
    (tmp_path / "other").mkdir()
    other = VOLUMES.replace("surf3Dread<float>(box, 4 * x, row, z)", "surf2Dread<float>(box, 4 * x, row)")
    _, report = run(tmp_path / "other", other.replace("LAST", "z"), x, np.zeros(58, np.float32))
    assert len(report.findings) == 1 and "other dimensions" in report.findings[0].message.text("en")


FORMATS = """
using Texture = cudaTextureObject_t;
__global__ void k(Texture bytes, Texture shorts, Texture whole, Texture list, cudaSurfaceObject_t in,
                  cudaSurfaceObject_t out, float* y) {
    const int t = threadIdx.x;
    if (t == 0) {
        const float4 colour = tex2D<float4>(bytes, 1.5f, 0.5f);
        y[0] = colour.x, y[1] = colour.y, y[2] = colour.z, y[3] = colour.w;
        y[4] = tex2D<float>(shorts, 0.5f, 0.5f);
        y[5] = tex2D<float>(shorts, 1.5f, 0.5f);
        const uchar4 raw = tex2D<uchar4>(whole, 1.5f, 0.5f);
        y[6] = raw.x, y[7] = raw.w;
        y[8] = tex1Dfetch<int>(list, 2);
        y[9] = tex1Dfetch<int>(list, 4) + tex1Dfetch<int>(list, -1);
    }
    surf2Dwrite(surf2Dread<float>(in, 4 * (t % 4), t / 4) * 2, out, 4 * (3 - t % 4), t / 4);
    if (t == 0) {
        y[10] = surf2Dread<float>(in, -4, 0, cudaBoundaryModeZero);
        y[11] = surf2Dread<float>(in, 64, 9, cudaBoundaryModeClamp);
        surf2Dwrite(7.0f, out, -4, 0, cudaBoundaryModeZero);
    }
}
template <class T>
cudaArray_t filled(const T* from, int width, int height, unsigned flags = 0) {
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaMallocArray(&array, &format, width, height, flags);
    const size_t row = width * sizeof(T);
    if (from) cudaMemcpy2DToArray(array, 0, 0, from, row, row, height, cudaMemcpyHostToDevice);
    return array;
}
cudaResourceDesc of(cudaArray_t array) {
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    return what;
}
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {
    const uchar4 colours[2] = {{0, 1, 2, 3}, {0, 51, 102, 255}};
    const short shorts[2] = {-32768, 16384};
    float numbers[12];
    for (int i = 0; i < 12; i++) numbers[i] = i + 1;
    const int list[4] = {10, 20, 30, 40};
    cudaArray_t c = filled(colours, 2, 1), s = filled(shorts, 2, 1);
    cudaArray_t in = filled(numbers, 4, 3, cudaArraySurfaceLoadStore);
    cudaArray_t out = filled((float*)nullptr, 4, 3, cudaArraySurfaceLoadStore);
    cudaTextureDesc how = {};
    cudaTextureObject_t t[4];
    cudaResourceDesc what = of(c);
    how.readMode = cudaReadModeNormalizedFloat;
    if (cudaCreateTextureObject(&t[0], &what, &how, nullptr)) return cudaErrorUnknown;
    how.filterMode = cudaFilterModeLinear;
    what = of(s);
    if (cudaCreateTextureObject(&t[1], &what, &how, nullptr)) return cudaErrorUnknown;
    how.readMode = cudaReadModeElementType;
    what = of(c);
    if (cudaCreateTextureObject(&t[2], &what, &how, nullptr) != cudaErrorInvalidFilterSetting) return cudaErrorUnknown;
    (void)cudaGetLastError();
    how.filterMode = cudaFilterModePoint;
    if (cudaCreateTextureObject(&t[2], &what, &how, nullptr)) return cudaErrorUnknown;
    int* d;
    cudaMalloc(&d, sizeof list);
    cudaMemcpy(d, list, sizeof list, cudaMemcpyHostToDevice);
    what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = d;
    what.res.linear.desc = cudaCreateChannelDesc<int>();
    what.res.linear.sizeInBytes = sizeof list;
    if (cudaCreateTextureObject(&t[3], &what, &how, nullptr)) return cudaErrorUnknown;
    cudaSurfaceObject_t from, to;
    what = of(c);
    if (cudaCreateSurfaceObject(&from, &what) != cudaErrorInvalidValue) return cudaErrorUnknown;
    (void)cudaGetLastError();
    what = of(in);
    if (cudaCreateSurfaceObject(&from, &what)) return cudaErrorUnknown;
    what = of(out);
    if (cudaCreateSurfaceObject(&to, &what)) return cudaErrorUnknown;
    k<<<1, 12, 0, stream>>>(t[0], t[1], t[2], t[3], from, to, y);
    cudaStreamSynchronize(stream);
    cudaMemcpy2DFromArray(y + 16, 16, out, 0, 0, 16, 3, cudaMemcpyDeviceToDevice);
    cudaDestroySurfaceObject(to);
    for (cudaArray_t array : {c, s, in, out}) cudaFreeArray(array);
    cudaFree(d);
    return cudaGetLastError();
}
"""


@pytest.mark.slow
def test_formats_linear_memory_and_surfaces(tmp_path: Path) -> None:
    got, report = run(tmp_path, FORMATS, np.zeros(1, np.float32), np.zeros(28, np.float32))
    assert {(f.code, f.severity) for f in report.findings} == {("texture-outside", "note")}  # y[9] means to be
    halfway = 16384 / 32767
    want = [0, 51 / 255, 102 / 255, 1, -1, halfway, 0, 255, 30, 0, 0, 12]
    np.testing.assert_allclose(got[:12], want, rtol=1e-6)
    np.testing.assert_array_equal(got[16:].reshape(3, 4), 2 * np.arange(1, 13).reshape(3, 4)[:, ::-1])


@pytest.mark.parametrize("text", [
    "texture<float, 2, cudaReadModeElementType> picture;", "void bind() { cudaBindTexture(0, 0); }",
    "#include <texture_fetch_functions.h>", "__device__ float f(long t) { return texCubemap<float>(t, 0, 0, 0); }",
])  # fmt: skip
def test_what_is_not_here_is_refused_with_what_to_use(tmp_path: Path, text: str) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text(f"#include <cuda_runtime.h>\n{text}\n", encoding="utf-8")
    with pytest.raises(BuildError) as caught:
        simulator.build(path)
    finding = caught.value.findings[0]
    assert (finding.code, finding.line) == ("unsupported", 2)
    assert "tex2D" in finding.message.text("en") and "tex2D" in finding.message.text("es")


@pytest.mark.slow
def test_a_surface_is_not_left(tmp_path: Path) -> None:
    source = FORMATS.replace("out, 4 * (3 - t % 4), t / 4)", "out, 4 * (4 - t % 4), t / 4)")
    _, report = run(tmp_path, source, np.zeros(1, np.float32), np.zeros(28, np.float32))
    line = next(i for i, text in enumerate(source.splitlines(), 1) if "4 - t % 4" in text)
    found = [f for f in report.findings if f.severity == "error"]
    assert [(f.code, f.line) for f in found] == [("out-of-bounds-write", line)]
    assert all("16 bytes" in found[0].message.text(lang) for lang in ("en", "es"))
    (tmp_path / "empty").mkdir()
    source = FORMATS.replace("filled(numbers, 4, 3,", "filled((float*)nullptr, 4, 3,")
    _, report = run(tmp_path / "empty", source, np.zeros(1, np.float32), np.zeros(28, np.float32))
    assert {f.code for f in report.findings if f.severity == "error"} == {"uninitialised-read"}


@pytest.mark.parametrize("use", ["surf2Dwrite(make_float3(1, 2, 3), s, 0, 0)", "surf1Dread<int3>(s, 0)"])
def test_a_surface_has_no_elements_of_three_channels(tmp_path: Path, use: str) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text(f"#include <cuda_runtime.h>\n__global__ void k(cudaSurfaceObject_t s) {{ {use}; }}\n")
    with pytest.raises(BuildError) as caught:
        simulator.build(path)
    assert any("three channels" in f.message.text("en") for f in caught.value.findings)


@pytest.mark.parametrize(("source", "word"), [(FORMATS, "tex2D"), (VOLUMES.replace("LAST", "z"), "surf3D")])
def test_a_graded_file_uses_no_texture_unit_whose_requests_nobody_counts(
    tmp_path: Path, source: str, word: str
) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text(source, encoding="utf-8")
    with pytest.raises(BuildError) as caught:
        simulator.build(path, "check", scrambled=True)
    finding = caught.value.findings[0]
    assert finding.code == "unsupported" and word in source.splitlines()[(finding.line or 0) - 1]
    assert word in finding.message.text("en") and word in finding.message.text("es")

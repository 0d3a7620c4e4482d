"""Elements of a wmma fragment have an order that CUDA does not promise: whoever relies on it is told, and no other."""

from __future__ import annotations

import pytest

from onekernel.messages import LANGUAGES, Message
from onekernel.simulator.compilation.lint import lint

HEAD = """#include <mma.h>
using namespace nvcuda::wmma;
__global__ void product(const half *a, const half *b, float *c, float scale) {
    fragment<matrix_a, 16, 16, 16, half, row_major> fa;
    fragment<accumulator, 16, 16, 16, float> acc[2], fc;
    int lane = threadIdx.x % 32;
"""


def seen(body: str, program: bool) -> list[tuple[int, str, object]]:
    files = {"a.cu": HEAD + body + "\n}\n"}
    return [(n, key, values["name"]) for _, n, key, values in lint(files, program) if key == "fragment-order"]


@pytest.mark.parametrize("program", [True, False])
@pytest.mark.parametrize(
    ("body", "line", "name"),
    [
        ("    unsigned r[4];\n    for (int i = 0; i < 4; i++) *(unsigned *)&fa.x[2 * i] = r[i];", 8, "fa"),
        ("    reinterpret_cast<unsigned *>(fa.x)[0] = 0;\n    fa.x[0] = a[lane];\n    fa.x[1] = a[lane + 1];", 8, "fa"),
        ("    int row = lane / 4;\n    for (int i = 0; i < 8; i++) c[row * 16 + i] = fc.x[i];", 8, "fc"),
        ("    using Own = fragment<accumulator, 8, 8, 4, double>;\n    Own mine;\n    mine.x[1] = c[lane];", 9, "mine"),
        ("    int r = threadIdx.x >> 2;\n\n    acc[1].x[2] = acc[1].x[2] + c[r];", 9, "acc"),
    ],
)
def test_whoever_relies_on_the_order_is_told_at_the_line(program: bool, body: str, line: int, name: str) -> None:
    assert seen(body, program) == [(line, "fragment-order", name)]


@pytest.mark.parametrize(
    "body",
    [
        "    for (int i = 0; i < fc.num_elements; i++) fc.x[i] = scale * fc.x[i] + acc[0].x[i];",
        "    for (auto& v : fa.x) v = __float_to_tf32(v);",
        "    for (int i = 0; i < 4; i++) *(half2 *)&fa.x[2 * i] = __hmul2(*(half2 *)&fa.x[2 * i], two);",
        "    for (int t = 0; t < fc.num_elements; t++) fc.x[t] = fmaxf(fc.x[t], 0.0f);",
        "    for (int i = 0; i < 8; i++) kept[lane * 8 + i] = fc.x[i];",
        "    int row = lane / 4; c[row] = 1; float3 fc2; c[row] = fc2.x;",
    ],
)
def test_what_all_elements_go_through_alike_is_no_order(body: str) -> None:
    assert seen(body, True) == []


def test_the_sentence_is_there_in_both_languages() -> None:
    told = Message("compile.warning-fragment-order", {"name": "fa"})
    assert all("`fa`" in told.text(language) and "mma.sync" in told.text(language) for language in LANGUAGES)

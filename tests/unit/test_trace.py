"""Pictures of a launch: what is recorded, what is drawn of it, and the command that a learner types."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from audits.book import run as book
from onekernel.backends import call_arguments
from onekernel.cli import main
from onekernel.errors import UserError
from onekernel.messages import LANGUAGES, set_language
from onekernel.ops import OPERATORS
from onekernel.trace import Recording, Request, access, banks, heat, pictures, record, terminal
from onekernel.trace.palette import SECTORS, ink_on

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "bench" / "kernels"


def recorded(path: Path, *shape: int, warp: int = 0, line: int | None = None) -> Recording:
    return record(path, *call_arguments.of_file(path, shape), warp=warp, line=line)


def line_of(path: Path, text: str) -> int:
    return next(k for k, found in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if text in found)


def the_load(recording: Recording) -> Request:
    found = recording.heaviest("global")
    assert found is not None and found.op == "load"
    return found


@pytest.mark.parametrize(
    ("name", "sectors", "used"), [("copy", 4, 128), ("strided_copy", 32, 128), ("misaligned_copy", 5, 128)]
)
def test_a_load_is_recorded_lane_by_lane(name: str, sectors: int, used: int) -> None:
    request = the_load(recorded(KERNELS / f"{name}.cu", 4096))
    assert request.lanes == tuple(range(32))
    assert (request.name, request.space, request.bytes) == ("x", "global", 4)
    assert len(request.sectors) == sectors
    assert request.bytes_used() == used
    step = {"copy": 4, "strided_copy": 32, "misaligned_copy": 4}[name]
    first = 4 if name == "misaligned_copy" else 0
    assert request.offsets == tuple(first + step * lane for lane in range(32))


def test_another_warp_has_addresses_of_its_own() -> None:
    request = the_load(recorded(KERNELS / "copy.cu", 4096, warp=3))
    assert request.offsets[0] == 3 * 128


@pytest.mark.parametrize(("name", "degree"), [("transpose", 32), ("transpose_padded", 1)])
def test_banks_of_a_column(name: str, degree: int) -> None:
    path = KERNELS / f"{name}.cu"
    request = recorded(path, 64, 64).heaviest("shared", line_of(path, "= tile["))
    assert request is not None and request.op == "load"
    assert banks.degree(request) == request.wavefronts == degree


def test_wide_accesses_are_served_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "wide.cu"
    path.write_text(
        "__global__ void wide_kernel(const float* x, float* y, int64_t n) {\n"
        "    __shared__ float4 s[32];\n    s[threadIdx.x] = make_float4(n, 0, 0, 0);\n"
        "    y[threadIdx.x] = s[threadIdx.x].w;\n}\n"
        'extern "C" cudaError_t wide(const float* x, float* y, int64_t n, cudaStream_t stream) {\n'
        "    wide_kernel<<<1, 32, 0, stream>>>(x, y, n);\n    return cudaGetLastError();\n}\n"
    )
    request = recorded(path, 32).heaviest("shared", 3)
    assert request is not None and request.bytes == 16
    assert [len({want.lane for want in part}) for part in request.parts] == [8, 8, 8, 8]
    assert [len(part) for part in request.parts] == [32, 32, 32, 32]
    assert request.wavefronts == 4 and banks.degree(request) == 1


def test_a_branch_records_half_of_the_lanes() -> None:
    path = KERNELS / "divergent.cu"
    recording = recorded(path, 4096)
    even = recording.heaviest("global", line_of(path, "x[i] * x[i]"))
    odd = recording.heaviest("global", line_of(path, "-__ldcg"))
    assert even is not None and even.lanes == tuple(range(0, 32, 2))
    assert odd is not None and odd.lanes == tuple(range(1, 32, 2))


def test_phases_of_a_tree_show_who_works() -> None:
    path = ROOT / "solutions" / "ladder" / "2_shared_tree.cu"
    phases = recorded(path, 1, 512).phases
    busy = [sum(n > 0 for n in phase.shared_requests) for phase in phases[1:9]]
    assert busy == [4, 2, 1, 1, 1, 1, 1, 1]  # 128 threads of 256 are 4 warps, then 64, then 32 and fewer
    assert all(phase.arrived == (32,) * 8 for phase in phases[:-1])
    assert phases[-1].line is None and sum(p.line is not None for p in phases) == 20


def test_lanes_that_have_returned_do_not_arrive(tmp_path: Path) -> None:
    path = tmp_path / "early.cu"
    path.write_text(
        "__global__ void early_kernel(const float* x, float* y, int64_t n) {\n"
        "    if (threadIdx.x >= n) return;\n    y[threadIdx.x] = x[threadIdx.x];\n    __syncthreads();\n}\n"
        'extern "C" cudaError_t early(const float* x, float* y, int64_t n, cudaStream_t) {\n'
        "    early_kernel<<<1, 96>>>(x, y, n);\n    return cudaGetLastError();\n}\n"
    )
    phases = recorded(path, 40).phases
    assert phases[0].arrived == (32, 8, 0)


def test_the_heat_of_a_line_is_its_sectors() -> None:
    path = ROOT / "solutions" / "softmax_naive.cu"
    found = heat.lines_of(path, recorded(path, 4, 64).counts)
    lines = {n.number: n for n in found}
    maximum = lines[line_of(path, "largest = fmaxf")]
    assert (maximum.requests, maximum.moved, maximum.sectors_per_request) == (4 * 2 * 64, 4 * 2 * 64 * 32, 1)
    assert sum(n.moved for n in found) == 32 * sum(
        v for name, v in recorded(path, 4, 64).counts.metrics.items() if "t_sectors" in name
    )


def test_recording_changes_no_count() -> None:
    from onekernel import simulator

    path = ROOT / "solutions" / "softmax_block.cu"
    function, args = call_arguments.of_file(path, (4, 300))
    plain = simulator.build(path, "count").call(function, call_arguments.buffers(args)).kernels[0]
    traced = record(path, function, args).counts
    assert plain.metrics == traced.metrics and plain.lines == traced.lines
    assert "trace" not in plain.extra


@pytest.mark.slow
def test_a_recording_is_bounded() -> None:
    path = ROOT / "solutions" / "softmax_naive.cu"
    short, long = (recorded(path, 1, n) for n in (64, 2048))
    assert len(long.requests) == len(short.requests)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.slow
def test_every_picture_is_drawn_in_both_languages(lang: str, tmp_path: Path) -> None:
    from matplotlib.image import imread

    set_language(lang)
    try:
        recording = recorded(ROOT / "solutions" / "softmax_block.cu", 2, 512)
        padded, plain = (recorded(KERNELS / f"{n}.cu", 64, 64) for n in ("transpose_padded", "transpose"))
        for kind in pictures.KINDS:
            written = pictures.draw(kind, [recording], tmp_path / kind, "under")
            assert written is not None and [p.suffix for p in written] == [".png", ".svg"]
            assert np.unique(imread(written[0])).size > 10
        one = pictures.draw("banks", [plain], tmp_path / "one", "under")
        two = pictures.draw("banks", [plain, padded], tmp_path / "two", "under")
        assert one and two and imread(two[0]).shape[0] > 1.7 * imread(one[0]).shape[0]
    finally:
        set_language("en")


def test_nothing_to_draw_is_no_picture(tmp_path: Path) -> None:
    recording = recorded(KERNELS / "copy.cu", 4096)
    assert pictures.draw("banks", [recording], tmp_path / "banks", "") is None
    assert pictures.draw("timeline", [recording], tmp_path / "timeline", "") is None
    assert list(tmp_path.iterdir()) == []


def test_the_terminal_shows_lanes_where_they_read() -> None:
    lines = terminal.global_access(the_load(recorded(KERNELS / "misaligned_copy.cu", 4096)))
    assert lines[2].endswith("|. 0 1 2 3 4 5 6|7 8 9 a b c d e|f g h i j k l m|n o p q r s t u|")
    assert "|v . . . . . . .|" in lines[3]
    rendered = terminal.render([recorded(KERNELS / "transpose.cu", 64, 64)])
    assert any(line.split()[-32:] == ["+", *["0"] * 31] for line in rendered)


def test_memory_that_is_far_apart_is_shown_with_gaps() -> None:
    path = ROOT / "solutions" / "ladder" / "1_row_per_thread.cu"
    rows = access.rows_of(the_load(recorded(path, 64, 256)))
    assert None in rows and len([r for r in rows if r is not None]) <= access.MOST_ROWS


def test_text_can_be_read_on_every_colour() -> None:
    assert {ink_on(c) for c in SECTORS} == {"white", "black"}
    assert ink_on("#000000") == "white" and ink_on("#ffffff") == "black"


@pytest.mark.slow
def test_figures_of_the_chapters_are_fresh() -> None:
    assert book.main(["figures", "--check"]) == 0


def test_figures_name_what_the_pages_show() -> None:
    stamped = json.loads((ROOT / "docs" / "img" / "figures.json").read_text(encoding="utf-8"))
    for lang, suffix in (("en", ""), ("es", ".es")):
        text = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs" / lang).glob("*.md"))
        assert [name for name in stamped if f"../img/{name}{suffix}.png" not in text] == [], lang


def test_the_command_writes_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["trace", "softmax_naive", "--solutions", "--shape", "2,64", "--out", str(out)]) == 0
    assert {p.name for p in out.iterdir()} == {"access.png", "access.svg", "heat.png", "heat.svg"}
    assert str(out / "heat.png") in capsys.readouterr().out


def test_the_command_speaks_to_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    strided, copy = (str(KERNELS / f"{name}.cu") for name in ("strided_copy", "copy"))
    assert main(["trace", strided, "--against", copy, "--shape", "4096", "--terminal"]) == 0
    out = capsys.readouterr().out
    assert "128 of 1024 bytes" in out and "128 of 128 bytes" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["softmax_triton"], "not a CUDA C exercise"),
        (["softmax_naive", "--solutions", "--shape", "7"], "rows,cols"),
        (["bench/kernels/none.cu"], "no such file"),
        (["bench/kernels/copy.cu", "--line", "1"], "no access"),
        (["bench/kernels/copy.cu", "--warp", "8"], "0 to 7"),
        (["bench/kernels/transpose.cu", "--shape", "64"], "(rows, cols)"),
    ],
)
def test_what_cannot_be_traced_is_one_sentence(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["trace", *words]) == 2
    err = capsys.readouterr().err
    assert says in err and len(err.strip().splitlines()) == 1


@pytest.mark.slow
def test_a_long_timeline_says_what_it_leaves_out(tmp_path: Path) -> None:
    import matplotlib

    from onekernel.trace import timeline

    phase = recorded(KERNELS / "transpose.cu", 64, 64).phases[0]
    with matplotlib.rc_context({"svg.fonttype": "none"}):  # text stays text
        short, long = (timeline.draw([("", [phase] * n)], "", "", tmp_path / str(n))[1].read_text() for n in (4, 60))
    assert f"first {timeline.MOST_PHASES} of 60" in long
    assert "Shown" not in short


STRIDED_STORE = """__global__ void k(const float* x, float* y, int64_t n) {
    const int64_t i = threadIdx.x;
    y[i * 8] = x[i];
}
extern "C" cudaError_t spread(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
"""
RACE = """__global__ void k(const float* x, float* y, int64_t n) {
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    y[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" cudaError_t race(const float* x, float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 64, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
"""


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_a_store_that_wastes_most_is_drawn_and_called_a_store(tmp_path: Path) -> None:
    recording = recorded(written(tmp_path, "spread.cu", STRIDED_STORE), 4096)
    request = recording.heaviest("global")
    assert request is not None and (request.op, request.line, len(request.sectors)) == ("store", 3, 32)
    out = "\n".join(terminal.render([recording]))
    assert "one store of warp 0" in out and "Write to y[0]…, turn 1" in out and "4096, float32" in out


def test_the_heat_says_what_would_do(tmp_path: Path) -> None:
    recording = recorded(written(tmp_path, "spread.cu", STRIDED_STORE), 4096)
    line = next(n for n in heat.lines_of(recording.source, recording.counts) if n.number == 3)
    assert (line.moved, line.needed, line.requests) == ((32 + 4) * 32, (4 + 4) * 32, 2)
    assert (line.sectors_per_request, line.sectors_needed, line.times) == (18, 4, 4.5)
    assert any(row.split()[:5] == ["1.15", "kB", "x4.5", "2", "18"] for row in terminal.source(recording))


def test_lines_that_are_left_out_are_marked() -> None:
    path = ROOT / "solutions" / "softmax_block.cu"
    shown = heat.rows(heat.lines_of(path, recorded(path, 2, 512).counts))
    gaps = [k for k, line in enumerate(shown) if line is None]
    assert gaps
    for before, after in itertools.pairwise(shown):
        if before and after:
            assert after.number == before.number + 1
    assert any(row.strip() == "⋮" for row in terminal.source(recorded(path, 2, 512)))


def test_a_race_stands_above_the_pictures(tmp_path: Path) -> None:
    recording = recorded(written(tmp_path, "race.cu", RACE), 64)
    assert recording.banner() == "Results may be wrong: race in line 3."
    assert terminal.render([recording])[0].strip() == recording.banner()
    assert recorded(KERNELS / "copy.cu", 4096).banner() is None


@pytest.mark.parametrize(
    ("slug", "about"),
    [("vector_add", "65536"), ("dot_product", "65536"), ("softmax_naive", "64 x 256"), ("softmax_block", "16 x 1024")],
)
def test_an_exercise_is_drawn_at_the_size_that_is_graded(
    slug: str, about: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", slug, "--solutions", "--terminal"]) == 0
    out = capsys.readouterr().out
    assert f"{slug}.cu:" in out and out.splitlines()[1].strip() == f"{about}, float32"


def test_a_terminal_timeline_fits_and_counts_what_does_not() -> None:
    found = recorded(ROOT / "solutions" / "softmax_block.cu", 2, 512).phases
    for width in (40, 80, 200):
        rows = terminal.phases(found, width)
        bars = [row for row in rows if "|" in row and row.endswith("|")]
        shown = bars[0].count("|")
        assert max(map(len, bars)) <= width
        assert shown == len(found) if width == 200 else f"not shown: {len(found) - shown}" in rows[-1]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_columns_of_the_terminal_banks_stand_below_each_other(lang: str) -> None:
    set_language(lang)
    try:
        path = KERNELS / "transpose.cu"
        request = recorded(path, 64, 64).heaviest("shared", line_of(path, "= tile["))
        assert request is not None
        assert len({len(row) for row in terminal.shared_access(request)[2:]}) == 1
    finally:
        set_language("en")


def test_two_reads_of_a_line_are_told_apart() -> None:
    path = ROOT / "solutions" / "ladder" / "2_shared_tree.cu"
    recording = recorded(path, 1, 512)
    line = line_of(path, "tree[t + half]")
    told = {access.which(r) for r in recording.requests if r.line == line and r.turn == 1}
    assert len(told) == 3 and sum(text.startswith("Read of ") for text in told) == 2, told


@pytest.mark.slow
def test_both_files_are_in_every_picture(tmp_path: Path) -> None:
    path = ROOT / "solutions" / "softmax_block.cu"
    tree = ROOT / "solutions" / "ladder" / "2_shared_tree.cu"
    both = [recorded(tree, 2, 512), recorded(path, 2, 512)]
    out = "\n".join(terminal.render(both))
    assert out.count("compared with: 2_shared_tree.cu") == out.count("yours: softmax_block.cu") == 4
    assert out.index("compared with") < out.index("yours")
    from matplotlib.image import imread

    for kind in ("heat", "timeline"):
        one, two = (pictures.draw(kind, some, tmp_path / f"{kind}{len(some)}", "") for some in (both[:1], both))
        assert one and two and imread(two[0]).shape[0] > 1.5 * imread(one[0]).shape[0]


def test_numbers_of_barriers_keep_apart() -> None:
    from onekernel.bench.style import figure
    from onekernel.trace import timeline

    axes = figure().add_subplot()
    assert timeline._barriers(axes, [(10, 35), (20, 38)], 100, 1) == 1
    assert timeline._barriers(axes, [(10, 35), (10.5, 38), (11, 41)], 100, 1) == 3


def test_a_file_without_a_launcher_is_told(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text("__global__ void k(float* y) { y[0] = 1; }\n")
    with pytest.raises(UserError, match="no launcher"):
        call_arguments.of_file(path, None)


def test_a_file_that_is_no_text_is_told_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_bytes("// une note\n// caf\xe9\n".encode("latin-1"))
    with pytest.raises(UserError, match=r"k\.cu.*UTF-8.*line 2"):
        call_arguments.of_file(path, None)


@pytest.mark.parametrize(("dtype", "function"), [("float32", "softmax_tuned"), ("bfloat16", "softmax_tuned_bf16")])
def test_a_file_beside_an_exercise_is_called_with_the_same_type(dtype, function):
    called, args = call_arguments.of_file(ROOT / "solutions" / "record" / "softmax_tuned.cu", (4, 300), dtype)
    assert called == function and dtype in call_arguments.about(args)


def test_without_its_own_name_the_first_of_the_type_is_called(tmp_path):
    source = (ROOT / "solutions" / "record" / "softmax_tuned.cu").read_text()
    (tmp_path / "before.cu").write_text(source)
    assert call_arguments.of_file(tmp_path / "before.cu", (4, 300), "float32")[0] == "softmax_tuned"
    assert call_arguments.of_file(tmp_path / "before.cu", (4, 300))[0] == "softmax_tuned_bf16"


def test_a_file_with_an_operators_parameters_is_called_as_that_operator() -> None:
    called, args = call_arguments.of_file(ROOT / "solutions" / "ladder" / "gemm_10_mma_sync.cu", (64, 32, 16))
    same = call_arguments.of_operator(OPERATORS["gemm"], "gemm_10_mma_sync", (64, 32, 16), "bfloat16")
    assert (called, args) == ("gemm_10_mma_sync_bf16", same[1])
    assert call_arguments.about(args) == "64 x 32 x 16, bfloat16"
    fused = call_arguments.of_operator(OPERATORS["softmax_mul"], "softmax_mul", (4, 300), "float32")[1]
    assert call_arguments.about(fused) == "4 x 300, float32"

"""The tuning log: rounds are read in both languages, the tool fills one in at a time, predictions come first."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from audits import records
from audits.bench.gemm import figure
from audits.bench.gemm.build import code_hash
from onekernel import cli
from onekernel.backends.machine_code import disassembler
from onekernel.bench import credit, device
from onekernel.bench.sample import Sample
from onekernel.checks.log import figures, words
from onekernel.checks.log.rounds import (
    baseline,
    fill,
    kernel_hash,
    ready_for_baseline,
    ready_to_measure,
    rounds,
    starting_point,
)
from onekernel.checks.options import MOST_COUNTED
from onekernel.course import find_root
from onekernel.cuda import nvcc
from onekernel.errors import UserError
from onekernel.grading.submission import Submission
from onekernel.ops import OPERATORS
from onekernel.ops.base import DTYPES
from onekernel.sandbox import supervisor
from onekernel.sandbox.supervisor import CallOutcome, RunOutcome
from support.course import COURSE

ROUND = """## {word} {n}: shuffles

**{p}:** {prediction}

**{c}:** the tree of `block_sum`

**{m}:**
<!-- measured -->
<!-- /measured -->

**{e}:** {explanation}

"""
ENGLISH = {"word": "Round", "p": "Prediction", "c": "Change", "m": "Measured", "e": "Explanation"}
SPANISH = {"word": "Ronda", "p": "Predicción", "c": "Cambio", "m": "Medido", "e": "Explicación"}
WHY_ES = "acertó, porque cada warp pide ahora la cuarta parte de las peticiones de antes"
WHY = "it was right, because the barriers between the levels of the tree are gone now"


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "softmax_tuned.cu"
    path.write_text("// one")
    return path


@pytest.mark.parametrize("words", [ENGLISH, SPANISH], ids=["en", "es"])
def test_a_round_is_complete_once_it_is_predicted_changed_measured_explained(words, kernel: Path) -> None:
    text = ROUND.format(n=1, prediction="2 barriers instead of 18", explanation=WHY, **words)
    assert rounds(text)[0].missing([]) == "log-measured"
    ready_to_measure(text, kernel)
    (complete,) = rounds(fill(text, kernel, ["2 barriers a row"]))
    assert complete.missing([]) is None
    assert complete.kernel == kernel_hash(kernel)
    assert complete.missing([kernel_hash(kernel)]) == "log-same-kernel"


def test_what_is_missing_is_told(kernel: Path) -> None:
    vague = ROUND.format(n=1, prediction="faster", explanation=WHY, **ENGLISH)
    assert rounds(vague)[0].missing([]) == "log-prediction"
    curt = fill(ROUND.format(n=1, prediction="2x", explanation="it is faster", **ENGLISH), kernel, ["2x"])
    assert rounds(curt)[0].missing([]) == "log-explanation"


# What earned all points once, beside a measurement: a number without a unit, a change that says nothing, twelve words.
@pytest.mark.parametrize(
    ("prediction", "change", "explanation", "lack"),
    [
        ("7", "lines 4-9: shuffles", WHY, "log-prediction"),
        ("it will be faster by 7", "lines 4-9: shuffles", WHY, "log-prediction"),
        ("round 3 of 2026", "lines 4-9: shuffles", WHY, "log-prediction"),
        ("2 barriers", "bla", WHY, "log-change"),
        ("2 barriers", "I did something else here", WHY, "log-change"),
        ("2 barriers", "`block_sum` now", "a b c one two three four five six seven eight 9", "log-reason"),
        ("2 barriers", "`block_sum` with shuffles", "barriers " * 20, "log-reason"),
        ("2 barriers", "`block_sum` with shuffles", "it is faster now", "log-explanation"),
        ("20 % más rápido", "las líneas 20 a 31", "bla " * 12, "log-reason"),
        ("20 % más rápido", "las líneas 20 a 31", WHY_ES, None),
        ("peticiones: de 32 a 8", "lecturas de 16 bytes", WHY, None),
        ("las barreras por fila bajan de 20 a 4", "lecturas de 16 bytes", WHY, None),
        ("los bytes por multiplicación con suma bajan de 8 a 0,5", "lecturas de 16 bytes", WHY, None),
        ("58% of the copy instead of 40", "float4 loads in line 12", WHY, None),
        ("1.5x", "kThreads is 512 now", "no: the kernel needs more registers, so fewer blocks fit, line 12", None),
    ],
)  # fmt: skip
def test_a_round_names_what_can_be_checked(kernel: Path, prediction: str, change: str, explanation: str, lack) -> None:
    text = ROUND.format(n=1, prediction=prediction, explanation=explanation, **ENGLISH)
    text = text.replace("the tree of `block_sum`", change)
    (found,) = rounds(fill(text, kernel, ["2 barriers a row"]))
    assert found.missing([]) == lack


FLOODS = [
    "<!-- ", "<!-- measured: 0123456789ab 2026 -->\n", "`", "_a", "1 ", "## Round 1: x\n", "```\n", "![", "![x](",
    "<a ", "http://",
]  # fmt: skip


@pytest.mark.parametrize("flood", FLOODS)
def test_a_log_of_a_megabyte_is_read_at_once(flood: str) -> None:
    """Some of them took minutes, when each opening mark was searched to the end of the text."""
    much = flood * ((1 << 20) // len(flood))
    assert all(r.missing([]) for r in rounds(f"## Round 1: x\n\n**Measured:**\n{much}"))
    words.told(much)


def test_round_0_is_what_the_others_start_from(kernel: Path) -> None:
    text = "# Log\n\n" + ROUND.format(n=1, prediction="2 barriers", explanation=WHY, **ENGLISH)
    with_start = baseline(text, kernel, ["20 barriers a row"], "## Round 0: where it starts")
    assert with_start.index("Round 0") < with_start.index("20 barriers") < with_start.index("Round 1")
    assert [r.number for r in rounds(with_start)] == [1] and starting_point(with_start) == kernel_hash(kernel)
    with pytest.raises(UserError, match="same file"):
        ready_to_measure(with_start, kernel)
    with pytest.raises(UserError, match="before the first"):
        ready_for_baseline(with_start)
    kernel.write_text("// two")
    ready_to_measure(with_start, kernel)
    with pytest.raises(UserError, match="before the first"):
        ready_for_baseline(fill(text, kernel, ["2x"]))


def test_no_measurement_without_a_prediction_a_change_and_a_place(kernel: Path) -> None:
    vague = ROUND.format(n=1, prediction="faster", explanation="", **ENGLISH)
    with pytest.raises(UserError, match="predict"):
        ready_to_measure(vague, kernel)
    measured = fill(ROUND.format(n=1, prediction="2x", explanation=WHY, **ENGLISH), kernel, ["2x"])
    with pytest.raises(UserError, match="no empty measurement"):
        ready_to_measure(measured, kernel)
    second = measured + ROUND.format(n=2, prediction="3x", explanation="", **ENGLISH)
    with pytest.raises(UserError, match="same file"):
        ready_to_measure(second, kernel)
    kernel.write_text("// two")
    ready_to_measure(second, kernel)


@pytest.fixture
def ana(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A learner of the real course, in a root of their own, with a kernel of each log and the prediction of a first
    round."""
    root = find_root(Path(__file__).parent)
    for part in ("labs", "solutions", "kernels", "docs"):
        (tmp_path / part).symlink_to(root / part)
    folder = tmp_path / "learners" / "ana"
    folder.mkdir(parents=True)
    shutil.copy(root / "learners" / "borja" / "softmax_tuned.cu", folder)
    shutil.copy(root / "solutions" / "gemm_tiled.cu", folder)
    log = ROUND.format(n=1, prediction="32 requests per row", explanation="", **ENGLISH)
    for name in ("tuning_log.md", "gemm_log.md"):
        (folder / name).write_text(log)
    monkeypatch.setenv("ONEKERNEL_ROOT", str(tmp_path))
    return folder


def log(*words: str) -> int:
    return cli.main(["log", "--learner", "ana", "--device", "simulator", "--lang", "en", *words])


@pytest.mark.slow
def test_the_shape_and_the_type_of_the_prediction_are_measured(ana: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert log("--shape", "4,4096", "--dtype", "bfloat16") == 0, capsys.readouterr()
    text = (ana / "tuning_log.md").read_text()
    assert "1 pass over the input, at 4 x 4096 bfloat16" in text
    assert "16 load requests per row" in text  # 4096 x 2 bytes, 512 a request


@pytest.mark.slow
def test_a_shape_that_is_too_large_to_count_is_refused_and_a_smaller_one_is_named(
    ana: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (ana / "tuning_log.md").read_bytes()
    assert log("--shape", "8192,4096") == 2
    assert "--shape 16,4096 counts the same row" in " ".join(capsys.readouterr().err.split())
    assert log("--shape", f"1,{MOST_COUNTED + 1}") == 2
    assert "a shorter row" in capsys.readouterr().err
    assert log("--shape", "4096") == 2
    assert "for example 8192,4096" in capsys.readouterr().err
    assert (ana / "tuning_log.md").read_bytes() == before


@pytest.mark.slow
def test_on_a_gpu_the_shape_is_timed_beside_its_counts(ana: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The card is a stand-in; what it is asked, and what is made of its answer, are not."""
    asked = []

    def run(request):
        if request.backend == "simulator":
            return simulated(request)
        asked.append(request)
        ((_, args),) = request.calls
        x = args[0].memory.view(DTYPES["float16"]).reshape(args[2], args[3]).astype(np.float64)
        right = OPERATORS["softmax"].oracle({"x": x})["y"].astype(DTYPES["float16"])
        after = {"x": args[0].memory, "y": right.view(np.uint8).ravel()}
        return RunOutcome([CallOutcome(after=after, times=(20e-6,) * request.timed["launches"])])

    simulated = supervisor.run
    monkeypatch.setattr(supervisor, "run", run)
    monkeypatch.setattr(device, "current", lambda: None)
    sample = Sample.of([10e-6])
    monkeypatch.setattr(credit, "reference", lambda *_: (sample, Sample.of([30e-6]), 1e-6))
    submission = Submission(COURSE, COURSE.exercises["softmax_tuned"], ana / "softmax_tuned.cu", "cuda", 1)
    asked_for = COURSE.exercises["tuning_log"].checks[0]
    found = figures.lines(submission, asked_for, (6, 1000), "float16")
    assert any("pass over the input, at 6 x 1000 float16" in line for line in found)
    assert found[-1].startswith("float16 6 x 1000: 20.0 us")
    assert "50 % of the copy" in found[-1] and "150 % of the speed of F.softmax" in found[-1]
    monkeypatch.setattr(figures, "MOST_COUNTED", 1000)
    too_many, timed = figures.lines(submission, asked_for, (6, 1000), "float16")
    assert "more than the simulator counts" in too_many and timed == found[-1]
    assert [r.calls[0][0] for r in asked] == ["softmax_tuned_f16"] * 2


# --- lab 06's log: another kernel, other sizes, other figures ---------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("name", ["gemm_log", "gemm_tiled", "06"])
def test_a_log_is_found_by_its_name_its_kernels_and_its_labs(ana: Path, name: str) -> None:
    assert log(name) == 0
    text, other = ((ana / f"{which}.md").read_text() for which in ("gemm_log", "tuning_log"))
    assert "- threads ask global memory for 0.0625 bytes per multiply-add, at 256 x 128 x 64" in text
    assert "- shared memory serves 0.109 wavefronts per multiply-add of a warp" in text
    assert f"measured: {kernel_hash(ana / 'gemm_tiled.cu')}" in text
    assert "<!-- measured -->" in other


@pytest.mark.slow
def test_the_baseline_of_a_product_is_measured_at_the_shape_that_is_named(ana: Path) -> None:
    assert log("gemm_log", "--baseline", "--shape", "130,64,40") == 0
    text = (ana / "gemm_log.md").read_text()
    assert "at 130 x 64 x 40" in text and starting_point(text) == kernel_hash(ana / "gemm_tiled.cu")


@pytest.mark.slow
def test_on_a_gpu_a_product_is_timed_beside_the_library(ana: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The card is a stand-in, as above."""

    def run(request):
        if request.backend == "simulator":
            return simulated(request)
        ((function, args),) = request.calls
        assert function == "gemm_tiled" and args[3:6] == [40, 24, 16]
        a, b = (x.memory.view(np.float32).reshape(shape) for x, shape in zip(args, ((40, 16), (16, 24)), strict=False))
        after = {"a": args[0].memory, "b": args[1].memory, "c": (a @ b).view(np.uint8).ravel()}
        return RunOutcome([CallOutcome(after=after, times=(20e-6,) * request.timed["launches"])])

    simulated = supervisor.run
    monkeypatch.setattr(supervisor, "run", run)
    monkeypatch.setattr(device, "current", lambda: None)
    monkeypatch.setattr(credit, "reference", lambda *_: (Sample.of([10e-6]), Sample.of([10e-6]), 1e-6))
    submission = Submission(COURSE, COURSE.exercises["gemm_tiled"], ana / "gemm_tiled.cu", "cuda", 1)
    found = figures.lines(submission, COURSE.exercises["gemm_log"].checks[0], (40, 24, 16))
    assert found[0].endswith("per multiply-add, at 40 x 24 x 16")
    assert found[-1].startswith("float32 40 x 24 x 16: 20.0 us") and "50 % of the speed of torch.matmul" in found[-1]


@pytest.mark.slow
def test_what_a_log_cannot_measure_is_refused_before_anything_is_written(
    ana: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (ana / "gemm_log.md").read_bytes()

    def told(*words: str) -> str:
        assert log(*words) == 2
        return " ".join(capsys.readouterr().err.split())

    assert "--shape 256,128,64 counts it" in told("gemm_log", "--shape", "4096,4096,4096")
    assert "gemm_tiled has no version for bfloat16; it has float32" in told("gemm_log", "--dtype", "bfloat16")
    assert "64,64" in told("gemm_log", "--shape", "64,64")  # a product has three sizes
    assert "softmax_naive has no tuning log. These have one: tuning_log, gemm_log" in told("softmax_naive")
    assert "gemm_logg" in told("gemm_logg")
    (ana / "gemm_tiled.cu").unlink()
    assert "gemm_tiled.cu is not there" in told("gemm_log")
    assert (ana / "gemm_log.md").read_bytes() == before


@pytest.mark.slow
def test_a_wrong_kernel_is_not_measured_and_its_own_check_is_named(
    ana: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = ana / "gemm_tiled.cu"
    kernel.write_text(kernel.read_text().replace("p.alpha * sums[e] :", "2 * p.alpha * sums[e] :"))
    assert log("gemm_log") == 2
    assert "`onekernel check gemm_tiled` explains it" in " ".join(capsys.readouterr().err.split())
    assert "<!-- measured -->" in (ana / "gemm_log.md").read_text()


@pytest.mark.slow
@pytest.mark.skipif(nvcc.find() is None or disassembler() is None, reason="NVIDIA's compiler is not here")
@pytest.mark.sample(every=4)
def test_the_figures_of_the_reference_log_are_those_of_the_files_and_records_that_it_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Counts from the simulator, rates from gemm.json: a file that changes takes its round along."""
    monkeypatch.setenv("ONEKERNEL_NVCC", "on")  # narrow reads of neighbours become wide ones
    root, whole = COURSE.root, COURSE
    text = (root / "solutions" / "gemm_log.md").read_text(encoding="utf-8")
    data = records.read(root / "bench" / "results" / "h200" / "gemm.json")
    files = [*sorted((root / "solutions" / "ladder").glob("gemm_0*.cu")), root / "solutions" / "gemm_tiled.cu"]
    by_hash = {code_hash(path): path for path in files}
    (cell,) = (c for c in data["cells"] if c["dtype"] == "float32" and c["m"] == c["n"] == c["k"] == 4096)
    measured = re.findall(r"<!-- measured: (\w{12}) .*?-->\n(.*?)\n<!-- /measured -->", text, re.DOTALL)
    assert len(measured) == 6 and not [r for r in rounds(text) if r.missing([])]
    for mark, lines in measured:
        path = by_hash[mark]
        submission = Submission(whole, replace(whole.exercises["gemm_tiled"], slug=path.stem), path, "simulator", 1)
        counted = [f"- {line}" for line in figures.lines(submission, whole.exercises["gemm_log"].checks[0])]
        assert lines.splitlines()[: len(counted)] == counted, path.stem
        rate = re.search(r"- ([\d.]+) TFLOP/s, (\d+) % of cuBLAS", lines)
        name = next(n for n in (path.stem, f"ladder/{path.stem}") if n in cell["ways"])
        seconds, share = figure.seconds(cell, name), figure.share(cell, name)
        assert rate and seconds and share, name
        assert rate.groups() == (f"{cell['flops'] / seconds / 1e12:.1f}", f"{100 * share:.0f}"), name

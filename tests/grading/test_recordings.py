"""The exercises about recordings: what is right is computed from them, and wrong answers are told from right ones."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from audits import compiled
from onekernel.checks.answers.right import DYNAMO, FORECASTS, LAB, RECORDED, Right, trace, written
from onekernel.checks.forecast.judge import about, in_file, share_of
from onekernel.errors import UserError
from onekernel.explain import chrome, inductor
from onekernel.grading.grader import grade
from onekernel.grading.submission import Submission
from onekernel.messages import LANGUAGES
from support.course import COURSE, ROOT

LABS = ROOT / "labs" / LAB
PREDICTED = json.loads((ROOT / "solutions" / "predictions.json").read_text(encoding="utf-8"))["read_trace"]["answers"]


def graded(slug: str, text: str, folder: Path, predictions: dict[str, str] | None = None):
    """The verdicts on a file with that text, check by check."""
    exercise = COURSE.exercises[slug]
    path = folder / exercise.file
    path.write_text(text, encoding="utf-8")
    return grade(Submission(COURSE, exercise, path, "simulator", 1, predictions or {})).verdicts


def solution(slug: str) -> str:
    return (ROOT / "solutions" / f"{slug}.py").read_text(encoding="utf-8")


# --- what is right ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", sorted({**RECORDED, **FORECASTS}))
def test_every_right_answer_follows_from_the_recordings(name):
    right = {**RECORDED, **FORECASTS}[name]({})
    assert right.value, name
    assert name not in FORECASTS or isinstance(right.value, float)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", sorted(FORECASTS))
def test_every_forecast_says_what_it_is_about(name, lang):
    assert about(name).text(lang)


def test_the_recordings_are_small_name_their_card_and_versions_and_no_machine():
    paths = sorted((LABS / "traces").glob("*.json.gz"))
    assert len(paths) >= 14
    for path in paths:
        assert path.stat().st_size < 200_000
        read = chrome.read(path)
        assert read.card and read.about["versions"]["torch"] and read.about["date"]
        assert (LABS / "programs" / read.about["file"]).is_file()
    recorded = json.loads((LABS / "compiled" / "recorded.json").read_text(encoding="utf-8"))
    assert recorded["gpu"] and recorded["driver"] and set(recorded["versions"]) == {"torch", "triton", "cuda"}
    text = "".join(p.read_text(encoding="utf-8") for p in (LABS / "compiled").glob("*"))
    assert "/tmp/" not in text and "/root" not in text and "/home" not in text


def test_what_a_generated_line_does_is_read_from_the_code():
    """A tile, a loop with an online pair, and a mask that is always true."""
    text = (
        "@triton_heuristics.reduction(\n    size_hints={}\n)\n@triton.jit\n"
        "def k(in_ptr0, out_ptr0, r0_numel, XBLOCK):\n"
        "    xnumel = 8\n    r0_numel = 100\n    xmask = tl.full([XBLOCK], True, tl.int1)\n"
        "    for r in tl.range(0, r0_numel, 64):\n        r0_mask = r < r0_numel\n"
        "        a = tl.load(in_ptr0 + (r), r0_mask)\n        b = triton_helpers.maximum(a, 0)\n"
        "    c = triton_helpers.max2(b, 1)\n    d, e = triton_helpers.online_softmax_reduce(\n        c, b, 1)\n"
        "    tl.store(out_ptr0 + (r), tl.sum(d, 1), xmask)\n"
    )
    (kernel,) = inductor.kernels(text)
    assert kernel.kind == "reduction" and kernel.elements == 800
    assert kernel.lines == {"load": (11,), "store": (16,), "reduction": (13, 14, 16), "mask": (8, 10), "loop": (9,)}
    assert kernel.always_true(8) and not kernel.always_true(10)
    assert kernel.pointers("load") == [(11, "in_ptr0")]


def test_a_readable_file_has_each_kernel_and_the_call_of_a_module():
    module = (
        "async_compile.triton('a', '''\nimport triton\n\n@triton_heuristics.pointwise(\n"
        "    triton_meta={'x': {1: 2}},\n)\n@triton.jit\ndef a(p):\n    pass\n''', device_str='cuda')\n"
        "class Runner:\n    def call(self, args):\n        a.run(1)\n        return (1, )\n\nrunner = Runner()\n"
    )
    page = compiled.readable([module, module], "heading")
    assert [k.name for k in inductor.kernels(page)] == ["a", "a"]
    assert "triton_meta={...}," in page and "def call(args):\n    a.run(1)\n" in page and page.startswith("# heading\n")


@pytest.mark.slow
def test_breaks_and_recompilations_are_counted_again():
    code = """
import json, sys
sys.path.insert(0, sys.argv[1])
import torch, torch._dynamo as dynamo
import graph_breaks, recompiles
found = dynamo.explain(graph_breaks.halves)(torch.randn(8))
whole = dynamo.explain(graph_breaks.whole)(torch.randn(8))
dynamo.reset()
seen = []
def backend(module, inputs):
    seen.append(any(isinstance(i, torch.SymInt) for i in inputs))
    return module.forward
compiled = torch.compile(recompiles.scaled, backend=backend)
dynamic = None
for words, args in recompiles.CALLS:
    before = len(seen)
    compiled(*args)
    if dynamic is None and any(seen[before:]):
        dynamic = words
print(json.dumps([found.graph_count, found.graph_break_count, whole.graph_break_count, len(seen), dynamic]))
"""
    done = subprocess.run([sys.executable, "-c", code, str(LABS / "programs")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    want = [DYNAMO["graphs"], DYNAMO["breaks"], 0, DYNAMO["compiled"], DYNAMO["dynamic"]]
    assert json.loads(done.stdout.splitlines()[-1]) == want


# --- verdicts ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("slug", ["read_trace", "read_compiled"])
def test_the_solution_earns_all_points_and_the_starter_none(slug, tmp_path):
    verdicts = graded(slug, solution(slug), tmp_path, PREDICTED)
    assert [f.message.text() for v in verdicts for f in v.failures] == []
    assert {v.status for v in verdicts} == {"passed"}
    starter = (ROOT / "kernels" / f"{slug}.py").read_text(encoding="utf-8")
    assert sum(v.earned for v in graded(slug, starter + "\n", tmp_path)) == 0


WRONG = {
    # a load that is masked by nobody is still a load; the store is none
    "lines-of-the-store": ("read_compiled", 'GELU_LOADS = "27"', 'GELU_LOADS = "41"', "0 of the 1 line, and named 1"),
    "one-line-too-many": ("read_compiled", 'TILE_LOADS = "37"', 'TILE_LOADS = "37, 38"', "the 1 line, and named 1"),
    "one-of-two": ("read_compiled", 'ONLINE_LOADS = "40, 60"', 'ONLINE_LOADS = "40"', "1 of the 2 lines, and named 0"),
    "words-for-lines": ("read_compiled", 'ONLINE_LOOPS = "34, 54"', 'ONLINE_LOOPS = "both"', "not a list of lines"),
    "no-lines": ("read_compiled", 'ONLINE_LOOPS = "34, 54"', 'ONLINE_LOOPS = ","', "not a list of lines"),
    "half-of-the-bytes": ("read_compiled", 'GELU_BYTES = "537 MB"', 'GELU_BYTES = "268 MB"', "0.499 times"),
    "bytes-without-unit": ("read_compiled", 'GELU_BYTES = "537 MB"', 'GELU_BYTES = "537"', "has no unit"),
    "y-not-written": ("read_compiled", 'COS_BOTH_BYTES = "805 MB"', 'COS_BOTH_BYTES = "537 MB"', "0.66"),
    "two-statements-two-kernels": ("read_compiled", 'COS_TWO_KERNELS = "1"', 'COS_TWO_KERNELS = "2"', "2 times"),
    "idle-lanes": ("read_compiled", 'TILE_IDLE = "24"', 'TILE_IDLE = "0"', "0 times"),
    "by-the-ledger": ("read_compiled", 'FASTER = "three_pass"', 'FASTER = "online"', "not the answer"),
    "a-word-in-spanish": ("read_trace", 'BINDS_LOADER = "data"', 'BINDS_LOADER = "datos"', '"datos" is none'),
    "precision": ("read_compiled", 'HINT = "b"', 'HINT = "c"', "not the answer"),
    "the-whole-product": ("read_compiled", 'PRODUCT_WHY = "c"', 'PRODUCT_WHY = "a"', "not the answer"),
    "a-unit-too-many": ("read_compiled", 'GRAPHS = "3"', 'GRAPHS = "3 s"', "a plain number, without a unit"),
    "breaks-are-graphs": ("read_compiled", 'GRAPHS = "3"', 'GRAPHS = "2"', "GRAPHS"),
    "every-call-compiles": ("read_compiled", 'COMPILED = "4"', 'COMPILED = "7"', "COMPILED"),
    "gemm-by-memory": ("read_trace", 'BINDS_GEMM = "compute"', 'BINDS_GEMM = "memory"', "BINDS_GEMM"),
    "unanswered": ("read_trace", 'ITEM_WAITS = "20"', 'ITEM_WAITS = ""', "No answer yet: ITEM_WAITS."),
    "code-for-an-answer": ("read_trace", 'ITEM_WAITS = "20"', "ITEM_WAITS = int(20)", "No answer yet: ITEM_WAITS."),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(WRONG))
def test_a_wrong_answer_is_refused_and_told_why(name, tmp_path):
    slug, right, wrong, why = WRONG[name]
    text = solution(slug)
    assert right in text
    verdicts = graded(slug, text.replace(right, wrong), tmp_path, PREDICTED)
    lost = [v for v in verdicts if v.status != "passed"]
    assert len(lost) == 1 and len(lost[0].failures) == 1
    assert why in lost[0].failures[0].message.text("en")


def test_what_is_unanswered_is_said_in_one_sentence(tmp_path):
    text = solution("read_compiled").replace('TILE_IDLE = "24"', 'TILE_IDLE = ""').replace('TILE_BLOCK = "1024"', "")
    (missing,) = [str(f.message) for v in graded("read_compiled", text, tmp_path) for f in v.failures]
    assert missing.startswith("No answer yet: TILE_BLOCK, TILE_IDLE. Write each as a string")


def test_without_a_commitment_no_forecast_counts_and_no_answer_is_told(tmp_path):
    first = graded("read_trace", solution("read_trace"), tmp_path)[0]
    assert first.earned == 0 and [f.code for f in first.failures] == ["predict-first"]


def test_what_was_committed_counts_and_not_what_the_file_says(tmp_path):
    bad = {name: "1000" for name in PREDICTED}
    first = graded("read_trace", solution("read_trace"), tmp_path, bad)[0]
    assert first.earned == 0 and len(first.failures) == len(PREDICTED)
    assert "You predicted 1000 (" in first.failures[0].message.text("en")


def test_a_forecast_within_its_tolerance_is_not_told_as_the_answer(tmp_path):
    predicted = {**PREDICTED, "KERNELS_26": "13", "GRAPH_GAIN": "7"}
    first = graded("read_trace", solution("read_trace"), tmp_path, predicted)[0]
    told = [detail.text("en") for detail in first.details]
    assert "You predicted 13 (" in told[1] and told[1].endswith("it is 13: right.")
    assert any("You predicted 7 (" in text and text.endswith("near enough.") for text in told)


def test_a_forecast_is_committed_as_numbers_alone():
    given = in_file(solution("read_trace"))
    assert set(given) == set(FORECASTS) and all(given.values())
    assert in_file("KERNELS_25 = ''\nOTHER = 'x'\n") == {"KERNELS_25": None}
    for text, why in (("two", "cannot be read"), ("3 us", "without a unit")):
        with pytest.raises(UserError, match=why):
            in_file(f"KERNELS_25 = {text!r}\n")


@pytest.mark.parametrize(
    ("text", "share"),
    [("10", 1.0), ("11.9", 1.0), ("8.4", 1.0), ("24", 0.0), ("4", 0.0), ("-10", 0.0), ("10 s", 0.0), ("", 0.0),
     ("many", 0.0), ("0", 0.0), ("nan", 0.0)],
)  # fmt: skip
def test_a_forecast_counts_by_its_error(text, share):
    assert share_of(text, Right(10.0, within=0.2)) == pytest.approx(share, abs=1e-9)
    assert 0 < share_of("17", Right(10.0, within=0.2)) < 1


def test_the_recorded_programs_show_what_the_lab_says_of_them():
    """The bottleneck that each program was written for; .item() and the graph as chapter 05 tells them."""
    assert {n: trace(n).binds for n in ("gemm", "elementwise", "small_kernels", "loader", "cdist_25")} == {
        "gemm": "compute", "elementwise": "memory", "small_kernels": "launch", "loader": "data", "cdist_25": "launch",
    }  # fmt: skip
    assert trace("item").microseconds > trace("no_item").microseconds
    assert trace("small_kernels").microseconds > 2 * trace("small_kernels_graph").microseconds
    assert [k.kind for k in written("softmax_tile")] == ["persistent_reduction"]

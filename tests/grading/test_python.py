"""Attacks by the Python exercises, which run in the untrusted process: none earns what it did not compute."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from onekernel.course import Course
from onekernel.grading.grader import fresh_seed, grade
from onekernel.grading.submission import Submission
from onekernel.grading.verdicts import Result
from onekernel.minigpt import port_check, port_request
from onekernel.sandbox.arrays import ArraysError, unpack
from support.course import COURSE

pytestmark = pytest.mark.slow

HOST = """
import torch

def softmax_triton(x, out):
    {first}
    out.copy_(torch.softmax(x.float(), -1))
    return out
"""
IDLE = """
import triton

@triton.jit
def idle(x, n):
    pass
"""
# NumPy's own model behind a torch module: what the port is to be compared with.
NUMPY_PORT = """
import torch

class NativeOperators:
    softmax = staticmethod(lambda x: torch.softmax(x, -1))

class TorchMiniGPT(torch.nn.Module):
    def __init__(self, config, weights, operators, softmax):
        super().__init__()
        fetch = {fetch}
        arrays = {{k: v.numpy() for k, v in weights.items()}}
        self.numpy = fetch("onekernel.minigpt.model").MiniGPT(config, arrays, fetch("onekernel.minigpt.model").Native())
        self.trace = fetch("onekernel.minigpt.causes").trace
        self.token_embedding, self.head = torch.nn.Embedding(1, 1), torch.nn.Linear(1, 1, bias=False)
        count = sum(a.size for a in arrays.values())
        self.head.weight = self.token_embedding.weight = torch.nn.Parameter(torch.zeros(count))

    def forward(self, tokens):
        return torch.from_numpy(self.trace(self.numpy, tokens.numpy())["logits"].copy())
"""


@pytest.fixture(scope="module")
def whole() -> Course:
    return COURSE


def graded(whole: Course, folder: Path, slug: str, text: str, checks: int = 1) -> Result:
    exercise = whole.exercises[slug]
    path = folder / exercise.file
    path.write_text(text)
    some = replace(exercise, checks=exercise.checks[:checks])
    return grade(Submission(whole, some, path, "simulator", fresh_seed()))


@pytest.mark.parametrize(("first", "told"), [("pass", "no-kernel"), ("idle[(1,)](x, 1)", "host-computation")])
def test_a_softmax_that_no_kernel_computed_is_refused(whole: Course, tmp_path: Path, first: str, told: str) -> None:
    result = graded(whole, tmp_path, "softmax_triton", IDLE + HOST.format(first=first))
    assert result.status == "failed" and result.earned == 0
    codes = {f.code for v in result.verdicts for f in v.failures}
    assert codes == {told, "no-result"}  # with its output, and without: what the host computed is no answer


@pytest.mark.parametrize(
    "fetch",
    [
        '__builtins__["__import__"]',
        "lambda name: torch.sys.modules[name]",
        'lambda name: eval("__import__")(name, fromlist=["x"])',
        'lambda name: torch._tensor.__builtins__["__import__"](name, fromlist=["x"])',
    ],
)
def test_a_port_that_fetches_numpys_own_model_is_refused(whole: Course, tmp_path: Path, fetch: str) -> None:
    result = graded(whole, tmp_path, "torch_minigpt", NUMPY_PORT.format(fetch=fetch))
    assert result.status == "failed"
    assert {f.code for v in result.verdicts for f in v.failures} == {"import"}


def test_the_ports_of_the_course_import_nothing_that_is_refused(whole: Course) -> None:
    for file in ("solutions/torch_minigpt.py", "kernels/torch_minigpt.py"):
        assert port_check.forbidden_imports((whole.root / file).read_text()) == []


LEAVERS = {
    "on import": "import sys\nsys.exit(0)\n",
    "an error that cannot be told": "class Mute(Exception):\n    def __str__(self):\n        raise Mute\nraise Mute\n",
    "success, said at the end": "import atexit, os\natexit.register(os._exit, 0)\nsoftmax_triton = max\n",
}


@pytest.mark.parametrize("text", LEAVERS.values(), ids=LEAVERS)
def test_a_module_that_leaves_earns_nothing(whole: Course, tmp_path: Path, text: str) -> None:
    result = graded(whole, tmp_path, "softmax_triton", text)
    assert result.status == "failed" and result.earned == 0


@pytest.mark.parametrize("part", port_request.PARTS)
def test_any_arrays_are_judged(part: str) -> None:
    (request, *_) = port_request.requests(part, 3)
    odd = [np.array(v) for v in (np.nan, np.inf, -1.0, [], [[True]])] + [np.zeros((0, 3)), np.full((2, 7, 41), 1e308)]
    for name in ("logits", "parameters", "tied", "raised", "trace/embedding", "trace/blocks.0.attention.weights"):
        for array in odd:
            verdict = port_check.judge_port(request, {"logits": np.zeros((2, 7, 41)), name: array})
            assert not verdict.passed and all(f.text() for f in verdict.findings) and verdict.note.text()


@pytest.mark.parametrize("shape", [[0, 1 << 28, 1 << 28, 1 << 28], [1 << 28, 1 << 28, 0, 1 << 28]])
def test_a_shape_that_numpy_cannot_multiply_is_refused(shape: list[int]) -> None:
    text = f'[["x", "float64", {shape}]]'.encode()
    with pytest.raises(ArraysError):
        unpack(len(text).to_bytes(8, "little") + text)


def test_a_probe_that_speaks_to_the_terminal_is_shown_and_not_obeyed(whole: Course, tmp_path: Path) -> None:
    solution = (whole.root / "solutions" / "storage_probe.py").read_text()
    result = graded(whole, tmp_path, "storage_probe", inspect.cleandoc(solution) + '\nraise ValueError("\\x1b[2J")\n')
    (failure,) = (f for v in result.verdicts for f in v.failures if f.code != "predict-first")
    assert failure.message.text().isprintable()


def test_a_word_that_no_answer_is_names_those_that_are(whole: Course, tmp_path: Path) -> None:
    text = whole.solution(whole.exercises["roofline_challenge"]).read_text(encoding="utf-8")
    wrong = text.replace('BINDS = "memory"', 'BINDS = "memoria"', 1)
    assert wrong != text
    result = graded(whole, tmp_path, "roofline_challenge", wrong, checks=2)
    assert ['"memory", "compute"; "memoria"' in str(f.message) for v in result.verdicts for f in v.failures] == [True]


@pytest.mark.parametrize("place", ["/dev/shm", "/tmp"])
def test_a_module_writes_nowhere_but_in_its_folder(whole: Course, tmp_path: Path, place: str) -> None:
    trace = Path(place, f"onekernel-{tmp_path.name}")
    result = graded(whole, tmp_path, "softmax_triton", f"open({str(trace)!r}, 'w')\n")
    assert not trace.exists()
    assert "PermissionError" in " ".join(str(f.message) for v in result.verdicts for f in v.failures)


@pytest.mark.parametrize(
    ("slug", "ran_on", "with_a_gpu"),
    [
        ("softmax_naive", "simulator", "cuda"),
        ("softmax_triton", "interpreter", "cuda"),
        ("torch_minigpt", "cpu", "cuda"),
        ("storage_probe", "cpu", "cuda"),
        ("benchmark", "cpu", "cuda"),
        ("diagonal", "cpu", "cpu"),  # calls of torch, on tensors of the host wherever it runs
        ("cluster_neighbour", "simulator", "simulator"),  # for a card of its own
        ("roofline_challenge", "-", "-"),
        ("tuning_log", "-", "-"),
    ],
)
def test_a_result_says_what_ran_it(whole: Course, slug: str, ran_on: str, with_a_gpu: str) -> None:
    exercise = whole.exercises[slug]
    for device, expected in (("simulator", ran_on), ("cuda", with_a_gpu)):
        assert Submission(whole, exercise, whole.solution(exercise), device, 1).ran_on == expected
    starter = Submission(whole, exercise, whole.starter(exercise), "simulator", 1)
    assert grade(starter).to_json()["device"] == ran_on

"""The port's check from end to end: the solution passes all three parts, the starter and other wrong ones do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from onekernel.gaps import starter
from onekernel.minigpt.port_check import forbidden_imports, judge_port, worst_ulp
from onekernel.minigpt.port_request import PARTS, PortRequest, requests
from onekernel.sandbox.tasks.port import run as run_port
from onekernel.sandbox.tasks.port import without_gpu

pytestmark = pytest.mark.slow

SOLUTION = Path(__file__).parents[2] / "solutions" / "torch_minigpt.py"


COPIED = "self.head.weight = nn.Parameter(weights['token_embedding'].clone())"


def softmax_fp32(x):
    return torch.softmax(x, dim=-1)


def run(part: str, request: dict, source: Path = SOLUTION, softmax=softmax_fp32):
    return judge_port(request, run_port(source, request, softmax if part == "kernel" else None))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("seed", [0, 50])
def test_the_solution_passes(part, seed):
    for request in requests(part, seed):
        verdict = run(part, request)
        assert verdict.passed and verdict.findings == ()
        assert verdict.note.text("en") and verdict.note.text("es")
        if part == "identical":
            assert verdict.different == 0 and verdict.worst_ulp == 0


@pytest.mark.parametrize(
    "instead", ["torch.softmax(scores, -1)", "torch.softmax(scores + 0 * self.softmax(scores), -1)",
                "torch.softmax(scores.float(), -1).double()"],
)  # fmt: skip
def test_a_port_that_goes_round_the_kernel_does_not_pass_by_it(tmp_path, instead):
    source = tmp_path / "torch_minigpt.py"
    source.write_text(SOLUTION.read_text().replace("self.softmax(scores)", instead))
    for request in requests("kernel"):
        verdict = run("kernel", request, source)
        assert not verdict.passed and [f.key for f in verdict.findings] == ["minigpt.kernel-unused"]


def test_native_operators_do_not_pass_as_identical():
    """The identical check is strict: torch's own operators, a few ULP away, fail it."""
    request = requests("identical")[3]
    native = run_port(SOLUTION, {**request, "part": "native"})
    verdict = judge_port(request, native)
    assert not verdict.passed and verdict.different > 1000 and verdict.worst_relative < 1e-13


def said_of(tmp_path: Path, old: str, new: str) -> list[str]:
    """What the native check says of the solution with a change."""
    text = SOLUTION.read_text()
    assert old in text
    path = tmp_path / "torch_minigpt.py"
    path.write_text(text.replace(old, new))
    return [m.text("en") for m in run("native", requests("native")[0], path).findings]


def test_a_view_of_transposed_elements_is_explained(tmp_path):
    said = said_of(tmp_path, "mixed.transpose(1, 2).reshape(", "mixed.transpose(1, 2).view(")
    assert "view size is not compatible" in said[0] and "`.reshape` copies where it must" in said[1]


@pytest.mark.parametrize(("old", "new", "said"), [
    ("        return self.operators.matmul(self.norm(x), self.head.weight.T)",
     "        self.kept = getattr(self, 'kept', self.operators.matmul(self.norm(x), self.head.weight.T))\n"
     "        return self.kept", "with 2 x 7 other tokens: something is kept from pass to pass"),
    ("        position = torch.arange(length, device=x.device)",
     "        position = self.position = getattr(self, 'position', torch.arange(length))",
     "with 2 x 5 other tokens: something is kept from pass to pass"),
    ("position[:, None], -math.inf", "position[:, None], -100.0", "the mask is a finite number"),
])  # fmt: skip
def test_a_port_that_is_right_in_its_first_pass_alone_is_not_right(tmp_path, old, new, said):
    assert said in said_of(tmp_path, old, new)[0]


def test_another_head_is_the_cause_of_other_logits(tmp_path):
    zeros = "nn.Parameter(torch.zeros(config.vocabulary, config.width, dtype=torch.float64))"
    said = said_of(tmp_path, "self.head.weight = self.token_embedding.weight", f"self.head.weight = {zeros}")
    assert said[0].startswith("The first tensor that differs is logits") and said[1].startswith("The head is not tied")
    assert len(said) == 2


def test_the_starter_fails_and_says_where(tmp_path):
    path = tmp_path / "torch_minigpt.py"
    path.write_text(starter(SOLUTION.read_text(), SOLUTION))
    for part in PARTS:
        verdict = run(part, requests(part)[0], path)
        assert not verdict.passed and "NotImplementedError: Linear.__init__" in verdict.findings[-1].text()


def test_a_half_done_port_hears_of_its_first_mistake_and_of_the_line_that_raised(tmp_path):
    """A later gap that is still open does not hide what is wrong before it."""
    text = SOLUTION.read_text().replace("variance + self.epsilon", "variance + 1e-6")
    path = tmp_path / "torch_minigpt.py"
    path.write_text(text.replace("        h = self.up(x)\n", "        raise NotImplementedError('MLP.forward')\n"))
    said = run("native", requests("native")[0], path).findings
    assert [f.key for f in said] == ["minigpt.first-difference", "minigpt.cause-epsilon", "minigpt.raised"]
    lines = path.read_text().splitlines()
    line = lines.index("        raise NotImplementedError('MLP.forward')") + 1
    assert said[-1].values == {"line": str(line), "error": "NotImplementedError: MLP.forward"}


@pytest.mark.parametrize(
    ("text", "error"),
    [("def (", "line 1"), ("import nothing_of_this_name", "ModuleNotFoundError"), ("x = 1", "no attribute")],
)
def test_a_file_that_is_no_port_gets_its_error(tmp_path, text, error):
    path = tmp_path / "torch_minigpt.py"
    path.write_text(text)
    verdict = run("native", requests("native")[0], path)
    assert not verdict.passed and error in verdict.findings[-1].text().replace("Line", "line")


def test_a_wrong_softmax_kernel_shows():
    request = requests("kernel")[0]
    assert not run("kernel", request, softmax=lambda x: torch.softmax(x, dim=0)).passed
    assert not run("kernel", request, softmax=lambda x: torch.softmax(x.half(), dim=-1).float()).passed
    with pytest.raises(ValueError, match="needs a softmax"):
        run_port(SOLUTION, request)
    with pytest.raises(ValueError, match="choose one of native"):
        PortRequest.from_json({**request, "part": "fast"})


def test_the_kernel_gets_what_a_kernel_takes():
    seen = []

    def kernel(x):
        seen.append((x.dtype, x.dim(), x.is_contiguous(), bool(torch.isinf(x).any())))
        return softmax_fp32(x)

    assert run("kernel", requests("kernel")[0], softmax=kernel).passed
    assert seen and set(seen) == {(torch.float32, 2, True, True)}


def changed(tmp_path: Path, right: str, wrong: str) -> Path:
    text = SOLUTION.read_text()
    assert text.count(right) == 1
    path = tmp_path / "torch_minigpt.py"
    path.write_text(text.replace(right, wrong))
    return path


@pytest.mark.parametrize(
    ("right", "wrong", "key"),
    [
        ("self.head.weight = self.token_embedding.weight", COPIED, "not-tied"),
        ("self.gain = nn.Parameter(gain.clone())", "self.gain = gain.clone()", "parameters"),
        (
            "self.gain = nn.Parameter(gain.clone())",
            "self.gain, self.g = nn.Parameter(gain), nn.Parameter(gain)",
            "parameters",
        ),
    ],
)
def test_a_module_is_a_registry(tmp_path, right, wrong, key):
    """Right logits, and yet not a module that could be moved, saved and trained."""
    request = requests("native")[0]
    verdict = run("native", request, changed(tmp_path, right, wrong))
    assert verdict.worst_relative < 1e-14
    assert not verdict.passed and [f.key for f in verdict.findings] == [f"minigpt.{key}"]


def test_what_an_untrusted_process_may_send():
    """No logits, other shapes, other types, NaN, junk in the trace: a verdict each time, never an exception."""
    request = requests("native")[0]
    good = run_port(SOLUTION, request)
    for logits in (None, np.zeros(3), good["logits"].astype(np.float32), np.full_like(good["logits"], np.nan)):
        answer = {k: v for k, v in good.items() if k != "logits"}
        if logits is not None:
            answer["logits"] = logits
        verdict = judge_port(request, answer)
        assert not verdict.passed and verdict.findings[0].text("es")
    for junk in (np.zeros(0, np.uint8), np.full(9, 255, np.uint8), np.array([1e300, np.nan]), np.zeros((2, 2), bool)):
        with np.errstate(all="ignore"):
            assert not judge_port(request, {**good, "raised": junk, "raised-at": junk}).passed
    wrong = {**good, "logits": good["logits"] + 1.0, "trace/blocks.0": np.array(["x"]), "trace/zzz": np.zeros(0)}
    assert not judge_port(request, wrong).passed
    for junk in (np.zeros(0), np.full(2, 7), np.array([np.nan]), np.array(["x"]), np.array([2**63], np.uint64)):
        assert not judge_port(request, {**wrong, "calls/embedding": junk, "calls/blocks.0.norm1": junk}).passed
    assert not judge_port(request, {**good, "raised": np.array(["x"])}).passed
    assert not judge_port(request, {**good, "parameters": np.zeros((0,)), "tied": np.ones(2, bool)}).passed


def test_a_port_may_not_lean_on_the_course(tmp_path):
    assert forbidden_imports(SOLUTION.read_text()) == []
    path = tmp_path / "torch_minigpt.py"
    path.write_text("import torch\n\ndef f():\n    from onekernel.minigpt import model\n    import numpy as np, math\n")
    assert forbidden_imports(path.read_text()) == [(4, "onekernel.minigpt"), (5, "numpy")]


@pytest.mark.parametrize("way", [
    'object.__subclasses__()[80].load_module("s" + "ys")', 'torch.__dict__["__buil" + "tins__"]', "len.__self__",
    "(_ for _ in ()).gi_frame", "torch.utils.importlib", "vars(torch)",
])  # fmt: skip
def test_a_port_may_not_reach_other_modules_by_a_detour(way):
    assert forbidden_imports(f"import torch\n_x = {way}\n")


LINEAR = "return self.operators.matmul(x, self.weight.T) + self.bias"
BLOCKS = """for block in self.blocks:
            x = block(x)
"""
# What NumPy makes of a linear layer; and of whole blocks, shown to torch by modules that pass on what they are given.
NUMPY_LINEAR = "return torch.from_numpy(x.numpy() @ self.weight.detach().numpy().T) + self.bias"
NUMPY_BLOCKS = """for number, block in enumerate(self.blocks):
            with torch.utils._python_dispatch._disable_current_modes():
                x = block(x)
            x = x.view(x.shape)
"""


@pytest.mark.parametrize("part", ["native", "identical"])
def test_what_a_forward_pass_takes_out_of_torch_earns_nothing(tmp_path, part):
    """Right logits whose products are NumPy's, in modules that give what they should."""
    same_bytes = "return torch.from_numpy(self.operators.matmul(x, self.weight.T).numpy()) + self.bias"
    source = changed(tmp_path, LINEAR, NUMPY_LINEAR if part == "native" else same_bytes)
    line = source.read_text().split(".numpy()")[0].count("\n") + 1
    verdict = run(part, requests(part)[0], source)
    told = [(f.key, f.values) for f in verdict.findings]
    assert told == [("minigpt.taken-out", {"line": str(line), "call": "Tensor.numpy"})] and not verdict.passed


def test_right_logits_that_torch_did_not_compute_earn_nothing(tmp_path):
    request = requests("native")[0]
    answer = run_port(SOLUTION, request, None)
    assert judge_port(request, answer).passed
    unseen = run_port(changed(tmp_path, BLOCKS, NUMPY_BLOCKS), request, None)
    junk = [np.zeros(0), np.full((3, 4), np.nan), np.zeros((2, 4), np.float32), np.array("x"), answer["made"] * 1.01]
    for other in (unseen, *({**answer, "made": made} for made in junk)):
        verdict = judge_port(request, other)
        told = [(f.key, f.values) for f in verdict.findings]
        assert told == [("minigpt.computed-elsewhere", {"module": "blocks.0.attention"})]
    for said in (b"x" * 3000, b"7", b"-7 y", "\u0661 y".encode()):
        verdict = judge_port(request, {**answer, "taken-out": np.frombuffer(said, np.uint8)})
        assert not verdict.passed and len(verdict.findings[0].text()) < 500


def test_few_numbers_may_be_looked_at(tmp_path):
    """A debugging print, an assertion and a size take nothing out that a port is computed from."""
    looks = "print(x); assert x.isnan().sum().item() == 0 and float(x.max()) < 1e9; tokens.tolist()\n        "
    request = requests("native")[0]
    right = "return self.operators.matmul(self.norm(x), self.head.weight.T)"
    assert run("native", request, changed(tmp_path, right, looks + right)).passed


def test_a_port_in_functions_is_told_which_operators_give_the_bits():
    source = Path(__file__).parents[1] / "right" / "port_in_functions.py"
    verdict = run("identical", requests("identical")[1], source)
    assert [f.key for f in verdict.findings] == ["minigpt.bits-in-functions"] and not verdict.passed


def test_ulp():
    one = np.array([1.0, 0.0, -1.0])
    assert worst_ulp(one, one) == 0
    assert worst_ulp(np.array([1.0 + 2.0**-52, 0.0, -1.0]), one) == 1
    assert worst_ulp(np.array([1.0, -5e-324, -1.0]), one) == 1
    assert worst_ulp(np.array([1.0, -0.0, -1.0 - 2.0**-52]), one) == 1


@pytest.mark.gpu
def test_the_solution_passes_on_cuda():
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU that torch sees")
    for part in PARTS:
        for request in requests(part, device="cuda"):
            assert run(part, request).passed


@pytest.mark.parametrize("part", PARTS)
def test_where_a_kernel_of_the_gpu_has_failed_the_cpu_says_what_is_wrong(tmp_path, part):
    """A GPU tells of an index out of range by an assertion, at a later line, and is lost to the process with it."""
    path = tmp_path / "torch_minigpt.py"
    text = SOLUTION.read_text()
    path.write_text(text.replace("self.position_embedding(positions)", "self.position_embedding(tokens)"))
    lost = torch.AcceleratorError("CUDA error: device-side assert triggered")
    request = {**requests(part)[0], "device": "cuda"}
    said = judge_port(request, without_gpu(lost, path, request)).findings
    assert [f.key for f in said][-2:] == ["minigpt.raised", "minigpt.raised-row"]
    said = judge_port(request, without_gpu(lost, SOLUTION, request)).findings
    assert [f.key for f in said] == ["minigpt.raised-nowhere"] and "device-side" in said[0].text("en")


def test_a_pass_after_the_one_that_lost_the_gpu_is_answered_too(tmp_path, monkeypatch):
    """Its weights go to the GPU first: the process ended there, and the learner read that it must not end."""
    lost = torch.AcceleratorError("CUDA error: device-side assert triggered")
    tensor = torch.tensor

    def made(values, *args, device="cpu", **rest):
        if device != "cpu":
            raise lost
        return tensor(values, *args, **rest)

    monkeypatch.setattr(torch, "tensor", made)
    answer = run_port(SOLUTION, {**requests("native")[1], "device": "cuda"})
    assert set(answer) == {"raised"}

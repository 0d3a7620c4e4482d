"""The port debugger: a mutant of the solution for each mistake, and the cause that it must be given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from onekernel.messages import area
from onekernel.minigpt.port_check import judge_port
from onekernel.minigpt.port_request import requests
from onekernel.sandbox.tasks.port import run as run_port

pytestmark = pytest.mark.slow

SOLUTION = Path(__file__).parents[2] / "solutions" / "torch_minigpt.py"
SPLIT = "q, k, v = self.qkv(x).reshape(batch, length, 3, self.heads, head_width).permute(2, 0, 3, 1, 4)"
CUT = "q, k, v = self.qkv(x).reshape(batch, length, "
MASK = "scores.masked_fill(position[None, :] > position[:, None], -math.inf)"
DIRECT = "q, k, v = (p.reshape(batch, self.heads, length, head_width) for p in self.qkv(x).chunk(3, dim=-1))"
LINEAR = "self.operators.matmul(x, self.weight.T) + self.bias"
SCALE = "* (1.0 / math.sqrt(head_width))"
GELU = "return self.down(0.5 * h * (1.0 + self.operators.tanh(inner)))"
HALF = "x = x + self.attention(self.norm1(x))"
NORMED = "scaled * self.gain + self.bias"
LOGITS = "self.operators.matmul(self.norm(x), self.head.weight.T)"

# cause, the tensor that first differs, the line, the line as somebody might have written it
MUTANTS = [
    ("softmax-axis", "attention.scores", "self.softmax(scores)", "self.softmax(scores.transpose(-1, -2))"),
    ("narrow", "embedding", "x = self.token_embedding(tokens)", "x = self.token_embedding(tokens).float().double()"),
    ("blocks-order", "embedding", "for block in self.blocks:", "for block in reversed(self.blocks):"),
    ("block-left-out", "blocks.1", "for block in self.blocks:", "for block in self.blocks[:1]:"),
    (
        "transposed-weight",
        "attention.project",
        "copy_(weight.T)",
        "copy_([weight.T, weight][weight.shape[0] == weight.shape[1]])",
    ),
    ("reshaped-weight", "attention.qkv", "copy_(weight.T)", "copy_(weight.reshape(self.weight.shape))"),
    ("transposed-shape", "attention.qkv", "copy_(weight.T)", "copy_(weight)"),
    ("transposed-shape", "attention.qkv", "*weight.shape, dtype", "*weight.shape[::-1], dtype"),
    ("transposed-shape", "attention.qkv", LINEAR, "self.operators.matmul(x, self.weight) + self.bias"),
    ("no-bias", "attention.qkv", "self.weight.T) + self.bias", "self.weight.T)"),
    ("epsilon", "norm1", "variance + self.epsilon", "variance + 1e-6"),
    ("epsilon", "norm1", "variance + self.epsilon", "variance"),
    (
        "epsilon-place",
        "norm1",
        "self.operators.sqrt(variance + self.epsilon)",
        "(self.epsilon + self.operators.sqrt(variance))",
    ),
    (
        "epsilon-added",
        "norm1",
        "self.operators.sqrt(variance + self.epsilon)",
        "self.operators.sqrt(variance) + self.epsilon",
    ),
    ("unbiased-variance", "norm1", "self.operators.mean(centred * centred)", "x.var(dim=-1, keepdim=True)"),
    ("not-centred", "norm1", "centred = x - self.operators.mean(x)", "centred = x"),
    ("no-gain", "norm1", NORMED, "scaled + self.bias + 0.0 * self.gain"),
    ("no-bias", "norm1", NORMED, "scaled * self.gain + 0.0 * self.bias"),
    ("norm-skipped", "norm1", f"return {NORMED}", "return x"),
    ("norm-skipped", "logits", "matmul(self.norm(x), ", "matmul([self.norm(x), x][1], "),
    ("no-positions", "embedding", "+ self.position_embedding(positions)", ""),
    ("positions", "embedding", "self.position_embedding(positions)", "self.position_embedding(positions + 1)"),
    (
        "embedding-scaled",
        "embedding",
        "self.token_embedding(tokens) +",
        "math.sqrt(self.head.in_features) * self.token_embedding(tokens) +",
    ),
    ("scaling", "attention.scores", SCALE, ""),
    ("scaling", "attention.scores", SCALE, "/ head_width"),
    ("scaling", "attention.scores", SCALE, "/ math.sqrt(width)"),
    ("no-mask", "attention.scores", MASK, "scores"),
    ("mask-diagonal", "attention.scores", ">", ">="),
    ("mask-shifted", "attention.scores", "position[:, None]", "position[:, None] + 1"),
    ("mask-transposed", "attention.scores", ">", "<"),
    ("mask-inverted", "attention.scores", ">", "<="),
    ("mask-zero", "attention.scores", "-math.inf", "0.0"),
    ("mask-small", "attention.scores", "-math.inf", "-1.0"),
    ("head-order", "attention.scores", SPLIT, CUT + "3, head_width, self.heads).permute(2, 0, 4, 1, 3)"),
    ("head-order", "attention.scores", SPLIT, CUT + "self.heads, 3, head_width).permute(3, 0, 2, 1, 4)"),
    ("head-reshape", "attention.scores", SPLIT, DIRECT),
    ("head-merge", "attention.mixed", "mixed.transpose(1, 2).reshape", "mixed.reshape"),
    ("qkv-order", "attention.scores", "q, k, v = self.qkv", "k, q, v = self.qkv"),
    ("qkv-order", "attention.mixed", "matmul(self.softmax(scores), v)", "matmul(self.softmax(scores), k)"),
    ("softmax-axis", "attention.weights", "F.softmax(x, dim=-1)", "F.softmax(x, dim=-2)"),
    ("no-softmax", "attention.weights", "F.softmax(x, dim=-1)", "x"),
    ("gelu-variant", "mlp.gelu", GELU, "return self.down(F.gelu(h))"),
    ("gelu-variant", "mlp.gelu", GELU, "return self.down(F.relu(h))"),
    ("no-gelu", "mlp.gelu", GELU, "return self.down(h)"),
    ("residual", "middle", "x = x + self.attention", "x = self.attention"),
    (
        "residual-normed",
        "middle",
        HALF,
        "x = self.norm1(x)\n        x = x + self.attention(x)",
    ),
    ("branch-missing", "middle", HALF, "self.attention(self.norm1(x))"),
    ("residual", "", "return x + self.mlp", "return self.mlp"),
    ("never-computed", "attention.scores", "self.softmax(scores)", "F.softmax(scores.float(), dim=-1).double()"),
    ("unknown-gelu", "mlp.gelu", GELU, "return self.down(torch.sin(h))"),
    ("gelu-constants", "mlp.gelu", "0.044715", "0.04"),
    ("gelu-constants", "mlp.gelu", "math.sqrt(2.0 / math.pi)", "0.79788"),
    ("formula", "mlp.gelu", "math.sqrt(2.0 / math.pi)", "math.sqrt(2.0 * math.pi)"),
    ("formula", "mlp.gelu", "math.sqrt(2.0 / math.pi) * (h + 0.044715 * (h * h * h))", "math.sqrt(2.0 / math.pi) * h"),
    ("formula", "mlp.gelu", "0.5 * h * (1.0 + ", "h * (1.0 + "),
    ("formula", "mlp.gelu", "self.operators.tanh(inner)", "self.operators.tanh(self.operators.tanh(inner))"),
    ("formula", "norm1", "self.operators.sqrt(variance + self.epsilon)", "(variance + self.epsilon)"),
    ("formula", "norm1", "scaled = centred /", "scaled = x /"),
    ("formula", "norm1", NORMED, "(scaled + self.bias) * self.gain"),
    ("formula", "norm1", NORMED, "scaled * self.bias + self.gain"),
    ("formula", "norm1", NORMED, "scaled * (1.0 + self.gain) + self.bias"),
    ("norm-axis", "norm1", "centred = x - self.operators.mean(x)", "centred = x - x.mean()"),
    ("norm-axis", "norm1", "self.operators.mean(centred * centred)", "(centred * centred).mean(dim=1, keepdim=True)"),
    ("other-weights", "norm1", 'norm(f"{name}.norm1")', 'norm(f"{name}.norm2")'),
    ("other-weights", "attention.qkv", 'linear(f"{name}.attention.qkv")', 'linear("blocks.1.attention.qkv")'),
    ("other-bias", "attention.qkv", "            self.bias.copy_(bias)\n", ""),
    ("formula", "attention.qkv", LINEAR, "self.operators.matmul(x, self.weight.T) - self.bias"),
    ("formula", "embedding", "self.token_embedding(tokens) +", "self.token_embedding(tokens) *"),
    ("scaling", "attention.scores", SCALE, "* (1.0 / math.sqrt(length))"),
    ("mask-nan", "attention.scores", MASK, "scores + torch.ones_like(scores).triu(1) * -math.inf"),
    ("formula", "attention.scores", "matmul(q, k.", "matmul(q, q."),
    (
        "head-order",
        "attention.scores",
        SPLIT,
        "q, k, v = self.qkv(x).reshape(3, batch, length, self.heads, head_width).permute(0, 1, 3, 2, 4)",
    ),
    ("formula", "attention.mixed", "self.softmax(scores)", "self.softmax(self.softmax(scores))"),
    ("in-place", "middle", f"return {NORMED}", f"x.copy_(scaled)\n        return {NORMED}"),
    ("formula", "middle", "x = x + self.attention", "x = x - self.attention"),
    ("branch-missing", "middle", f"{HALF}\n", "y = self.attention(self.norm1(x))\n        x = x + 0 * y\n"),
    ("other-input", "blocks.1.norm1", "x = block(x)", "y = block(x)"),
    ("block-added", "blocks.1.norm1", "x = block(x)", "x = x + block(x)"),
    ("formula", "logits", LOGITS, f"self.operators.softmax({LOGITS})"),
    ("dropout", "attention.weights", "F.softmax(x, dim=-1)", "F.dropout(F.softmax(x, dim=-1), 0.2)"),
    ("dropout", "", "return x + self.mlp(self.norm2(x))", "return x + F.dropout(self.mlp(self.norm2(x)), 0.1)"),
    ("dropout", "middle", HALF, "x = x + F.dropout(self.attention(self.norm1(x)), 0.1)"),
    ("factor", "logits", LOGITS, f"0.1 * {LOGITS}"),
    ("post-norm", "norm1", HALF, "x = self.norm1(x + self.attention(x))"),
    ("post-norm", "norm1", HALF, "x = x + self.norm1(self.attention(x))"),
    ("post-norm", "norm2", "x + self.mlp(self.norm2(x))", "self.norm2(x + self.mlp(x))"),
    ("called-again", "norm1", HALF, "x = x + self.attention(self.norm1(self.norm1(x)))"),
    ("called-instead", "norm1", "self.mlp(self.norm2(x))", "self.mlp(self.norm1(x))"),
]

# The formula is right and the bytes are not: what a port does that never heard of the reproducible operators.
ROUNDING = [
    ("norm", "norm1", "self.operators.mean(centred * centred)", "x.var(dim=-1, keepdim=True, correction=0)"),
    ("linear", "attention.qkv", LINEAR, "F.linear(x, self.weight, self.bias)"),
    ("scores", "attention.scores", SCALE, "/ math.sqrt(head_width)"),
    ("mixed", "attention.mixed", "self.operators.matmul(self.softmax(scores), v)", "self.softmax(scores) @ v"),
    ("gelu", "mlp.gelu", GELU, 'return self.down(F.gelu(h, approximate="tanh"))'),
    ("logits", "logits", LOGITS, "self.head(self.norm(x))"),
]


def mutant(tmp_path: Path, right: str, wrong: str) -> Path:
    text = SOLUTION.read_text(encoding="utf-8")
    assert text.count(right) == 1, f"{right!r} must stand once in the solution"
    path = tmp_path / "torch_minigpt.py"
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    return path


@pytest.mark.parametrize(("cause", "tensor", "right", "wrong"), MUTANTS)
def test_a_mistake_is_named(tmp_path, cause, tensor, right, wrong):
    if right == ">":
        right, wrong = "position[None, :] > position", f"position[None, :] {wrong} position"
    request = requests("native")[0]
    verdict = judge_port(request, run_port(mutant(tmp_path, right, wrong), request))
    assert not verdict.passed
    named = [f for f in verdict.findings if f.key.startswith("minigpt.cause-")]
    assert [f.key for f in named] == [f"minigpt.cause-{cause}"]
    assert named[0].values["tensor"] in (tensor, f"blocks.0.{tensor}".rstrip("."))


@pytest.mark.parametrize(("kind", "tensor", "right", "wrong"), ROUNDING)
def test_a_rounding_difference_is_located(tmp_path, kind, tensor, right, wrong):
    source = mutant(tmp_path, right, wrong)
    native = requests("native")[0]
    assert judge_port(native, run_port(source, native)).passed
    request = requests("identical")[3]
    verdict = judge_port(request, run_port(source, request))
    assert not verdict.passed and verdict.different > 0
    assert verdict.findings[-1].key == f"minigpt.cause-rounding-{kind}"
    assert verdict.findings[-1].values["tensor"] in (tensor, f"blocks.0.{tensor}")


def test_a_step_that_no_hook_saw_does_not_hide_what_is_wrong(tmp_path):
    """norm1.forward called by hand is no mistake in the numbers; a wrong scale after it is named all the same."""
    source = mutant(tmp_path, "self.attention(self.norm1(x))", "self.attention(self.norm1.forward(x))")
    request = requests("native")[0]
    assert judge_port(request, run_port(source, request)).passed
    source.write_text(source.read_text().replace(SCALE, ""))
    assert judge_port(request, run_port(source, request)).findings[-1].key == "minigpt.cause-scaling"


def test_a_softmax_that_is_not_the_given_one_is_named(tmp_path):
    source = mutant(tmp_path, "self.softmax(scores)", "F.softmax(scores, dim=-1)")
    request = requests("identical")[2]
    finding = judge_port(request, run_port(source, request)).findings[-1]
    assert finding.key == "minigpt.cause-never-computed" and finding.values["tensor"] == "blocks.0.attention.scores"


def test_a_mask_of_large_negative_numbers_is_as_good_as_infinity(tmp_path):
    source = mutant(tmp_path, "-math.inf", "-1e9")
    for part in ("native", "identical"):
        for request in requests(part):
            assert judge_port(request, run_port(source, request)).passed


def test_a_mistake_in_a_later_block_is_found_there(tmp_path):
    source = mutant(
        tmp_path,
        'self.blocks = nn.ModuleList(block(f"blocks.{n}") for n in range(config.blocks))',
        'self.blocks = nn.ModuleList(block(f"blocks.{n}") for n in range(config.blocks))\n'
        "        self.blocks[1].norm2.epsilon = 1e-3",
    )
    request = requests("native")[0]
    finding = judge_port(request, run_port(source, request)).findings[-1]
    assert finding.key == "minigpt.cause-epsilon"
    assert finding.values["tensor"] == "blocks.1.norm2" and finding.values["got"] == 1e-3


@pytest.mark.parametrize("epsilon", [2e-5, 3.7e-4, 0.1, -1e-6, 1e-12])
def test_an_epsilon_is_solved_for_whatever_it_is(tmp_path, epsilon):
    source = mutant(tmp_path, "variance + self.epsilon", f"variance + {epsilon!r}")
    request = requests("native")[0]
    finding = judge_port(request, run_port(source, request)).findings[-1]
    assert finding.key == "minigpt.cause-epsilon"
    assert finding.values["got"] == pytest.approx(epsilon, rel=1e-3, abs=1e-9) and finding.values["want"] == 1e-5


@pytest.mark.parametrize(("right", "wrong"), [("copy_(bias)", "copy_(bias[:-1])"), (SCALE, "@ torch.zeros(3, 7)")])
def test_a_shape_error_of_another_kind_is_not_called_a_transposed_weight(tmp_path, right, wrong):
    request = requests("native")[0]
    findings = judge_port(request, run_port(mutant(tmp_path, right, wrong), request)).findings
    assert [f.key for f in findings] == ["minigpt.raised"]


@pytest.mark.parametrize(
    ("right", "wrong", "hint"),
    [
        ("*weight.shape, dtype=weight.dtype", "*weight.shape", "raised-dtype"),
        ("self.position_embedding(positions)", "self.position_embedding(tokens)", "raised-row"),
        (".transpose(1, 2).reshape(", ".transpose(1, 2).view(", "view"),
    ],
)
def test_an_error_of_torch_is_told_what_it_comes_from(tmp_path, right, wrong, hint):
    request = requests("native")[0]
    findings = judge_port(request, run_port(mutant(tmp_path, right, wrong), request)).findings
    assert [f.key for f in findings] == ["minigpt.raised", f"minigpt.{hint}"]


def test_the_call_that_is_missing_is_named(tmp_path):
    request = requests("native")[0]
    source = mutant(tmp_path, "return self.project(mixed", "return (mixed")
    finding = judge_port(request, run_port(source, request)).findings[-1]
    assert finding.key == "minigpt.cause-never-computed"
    assert finding.values["module"] == "blocks.0.attention.project"


def test_the_layer_that_raised_is_named_after_its_line(tmp_path):
    request = requests("native")[0]
    source = mutant(tmp_path, "copy_(weight.T)", "copy_(weight)")
    raised, cause = judge_port(request, run_port(source, request)).findings
    assert (
        raised.key == "minigpt.raised"
        and "copy_(weight)" in source.read_text().splitlines()[int(raised.values["line"]) - 1]
    )
    assert "(24, 72)" in cause.text() and "(72, 24)" in cause.text("es")


def test_shape_and_type_are_told_before_any_value():
    from onekernel.minigpt.config import Config
    from onekernel.minigpt.debugger import explain

    ours = {"embedding": np.zeros((1, 2, 3)), "logits": np.zeros((1, 2, 4))}
    found = explain(Config(), {}, np.zeros((1, 2), int), ours, {**ours, "logits": np.zeros((1, 4, 2))})
    assert found is not None and (found.tensor, found.cause) == ("logits", "shape")
    found = explain(Config(), {}, np.zeros((1, 2), int), ours, {**ours, "logits": ours["logits"].astype(np.float32)})
    assert found is not None and (found.tensor, found.cause) == ("logits", "dtype")
    assert explain(Config(), {}, np.zeros((1, 2), int), ours, dict(ours)) is None


def test_every_cause_has_a_sentence_that_can_be_said():
    from onekernel.minigpt import causes, debugger

    files = [*Path(causes.__file__).parent.glob("*.py"), Path(debugger.__file__)]
    source = "".join(path.read_text(encoding="utf-8") for path in files)
    named = {key.removeprefix("cause-") for key in area("minigpt") if key.startswith("cause-")}
    families = ("rounding", "unknown")
    for cause in named:
        assert f'"{cause}"' in source or cause.split("-")[0] in families, f"nothing gives the cause {cause}"
    tested = {cause for cause, *_ in MUTANTS} | {f"rounding-{kind}" for kind, *_ in ROUNDING}
    untested = {c for c in named - tested if not c.startswith(families)}
    assert untested == {"shape", "dtype"}  # tested above, by themselves
    for kind in ("embedding", "norm", "linear", "scores", "weights", "mixed", "gelu", "sum", "logits"):
        assert {f"rounding-{kind}", f"unknown-{kind}"} <= named

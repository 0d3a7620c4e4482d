"""Decides whether a port is right, from the arrays of sandbox/tasks/port.py. For the trusted process: NumPy only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from onekernel.errors import UserError
from onekernel.messages import Message
from onekernel.messages.python_errors import said

from .arithmetic import Reproducible
from .causes import trace
from .debugger import SAME, explain, transposed
from .model import MiniGPT, Native
from .port_request import PortRequest
from .sketches import elsewhere
from .weights import WeightsError

# How far a logit may be from NumPy's, relative to the largest logit of its row (one position's row of the vocabulary):
# a logit near zero is the difference of large numbers and has no small relative error of its own.
NATIVE = 1e-12
KERNEL = 3e-5  # what ops/softmax grants a float32 softmax; attention averages such errors and does not raise them
ALLOWED_IMPORTS = {"__future__", "collections", "dataclasses", "functools", "itertools", "math", "torch", "typing"}
_SAID = (  # torch's words, and what they come from
    ("view size is not compatible", "view"),
    ("to have the same dtype", "raised-dtype"),
    ("index out of range in self", "raised-row"),
)
IMPORTING = {"__import__", "__builtins__", "__globals__", "__loader__", "import_module", "importlib", "load_module",
             "sys", "_sys", "__subclasses__", "__self__", "__dict__", "f_back", "f_builtins", "f_globals", "gi_frame",
             "tb_frame"}  # fmt: skip
RUNNING = {"eval", "exec", "globals", "vars"}  # as names of their own: a module has an eval() too


@dataclass(frozen=True)
class PortVerdict:
    """What one forward pass showed. `worst_relative` is relative to the row's largest logit; ULP are of each logit."""

    part: str
    passed: bool
    total: int
    different: int
    worst_relative: float
    worst_ulp: int
    findings: tuple[Message, ...]

    @property
    def note(self) -> Message:
        """The result in a line, right or wrong."""
        error = self.worst_relative
        if self.part == "identical":
            return Message("minigpt.bytes", {"same": self.total - self.different, "total": self.total})
        if self.part == "kernel":  # an ULP of float64 says nothing of a kernel that computes in float32
            return Message("minigpt.error-kernel", {"error": error, "limit": _limit(self.part)})
        return Message("minigpt.error", {"error": error, "ulp": self.worst_ulp, "limit": _limit(self.part)})


def judge_port(request: Mapping[str, Any], answer: Mapping[str, np.ndarray]) -> PortVerdict:
    """Compares `answer` (run_port's, from a process that is not believed) with NumPy's own pass of `request`."""
    asked = PortRequest.from_json(request)
    operators: Any = Reproducible(np) if asked.part == "identical" else Native()
    try:
        weights, tokens = asked.weights(), asked.tokens()
    except WeightsError as other:
        raise UserError(Message.of("minigpt.other-weights", path=other.path)) from None
    model = MiniGPT(asked.config, weights, operators)
    ours = trace(model, tokens)
    want = ours["logits"]
    theirs = {name.removeprefix("trace/"): a for name, a in answer.items() if name.startswith("trace/")}
    calls = {name.removeprefix("calls/"): _count(a) for name, a in answer.items() if name.startswith("calls/")}
    got = answer.get("logits")
    if "raised" in answer:
        found = explain(asked.config, model.weights, tokens, ours, theirs)
        before = found.messages() if found and found.cause not in ("never-computed", "block-left-out") else ()
        said = raised_message(answer["raised"])
        layer = _text(answer.get("raised-at", np.zeros(0, np.uint8)))
        why = transposed(asked.config, layer, str(said.values["error"]))
        hint = why.messages() if why and not before else ()
        if _lost_dimension(asked.config.width, tokens.shape[1], str(said.values["error"])):
            hint = (*hint, Message("minigpt.keepdim"))
        hint = (*hint, *(Message(f"minigpt.{key}") for words, key in _SAID if words in str(said.values["error"])))
        return _failed(asked, want, *before, said, *hint)
    if got is None or got.shape != want.shape or got.dtype != np.float64:
        told = "none" if got is None else f"{got.dtype} {got.shape}"
        return _failed(asked, want, Message("minigpt.no-logits", {"got": told, "want": f"float64 {want.shape}"}))
    theirs["logits"] = got
    different = int((got.view(np.int64) != want.view(np.int64)).sum())
    error = _worst_relative(got, want)
    right = different == 0 if asked.part == "identical" else error <= _limit(asked.part)
    findings = list(_registry(answer, weights))
    if right and not findings:
        findings = list(_computed_elsewhere(asked, ours, answer))
    if right and not findings:
        findings = [*_later_seen(ours, theirs), *_kept(asked, model, answer)][:2]
    called = any(name.endswith("attention.weights") for name in theirs)
    if right and asked.part == "kernel" and (error <= NATIVE or not called):
        findings.append(Message("minigpt.kernel-unused"))
    if not right:
        same = KERNEL if asked.part == "kernel" else SAME
        found = explain(asked.config, model.weights, tokens, ours, theirs, same=same, calls=calls)
        explained = found.messages() if found else ()
        if asked.part == "identical" and error <= NATIVE and found and found.cause == "block-left-out":
            explained = (*_computed_elsewhere(asked, ours, answer),) or (Message("minigpt.bits-in-functions"),)
        untied = any(m.key == "minigpt.not-tied" for m in findings)
        if untied and found and found.cause == "unknown-logits":  # another head gives other logits: that is the cause
            explained = explained[:1]
        findings = [*explained, *findings]
    return PortVerdict(
        asked.part, right and not findings, want.size, different, error, worst_ulp(got, want), tuple(findings)
    )


def _computed_elsewhere(
    asked: PortRequest, ours: Mapping[str, np.ndarray], answer: Mapping[str, np.ndarray]
) -> Iterator[Message]:
    """Right logits that torch has not computed, from one block to the next: NumPy has, say."""
    if "taken-out" in answer:
        line, _, call = _text(answer["taken-out"]).partition(" ")
        yield Message("minigpt.taken-out", {"line": line if _is_line(line) else "?", "call": call[:100]})
    elif half := next(elsewhere(asked.config, ours, answer.get("made")), None):
        yield Message("minigpt.computed-elsewhere", {"module": half})


def _later_seen(ours: Mapping[str, np.ndarray], theirs: Mapping[str, np.ndarray]) -> Iterator[Message]:
    """Attention that gives a later position a weight, too small to show here: the mask is a finite number."""
    for name, weights in ours.items():
        found = theirs.get(name)
        if not name.endswith("attention.weights") or found is None or found.shape != weights.shape:
            continue
        later = found[..., np.triu(np.ones(weights.shape[-2:], dtype=bool), 1)]
        if later.any():
            yield Message("minigpt.later-seen", {"tensor": name, "weight": float(np.abs(later).max())})


def _kept(asked: PortRequest, model: MiniGPT, answer: Mapping[str, np.ndarray]) -> Iterator[Message]:
    """Further passes of the same model that are wrong, though the first one is right."""
    for name, tokens in asked.further_tokens().items():
        got = answer.get(f"further/{name}")
        want = trace(model, tokens)["logits"]
        if got is None or got.shape != want.shape or not _worst_relative(got, want) <= _limit(asked.part):
            yield Message("minigpt.kept", dict(zip(("batch", "length"), tokens.shape, strict=True)))
            if f"further-raised/{name}" in answer:
                yield raised_message(answer[f"further-raised/{name}"])


def forbidden_imports(text: str) -> list[tuple[int, str]]:
    """(line, module) of every import in a port that is neither torch nor a plain helper: onekernel's own model, say.

    A name that imports, or runs text, at run time counts as one. That is no wall, only what a reader would refuse too.
    Raises SyntaxError.
    """
    named: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            named += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            named.append((node.lineno, node.module or "."))
        elif isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            found = name in IMPORTING or (isinstance(node, ast.Name) and name in RUNNING)
            named += [(node.lineno, name)] if found else []
    return sorted((line, name) for line, name in named if name.split(".")[0] not in ALLOWED_IMPORTS)


def raised_message(data: np.ndarray) -> Message:
    """An error that sandbox/tasks/port.py sent, as a sentence. Any array is taken, and shown as far as it is text."""
    line, _, what = _text(data).partition(" ")
    values = {"line": line, "error": said(what)}
    return Message("minigpt.raised" if _is_line(line) else "minigpt.raised-nowhere", values)


def _is_line(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 8 and text != "0"


def _lost_dimension(width: int, length: int, error: str) -> bool:
    """Whether a tensor (batch, length, width) met one of (batch, length): a mean that did not keep its dimension."""
    sizes = re.search(r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", error)
    return sizes is not None and width != length and {int(sizes[1]), int(sizes[2])} == {width, length}


def _text(data: np.ndarray) -> str:
    if data.dtype.kind not in "biuf":
        return ""
    with np.errstate(invalid="ignore"):
        return data.astype(np.uint8, copy=False).tobytes()[:2000].decode(errors="replace")


def _count(data: np.ndarray) -> int:
    return int(data.ravel()[0]) if data.size == 1 and data.dtype.kind in "iu" else 1


def worst_ulp(got: np.ndarray, want: np.ndarray) -> int:
    """The largest distance between two arrays, both of float64 or both of float32, in representable numbers. NaN counts
    as far from all else."""
    whole = np.int64 if got.dtype == np.float64 else np.int32

    def ordered(x: np.ndarray) -> np.ndarray:
        bits = (x + 0.0).view(whole).astype(np.int64)  # + 0.0: -0.0 and 0.0 are one number
        return np.where(bits < 0, np.int64(np.iinfo(whole).min) - bits, bits)

    a, b = ordered(got), ordered(want)
    return max((abs(int(x) - int(y)) for x, y in zip(a.ravel(), b.ravel(), strict=True) if x != y), default=0)


def _worst_relative(got: np.ndarray, want: np.ndarray) -> float:
    scale = np.abs(want).max(axis=-1, keepdims=True)
    with np.errstate(all="ignore"):
        error = np.abs(got - want) / scale
    return float(np.where(np.isfinite(error), error, np.inf).max())


def _limit(part: str) -> float:
    return {"native": NATIVE, "kernel": KERNEL, "identical": 0.0}[part]


def _registry(answer: Mapping[str, np.ndarray], weights: Mapping[str, np.ndarray]) -> tuple[Message, ...]:
    """A module is a registry: were all weights registered, each once, and is the head the embedding's own parameter?"""
    want = sum(w.size for w in weights.values())
    counted, tied = answer.get("parameters"), answer.get("tied")
    if tied is None or tied.size != 1 or not bool(tied.ravel()[0]):
        return (Message("minigpt.not-tied"),)
    if counted is None or counted.size != 1 or counted.ravel()[0] != want:
        got = "?" if counted is None or counted.size != 1 else counted.ravel()[0]
        return (Message("minigpt.parameters", {"got": got, "want": want}),)
    return ()


def _failed(asked: PortRequest, want: np.ndarray, *findings: Message) -> PortVerdict:
    return PortVerdict(asked.part, False, want.size, want.size, float("inf"), 2**63 - 1, findings)

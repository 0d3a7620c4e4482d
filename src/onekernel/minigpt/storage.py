"""The questions of storage_probe, their answers, how predictions are judged. For the trusted process: no torch.

The answers are torch's behaviour in the versions that the course supports; tests/unit/test_storage_probe.py asks torch.
The question is the message minigpt.probe-NAME, the reason for its answer minigpt.why-NAME.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from onekernel.errors import UserError
from onekernel.messages import Message

from .port_check import raised_message

# "move" questions have one answer for model.cuda() and for a change of dtype, which stands in for it without a GPU.
TRUTH: dict[str, bool] = {
    "move-same-model": True,
    "move-same-parameters": True,
    "move-same-storage": False,
    "move-tie-kept": True,
    "move-sliced-parameters-share": False,
    "move-view-follows": False,
    "move-optimizer-holds": True,
    "move-momentum-follows": False,
    "move-gradient-follows": True,
    "move-buffer-follows": True,
    "move-buffer-same-object": False,
    "move-attribute-follows": False,
    "move-strides-kept": True,
    "meta-same-parameters": False,
    "meta-tie-kept": False,
    "share-to-same": True,
    "share-half": False,
    "share-contiguous": True,
    "share-transposed": True,
    "share-transposed-contiguous": False,
    "share-view": True,
    "share-reshape-transposed": False,
    "share-column": True,
    "share-index-list": False,
    "share-expand": True,
    "share-from-numpy": True,
    "share-tensor-of-numpy": False,
    "expand-then-half-grows": True,
    "view-of-transposed-works": False,
}

# The pairs that the learner's shares_storage is asked of; sandbox/tasks/probe.py makes them.
SHARED_PAIRS: dict[str, bool] = {
    "itself": True,
    "a later row": True,
    "a transposed view": True,
    "a clone": False,
    "equal numbers": False,
    "two tensors without memory": False,
    "another device": False,
}


@dataclass(frozen=True)
class ProbeResult:
    """One question: what was predicted (None: nothing) and whether that is right."""

    question: str
    predicted: bool | None
    right: bool

    @property
    def messages(self) -> tuple[Message, ...]:
        """For a wrong or missing prediction: the question, then the reason for its answer."""
        if self.right:
            return ()
        asked = Message(f"minigpt.probe-{self.question}")
        if self.predicted is None:
            return (Message("minigpt.not-predicted", {"name": self.question, "question": asked}),)
        answer = Message("minigpt.yes" if TRUTH[self.question] else "minigpt.no")
        why = Message(f"minigpt.why-{self.question}")
        return (Message("minigpt.mispredicted", {"question": asked, "answer": answer, "why": why}),)


def predictions(text: str) -> dict[str, bool | None]:
    """PREDICTIONS from a file's text, which is parsed and never run. What is not True or False counts as None.

    Raises SyntaxError, and UserError where there is no such dict.
    """
    for node in ast.parse(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(t, ast.Name) and t.id == "PREDICTIONS" for t in targets):
            assert isinstance(node, ast.Assign)
            if not isinstance(node.value, ast.Dict):
                break
            given: dict[str, bool | None] = {}
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(value, ast.Constant):
                    given[str(key.value)] = value.value if isinstance(value.value, bool) else None
            return given
    raise UserError(Message("minigpt.no-predictions"))


def committed(answers: Mapping[str, str]) -> dict[str, bool | None]:
    """Predictions as they were written down, "True" or "False", as values; anything else counts as None."""
    return {question: {"True": True, "False": False}.get(text) for question, text in answers.items()}


def judge_predictions(given: Mapping[str, bool | None]) -> tuple[ProbeResult, ...]:
    """One result a question, in the order of TRUTH. Points are in proportion to the right ones."""
    return tuple(ProbeResult(q, given.get(q), given.get(q) is truth) for q, truth in TRUTH.items())


def request(cuda: bool = False) -> dict[str, Any]:
    """What the untrusted process is asked, as JSON values: names, and no answer. `cuda`: whether it has a GPU."""
    return {"cuda": cuda, "pairs": list(SHARED_PAIRS), "questions": list(TRUTH)}


def judge_probe(answer: Mapping[str, np.ndarray]) -> tuple[Message, ...]:
    """What is wrong in the answer to `request`: with shares_storage, then with what the file's experiments saw."""
    if "raised" in answer:
        return (raised_message(answer["raised"]),)
    pairs = _booleans(answer.get("pairs"), len(SHARED_PAIRS))
    if pairs is None:
        return (Message("minigpt.probe-no-answer", {"name": "shares_storage"}),)
    for (name, truth), found in zip(SHARED_PAIRS.items(), pairs, strict=True):
        if found is not truth:
            said, so = (Message("minigpt.yes" if b else "minigpt.no") for b in (found, truth))
            pair = Message(f"minigpt.pair-{name.replace(' ', '-')}")
            return (Message("minigpt.shares-storage", {"pair": pair, "got": said, "want": so}),)
    seen = _booleans(answer.get("observed"), len(TRUTH))
    if seen is None:
        return (Message("minigpt.probe-no-answer", {"name": "observe"}),)
    wrong = [q for (q, truth), found in zip(TRUTH.items(), seen, strict=True) if found is not truth]
    return tuple(Message("minigpt.observed-otherwise", {"name": q}) for q in wrong)


def observed_move(cuda: bool) -> Message:
    """Which move the "move" questions were asked of."""
    return Message("minigpt.observed-cuda" if cuda else "minigpt.observed-double")


def _booleans(array: np.ndarray | None, count: int) -> list[bool] | None:
    if array is None or array.shape != (count,) or array.dtype != np.uint8:
        return None
    return [bool(v) for v in array.tolist()]

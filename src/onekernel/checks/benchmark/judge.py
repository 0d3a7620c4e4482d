"""Judges a benchmark by its figures. In a world with one effect alone, that effect is what makes a figure wrong. The
worlds that it is tried in, and what is right in them, are drawn here."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from onekernel.checks.benchmark import EFFECTS
from onekernel.checks.python_task import failed, run, trouble
from onekernel.course import Check
from onekernel.grading.submission import Ran, Submission
from onekernel.grading.verdicts import FAILED, NOT_ASSESSED, PARTIAL, PASSED, Failure, Verdict
from onekernel.messages import Message
from onekernel.messages.python_errors import said
from onekernel.sandbox import turn
from onekernel.sandbox.reader import read
from onekernel.sandbox.readers import peeks
from onekernel.sandbox.simulated_gpu import ITEMSIZE, World

SECONDS = 60.0
NAMES = ("first", "second")
WITHIN = 0.05  # of ours
ALONE = tuple(e for e in EFFECTS if e not in ("all", "gpu"))
SEEDS = {"noise": 24, "all": 4}  # worlds of an effect; one sample is right by luck in two of three
GPU_ELEMENTS = 1 << 25  # 128 MiB each way: more than any L2 of the course's cards


def judge(submission: Submission, check: Check, ran: Ran, before: list[Verdict]) -> Verdict:
    """Points in proportion to the effects that the figures are right in spite of."""
    peeking = read(peeks, submission.path.read_text(encoding="utf-8"))
    if peeking:
        line, what = peeking
        return failed(check, Message("grading.benchmark-peeks", {"line": line, "what": what}), line=line, code="peeks")
    effects = check.options["effects"]
    if "gpu" in effects:
        return _on_the_gpu(submission, check)
    asked = [(effect, world) for effect in effects for world in drawn(effect, submission.seed)]
    requests = [{"card": number, "n": world.n} for number, (_, world) in enumerate(asked)]
    cards = [card(world) for _, world in asked]
    done = run(submission, {"task": "benchmark", "requests": requests}, SECONDS, cards)
    stopped = trouble(check, done)
    if stopped:
        return stopped
    wrong: dict[str, Message] = {}
    for (effect, world), answer in zip(asked, done.answers, strict=True):
        message = _wrong(answer, right(world), f"benchmark-{effect}")
        if message:
            wrong.setdefault(effect, message)
    failures: list[Failure] = []
    for effect, message in wrong.items():
        if message.text("en") not in [f.message.text("en") for f in failures]:  # it raises everywhere alike
            failures.append(Failure(message, check.chapter, file=str(submission.path), code=effect))
    return _verdict(check, len(effects) - len(wrong), len(effects), failures)


def _on_the_gpu(submission: Submission, check: Check) -> Verdict:
    if submission.device != "cuda":
        return Verdict(check, NOT_ASSESSED, note=Message("grading.needs-gpu"))
    done = run(submission, {"task": "benchmark", "requests": [{"gpu": True, "n": GPU_ELEMENTS}]}, SECONDS)
    stopped = trouble(check, done)
    if stopped:
        return stopped
    message = _wrong(done.answers[0], _measured(), "benchmark-gpu")
    found = [Failure(message, check.chapter, file=str(submission.path), code="gpu")] if message else []
    return _verdict(check, int(not found), 1, found)


def _measured() -> tuple[float, float]:
    """Our own figures, from this process, into which no submission was loaded."""
    import torch

    from onekernel.bench.timing import interleaved
    from onekernel.sandbox.real_gpu import RealGPU

    with turn.held():
        x = torch.randn(GPU_ELEMENTS, device="cuda")
        out = torch.empty_like(x)
        calls = {name: (lambda f=f: f(x, out)) for name, f in zip(NAMES, RealGPU().functions(), strict=True)}
        samples = interleaved(calls)
    return samples["first"].median, samples["second"].median


def _wrong(answer: Mapping[str, np.ndarray], right: Sequence[float], key: str) -> Message | None:
    """What is wrong with two figures: the message `key`, with the one that is furthest off."""
    if "raised" in answer:
        text = answer["raised"].astype(np.uint8, copy=False).tobytes()[:2000].decode(errors="replace")
        line, _, why = text.partition(" ")
        return Message("grading.benchmark-raised", {"line": line, "why": said(why)})
    found = answer.get("seconds", np.zeros(0))
    if found.shape != (2,) or not np.isfinite(found).all() or not (found > 0).all():
        return Message("grading.benchmark-no-figures")
    ratios = [float(f / r) for f, r in zip(found, right, strict=True)]
    off = max(range(2), key=lambda i: abs(np.log(ratios[i])))
    if abs(ratios[off] - 1) <= WITHIN:
        return None
    values = {"name": NAMES[off], "us": float(found[off]) * 1e6, "right": right[off] * 1e6, "times": ratios[off]}
    return Message(f"grading.{key}", {"figure": Message("grading.benchmark-figure", values)})


def _verdict(check: Check, right: int, total: int, failures: Sequence[Failure]) -> Verdict:
    note = Message("grading.benchmark-right", {"right": right, "total": total})
    status = PASSED if not failures else PARTIAL if right else FAILED
    return Verdict(check, status, round(check.points * right / total, 1), tuple(failures), note)


def drawn(effect: str, seed: int) -> list[World]:
    """The worlds of an effect, drawn from a seed. L2 holds both tensors: a second call would find them there."""
    rng = random.Random(f"{effect}/{seed}")
    effects = ALONE if effect == "all" else (effect,)
    return [
        World(effects, rng.randrange(1 << 30), rng.randrange(3_000_000, 5_000_000), rng.uniform(0.8e12, 1.2e12),
              rng.choice((48, 50, 60)) << 20, (1.0, rng.uniform(1.3, 2.0)))
        for _ in range(SEEDS.get(effect, 2))
    ]  # fmt: skip


def card(world: World) -> dict[str, Any]:
    """The world as the process apart reads it, which answers for that card."""
    return asdict(world)


def right(world: World) -> tuple[float, float]:
    """Seconds of one call of each function: random input, nothing of it in L2, a risen clock, nothing that disturbs."""
    moved = 2 * world.n * ITEMSIZE / world.bandwidth
    return moved * world.costs[0], moved * world.costs[1]

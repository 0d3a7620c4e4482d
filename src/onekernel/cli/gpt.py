"""`onekernel gpt`: MiniGPT goes on with a text, in NumPy, or with a learner's kernels in place of NumPy's operators."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from onekernel import doctor, learners
from onekernel.backends.base import Arg, Buffer, BuildError, CallReport, Scalar
from onekernel.backends.processors import processors
from onekernel.cli.common import load_course, one
from onekernel.cli.console import complain, verbatim, write
from onekernel.cli.tools import build_failed, file_of
from onekernel.course import Course, Exercise
from onekernel.errors import UserError
from onekernel.messages import Message, say
from onekernel.minigpt import weights
from onekernel.minigpt.model import MiniGPT

if TYPE_CHECKING:
    from onekernel.minigpt.kernels import Differs, Kernels, Written

LENGTH, LENGTH_WITH_KERNELS = 200, 40  # bytes to write; on the simulator a text ends within seconds
OPERATORS = ("gemm", "softmax")
_ALIGNED = 256  # bytes: where the tensors of a call begin


def run(args: argparse.Namespace) -> int:
    """Writes the text. Returns 1 where a kernel does not build, is wrong or leads to another text."""
    try:
        trained = weights.load()
    except weights.WeightsError as error:
        raise UserError(Message.of("minigpt.other-weights", path=error.path)) from None
    if args.with_my_kernels:
        return _with_kernels(args, trained)
    if args.use or args.solutions or args.learner:
        raise UserError(Message("minigpt.gpt-without"))
    model = MiniGPT(weights.SHIPPED_CONFIG, trained)
    print(model.generate(args.prompt, _length(args, LENGTH), args.temperature, args.seed))
    return 0


def _length(args: argparse.Namespace, usual: int) -> int:
    return usual if args.length is None else int(args.length)


def _with_kernels(args: argparse.Namespace, trained: dict[str, np.ndarray]) -> int:
    from onekernel.minigpt.kernels import Differs, Kernels, write

    if args.temperature or not _length(args, 1):
        raise UserError(Message("minigpt.gpt-likeliest"))
    course = load_course()
    chosen = [_chosen(course, operator, args) for operator in OPERATORS]
    device, note = doctor.settle(course, chosen, args.device)
    if note:
        complain(str(note))
    try:
        gemm, softmax = (_Launcher(e.slug, file_of(course, e, args)[0], device) for e in chosen)
        kernels = Kernels(gemm.product, softmax.rows)
        written = write(weights.SHIPPED_CONFIG, trained, args.prompt, _length(args, LENGTH_WITH_KERNELS), kernels)
    except BuildError as error:
        return build_failed(error)
    except _Failed as failed:
        complain(say("minigpt.gpt-failed", slug=failed.slug, what=failed.what))
        return 1
    except Differs as wrong:
        complain(_wrong(wrong, chosen))
        return 1
    print(written.text)
    _tell_speed(written, kernels, chosen, device)
    return _compare(written, write(weights.SHIPPED_CONFIG, trained, args.prompt, len(written.steps)))


def _chosen(course: Course, operator: str, args: argparse.Namespace) -> Exercise:
    """The exercise whose kernel computes `operator`: the one that was named, else the last in the course's order that
    is for fp32 alone and that somebody has begun. Raises UserError where there is none."""
    takes = [e for e in course.exercises.values() if e.operator == operator and e.file.endswith(".cu")]
    takes = [e for e in takes if "float32" in e.dtypes and not e.home]
    for name in args.use:
        named = one(course, name)
        if named.operator == operator and named in takes:
            return named
        if named.operator not in OPERATORS or not named.file.endswith(".cu") or "float32" not in named.dtypes:
            raise UserError(Message("minigpt.gpt-use", {"slug": named.slug, "known": _known(course)}))
    plain = [e for e in takes if len(e.dtypes) == 1]
    begun = [e for e in plain if args.solutions or _begun(course, e, args)]
    if not begun:
        raise UserError(Message("minigpt.gpt-none", {"file": plain[0].file, "slug": plain[0].slug}))
    return begun[-1]


def _known(course: Course) -> str:
    known = [e for e in course.exercises.values() if e.operator in OPERATORS and e.file.endswith(".cu") and not e.home]
    return ", ".join(e.slug for e in known if "float32" in e.dtypes)


def _begun(course: Course, exercise: Exercise, args: argparse.Namespace) -> bool:
    learner = learners.chosen(course.root, args.learner)
    path = learner.path(exercise.file)
    return path.is_file() and not course.untouched(exercise, path)


class _Failed(Exception):
    """A launcher did not come to its end, or returned an error."""

    def __init__(self, slug: str, report: CallReport) -> None:
        super().__init__(slug)
        self.slug = slug
        self.what = next((str(f) for f in report.findings if f.severity == "error"), report.status_name)


class _Launcher:
    """A file's fp32 launcher over NumPy arrays, on a GPU or in the simulator. Raises BuildError, Unavailable."""

    def __init__(self, slug: str, path: Path, device: str) -> None:
        from onekernel import cuda, simulator

        self._slug = slug
        self._program: Any = cuda.build(path) if device == "cuda" else simulator.build(path, "fast")

    def product(self, a: np.ndarray, b: np.ndarray, turned: bool) -> np.ndarray:
        (m, k), n = a.shape, b.shape[0 if turned else 1]
        sizes = (m, n, k, k, b.shape[1], n, int(turned))
        return self._call([a, b], (m, n), [*sizes, Scalar("alpha", 1.0), Scalar("beta", 0.0)], ("a", "b", "c"))

    def rows(self, x: np.ndarray) -> np.ndarray:
        rows, cols = x.shape
        return self._call([x], (rows, cols), [rows, cols, cols, cols], ("x", "y"))

    def _call(
        self, given: Sequence[np.ndarray], shape: tuple[int, int], rest: Sequence[Arg], names: Sequence[str]
    ) -> np.ndarray:
        nothing = np.full(shape, np.nan, np.float32)  # what a kernel forgets to write is not 0
        args = [_buffer(name, x) for name, x in zip(names, [*given, nothing], strict=True)]
        args[-1].writable = True
        report = self._program.call(self._slug, [*args, *rest])
        if report.status or any(f.severity == "error" for f in report.findings):
            raise _Failed(self._slug, report)
        written: np.ndarray = args[-1].memory[_ALIGNED : _ALIGNED + nothing.nbytes].view(np.float32).reshape(shape)
        return written


def _buffer(name: str, x: np.ndarray) -> Buffer:
    memory = np.full(x.nbytes + 2 * _ALIGNED, 0xFF, np.uint8)
    memory[_ALIGNED : _ALIGNED + x.nbytes] = x.reshape(-1).view(np.uint8)
    return Buffer(name, memory, _ALIGNED, x.nbytes, False, x.itemsize)


def _wrong(wrong: Differs, chosen: Sequence[Exercise]) -> str:
    slug = chosen[OPERATORS.index(wrong.operator)].slug
    found = wrong.mismatch
    sizes = dict(zip("mkn" if wrong.operator == "gemm" else ("rows", "cols"), wrong.sizes, strict=True))
    numbers = {"got": found.got, "want": found.want, "error": found.error, "limit": found.limit}
    at = ", ".join(map(str, found.index))
    return say(f"minigpt.gpt-wrong-{wrong.operator}", slug=slug, step=wrong.step, at=at, **sizes, **numbers)


def _tell_speed(written: Written, kernels: Kernels, chosen: Sequence[Exercise], device: str) -> None:
    slugs = " + ".join(e.slug for e in chosen)
    rate = len(written.steps) / (written.seconds - kernels.judging)
    verbatim("")
    write(say("minigpt.gpt-speed", slugs=slugs, rate=rate, device=_device(device), launches=kernels.launches))
    if device != "cuda":
        write(say("minigpt.gpt-simulated"))


def _device(device: str) -> str:
    if device == "cuda":
        import torch

        return str(torch.cuda.get_device_name())
    from onekernel.bench.device import processor

    return say("minigpt.gpt-simulator", name=processor(), cores=processors())


def _compare(written: Written, numpy: Written) -> int:
    """Says how far the logits are from NumPy's in fp32, or where the texts part."""
    from onekernel.minigpt.port_check import worst_ulp

    ours, theirs = written.logits, numpy.logits
    parted = np.flatnonzero(ours.argmax(axis=1) != theirs.argmax(axis=1))
    if parted.size:
        at = int(parted[0])
        first, second = theirs[at][theirs[at].argmax()], theirs[at][ours[at].argmax()]
        gap = float((first - second) / np.abs(theirs[at]).max())
        write(say("minigpt.gpt-parted", byte=at + 1, gap=gap))
        return 1
    same = int((ours.view(np.int32) == theirs.view(np.int32)).sum())
    error = float((np.abs(ours - theirs) / np.abs(theirs).max(axis=1, keepdims=True)).max())
    numbers = {"same": same, "total": ours.size, "ulp": worst_ulp(ours, theirs), "error": error}
    write(say("minigpt.gpt-same", **numbers))
    return 0

"""Plausible mistakes, made on purpose on a kernel's own inputs: the one that gives its numbers is the cause.

A cause is named where it alone gives what the kernel gave, on every input: on those that came out wrong, and on those
that came out right, where the mistake must not show either. The right answer is the control: on how many inputs it is
another one than the mistake's is kept with the cause. Where it differs in NaN, infinities and zeros alone, which have
many causes, only what is about those is named. A module beside this one holds the mistakes of the operator of its name.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

import numpy as np

from onekernel.backends.base import Buffer
from onekernel.comments import code
from onekernel.grading import buffers
from onekernel.grading.buffers import Call
from onekernel.grading.replay import bits, factors
from onekernel.grading.replay.base import Mistake, Replayed
from onekernel.grading.replay.integers import values_in_integers
from onekernel.grading.undefined import UNDEFINED, depends
from onekernel.grading.untold import leave, left_out
from onekernel.messages import Message, area
from onekernel.ops.base import DTYPES, Arrays, Operator
from onekernel.sandbox.supervisor import CallOutcome

LONG = 5000  # elements of a row, or of a vector: longer ones are left out where shorter ones are wrong, too
LARGE = 50_000  # elements of an input, likewise
# How near a mistake's numbers must be to the kernel's, relative to each: rounding in another order, and no more.
NEAR = {"float32": 1e-4, "float16": 2e-3, "bfloat16": 1.6e-2}
FEW_INPUTS = 3  # right by chance
CHOICES = ("transpose_b", "approximate")  # scalars that say which of several forms is computed
ENOUGH = 100  # numbers that no other mistake gives by chance
FEW_COLUMNS = 8  # or less of a row have a factor in common by chance
FEW = 0.02  # of the elements may lie a rounding step of a narrow type further off
BETTER = 0.1  # and of a wrong answer's distance from the right one
# What a kernel's text has where it makes a mistake that others give the same numbers as.
_OF_A_WARP = "shfl|__reduce|tiled_partition"
_INTEGER = r"\b(?:int|long|short|unsigned|size_t|u?int\d+_t)"
_WHOLE = rf"(?<!\(){_INTEGER}\s+\w+(?:\[[^\]]*\])?\s*(?:=\s*0|;|\{{)|(?<!<<<)\(int\)|tl\.int"
_COPIES = r"cp\.async|memcpy_async|cp_async"
_TILES = r"\btl\."
# The largest of exponentials: of what is named so, or a quotient by it.
_MAX_OF_EXP = r"max\w*\s*\([^;\n]*exp|tl\.max\(\s*(?:e|p|num\w*)\b|/\s*tl\.max"
_MIN_ALONE = r"\A(?![\s\S]*(?:fmax|\bmax\(|tl\.max))[\s\S]*(?:\bfmin|\bmin\(|tl\.min)"
_ZERO_ALONE = r"\A(?![\s\S]*other\s*=\s*-)[\s\S]*other\s*=\s*0"  # no load brings -infinity
_ENCODED = r"atomicM(?:ax|in)|as_u?int"
_ABS = r"\babsf?\s*\(|\bfabsf?\s*\(|tl\.abs|signbit"
_NO_FRAGMENTS = r"\A(?![\s\S]*mma)"
WORDS = {
    "sum-half-warp": _OF_A_WARP, "sum-last-lane": _OF_A_WARP, "sum-lanes-all": _OF_A_WARP,
    "softmax-log2e-of-x": r"exp2|\b1\.44|log2", "softmax-max-of-abs": rf"{_ABS}|\?\s*-|,\s*-\s*[a-z]",
    "gelu-tanh-once": "exp", "gelu-root-halved": r"\btanhf?\(",
    "sum-integer": _WHOLE, "gemm-tile-turned": _NO_FRAGMENTS,
    "softmax-rows-mixed": _OF_A_WARP, "softmax-whole-tile": _TILES, "softmax-tile-axis": _TILES,
    "softmax-tile-maximum": _TILES, "softmax-tile-sum": _TILES,
    "softmax-sum-of-lanes": _OF_A_WARP, "softmax-maximum-of-lanes": _OF_A_WARP,
    "softmax-divided-by-largest": _MAX_OF_EXP, "softmax-min-from-infinity": _MIN_ALONE,
    "softmax-max-of-bits": "as_u?int|reinterpret|union", "softmax-max-not-decoded": _ENCODED,
    "softmax-max-padded-zero": _ZERO_ALONE,
    "gemm-fragment-layout": "wmma", "gemm-fragment-stride": "wmma", "softmax-max-by-min": "min|less",
    "copy-bytes": _COPIES, "copy-vector": _COPIES,
    "gemm-tiles-skipped": r"\b2\s*\*|\*\s*2\b|<<\s*1\b|\+=\s*2\b",  # else half of each deeper tile is left out
    "gemm-tf32": r"tl\.dot|tf32", "gemm-narrow-inputs": "half|float16|bf16",
}  # fmt: skip
# Where the text has their words: zeros, NaN, and what lacks a division have many other causes, too.
FIRST = (
    "copy-bytes", "copy-vector", "softmax-max-padded-zero", "softmax-divided-by-largest", "softmax-min-from-infinity",
)  # fmt: skip
# Where none of a lower number gives them: the first so many elements are also what one block adds, every second one is
# what a tree or a warp loses, and 0 is where a maximum begins. One rounding says more than several.
LAST = {
    "sum-limited": 1, "gemm-step-twice": 1, "softmax-max-start-and-first": 1, "sum-part-lost": 2, "softmax-max-idle": 2,
    "own-type-several": 3,
}  # fmt: skip
# And where the text makes them so: that shuffles end early is also what half a tree would give.
_ENDS_EARLY = r"(?:>\s*1\s*;[^;)]*(?:/=\s*2|>>=\s*1)|=\s*8\s*;[^{;]*;[^;)]*)\s*\)[^;]*(?:shfl|shuffle)"
WRITTEN = {"sum-half-warp": _ENDS_EARLY}
SHARED = ("gelu-minus-infinity",)  # what bounds of any size come down to, where no input tells which one it is
# What is about NaN and infinities, and may be named where the results tell no more.
SPECIAL = (
    "softmax-nan-hidden", "softmax-masked-row", "softmax-masked-beginning", "softmax-equal-as-one", "gelu-nan-hidden",
    "gelu-minus-infinity", "gelu-tanh-overflow", "gelu-saturated", "mul-zeros-skipped", "dot-zeros-skipped",
    "gemm-zeros-skipped",
    "rms-no-eps",
    "gemm-c-at-beta-zero", "mul-logarithm", "softmax-min-from-infinity", "softmax-no-max", "softmax-max-by-min",
    "softmax-max-idle", "softmax-max-from-own", "softmax-max-part-of-row",
    "mul-max-of-nonzero", "softmax-zeros", "add-zeros", "gelu-zeros",
)  # fmt: skip
# Of the others, what a text says that makes it: without it zeros and NaN are no sign of it.
OTHERWISE: Mapping[str, Callable[[str], object]] = {
    "softmax-integer": values_in_integers,
    "softmax-max-by-size": re.compile(_ABS).search, "softmax-max-of-abs": re.compile(_ABS).search,
}  # fmt: skip
# Of what threads, warps and lanes share: a Triton kernel has none of them.
_OF_THREADS = re.compile(r"\bthread|\bwarp|\blane|shuffle")
IN_PROGRAMS = ("sum-last-alone", "softmax-zero-beyond", "sum-limited", "softmax-from-own-column", "softmax-max-of-bits")
BLOCK = "BLOCK="  # the macro that a case sets to a number of threads
SHARP = 0.7  # of the wrong inputs on which a mistake in a narrow type, whose roundings may turn, must give the numbers


@dataclass(frozen=True)
class Given:
    """What the kernel gave on one input, beside the right answer; all in float64."""

    call: Call
    got: np.ndarray
    want: np.ndarray
    right: bool


def cause(operator: Operator, ran: Sequence[tuple[Call, CallOutcome]], text: str | None = None) -> Message | None:
    """The sentence of the one mistake that gives the kernel's results on all inputs, or of the two that do; or of what
    its wrong results have in common; None where none does, or more. `text` is the kernel's: what it
    has no word of is no cause."""
    module = _module(operator.name)
    if module is None:
        return None
    smooth = partial(_is_smooth, getattr(module, "SMOOTH", math.inf))
    every = sorted(given(operator, ran), key=lambda g: (g.right, g.got.size))
    every = _unless_alone(every, smooth)
    # What infinities give may differ with the order of a formula's steps, and a small mistake is lost in a narrow type.
    finite = [g for g in every if _is_finite(g)]
    tried = {len(some): some for some in (every, finite, [g for g in finite if g.call.dtype == "float32"])}
    asked = [_short_first(some) for some in tried.values()]
    asked = [(given, longer) for given, longer in asked if given and not given[0].right]
    telling = [*_that_tell_paths(finite)] or [every]
    parts = [("length", *one) for some in telling for one in _paths(some)]
    parts += [("form", *one) for one in _forms(telling[0])]
    paths = [(*_short_first(some), by, path) for by, some, path in parts]
    with np.errstate(all="ignore"):
        for short, longer in asked:
            if found := _replayed_cause(operator, short, longer, text):
                tried_on = [id(g) for g in short]
                others = [g for g in every if not g.right and id(g) not in tried_on and g.got.size <= LARGE]
                return _with_the_rest(operator, found, others)
        for short, longer, by, path in paths:
            found = _replayed_cause(operator, short, longer, text)
            told = sum(g.got.size for g in short if not g.right)  # numbers that the mistake has given
            if found and (found[1].values["apart"] >= FEW_INPUTS or told >= ENOUGH):
                said = "in-one-path" if by == "length" else "in-one-form"
                return Message(f"replay.{said}", {**found[1].values, "cause": found[1], **path})
        fp32 = [g for g in every if g.call.dtype == "float32"]
        narrow_alone = len(fp32) >= FEW_INPUTS and all(g.right for g in fp32)  # what fp32 has right is no constant
        return next(filter(None, (_common(module, g, narrow_alone) for g, _ in asked)), None)


def _that_tell_paths(finite: list[Given]) -> Iterator[list[Given]]:
    """The inputs that tell a path: of float32 or, where that is right, of the types that are not, together and each
    alone; none where all are right."""
    wrong = {g.call.dtype for g in finite if not g.right}
    kinds = {"float32"} if "float32" in wrong else wrong
    for some in dict.fromkeys((tuple(sorted(kinds)), *((kind,) for kind in sorted(kinds)))):
        if some:
            yield [g for g in finite if g.call.dtype in some]


def _paths(some: list[Given]) -> Iterator[tuple[list[Given], dict[str, object]]]:
    """Of inputs the long ones alone, or the short ones, where each that is wrong is longer than each that is right of
    the others: a launcher has taken another path there. With it the lengths that were seen to be wrong, and from where
    on, or up to where, all were seen to be right."""
    wrong = [_length(g) for g in some if not g.right]
    if not wrong:
        return
    first, last = min(wrong), max(wrong)
    below = [_length(g) for g in some if g.right and _length(g) < first]
    above = [_length(g) for g in some if g.right and _length(g) > last]
    seen = Message(f"replay.at-length{'s' if first < last else ''}", {"first": first, "last": last})
    if len(below) >= FEW_INPUTS:
        right = Message("replay.or-less", {"length": max(below)})
        yield [g for g in some if _length(g) >= first], {"wrong": seen, "right": right}
    if len(above) >= FEW_INPUTS:
        right = Message("replay.or-more", {"length": min(above)})
        yield [g for g in some if _length(g) <= last], {"wrong": seen, "right": right}


def _forms(some: list[Given]) -> Iterator[tuple[list[Given], dict[str, object]]]:
    """Of inputs those with one value of a choice, where all that are wrong have it and those with another are right;
    with it the choice and the value."""
    wrong = [g for g in some if not g.right]
    for p in CHOICES:
        chosen = {int(g.call.inputs[p]) for g in wrong if p in g.call.inputs}
        others = [g for g in some if p in g.call.inputs and int(g.call.inputs[p]) not in chosen]
        if len(chosen) == 1 and len(others) >= FEW_INPUTS:
            value = chosen.pop()
            yield [g for g in some if int(g.call.inputs[p]) == value], {"name": p, "value": value}


def _length(g: Given) -> int:
    """Of a row, or of a vector; of a matrix product, of its sums."""
    sizes = g.call.case.sizes
    return int(sizes.get("k", sizes.get("cols", sizes.get("n", 0))))


def _short_first(every: list[Given]) -> tuple[list[Given], list[Given]]:
    """The inputs that are compared, and those that are left out where shorter ones are wrong."""
    given = _unless_alone(every, _is_short)
    return given, [g for g in every if not any(g is one for one in given)]


def _is_finite(given: Given) -> bool:
    return bool(np.isfinite(given.want).all()) and all(np.isfinite(x).all() for x in given.call.inputs.values())


def _with_the_rest(operator: Operator, found: Found, wrong: list[Given]) -> Message:
    """The sentence, and on how many wrong inputs it is not, or not alone, what gives the numbers: with infinities or
    NaN, or in a narrow type."""
    key, told = found
    rest = [one for one in wrong if not any(_is_given(operator, one, k) for k in key)]
    return Message(told.key, {**told.values, "rest": len(rest)})


def _is_given(operator: Operator, one: Given, key: Hashable) -> bool:
    made = _made(operator, one.call, [key])
    return key in made and _is_of(operator, made[key], one)


def _is_of(operator: Operator, made: Mistake, one: Given) -> bool:
    return _gives(operator, made, one, step=made.step) or (bool(made.step) and _gives(operator, made, one))


def _common(module: ModuleType, given: list[Given], narrow_alone: bool = False) -> Message | None:
    """What all wrong results have in common: what the operator's module sees in each, of the first; or a factor."""
    off = sorted((g for g in given if not g.right), key=lambda g: g.call.dtype != "float32")  # it has the most digits
    off = [g for g in off if g.call.dtype == off[0].call.dtype]
    right = [g for g in given if g.right]
    wrong, others = ([(g.got, g.want, g.call.dtype) for g in some] for some in (off, right))
    found = None
    if hasattr(module, "otherwise") and not narrow_alone:
        telling = getattr(module, "telling", _wide)
        looked_at = [g for g in off if telling(g.got, g.call.inputs)]
        seen = [module.otherwise(g.got, g.want, g.call.dtype, g.call.inputs) for g in looked_at]
        found = seen[0] if len({m and m.key for m in seen}) == 1 else None
        if found and hasattr(module, "holds"):  # of all of which it says it
            true = (module.holds(found, g.got, g.want, g.call.dtype, g.call.inputs) for g in off)
            found = found if all(true) else None
    found = found or factors.of_all(wrong, others)
    return Message(found.key, {**found.values, "inputs": len(wrong), "others": len(right)}) if found else None


def _wide(got: np.ndarray, _inputs: Arrays) -> bool:
    return bool(got.shape[-1] > FEW_COLUMNS)


def mistakes(operator: Operator, call: Call) -> Iterator[Mistake]:
    """What is made on purpose of a call's inputs: the operator's own mistakes, and those of bits. An error in building
    those costs the others that were to follow it, and no more."""
    case = _replayed(operator, call)
    module = _module(operator.name)
    if module is not None:
        for every in (module.mistakes(case), bits.mistakes(operator, case)):
            yield from _built(every)


def _built(every: Iterator[Mistake]) -> Iterator[Mistake]:
    while True:
        one = None
        with left_out():
            one = next(every, None)
        if one is None:
            return
        yield one


Found = tuple[tuple[Hashable, ...], Message]
"""The keys of the mistakes that a sentence is about, and the sentence."""


def _replayed_cause(operator: Operator, given: list[Given], longer: list[Given], text: str | None) -> Found | None:
    """`longer` inputs decide where those `given` leave several mistakes: 0 is the sum of many of a short vector."""
    left: dict[Hashable, Mistake] | None = None
    sharp: Counter[Hashable] = Counter()
    sentences: list[Mistake] = []
    compared: list[Given] = []
    for one in (*given, *longer):
        if len(compared) >= len(given) and len(sentences) == 1:
            break
        compared.append(one)
        left = _narrowed(operator, one, left, sharp)
        if not left:
            return None
        if len(compared) >= len(given):
            sentences = _sentences(operator, left, sharp, compared, text)
    counted = {"inputs": len(compared), "rest": 0}
    told = [Message(f"replay.{m.cause}", {**m.values, **counted, "apart": sharp[m.key]}) for m in sentences]
    keys = tuple(m.key for m in sentences)
    beyond = next((g for g in longer if not g.right and g.got.size <= LARGE), None)
    if beyond and not any(g is beyond for g in compared) and _contradicted(operator, beyond, sentences):
        return None
    if len(told) == 2:  # the same numbers come from either
        apart = min(sharp[key] for key in keys)
        return keys, Message("replay.either", {"one": told[0], "other": told[1], **counted, "apart": apart})
    return (keys, told[0]) if len(told) == 1 else None


def _contradicted(operator: Operator, one: Given, sentences: Sequence[Mistake]) -> bool:
    """Whether this input came out wrong in another way than by any of these; not where one cannot be made of it. How
    many blocks share the work, say, depends on how much there is: whatever has one of their causes is of them."""
    causes, unmade = {m.cause for m in sentences}, {m.key for m in sentences}
    for m in mistakes(operator, one.call):
        if m.cause in causes and _is_of(operator, m, one):
            return False
        unmade.discard(m.key)
    return not unmade


def _narrowed(
    operator: Operator, one: Given, left: dict[Hashable, Mistake] | None, sharp: Counter[Hashable]
) -> dict[Hashable, Mistake]:
    """Of the mistakes that are left, None for all, those that give what the kernel gave on this input, too. Those in
    `sharp` gave the very numbers."""
    gave = _made(operator, one.call, left)
    gives = partial(_gives, operator, given=one)
    if one.right:  # a mistake that this input cannot show gives the right answer
        return {k: m for k, m in (left or {}).items() if k not in gave or gives(gave[k], step=gave[k].step)}
    found = {k: m for k, m in gave.items() if gives(m, step=m.step) or (m.step and gives(m))}
    sharp.update(k for k, m in found.items() if not m.step or gives(m))
    return found


def _made(operator: Operator, call: Call, keys: Collection[Hashable] | None) -> dict[Hashable, Mistake]:
    """The mistakes of those keys, None for all, that this call can show; looked for until all are there."""
    if keys is None:
        return {m.key: m for m in mistakes(operator, call)}
    causes, found = {key[0] for key in keys if isinstance(key, tuple)}, dict[Hashable, Mistake]()
    for m in mistakes(operator, call):
        if m.cause in causes and (key := m.key) in keys:
            found[key] = m
            if len(found) == len(keys):
                break
    return found


def _sentences(
    operator: Operator, left: dict[Hashable, Mistake], sharp: Counter[Hashable], given: list[Given], text: str | None
) -> list[Mistake]:
    """Of the mistakes that gave the numbers of all these inputs one for each sentence, but for those that others
    explain better."""
    if not any(_tells(one) for one in given):  # NaN alone comes from many things: of sums that leave something out, too
        left = {k: m for k, m in left.items() if not m.cause.startswith("sum-")}
    if text is not None and not any(_tells_by_numbers(operator, one) for one in given):
        left = {k: m for k, m in left.items() if m.cause in SPECIAL or _is_written(m.cause, text)}
    if text is not None and "triton" in text:
        left = {k: m for k, m in left.items() if not _is_of_threads(m.cause)}
    left = {k: m for k, m in left.items() if text is None or re.search(WORDS.get(m.cause, ""), text)}
    wrong = sum(not one.right for one in given)
    sentences = {(m.cause, tuple(m.values.items())): m for k, m in left.items() if sharp[k] >= SHARP * wrong}
    first = {key: m for key, m in sentences.items() if text is not None and _comes_first(m.cause, text)}
    shared = {key: m for key, m in sentences.items() if m.cause in SHARED}
    sentences = first or shared or sentences
    least = min((LAST.get(m.cause, 0) for m in sentences.values()), default=0)
    return [m for m in sentences.values() if LAST.get(m.cause, 0) == least]


def _comes_first(cause: str, text: str) -> bool:
    return cause in FIRST or (cause in WRITTEN and re.search(WRITTEN[cause], text) is not None)


def _unless_alone(given: list[Given], wanted: Callable[[np.ndarray], bool]) -> list[Given]:
    """The inputs that are wanted, if one of them is wrong; else all."""
    some = [g for g in given if all(wanted(x) for x in g.call.inputs.values())]
    return some if any(not g.right for g in some) else given


def _is_short(x: np.ndarray) -> bool:
    return x.size <= LARGE and (not x.ndim or x.shape[-1] <= LONG)


def _is_smooth(most: float, x: np.ndarray) -> bool:
    """Whether no finite element is larger than `most`, where each rounding of a kernel's would show."""
    return not np.any(np.isfinite(x) & (np.abs(x) > most))


@cache
def _module(name: str) -> ModuleType | None:
    return import_module(f"{__name__}.{name}") if find_spec(f"{__name__}.{name}") else None


def given(operator: Operator, ran: Sequence[tuple[Call, CallOutcome]]) -> list[Given]:
    """The inputs on which the kernel came to its end and wrote its whole output and nothing else."""
    (output,) = operator.outputs()
    found = []
    for call, outcome in ran:
        report = outcome.report
        if report is None or report.status or not math.prod(call.case.sizes.values()):
            continue
        errors = {f.code for f in report.findings if f.severity == "error"}
        if errors and (not errors <= {*UNDEFINED} or depends(operator, call, outcome)):
            continue
        fault = buffers.judge(operator, call, outcome.after)
        if fault and fault.kind not in ("values", "nan", "row-sum"):
            continue
        got = buffers.content(call, output, outcome.after[output.name])
        found.append(Given(call, got, call.expected[output.name], fault is None))
    return found


def _replayed(operator: Operator, call: Call) -> Replayed:
    case = call.case
    memory, strides = {}, {}
    for p in operator.parameters:
        if p.row_stride is None:
            continue
        strides[p.name] = buffers.row_stride(case, p)
        if p.role == "in":
            (buffer,) = (a for a in call.args if isinstance(a, Buffer) and a.name == p.name)
            whole = buffer.memory[buffer.offset : buffer.offset + buffer.extent]
            memory[p.name] = whole.view(DTYPES[call.dtype]).astype(np.float64)
    built = [int(d.removeprefix(BLOCK)) for d in case.defines if d.startswith(BLOCK)]
    begins = {p.name: case.shift + case.apart.get(p.name, 0) for p in operator.parameters if p.shape}
    return Replayed(call.inputs, memory, strides, call.dtype, built[0] if built else None, begins)


def _tells(given: Given) -> bool:
    """Whether a wrong result has numbers beside its NaN, in a row that is wrong."""
    if given.right:
        return False
    rows = np.atleast_2d(given.got)
    wrong = (np.isnan(rows) != np.isnan(np.atleast_2d(given.want))).any(axis=1)
    return bool((~np.isnan(rows[wrong])).any()) if wrong.any() else True


MOST_SLACK = 0.05


def _where_it_tells(
    made: np.ndarray, got: np.ndarray, want: np.ndarray, slack: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What the kernel gave, and the right answer; where the order of a sum changes an element beyond recognition, both
    are what was made, and what it changes a little was given as made."""
    slack = np.broadcast_to(np.nan_to_num(slack, nan=np.inf), made.shape)
    kept = (slack <= MOST_SLACK) | ~np.isfinite(want)
    near = kept & (np.abs(made - got) <= slack * np.abs(made))
    return np.where(kept & ~near, got, made), np.where(kept, want, made)


def _tells_by_numbers(operator: Operator, given: Given) -> bool:
    """Whether a result is wrong by a number: one that differs from another, that is neither 0 nor what stands where NaN
    or an infinity must be, or in whose place NaN or an infinity stands though the input holds neither."""
    got, want = given.got, given.want
    if given.right:
        return False
    finite = np.isfinite(got) & np.isfinite(want)
    off = operator.compare(np.where(finite, got, want), want, given.call.dtype, given.call.inputs) is not None
    overflows = all(np.isfinite(x).all() for x in given.call.inputs.values()) and (np.isfinite(want) & ~finite).any()
    return bool(off or overflows or (np.isfinite(got) & ~np.isfinite(want) & (got != 0)).any())


def _is_written(cause: str, text: str) -> bool:
    return cause in OTHERWISE and bool(OTHERWISE[cause](code(text, ".py" if "import triton" in text else ".cu")))


@cache
def _is_of_threads(cause: str) -> bool:
    return cause not in IN_PROGRAMS and bool(_OF_THREADS.search(area("replay")[cause]["en"]))


def _gives(operator: Operator, mistake: Mistake, given: Given, step: float = 0.0) -> bool:
    """Whether the mistake makes what the kernel gave: everywhere, and clearly rather than the right answer.
    With `step`: as near as a rounding that fell to the other side."""
    try:
        made = np.asarray(mistake.make()).astype(DTYPES[given.call.dtype]).astype(np.float64)
    except Exception as error:  # a cause that cannot be tried is none; the file is graded, and the others are tried
        leave(error)
        return False
    got, want = given.got, given.want
    if mistake.slack is not None and made.shape == got.shape:
        got, want = _where_it_tells(made, got, want, mistake.slack())
    if made.shape != got.shape or not np.array_equal(np.isnan(made), np.isnan(got)):
        return False
    finite = np.isfinite(made) & np.isfinite(got)
    if not np.array_equal(made[~finite], got[~finite], equal_nan=True):
        return False
    off, size = np.abs(made - got)[finite], np.abs(made[finite])
    if step:
        return bool((off <= step * size + 1e-7 * size.max(initial=0.0)).all())
    near = NEAR[given.call.dtype] * (size + 1e-4 * size.max(initial=0.0))  # far below the others all is rounding
    far = off > near
    if far.sum() > FEW * far.size or (off > 100 * near).any():
        # As far off as a right kernel may be, had the mistake's numbers been asked for: where sums nearly cancel.
        if operator.compare(got, made, given.call.dtype, given.call.inputs):
            return False
        far = np.zeros_like(far)
    if given.right or not np.array_equal(np.isfinite(want), np.isfinite(got)):
        return True
    missed, right = np.abs(want - got)[finite], np.abs(want)[finite]
    relative = np.where(missed > 0, missed / np.maximum(right, np.finfo(np.float32).tiny), 0)
    worst = (relative >= relative.max(initial=0.0) / 2) & ~far
    if worst.any() and (off <= BETTER * missed)[worst].all():
        return True
    worst = missed >= missed.max(initial=0.0) / 2  # a relative error may be a rounding's, of what is nearly 0
    near_enough = not operator.compare(got, made, given.call.dtype, given.call.inputs)
    return near_enough and bool((off <= 2 * BETTER * missed)[worst].all())

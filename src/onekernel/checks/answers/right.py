"""The right answers, by name: of the roofline challenge, computed from the ledger and the table of cards, and of what
was recorded for lab 05, traces and what torch.compile wrote."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from onekernel.bench.cards import Card, card_named, cards
from onekernel.course import find_root
from onekernel.ops import OPERATORS
from onekernel.units import parse

if TYPE_CHECKING:  # a lab.toml is read by the names alone: nothing of a recording is loaded before it is judged
    from onekernel.explain.inductor import Kernel
    from onekernel.explain.shares import Explained

N = 2**24
ITEMSIZE = 2  # fp16
REFERENCE_CARD = "H100 SXM"


@dataclass(frozen=True)
class Right:
    """The right answer: a quantity within a relative tolerance, a word, or a set of lines of a file."""

    value: float | str | frozenset[int]
    unit: str = ""
    within: float = 0.02
    among: tuple[str, ...] = ()  # of a word: those that may be answered


class UnknownCard(KeyError):
    """A card that the course does not know."""

    def __str__(self) -> str:
        return str(self.args[0])


def _card(given: Mapping[str, str]) -> Card:
    name = given.get("CARD", "").strip()
    card = card_named(name)
    if card is None:
        raise UnknownCard(name or "-")
    return card


def _given(given: Mapping[str, str], name: str) -> float:
    return parse(given.get(name, "")).value


_LEDGER = OPERATORS["vector_add"].ledger({"n": N}, ITEMSIZE)
_H100 = cards()[REFERENCE_CARD]
Rule = Callable[[Mapping[str, str]], Right]  # the right answer from all the answers of a file

RIGHT: dict[str, Rule] = {
    "FLOPS": lambda g: Right(_LEDGER.flops, "FLOP"),
    "BYTES": lambda g: Right(_LEDGER.bytes, "B"),
    "INTENSITY": lambda g: Right(_LEDGER.intensity, "FLOP/byte"),
    "RIDGE": lambda g: Right(_H100.fp16 / _H100.bandwidth, "FLOP/byte"),
    "BINDS": lambda g: _bound_of_vector_add(_H100),
    "LOWEST_TIME": lambda g: Right(_LEDGER.bytes / _H100.bandwidth, "s"),
    "ATTAINABLE": lambda g: Right(_LEDGER.intensity * _H100.bandwidth, "FLOP/s"),
    "TENSOR_CORES_HELP": lambda g: Right("no", among=("yes", "no")),
    "FLOPS_TO_BALANCE": lambda g: Right(_H100.fp16 / _H100.bandwidth * _LEDGER.bytes / N, "FLOP"),
    "CARD": lambda g: Right(g["CARD"].strip().lower() if _card(g) else ""),
    "CARD_BANDWIDTH": lambda g: Right(_card(g).bandwidth, "B/s", 0.10),
    "CARD_PEAK": lambda g: Right(_card(g).fp16, "FLOP/s", 0.10),
    "CARD_RIDGE": lambda g: Right(_given(g, "CARD_PEAK") / (_given(g, "CARD_BANDWIDTH") or 1), "FLOP/byte"),
    "CARD_BINDS": lambda g: _bound_of_vector_add(_card(g)),
    "CARD_LOWEST_TIME": lambda g: Right(_LEDGER.bytes / (_given(g, "CARD_BANDWIDTH") or 1), "s"),
}


def _bound_of_vector_add(card: Card) -> Right:
    memory_binds = _LEDGER.intensity < card.fp16 / card.bandwidth
    return Right("memory" if memory_binds else "compute", among=("memory", "compute"))


LAB = "05-fusion"
LOAD, STORE, REDUCTION, LOOP = "load", "store", "reduction", "loop"  # kinds of lines (explain.inductor)
# Of which traces it is asked which of the five binds.
BINDING = ("gemm", "elementwise", "small_kernels", "loader", "cdist_25", "cdist_4096_direct")
WAYS = ("online", "three_pass")  # in which torch.compile wrote a softmax


@cache
def trace(name: str) -> Explained:
    """A recorded trace of the lab. Raises UserError where it cannot be read."""
    from onekernel.explain import chrome
    from onekernel.explain.shares import Explained

    return Explained(chrome.read(find_root() / "labs" / LAB / "traces" / f"{name}.json.gz"))


@cache
def written(name: str) -> tuple[Kernel, ...]:
    """The kernels that torch.compile wrote for a function of the lab."""
    from onekernel.explain.inductor import kernels

    return tuple(kernels((find_root() / "labs" / LAB / "compiled" / f"{name}.py").read_text(encoding="utf-8")))


@cache
def measured(name: str) -> dict[str, Any]:
    """What was measured of the same function: kernels and seconds, compiled and eager."""
    text = (find_root() / "labs" / LAB / "compiled" / "recorded.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)["functions"][name]
    return found


def _kernels(name: str) -> list[str]:
    """The names of the kernels of a trace, in order."""
    from onekernel.explain import facts

    return [k.name for k in facts.kernels(trace(name))]


def _ragged() -> float:
    """How many times as long the product with a row stride that is no multiple of 16 bytes takes: the last kernel of
    the seven shapes, and the one before it."""
    from onekernel.explain import facts

    *_, aligned, ragged = facts.kernels(trace("matmul_shapes"))
    return ragged.duration / aligned.duration


def _waits(name: str) -> int:
    from onekernel.explain import facts

    return sum(w.count for w in facts.waits(trace(name)))


def _product(name: str) -> float:
    from onekernel.explain import facts

    return facts.product_share(trace(name))


def _slower(one: str, other: str) -> float:
    """How many times as long a step of one takes as a step of the other."""
    return trace(one).microseconds / trace(other).microseconds


def _busy(name: str) -> float:
    return sum(e - s for s, e in trace(name).busy) / trace(name).microseconds


def _lines(name: str, kind: str, kernel: int = 0) -> Right:
    return Right(frozenset(written(name)[kernel].lines[kind]))


def _bytes(name: str, itemsize: int = 4) -> Right:
    """What the threads of a function of one kernel ask for: each load and store of a whole tensor."""
    (kernel,) = written(name)
    accesses = len(kernel.lines[LOAD]) + len(kernel.lines[STORE])
    return Right(float(accesses * kernel.elements * itemsize), "B")


def _binds(name: str) -> Rule:
    def right(given: Mapping[str, str]) -> Right:
        from onekernel.explain.shares import BOTTLENECKS

        return Right(trace(name).binds, among=BOTTLENECKS)

    return right


def _number(value: float) -> Right:
    return Right(float(value))


# Predicted before the traces are looked at; `within` is how far off still counts in full.
FORECASTS: dict[str, Rule] = {
    "KERNELS_25": lambda g: _number(len(_kernels("cdist_25"))),
    "KERNELS_26": lambda g: Right(float(len(_kernels("cdist_26"))), within=0.25),
    "PRODUCT_GAIN": lambda g: Right(_slower("cdist_4096_direct", "cdist_4096"), within=0.5),
    "MATMUL_KERNELS": lambda g: Right(float(len(set(_kernels("matmul_shapes")))), within=0.2),
    "RAGGED_COST": lambda g: Right(_ragged(), within=0.5),
    "ITEM_COST": lambda g: Right(_slower("item", "no_item"), within=0.2),
    "BUSY_SMALL": lambda g: Right(_busy("small_kernels"), within=0.5),
    "GRAPH_GAIN": lambda g: Right(_slower("small_kernels", "small_kernels_graph"), within=0.5),
    "GELU_KERNELS": lambda g: _number(len(_kernels("gelu_unfused"))),
    "GELU_GAIN": lambda g: Right(measured("gelu")["eager_seconds"] / measured("gelu")["seconds"], within=0.25),
}

# Answered with the recordings in front of one.
RECORDED: dict[str, Rule] = {
    **{f"BINDS_{name.upper()}": _binds(name) for name in BINDING},
    "ITEM_WAITS": lambda g: _number(_waits("item")),
    "NO_ITEM_WAITS": lambda g: _number(_waits("no_item")),
    "CDIST_PRODUCT": lambda g: Right(_product("cdist_4096"), within=0.1),
    "GEMM_OF_ROOF": lambda g: Right(trace("gemm").of_roof("compute"), within=0.05),
    "GELU_LOADS": lambda g: _lines("gelu", LOAD),
    "GELU_STORES": lambda g: _lines("gelu", STORE),
    "GELU_BYTES": lambda g: _bytes("gelu"),
    "COS_TWO_KERNELS": lambda g: _number(len(written("cos_two"))),
    "COS_BOTH_STORES": lambda g: _lines("cos_both", STORE),
    "COS_BOTH_BYTES": lambda g: _bytes("cos_both"),
    "TILE_LOADS": lambda g: _lines("softmax_tile", LOAD),
    "TILE_REDUCTIONS": lambda g: _lines("softmax_tile", REDUCTION),
    "TILE_BLOCK": lambda g: _number(written("softmax_tile")[0].constants["R0_BLOCK"]),
    "TILE_IDLE": lambda g: _number(_idle(written("softmax_tile")[0])),
    "TILE_MASK": lambda g: Right(frozenset(_real_masks(written("softmax_tile")[0]))),
    "ONLINE_LOADS": lambda g: _lines("softmax_online", LOAD),
    "ONLINE_LOOPS": lambda g: _lines("softmax_online", LOOP),
    "ONLINE_REDUCTIONS": lambda g: _lines("softmax_online", REDUCTION),
    "ONLINE_BYTES": lambda g: _bytes("softmax_online"),
    "THREE_PASS_BYTES": lambda g: _bytes("softmax_three_pass"),
    "FASTER": lambda g: Right(min(WAYS, key=lambda n: measured(f"softmax_{n}")["seconds"]), among=WAYS),
    "SPLIT_KERNELS": lambda g: _number(len(written("softmax_split"))),
    "SPLIT_PARTS": lambda g: _number(written("softmax_split")[1].constants["r0_numel"]),
    "SPLIT_READS": lambda g: _number(_reads_of_the_input()),
    "HINT": lambda g: Right("b"),
    "MUL_LOAD": lambda g: Right(frozenset(n for n, p in written("softmax_mul")[0].pointers(LOAD) if p == "in_ptr1")),
    "MUL_BYTES": lambda g: _bytes("softmax_mul"),
    "PRODUCT_KERNELS": lambda g: _number(len(measured("matmul_relu")["kernels"])),
    "PRODUCT_WHY": lambda g: Right("c"),
    "GRAPHS": lambda g: _number(DYNAMO["graphs"]),
    "BREAKS": lambda g: _number(DYNAMO["breaks"]),
    "COMPILED": lambda g: _number(DYNAMO["compiled"]),
    "DYNAMIC": lambda g: Right(DYNAMO["dynamic"]),
}  # fmt: skip

# Of programs/graph_breaks.py (`halves`) and programs/recompiles.py (CALLS); a test counts them again.
DYNAMO: dict[str, Any] = {"graphs": 3, "breaks": 2, "compiled": 4, "dynamic": "another length"}


def _idle(kernel: Kernel) -> int:
    """Lanes of a tile's row that hold no element."""
    return kernel.constants["R0_BLOCK"] - kernel.constants["r0_numel"]


def _real_masks(kernel: Kernel) -> list[int]:
    """The lines that make a mask which is not always true."""
    return [line for line in kernel.lines["mask"] if not kernel.always_true(line)]


def _reads_of_the_input() -> int:
    """How many of the split softmax's kernels read the whole input."""
    whole = max(k.elements for k in written("softmax_split"))
    return sum(k.elements == whole for k in written("softmax_split"))


def rule(name: str) -> Rule:
    """What gives the right answer from all the answers of a file. Raises KeyError for a name that nothing has."""
    return RECORDED[name] if name in RECORDED else RIGHT[name]


def names() -> list[str]:
    return [*RIGHT, *RECORDED]

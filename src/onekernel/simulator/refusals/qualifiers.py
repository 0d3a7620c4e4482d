"""Words of CUDA's, and others, in the head of a declaration that nvcc refuses there, as the text alone shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from onekernel.simulator.facts.functions import KERNEL, MEMORY, Declarations, Function, qualifiers_in
from onekernel.simulator.facts.tokens import Token, closing, next_solid, one_line

_MEMORIES = frozenset(("__shared__", "__constant__", "__managed__"))
_BOUNDS = frozenset(("__launch_bounds__", "__maxnreg__", "__cluster_dims__"))


@dataclass(frozen=True)
class Misplaced:
    """`key` is a message of language.toml; `values` are what its sentence names."""

    key: str
    line: int
    values: dict[str, object] = field(default_factory=dict)


def heads(
    tokens: list[Token], declared: Declarations, defined: Mapping[str, frozenset[str]]
) -> Iterator[Misplaced]:
    """What is wrong with the heads of functions, of classes' data, of arrays. `defined` is as of `macros.macros`."""
    yield from _kernels(tokens, declared)
    yield from _bounds(tokens, declared)
    yield from _members(declared, defined)
    yield from _alignments(tokens)
    yield from _memories(tokens)
    yield from _grid_constants(tokens, declared)


def _takes_anything(tokens: list[Token], f: Function) -> bool:
    """Whether `...` ends the parameters; of a template's pack a name follows."""
    return one_line([t for piece in f.parameters(tokens)[-1:] for t in piece]).endswith("...")


def _kernels(tokens: list[Token], declared: Declarations) -> Iterator[Misplaced]:
    for f in declared.functions:
        if f.side != KERNEL:
            continue
        values: dict[str, object] = {"name": f.name}
        if f.member:
            yield Misplaced("kernel-member", f.line, values)
        if _takes_anything(tokens, f):
            yield Misplaced("kernel-ellipsis", f.line, values)
        if "__device__" in f.head or "__host__" in f.head:
            yield Misplaced("kernel-two-sides", f.line, values)
        known = {"static", "inline", "extern", '"C"', "__global__", "const", "unsigned", "signed", "long", "*", "&"}
        words = [w for w in f.head if w[:1].isalpha() or w[:1] in "_*&"]
        types = [w for w in words if w not in known and not w.startswith("__")]
        if "void" not in types and types in ([], ["float"], ["int"], ["double"], ["bool"], ["size_t"], ["cudaError_t"],
                                             ["int64_t"], ["half"], ["char"], ["short"], ["auto"]):  # fmt: skip
            kind = " ".join(w for w in words if not w.startswith("__") and w not in ("static", "inline")) or "int"
            yield Misplaced("kernel-returns", f.line, {**values, "type": kind})
        elif "void" in types and ("*" in f.head or "&" in f.head):
            yield Misplaced("kernel-returns", f.line, {**values, "type": "void*"})


def _bounds(tokens: list[Token], declared: Declarations) -> Iterator[Misplaced]:
    """Limits of a kernel's threads and registers, which stand before its name; two of them exclude each other."""
    for f in declared.functions:
        close = closing(tokens, f.bracket(tokens))
        behind = {t.text for t in tokens[close : f.body or close]} & _BOUNDS
        words = _BOUNDS.intersection(f.head)
        if behind or (words and f.side != KERNEL):
            yield Misplaced("bounds-misplaced", f.line, {"name": f.name, "bounds": min(behind or words)})
        elif {"__launch_bounds__", "__maxnreg__"} <= words:
            yield Misplaced("bounds-twice", f.line, {"name": f.name})


def _members(declared: Declarations, defined: Mapping[str, frozenset[str]]) -> Iterator[Misplaced]:
    """Data of classes that names a memory of its own: an object lies where it is declared."""
    for member in declared.members:
        memory = qualifiers_in(member.words, defined) & MEMORY if "static" in member.words else frozenset()
        words = [w for w in member.words if w in ("__shared__", "__managed__")]
        if memory or words:
            yield Misplaced("memory-member", member.line, {"name": member.name, "memory": [*memory, *words][0]})


def _alignments(tokens: list[Token]) -> Iterator[Misplaced]:
    """`extern __shared__ alignas(16) T s[]`: between `extern` and the type nvcc takes __align__ alone."""
    for i, token in enumerate(tokens):
        if token.kind == "name" and token.text == "extern":
            at = next_solid(tokens, i + 1)
            shared = at
            while at < len(tokens) and tokens[at].text == "__shared__":
                at = next_solid(tokens, at + 1)
            if at < len(tokens) and tokens[at].text == "alignas":
                after = next_solid(tokens, closing(tokens, next_solid(tokens, at + 1)) + 1)
                if at > shared or tokens[after].text == "__shared__":
                    yield Misplaced("alignas-late", tokens[at].line)


def _memories(tokens: list[Token]) -> Iterator[Misplaced]:
    """A variable in two memories at once; `__device__` besides one of them says nothing more."""
    last = ""
    for token in tokens:
        if token.kind in ("space", "directive"):
            continue
        if token.text in _MEMORIES and last and token.text != last:
            yield Misplaced("memory-twice", token.line, {"name": last, "other": token.text})
        if token.text in _MEMORIES or token.text not in ("__device__", "static", "const", "extern", "volatile"):
            last = token.text if token.text in _MEMORIES else ""


def _grid_constants(tokens: list[Token], declared: Declarations) -> Iterator[Misplaced]:
    """Parameters of kernels with `__grid_constant__`, which must be const."""
    for f in (f for f in declared.functions if f.side == KERNEL):
        for piece in f.parameters(tokens):
            marked = next((t for t in piece if t.text == "__grid_constant__"), None)
            if marked and not any(t.text == "const" for t in piece):
                yield Misplaced("grid-constant", marked.line, {"name": f.name})

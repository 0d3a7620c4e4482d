"""What NVIDIA's compiler may make of the accesses of a file, which are counted as they are written.

The runtime tells what the addresses allow; what the compiler may know of loops and of pointers is in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from onekernel.simulator.doubts.narrowing import narrowed_of
from onekernel.simulator.doubts.uses import Lines
from onekernel.simulator.doubts.waiting import Early, Loop, loops_of, sunk_of
from onekernel.simulator.facts import Facts, facts_at
from onekernel.simulator.facts.functions import KERNEL
from onekernel.simulator.facts.tokens import closing

# A fourth of an access's requests that fall together by chance, as at the last step of a tree, say nothing. By chance
# no lanes go apart: how many of them a compiler has meet before an access may be all in which two compilers differ.
_RARE = 4
_RARELY_APART = 16
_WIDE = 4  # bytes of a lane's access: of fewer no part is loaded
_NEARLY_ALL = 15 / 16  # of the warps and lanes that load: the others, at the end of a tensor, say nothing
Place = tuple[str, int]  # file and line
Accesses = Sequence[tuple[Place | None, Mapping[str, Any]]]  # of one launch
_PROMISE = re.compile(r"\b(?:__restrict(?:__)?|restrict|__ldg)\b")
_TOLD = ("merges", "repeats", "walked_again", "unchanged", "unchanged_walked_again", "apart")  # counters/requests.h


@dataclass(frozen=True)
class Promises:
    """Where a file promises that nothing changes what a kernel loads: in that kernel, or for any of them, as in a
    macro, a type or a function that all may use. `kernels`: first and last line of each, and whether a promise stands
    there; `elsewhere`: whether one does not."""

    kernels: list[tuple[int, int, bool]]
    elsewhere: bool

    def at(self, line: int) -> list[bool]:
        """Of the kernels on that line; a line outside of kernels has none."""
        return [promised for first, last, promised in self.kernels if first <= line <= last]


def promises_of(facts: Facts) -> Promises:
    code, kernels, inside = facts.code, [], set[int]()
    promising = {i for i, token in enumerate(code) if _PROMISE.fullmatch(token.text)}
    for f in (f for f in facts.declared.functions if f.side == KERNEL):
        last = min(closing(code, f.bracket(code) if f.body is None else f.body), len(code) - 1)
        mine = promising & {*range(f.begin, last + 1)}
        inside |= mine
        kernels.append((f.line, code[last].line, bool(mine)))
    macros = any(t.kind == "directive" and _PROMISE.search(t.text) for t in facts.tokens)
    return Promises(kernels, macros or promising > inside)


@dataclass(frozen=True)
class Doubts:
    """Of the requests of one program's kernels, which `files` are made of."""

    files: Mapping[str, Facts]

    def of(self, access: Mapping[str, Any], place: Place | None) -> set[str]:
        """What the compiler may do to an access at that place: "merges", "repeats" or "apart"."""
        if not any(access["doubts"]):
            return set()
        counted = dict(zip(_TOLD, access["doubts"], strict=True))
        told = {
            name
            for name, count in counted.items()
            if count * (_RARELY_APART if name == "apart" else _RARE) > access["requests"]
        }
        out = told & {"merges", "repeats", "apart"}
        # In one turn of every warp's: the first or the last of a loop that is unrolled.
        once = max(1, access["warps"] * _NEARLY_ALL)
        of_all = {name for name in ("repeats", "walked_again") if counted[name] >= once}
        again = (told | of_all) & {"repeats", "walked_again", "unchanged_walked_again"}
        again = {"walked_again" if name == "repeats" else name for name in again}
        again = again if again and self._may_be_unrolled(place) else set[str]()
        if "walked_again" in again or (self._promised(place) and (again or "unchanged" in told)):
            out.add("repeats")
        return out

    def may_wait(self, access: Mapping[str, Any], place: Place | None, all_: Accesses) -> bool:
        """Whether the compiler may make a load only where a branch or a loop uses it, which not all its lanes come to:
        by what they do there, of all accesses of the launch."""
        file, line = place or ("", 0)
        if access["write"] or access["atomic"]:
            return False
        for early in self._early.get(file, ()):
            if not early.lines[0] <= line <= early.lines[1]:
                continue
            come = {key: _come(all_, file, early.used, key) for key in ("warps", "operations")}
            if early.blind or any(come[key] < access[key] * _NEARLY_ALL for key in come):
                return True
        return False

    def may_be_narrowed(self, access: Mapping[str, Any], place: Place | None) -> bool:
        """Whether the compiler may load a part of what a load of global memory asks for."""
        file, line = place or ("", 0)
        if access["write"] or access["atomic"] or access["shared"] or access["bytes"] < access["operations"] * _WIDE:
            return False
        return any(first <= line <= last for first, last in self._narrowed.get(file, ()))

    def _promised(self, place: Place | None) -> bool:
        """Whether it may be known of the loads on a line that nothing changes what they load."""
        file, line = place or ("", 0)
        if file in self._promises and (kernels := self._promises[file].at(line)):
            return any(kernels) or any(p.elsewhere for p in self._promises.values())
        return any(p.elsewhere or any(one for *_, one in p.kernels) for p in self._promises.values())

    @cached_property
    def _promises(self) -> dict[str, Promises]:
        return {file: promises_of(facts) for file, facts in self.files.items()}

    @cached_property
    def _early(self) -> dict[str, Sequence[Early]]:
        return {file: sunk_of(facts) for file, facts in self.files.items()}

    @cached_property
    def _narrowed(self) -> dict[str, Sequence[Lines]]:
        return {file: narrowed_of(facts) for file, facts in self.files.items()}

    @cached_property
    def _loops(self) -> dict[str, Sequence[Loop]]:
        return {file: loops_of(facts) for file, facts in self.files.items()}

    def _may_be_unrolled(self, place: Place | None) -> bool:
        """Whether the innermost loop around a line may have a length that the compiler knows; of several that stand in
        one line, whether any may."""
        file, line = place or ("", 0)
        around = [loop for loop in self._loops.get(file, ()) if loop.first <= line <= loop.last]
        return not around or not min(around, key=lambda loop: (loop.last - loop.first, loop.unknown)).unknown


def _come(accesses: Accesses, file: str, lines: tuple[int, int], key: str) -> int:
    """How many warps or lanes come to these lines, by what they do there. A single line may hold its condition, too."""
    first, last = lines
    some = [access[key] for place, access in accesses if place and place[0] == file and first <= place[1] <= last]
    return (min if first == last else max)(some, default=0)


def doubts_in(files: Iterable[Path]) -> Doubts:
    """Of a program that was made of these files."""
    return Doubts({str(path): facts_at(path) for path in files if path.is_file()})

"""The C++ compiler that builds simulated programs, and the flags it is given."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from onekernel.backends.base import Unavailable
from onekernel.messages import Message
from onekernel.simulator.arch import ARCHITECTURES, DEFAULT, FEATURES
from onekernel.simulator.compilation.warnings import FLAGS as WARNINGS
from onekernel.simulator.paths import INCLUDE

# In this order: g++ takes -gdwarf-4 alone for -g2. Ubuntu's g++ and others harden by themselves: their headers would
# define memcpy, which is ours here, and a stack that is overrun or full would be noticed on another line.
COMMON = (
    "-std=gnu++17", "-fPIC", "-gdwarf-4", "-g1", "-U_FORTIFY_SOURCE", "-fno-stack-protector",
    "-fno-stack-clash-protection",
)  # fmt: skip
# Without interposition, what is called may be inlined although it is exported.
# A function that must return a value and ends without one is told when that happens.
_USER = (
    *WARNINGS, "-fno-strict-aliasing", "-fno-omit-frame-pointer", "-fno-semantic-interposition", "-fsanitize=return",
    "-fno-builtin-printf",  # ours, which says who prints
)  # fmt: skip
# Hooks: -fsanitize=thread puts a call before each access. Splitting a float4 load in four (SRA), sibling calls, and two
# ways from one test to a later one of the same condition, each with what stands between them, barriers and accesses too
# (jump threading), would make counts and lines differ from what the source says, and from nvcc's.
# clang would also make one access of those that two branches share.
_CLANG = (
    "-tsan-instrument-func-entry-exit=0", "-tsan-distinguish-volatile=1", "-tsan-instrument-read-before-write=1",
    "-simplifycfg-hoist-common=false", "-simplifycfg-sink-common=false",
    "-simplifycfg-max-small-block-size=0",  # no two ways
    "-disable-block-placement",  # lanes that part are joined by the order of the code: the source's
)  # fmt: skip
# What tells of the host's functions (rewrite/sides.py). clang's other warnings are in words that nobody reads here.
_TOLD = {"g++": ("-Wdeprecated-declarations", "-Wvla", "-Wno-attributes", "-Wno-narrowing"),
         "clang++": ("-Wno-everything", "-Wdeprecated-declarations", "-Wvla")}  # fmt: skip
# Where variables are is asked by nobody: without it g++ takes two thirds of the time for the same code and lines.
_LINES = {"g++": ("-fno-var-tracking", "-fno-var-tracking-assignments"), "clang++": ()}
# Without it g++ makes what is static in a template one for the whole process, also for another program's template.
NOT_UNIQUE = {"g++": ("-fno-gnu-unique",), "clang++": ()}
# clang++ would multiply several turns' products at once, and add them unfused.
_FAST = {"g++": ("-O2",), "clang++": ("-O2", "-fno-slp-vectorize")}
# g++ 14 leaves the products of a loop's sum unfused, which some processors do sooner.
_SUMS = {"g++": ("--param=avoid-fma-max-bits=0",), "clang++": ()}
# What g++ polishes after the hooks are in place moves no access and no line, and costs a seventh of the time. But
# -fsplit-wide-types stays: without it a sum that is never initialised began in a register that mostly held 0.
AFTER_HOOKS = (
    "-fno-forward-propagate", "-fno-dse", "-fno-if-conversion", "-fno-if-conversion2", "-fno-cprop-registers",
    "-fno-combine-stack-adjustments", "-fno-compare-elim", "-fno-move-loop-invariants", "-fno-shrink-wrap",
)  # fmt: skip
_HOOKS = {
    "g++": (
        "-O1", "-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0", "--param=tsan-distinguish-volatile=1",
        "-fno-tree-sra", "-fno-reorder-blocks", "-fno-optimize-sibling-calls", "-fsanitize=signed-integer-overflow",
        "--param=max-jump-thread-duplication-stmts=0",
        "-fexpensive-optimizations",  # or products are fused in mode fast alone
        "-falign-labels=32",  # or what a loop without a hook takes depends on where it happens to lie, by a fourth
        # A load before `if (i < n)` stays where it stands, or it would never be out of bounds. Below the odds that g++
        # gives `t == 0`: such loads sink, as with nvcc, whose counts of dot_product are so met.
        "--param=sink-frequency-threshold=46",
        "-fdata-sections",  # fences.py
        *AFTER_HOOKS,
    ),
    "clang++": (
        "-O1", "-fsanitize=thread", "-fno-optimize-sibling-calls", "-fsanitize=signed-integer-overflow",
        "-fdata-sections",  # fences.py
        "-fno-math-errno",  # as on the card: or what stands behind expf is loaded once more
        *(part for option in _CLANG for part in ("-mllvm", option)),
    ),
}  # fmt: skip

# An index is compared with the extent of its array, where no loop proves it (rewrite/accesses.py): in what is graded,
# and in programs in mode check alone: other modes would take up to 1.8 times as long where little is proven.
EXTENTS = {"g++": ("-fsanitize=bounds",), "clang++": ("-fsanitize=array-bounds",)}


# Older ones lack options of -fsanitize=thread.
_OLDEST = {"g++": 11, "clang++": 14}
_NAMES = ("g++", "clang++", *(f"{name}-{n}" for name, oldest in _OLDEST.items() for n in range(30, oldest - 1, -1)))


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler: `family` is g++ or clang++, `version` its own first line."""

    path: str
    family: str
    version: str


def compiler(wanted: str | None = None) -> Compiler:
    """The compiler to use: `wanted`, else ONEKERNEL_CXX, else g++, else clang++, else one with its number in its name.

    Raises Unavailable without one that is new enough.
    """
    wanted = wanted or os.environ.get("ONEKERNEL_CXX")
    why = Message("simulator.no-compiler", {"name": wanted or "g++"})
    for name in (wanted,) if wanted else _NAMES:
        found = _found(name)
        if isinstance(found, Compiler):
            return found
        why = found or why
    raise Unavailable(why)


def compilers() -> list[Compiler]:
    """Those on the path that are new enough, in the order in which one is looked for, each version once."""
    here: dict[str, Compiler] = {}
    for name in _NAMES:
        if isinstance(found := _found(name), Compiler):
            here.setdefault(found.version, found)
    return [*here.values()]


def _found(name: str) -> Compiler | Message | None:
    """The compiler of this name or path; why it will not do; None where there is none."""
    path = shutil.which(name)
    if path is None:
        return None
    version = _version(path)
    family = "clang++" if "clang" in version else "g++"
    number = re.search(r"^\S*[cg]\+\+\S* \(.*?\) (\d+)\.|clang version (\d+)\.", version)
    if number and int(number[1] or number[2]) < _OLDEST[family]:
        oldest = {"gcc": _OLDEST["g++"], "clang": _OLDEST["clang++"]}
        return Message("simulator.old-compiler", {"version": f"{version} ({path})", **oldest})
    # g++ begins with the name that it was called by: g++, g++-12 and one with the machine in its
    # name may be one, and share their builds.
    return Compiler(path, family, re.sub(r"^\S*g\+\+\S*", "g++", version))


@cache
def _version(path: str) -> str:
    return subprocess.run([path, "--version"], capture_output=True, text=True).stdout.partition("\n")[0]


def card(arch: str) -> tuple[str, ...]:
    """What tells the runtime and its headers which card to model."""
    own = (f"-D{FEATURES[arch]}",) if arch in FEATURES else ()
    return (f"-DOK_ARCH={ARCHITECTURES[arch]}", *own)


@cache
def fused() -> tuple[str, ...]:
    """What makes a * b + c one rounding, as nvcc does, on processors that can: x86-64 with FMA3, aarch64."""
    if platform.machine() == "aarch64":
        return ("-ffp-contract=fast",)
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ()
    found = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    return ("-mfma", "-ffp-contract=fast") if found and "fma" in found[1].split() else ()


@cache
def linker() -> tuple[str, ...]:
    """What has a program linked by gold where it is installed: a third of the time of ld, which walks through all the
    names of the C++ library again and again. Not on other processors, where few use it. Code has a segment of its own,
    as with ld: races keep where an access stands as a distance from that segment's begin (checks/shadow.h)."""
    here = platform.machine() == "x86_64" and shutil.which("ld.gold")
    return ("-fuse-ld=gold", "-Wl,--rosegment") if here else ()


def flags(mode: str, with_compiler: Compiler, arch: str = DEFAULT) -> tuple[str, ...]:
    """What a learner's file is compiled with in `mode`: fast, or one of those with hooks, which share a build."""
    how = _FAST[with_compiler.family] if mode == "fast" else _HOOKS[with_compiler.family]
    headers = ("-I", str(INCLUDE))
    limit = "-fmax-errors=20" if with_compiler.family == "g++" else "-ferror-limit=20"
    own = (*_USER, *NOT_UNIQUE[with_compiler.family], *_LINES[with_compiler.family], *_TOLD[with_compiler.family])
    return (*COMMON, *card(arch), *own, *fused(), *_SUMS[with_compiler.family], limit, *how, *headers)

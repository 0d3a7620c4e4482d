"""The C++ compilers that tests of their differences ask, by name: every one of this machine that is new enough."""

from pathlib import Path

from onekernel.simulator.compilation.compiler import compiler, compilers

_USED = compiler()  # ONEKERNEL_CXX, or the first
_NAMES = {_USED.version: (_USED.family, _USED.path)}
_NAMES |= {c.version: (c.family, Path(c.path).name) for c in compilers()}
COMPILERS = [name for _, name in _NAMES.values()]  # the one that is used first
OTHERS = COMPILERS[1:]
GCCS = [name for family, name in _NAMES.values() if family == "g++"]
CLANGS = [name for family, name in _NAMES.values() if family == "clang++"]
FAMILIES = [*GCCS[:1], *CLANGS[:1]]  # one of each, where all versions would only cost time

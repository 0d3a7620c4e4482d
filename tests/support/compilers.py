"""The C++ compilers that tests of their differences ask: those of the bench of compilers that are installed here."""

import shutil

from onekernel.bench.compilers.run import COMPILERS

OTHERS = [name for name in COMPILERS[1:] if shutil.which(name)]
CLANGS = [name for name in OTHERS if name.startswith("clang++")]

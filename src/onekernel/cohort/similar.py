"""Files that are alike: fingerprints of their tokens, chosen by winnowing.

Source: Schleimer, Wilkerson, Aiken, "Winnowing: local algorithms for document fingerprinting", SIGMOD 2003 (MOSS). Of
every GRAM tokens in a row a hash is taken, of every WINDOW hashes in a row the smallest is kept, the rightmost of equal
ones: two files that share WINDOW + GRAM - 1 tokens in a row share a fingerprint. Names that somebody chose count as one
token, comments and layout as none. What the starter holds is everybody's, and so is what many of a class wrote.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

GRAM, WINDOW = 10, 6
OWN = 6  # fingerprints that are nobody else's to begin with: fewer say nothing
SHARE = 0.5  # of the smaller file's own fingerprints, from which two files are shown
EVERYBODY = 0.2  # of a class: what more of them share is how one writes it
FEWEST = 4  # however small the class
_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/|\#[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<name>[A-Za-z_]\w*)|(?P<number>\.?\d[\w.]*)|(?P<sign><<<|>>>|[-+*/%&|^<>=!]=|&&|\|\||[^\s\w])""",
    re.VERBOSE | re.DOTALL,
)
# Words that nobody chose: of the languages, of CUDA, of Triton.
_GIVEN = """
alignas auto bool break case char const constexpr continue default do double else extern false float for goto if inline
int int64_t long nullptr return short signed sizeof static struct switch template true typename unsigned using void
volatile while size_t float2 float4 __global__ __device__ __host__ __shared__ __restrict__ __syncthreads __syncwarp
__shfl_xor_sync __shfl_down_sync __shfl_sync __ballot_sync threadIdx blockIdx blockDim gridDim x y z warpSize expf exp
fmaxf fminf logf sqrtf rsqrtf cudaError_t cudaStream_t cudaSuccess cudaGetLastError atomicAdd
def class import from as in not and or is None True False lambda with yield tl triton load store arange program_id max
sum where jit torch empty_like view transpose contiguous softmax matmul
"""
_WORDS = frozenset(_GIVEN.split())


@dataclass(frozen=True)
class Token:
    text: str  # as it is compared
    line: int


@dataclass(frozen=True)
class Alike:
    """Two files of one exercise: how much of the smaller one the other shares, and the lines that do."""

    exercise: str
    one: str
    other: str
    share: float
    equal: bool
    lines: tuple[frozenset[int], frozenset[int]]


def alike(exercise: str, files: Mapping[str, str], starters: Iterable[str]) -> list[Alike]:
    """The pairs of files of one exercise that share at least SHARE, the most alike first. `files`: student -> text."""
    template = {f for text in starters for f in fingerprints(tokens(text))}
    prints: dict[str, dict[int, range]] = {}
    wholes: dict[str, bytes] = {}  # the tokens of four hundred files take a hundred times their hashes
    for who, text in files.items():
        stream = tokens(text)
        prints[who] = fingerprints(stream)
        wholes[who] = hashlib.sha256("\n".join(t.text for t in stream).encode()).digest()
    common = Counter(f for mine in prints.values() for f in mine)
    most = max(FEWEST, int(EVERYBODY * len(files)))
    theirs = {f for f, holders in common.items() if f not in template and holders <= most}
    own = {who: {f: at for f, at in mine.items() if f in theirs} for who, mine in prints.items()}
    own = {who: mine for who, mine in own.items() if len(mine) >= OWN}
    held: dict[int, list[str]] = defaultdict(list)
    for who in sorted(own):
        for print_ in own[who]:
            held[print_].append(who)
    shared = Counter(pair for whose in held.values() for pair in combinations(whose, 2))
    found = []
    for (one, other), count in shared.items():
        share = count / min(len(own[one]), len(own[other]))
        if share >= SHARE:
            both = own[one].keys() & own[other].keys()
            equal = wholes[one] == wholes[other]
            lines = tuple(frozenset(n for f in both for n in own[who][f]) for who in (one, other))
            found.append(Alike(exercise, one, other, share, equal, (lines[0], lines[1])))
    return sorted(found, key=lambda a: (-a.equal, -a.share, a.one, a.other))


def tokens(text: str) -> list[Token]:
    """The tokens of C++ or Python, without comments."""
    return list(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    line, at = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        kind, word = match.lastgroup, match[0]
        if kind == "comment":
            if word.startswith("#") and re.match(r"#\s*(?:include|define|pragma|if|else|endif)", word):
                yield Token(" ".join(word.split()), line)
        elif kind == "name":
            yield Token(word if word in _WORDS else "v", line)
        else:
            yield Token("s" if kind == "text" else word, line)


def fingerprints(stream: list[Token]) -> dict[int, range]:
    """Hash -> the lines of the tokens that it stands for, where it was first kept."""
    grams = [zlib.crc32(" ".join(t.text for t in stream[n : n + GRAM]).encode()) for n in range(len(stream) - GRAM + 1)]
    kept: dict[int, range] = {}
    last = -1
    for start in range(max(1, len(grams) - WINDOW + 1) if grams else 0):
        window = grams[start : start + WINDOW]
        least = min(window)
        at = start + len(window) - 1 - window[::-1].index(least)
        if at != last:
            last = at
            kept.setdefault(least, range(stream[at].line, stream[at + GRAM - 1].line + 1))
    return kept

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
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import combinations, islice

GRAM, WINDOW = 10, 6
OWN = 6  # fingerprints that are nobody else's to begin with: fewer say nothing
SHARE = 0.5  # of the smaller file's own fingerprints, from which two files are shown
EVERYBODY = 0.2  # of a class: what more of them share is how one writes it
FEWEST = 4  # however small the class
MOST = 30  # pairs
MOST_TOKENS = 50_000  # of a file that are compared: five times those of the course's longest answer
# A string of C++ or Python. What is never closed goes to the end of its line, or of the file: nothing is read twice.
STRING = r""""(?:[^"\\\n]+|\\.)*"?|'(?:[^'\\\n]+|\\.)*'?"""
_TOKEN = re.compile(
    rf"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z)|\#[^\n]*)|(?P<text>{STRING})
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


def alike(exercise: str, files: Mapping[str, str], starters: Iterable[str], most: int = MOST) -> list[Alike]:
    """The `most` pairs of files of one exercise that are most alike, of those that share at least SHARE. `files`:
    student -> text, each read when it is asked for: a class takes little more memory than one of its files."""
    template = {f for text in starters for f in fingerprints(tokens(text))}
    prints: dict[str, array[int]] = {}
    wholes: dict[str, bytes] = {}  # the tokens of four hundred files take a hundred times their hashes
    for who, text in files.items():
        stream = tokens(text)
        prints[who] = array("L", fingerprints(stream))
        wholes[who] = hashlib.sha256("\n".join(t.text for t in stream).encode()).digest()
    common = Counter(f for mine in prints.values() for f in mine)
    holders = max(FEWEST, int(EVERYBODY * len(files)))
    theirs = {f for f, count in common.items() if f not in template and count <= holders}
    own = {who: sum(f in theirs for f in mine) for who, mine in prints.items()}
    held: dict[int, list[str]] = defaultdict(list)
    for who in sorted(prints):
        for print_ in prints[who] if own[who] >= OWN else ():
            if print_ in theirs and common[print_] > 1:
                held[print_].append(who)
    shared = Counter(pair for whose in held.values() for pair in combinations(whose, 2))
    found = [
        (wholes[one] != wholes[other], -count / min(own[one], own[other]), one, other)
        for (one, other), count in shared.items()
    ]
    best = sorted(pair for pair in found if -pair[1] >= SHARE)[:most]
    return [
        Alike(exercise, one, other, -share, not different, _lines(files[one], files[other], theirs))
        for different, share, one, other in best
    ]


def _lines(one: str, other: str, theirs: Set[int]) -> tuple[frozenset[int], frozenset[int]]:
    """The lines of two files that stand for fingerprints of `theirs` that both have."""
    mine, yours = fingerprints(tokens(one)), fingerprints(tokens(other))
    both = mine.keys() & yours.keys() & theirs
    first, second = (frozenset(n for f in both for n in prints[f]) for prints in (mine, yours))
    return first, second


def tokens(text: str) -> list[Token]:
    """The first MOST_TOKENS of C++ or Python, without comments."""
    return list(islice(_tokens(text), MOST_TOKENS))


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

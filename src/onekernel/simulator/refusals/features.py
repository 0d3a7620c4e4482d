"""What the simulator does not support, refused by name and line before a compiler sees it; and what would get past
everything that reads a graded file: text for the assembler, names for the linker, lines that are said to be another
file's, instructions of the host's processor. No kernel needs those; a program of one's own may have them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from onekernel.simulator.arch import DEFAULT
from onekernel.simulator.facts.conditionals import active
from onekernel.simulator.facts.includes import advice, included
from onekernel.simulator.facts.tokens import Token

_NAMES = {
    "cudaDeviceSynchronizeInKernel": "dynamic parallelism",
}
# Texture references, which left CUDA with version 12. `texture` itself may be anybody's name: it is one before `<`.
_REFERENCES = re.compile(
    r"textureReference|surfaceReference|cuda(?:Bind|Unbind)Texture\w*|cudaBindSurface\w*|cudaGet(?:Texture|Surface)Reference"
    r"|cudaGetTextureAlignmentOffset"
)
# Warp functions without a mask, which CUDA dropped for cards since Volta.
_WITHOUT_SYNC = re.compile(r"__shfl(?:_up|_down|_xor)?|__ballot|__any|__all")
# What the card of compute capability 9.0 has alone.
_OF_SM_90 = {
    "this_cluster": "thread block clusters (this_cluster)",
    "cluster_group": "thread block clusters (cluster_group)",
    "__cluster_dims__": "thread block clusters (__cluster_dims__)",
}
# Of CUB we have api/cub alone, and what works on the whole device for whole programs.
_CUB = re.compile(
    r"(?:Block|Warp)(?:Reduce|Scan)|Block(?:Load|Store|RadixSort|AdjacentDifference|Discontinuity|Exchange)|"
    r"Block(?:Reduce|Scan|Load|Store)Algorithm|"
    r"BLOCK_(?:REDUCE|SCAN|LOAD|STORE)_\w+|KeyValuePair|NullType"
)
_CUB_OF_DEVICE = re.compile(r"Device(?:Reduce|Scan|RadixSort|Select|Histogram|RunLengthEncode)|DoubleBuffer")
_CUB_12 = {"Sum": "cuda::std::plus<>", "Max": "cuda::maximum<>", "Min": "cuda::minimum<>"}  # gone with CUDA 13
# Whole families of the runtime's and the device's functions, by their names in CUDA 13.0's headers.
_FAMILIES = tuple(
    (re.compile(pattern), what)
    for pattern, what in (
        (r"cudaGraph(?=[A-Z])(?!(?:_t|Exec_t|Node_t|Instantiate|InstantiateWithFlags|InstantiateFlag\w+|Launch|Upload|Destroy"
         r"|ExecDestroy|Clone|GetNodes|Create|Add(?:Kernel|Memset|Host|Empty|ChildGraph)?Node|AddMemcpyNode(?:1D)?|AddMem(?:Alloc|Free)Node|MemAttr\w+"
         r"|NodeParams|NodeType(?:Kernel|Memcpy|Memset|Host|Graph|Empty|Conditional)?|EdgeData"
         r"|ConditionalHandle(?:Create|Flags)?|ConditionalNodeType|Cond(?:Type\w+|AssignDefault)|SetConditional"
         r"|ExecUpdate\w*|Exec(?:Kernel|Memcpy|Memset|Host)NodeSetParams(?:1D)?)$)\w+",
         "this part of CUDA graphs"),
        (r"cuda(?:Malloc|Free)MipmappedArray|cudaMemcpy(?:2D)?ArrayToArray|cudaMipmappedArray_t|cudaGetMipmapped\w+",
         "CUDA arrays with mipmaps, and copies between arrays"),
        (r"tex(?:[123]D|[12]DLayered)(?:Lod|Grad|gather)\w*|texCubemap\w*",
         "textures beyond tex1Dfetch, tex1D, tex2D, tex3D and their layered forms"),
        (r"surfCubemap\w*", "surfaces of cubes"),
        (r"cudaMemcpy3D(?:Peer|Batch)\w*", "3-D copies of several devices"),
        (r"cudaMemPool(?:Create|Destroy|TrimTo|Export|Import|[GS]etAccess)\w*|cudaDeviceSetMemPool|cudaMallocFromPoolAsync",
         "memory pools of one's own"),
        (r"cudaMem(?:\w+Batch|RangeGet)\w*", "batches and ranges of managed memory"),
        (r"cudaIpc\w+", "several processes"),
        (r"__v(?:add|sub|avg|max|min|abs|neg|sad|set|cmp|hadd)[a-z]*[24]", "packed integer instructions"),
        (r"__vi(?:add)?(?:min|max)\w+", "packed integer instructions"),
        (r"cu(?:Init|Launch|Module|Ctx|Mem|Tensor(?!MapEncodeTiled$))[A-Z]\w*|cuInit", "the CUDA driver API"),
        (r"cu(?:dnn|fft)[A-Z]\w*", "CUDA's libraries"),
        (r"curand(?:State(?:Scrambled)?Sobol|DirectionVectors|GetDirectionVectors|GetScrambleConstants|SetQuasiRandom)\w*",
         "quasirandom numbers of cuRAND"),
    )
)


# Names of the machinery that watches a kernel. CUDA knows none of them, and one hides what a kernel loads.
UNCOUNTED = ("no_sanitize", "__no_sanitize__", "no_sanitize_thread", "__no_sanitize_thread__", "no_sanitize_address",
             "__no_sanitize_address__", "disable_sanitizer_instrumentation")  # fmt: skip
_MACHINERY = re.compile(r"__[tau]san_\w*|__sanitizer_\w+|__ok|OK_QUIET")
NAMES = ("weakref", "__weakref__", "symver", "__symver__", "_GLOBAL_OFFSET_TABLE_", "_DYNAMIC",
         "trivial_abi", "__trivial_abi__")  # fmt: skip
"""Attributes whose text goes to the assembler as it stands, what only the linker makes, and, of clang's, what has a
kernel destroy its arguments."""
# Attributes where a string follows in brackets, else anybody's names: of the assembler's, and of what the compiler
# makes of a function, copies without a hook among it.
_SECTION = ("section", "__section__", "target", "__target__", "target_clones", "__target_clones__", "optimize",
            "__optimize__")  # fmt: skip
_OF_FUNCTIONS = r"(?:__)?(?:target|target_clones|optimize)(?:__)?(?=\s*\(\s*\")"
_OF_COMPILERS = r"GCC\s+(?:target|optimize)|redefine_extname"  # pragmas of the same kind
_DIRECTIVE = re.compile(
    rf"#\s*(?P<word>ident|sccs)\b|#\s*pragma\s+(?P<pragma>{_OF_COMPILERS})\b|#\s*(?:line)?\s*\d+\s*\""
    rf"|#\s*define\b.*?\b(?P<section>(?:__)?section(?:__)?\b|{_OF_FUNCTIONS})"
    rf"|#\s*define\b.*?\b_Pragma\s*\(\s*\"(?P<said>{_OF_COMPILERS})"
    r"|#\s*(?:include|define)\b.*?\b(?P<header>\w*intrin\.h|arm_neon\.h)",
    re.DOTALL,
)
_PRAGMA = re.compile(f'"({_OF_COMPILERS})')
_JOINED = re.compile(r"\\[ \t]*\r?\n")  # two lines that a compiler reads as one
# Of the host's processor; the compiler's own atomics, whose accesses nothing checks; jumps out of a function.
_OF_THE_HOST = re.compile(
    r"__builtin_(?:(?:ia32|aarch64|neon)_\w+|setjmp|longjmp|eh_return\w*|unwind_init|apply(?:_args)?|return)"
    r"|__(?:atomic|sync)_\w+"
)
ANYWHERE = re.compile(
    rf"\b(?:(asm|__asm|__asm__)\b|((?:__)?section(?:__)?(?=\s*\()|{_OF_FUNCTIONS})|({_OF_THE_HOST.pattern}))"
)
"""The same in a line that the preprocessor has written, for words that macros paste: the first also of a program."""


@dataclass(frozen=True)
class Refusal:
    """`key` is the message: it says what helps."""

    what: str
    line: int
    key: str = "unsupported"
    library: str = ""  # that a header belongs to, where its message names it


def refusals(
    tokens: list[Token], has: Callable[[str], bool], arch: str = DEFAULT, program: bool = False
) -> list[Refusal]:
    """Every unsupported thing in the file, once each, in order of lines. `has`: whether what a directive includes is
    here, ours or the program's own. `program`: a whole one, which has libraries of the host, too."""
    found = _refusals(tokens, has, arch, program)
    if arch == DEFAULT or not found:
        return found
    also = {r.what for r in _refusals(tokens, has, DEFAULT, program)}
    return [r if r.what in also else replace(r, key="unsupported-arch") for r in found]


def _refusals(tokens: list[Token], has: Callable[[str], bool], arch: str, program: bool) -> list[Refusal]:
    found: dict[str, Refusal] = {}
    before = ("", "")  # the texts of the last two tokens that are no space
    for token in active(tokens, arch):
        what = None
        if token.kind == "name":
            of_cub = before == ("cub", "::")
            what = _of_cub(token.text, program) if of_cub else _NAMES.get(token.text) or _family(token.text)
            newer = _OF_SM_90.get(token.text)
            if newer and arch == DEFAULT:
                found.setdefault(newer, Refusal(newer, token.line, "needs-sm-90"))
            if _REFERENCES.fullmatch(token.text):
                found.setdefault(token.text, Refusal(token.text, token.line, "texture-reference"))
            if _WITHOUT_SYNC.fullmatch(token.text):
                found.setdefault(token.text, Refusal(token.text, token.line, "without-sync"))
            if token.text in UNCOUNTED or _MACHINERY.fullmatch(token.text):
                found.setdefault(token.text, Refusal(token.text, token.line, "machinery"))
        elif (header := _missing(token, has)) and (told := advice(header)):
            key, library = told
            # A graded file could not use it with NVIDIA's headers either, and a library is told once.
            key = "header-program" if key == "header-thrust" and not program else key
            found.setdefault(library or header, Refusal(f"<{header}>", token.line, key, library))
        elif token.text == "<" and before[1] == "texture" and before[0] in (";", "}", "{", "static", "extern", ""):
            found.setdefault("texture", Refusal("texture<...>", token.line, "texture-reference"))
        if what and what not in found:
            found[what] = Refusal(what, token.line)
        if token.kind not in ("space", "directive"):
            before = (before[1], token.text)
    return list(found.values())


def _missing(token: Token, has: Callable[[str], bool]) -> str | None:
    """The header that a token includes and that is not here."""
    return included(token.text) if token.kind == "directive" and not has(token.text) else None


def _of_cub(name: str, program: bool) -> str | None:
    if _CUB.fullmatch(name) or (program and _CUB_OF_DEVICE.fullmatch(name)):
        return None
    now = _CUB_12.get(name)
    return f"cub::{name} (CUDA 13 has {now})" if now else f"this part of CUB (cub::{name})"


@cache
def _family(name: str) -> str | None:
    what = next((what for pattern, what in _FAMILIES if pattern.fullmatch(name)), None)
    return f"{what} ({name})" if what else None


def unread(tokens: Iterable[Token]) -> Iterator[Refusal]:
    """Each of them, once, also in branches that are left out: `#define` may decide otherwise than we do."""
    told: set[str] = set()
    before = ("", "")
    for token in tokens:
        found = _found(token, before)
        if found and found.what not in told:
            told.add(found.what)
            yield found
        if token.kind not in ("space", "directive"):
            before = (before[1], token.text)


def _found(token: Token, before: tuple[str, str]) -> Refusal | None:
    if token.kind == "name" and token.text in NAMES:
        return Refusal(token.text, token.line, "unread")
    if token.kind == "name" and _OF_THE_HOST.fullmatch(token.text):
        return Refusal(token.text, token.line, "host-instruction")
    if token.text in (":", "::") and before[1] == "%":  # another spelling of `#`
        return Refusal("%:", token.line, "unread")
    if token.kind == "string" and before[1] == "(" and before[0] in _SECTION:
        return Refusal(before[0], token.line, "unread")
    if token.kind == "string" and before == ("_Pragma", "(") and (found := _PRAGMA.match(token.text)):
        return Refusal(f"#pragma {found[1]}", token.line, "unread")
    if token.kind != "directive":
        return None
    text = _JOINED.sub("", token.text)
    if text.rstrip(" \t").endswith("\\"):  # g++ goes on in the next line, nvcc does not
        return Refusal("\\", token.line, "unread")
    if not (found := _DIRECTIVE.match(text)):
        return None
    if found["header"]:
        return Refusal(f"<{found['header']}>", token.line, "host-instruction")
    pragma = found["pragma"] or found["said"]
    what = found["section"] or (f"#pragma {pragma}" if pragma else f"#{found['word'] or 'line'}")
    return Refusal(what, token.line, "unread")

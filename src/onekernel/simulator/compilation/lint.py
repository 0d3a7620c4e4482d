"""Slips that compile without a word, seen in the text: what was written cannot be what is meant. Arrays and copies;
what can be told of a whole program, too, of which nobody knows what the result should be; then numbers that come out as
others than they are written, and indices and lanes that are right for some sizes alone.

Nobody loses points by them: they are told where results are wrong (grading/suspicions.py). Comments are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from onekernel.simulator.facts import Facts, facts_of
from onekernel.simulator.facts.arrays import OF_DEVICE
from onekernel.simulator.facts.elements import Store, changes, elements
from onekernel.simulator.facts.functions import HOST, Function, name_of
from onekernel.simulator.facts.macros import macros_of
from onekernel.simulator.facts.names import INDICES, INTEGERS, Named, after_brackets
from onekernel.simulator.facts.statements import counted, expression_end
from onekernel.simulator.facts.symbols import exports
from onekernel.simulator.facts.tokens import text_of
from onekernel.simulator.read.fragments import told_apart

Seen = Iterator[tuple[str, int, str, dict[str, object]]]
"""File, line, the message's name in messages/compile.toml behind `warning-`, its values."""
Found = Iterator[tuple[int, str, dict[str, object]]]
"""The line, the message's name in messages/compile.toml behind `warning-`, its values."""

_TYPE = re.compile(r"float|double|int|unsigned|float4|__half|__nv_bfloat16|\w+_t|T")
_IN_BYTES = re.compile(r"sizeof|byte|size|\*|[4-9]|\d\d", re.IGNORECASE)
ALLOCATES = ("cudaMalloc", "cudaMallocAsync", "cudaMallocManaged")
_WIDE = re.compile(
    r".*\bsizeof\s*\([\w\s]*\b(?:int|long|short|float|double|unsigned|(?:u?int(?:16|32|64)|size)_t)[\s*]*\)"
)
_NO_BYTE = re.compile(r"(?=.*[1-9])(?:[1-9]\d?|1[01]\d|-?\d*\.\d*f?)")  # 127 and 255 are meant as bytes
_RESERVED = re.compile(r"^\s+(\w+)\s*\.\s*reserve\s*\(")
_READS = r"\s*(?:\[|\.\s*(?:data|size|reserve|capacity|empty|c?begin|c?end)\b)"  # leaves a vector's size as it is
_COPIES = ("cudaMemcpy", "cudaMemcpyAsync")
_FILLS = ("cudaMemset", "cudaMemsetAsync")
_QUOTIENT = re.compile(r"(\w+)\s*/\s*(\w+)")
_OF_TYPE = re.compile(
    r"\(\s*(?:const\s+)?(?P<type>double)\s*\*\s*\)\s*(?P<given>\(+\s*\w+|\w+)?|"
    r"\(\(\s*(?:const\s+)?(?P<whole>int|long|short)\s*\*\s*\)\s*(?P<array>\w+)\)\s*\["
)
_GIVES_BYTES = re.compile(r"\(\s*(?:unsigned|const|char|u?int8_t|void|byte)$|\w*alloc$")
_ONE_OVER = re.compile(r"(?<![\w.])(1 ?/ ?[2-9])(?![\w.])(?!\s*;)")
_COMMA = re.compile(r"(?:[-=*/+]|\breturn)\s*(?P<number>\d+,\d+)(?=\s*[-*/+;])")
_NARROW_TYPES = frozenset(("__half", "half", "__nv_bfloat16", "nv_bfloat16"))
# Have no type of their own: a row of cudaMallocPitch.
_BYTE_TYPES = frozenset(("char", "int8_t", "uint8_t", "void", "byte"))
_MOST = {word: (1 << 8 * size - (word[0] != "u")) - 1 for word, size in INTEGERS.items() if size < 4}
_AS_FLOAT = re.compile(r"\(\s*(?:const\s+)?float\s*\*\s*\)\s*\(?\s*(\w+)")
_MASKED = re.compile(r"[^&\s]\s*&\s*\(\s*(?P<name>[a-z]\w*)\s*-\s*1\s*\)")
_SHUFFLES = ("__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync")
_IN_GRID = frozenset(INDICES) - {"threadIdx"}
WHOLE_WARP = ("32", "warpSize")


def lint(files: Mapping[str, str], program: bool = False) -> Seen:
    """What is seen in the texts of the learner's files, or of a whole program."""
    for file, text in files.items():
        facts = facts_of(text)
        for rule in _OF_PROGRAMS if program else _OF_FILES:
            yield from ((file, n, key, values) for n, key, values in rule(facts))


def _own(facts: Facts) -> Iterator[Named]:
    """The arrays of a thread's own that are given no values, where nothing else is declared beside them."""
    code, arrays = facts.code, {one.at for one in facts.named if one.is_array}
    for one in (one for one in facts.named if one.is_array and one.type[1:] == () and _TYPE.fullmatch(one.type[0])):
        function, end = facts.function_around(one.at), after_brackets(code, one.at)
        if function is None or function.side == HOST or end == len(code):
            continue
        first = code[one.at - 1].text != "," or code[one.at - 2].text == "]"
        if first and (code[end].text == ";" or (code[end].text == "," and end + 1 in arrays)):
            yield one


def _own_arrays(facts: Facts) -> Found:
    """Arrays of a thread's own that are indexed by the thread, in a file whose threads meet at barriers: __shared__ may
    be missing."""
    if not any("__syncthreads" in t.text for t in facts.code):
        return
    of_thread = {s.target.name for s in facts.stores if s.sets and _names(facts, s.value) & {"threadIdx"}}
    for one in _own(facts):
        stored = (s.target for s in facts.stores if s.sets and s.target.base == one.name and s.target.groups)
        if any(_names(facts, target.groups[0]) & {"threadIdx", *of_thread} for target in stored):
            yield one.line, "own-array", {"name": one.name}


def _names(facts: Facts, span: tuple[int, int]) -> set[str]:
    """The names and the signs between two tokens."""
    return {token.text for token in facts.code[slice(*span)]}


def _only_added(facts: Facts) -> Found:
    """Arrays of a thread's own whose elements are added to, and neither set before nor given to a function."""
    code = facts.code
    for one in _own(facts):
        uses = (k for k, token in enumerate(code) if token.text == one.name and k != one.at)
        elsewhere = any(code[k + 1].text != "[" or code[k - 1].text == "&" for k in uses)
        signs = {store.sign for store in facts.stores if store.target.name == one.name}
        if "+=" in signs and "=" not in signs and not elsewhere:
            yield one.line, "uninitialised", {"name": one.name}


def _set_bytes(facts: Facts) -> Found:
    """cudaMemset with another value than 0, or all bits: it sets bytes."""
    for call in facts.called(*_FILLS):
        value = call.given[1] if len(call.given) > 2 else ""
        if re.fullmatch(r"[1-9]\d*|0x0*[1-9]|-?\d*\.\d*f?", value) and value not in ("255", "127"):
            yield call.line, "set-bytes", {"call": call.name, "value": value}


def _empty_bodies(facts: Facts) -> Found:
    """A `;` behind a head, above the braces that were meant for its body."""
    for one in facts.statements:
        body = facts.code[one.first : one.first + 2]
        ended = one.word in ("for", "while", "if") and [t.text for t in body] == [";", "{"]
        if ended and body[1].line == body[0].line + 1:
            yield body[0].line, "empty-body", {"word": one.word}


def _bytes(facts: Facts) -> Found:
    """Copies of a number of elements, where a number of bytes is meant."""
    known = macros_of(facts.tokens)
    for call in facts.called(*_COPIES, *_FILLS):
        count = call.given[2] if len(call.given) > 2 else ""
        if not re.match(r"\w", count):
            continue
        names = {*re.findall(r"[A-Za-z_]\w*", count)}
        made = [text_of(facts.code[slice(*s.value)]) for s in facts.stores if s.sets and s.target.name in names]
        made += [macro.body for name, macro in known.items() if name in names]
        if not _IN_BYTES.search(" ".join((count, *made))):
            yield call.line, "bytes", {"call": call.name, "count": count}


def _allocated(facts: Facts) -> Found:
    """An allocation that is given the pointer's value, which is nothing yet, for its address."""
    stars = {(one.name, one.type.count("*")) for one in facts.named if not one.is_array}
    for call in facts.called(*ALLOCATES):
        given = re.fullmatch(r"(?:\(\s*void\s*\*\*\s*\)\s*)?(\w+)", call.given[0] if call.given[1:] else "")
        if given and (given[1], 1) in stars and (given[1], 2) not in stars:
            yield call.line, "no-address", {"name": given[1]}


def _extern_twice(facts: Facts) -> Found:
    """The second dynamic array of a function."""
    before: set[Function] = set()
    for array in facts.arrays:
        if array.is_dynamic and (function := facts.function_at(array.line)):
            if function in before:
                yield array.line, "extern-twice", {}
            before.add(function)


def _own_outputs(facts: Facts) -> Found:
    """A tensor that the launcher was given, replaced by memory of its own."""
    known = exports(facts.tokens)
    launcher = next((f for f in facts.functions if f.name in known), None)
    given = {name_of(p) for p in launcher.parameters(facts.code) if "*" in text_of(p)} if launcher else set()
    for call in facts.called(*ALLOCATES):
        name = re.fullmatch(r".*&\s*(\w+)", call.given[0] if call.given[1:] else "")
        if name and name[1] in given:
            yield call.line, "own-output", {"name": name[1]}


def _set_wide(facts: Facts) -> Found:
    """Fills of wide elements by a byte that is not 0."""
    for call in facts.called(*_FILLS):
        _, value, *count = (*call.given, "", "")
        if _NO_BYTE.fullmatch(value) and _WIDE.match("".join(count)):
            yield call.line, "set-bytes", {"call": call.name, "value": value}


def _same_shared(facts: Facts) -> Found:
    """A block's second extern __shared__ array, which is the first one under another name. Outside functions several
    kernels may have one each."""
    first: dict[int, str] = {}  # by where their block ends
    for array in facts.arrays:
        if array.is_dynamic and facts.function_at(array.line):
            name = first.setdefault(array.end, array.name)
            if array.name != name:
                yield array.line, "same-shared", {"name": array.name, "first": name}


def _past_the_end(facts: Facts) -> Found:
    """Loops up to and including an array's extent, which index it. Of one of the device the access itself is told."""
    known = [array for array in facts.arrays if not array.words & OF_DEVICE]
    for loop in facts.statements:
        turns = counted(facts.code, loop)
        index, _, extent = text_of(turns.condition).partition("<=") if turns else ("", "", "")
        if not turns or not extent or index != turns.name:
            continue
        for array in (a for a in known if a.begin <= loop.begin < a.end):
            used = elements(facts.code, array.name, loop.first, loop.last + 1)
            groups = (e.groups[0] for e in used if e.groups)
            indexed = any(text_of(facts.code[opens + 1 : closes]) == index for opens, closes in groups)
            if indexed and text_of(array.extents[0]) == extent:
                yield loop.first_line, "past-the-end", {"name": array.name, "extent": extent, "index": index}
                break


def _address_of_vector(facts: Facts) -> Found:
    """Copies to or from `&v` of a std::vector, which is where the vector's own three pointers lie."""
    vectors = {(one.name, facts.function_at(one.line)) for one in facts.named if "vector" in one.type}
    for call in facts.called(*_COPIES):
        for given in call.given[:2]:
            name = given.removeprefix("&")
            if given != name and (name, facts.function_at(call.line)) in vectors:
                yield call.line, "vector-address", {"name": name}


def _empty_vector(facts: Facts) -> Found:
    """Copies to or from the elements of a std::vector that has room reserved, and in the whole file no elements."""
    text = "\n".join(facts.lines)
    for name in dict.fromkeys(match[1] for match in map(_RESERVED.match, facts.lines) if match):
        declared = [one for one in facts.named if one.name == name and "vector" in one.type]
        none = len(declared) == 1 and facts.code[declared[0].at + 1].text in (";", ",")
        if none and len(re.findall(rf"\b{name}\b(?!{_READS})", text)) == 1:
            for call in facts.called(*_COPIES):
                if {f"{name}.data()", f"&{name}[0]"} & {*call.given[:2]}:
                    yield call.line, "vector-empty", {"name": name}


def _ceiling_of_integers(facts: Facts) -> Found:
    """ceil(n / threads) of two integers: the quotient is rounded down before."""
    integers = {one.name: one.line for one in facts.named if one.is_integer}
    integers |= {name: 0 for name, text in facts.numbers.items() if text.isdigit()}
    for call in facts.called("ceil", "ceilf"):
        quotient = _QUOTIENT.fullmatch(call.given[0]) if len(call.given) == 1 else None
        if quotient and all(q.isdigit() or integers.get(q, call.line + 1) <= call.line for q in quotient.groups()):
            yield call.line, "ceiling", {"one": quotient[1], "other": quotient[2]}


def _fragment_order(facts: Facts) -> Found:
    """The first line for each wmma fragment whose elements are told apart by their number."""
    for line, name in told_apart(facts):
        yield line, "fragment-order", {"name": name}


def _counters(facts: Facts) -> Found:
    """Loops over as many turns as a size in 64 bits says, counted in float."""
    floats = {one.at: one.name for one in facts.named if {*one.type} & {"float", "__half"}}
    sizes = {one.name for one in _sizes(facts) if "int64_t" in one.type}
    for loop in facts.statements:
        turns = counted(facts.code, loop)
        name = floats.get(loop.begin + 3, "")
        end = re.fullmatch(rf"{name}<=?(\w+)", text_of(turns.condition)) if turns and name == turns.name else None
        if end and end[1] in sizes:
            yield loop.first_line, "float-counter", {"name": name}


def _sizes(facts: Facts) -> Iterator[Named]:
    """The parameters that are whole numbers."""
    return (one for one in facts.named if one.is_parameter and one.is_integer)


def _types(facts: Facts) -> Found:
    bytes_ = {one.name for one in facts.named if "*" in one.type and {*one.type} & _BYTE_TYPES}
    for n, line in enumerate(facts.lines, 1):
        for cast in _OF_TYPE.finditer(line):
            given = (cast["given"] or cast["array"] or "").lstrip("( ")
            if given not in bytes_ and not _GIVES_BYTES.search(cast["given"] or ""):
                yield n, "other-type", {"type": cast["type"] or cast["whole"]}


def _quotients(facts: Facts) -> Found:
    """1 / 2 of two whole numbers, in a kernel's arithmetic."""
    for n, line in enumerate(facts.lines, 1):
        if quotient := _ONE_OVER.search(line):
            one, other = re.split(r" ?/ ?", quotient[1])
            yield n, "quotient", {"quotient": quotient[1], "instead": f"{one}.0f / {other}.0f"}


def _halves(facts: Facts) -> Found:
    """A pointer to 16-bit numbers, cast to a pointer to floats."""
    narrow = {one.name for one in facts.named if "*" in one.type and {*one.type} & _NARROW_TYPES}
    for n, line in enumerate(facts.lines, 1):
        for cast in _AS_FLOAT.finditer(line):
            if cast[1] in narrow:
                yield n, "half-as-float", {"name": cast[1]}


def _narrow_sums(facts: Facts) -> Found:
    """Variables of 16 bits, or of a template's type, that are added to."""
    code = facts.code
    generic = {t.text for word, t in pairwise(code) if word.text in ("typename", "class") and t.kind == "name"}
    members = {(member.name, member.line) for member in facts.declared.members}
    for one in (one for one in facts.named if not one.is_parameter and (one.name, one.line) not in members):
        kind = [word for word in one.type if word != "__shared__"]
        narrow = len(kind) == 1 and kind[0] in _NARROW_TYPES | generic
        stored = (s for s in facts.stores if s.target.base == one.name)
        if narrow and code[one.at - 1].text == kind[0] and any(_adds(facts, store) for store in stored):
            yield one.line, "narrow-sum", {"type": kind[0], "name": one.name}


def _adds(facts: Facts, store: Store) -> bool:
    """Whether it is v += w, v[i] = v[i] + w or v = __hadd(v, w)."""
    value = _names(facts, store.value)
    added = "+" in value or any(re.fullmatch(r"__h(?:add|fma)\w*", name) for name in value)
    return store.sign == "+=" or (store.sets and added and store.target.name in value)


def _commas(facts: Facts) -> Found:
    """A number written with a decimal comma: its two halves are two values, of which the first is thrown away."""
    for n, line in enumerate(facts.lines, 1):
        if comma := _COMMA.search(line):
            yield n, "decimal-comma", {"number": comma["number"], "instead": comma["number"].replace(",", ".") + "f"}


def _narrow(facts: Facts) -> Found:
    """The index of a thread in the grid, kept in 8 or 16 bits."""
    code = facts.code
    for one in facts.named:
        value, last = code[one.at + 1 : expression_end(code, one.at, len(code), ",;)")], one.type[-1]
        if last in _MOST and text_of(value[:1]) == "=" and _IN_GRID & {t.text for t in value}:
            kind = " ".join(word for word in one.type if word == "unsigned" or word == last)
            most = 2 * _MOST[last] + 1 if "unsigned" in one.type else _MOST[last]
            yield one.line, "narrow-index", {"type": kind, "name": one.name, "most": most}


def _float_bits(facts: Facts) -> Found:
    for call in facts.called("atomicMax", "atomicMin"):
        if any("__float_as_int" in given for given in call.given):
            yield call.line, "float-bits", {}


def _masked(facts: Facts) -> Found:
    """`i & (n - 1)` with a size that the function is given, which may be no power of two."""
    sizes = {one.name for one in _sizes(facts)}
    for n, line in enumerate(facts.lines, 1):
        for name in (m["name"] for m in _MASKED.finditer(line) if m["name"] in sizes):
            yield n, "masked-index", {"name": name}


def _widths(facts: Facts) -> Found:
    """Shuffles whose fourth argument keeps them within fewer lanes than a warp has."""
    for call in facts.called(*_SHUFFLES):
        if len(call.given) == 4 and call.given[3] not in WHOLE_WARP:
            yield call.line, "shuffle-width", {"width": call.given[3]}


def _lanes(facts: Facts) -> Found:
    """`__shfl_sync` by a distance that a loop halves or doubles: it takes the number of a lane, one for all."""
    for call in facts.called("__shfl_sync"):
        name = call.given[2] if len(call.given) > 2 else ""
        if any({*changes(loop.step, name)} & {"/=", "*=", ">>=", "<<="} for loop in facts.counted(call.line)):
            yield call.line, "shuffle-lane", {"name": name}


_OF_FILES = (
    _counters, _types, _quotients, _halves, _narrow_sums, _commas, _narrow, _float_bits, _masked, _widths, _lanes,
    _own_arrays, _only_added, _set_bytes, _empty_bodies, _bytes, _own_outputs, _extern_twice, _allocated,
    _fragment_order,
)  # fmt: skip
_OF_PROGRAMS = (
    _fragment_order, _set_wide, _same_shared, _past_the_end, _address_of_vector, _empty_vector, _ceiling_of_integers,
)  # fmt: skip

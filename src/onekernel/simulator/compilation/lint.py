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
from onekernel.simulator.facts.elements import changes
from onekernel.simulator.facts.functions import HOST, Function, name_of
from onekernel.simulator.facts.names import INDICES, INTEGERS, Named, after_brackets
from onekernel.simulator.facts.statements import counted, expression_end
from onekernel.simulator.facts.symbols import exports
from onekernel.simulator.facts.tokens import text_of

Seen = Iterator[tuple[str, int, str, dict[str, object]]]
"""File, line, the message's name in messages/compile.toml behind `warning-`, its values."""
Found = Iterator[tuple[int, str, dict[str, object]]]
"""The line, the message's name in messages/compile.toml behind `warning-`, its values."""

_TYPE = re.compile(r"float|double|int|unsigned|float4|__half|__nv_bfloat16|\w+_t|T")
_OF_THREAD = re.compile(r"\b(\w+)\s*=\s*[^;=]*\bthreadIdx\b")
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
# A place within a tile, made of a lane's number.
_OF_LANE = re.compile(
    r"\b(\w+)\s*=\s*[^;=]*\b(?:lane\w*|threadIdx\s*\.\s*x)[^;]*?(?:[/%&]|>>)\s*(?:[248]|16|[137]|15)\b"
)
_QUOTIENT = re.compile(r"(\w+)\s*/\s*(\w+)")
_OF_TYPE = re.compile(
    r"\(\s*(?:const\s+)?(?P<type>double)\s*\*\s*\)\s*(?P<given>\(+\s*\w+|\w+)?|"
    r"\(\(\s*(?:const\s+)?(?P<whole>int|long|short)\s*\*\s*\)\s*(?P<array>\w+)\)\s*\["
)
_GIVES_BYTES = re.compile(r"\(\s*(?:unsigned|const|char|u?int8_t|void|byte)$|\w*alloc$")
_ONE_OVER = re.compile(r"(?<![\w.])(1 ?/ ?[2-9])(?![\w.])(?!\s*;)")
_COMMA = re.compile(r"(?:[-=*/+]|\breturn)\s*(?P<number>\d+,\d+)(?=\s*[-*/+;])")
_ADDED = (  # v += w, v[i] = v[i] + w, v = __hadd(v, w)
    r"(?<![\w.])<name>\s*(?:\[[^\]]*\]\s*)?(?:\+=|=(?!=)[^;]*\b<name>\b[^;]*\+|=(?!=)[^;]*\+[^;]*\b<name>\b"
    r"|=(?!=)\s*__h(?:add|fma)\w*\([^;]*\b<name>\b)"
)
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
    text = "\n".join(facts.lines)
    if "__syncthreads" not in text:
        return
    of_thread = "|".join({"threadIdx", *_OF_THREAD.findall(text)})
    for one in _own(facts):
        if re.search(rf"(?<![.\w>]){one.name}\s*\[[^\]]*\b(?:{of_thread})\b[^\]]*\]\s*=[^=]", text):
            yield one.line, "own-array", {"name": one.name}


def _only_added(facts: Facts) -> Found:
    """Arrays of a thread's own whose elements are added to, and neither set before nor given to a function."""
    code = facts.code
    for one in _own(facts):
        uses = [k for k, token in enumerate(code) if token.text == one.name and k != one.at]
        behind = [code[after_brackets(code, k) :][:2] for k in uses]
        signs = ["".join(t.text for t in pair) for pair in behind]
        elsewhere = any(
            code[k + 1].text != "[" or code[k - 1].text == "&" or (sign[:1] == "=" and sign != "==")
            for k, sign in zip(uses, signs, strict=True)
        )
        if "+=" in signs and not elsewhere:
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
    text = "\n".join(facts.lines)
    for call in facts.called(*_COPIES, *_FILLS):
        count = call.given[2] if len(call.given) > 2 else ""
        if not re.match(r"\w", count):
            continue
        names = "|".join(re.findall(r"[A-Za-z_]\w*", count)) or "$."
        made = re.findall(rf"\b(?:{names})\s*=\s*([^;]+);|#\s*define\s+(?:{names})\s+(.+)", text)
        if not _IN_BYTES.search(count + " ".join(part for parts in made for part in parts)):
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
        body = text_of(facts.code[loop.first : loop.last + 1])
        for array in (a for a in known if a.begin <= loop.begin < a.end):
            if text_of(array.extents[0]) == extent and re.search(rf"\b{array.name}\[{index}\]", body):
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
    """The first line for each wmma fragment whose elements are told apart by their number: one that is set to something
    else through a pointer of another type, or at a number of its own, or that stands beside a row or a column made of
    the lane's number. What all of them go through alike, in a loop, depends on no order."""
    text = "\n".join(facts.plain_lines)
    names = {name: rf"\b{name}\s*(?:\[[^\]]*\]\s*)*\.\s*x\b" for name in _fragments(facts)}
    places = "|".join({*_OF_LANE.findall(text)} - {"lane", "warp", "warpId", "warp_id"}) or "$."
    told: set[str] = set()
    for n, line in enumerate(facts.plain_lines, 1):
        for name, element in names.items():
            set_to = re.search(rf"{element}\s*(\[[^\]]*\])[\s)]*=(?!=)\s*([^;]*)", line)
            other = bool(set_to) and not re.search(rf"{element}|^\s*-?[\d.]+f?\s*$", set_to[2]) if set_to else False
            cast = re.search(rf"\*\s*\)\s*\(?\s*&?\s*{element}|reinterpret_cast\s*<[^;]*{element}", line)
            numbered = set_to and re.search(r"\[\s*\d+\s*\]|[*/%&^+]", set_to[1])
            placed = re.search(element, line) and re.search(rf"\b(?:{places})\b", line)
            if name not in told and ((other and (cast or numbered)) or placed):
                told.add(name)
                yield n, "fragment-order", {"name": name}


def _fragments(facts: Facts) -> list[str]:
    """The names of variables that are fragments, or arrays of them."""
    code, kinds = facts.code, {"fragment"}
    for i, word in enumerate(code):
        end = expression_end(code, i, len(code), ";") if word.text in ("using", "typedef") else i
        if any(t.text == "fragment" for t in code[i:end]):
            kinds.add(code[i + 1 if word.text == "using" else end - 1].text)
    return sorted({one.name for one in facts.named if kinds & {*one.type} and not one.is_parameter})


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
    text, code = "\n".join(facts.lines), facts.code
    generic = {t.text for word, t in pairwise(code) if word.text in ("typename", "class") and t.kind == "name"}
    members = {(member.name, member.line) for member in facts.declared.members}
    for one in (one for one in facts.named if not one.is_parameter and (one.name, one.line) not in members):
        kind = [word for word in one.type if word != "__shared__"]
        narrow = len(kind) == 1 and kind[0] in _NARROW_TYPES | generic
        if narrow and code[one.at - 1].text == kind[0] and re.search(_ADDED.replace("<name>", one.name), text):
            yield one.line, "narrow-sum", {"type": kind[0], "name": one.name}


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

"""Host and device: what a `.cu` does on the wrong side, where its text shows it.

CUDA compiles each function for one side; g++ knows none. Here are the mistakes that the text alone shows. Calls are
g++'s to resolve: `rewrite/sides.py` marks for it what the host alone has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from onekernel.simulator.arch import DEFAULT
from onekernel.simulator.facts.calls import Lambda, lambdas
from onekernel.simulator.facts.conditionals import active
from onekernel.simulator.facts.declarations import MATH, angle_end
from onekernel.simulator.facts.functions import (
    BOTH,
    DEVICE,
    HOST,
    KERNEL,
    NO_NAMES,
    Declarations,
    Function,
    qualifiers_in,
)
from onekernel.simulator.facts.kernels import launches
from onekernel.simulator.facts.tokens import (
    Token,
    closing,
    first_sign,
    is_sign,
    next_solid,
    one_line,
    previous_solid,
    split_commas,
)
from onekernel.simulator.refusals.host import STD_METHODS, STREAMS, addressed, relaxed_on_device, std_on_device
from onekernel.simulator.refusals.qualifiers import Misplaced, heads

# The device's own functions, as CUDA 13.0's headers declare them; those that the host has too are left out.
_DEVICE_ALONE = re.compile(
    r"""__syncthreads\w* | __syncwarp | __threadfence\w* | __\w+_sync | __activemask | __nanosleep | __trap | clock64
    | __ldg | __ld(?:ca|cg|cs|cv|lu) | __st(?:cg|cs|wb|wt)
    | atomic(?:Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(?:_block|_system)?
    | __(?:exp|exp10|log|log2|log10|sin|cos|tan|pow|sincos|saturate|fdivide)f
    | __[fd](?:add|sub|mul|div|ma|maf|sqrt|rcp|rsqrt)_r[nzud]
    | __(?:popc|ffs|clz|brev)(?:ll)? | __u?mul(?:24|hi)
    | __(?:int|uint|float|double|longlong)_as_\w+
    | __(?:float|double|u?int|u?ll)2(?:float|double|u?int|u?ll)_r[nzud]
    | tex(?:1D|2D|3D|Cubemap)\w* | surf(?:1D|2D|3D|Cubemap)\w*(?:read|write)
    | this_(?:thread_block|grid|cluster) | coalesced_threads | tiled_partition""",
    re.VERBOSE,
)
# g++'s own functions that nvcc has on the host alone; it has others, __builtin_popcount or __builtin_expect, on both.
_BUILTIN = re.compile(r"__builtin_(?:ctz\w*|(?:clz|popcount|ffs)l|parity\w*|bswap\d+|trap|prefetch)")
_ASSIGNS = re.compile(r"(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--")
_WIDE = frozenset(("__float128", "_Float128"))
_OF_CONSTANTS = frozenset(("constexpr", "static", "__device__", "__constant__"))
_NOT_ON_DEVICE = frozenset(("throw", "try", "catch", "dynamic_cast", "typeid"))
_VECTOR = re.compile(r"u?(?:char|short|int|long|longlong)[1-4]|(?:float|double)[1-4]")


def misplaced(
    tokens: list[Token], declared: Declarations, defined: Mapping[str, frozenset[str]], arch: str = DEFAULT
) -> list[Misplaced]:
    """What stands on the wrong side, by line. `tokens` are as `tokenize` gives them, not rewritten; `defined`: what
    `macros.macros` gives."""
    seen = {id(t) for t in active(tokens, arch)}
    known = list(lambdas(tokens))
    on_device = [one for one in known if "__device__" in qualifiers_in(one.words, defined)]
    of_host = [one for one in known if one not in on_device]
    found = [*heads(tokens, declared, defined), *_launched(tokens, declared, of_host)]
    found += [Misplaced("lambda-on-device", tokens[one.captures[1]].line) for one in on_device]
    for function in declared.functions:
        if function.body is None:
            continue
        body = range(function.body, closing(tokens, function.body))
        found += [Misplaced("vector-call", line, {"name": name}) for name, line in vector_calls(tokens, body)]
        if function.on_device:
            found += _on_device(tokens, body, function, declared)
            found += _constants_written(tokens, body, declared)
            for name, line in addressed(tokens, body, function, declared):
                values: dict[str, object] = {"name": name, "caller": function.name}
                found.append(Misplaced("address-of-host-constant", line, values))
        elif function.side == HOST:
            found += _on_host(tokens, body, function, declared)
        elif _for_both(tokens, body, function):
            on_host = _on_host(tokens, body, function, declared)
            found += [m for m in on_host if m.key in ("device-called-by-host", "shared-on-host")]
    bodies = [range(f.body, closing(tokens, f.body)) for f in declared.functions if f.on_device and f.body is not None]
    for name, called, line in _computed(tokens, bodies):
        found.append(Misplaced("value-of-a-call", line, {"name": name, "function": called}))
    unseen = {t.line for t in tokens if t.kind == "name" and id(t) not in seen}
    lines = {t.line for t in tokens if t.kind == "name" and id(t) in seen}
    told = dict.fromkeys((m.key, m.line, str(m.values.get("name"))) for m in found)
    firsts = {key: next(m for m in found if (m.key, m.line, str(m.values.get("name"))) == key) for key in told}
    return sorted((m for m in firsts.values() if m.line in lines or m.line not in unseen), key=lambda m: m.line)


def _for_both(tokens: list[Token], body: range, f: Function) -> bool:
    """Whether nvcc compiles a body for the host as it stands: of a template it compiles what is used, and a condition
    on the side may leave a call out."""
    before = previous_solid(tokens, f.begin - 1)
    template = f.begin and is_sign(tokens, before, ">")
    asks = any(tokens[i].kind == "directive" or tokens[i].text.startswith("NV_") for i in body)
    return {"__host__", "__device__"} <= {*f.head} and not (f.member or template or asks or "constexpr" in f.head)


def _launched(tokens: list[Token], declared: Declarations, of_host: list[Lambda]) -> Iterator[Misplaced]:
    """Launches of what is no kernel, from where no kernel can be launched, with what no launch takes: the lambdas
    `of_host`."""
    kernels = {f.name for f in declared.functions if f.side == KERNEL}
    others = {f.name: f for f in declared.functions if f.side != KERNEL and not f.member}
    names, begins = {one.name for one in of_host if one.of_auto}, {one.captures[0] for one in of_host}
    for launch in launches(tokens):
        name = one_line(tokens[launch.begin : launch.chevrons]).split("<")[0].split("::")[-1].strip()
        line = tokens[launch.chevrons].line
        values: dict[str, object] = {"name": name}
        if name in others and name not in kernels:
            values |= {"definition": others[name].line, "device": others[name].side == DEVICE}
            yield Misplaced("not-a-kernel", line, values)
        bodies = (f for f in declared.functions if f.body is not None and f.body < launch.chevrons)
        inside = next((f for f in bodies if launch.chevrons < closing(tokens, f.body or 0)), None)
        if inside is not None and inside.on_device:
            yield Misplaced("launch-in-kernel", line, {**values, "caller": inside.name})
        if len(split_commas(tokens[launch.chevrons + 3 : launch.end])) > 4:
            yield Misplaced("launch-configuration", line, values)
        at = launch.bracket + 1
        for piece in split_commas(tokens[at : launch.close]):
            if one_line(piece) in names or next_solid(tokens, at) in begins:
                yield Misplaced("lambda-to-kernel", line, values)
            at += len(piece) + 1


def _on_device(tokens: list[Token], body: range, function: Function, declared: Declarations) -> Iterator[Misplaced]:
    kernels = {f.name for f in declared.functions if f.side == KERNEL}
    kernels -= _declared_in(tokens, range(function.bracket(tokens), body.stop))  # what hides a kernel of its name
    caller = function.name
    for i in body:
        token = tokens[i]
        if token.kind != "name":
            continue
        before, after = previous_solid(tokens, i - 1), next_solid(tokens, i + 1)
        if token.text == "thread_local":
            yield Misplaced("thread-local-on-device", token.line, {"caller": caller})
        elif token.text == "goto" and is_sign(tokens, after, "*"):
            yield Misplaced("jump-on-device", token.line, {"caller": caller})
        elif _BUILTIN.fullmatch(token.text):
            yield Misplaced("builtin-on-device", token.line, {"name": token.text, "caller": caller})
        elif token.text in _WIDE:
            yield Misplaced("wide-on-device", token.line, {"name": token.text, "caller": caller})
        elif token.text in _NOT_ON_DEVICE:
            yield Misplaced("not-on-device", token.line, {"name": token.text, "caller": caller})
        elif token.text in ("__constant__", "__device__") and not is_sign(tokens, after, "("):
            if tokens[before].text == "static" or _declares_function(tokens, i):
                continue
            yield Misplaced("variable-in-kernel", token.line, {"name": token.text})
        elif token.text in kernels and is_sign(tokens, after, "(") and not is_sign(tokens, before, "."):
            yield Misplaced("kernel-in-kernel", token.line, {"name": token.text, "caller": caller})
    for name, line, of_integer in relaxed_on_device(tokens, body, function):
        key = "real-of-integer" if of_integer else "relaxed-constexpr"
        yield Misplaced(key, line, {"name": name, "caller": caller})
    for name, line in std_on_device(tokens, body, function, declared):
        key = "stream-on-device" if name in STREAMS else "std-on-device"
        yield Misplaced(key, line, {"name": f"std::{name}", "caller": caller})


def _declares_function(tokens: list[Token], i: int) -> bool:
    """Whether a bracket follows the name in a declaration, `extern __device__ void error(void);`, of a function or of a
    local struct's member; `__align__(8)` and `float (*f)(float)` have brackets of another kind."""
    while i < len(tokens) and not (tokens[i].kind == "sign" and tokens[i].text in "(=;[{"):
        i += 1
    operator = any(t.text == "operator" for t in tokens[i - 4 : i])  # whose name may be a sign, or a type
    named = tokens[previous_solid(tokens, i - 1)]
    pointed = is_sign(tokens, next_solid(tokens, i + 1), "*")
    return operator or (is_sign(tokens, i, "(") and named.text not in NO_NAMES and not pointed)


def _constants_written(tokens: list[Token], body: range, declared: Declarations) -> Iterator[Misplaced]:
    constants = {v.name for v in declared.variables if v.constant}
    for i in body:
        token = tokens[i]
        if token.kind != "name" or token.text not in constants:
            continue
        before = previous_solid(tokens, i - 1)
        if tokens[before].kind == "name" or (tokens[before].kind == "sign" and tokens[before].text in (".", "->", "*")):
            continue  # a declaration of its own, a member
        end = next_solid(tokens, i + 1)
        indexed = False
        while is_sign(tokens, end, "["):
            end, indexed = next_solid(tokens, closing(tokens, end) + 1), True
        text = "".join(t.text for t in tokens[end : end + 3] if t.kind == "sign")
        if _ASSIGNS.match(text) and (indexed or not text.startswith("=") or not is_sign(tokens, before, ",")):
            yield Misplaced("constant-written", token.line, {"name": token.text})


def _on_host(tokens: list[Token], body: range, function: Function, declared: Declarations) -> Iterator[Misplaced]:
    alone = {f.name for f in declared.functions if f.side == DEVICE and not f.member}
    alone -= {f.name for f in declared.functions if f.side in (HOST, BOTH, KERNEL) or f.member}
    methods = {f.name for f in declared.functions if f.side == DEVICE and f.member}
    methods -= {f.name for f in declared.functions if f.side in (HOST, BOTH)} | STD_METHODS
    variables = {v.name for v in declared.variables if v.side == DEVICE}
    variables -= {v.name for v in declared.variables if v.side != DEVICE}
    own = _declared_in(tokens, range(function.name_at, body.stop))
    for i in body:
        token = tokens[i]
        if token.kind != "name" or token.text in own:
            continue
        before, after = previous_solid(tokens, i - 1), next_solid(tokens, i + 1)
        member = tokens[before].kind == "sign" and tokens[before].text in (".", "->")
        called = is_sign(tokens, angle_end(tokens, after) if is_sign(tokens, after, "<") else after, "(")
        values: dict[str, object] = {"name": token.text, "caller": function.name}
        function_of_device = not member and (token.text in alone or _DEVICE_ALONE.fullmatch(token.text))
        if called and (function_of_device or (is_sign(tokens, before, ".") and token.text in methods)):
            yield Misplaced("device-called-by-host", token.line, values)
        elif token.text == "__shared__":
            yield Misplaced("shared-on-host", token.line, values)
        elif token.text in variables and not member and not _as_symbol(tokens, i):
            yield Misplaced("device-variable-on-host", token.line, values)


def _declared_in(tokens: list[Token], body: range) -> set[str]:
    """Names that a function declares itself, its parameters included: a type stands before each."""
    own = set()
    for i in body:
        if tokens[i].kind != "name":
            continue
        before = previous_solid(tokens, i - 1)
        sign = tokens[before].text if tokens[before].kind == "sign" else ""
        typed = tokens[before].kind == "name" and tokens[before].text not in ("return", "else", "do", "case", "delete")
        pointed = sign in ("*", "&", ">") and _after_type(tokens, before)
        if typed or pointed:
            own.add(tokens[i].text)
    return own


def _after_type(tokens: list[Token], sign: int) -> bool:
    """Whether `*`, `&` or `>` belongs to a type: `float* x`, and not `a * x`, `(&x`."""
    name = previous_solid(tokens, sign - 1)
    while tokens[name].kind == "sign" and tokens[name].text in "*&":
        name = previous_solid(tokens, name - 1)
    if tokens[name].kind != "name":
        return False
    opens = previous_solid(tokens, name - 1)
    return tokens[opens].kind == "name" or tokens[opens].text in (";", "{", "}", "(", ",", "<", "::")


def _as_symbol(tokens: list[Token], i: int) -> bool:
    """Whether a device variable is named for the runtime's symbol functions, or its size or type is asked."""
    k = i
    depth = 0
    while k >= 0 and not (tokens[k].kind == "sign" and tokens[k].text in (";", "{", "}")):
        depth += is_sign(tokens, k, ")") - is_sign(tokens, k, "(")
        if depth < 0:
            name = tokens[previous_solid(tokens, k - 1)].text
            if re.search(r"Symbol|^sizeof$|^decltype$|^typeof$|^__typeof__$|^alignof$", name):
                return True
            if name in ("cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync"):
                return False
            depth = 0
        k -= 1
    return tokens[previous_solid(tokens, i - 1)].text == "sizeof"


def _computed(tokens: list[Token], on_device: Sequence[range]) -> Iterator[tuple[str, str, int]]:
    """Constants whose values call a function of <math.h>: name, function, line. Of static ones, those in
    the bodies `on_device`."""
    for i, token in enumerate(tokens):
        if token.kind != "name" or token.text not in _OF_CONSTANTS:
            continue
        if token.text == "static" and not any(i in body for body in on_device):
            continue
        equals = first_sign(tokens, i, "=({;})")
        if equals is None or not is_sign(tokens, equals, "="):
            continue
        value = range(equals, first_sign(tokens, equals, ";") or len(tokens))
        names = (k for k in value if tokens[k].kind == "name" and MATH.fullmatch(tokens[k].text))
        call = next((k for k in names if is_sign(tokens, next_solid(tokens, k + 1), "(")), None)
        if call is not None:
            yield tokens[previous_solid(tokens, equals - 1)].text, tokens[call].text, token.line


def vector_calls(tokens: list[Token], body: range) -> Iterator[tuple[str, int]]:
    """Name and line of each vector in a function's body that is made of several values in round brackets, or of one
    number: `float2(1, 2)`, `float2 v(1, 2)`, `float4(0.0f)`, `(float4)0`. Of one value that is no number, it may be a
    vector itself, or a class that becomes one."""
    for i in body:
        if tokens[i].kind != "name" or not _VECTOR.fullmatch(tokens[i].text):
            continue
        at = next_solid(tokens, i + 1)
        if is_sign(tokens, at, ")") and is_sign(tokens, previous_solid(tokens, i - 1), "("):
            if tokens[next_solid(tokens, at + 1)].kind == "number":
                yield tokens[i].text, tokens[i].line
            continue
        if tokens[at].kind == "name":  # the variable's
            at = next_solid(tokens, at + 1)
        if is_sign(tokens, at, "("):
            values = [_solid(piece) for piece in split_commas(tokens[at + 1 : closing(tokens, at)])]
            number = len(values) == 1 and [t.kind for t in values[0]] == ["number"]
            if number or (len(values) > 1 and not any(map(_declares, values))):
                yield tokens[i].text, tokens[i].line


def _solid(piece: list[Token]) -> list[Token]:
    return [t for t in piece if t.kind not in ("space", "directive")]


def _declares(value: list[Token]) -> bool:
    """Whether it is no value but a parameter, of a function that is declared here: a type alone, or before a name."""
    types = ("int", "float", "double", "char", "bool", "unsigned", "const")
    named = any(a.kind == b.kind == "name" for a, b in pairwise(value))
    return named or not value or value[0].text in types or _VECTOR.fullmatch(value[0].text) is not None

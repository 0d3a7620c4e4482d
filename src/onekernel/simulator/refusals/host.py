"""What the host has alone, on the device: its standard library, whose functions and containers CUDA compiles for the
host; and the addresses of its constants: CUDA gives a kernel their values alone, and g++ binds references."""

from __future__ import annotations

import re
from collections.abc import Iterator

from onekernel.simulator.facts.declarations import angle_end
from onekernel.simulator.facts.functions import BOTH, DEVICE, Declarations, Function, default_at
from onekernel.simulator.facts.names import INDICES, INTEGERS, is_integer, named
from onekernel.simulator.facts.tokens import Token, closing, is_sign, next_solid, one_line, previous_solid, split_commas

# Names of std that device code cannot have: containers, algorithms and whatever else is not constexpr in C++17.
_HOST = frozenset(
    """
vector string map unordered_map multimap set unordered_set list deque queue priority_queue stack function any thread
jthread mutex lock_guard unique_lock condition_variable future async atomic atomic_ref unique_ptr shared_ptr weak_ptr
make_unique make_shared cout cerr clog cin endl ostream ofstream ifstream stringstream ostringstream to_string stoi stof
random_device mt19937 mt19937_64 normal_distribution uniform_real_distribution bitset valarray exception runtime_error
logic_error sort stable_sort partial_sort nth_element accumulate reduce transform_reduce inner_product iota partial_sum
copy copy_n fill fill_n transform for_each generate swap exchange reverse rotate shuffle find find_if count count_if
equal div ldiv lldiv
    """.split()  # noqa: SIM905
)
STREAMS = ("cout", "cerr", "clog", "endl")
# Of std's containers and smart pointers: whose method a host calls by such a name, the text does not show.
STD_METHODS = frozenset(
    """
operator size begin end data get clear empty at front back push pop top insert erase find count swap reset wait load
store
    """.split()  # noqa: SIM905
)
# Of these no method that a kernel would call is constexpr.
_CONTAINERS = frozenset(
    """
vector string map unordered_map multimap set unordered_set list deque queue priority_queue stack function atomic
unique_ptr shared_ptr weak_ptr valarray
    """.split()  # noqa: SIM905
)
# constexpr functions of the host, and types that have no others: nvcc 13.0 takes them on the device with a flag alone,
# a constant's value, a case and an array's size included. Of std::move and std::forward it takes all.
_RELAXED = frozenset(
    """
max min minmax clamp gcd lcm make_pair make_tuple tuple get tie array optional complex string_view addressof as_const
size begin end data distance next prev apply invoke max_element min_element
    """.split()  # noqa: SIM905
)
_LIMITS = ("max", "min", "lowest", "epsilon", "infinity", "quiet_NaN", "signaling_NaN", "denorm_min", "round_error")
# Of an integer these are templates of the host's <cmath>; of float and double CUDA has its own, of abs and pow all.
_OF_REALS = frozenset(
    """
sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc
tgamma lgamma ceil floor trunc round rint nearbyint fabs atan2 fmin fmax fmod remainder hypot copysign fdim
    """.split()  # noqa: SIM905
)
_NO_TYPES = frozenset(("return", "else", "case", "throw", "do", "sizeof"))
_COMPARE = frozenset(("max", "min", "clamp"))
_VARIABLE = re.compile(r"(?!k[A-Z])[a-z]\w*")
_VALUES = ("name", "number", "string")


def relaxed_on_device(tokens: list[Token], body: range, function: Function) -> Iterator[tuple[str, int, bool]]:
    """What nvcc takes in a function of the device with --expt-relaxed-constexpr alone: name, line, and whether it is a
    function of real numbers that is given an integer."""
    integers = _integers(tokens, body, function)
    for i in body:
        token = tokens[i]
        if token.kind != "name":
            continue
        before, after = previous_solid(tokens, i - 1), next_solid(tokens, i + 1)
        qualified = is_sign(tokens, before, "::")
        of_std = qualified and _is_std(tokens, previous_solid(tokens, before - 1))
        if of_std and token.text == "numeric_limits" and is_sign(tokens, after, "<"):
            member = next_solid(tokens, next_solid(tokens, angle_end(tokens, after)) + 1)
            if member < len(tokens) and tokens[member].text in _LIMITS:
                yield f"std::numeric_limits::{tokens[member].text}", token.line, False
        elif of_std and token.text in _RELAXED:
            yield f"std::{token.text}", token.line, False
        elif token.text in _OF_REALS and is_sign(tokens, after, "(") and (of_std or not qualified):
            member = is_sign(tokens, before, ".") or is_sign(tokens, before, "->") or tokens[before].text in INTEGERS
            given = split_commas(tokens[after + 1 : closing(tokens, after)])
            if not member and any(_is_integer(value, integers) for value in given):
                yield f"{'std::' if of_std else ''}{token.text}", token.line, True


def _integers(tokens: list[Token], body: range, function: Function) -> set[str]:
    """The names that a function declares as integers, and as nothing else."""
    found: dict[str, bool] = {}
    code = [t for t in tokens[body.start : body.stop] if t.kind not in ("space", "directive")]
    types = [(one.name, one.type) for one in named(code, ()) if not one.is_array]
    for parameter in function.parameters(tokens):
        words = [t.text for t in parameter[: default_at(parameter)] if t.kind not in ("space", "directive")]
        types.append((words[-1], tuple(words[:-1])))
    for name, kind in types:
        found[name] = is_integer(kind) and found.get(name, True)
    return {name for name, is_one in found.items() if is_one}


def _is_integer(value: list[Token], integers: set[str]) -> bool:
    """Whether an expression is sure to be an integer: of names and numbers that are, and of signs between them."""
    known = False
    value = [t for t in value if t.kind not in ("space", "directive")]
    for k, token in enumerate(value):
        if token.kind == "name":
            index = token.text in INDICES or (k > 1 and value[k - 1].text == "." and value[k - 2].text in INDICES)
            if token.text not in integers and not index:
                return False
            known = True
        elif token.kind == "number":
            if not re.fullmatch(r"(?:0[xX][\da-fA-F]+|\d+)[uUlL]*", token.text):
                return False
            known = True
        elif token.text not in ("+", "-", "*", "/", "%", "(", ")", "."):
            return False
    return known


def std_on_device(
    tokens: list[Token], body: range, function: Function, declared: Declarations
) -> Iterator[tuple[str, int]]:
    """The names of std that a function of the device has, and their lines: of what it uses itself, and of the types of
    its parameters, of the device's variables and of classes' members where it uses what they hold."""
    using = (i for i, t in enumerate(tokens) if t.text == "using")
    plain = any(one_line(tokens[i : i + 5]) == "using namespace std" for i in using)
    held = _members(declared, plain)
    own = {**_variables(tokens, declared, plain), **_parameters(tokens, function, plain)}
    for i in body:
        token = tokens[i]
        if token.kind != "name":
            continue
        before, after = previous_solid(tokens, i - 1), next_solid(tokens, i + 1)
        of_std = is_sign(tokens, before, "::") and _is_std(tokens, previous_solid(tokens, before - 1))
        bare = plain and is_sign(tokens, after, "<") and token.text in ("vector", "map", "set")
        if token.text in _HOST and (of_std or bare):
            yield token.text, token.line
        elif tokens[after].kind == "sign" and tokens[after].text in ("[", ".", "->"):
            of = held if tokens[before].text in (".", "->") else own
            if token.text in of:
                yield of[token.text], token.line


def _is_std(tokens: list[Token], i: int) -> bool:
    """Whether a name is the host's std, and not cuda::std."""
    outer = previous_solid(tokens, i - 1)
    inner = is_sign(tokens, outer, "::") and tokens[previous_solid(tokens, outer - 1)].text == "cuda"
    return tokens[i].text == "std" and not inner


def _container(words: list[str], plain: bool) -> str | None:
    """Which container of std a declaration's words begin with; none for a pointer to one. `plain`: std's names need no
    std."""
    words = [w for w in words if w not in ("const", "__device__", "static", "volatile")]
    std = words[:2] == ["std", "::"] and words[2:3]
    name = words[2] if std else words[0] if plain and words else ""
    return name if name in _CONTAINERS and "*" not in words else None


def _members(declared: Declarations, plain: bool) -> dict[str, str]:
    """The members of classes whose every type of that name is a container: the object's class is not looked for."""
    held: dict[str, str | None] = {}
    for member in declared.members:
        kind = _container(list(member.words), plain)
        held[member.name] = kind if held.get(member.name, kind) else None
    return {name: kind for name, kind in held.items() if kind}


def _variables(tokens: list[Token], declared: Declarations, plain: bool) -> dict[str, str]:
    found = {}
    for v in (v for v in declared.variables if v.side == DEVICE):
        words = [t.text for t in tokens[v.begin : v.begin + 12] if t.kind not in ("space", "directive")]
        if kind := _container(words, plain):
            found[v.name] = kind
    return found


def _parameters(tokens: list[Token], function: Function, plain: bool) -> dict[str, str]:
    found = {}
    for piece in function.parameters(tokens):
        words = [t.text for t in piece if t.kind not in ("space", "directive")]
        if kind := _container(words, plain):
            found[words[-1]] = kind
    return found


def addressed(
    tokens: list[Token], body: range, function: Function, declared: Declarations
) -> Iterator[tuple[str, int]]:
    """Name and line of each constant of the host that a function of the device takes the address of: `&n`, a reference
    `const int& m = n;`, an argument of a function of the file that takes a reference."""
    known = [v for v in declared.variables if v.side == BOTH and not v.bracketed and _is_constant(tokens, v.begin)]
    constants = {v.name for v in known}
    objects = {v.name for v in known if not any(t.text == "*" for t in _type(tokens, v.begin))}
    objects -= {f.name for f in declared.functions}
    if constants.isdisjoint(tokens[i].text for i in body):
        return
    references: dict[str, frozenset[int]] = {}
    for f in declared.functions:
        references[f.name] = references.get(f.name, _by_reference(tokens, f)) & _by_reference(tokens, f)
    constants -= {t.text for t in tokens[function.name_at : body.start]}
    constants -= {tokens[i].text for i in body if tokens[i].text in constants and _is_declared(tokens, i)}
    for i in (i for i in body if tokens[i].text in constants):
        before, after = previous_solid(tokens, i - 1), _behind_members(tokens, i)
        alone = tokens[after].text in (",", ")", ";", "}")
        asked = tokens[after].text in ("[", "(") and tokens[i].text in objects
        if asked and _varies(tokens, after, body.start, constants):
            yield tokens[i].text, tokens[i].line
        if tokens[before].text == "&":
            left = tokens[previous_solid(tokens, before - 1)]
            if left.kind not in _VALUES and left.text not in (")", "]", "&") and not _followed(tokens, before, after):
                yield tokens[i].text, tokens[i].line
        elif tokens[before].text == "=" and tokens[after].text == ";":
            name = previous_solid(tokens, before - 1)
            if tokens[previous_solid(tokens, name - 1)].text == "&":
                yield tokens[i].text, tokens[i].line
        elif alone and tokens[before].text in ("(", ","):
            called, number = _argument(tokens, before, body.start)
            if number in references.get(called, ()) or _compared(tokens, before, body.start, called, constants):
                yield tokens[i].text, tokens[i].line


def _behind_members(tokens: list[Token], i: int) -> int:
    """Behind a name and the members of it that follow: `pair.low.x`."""
    after = next_solid(tokens, i + 1)
    while tokens[after].text == ".":
        after = next_solid(tokens, next_solid(tokens, after + 1) + 1)
    return after


def _followed(tokens: list[Token], sign: int, after: int) -> bool:
    """Whether an address is followed where it is taken, which leaves the value: `*&n`, `*(&n)`, `(&pair)->low`."""
    left = previous_solid(tokens, sign - 1)
    while tokens[left].text == "(" and tokens[after].text == ")":
        left, after = previous_solid(tokens, left - 1), next_solid(tokens, after + 1)
    return tokens[left].text == "*" or tokens[after].text == "->"


def _compared(tokens: list[Token], i: int, begin: int, called: str, constants: set[str]) -> bool:
    """Whether std::max or its kin is given a constant and a variable: it returns a reference to one of them. In doubt,
    where a name may be a macro's or a constant's, nvcc may compute the value."""
    while i > begin and tokens[i].text != "(":  # arguments that are no names or numbers are left alone
        i -= 1
    name = previous_solid(tokens, i - 1)
    scope = previous_solid(tokens, name - 1)
    if called not in _COMPARE or tokens[name].text != called or tokens[scope].text != "::":
        return False
    return tokens[previous_solid(tokens, scope - 1)].text == "std" and _varies(tokens, i, begin, constants)


def _varies(tokens: list[Token], bracket: int, begin: int, constants: set[str]) -> bool:
    """Whether variables stand in these brackets, in a statement whose value is not computed by the compiler: nvcc then
    calls what stands before them, with the constant's address."""
    given = [t for t in tokens[bracket + 1 : closing(tokens, bracket)] if t.kind == "name"]
    start = next(k for k in range(bracket, begin - 1, -1) if k == begin or tokens[k].text in (";", "{", "}"))
    computed = any(t.text in ("constexpr", "static_assert", "__shared__") for t in tokens[start:bracket])
    return not computed and any(t.text not in constants and _VARIABLE.fullmatch(t.text) for t in given)


def _type(tokens: list[Token], begin: int) -> list[Token]:
    """What stands before a variable's value, from where its declaration begins."""
    end = begin
    while end < len(tokens) and tokens[end].text not in ("=", ";", "{"):
        end += 1
    return tokens[begin:end]


def _is_constant(tokens: list[Token], begin: int) -> bool:
    """Not __managed__, __device__ or __constant__, which the device has."""
    return not {t.text for t in _type(tokens, begin)} & {"__managed__", "__device__", "__constant__"}


def _is_declared(tokens: list[Token], i: int) -> bool:
    before = tokens[previous_solid(tokens, i - 1)]
    return before.kind == "name" and before.text not in _NO_TYPES


def _argument(tokens: list[Token], i: int, begin: int) -> tuple[str, int]:
    """What is called with the argument behind the comma or bracket at `i`, and the argument's number."""
    number = depth = 0
    while i > begin:
        text = tokens[i].text if tokens[i].kind == "sign" else ""
        if text == "(" and depth == 0:
            return tokens[previous_solid(tokens, i - 1)].text, number
        depth += (text in (")", "]", "}")) - (text in ("(", "[", "{"))
        number += text == "," and depth == 0
        i -= 1
    return "", 0


def _by_reference(tokens: list[Token], f: Function) -> frozenset[int]:
    """The numbers of the parameters that are references."""
    return frozenset(k for k, p in enumerate(f.parameters(tokens)) if any(t.text == "&" for t in p))

"""The host's standard library on the device: its functions and containers, which CUDA compiles for the host alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from onekernel.simulator.facts.declarations import angle_end
from onekernel.simulator.facts.functions import DEVICE, Declarations, Function, default_at
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

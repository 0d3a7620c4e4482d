"""The host's standard library on the device: its functions and containers, which CUDA compiles for the host alone."""

from __future__ import annotations

from collections.abc import Iterator

from onekernel.simulator.facts.functions import DEVICE, Declarations, Function
from onekernel.simulator.facts.tokens import Token, is_sign, next_solid, one_line, previous_solid

# Names of std that device code cannot have: containers, algorithms and whatever else is not constexpr in C++17.
_HOST = frozenset(
    """
vector string map unordered_map multimap set unordered_set list deque queue priority_queue stack function any thread
jthread mutex lock_guard unique_lock condition_variable future async atomic atomic_ref unique_ptr shared_ptr weak_ptr
make_unique make_shared cout cerr clog cin endl ostream ofstream ifstream stringstream ostringstream to_string stoi stof
random_device mt19937 mt19937_64 normal_distribution uniform_real_distribution bitset valarray exception runtime_error
logic_error sort stable_sort partial_sort nth_element accumulate reduce transform_reduce inner_product iota partial_sum
copy copy_n fill fill_n transform for_each generate swap exchange reverse rotate shuffle find find_if count count_if
equal
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

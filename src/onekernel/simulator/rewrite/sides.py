"""Host and device, for g++, which knows no sides: what the host alone has gets an attribute, so that g++ tells of each
use, of which `compilation/sides.py` keeps those on the device; the values that CUDA wants to know are asked for."""

from __future__ import annotations

from onekernel.simulator.facts.functions import DEVICE, HOST, Declarations
from onekernel.simulator.facts.tokens import Token, closing, first_sign, next_solid, previous_solid


def mark(tokens: list[Token], declared: Declarations, guarded: bool) -> list[Token]:
    """Puts an attribute before what the host alone has, and asks for constant initial values where CUDA does.
    `guarded`: a function of the host also looks where it runs, since a kernel may be led there by a pointer, or by a
    function of both sides."""
    marks: dict[int, str] = {}
    for f in declared.functions:
        if f.side == HOST:
            # Its accesses are nobody's to check: a page that is closed stops it where it touches device memory.
            quiet = "OK_QUIET " if f.body is not None and "constexpr" not in f.head else ""
            marks[f.begin] = quiet + ("OK_HOST_ONLY " if f.name != "main" else "")
            if quiet and guarded and f.body is not None:
                marks[f.body + 1] = f' ::__ok::ok_of_host("{f.name}"); '
        elif f.on_device and f.body is not None:
            for i in range(f.body, closing(tokens, f.body)):
                if tokens[i].kind == "name" and tokens[i].text == "static" and _is_plain_static(tokens, i):
                    marks[i] = _asked_value(tokens, i)
    in_constexpr = {
        i for f in declared.functions if f.body is not None and "constexpr" in f.head
        for i in range(f.body, closing(tokens, f.body)) if tokens[i].text == "warpSize"
    }  # fmt: skip
    for v in declared.variables:
        if v.side == DEVICE and v.bracketed:
            continue  # g++ takes `__constinit float (*f)(float)` for a function's
        begin = v.begin if tokens[v.begin].text != "__extension__" else next_solid(tokens, v.begin + 1)
        of_host = "OK_HOST_MEMBER " if v.owner else "OK_HOST_ONLY "
        marks[begin] = {HOST: of_host, DEVICE: _asked_value(tokens, begin)}.get(v.side, "")
    out: list[Token] = []
    for i, token in enumerate(tokens):
        if marks.get(i):
            out.append(Token("mark", marks[i], token.line))
        member = i in in_constexpr and tokens[previous_solid(tokens, i - 1)].text in (".", "->")
        out.append(Token("name", "::__ok::warp_size()", token.line) if i in in_constexpr and not member else token)
    return out


def _asked_value(tokens: list[Token], i: int) -> str:
    """What asks for a constant value in the declaration that begins at `i`, by whether a value is written there."""
    first = first_sign(tokens, i, "={;")
    return "OK_CONSTANT_START " if first is None or tokens[first].text == ";" else "OK_CONSTANT_VALUE "


def _is_plain_static(tokens: list[Token], i: int) -> bool:
    """Whether `static` declares a variable that is neither __shared__ nor constexpr, and not a function."""
    while not (tokens[i].kind == "sign" and tokens[i].text in "(=;[{"):
        if tokens[i].text in ("__shared__", "constexpr", "consteval"):
            return False
        i += 1
    return tokens[i].text != "("

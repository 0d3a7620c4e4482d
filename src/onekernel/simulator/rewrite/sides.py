"""Host and device in one compilation, for g++, which knows no sides.

What the host alone has gets an attribute, so that g++ tells of each use, of which `compilation/diagnostics.py` keeps
those on the device; the values that CUDA wants to know are asked for.

nvcc compiles a file once for the device and once for the host, where `__CUDA_ARCH__` is no macro. Here one compilation
serves both, with the macro defined. So within a function of the host an `#if` asks for a name that nobody defines, and
one of host and device has both bodies, the host's behind the device's, of which the first lines ask where they run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from onekernel.simulator.facts.conditionals import HOST_VIEW, active, asks_for_the_card, of_no_card
from onekernel.simulator.facts.declarations import declarations
from onekernel.simulator.facts.functions import BOTH, DEVICE, HOST, Declarations, qualifiers_in
from onekernel.simulator.facts.macros import DEFINE
from onekernel.simulator.facts.tokens import (
    Token,
    closing,
    first_sign,
    is_sign,
    next_solid,
    previous_solid,
    tokenize,
    with_calls,
)

_ON_DEVICE = " if (!__builtin_is_constant_evaluated() && ::__ok::ok_on_device()) {"
_ON_HOST = "} else {"


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
    out = list(tokens)
    for i in in_constexpr:
        if tokens[previous_solid(tokens, i - 1)].text not in (".", "->"):
            out[i] = Token("name", "::__ok::warp_size()", tokens[i].line)
    return with_calls(out, {i: text for i, text in marks.items() if text})


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


def on_their_sides(
    tokens: list[Token], whole: list[Token], defined: Mapping[str, frozenset[str]], path: Path, arch: str
) -> list[Token]:
    """The tokens with what the host has. `whole`: the same, token for token, with what a compiler for the device leaves
    out; `defined`: what `macros.macros` gives."""
    declared = declarations(tokens, defined)
    seen = {HOST_VIEW: {id(t) for t in active(whole, HOST_VIEW)}, arch: {id(t) for t in active(whole, arch)}}

    def on_host(begin: int, end: int) -> list[Token]:
        out = []
        for token, kept in zip(whole[begin:end], tokens[begin:end], strict=True):
            if asks_for_the_card(token):
                out.append(Token("directive", of_no_card(token.text), token.line))
            elif id(token) in seen[HOST_VIEW]:
                out.append(kept if id(token) in seen[arch] else token)
            elif kept.kind == "directive":
                out.append(kept)
            else:
                out.append(Token("space", "\n" * token.text.count("\n") or " ", token.line))
        return out

    out: list[Token] = []
    at = 0
    for begin, end, side in _bodies(tokens, declared, defined):
        if begin < at or not any(asks_for_the_card(t) for t in whole[begin:end]):
            continue
        out += tokens[at:begin]
        if side == HOST:
            out += on_host(begin, end)
        else:
            again = Token("directive", f'\n#line {tokens[begin].line} "{path}"\n', tokens[begin].line)
            out += [Token("mark", _ON_DEVICE, tokens[begin].line), *tokens[begin:end]]
            out += [Token("mark", _ON_HOST, tokens[begin].line), again, *_relabelled(on_host(begin, end))]
            out.append(Token("mark", "}", tokens[end - 1].line))
        at = end
    return out + tokens[at:]


def _relabelled(body: list[Token]) -> list[Token]:
    """With other names for its labels: a function has but one of a name, and the device's body has these."""
    solid = [(i, t) for i, t in enumerate(body) if t.kind not in ("space", "directive")]
    aims = {after.text for (_, t), (_, after) in pairwise(solid) if t.text == "goto"}
    for (_, before), (i, token), (_, after) in zip(solid, solid[1:], solid[2:], strict=False):
        if token.text in aims and (before.text == "goto" or (after.text == ":" and before.text != "?")):
            body[i] = Token("name", f"{token.text}_OK_HOST", token.line)
    return body


def _bodies(
    tokens: list[Token], declared: Declarations, defined: Mapping[str, frozenset[str]]
) -> Iterator[tuple[int, int, str]]:
    """What is between the braces of each function that the host has, in order; of one of the host alone in pieces,
    between those of lambdas and members in it that the device has, too."""
    for f in sorted((f for f in declared.functions if f.body is not None), key=lambda f: f.body or 0):
        assert f.body is not None
        begin, end = f.body + 1, closing(tokens, f.body)
        if f.side == BOTH:
            yield begin, end, BOTH
        elif f.side == HOST:
            for opens, closes, both in _on_device(tokens, begin, end, defined):
                yield begin, opens, HOST
                if both:
                    yield opens, closes, BOTH
                begin = closes
            yield begin, end, HOST


def _on_device(
    tokens: list[Token], begin: int, end: int, defined: Mapping[str, frozenset[str]]
) -> Iterator[tuple[int, int, bool]]:
    """Where the bodies of lambdas and of members of local classes begin and end that have CUDA's qualifiers; whether
    the host has them, too."""
    i = begin
    while i < end:
        words: frozenset[str] = frozenset()
        while i < end and (more := qualifiers_in([tokens[i].text], defined)):
            words |= more
            i = next_solid(tokens, i + 1)
        while "__device__" in words and i < end and not is_sign(tokens, i, ";"):
            if is_sign(tokens, i, "{"):
                yield i + 1, closing(tokens, i), "__host__" in words
                i = closing(tokens, i)
                break
            i = closing(tokens, i) + 1 if is_sign(tokens, i, "(") else i + 1
        i += 1


def differing(tokens: list[Token], arch: str) -> dict[str, int]:
    """Macros that conditions on the card make others for the host, or none, and the lines that do it."""
    of_host, of_card = (_macros(active(tokens, side)) for side in (HOST_VIEW, arch))
    none = ("", 0)
    return {
        name: line
        for name, (_, line) in (of_host | of_card).items()
        if of_host.get(name, none)[0] != of_card.get(name, none)[0]
    }


def _macros(tokens: list[Token]) -> dict[str, tuple[str, int]]:
    """The text of each macro, and where it stands."""
    defines = ((DEFINE.match(t.text), t.line) for t in tokens if t.kind == "directive")
    return {match["name"]: (match[0], line) for match, line in defines if match}


def words_on_host(
    tokens: list[Token], declared: Declarations, defined: Mapping[str, frozenset[str]]
) -> dict[str, int]:
    """The names in functions that the host has, directives included, and the line of each one's first use. Of two
    bodies the host has the second."""
    found: dict[str, int] = {}
    for begin, end, _ in _bodies(tokens, declared, defined):
        of_card = False
        for token in tokens[begin:end]:
            if token.kind == "mark":
                of_card = token.text == _ON_DEVICE
            inner = tokenize(token.text[1:]) if token.kind == "directive" else (token,)
            for name in (t.text for t in inner if t.kind == "name" and not of_card):
                found.setdefault(name, token.line)
    return found

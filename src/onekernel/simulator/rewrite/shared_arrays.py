"""`__shared__` declarations become references into the arena that each block owns."""

from __future__ import annotations

from onekernel.simulator.facts.statements import expression_end
from onekernel.simulator.facts.tokens import (
    Token,
    closing,
    is_sign,
    next_solid,
    one_line,
    opening,
    previous_solid,
    text_of,
)

ARENA = "ok_arena_"
"""Before the name of an `extern __shared__` array: a declaration that compilers compare with others of that name."""


class BadDeclaration(Exception):
    """A __shared__ declaration that CUDA does not allow: `line` and the message's `key`."""

    def __init__(self, line: int, key: str) -> None:
        super().__init__(key)
        self.line = line
        self.key = key


def rewrite_shared(tokens: list[Token]) -> list[Token]:
    """Replaces every __shared__ declaration. Raises BadDeclaration for one with an initialiser."""
    i = 0
    while i < len(tokens):
        if tokens[i].kind == "name" and tokens[i].text == "__shared__" and _is_parameter(tokens, i):
            tokens[i] = Token("space", " ", tokens[i].line)  # nvcc reads past it
        elif tokens[i].kind == "name" and tokens[i].text == "__shared__":
            begin = _begin(tokens, i)
            end = expression_end(tokens, i, len(tokens), ";")
            new = _declaration(tokens[begin:end], tokens[i].line, _at_namespace_scope(tokens, begin))
            tokens[begin : end + 1] = [Token("declaration", new, tokens[begin].line)]
            i = begin
        i += 1
    return tokens


def _is_parameter(tokens: list[Token], i: int) -> bool:
    """Whether the brackets of a parameter list are open at `i`, and no brace within them."""
    depth = 0
    while i > 0 and depth >= 0:
        i -= 1
        if tokens[i].kind == "sign":
            if tokens[i].text in ";{}":
                return False
            depth += (tokens[i].text == ")") - (tokens[i].text == "(")
    return depth < 0


def _begin(tokens: list[Token], i: int) -> int:
    """Where the statement begins: `__shared__` stands before the type or behind it, `extern double __shared__ s[]`."""
    begin = i
    while True:
        before = previous_solid(tokens, begin - 1)
        if before < 0 or tokens[before].kind in ("directive", "declaration") or tokens[before].text in ("else", "do"):
            return begin
        if is_sign(tokens, before, ")"):
            name = previous_solid(tokens, opening(tokens, before, "(", ")") - 1)
            if name < 0 or tokens[name].text not in ("__align__", "alignas", "decltype", "__attribute__"):
                return begin
            begin = name
        elif tokens[before].kind == "sign" and tokens[before].text in "{};:":
            return begin
        else:
            begin = before


def _at_namespace_scope(tokens: list[Token], end: int) -> bool:
    """True if every brace that is open at `end` belongs to a namespace or to extern "C"."""
    opened: list[bool] = []
    for i, token in enumerate(tokens[:end]):
        if token.kind != "sign":
            continue
        if token.text == "{":
            before = previous_solid(tokens, i - 1)
            outer = previous_solid(tokens, before - 1)
            words = [tokens[k].text for k in (before, outer) if k >= 0]
            opened.append("namespace" in words or words == ['"C"', "extern"])
        elif token.text == "}" and opened:
            opened.pop()
    return all(opened)


def _declaration(tokens: list[Token], line: int, at_namespace_scope: bool) -> str:
    external = False
    aligns: list[str] = []
    kept: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.kind == "name" and token.text in ("__shared__", "static", "extern", "inline"):
            external |= token.text == "extern"
        elif token.kind == "name" and token.text in ("__align__", "alignas"):
            bracket = next_solid(tokens, i + 1)
            close = closing(tokens, bracket)
            aligns.append(one_line(tokens[bracket + 1 : close]))
            i = close
        elif is_sign(tokens, i, "[") and is_sign(tokens, i + 1, "["):
            i = closing(tokens, i)  # [[maybe_unused]]
        else:
            kept.append(token)
        i += 1
    names: list[tuple[str, bool]] = []  # name, and whether its outermost extent is left open
    depth = angle = 0
    last_name = -1
    found = False
    for k, token in enumerate(kept):
        if token.kind == "sign":
            if depth == 0 and not angle and token.text in "[,=" and not found and last_name >= 0:
                if token.text == "=":
                    raise BadDeclaration(token.line, "shared-initialiser")
                names.append((kept[last_name].text, token.text == "[" and is_sign(kept, next_solid(kept, k + 1), "]")))
                kept[last_name] = Token("name", "ok_type_" + kept[last_name].text, kept[last_name].line)
                found = True
            if depth == 0 and token.text == "=":
                raise BadDeclaration(token.line, "shared-initialiser")
            if token.text == "," and depth == 0 and not angle:
                found, last_name = False, -1
            if token.text in "([{":
                depth += 1
            elif token.text in ")]}":
                depth -= 1
            elif depth == 0 and not found and token.text == "<":
                angle += 1
            elif depth == 0 and angle and token.text == ">":
                angle -= 1
        elif token.kind == "name" and depth == 0 and not angle and not found:
            last_name = k
    if not found and last_name >= 0:
        names.append((kept[last_name].text, False))
        kept[last_name] = Token("name", "ok_type_" + kept[last_name].text, kept[last_name].line)
    if not external and any(open_ended for _, open_ended in names):
        raise BadDeclaration(line, "shared-no-extern")
    out = "typedef " + text_of(kept).strip() + ";"
    for name, _ in names:
        out += " " + _reference(name, line, external, at_namespace_scope, aligns)
    return out


def _compared(name: str) -> str:
    """Of one name there is one array, of one type, also where it is a template's."""
    return f"[[maybe_unused]] extern ok_type_{name} {ARENA}{name};"


def _reference(name: str, line: int, dynamic: bool, at_namespace_scope: bool, aligns: list[str]) -> str:
    kind = f"ok_type_{name}"
    item = f"sizeof(std::remove_all_extents_t<{kind}>)"
    if dynamic and not at_namespace_scope:
        place = f'::__ok::ok_shared_dynamic("{name}", {line}, {item})'
        return f"{{ {_compared(name)} }} {kind}& {name} = *static_cast<{kind}*>({place});"
    size = "0" if dynamic else f"sizeof({kind})"
    align = f"alignof(std::remove_all_extents_t<{kind}>)"
    aligned = ""
    for n, extra in enumerate(aligns):  # a number or a type
        aligned += f"typedef struct alignas({extra}) {{ char of; }} ok_align{n}_{name}; "
        align = f"({align} > alignof(ok_align{n}_{name}) ? {align} : alignof(ok_align{n}_{name}))"
    inner = f"::__ok::columns<{kind}>, ::__ok::rows<{kind}>"
    site = f'{aligned}static ::__ok::SharedSite ok_site_{name}{{"{name}", {line}, {size}, {align}, {item}, {inner}}};'
    if at_namespace_scope:
        place = f"::__ok::ok_shared_at_namespace_scope(&ok_site_{name})"
        compared = f"{_compared(name)} " if dynamic else ""
        return f"{compared}{site} static {kind}& {name} = *static_cast<{kind}*>({place});"
    return f"{site} {kind}& {name} = *static_cast<{kind}*>(::__ok::ok_shared(&ok_site_{name}));"

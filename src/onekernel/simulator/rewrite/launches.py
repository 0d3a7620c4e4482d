"""`kernel<<<grid, block, shared, stream>>>(arguments)` becomes a call that keeps their names and, once, makes the
kernel's parameters of them on the host.

A kernel that its name alone does not tell, a template, one of an overloaded name, one with default arguments, has a
function of the host beside it. As nvcc's stub, it is called in place of the kernel and takes what the kernel takes, so
that the compiler itself finds the parameters and converts the arguments.

What names a kernel without launching it stands here, too, and what `__cluster_dims__(x, y, z)` and
`__launch_bounds__(n)` say, which becomes calls at the start of the kernel, whose threads tell them to the launch.
"""

from __future__ import annotations

import re

from onekernel.simulator.facts.functions import default_at, parameters
from onekernel.simulator.facts.kernels import heads, next_launch
from onekernel.simulator.facts.statements import expression_end
from onekernel.simulator.facts.tokens import (
    Token,
    closing,
    is_sign,
    next_solid,
    one_line,
    previous_solid,
    split_commas,
    text_of,
    tokenize,
    with_calls,
)

# What ends a parameter without a name, and what is no type by itself.
_TYPES = frozenset(
    ("int", "unsigned", "signed", "long", "short", "char", "bool", "float", "double", "const", "volatile", "wchar_t",
     "__restrict__", "__restrict", "restrict", "auto", "void", "char16_t", "char32_t")
)  # fmt: skip
_OF_ITSELF = frozenset(("const", "volatile", "__restrict__", "__restrict"))  # of a parameter, and not of its type
_NO_TYPES = frozenset(("const", "volatile", "typename", "struct", "class", "enum", "union", "__grid_constant__"))
_C_CAST = re.compile(r"^(\s*)\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)\s*&?")
_CAST = re.compile(r"^(\s*)reinterpret_cast\s*<\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*>\s*(\(.*\))$", re.DOTALL)
_CASTS = re.compile(
    r"(?:\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)|reinterpret_cast\s*<\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*>\s*\()$"
)
_CAST_TOKENS = 16  # of such a cast, spaces included
_BY_ADDRESS = ("cudaLaunchKernel", "cudaLaunchCooperativeKernel")
_NODES = ("cudaKernelNodeParams", "cudaKernelNodeParamsV2", "cudaGraphNodeParams")
CALLS = {"__cluster_dims__": "ok_cluster_dims(dim3({}))", "__launch_bounds__": "ok_launch_bounds({})"}


def stub_name(kernel: str) -> str:
    return f"ok_stub_{kernel}"


def has_stub(kernel: str, template_arity: dict[str, int], names: dict[str, int]) -> bool:
    return kernel in template_arity or names.get(kernel, 0) > 1


def write_stubs(tokens: list[Token], template_arity: dict[str, int], names: dict[str, int]) -> list[Token]:
    """The tokens with a stub before each declaration of a kernel that `has_stub`, on the same line. What is declared
    elsewhere has none: a friend, an instance or a specialization of a template."""
    written: dict[int, str] = {}
    for head in heads(tokens):
        header = tokens[slice(*head.template or (0, 0))]
        elsewhere = head.friend or (head.template and not one_line(header))
        if not elsewhere and has_stub(tokens[head.name_at].text, template_arity, names):
            _plain_packs(tokens, head.bracket)
            written[head.begin] = _stub(tokens, header, head.name_at, head.bracket)
    for i, token in enumerate(tokens):
        end = _using(tokens, i) if token.kind == "name" and token.text == "using" else None
        if end and has_stub(tokens[end].text, template_arity, names):
            # the stub comes along, wherever the kernel's name is taken
            written[i] = f"{one_line(tokens[i:end])}{stub_name(tokens[end].text)}; "
    return with_calls(tokens, written)


def _plain_packs(tokens: list[Token], bracket: int) -> None:
    """`const Rest... rest` as `Rest... rest`, `T* __restrict__... in` as `T*... in`: g++ finds no kernel of such a type
    (by its address, whichever way it is asked), and what is passed is the same."""
    for parameter in parameters(tokens[bracket + 1 : closing(tokens, bracket)]):
        for token in reversed(parameter if "..." in one_line(parameter) else []):
            if token.text in ("*", "&", "&&"):
                break  # what stands before it is not the parameter's own
            if token.text in _OF_ITSELF:
                token.kind, token.text = "space", " "


def _stub(tokens: list[Token], header: list[Token], name_at: int, bracket: int) -> str:
    close = closing(tokens, bracket)
    texts, types, values = ["const OkHow& ok_how"], [], []
    for k, parameter in enumerate(parameters(tokens[bracket + 1 : close])):
        equals = default_at(parameter)
        declared, default = parameter[:equals], parameter[equals:]
        name, named = _named(declared, f"ok_{k}")
        texts.append(f"{named} {one_line(default)}")
        pack = "..." if "..." in one_line(declared) else ""
        types.append(f"decltype({name}){pack}")
        values.append(name + pack)
    of = f"{one_line(header)}, " if header else ""
    is_defined = is_sign(tokens, next_solid(tokens, close + 1), "{")
    body = f" {{ return ok_how.template ok_run<{', '.join(types)}>({', '.join(values)}); }}" if is_defined else ";"
    head = f'extern "C++" template <{of}class OkHow> OK_QUIET inline int {stub_name(tokens[name_at].text)}'
    return f"{head}({', '.join(texts)}){body} "


def _named(parameter: list[Token], other: str) -> tuple[str, str]:
    """The name of a parameter, and its text; one without a name is given `other`."""
    solid = [i for i, t in enumerate(parameter) if t.kind not in ("space", "directive")]
    for k, i in enumerate(solid):  # a pointer or reference to a function or an array: `float (*f)(float)`
        if is_sign(parameter, i, "(") and k + 1 < len(solid) and parameter[solid[k + 1]].text in ("*", "&"):
            inner = [t for t in parameter[i : closing(parameter, i)] if t.kind == "name" and t.text not in _TYPES]
            if inner:
                return inner[-1].text, one_line(parameter)
            return other, f"{one_line(parameter[: solid[k + 1] + 1])}{other}{one_line(parameter[solid[k + 1] + 1 :])}"
    end = len(solid)
    while end and is_sign(parameter, solid[end - 1], "]"):  # `float x[4]`
        while end and not is_sign(parameter, solid[end - 1], "["):
            end -= 1
        end -= 1
    words = [parameter[i] for i in solid[:end]]
    before = [w.text for w in words[:-1] if w.text not in _NO_TYPES]
    last = words[-1] if words else None
    if last and last.kind == "name" and last.text not in _TYPES and before and before[-1] != "::":
        return last.text, one_line(parameter)
    at = solid[end] if end < len(solid) else len(parameter)
    return other, f"{one_line(parameter[:at])} {other}{one_line(parameter[at:])}"


def _using(tokens: list[Token], i: int) -> int | None:
    """The last name of `using a::b;`, or None."""
    end = i + 1
    while end < len(tokens) and (tokens[end].kind in ("name", "space") or is_sign(tokens, end, "::")):
        end += 1
    last = previous_solid(tokens, end - 1)
    of_scope = is_sign(tokens, previous_solid(tokens, last - 1), "::")
    return last if is_sign(tokens, end, ";") and of_scope and tokens[last].kind == "name" else None


def rewrite_launches(tokens: list[Token], template_arity: dict[str, int], names: dict[str, int]) -> list[Token]:
    """Replaces every launch. `template_arity`: template parameters of each kernel template; `names`: how often each
    kernel's name is defined."""
    i = 0
    while launch := next_launch(tokens, i):
        begin, close = launch.begin, launch.close
        kernel, config = tokens[begin : launch.chevrons], tokens[launch.chevrons + 3 : launch.end]
        arguments = tokens[launch.bracket + 1 : close]
        arguments = rewrite_launches(arguments, template_arity, names)
        for token in arguments:
            if token.kind == "name" and token.text == "NULL":
                token.text = "nullptr"
        pieces = split_commas(arguments)
        name = one_line(kernel)
        text = "\\n".join(_escaped(one_line(piece)) for piece in pieces)
        how = (
            f'::__ok::LaunchSite{{"{_escaped(name)}", "{text}", nullptr, ::__ok::Site()}}, '
            f"::__ok::Config({text_of(config)})"
        )
        if not _is_one_function(name, template_arity, names):
            chosen = f"[&](auto ok_type) OK_QUIET {{ return static_cast<decltype(ok_type)>({text_of(kernel)}); }}"
            launcher = f"::__ok::ok_stub_launcher<::__ok::__how>({how}, {chosen})"
            call = f"({_stub_of(kernel)}({launcher}{', ' if pieces else ''}{text_of(arguments)}))"
        else:
            call = f"(::__ok::ok_launcher<::__ok::__how>({how}, {text_of(kernel)}).ok_run({text_of(arguments)}))"
        tokens[begin : close + 1] = [Token("call", call, tokens[begin].line)]
        i = begin + 1
    return tokens


def _stub_of(kernel: list[Token]) -> str:
    """`name::kernel<float>` with the name of the kernel's stub."""
    end = next((i for i in range(len(kernel)) if is_sign(kernel, i, "<")), len(kernel))
    at = previous_solid(kernel, end - 1)
    return f"{text_of(kernel[:at])}{stub_name(kernel[at].text)}{text_of(kernel[at + 1 :])}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _is_one_function(name: str, template_arity: dict[str, int], names: dict[str, int]) -> bool:
    """Does the text alone name one function? Not a template whose arguments are deduced, nor an overloaded name."""
    if name.endswith("]"):
        return True  # of an array of kernels
    base = name.split("<")[0].split("::")[-1].strip()
    if names.get(base, 0) > 1:
        return False
    if base not in template_arity:
        return True
    if "<" not in name:
        return False
    inside = name[name.index("<") + 1 : name.rindex(">")]
    depth = count = 0
    for c in inside:
        depth += (c in "<([{") - (c in ">)]}")
        count += c == "," and depth == 0
    return count + 1 >= template_arity[base]


def plain_calls(tokens: list[Token], kernels: dict[str, int]) -> list[tuple[str, int]]:
    """Statements that call a kernel like any function, without <<<...>>>: the kernel's name and the line."""
    found = []
    for i, token in enumerate(tokens):
        if token.kind == "name" and token.text in kernels and is_sign(tokens, next_solid(tokens, i + 1), "("):
            before = previous_solid(tokens, i - 1)
            if any(is_sign(tokens, before, sign) for sign in (";", "{", "}")):
                found.append((token.text, token.line))
    return found


def uncast_kernels(tokens: list[Token]) -> list[Token]:
    """cudaLaunchKernel((void*)kernel, ...), node.func = (void*)kernel and a node {(void*)kernel, ...} need the kernel's
    own type: the cast goes."""
    has_nodes = any(t.text in _NODES for t in tokens)
    for i, token in enumerate(tokens):
        if has_nodes and token.text == "func" and is_sign(tokens, equals := next_solid(tokens, i + 1), "="):
            end = next(k for k in range(equals, len(tokens)) if is_sign(tokens, k, ";"))
            plain = _uncast(text_of(tokens[equals + 1 : end]))
            tokens[equals + 1 : end] = tokenize(plain, tokens[equals].line)
        if token.text == "cudaKernelNodeParams" and (brace := _initialiser(tokens, i)) is not None:
            whose = next(iter(split_commas(tokens[brace + 1 : closing(tokens, brace)])), [])
            tokens[brace + 1 : brace + 1 + len(whose)] = tokenize(_uncast(text_of(whose)), token.line)
        if token.kind != "name" or token.text not in _BY_ADDRESS:
            continue
        bracket = next_solid(tokens, i + 1)
        if not is_sign(tokens, bracket, "("):
            continue
        pieces = split_commas(tokens[bracket + 1 : closing(tokens, bracket)])
        first = text_of(pieces[0]) if pieces else ""
        if (plain := _uncast(first)) != first:
            tokens[bracket + 1 : bracket + 1 + len(pieces[0])] = tokenize(plain, tokens[bracket].line)
    return tokens


def _initialiser(tokens: list[Token], i: int) -> int | None:
    """The brace of `type name = {`, whose type stands at `i`."""
    brace = next_solid(tokens, next_solid(tokens, i + 1) + 1)
    brace = next_solid(tokens, brace + 1) if is_sign(tokens, brace, "=") else brace
    return brace if is_sign(tokens, brace, "{") else None


def keep_addresses(tokens: list[Token], kernels: dict[str, int]) -> list[Token]:
    """(void*)kernel, in a file that launches by address: which function it is, is kept where it loses its type."""
    if not any(t.text in _BY_ADDRESS for t in tokens):
        return tokens
    for i in range(len(tokens) - 1, -1, -1):
        if tokens[i].kind != "name" or tokens[i].text not in kernels:
            continue
        before = previous_solid(tokens, i - 1)
        begin = before if is_sign(tokens, before, "&") else i
        if not _CASTS.search(text_of(tokens[max(0, begin - _CAST_TOKENS) : begin]).rstrip()):
            continue
        end = _name_end(tokens, i)
        if not is_sign(tokens, next_solid(tokens, end), "("):
            kept = f"::__ok::kernel_address({text_of(tokens[i:end])})"
            tokens[begin:end] = tokenize(kept, tokens[i].line)
    return tokens


def _name_end(tokens: list[Token], i: int) -> int:
    """Behind a function's name and the arguments of its template, `name<int>`."""
    k = next_solid(tokens, i + 1)
    if not is_sign(tokens, k, "<"):
        return i + 1
    depth = 0
    while k < len(tokens):
        depth += is_sign(tokens, k, "<") - is_sign(tokens, k, ">")
        k += 1
        if not depth:
            break
    return k


def _uncast(text: str) -> str:
    return _CAST.sub(r"\1\2", _C_CAST.sub(r"\1", text))


def tell_attributes(tokens: list[Token]) -> list[Token]:
    """Puts the calls into every kernel that is defined with these attributes."""
    i = 0
    while i < len(tokens):
        if tokens[i].kind == "name" and tokens[i].text in CALLS:
            opening = next_solid(tokens, i + 1)
            close = closing(tokens, opening)
            values = one_line(tokens[opening + 1 : close])
            body = expression_end(tokens, close + 1, len(tokens), "{;")
            if is_sign(tokens, body, "{"):
                call = f" ::__ok::{CALLS[tokens[i].text].format(values)};"
                tokens.insert(body + 1, Token("call", call, tokens[body].line))
        i += 1
    return tokens

"""Kernels: what names them without launching them, and what `__cluster_dims__(x, y, z)` and `__launch_bounds__(n)` say,
which becomes calls at the start of the kernel, whose threads tell them to the launch."""

from __future__ import annotations

import re

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
)

_C_CAST = re.compile(r"^(\s*)\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)\s*&?")
_CAST = re.compile(r"^(\s*)reinterpret_cast\s*<\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*>\s*(\(.*\))$", re.DOTALL)
_CASTS = re.compile(
    r"(?:\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)|reinterpret_cast\s*<\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*>\s*\()$"
)
_CAST_TOKENS = 16  # of such a cast, spaces included
_BY_ADDRESS = ("cudaLaunchKernel", "cudaLaunchCooperativeKernel")
_NODES = ("cudaKernelNodeParams", "cudaKernelNodeParamsV2", "cudaGraphNodeParams")
CALLS = {"__cluster_dims__": "ok_cluster_dims(dim3({}))", "__launch_bounds__": "ok_launch_bounds({})"}


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

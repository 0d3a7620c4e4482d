"""nvcc's commonest refusals in the sentences that the simulator has for the same mistakes (messages/language.toml)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from onekernel.messages import Message

SIDES = "01-03-launch#launch"
_CALL = re.compile(
    r'calling a (?:constexpr )?__(?P<side>host|device)__ function\("(?P<callee>.+?)"\) from a '
    r'__(?:global|device|host)__ function\("(?P<caller>.+?)"\) is not allowed'
)
_UNDEFINED = re.compile(r'identifier "(?P<name>.+?)" is undefined(?P<device> in device code)?$')
_VARIABLE = re.compile(r'a __(?:device|constant)__ variable "(?P<name>.+?)" cannot be directly (?:read|written)')
_OVERLOAD = re.compile(r'(?P<many>no|more than one) instance of overloaded function "(?P<name>\w+)"')
_SHARED = re.compile(r"Entry function '(?P<name>[^']+)' uses too much shared data \((?P<bytes>0x[0-9a-f]+) bytes")
# Names that a file has only once it includes their header; nvcc brings the others itself.
_HEADERS = (
    (re.compile(r"u?int(?:8|16|32|64)_t|u?intptr_t"), "stdint.h"),
    (re.compile(r"(?:FLT|DBL)_\w+"), "float.h"),
    (re.compile(r"printf|fprintf|stderr|stdout|puts"), "stdio.h"),
    (re.compile(r"assert"), "assert.h"),
    (re.compile(r"CUDART_\w+"), "math_constants.h"),
    (re.compile(r"(?:__)?half2?|__(?:float2half|half2float|hadd|hmul)\w*"), "cuda_fp16.h"),
    (re.compile(r"(?:__)?nv_bfloat162?|__(?:float2bfloat16|bfloat162float)\w*"), "cuda_bf16.h"),
    (re.compile(r"cooperative_groups"), "cooperative_groups.h"),
)


def sentence(text: str, line: int | None, source: Sequence[str]) -> tuple[str, Message] | None:
    """(code, message) for what nvcc says of a line of `source`; None for what only its own words can say."""
    written = source[line - 1] if line and line <= len(source) else ""
    for say in (_of_calls, _of_names, _of_overloads, _of_declarations):
        said = say(text, written, "\n".join(source))
        if said is not None:
            key, values = said
            return key, Message(f"language.{key}", {"caller": _around(source, line), **values})
    return None


def _around(source: Sequence[str], line: int | None) -> str:
    """The function that a line stands in, by the nearest line above that begins at the margin and has brackets."""
    for text in reversed(source[: line or 0]):
        named = re.match(r"[A-Za-z_].*?\b(\w+)\s*\((?!\w+\)\s*\w)", text)
        if named:
            return named[1]
    return "-"


_Said = tuple[str, dict[str, object]] | None


def _of_calls(text: str, written: str, source: str) -> _Said:
    call = _CALL.search(text)
    if call is None:
        return None
    name, caller = plain(call["callee"], written), plain(call["caller"], written)
    if call["side"] == "device":
        return "device-called-by-host", {"name": name, "caller": caller}
    if "std::" in call["callee"]:
        return "std-on-device", {"name": f"std::{name}", "caller": caller}
    own = _declared(name, source) or name.startswith("operator")
    return ("function-of-host" if own else "library-of-host"), {"name": name, "caller": caller}


def _declared(name: str, source: str) -> bool:
    """Whether the file itself says what `name` is: with a body, or a type before it and a semicolon after it."""
    arguments = r"\s*\([^;{]{0,2000}\)"
    with_body = rf"\b{re.escape(name)}{arguments}[^;{{]{{0,200}}{{"
    alone = rf"^[ \t]*(?!return\b|else\b)[A-Za-z_][\w:<>*& \t]{{0,200}}[*& \t]{re.escape(name)}{arguments}\s*;"
    return re.search(with_body, source) is not None or re.search(alone, source, re.MULTILINE) is not None


def _of_names(text: str, written: str, source: str) -> _Said:
    if variable := _VARIABLE.search(text):
        return "device-variable-on-host", {"name": plain(variable["name"], written)}
    undefined = _UNDEFINED.search(text)
    if undefined is None:
        return None
    name = undefined["name"].split("::")[-1]
    if undefined["device"]:
        return "variable-of-host", {"name": name}
    header = header_of(name)
    return ("header-missing", {"name": name, "header": header}) if header else None


def header_of(name: str) -> str | None:
    """The header that has a name of CUDA's or C's, where nvcc does not bring it by itself."""
    return next((header for pattern, header in _HEADERS if pattern.fullmatch(name)), None)


def _of_overloads(text: str, written: str, source: str) -> _Said:
    overload = _OVERLOAD.search(text)
    if overload is None:
        return None
    name = overload["name"]
    if name.startswith("__shfl") and overload["many"] == "no":
        return "shuffle-type", {}
    if name.startswith("atomic") and overload["many"] == "no":
        return "atomic-type", {"name": name}
    return ("types-differ", {"name": name}) if overload["many"] != "no" else None


def _of_declarations(text: str, written: str, source: str) -> _Said:
    launched = re.search(r"(\w+)\s*(?:<[^<>]*>)?\s*<<<", written)
    if "function call cannot be configured" in text and launched:
        name = launched[1]
        at = re.search(rf"^.*\b{name}\s*\(.*$", source, re.MULTILINE)
        return "not-a-kernel", {"name": name, "definition": source.count("\n", 0, at.start()) + 1 if at else 1}
    named = re.search(r"__global__\s+(?P<type>[\w:\s*&]*?)\s*\b(?P<name>\w+)\s*\(", written)
    if "__global__ function must have a void return type" in text and named:
        return "kernel-returns", {"name": named["name"], "type": named["type"] or "int"}
    if '"__shared__" variable declaration is not allowed inside a host function' in text:
        return "shared-on-host", {}
    if "does not support exception handling" in text:
        return "not-on-device", {"name": "throw"}
    if "requires separate compilation mode" in text and launched:
        return "launch-in-kernel", {"name": launched[1]}
    if shared := _SHARED.search(text):
        return "shared-too-large", {"name": plain(shared["name"]), "bytes": int(shared["bytes"], 16)}
    return None


def plain(signature: str, written: str = "") -> str:
    """The name in what nvcc calls a function: `T1 ns::square<float> (T1)` -> `square`; `_Z6squaref` -> as written."""
    mangled = re.match(r"_ZN?(\d+)", signature)
    if mangled:
        for name in re.findall(r"[A-Za-z_]\w*", written):
            if f"{len(name)}{name}" in signature:
                return str(name)
    operator = re.search(r"operator *(?:\(\)|\[\]|[^\s(]+)", signature)
    if operator:
        return operator[0].replace("operator ", "operator")
    text: str = signature
    for _ in range(signature.count("<")):
        text = re.sub(r"<[^<>]*>", "", text)
    return text.partition("(")[0].strip().split(" ")[-1].split("::")[-1]

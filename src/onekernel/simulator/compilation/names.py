"""A name that a compiler does not know: what was meant by it, where it is declared, that it should be a type."""

from __future__ import annotations

import difflib
import re

from onekernel.simulator.compilation.complaint import Complaint, Told, without_comment
from onekernel.simulator.facts.names import INDICES

_TYPES = frozenset(
    """
float double int unsigned signed char short long bool void size_t int8_t int16_t int32_t int64_t uint8_t uint16_t
uint32_t uint64_t __half __half2 __nv_bfloat16 __nv_bfloat162 float2 float3 float4 double2 int2 int3 int4 uint2 uint3
uint4 uchar4 dim3 cudaError_t cudaStream_t cudaEvent_t
    """.split()  # noqa: SIM905
)
_NAMED = re.compile(r"\b(?:struct|class|enum|union|using) +(\w+)")


def undeclared(c: Complaint, m: re.Match[str]) -> Told | None:
    name, meant = m["name"], m["meant"]
    if re.search(rf"\b(?:void|__global__|__device__)\s.*[(,]\s*(?:const\s+)?{re.escape(name)}\b[\s*&]+\w", c.text):
        return no_type(c, m)  # of a parameter
    known = set(re.findall(r"\b[A-Za-z_]\w*\b", "\n".join(without_comment(line) for line in c.lines)))
    near = difflib.get_close_matches(name, sorted((known | set(INDICES)) - {name}), 1, 0.8)
    if re.match(rf"(?:for\s*\()?\s*{re.escape(name)}\s*(?:\[[^\]]*\]\s*)?=[^=]", c.text) and not near:
        return "no-type", {"name": name}, c.line
    same = meant if meant and (meant.lower() == name.lower() or _near(meant, name)) else near[0] if near else None
    if same:
        return "misspelt", {"name": name, "meant": same}, c.line
    elsewhere = next((one.line for one in c.facts.named if one.name == name and one.line != c.line), None)
    if elsewhere:
        return "other-scope", {"name": name, "where": elsewhere}, c.line
    return "undeclared", {"name": name}, c.line


def _near(a: str, b: str) -> bool:
    return difflib.SequenceMatcher(None, a.lower(), b.lower()).ratio() >= 0.8


def no_type(c: Complaint, m: re.Match[str]) -> Told | None:
    """A name that stands where a type must: of a parameter, or of a declaration outside functions."""
    name, meant = m["name"], m["meant"]
    known = {word for line in c.lines for word in _NAMED.findall(without_comment(line))} | _TYPES
    near = difflib.get_close_matches(name, sorted(known - {name}), 1, 0.75)
    same = [f"{name}_t"] if f"{name}_t" in _TYPES else near or ([meant] if meant and _near(meant, name) else [])
    declares = re.search(rf"\b{re.escape(name)}\b[\s*&]+[A-Za-z_]", c.text)  # and is not a statement's first word
    if same and declares:
        return "misspelt-type", {"name": name, "meant": same[0]}, c.line
    in_brackets = re.search(rf"\([^()]*\b{re.escape(name)}\b", c.text)
    return ("unknown-type" if in_brackets else "no-such-type"), {"name": name}, c.line

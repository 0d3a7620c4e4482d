"""Values of the wrong kind, and what was meant by them: a number in place of an error, an index that is a float."""

from __future__ import annotations

import re

from onekernel.simulator.compilation.complaint import Complaint, Told, plain

LAUNCH = re.compile(r"(\w+)\s*(?:<[^<>]*>)?\s*<<<")


def read_only(c: Complaint, _: re.Match[str]) -> Told | None:
    target = re.match(r"\(*\**\s*([A-Za-z_]\w*)", c.text)
    return ("read-only", {"name": target[1]}, c.line) if target else None


def arguments(c: Complaint, m: re.Match[str]) -> Told | None:
    """A launch whose arguments are not what the kernel takes."""
    launch = LAUNCH.search(c.text)
    if not launch:
        return None
    text = "\n".join(c.lines)
    head = re.search(rf"__global__[^;{{}}()]*(?:\([^()]*\)[^;{{}}()]*)?\b{launch[1]}\s*\(([^)]*)\)", text)
    if not head:
        return None
    takes = " ".join(head[1].split())
    return "arguments", {"kernel": launch[1], "takes": takes}, c.line


def shuffle(c: Complaint, m: re.Match[str]) -> Told | None:
    return "shuffle", {"name": m["name"]}, c.line


def conversion(c: Complaint, m: re.Match[str]) -> Told | None:
    return "conversion", {"given": plain(m["given"]), "wanted": plain(m["wanted"])}, c.line


def brackets(c: Complaint, m: re.Match[str]) -> Told | None:
    """An element asked for in round brackets, as other languages do."""
    name = m["name"]
    pointer = re.search(rf"[*&]\s*(?:__restrict__\s+)?{re.escape(name)}\b|\b{re.escape(name)}\s*\[", "\n".join(c.lines))
    return ("element-brackets", {"name": name}, c.line) if pointer else None


def launch_value(c: Complaint, _: re.Match[str]) -> Told | None:
    launch = re.search(r"=\s*(\w+)\s*(?:<[^<>]*>)?\s*<<<", c.text)
    return ("launch-value", {"kernel": launch[1]}, c.line) if launch else None


def returned_number(c: Complaint, _: re.Match[str]) -> Told | None:
    return ("returned-number", {}, c.line) if re.search(r"\breturn\s+-?\d+\s*;", c.text) else None


def subscript(c: Complaint, m: re.Match[str]) -> Told:
    """An index that is no whole number, or something without elements."""
    if m["type"].endswith(("*", "]")):
        return "index-type", {"type": m["index"]}, c.line
    return "not-an-array", {"type": m["type"]}, c.line


def variable_size(c: Complaint, _: re.Match[str]) -> Told:
    if found := warp_size(c, _):
        return found
    return ("shared-variable-size" if "__shared__" in c.text else "variable-size"), {}, c.line


def warp_size(c: Complaint, _: re.Match[str]) -> Told | None:
    return ("warp-size", {}, c.line) if re.search(r"\bwarpSize\b", c.text) else None


def mixed(c: Complaint, _: re.Match[str]) -> Told | None:
    """A float and a number of 16 bits in one operation."""
    narrow = re.search(r"__half|__nv_bfloat16", c.what)
    wide = re.search(r"\b(?:float|double)\b", c.what)
    return ("mixed-types", {"narrow": narrow[0]}, c.line) if narrow and wide else None

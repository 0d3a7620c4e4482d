"""What a slip is in a teacher's words, and the line where it was made, from a compiler's complaint about it.

A compiler names the place where it could not go on; a missing `;` belongs to the line before. It stumbles behind habits
of Python, of Java and of the blackboard that C++ does not read: of `(n + 255) // 256` it sees a bracket that does not
close. What it says is matched here; its own words are kept at the end of the sentence, to be learnt.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence

from onekernel.messages import Message
from onekernel.simulator.compilation.complaint import Complaint, Told, in_gcc_words, plain, without_comment
from onekernel.simulator.facts.functions import KERNEL
from onekernel.simulator.facts.names import INDICES

_OURS = re.compile(r"\bHostLaunch<|\bok_\w+\(")  # what a launch becomes, which is not the learner's
LAUNCH = re.compile(r"(\w+)\s*(?:<[^<>]*>)?\s*<<<")
_BEGINS = re.compile(r"__global__|__device__|(?:extern|static|template)\b")
_TYPES = frozenset(
    """
float double int unsigned signed char short long bool void size_t int8_t int16_t int32_t int64_t uint8_t uint16_t
uint32_t uint64_t __half __half2 __nv_bfloat16 __nv_bfloat162 float2 float3 float4 double2 int2 int3 int4 uint2 uint3
uint4 uchar4 dim3 cudaError_t cudaStream_t cudaEvent_t
    """.split()  # noqa: SIM905
)
_NAMED = re.compile(r"\b(?:struct|class|enum|union|using) +(\w+)")
_PLAIN_TYPES = r"(?:int|float|double|bool|str|unsigned|int64_t|size_t)"
_HABITS = (
    ("python-colon", r"^(?P<before>(?:\}?\s*else\s+)?(?:if|while)\b[^?;]*?|else\s*)\s*:(?!:)"),
    ("python-elif", r"^\}?\s*elif\b"),
    ("python-for", r"^for\s*\(?\s*(?P<name>\w+)\s+in\b"),
    ("python-def", r"^def\s+(?P<name>\w+)"),
    ("python-pass", r"^pass\s*;?$"),
    ("python-annotation", rf"^(?P<name>\w+)\s*:\s*(?P<type>{_PLAIN_TYPES})\b"),
    ("python-choice", r"=\s*(?P<one>[^;=?]+?)\s+if\s+(?P<test>[^;]+?)\s+else\s+(?P<other>[^;]+)"),
    ("python-word", r"\b(?P<word>True|False|None)\b"),
    ("python-print", r"(?<![\w.])print\s*\("),
    ("power", r"(?P<base>\w+|\))\s*(?P<sign>\*\*)\s*[\w(]"),
    ("power", r"(?P<base>\w+|\))\s*(?P<sign>\^)\s*[\w(]"),
    ("decimal-comma", r"(?<![\w.\[])(?P<whole>\d+),(?P<part>\d+)f?(?=\s*[*/+;)-])"),
    ("array-brackets", rf"^(?:__shared__\s+)?(?P<type>{_PLAIN_TYPES})\s*\[\s*(?P<size>\w+)\s*\]\s*(?P<name>\w+)"),
)
# A division by `//`, which begins a comment: what stands before it ends nothing.
_QUOTIENT = re.compile(r"^.*[=(].*[\w)]\s*//\s*[\w(][\w.()]*(?:\s*[-+*/]\s*[\w.()]+)*\s*\)*;$")


def told(what: str, line: int, lines: Sequence[str]) -> tuple[Message, int]:
    """The sentence for a compiler's error, and the line of the slip; its own words where nothing better is known."""
    complaint = Complaint(what, line, lines)
    complaint = Complaint(in_gcc_words(complaint), line, lines)
    for explain in (_habit, _known):
        found = explain(complaint)
        if found is not None:
            key, values, where = found
            why = Message(f"compile.{key}", values)
            if _OURS.search(what):
                return Message("compile.slip-alone", {"why": why, "line": where}), where
            return Message("compile.slip", {"why": why, "what": plain(what), "line": where}), where
    return Message("simulator.compile-error", {"line": line, "what": plain(what)[:200]}), line


def _known(c: Complaint) -> Told | None:
    for pattern, explain in _KNOWN:
        match = pattern.search(c.what)
        found = explain(c, match) if match else None
        if found is not None:
            return found
    return None


def _semicolon(c: Complaint, m: re.Match[str]) -> Told | None:
    before = c.unended()
    first = re.match(r"[\w.]+|\S", c.text)
    if first and first[0] == m["token"] and before:
        return "semicolon", {}, before
    if m["token"] == "}" and c.text.startswith("}"):
        return "semicolon", {}, c.before()
    if not c.text.endswith(";") and not re.search(rf"(?<!\w){re.escape(m['token'])}(?!\w)", c.text):
        return "semicolon", {}, c.line
    return "semicolon-here", {"token": m["token"]}, c.line


def _after_braces(c: Complaint, _: re.Match[str]) -> Told:
    """The line with the brace, where what follows, `__global__`, is a macro and is named in its place."""
    return "semicolon", {}, c.line if "}" in c.text else c.before()


def _called(c: Complaint, _: re.Match[str]) -> Told | None:
    """What stands before a launch, or another line that begins with brackets, without its `;`: a call, it seems."""
    before = c.unended()
    return ("semicolon", {}, before) if before and (c.text.startswith("(") or LAUNCH.match(c.text)) else None


def _component(c: Complaint, _: re.Match[str]) -> Told | None:
    bare = next((name for name in INDICES if re.search(rf"\b{name}\b(?!\s*\.)", c.text)), None)
    return ("component", {"name": bare}, c.line) if bare else None


def _braces(c: Complaint, _: re.Match[str]) -> Told | None:
    """The function before the place whose braces do not close, or one brace too many."""
    depth, opened = 0, 0
    for n in range(1, min(c.line, len(c.lines)) + 1):
        if depth > 0 and n > opened + 1 and _BEGINS.match(c.at(n)):
            return "brace", {}, opened
        code = re.sub(r'"(?:\\.|[^"\\])*"', "", c.at(n))
        if depth == 0 and "{" in code:
            opened = next((k for k in range(n, 0, -1) if re.match(r"[A-Za-z_]", c.lines[k - 1])), n)
        depth += code.count("{") - code.count("}")
        if depth < 0:
            return "brace-too-many", {}, n
    return ("brace", {}, opened) if depth > 0 and c.line >= len(c.lines) - 1 else None


def _bracket(c: Complaint, m: re.Match[str]) -> Told | None:
    word = re.match(r"(?:\}?\s*else\s+)?(if|for|while|switch)\b", c.text)
    if m["sign"] == "(" and word:
        return "condition", {"word": word[1]}, c.line
    if m["sign"] == ")":
        before = c.before() if c.text.count("(") <= c.text.count(")") else c.line
        return "bracket", {"sign": ")"}, before
    if m["sign"] == "]":
        return "bracket", {"sign": "]"}, c.line
    return None


def _as(key: str, *names: str) -> Callable[[Complaint, re.Match[str]], Told]:
    """The sentence `key` at the complaint's own line, with these groups of its pattern."""
    return lambda c, m: (key, {name: m[name] for name in names}, c.line)


def _read_only(c: Complaint, _: re.Match[str]) -> Told | None:
    target = re.match(r"\(*\**\s*([A-Za-z_]\w*)", c.text)
    return ("read-only", {"name": target[1]}, c.line) if target else None


def _arguments(c: Complaint, m: re.Match[str]) -> Told | None:
    """A launch whose arguments are not what the kernel takes."""
    launch = LAUNCH.search(c.text)
    if not launch:
        return None
    kernel = next((f for f in c.facts.functions if f.name == launch[1] and f.side == KERNEL), None)
    heads = c.facts.called(kernel.name, line=c.facts.code[kernel.name_at].line) if kernel else []
    return ("arguments", {"kernel": launch[1], "takes": ", ".join(heads[0].given)}, c.line) if heads else None


def _conversion(c: Complaint, m: re.Match[str]) -> Told | None:
    return "conversion", {"given": plain(m["given"]), "wanted": plain(m["wanted"])}, c.line


def _brackets(c: Complaint, m: re.Match[str]) -> Told | None:
    """An element asked for in round brackets, as other languages do."""
    name = m["name"]
    pointer = any(one.is_array or {*one.type} & {"*", "&"} for one in c.facts.named if one.name == name)
    return ("element-brackets", {"name": name}, c.line) if pointer else None


def _launch_value(c: Complaint, _: re.Match[str]) -> Told | None:
    launch = re.search(r"=\s*(\w+)\s*(?:<[^<>]*>)?\s*<<<", c.text)
    return ("launch-value", {"kernel": launch[1]}, c.line) if launch else None


def _returned_number(c: Complaint, _: re.Match[str]) -> Told | None:
    return ("returned-number", {}, c.line) if re.search(r"\breturn\s+-?\d+\s*;", c.text) else None


def _subscript(c: Complaint, m: re.Match[str]) -> Told:
    """An index that is no whole number, or something without elements."""
    if m["type"].endswith(("*", "]")):
        return "index-type", {"type": m["index"]}, c.line
    return "not-an-array", {"type": m["type"]}, c.line


def _variable_size(c: Complaint, _: re.Match[str]) -> Told:
    if found := _warp_size(c, _):
        return found
    return ("shared-variable-size" if "__shared__" in c.text else "variable-size"), {}, c.line


def _warp_size(c: Complaint, _: re.Match[str]) -> Told | None:
    return ("warp-size", {}, c.line) if re.search(r"\bwarpSize\b", c.text) else None


def _mixed(c: Complaint, _: re.Match[str]) -> Told | None:
    """A float and a number of 16 bits in one operation."""
    narrow = re.search(r"__half|__nv_bfloat16", c.what)
    wide = re.search(r"\b(?:float|double)\b", c.what)
    return ("mixed-types", {"narrow": narrow[0]}, c.line) if narrow and wide else None


def _undeclared(c: Complaint, m: re.Match[str]) -> Told | None:
    name, meant = m["name"], m["meant"]
    if re.search(rf"\b(?:void|__global__|__device__)\s.*[(,]\s*(?:const\s+)?{re.escape(name)}\b[\s*&]+\w", c.text):
        return _no_type(c, m)  # of a parameter
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


def _no_type(c: Complaint, m: re.Match[str]) -> Told | None:
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


def _habit(c: Complaint) -> Told | None:
    """What C++ does not read on the line of a complaint, or at the end of the one before, where nothing ends that."""
    for n in filter(None, (c.line, c.unended())):
        if n <= len(c.lines) and _QUOTIENT.match(c.lines[n - 1].strip()):
            return "python-quotient", {}, n
        for key, pattern in _HABITS:
            match = re.search(pattern, c.at(n))
            if match and _meant(key, c.what, match):
                return key, {name: value for name, value in match.groupdict().items() if value is not None}, n
    return None


def _meant(key: str, complaint: str, match: re.Match[str]) -> bool:
    """Whether the complaint is about this: the same signs may be right elsewhere in a line that is wrong."""
    said = {
        "python-word": rf"'{match.groupdict().get('word')}'",
        "python-print": r"'print'",
        "python-pass": r"'pass'",
        "power": r"unary '\*'|binary 'operator\^'",
        "decimal-comma": r"numeric literal|numeric constant|suffix",
    }.get(key)
    return said is None or re.search(said, complaint) is not None


_KNOWN: tuple[tuple[re.Pattern[str], Callable[[Complaint, re.Match[str]], Told | None]], ...] = tuple(
    (re.compile(pattern), explain)
    for pattern, explain in (
        (r"binary 'operator<<'|expected primary-expression before '(?:<|>)' token", _as("chevrons")),
        (r"const uint3|dim3_view", _component),
        (r"expected ';' after (?:struct|class|union|enum) definition", _after_braces),
        (r"expected ';' (?:after|at end of declaration)", _as("semicolon")),  # clang++'s, at the line that lacks it
        (r"expected (?:',' or )?';' (?:before|at end of).*?'?(?P<token>[\w}]+)'?(?: token)?$", _semicolon),
        (r"expected ',' or ';' before '(?P<token>[^']+)'", _semicolon),
        (r"expected (?:initializer|declaration) before '(?P<token>[^']+)'", _semicolon),
        (r"cannot be used as a function", _called),
        (r"'(?P<name>\w+)' cannot be used as a function", _brackets),
        (r"'(?P<name>\w+)' was not declared in this scope(?:; did you mean '(?P<meant>\w+)'\?)?", _undeclared),
        (r"assignment of read-only|increment of read-only|decrement of read-only", _read_only),
        (r"expected unqualified-id before|function-definition is not allowed|expected '\}' at end of input", _braces),
        (r"expected declaration before '\}'|linkage specification", _braces),
        (r"expected '(?P<sign>[()\]])' before", _bracket),
        (r"no matching function for call to '(?P<name>__\w+_sync)\(", _as("shuffle", "name")),
        (r"no matching function for call to '(?P<name>atomicM(?:ax|in))\(.*\b(?:float|double|half)\b",
         _as("atomic-float", "name")),
        (r"invalid conversion from 'int' to 'cudaError_t'|void value not ignored", _launch_value),
        (r"invalid conversion from 'int' to 'cudaError_t'", _returned_number),
        (r"value of 'warpSize' is not usable|no matching function for call to '[\w:]+<[^']*\bwarpSize\b",
         _as("warp-size")),
        (r"invalid conversion|no match for call|too (?:few|many) arguments", _arguments),
        (r"no matching function|cannot convert", _arguments),
        (r"'(?P<name>\w+)' is not a member of 'std'", _as("standard", "name")),
        (r"^(?:/[^:\n]*/build-\w+/)?(?P<name>[^:\n]+): (?:No such file|File name too long)", _as("header", "name")),
        (r"redeclaration of '(?:[^']*\s|\W*)(?P<name>\w+)(?:\[[^']*)?'|conflicting declaration '[^']*\b(?P<other>\w+)'",
         lambda c, m: ("twice", {"name": m["name"] or m["other"]}, c.line)),
        (r"invalid types '(?P<type>.+?)\[(?P<index>[^\[\]]*)\]' for array subscript", _subscript),
        (r"jump to (?:case )?label|cannot jump from", _as("jump-over")),
        (r"non-constant condition for static assertion", _warp_size),
        (r"variably modified|storage size of|size of array .* not an integral", _variable_size),
        (r"invalid operands of types '[^']+\*' and '[^']+\*' to binary 'operator(?P<sign>[^']+)'",
         _as("addresses", "sign")),
        (r"invalid preprocessing directive", _as("directive")),
        (r"'else' without a previous 'if'", _as("else")),
        (r"comparison between pointer and integer", _as("text-compared")),
        (r"ambiguous overload for 'operator.+'|call of overloaded '__h\w+\(", _mixed),
        (r"lvalue required as (?:left operand|increment)", _as("not-assignable")),
        (r"void value not ignored", _as("no-value")),
        (r"return-statement with a value, in function returning 'void'", _as("returns-nothing")),
        (r"'(?P<name>\w+)' (?:does not name a type|has not been declared)(?:; did you mean '(?P<meant>\w+)'\?)?",
         _no_type),
        (r"stray '`' in program", _as("fence")),
        (r"stray '(?P<sign>[^']+)' in program|extended character (?P<other>\S+)", _as("stray")),
        (r"missing terminating", _as("quote")),
        (r"invalid operands of types '(?P<one>[^']+)' and '(?P<two>[^']+)' to binary 'operator%'", _as("remainder")),
        (r"request for member '(?P<member>\w+)' in '(?P<name>[^']+)', which is of (?:non-class|pointer) type",
         _as("member", "member", "name")),
        (r"invalid suffix|unable to find numeric literal", _as("number")),
        (r"expected primary-expression before", _as("expression")),
        (r"invalid conversion from '(?P<given>.+?)' to '(?P<wanted>.+?)'(?: \[|$)", _conversion),
        (r"cannot convert '(?P<given>.+?)'(?: \{aka .*?\})? to '(?P<wanted>.+?)'", _conversion),
        (r"too (?:few|many) arguments to function '[^'(]*?\b(?P<name>\w+)\(", _as("call", "name")),
        (r"no matching function for call to '(?P<name>[\w:]+)[<(]", _as("call", "name")),
    )
)  # fmt: skip

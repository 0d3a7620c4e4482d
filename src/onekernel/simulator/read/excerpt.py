"""What the learner's own text says around a line that a finding names."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

MOST_QUOTED = 60  # characters
POINTER = 8  # bytes
_LITERAL = re.compile(r'//.*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_BRANCH = re.compile(r"\b(?:if|else)\b")
_ELSE = re.compile(r"\belse\b(?!\s*if\b)")
_BARRIER = re.compile(r"\b__syncthreads(?:_\w+)?\s*\(|\bsync\s*\(")
_RUNTIME = re.compile(r"\b(cuda[A-Z]\w*)\s*(?:<[^;()]*>\s*)?\(")
# In code without spaces: `v[i]`, of brackets within brackets, and `*v`.
_ELEMENT = r"(?:\w+(?:\[(?:[^][]|\[[^][]*\])*\])+|\*\w+)"
_DESTRUCTOR = re.compile(r"~\w+\s*\(")
_LOOP = re.compile(r"\b(?:for|while|do)\b")


@lru_cache(maxsize=8)
def _lines(file: str) -> tuple[str, ...]:
    try:
        return tuple(Path(file).read_text(encoding="utf-8", errors="replace").splitlines())
    except OSError:
        return ()


def line_of(file: str | None, number: int | None) -> str:
    """The source line without its comment and indentation; "" where there is none."""
    lines = _lines(file) if file else ()
    return lines[number - 1].partition("//")[0].strip() if number and 0 < number <= len(lines) else ""


def as_written(file: str, number: int) -> str:
    """The source line with all that stands on it."""
    lines = _lines(file)
    return lines[number - 1] if 0 < number <= len(lines) else ""


def quoted(text: str) -> str:
    """A source line between backticks, shortened, without the spaces that align it."""
    text = re.sub(r"\s+", " ", text)
    return f"`{text if len(text) <= MOST_QUOTED else text[: MOST_QUOTED - 1] + '…'}`"


def code_lines(file: str) -> list[str]:
    """The file's lines without strings and without comments at their ends."""
    return [_code(line) for line in _lines(file)]


def mentions(file: str | None, word: str) -> bool:
    """Whether code of the file has the word."""
    return any(word in _code(line) for line in (_lines(file) if file else ()))


def is_dynamic(file: str | None, name: str) -> bool:
    """Whether the array is an extern __shared__ one."""
    array = re.compile(rf"\bextern\b[^;]*\b{re.escape(name)}\s*\[\s*\]")
    return any(array.search(_code(line)) for line in (_lines(file) if file else ()))


def is_of_device(file: str | None, name: str) -> bool:
    """Whether the variable is a __device__ one."""
    variable = re.compile(rf"__device__[^;()]*\b{re.escape(name)}\b\s*(?:\[[^\]]*\]\s*)*[;=]")
    return any(variable.search(_code(line)) for line in (_lines(file) if file else ()))


def declares_on_device(file: str | None, name: str) -> int | None:
    """The line that declares the array as a __device__ or __constant__ one."""
    array = re.compile(rf"__(?:device|constant|managed)__[^;()=]*\b{re.escape(name)}\s*\[")
    lines = _lines(file) if file else ()
    return next((n for n, line in enumerate(lines, 1) if array.search(_code(line))), None)


def extents(file: str | None, name: str) -> list[int]:
    """The extents of a __device__ or __constant__ array; 0 for one that is no number and no constant of the file."""
    declared = declares_on_device(file, name) if name.isidentifier() else None
    found = re.search(rf"\b{re.escape(name)}\s*((?:\[[^\]]*\]\s*)+)", _code(line_of(file, declared)))
    return [_number(file, text.strip()) for text in re.findall(r"\[([^\]]*)\]", found[1])] if found else []


def inner_extents(file: str | None, name: str) -> list[int]:
    """Those but the first, of an array of arrays, where all are known."""
    inner = extents(file, name)[1:]
    return inner if all(inner) else []


def _number(file: str | None, text: str) -> int:
    """A number, or a constant of the file that is one; else 0."""
    if not text.isdigit():
        name = re.escape(text)
        made = re.compile(rf"#\s*define\s+{name}\s+\(?(\d+)|\b(?:const|constexpr)\b[^;]*\b{name}\s*=\s*(\d+)\s*[;,]")
        match = next(filter(None, (made.search(_code(line)) for line in (_lines(file) if file else ()))), None)
        text = (match[1] or match[2]) if match else "0"
    return int(text)


def fills_shared(file: str | None, number: int | None) -> bool:
    """Whether the line stores into an element of a __shared__ array."""
    stored = re.match(r"(\w+)\s*(?:\[[^\]]*\]\s*)+=[^=]", _code(line_of(file, number)))
    array = re.compile(rf"__shared__[^;()]*\b{stored[1]}\s*\[" if stored else r"(?!)")
    return any(array.search(_code(line)) for line in (_lines(file) if file else ()))


def allocated_without_sizeof(file: str | None, number: int | None, variable: str) -> bool:
    """Whether the line asks for the variable's memory by a number alone: cudaMalloc(&v, n)."""
    call = rf"\bcudaMalloc\w*\s*\([^;]*?&\s*{re.escape(variable)}\s*,([^;]*)\)\s*;"
    asked = re.search(call, _code(line_of(file, number)))
    words = re.findall(r"\w+", asked[1]) if asked else []
    return bool(words) and not any(re.search(r"sizeof|size|bytes|mem|^\d", word, re.IGNORECASE) for word in words)


def sizeof_in_allocation(file: str | None, number: int | None) -> str:
    """What the line asks for the size of, where that is all of what it asks for: h of `cudaMalloc(&d, sizeof(h))`."""
    asked = re.search(r"\bcudaMalloc\w*\s*\([^;]*,\s*sizeof\s*\(?\s*(\w+)\s*\)?\s*\)", _code(line_of(file, number)))
    return asked[1] if asked else ""


def allocates_into_element(file: str | None, number: int | None) -> bool:
    """Whether the line asks for memory whose pointer goes into an element of an array, or a member behind a pointer."""
    return bool(re.search(r"\bcudaMalloc\w*\s*\([^;,]*&\s*\(?\s*\w+\s*(?:\[|->)", _code(line_of(file, number))))


def in_loop(file: str | None, number: int | None) -> bool:
    """Whether a loop of the same function stands around the line: told by braces, or by a loop that needs none."""
    return _inside(file, number, _LOOP)


def by_loop(file: str | None, number: int | None, variable: str) -> bool:
    """Whether the variable of a loop around the line stands between the array's brackets there."""
    counted = re.findall(rf"\b{re.escape(variable)}((?:\[[^\]]*\])+)", _code(line_of(file, number)))
    names = set(re.findall(r"\b\w+\b", " ".join(counted)))
    before = (_lines(file) if file else ())[: number or 0]
    loops = {m[1] for line in before for m in re.finditer(r"\bfor\s*\(\s*\w+\s+(\w+)\s*=", _code(line))}
    return in_loop(file, number) and bool(names & loops)


def in_branch(file: str | None, number: int | None) -> bool:
    """Whether an `if` or an `else` of the same function stands around the line, likewise."""
    return _inside(file, number, _BRANCH)


def in_destructor(file: str | None, number: int | None) -> bool:
    """Whether the line belongs to a destructor."""
    return _inside(file, number, _DESTRUCTOR)


def _inside(file: str | None, number: int | None, word: re.Pattern[str]) -> bool:
    lines = _lines(file) if file else ()
    if not number or not 0 < number <= len(lines):
        return False
    if word.search(_code(lines[number - 1])):
        return True
    open_braces = 0
    for k in range(number - 2, -1, -1):
        code = _code(lines[k])
        if k == number - 2 and word.search(code) and not code.rstrip().endswith((";", "{", "}")):
            return True
        for at in range(len(code) - 1, -1, -1):
            if code[at] == "}":
                open_braces += 1
            elif code[at] == "{" and open_braces:
                open_braces -= 1
            elif code[at] == "{" and word.search(code[:at]):
                return True
    return False


def has_wide_test(file: str | None, number: int | None) -> bool:
    """Whether a `<=` stands on the line or on one of the two before it."""
    lines = _lines(file) if file and number else ()
    return any("<=" in _code(line) for line in lines[max(0, (number or 0) - 3) : number])


def runtime_call(file: str | None, number: int | None) -> str:
    """The function of the CUDA runtime that the line calls; "" where it calls none, or several."""
    lines = _lines(file) if file else ()
    names = _RUNTIME.findall(_code(lines[number - 1])) if number and number <= len(lines) else []
    return names[0] if len(names) == 1 else ""


def _loops(file: str) -> list[tuple[int, int]]:
    """First and last line of each loop: of its braces, or of the statement that it has without them."""
    found, open_braces = [], []
    for n, line in enumerate(_lines(file), 1):
        code = _code(line)
        for at, sign in enumerate(code):
            if sign == "{":
                open_braces.append((n, bool(_LOOP.search(code[:at]))))
            elif sign == "}" and open_braces:
                first, is_loop = open_braces.pop()
                found += [(first, n)] if is_loop else []
        if _LOOP.search(code) and "{" not in code:
            found.append((n, n if code.rstrip().endswith(";") else n + 1))
    return found


def barrier_in_turn(file: str, number: int) -> bool:
    """Whether the innermost loop around the line calls a barrier of the block."""
    around = [(first, last) for first, last in _loops(file) if first <= number <= last]
    first, last = max(around, default=(1, 0), key=lambda loop: (loop[0], -loop[1]))
    return any(_BARRIER.search(_code(line)) for line in _lines(file)[first - 1 : last])


def after_loops(file: str, number: int, outside: int) -> int:
    """The last line of the outermost loop around the line that is not around `outside`; the line itself without one."""
    around = [loop for loop in _loops(file) if loop[0] <= number <= loop[1] and not loop[0] <= outside <= loop[1]]
    return min(around, default=(number, number))[1]


def updates(text: str, variable: str) -> bool:
    """Whether a line changes an element by what is in it, and reads no other: `v[i] += w`, `v[i] = v[i] + w`, and
    `if (w > v[i]) v[i] = w`. Where it does not say the variable's name, that has another one there, a pointer's: what
    the line writes is meant."""
    code = re.sub(r"\s", "", _code(text))
    one = _element(variable)
    if re.search(rf"{one}\)?(?:\+\+|--)|(?:\+\+|--)\(?{one}", code):
        return True
    changed = _assigned(code, variable)
    if changed is None:
        return False
    element, sign, value = changed
    before = code[: code.rindex(f"{element}{sign}={value}")]
    read = _read(value, element, variable) | _read(before, element, variable)
    return read <= {element} if read else bool(sign)


def adds_to(text: str, variable: str) -> bool:
    """Whether a line adds to the element that it reads: `v[i] += w`, and not `sum += v[i]`."""
    target, added, value = re.sub(r"\s", "", _code(text)).partition("+=")
    name = re.escape((re.findall(r"\w+", variable) or [variable])[-1])  # of soa.x the member
    here, there = (bool(re.search(rf"\b{name}\b", part)) for part in (target, value))
    is_element = re.search(rf"(?:\]|\*\w+|\b{name})$", target)
    reads = there or re.search(r"\w\[|(?<![\w)\]])\*[a-zA-Z_]", value)
    return bool(added and is_element and (here or not reads))


def updates_later(read: str, write: str, variable: str) -> bool:
    """Whether the second line writes an element by what the first has read there: `old = v[i];`, `v[i] = old + w;`, or
    `if (w > v[i])`, `v[i] = w;`."""
    before, after = (re.sub(r"\s", "", _code(text)) for text in (read, write))
    changed = _assigned(after, variable)
    if changed is None or _read(before, changed[0], variable) != {changed[0]}:
        return False
    kept = re.search(r"(\w+)\s*=[^=;]+;", _code(read))
    tested = re.search(rf"\b(?:if|while)\((?:[^()]|\([^()]*\))*?{re.escape(changed[0])}", before)
    return bool(tested or (kept and re.search(rf"\b{kept[1]}\b", changed[2])))


def _element(variable: str) -> str:
    """In code without spaces an element, or the variable itself where it is a single one."""
    return rf"(?:{_ELEMENT}|(?<![\w.]){re.escape(variable)}\b)" if variable.isidentifier() else _ELEMENT


def _read(code: str, element: str, variable: str) -> set[str]:
    """The elements of the same array that stand in the code."""
    base = element.lstrip("*").partition("[")[0]
    return {one for one in re.findall(_element(variable), code) if one.lstrip("*").partition("[")[0] == base}


def _assigned(code: str, variable: str) -> tuple[str, str, str] | None:
    """The element that a line without spaces assigns to, the sign before its `=`, and what is assigned; of several the
    variable's."""
    pattern = rf"(?<![\w.>\]])({_element(variable)})([-+*/|&^]?)=(?!=)([^;]*)"
    found = [(m[1], m[2], m[3]) for m in re.finditer(pattern, code)]
    named = [one for one in found if one[0].lstrip("*").partition("[")[0] == variable]
    return next(iter(named or found), None)


def written_array(text: str) -> str:
    """The name of the array, or of the pointer, of which a line assigns an element; "" where it assigns none."""
    changed = _assigned(re.sub(r"\s", "", _code(text)), "")
    return changed[0].lstrip("*").partition("[")[0] if changed else ""


def reads_further(text: str, variable: str) -> bool:
    """Whether a line changes an element of the array by another that lies a sum further on: v[t] += v[t + s]."""
    name = re.escape(variable)
    return bool(re.search(rf"\b{name}\s*\[[^\]]*\]\s*[-+*/]?=[^=].*\b{name}\s*\[[^\]]*\+[^\]]*\]", text))


def stored_in_branch(file: str | None, number: int | None, variable: str) -> int | None:
    """The line of the first store into the array in the function of the line, where an `if` without an `else` stands
    before each of them."""
    store = re.compile(rf"\b{re.escape(variable)}\s*(?:\[[^\]]*\]\s*)+=[^=]")
    lines = [n for n, line in enumerate(_lines(file) if file else (), 1) if store.search(_code(line))]
    lines = [n for n in lines if same_function(file or "", n, number or n)]
    if any(_inside(file, n, _ELSE) for n in lines):
        return None
    return lines[0] if lines and all(in_branch(file, n) for n in lines) else None


def share_loop(file: str, one: int, other: int) -> bool:
    """Whether a loop with braces stands around both lines."""
    open_loops: list[tuple[int, bool]] = []
    around: dict[int, set[int]] = {}
    for n, line in enumerate(_lines(file), 1):
        code = _code(line)
        around[n] = {at for at, loop in open_loops if loop}
        for at, sign in enumerate(code):
            if sign == "{":
                open_loops.append((n, bool(_LOOP.search(code[:at]))))
            elif sign == "}" and open_loops:
                open_loops.pop()
    return bool(around.get(one, set()) & around.get(other, set()))


def same_function(file: str, one: int, other: int) -> bool:
    """Whether no brace in the first column, where functions end as everybody writes them, stands between the lines."""
    first, last = sorted((one, other))
    return not any(line.startswith("}") for line in _lines(file)[first - 1 : last])


def barrier_between(file: str, first: int, last: int) -> bool:
    """Whether a line between the two, both left out, calls a barrier of the block."""
    return any(_BARRIER.search(_code(line)) for line in _lines(file)[first : last - 1])


def _code(line: str) -> str:
    """The line without strings, characters and a comment at its end."""
    return _LITERAL.sub("", line)

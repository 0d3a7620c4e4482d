"""Instructions between registers (PTX ISA, "Integer Arithmetic Instructions" to "Data Movement and Conversion")."""

from __future__ import annotations

from collections.abc import Callable

from onekernel.simulator.ptx.assembly import Bad, Instruction, Pair, Value, Vector
from onekernel.simulator.ptx.operands import BITS, P, Writer, cpp, need_card

# Name -> how many operands it reads; each is a function template of api/ok/ptx_arithmetic.h on one type.
_SAME = {
    "add": 2, "sub": 2, "min": 2, "max": 2, "div": 2, "rem": 2, "abs": 1, "neg": 1, "fma": 3, "and": 2, "or": 2,
    "xor": 2, "not": 1, "cnot": 1, "sqrt": 1, "rsqrt": 1, "rcp": 1, "ex2": 1, "lg2": 1, "sin": 1, "cos": 1, "tanh": 1,
    "copysign": 2, "brev": 1, "sad": 3,
}  # fmt: skip
_TAKEN = {"rn", "approx", "full", "ftz", "NaN", "relu", "sat"}  # of those above; the others change the result
_ROUNDED = ("rz", "rm", "rp")
_COMPARED = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu",
             "num", "nan"}  # fmt: skip
_INTEGER_ROUNDING = {"rni", "rzi", "rmi", "rpi"}
_ROUNDING = {"rn", "rz", "rm", "rp", "rna"}


def _typed(one: Instruction) -> tuple[str, list[str]]:
    """The type that an instruction ends with, and the modifiers before it."""
    kind = one.modifiers[-1]
    cpp(kind)
    return kind, list(one.modifiers[:-1])


def _same(one: Instruction, w: Writer) -> None:
    kind, before = _typed(one)
    name = one.name
    rounding = [m for m in before if m in _ROUNDED]
    if set(before) - _TAKEN - set(_ROUNDED) or (rounding and (kind not in ("f32", "f64") or name not in _EACH_WAY)):
        raise Bad("unknown", what=one.text)
    if len(one.operands) != 1 + _SAME[name]:
        raise Bad("operands", instruction=one.text, has=len(one.operands), wants=1 + _SAME[name])
    values = [w.read(v, kind) for v in one.operands[1:]]
    if "ftz" in before and kind == "f32":
        values = [f"{P}flushed({v})" for v in values]
    suffix = "_nan" if "NaN" in before else "_" + rounding[0] if rounding else ""
    result = f"{P}op_{name}{suffix}<{cpp(kind)}>({', '.join(values)})"
    if "relu" in before:
        result = f"{P}relu({result})"
    if "sat" in before:
        result = f"{P}saturated({result})"
    w.write(one.operands[0], f"{P}flushed({result})" if "ftz" in before and kind == "f32" else result, kind)


_EACH_WAY = {"add", "sub", "fma", "div", "sqrt", "rcp"}


def _multiply(one: Instruction, w: Writer) -> None:
    """mul and mad: .lo, .hi or .wide of integers; floating-point numbers have none."""
    kind, before = _typed(one)
    if kind[0] in "fb":
        three = one.name == "mad"
        _same(Instruction("fma" if three else "mul", one.modifiers, one.operands, one.guard), w)
        return
    part = before[0] if before else "lo"
    if part not in ("lo", "hi", "wide") or len(before) > 1:
        raise Bad("unknown", what=one.text)
    out = f"{kind[0]}{2 * BITS[kind]}" if part == "wide" else kind
    product = f"{P}op_mul_{part}<{cpp(kind)}>({w.read(one.operands[1], kind)}, {w.read(one.operands[2], kind)})"
    if one.name == "mad":
        product = f"{P}op_add<{cpp(out)}>({product}, {w.read(one.operands[3], out)})"
    w.write(one.operands[0], product, out)


_SAME["mul"] = 2
_EACH_WAY.add("mul")


def _multiply24(one: Instruction, w: Writer) -> None:
    kind, before = _typed(one)
    if before != ["lo"]:
        raise Bad("unknown", what=one.text)
    product = f"__{'u' if kind == 'u32' else ''}mul24({w.read(one.operands[1], kind)}, {w.read(one.operands[2], kind)})"
    if one.name == "mad24":
        product = f"{P}op_add<{cpp(kind)}>({product}, {w.read(one.operands[3], kind)})"
    w.write(one.operands[0], f"{cpp(kind)}({product})", kind)


def _shift(one: Instruction, w: Writer) -> None:
    kind, before = _typed(one)
    if before:
        raise Bad("unknown", what=one.text)
    amount = w.read(one.operands[2], "u32", wider=True)
    w.write(one.operands[0], f"{P}op_{one.name}<{cpp(kind)}>({w.read(one.operands[1], kind)}, {amount})", kind)


def _funnel(one: Instruction, w: Writer) -> None:
    _, before = _typed(one)
    low, high, amount = (w.read(v, "b32") for v in one.operands[1:4])
    wrapped = f"({amount}) & 31" if before[1] == "wrap" else f"{P}at_most(32u, {amount})"
    w.write(one.operands[0], f"{P}op_shf_{before[0]}({low}, {high}, {wrapped})", "b32")


def _bits(one: Instruction, w: Writer) -> None:
    """popc, clz, bfind: a count of 32 bits."""
    kind, before = _typed(one)
    if set(before) - {"shiftamt"}:
        raise Bad("unknown", what=one.text)
    name = one.name + "".join("_" + m for m in before)
    w.write(one.operands[0], f"{P}op_{name}<{cpp(kind)}>({w.read(one.operands[1], kind)})", "u32")


def _bfe(one: Instruction, w: Writer) -> None:
    kind, _ = _typed(one)
    a, begin, length = w.read(one.operands[1], kind), *(w.read(v, "u32") for v in one.operands[2:4])
    w.write(one.operands[0], f"{P}op_bfe<{cpp(kind)}>({a}, {begin}, {length})", kind)


def _bfi(one: Instruction, w: Writer) -> None:
    kind, _ = _typed(one)
    values = [w.read(v, kind) for v in one.operands[1:3]] + [w.read(v, "u32") for v in one.operands[3:5]]
    w.write(one.operands[0], f"{P}op_bfi<{cpp(kind)}>({', '.join(values)})", kind)


def _prmt(one: Instruction, w: Writer) -> None:
    _, before = _typed(one)
    mode = before[0] if before else "default"
    values = ", ".join(w.read(v, "b32") for v in one.operands[1:4])
    w.write(one.operands[0], f"{P}op_prmt_{mode}({values})" if before else f"{P}op_prmt({values})", "b32")


def _lop3(one: Instruction, w: Writer) -> None:
    kind, before = _typed(one)
    if before or isinstance(one.operands[0], Pair):
        raise Bad("unknown", what=one.text)
    values = ", ".join(w.read(v, kind) for v in one.operands[1:5])
    w.write(one.operands[0], f"{P}op_lop3({values})", kind)


def _dot(one: Instruction, w: Writer) -> None:
    """dp4a.atype.btype, dp2a.mode.atype.btype."""
    *mode, a, b = one.modifiers
    out = "u32" if (a, b) == ("u32", "u32") else "s32"
    name = "_".join((one.name, *mode))
    values = [w.read(v, k) for v, k in zip(one.operands[1:4], (a, b, out), strict=True)]
    w.write(one.operands[0], f"{P}op_{name}<{cpp(a)}, {cpp(b)}, {cpp(out)}>({', '.join(values)})", out)


def _distances(one: Instruction, w: Writer) -> None:
    """vabsdiff4.u32.u32.u32.add: how far the four bytes are apart, added up, and c. No lanes masked, no other form."""
    if tuple(one.modifiers) != ("u32", "u32", "u32", "add"):
        raise Bad("unknown", what=one.text)
    a, b, c = (w.read(v, "u32") for v in one.operands[1:4])
    w.write(one.operands[0], f"{P}op_distances4({a}, {b}, {c})", "u32")


def _mov(one: Instruction, w: Writer) -> None:
    kind, before = _typed(one)
    target, source = one.operands
    if before or kind[0] == "n":
        raise Bad("unknown", what=one.text)
    if isinstance(target, Vector) and isinstance(source, Vector):
        raise Bad("syntax", near="{ }")
    w.write(target, w.read(source, kind), kind)


def _setp(one: Instruction, w: Writer) -> None:
    kind, before = _typed(one)
    compare, rest = before[0], [m for m in before[1:] if m != "ftz"]
    if compare not in _COMPARED or len(rest) > 1 or (rest and rest[0] not in ("and", "or", "xor")):
        raise Bad("unknown", what=one.text)
    a, b = (w.read(v, kind) for v in one.operands[1:3])
    result = f"{P}compare_{compare}<{cpp(kind)}>({a}, {b})"
    sign = {"and": "&", "or": "|", "xor": "^"}[rest[0]] if rest else ""
    other = w.read(one.operands[3], "pred") if rest else ""
    first: Value = one.operands[0]
    if isinstance(first, Pair):
        w.add(f"const bool held = {result};")
        result = "held"
        w.write(first.second, f"bool(!held {sign} {other})" if rest else "!held", "pred")
        first = first.first
    w.write(first, f"bool({result} {sign} {other})" if rest else result, "pred")


def _set(one: Instruction, w: Writer) -> None:
    out, kind = one.modifiers[-2:]
    a, b = (w.read(v, kind) for v in one.operands[1:3])
    held = f"{P}compare_{one.modifiers[0]}<{cpp(kind)}>({a}, {b})"
    yes = "1.0f" if out == "f32" else f"{cpp(out)}(-1)"
    w.write(one.operands[0], f"({held} ? {yes} : {cpp(out)}(0))", out)


def _selp(one: Instruction, w: Writer) -> None:
    kind, _ = _typed(one)
    a, b = (w.read(v, kind) for v in one.operands[1:3])
    w.write(one.operands[0], f"({w.read(one.operands[3], 'pred')} ? {a} : {b})", kind)


def _slct(one: Instruction, w: Writer) -> None:
    kind, by = one.modifiers[-2:]
    a, b = (w.read(v, kind) for v in one.operands[1:3])
    w.write(one.operands[0], f"({w.read(one.operands[3], by)} >= 0 ? {a} : {b})", kind)


def _cvt(one: Instruction, w: Writer) -> None:
    out, kind = one.modifiers[-2:]
    before = [m for m in one.modifiers[:-2] if m != "ftz"]
    saturated, relu = "sat" in before or "satfinite" in before, "relu" in before
    rest = [m for m in before if m not in ("sat", "satfinite", "relu")]
    if len(rest) > 1 or (rest and rest[0] not in _ROUNDING | _INTEGER_ROUNDING):
        raise Bad("unknown", what=one.text)
    how = f"{P}{rest[0]}" if rest else f"{P}unrounded"
    if out in ("e4m3x2", "e5m2x2"):
        high, low = (w.read(v, "f32") for v in one.operands[1:3]) if kind == "f32" else ("", "")
        if kind != "f32":
            raise Bad("unknown", what=one.text)
        w.write(one.operands[0], f"{P}narrow8_{out[:4]}({high}, {low}, {str(relu).lower()})", "b16")
        return
    if kind in ("e4m3x2", "e5m2x2"):
        w.write(one.operands[0], f"{P}widen8_{kind[:4]}({w.read(one.operands[1], 'b16')})", "f16x2")
        return
    if out in ("f16x2", "bf16x2"):
        each = cpp(out[:-2])
        high, low = (w.read(v, "f32") for v in one.operands[1:3])
        pair = f"{P}paired<{each}>({how}, {high}, {low}, {str(relu).lower()})"
        w.write(one.operands[0], pair, out)
        return
    if out == "tf32":
        w.write(one.operands[0], f"{P}to_tf32({how}, {w.read(one.operands[1], 'f32')})", "b32")
        return
    value = w.read(one.operands[1], kind, wider=True)
    converted = f"{P}convert<{cpp(out)}, {str(saturated).lower()}>({how}, {value})"
    w.write(one.operands[0], f"{P}relu({converted})" if relu else converted, out, wider=True)


def _nothing(_one: Instruction, _w: Writer) -> None:
    """What changes speed alone."""


def _nothing_of_90(one: Instruction, w: Writer) -> None:
    need_card(w, one, 90)


def _special(one: Instruction, w: Writer) -> None:
    """cvta, isspacep, mapa, getctarank: what an address is."""
    *space, kind = one.modifiers
    generic, to = "to" not in space, next(m for m in space if m != "to")
    address = w.address(one.operands[1])
    if to.startswith("shared"):
        address = f"{P}shared_to_generic({address})" if generic else f"{P}generic_to_shared({address})"
    elif to not in ("global", "const", "local"):
        raise Bad("unknown", what=one.text)
    w.write(one.operands[0], f"{cpp(kind)}({address})", kind)


def _rank(one: Instruction, w: Writer) -> None:
    """mapa, getctarank: the same place in another block of the cluster, and whose place an address is."""
    space, kind = one.modifiers
    if space != "shared::cluster":
        raise Bad("unknown", what=one.text)
    need_card(w, one, 90)
    address = w.address(one.operands[1])
    if one.name == "getctarank":
        w.write(one.operands[0], f"{P}rank_of({address})", "u32")
    else:
        w.write(one.operands[0], f"{cpp(kind)}({P}map_rank({address}, {w.read(one.operands[2], 'u32')}))", kind)


HANDLERS: dict[str, Callable[[Instruction, Writer], None]] = {
    **dict.fromkeys(_SAME, _same),
    "mul": _multiply, "mad": _multiply, "mul24": _multiply24, "mad24": _multiply24, "shl": _shift, "shr": _shift,
    "shf": _funnel, "popc": _bits, "clz": _bits, "bfind": _bits, "bfe": _bfe, "bfi": _bfi, "prmt": _prmt,
    "lop3": _lop3, "dp4a": _dot, "dp2a": _dot, "vabsdiff4": _distances, "mov": _mov, "setp": _setp, "set": _set,
    "selp": _selp, "slct": _slct, "cvt": _cvt, "cvta": _special, "mapa": _rank,
    "getctarank": _rank, "nanosleep": _nothing, "prefetch": _nothing, "prefetchu": _nothing,
    "applypriority": _nothing, "griddepcontrol": _nothing_of_90, "setmaxnreg": _nothing_of_90, "pmevent": _nothing,
}  # fmt: skip

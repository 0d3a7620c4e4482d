"""ncu on one launch of an exercise: its metrics as JSON in the course's schema, and their reading in Markdown.

`run(slug, source, shape, out_dir)` is all that a caller needs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from onekernel import cuda
from onekernel.backends import declarations
from onekernel.bench import device
from onekernel.errors import UserError
from onekernel.messages import LANGUAGES, Message, localized
from onekernel.ops import OPERATORS, Operator
from onekernel.ops.base import DTYPES, SCALARS, SUFFIXES
from onekernel.profiling import ncu, report
from onekernel.profiling.profile import Profile, described, file_stem, load
from onekernel.profiling.reading import merged

__all__ = ["Profile", "load", "run", "write_readings"]
TORCH = "F.softmax"  # the slug of PyTorch's own softmax
DEFAULT_SHAPES = {
    "vector_add": (1 << 24,), "dot_product": (1 << 24,), "softmax": (8192, 4096), "gelu": (1 << 25,),
    "softmax_mul": (8192, 4096), "rmsnorm": (8192, 4096), "gemm": (2048, 2048, 2048),
}  # fmt: skip
QUADRATIC_SHAPE = (1024, 1024)  # for a kernel in which each output reads its whole row


def run(
    slug: str, source: Path | None, shape: Sequence[int] | None, out_dir: Path, dtype: str = "float32"
) -> Profile:
    """Profiles one call of `slug` and writes `<slug>.json`, `<slug>.md` and `<slug>.es.md` into `out_dir`/<gpu>/.

    `source` is the `.cu` or Triton file, None for slug "F.softmax". `shape` is (rows, cols), or (n,) for vectors;
    None takes the course's. What stands below the marker of an existing reading is kept.
    Raises UserError, and BuildError for a file that does not compile.
    """
    ncu.find()
    operator = operator_of(slug)
    shape = tuple(shape) if shape else default_shape(slug, operator)
    sizes = sizes_of(operator, shape)
    exported = ncu.capture(job(slug, source, operator, shape, sizes, dtype))
    try:
        kernels = report.kernels(exported, source)
    except (ValueError, KeyError) as error:  # a row cut off, a column that this version names otherwise
        raise UserError(Message("profile.unread", {"version": exported.version or "-"})) from error
    card = device.current()
    ledger = operator.ledger(sizes, DTYPES[dtype].itemsize)
    short = ",".join(map(str, shape))
    profile = Profile(
        slug=slug, operator=operator.name, shape=shape, dtype=dtype, device=asdict(card),
        versions=device.versions(), date=device.provenance()["date"],
        command=f"onekernel profile {slug} --shape {short}" + ("" if dtype == "float32" else f" --dtype {dtype}"),
        ideal_read=ledger.bytes_read, ideal_written=ledger.bytes_written, flops=ledger.flops,
        kernels=kernels, source=described(source),
    )  # fmt: skip
    folder = out_dir / card.slug
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(profile.to_json(), indent=1) + "\n"
    (folder / f"{file_stem(slug)}.json").write_text(text, encoding="utf-8")
    write_readings(profile, folder)
    return profile


def write_readings(profile: Profile, folder: Path) -> list[Path]:
    """Writes the reading in each language beside the JSON; a hand-written part below the marker stays. The paths."""
    written = []
    for lang in LANGUAGES:
        path = folder / localized(f"{file_stem(profile.slug)}.md", lang)
        old = path.read_text(encoding="utf-8") if path.is_file() else ""
        path.write_text(merged(profile, lang, old), encoding="utf-8")
        written.append(path)
    return written


def operator_of(slug: str) -> Operator:
    """The operator that a slug begins with; softmax for PyTorch's and for the rungs of the reading ladder."""
    named = [name for name in OPERATORS if slug.startswith(name)]
    return OPERATORS[max(named, key=len) if named else "softmax"]


def default_shape(slug: str, operator: Operator) -> tuple[int, ...]:
    """The shape that the course profiles at."""
    return QUADRATIC_SHAPE if slug == "softmax_naive" else DEFAULT_SHAPES[operator.name]


def sizes_of(operator: Operator, shape: Sequence[int]) -> dict[str, int]:
    """The operator's sizes for a dense shape. Raises UserError for another number of dimensions."""
    names = operator.sizes
    if len(shape) != len(names) or min(shape) < 1:
        given = ",".join(map(str, shape))
        raise UserError(
            Message.of("profile.wrong-shape", operator=operator.name, names=", ".join(names), given=given)
        )
    sizes = dict(zip(names, shape, strict=True))
    for p in operator.parameters:
        if p.row_stride:
            sizes[p.row_stride] = sizes[p.shape[-1]]
    return sizes


def job(
    slug: str, source: Path | None, operator: Operator, shape: Sequence[int], sizes: Mapping[str, int], dtype: str
) -> dict[str, Any]:
    """What `launch` is told: the function and its arguments. Builds a `.cu`; raises BuildError where that fails."""
    if source is None or source.suffix == ".py":
        described = {"source": str(source or TORCH), "function": slug, "shape": list(shape), "dtype": dtype}
        return described | {"inputs": len(operator.inputs())}
    program = cuda.build(source)
    function = _launcher(program, slug, source, dtype)
    args: list[Any] = []
    for p in operator.parameters:
        if p.role == "size":
            args.append(sizes[p.name])
        elif p.role in SCALARS:
            args.append(operator.cases[0].scalars[p.name])
        else:
            elements = math.prod(sizes.get(name, 1) for name in p.shape)  # dot_product's "one" is no size
            args.append({"elements": elements, "itemsize": DTYPES[dtype].itemsize, "dtype": dtype})
    return {"library": str(program.library_path), "function": function, "args": args}


def _launcher(program: cuda.CudaProgram, slug: str, source: Path, dtype: str) -> str:
    """The launcher's name: the slug's, or for a rung of the reading ladder the one that its file exports."""
    name = slug.rsplit("/", 1)[-1] + SUFFIXES[dtype]
    if slug.startswith("ladder/"):
        name = next((n for n in declarations.exported(source) if n.endswith(SUFFIXES[dtype])), name)
    program.function(name)
    return name

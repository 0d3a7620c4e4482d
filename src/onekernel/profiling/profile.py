"""A profile of one launch: captured, kept as JSON, read back."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from onekernel.backends import cuda, declarations
from onekernel.bench import device
from onekernel.counts import KernelCounts
from onekernel.errors import UserError
from onekernel.messages import LANGUAGES, Message
from onekernel.ops import OPERATORS, Operator
from onekernel.ops.base import SUFFIXES
from onekernel.profiling import ncu, report
from onekernel.profiling.markdown import merged

TORCH = "F.softmax"  # the slug of PyTorch's own softmax
DEFAULT_SHAPES = {"vector_add": (1 << 24,), "dot_product": (1 << 24,), "softmax": (8192, 4096)}
QUADRATIC_SHAPE = (1024, 1024)  # for a kernel in which each output reads its whole row


@dataclass(frozen=True)
class Profile:
    """What ncu saw of one call: its kernels, and what the call had to do at the least (bytes, FLOPs)."""

    slug: str
    operator: str
    shape: tuple[int, ...]
    dtype: str
    device: Mapping[str, Any]
    versions: Mapping[str, str]
    date: str
    command: str
    ideal_read: int
    ideal_written: int
    flops: int
    kernels: tuple[KernelCounts, ...]
    source: Mapping[str, str] | None = None  # path and sha256 of the file; None for a library's kernel

    def of_this(self, path: Path) -> bool | None:
        """Whether the file at `path` is what was profiled, byte for byte; None where the profile does not say."""
        return None if self.source is None else self.source["sha256"] == sha256(path)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Profile:
        """Reads what `to_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        values = {name: data[name] for name in cls.__dataclass_fields__ if name != "source"}
        values["source"] = data.get("source")  # profiles made before 2026-11-21, 16:00, do not have it
        values["shape"] = tuple(int(n) for n in data["shape"])
        values["kernels"] = tuple(KernelCounts.from_json(kernel) for kernel in data["kernels"])
        return cls(**values)


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
    exported = ncu.capture(_job(slug, source, operator, shape, sizes, dtype))
    card = device.current()
    ledger = operator.ledger(sizes, 4 if dtype == "float32" else 2)
    short = ",".join(map(str, shape))
    profile = Profile(
        slug=slug, operator=operator.name, shape=shape, dtype=dtype, device=asdict(card),
        versions=device.versions(), date=device.provenance()["date"],
        command=f"onekernel profile {slug} --shape {short}" + ("" if dtype == "float32" else f" --dtype {dtype}"),
        ideal_read=ledger.bytes_read, ideal_written=ledger.bytes_written, flops=ledger.flops,
        kernels=report.kernels(exported, source), source=described(source),
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
        path = folder / (file_stem(profile.slug) + (".md" if lang == "en" else f".{lang}.md"))
        old = path.read_text(encoding="utf-8") if path.is_file() else ""
        path.write_text(merged(profile, lang, old), encoding="utf-8")
        written.append(path)
    return written


def load(path: Path) -> Profile:
    """A committed profile. Raises KeyError, TypeError or ValueError for a file that is none."""
    return Profile.from_json(json.loads(path.read_text(encoding="utf-8")))


def sha256(path: Path) -> str:
    """The hash of a file, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def described(source: Path | None) -> dict[str, str] | None:
    """What a profile keeps of its source: its path from solutions/ on, or the last two parts of it, and its hash."""
    if source is None:
        return None
    parts = source.parts
    start = len(parts) - 1 - parts[::-1].index("solutions") if "solutions" in parts else len(parts) - 2
    return {"path": "/".join(parts[start:]), "sha256": sha256(source)}


def file_stem(slug: str) -> str:
    """The name of a slug's files: "F.softmax" -> "f_softmax"."""
    return slug.lower().replace(".", "_").replace("/", "_")


def operator_of(slug: str) -> Operator:
    """The operator that a slug begins with; softmax for PyTorch's and for the rungs of the reading ladder."""
    named = [name for name in OPERATORS if slug.startswith(name)]
    return OPERATORS[max(named, key=len) if named else "softmax"]


def default_shape(slug: str, operator: Operator) -> tuple[int, ...]:
    """The shape that the course profiles at."""
    return QUADRATIC_SHAPE if slug.endswith("_naive") else DEFAULT_SHAPES[operator.name]


def sizes_of(operator: Operator, shape: Sequence[int]) -> dict[str, int]:
    """The operator's sizes for a dense shape. Raises UserError for another number of dimensions."""
    names = list(dict.fromkeys(name for p in operator.inputs() for name in p.shape))
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


def _launcher(program: cuda.CudaProgram, slug: str, source: Path, dtype: str) -> str:
    """The launcher's name: the slug's, or for a rung of the reading ladder the one that its file exports."""
    name = slug.rsplit("/", 1)[-1] + SUFFIXES[dtype]
    if slug.startswith("ladder/"):
        exported = [d.name for d in declarations.functions(source.read_text(encoding="utf-8")) if d.extern_c]
        name = next((n for n in exported if n.endswith(SUFFIXES[dtype])), name)
    program.function(name)
    return name


def _job(
    slug: str, source: Path | None, operator: Operator, shape: Sequence[int], sizes: Mapping[str, int], dtype: str
) -> dict[str, Any]:
    if source is None or source.suffix == ".py":
        return {"source": str(source or TORCH), "function": slug, "shape": list(shape), "dtype": dtype}
    program = cuda.build(source)
    function = _launcher(program, slug, source, dtype)
    args: list[Any] = []
    for p in operator.parameters:
        if p.role == "size":
            args.append(sizes[p.name])
        else:
            elements = math.prod(sizes.get(name, 1) for name in p.shape)  # dot_product's "one" is no size
            args.append({"elements": elements, "itemsize": 4 if dtype == "float32" else 2, "dtype": dtype})
    return {"library": str(program.library_path), "function": function, "args": args}

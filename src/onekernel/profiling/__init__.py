"""ncu on one launch of an exercise: its metrics as JSON in the course's schema, and their reading in Markdown.

`run(slug, source, shape, out_dir)` is all that a caller needs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from onekernel.bench import device
from onekernel.errors import UserError
from onekernel.messages import LANGUAGES, Message, localized
from onekernel.ops.base import DTYPES
from onekernel.profiling import ncu, report
from onekernel.profiling.call import default_shape, job, operator_of, sizes_of
from onekernel.profiling.markdown import merged
from onekernel.profiling.profile import Profile, described, file_stem, load

__all__ = ["Profile", "load", "run", "write_readings"]


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

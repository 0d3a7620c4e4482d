"""Small kernels of whose accesses NVIDIA's compiler makes fewer, or might: counted as written, and by its machine code.

`both_ways` holds them. Behind a line stands what is said of its requests where the compiler is not there, by space.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audits.agreement.others import Launch, OtherFile, files_of
from onekernel import counts, simulator
from onekernel.backends.base import Arg, Buffer, CallReport
from onekernel.backends.machine_code import disassembler
from onekernel.cuda import nvcc
from onekernel.simulator.program import Simulated
from support.compilers import OTHERS

pytestmark = pytest.mark.slow

FILES = files_of(Path(__file__).parent / "both_ways")
LAUNCHES = [pytest.param(file, launch, id=launch.name) for file in FILES for launch in file.launches]
GUARD = 256
SPACE = {
    counts.LOAD_REQUESTS: "global", counts.LOAD_SECTORS: "global", counts.BYTES_LOADED: "global",
    counts.STORE_REQUESTS: "global", counts.STORE_SECTORS: "global", counts.BYTES_STORED: "global",
    counts.SHARED_LOAD_WAVEFRONTS: "shared", counts.SHARED_LOAD_CONFLICTS: "shared",
    counts.SHARED_STORE_WAVEFRONTS: "shared", counts.SHARED_STORE_CONFLICTS: "shared",
}  # fmt: skip
compiled = pytest.mark.skipif(
    nvcc.find() is None or disassembler() is None, reason="NVIDIA's compiler and its disassembler are not here"
)


@pytest.fixture(autouse=True)
def nvcc_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_NVCC", "on")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("both_ways")


def text_of(file: OtherFile) -> str:
    """The file's lines and its launchers', numbered as they stand there."""
    return re.sub(r"(?m)^#line.*$", "", file.text)


@cache
def built(folder: Path, text: str, stem: str, machine_code: bool, compiler: str | None = None) -> Simulated:
    path = folder / f"{stem}.cu"
    path.write_text(text, encoding="utf-8")
    return simulator.build(path, "count", machine_code=machine_code, with_compiler=compiler)


def arguments(launch: Launch, short: int = 0, unread: bool = False, guard: int = GUARD) -> list[Arg]:
    """The launch's tensors, each `short` elements shorter than it should be, `guard` bytes into memory of their own;
    `unread`: nobody has written them."""
    out: list[Arg] = []
    for tensor in launch.tensors:
        values = tensor.values()
        memory = np.full(values.nbytes + 2 * guard, 0xFF, np.uint8)
        memory[guard : guard + values.nbytes] = values.view(np.uint8)
        extent = values.nbytes - short * values.itemsize
        out.append(Buffer(tensor.name, memory, guard, extent, True, values.itemsize, filled=not unread))
    return out


def uncertain(report: CallReport) -> set[str]:
    (kernel,) = report.kernels
    return {space for _, _, space, _ in kernel.extra["doubts"]}


def told(report: CallReport) -> Sequence[tuple[str, int | None, str]]:
    return [(finding.code, finding.line, str(finding)) for finding in report.findings]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_a_compiler_may_do_is_said_of_its_line(folder: Path, file: OtherFile) -> None:
    text = text_of(file)
    program = built(folder, text, file.stem, False)
    said = set()
    for launch in file.launches:
        (kernel,) = program.call(launch.function, arguments(launch)).kernels
        said |= {(line, f"{what}-{space}") for _, line, space, some in kernel.extra["doubts"] for what in some}
    marks = [
        (number, what, itself)
        for number, line in enumerate(text.splitlines(), 1)
        for what, itself in re.findall(r"(\w+-(?:shared|global))(\??)", line.rpartition("//")[2])
    ]
    # With a question mark: from g++ 13 on the simulator's own compiler loads a whole struct once, as NVIDIA's does.
    must = {(number, what) for number, what, itself in marks if not itself}
    assert must <= said <= {(number, what) for number, what, _ in marks}


def test_what_is_said_does_not_hang_on_where_the_tensors_lie(folder: Path) -> None:
    """One turn of the loop repeats an access, in every warp: two warps whose turn is missed would silence the line."""
    (file,) = (one for one in FILES if one.stem.endswith("turns"))
    (launch,) = (one for one in file.launches if one.name == "down_by_do_while")
    program = built(folder, text_of(file), file.stem, False)
    for guard in range(GUARD, 100 * GUARD, GUARD):
        assert uncertain(program.call(launch.function, arguments(launch, guard=guard))) == {"global"}, guard


@compiled
@pytest.mark.parametrize(("file", "launch"), LAUNCHES)
def test_a_count_that_the_machine_code_betters_is_said_to_be_uncertain(
    folder: Path, file: OtherFile, launch: Launch
) -> None:
    programs = (built(folder, text_of(file), file.stem, way) for way in (False, True))
    written, coded = (program.call(launch.function, arguments(launch)) for program in programs)
    (mine,), (its,) = written.kernels, coded.kernels
    assert its.extra["by_code"] and not its.extra["doubts"] and not mine.extra["by_code"]
    more = {space for metric, space in SPACE.items() if mine.metrics.get(metric, 0) > its.metrics.get(metric, 0)}
    assert more <= uncertain(written)
    assert told(written) == told(coded) == []


@compiled
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.sample(every=4)
def test_races_bounds_and_first_reads_are_found_whichever_way_it_is_counted(folder: Path, file: OtherFile) -> None:
    """Without its barriers, with tensors that are too short, with tensors that nobody wrote."""
    text = text_of(file)
    codes: set[str] = set()
    apart = text.replace("__syncthreads();", "")
    wrong: list[tuple[str, dict[str, Any], str]] = [(text, {"short": 1}, "out-of-bounds")]
    wrong.append((text, {"unread": True}, "uninitialised"))
    wrong += [(apart, {}, "race")] if apart != text else []
    for broken, how, expected in wrong:
        programs = [built(folder, broken, f"{file.stem}_{expected}", way) for way in (False, True)]
        for launch in file.launches:
            written, coded = (program.call(launch.function, arguments(launch, **how)) for program in programs)
            assert told(written) == told(coded)
            codes |= {code for code, _, _ in told(written) if code.startswith(expected)}
        assert any(code.startswith(expected) for code in codes), expected


@pytest.mark.parametrize("compiler", OTHERS)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.sample(every=4)
def test_every_compiler_counts_the_same_or_says_that_it_cannot(folder: Path, file: OtherFile, compiler: str) -> None:
    text = text_of(file)
    programs = [built(folder, text, file.stem, False), built(folder, text, file.stem, False, compiler)]
    for launch in file.launches:
        usual, other = (program.call(launch.function, arguments(launch)) for program in programs)
        mine, theirs = usual.kernels[0], other.kernels[0]
        differ = {space for metric, space in SPACE.items() if mine.metrics.get(metric) != theirs.metrics.get(metric)}
        inexact = set() if theirs.extra["exact_requests"] else {*SPACE.values()}
        assert differ <= uncertain(usual) | uncertain(other) | inexact, launch.name
        assert told(usual) == told(other)

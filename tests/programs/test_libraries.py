"""CUDA's libraries in whole programs: what they compute, and what a call is told that is given something wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from onekernel import simulator
from onekernel.backends.base import BuildError
from onekernel.programs import Executable, build
from onekernel.simulator import cccl
from support.marks import marked

HERE = Path(__file__).parent

pytestmark = pytest.mark.slow  # programs with a library's headers: seconds to build


@pytest.fixture(scope="module")
def blas() -> Executable:
    return build([HERE / "blas.cu"], libraries=["cublas", "cudart"])


def test_blas_gives_what_a_plain_sum_gives(blas: Executable) -> None:
    done = blas.run(quiet=True)
    assert (done.status, done.findings) == (0, ())


SAID = {
    1: "A of cublasSgemm is memory of the host",
    2: "8 x 8 with ldB = 9 spans 71 elements, and the buffer holds only 64",
    3: "lda is 4 and must be at least 8",
    4: "reads C at row 0, column 0",
    5: "result of cublasSdot lies in memory of the host",
    6: "33 elements, 2 apart, span 65, and the buffer holds only 64",
    7: "alpha of cublasSscal lies in device memory",
    8: "these types",
    9: "y of cublasSdot is a null pointer",
}


@pytest.mark.parametrize("number", list(SAID))
def test_a_call_of_blas_is_told_what_is_wrong(number: int, blas: Executable) -> None:
    done = blas.run([str(number)], quiet=True)
    prefix = f"{number}:"
    wanted = [(code, line) for code, line in marked(HERE / "blas.cu") if code.startswith(prefix)]
    assert [(f"{prefix}{f.code}", f.line) for f in done.findings] == wanted
    assert SAID[number] in done.findings[0].message.text("en")


@pytest.fixture(scope="module")
def random() -> Executable:
    return build([HERE / "random.cu"], libraries=["curand"])


def test_random_numbers_are_the_published_ones_and_have_their_distributions(random: Executable) -> None:
    done = random.run(quiet=True)
    assert (done.status, done.findings) == (0, ())


@pytest.mark.parametrize("number", range(1, 6))
def test_random_numbers_are_told_what_is_wrong(number: int, random: Executable) -> None:
    wanted = marked(HERE / "random.cu", number)
    assert {(f.code, f.line) for f in random.run([str(number)], quiet=True).findings} == wanted


def test_a_name_that_is_not_here_and_a_library_in_a_launcher_are_sentences(tmp_path: Path) -> None:
    path = tmp_path / "mine.cu"
    path.write_text("#include <cublas_v2.h>\nint main() {\n    cublasCgemm(nullptr);\n}\n", encoding="utf-8")
    with pytest.raises(BuildError) as caught:
        build([path])
    assert [(f.line, "does not have cublasCgemm" in f.message.text("en")) for f in caught.value.findings] == [(3, True)]
    with pytest.raises(BuildError, match="only in whole programs"):
        simulator.build(path)
    path.write_text("#include <thrust/nowhere.h>\nint main() {}\n", encoding="utf-8")
    with pytest.raises(BuildError, match="pip install nvidia-cuda-cccl"):
        build([path])


@pytest.fixture(scope="module")
def thrust() -> Executable:
    if cccl.find() is None:
        pytest.skip("no CCCL: pip install nvidia-cuda-cccl")
    return build([HERE / "thrust.cu"])


def test_thrust_runs_on_device_memory_that_kernels_share(thrust: Executable) -> None:
    done = thrust.run(quiet=True)
    assert (done.status, done.findings) == (0, ())


@pytest.mark.parametrize("number", range(1, 5))
def test_thrust_is_told_what_is_wrong(number: int, thrust: Executable) -> None:
    wanted = marked(HERE / "thrust.cu", number)
    assert {(f.code, f.line) for f in thrust.run([str(number)], quiet=True).findings} == wanted


@pytest.fixture(scope="module")
def cub() -> Executable:
    return build([HERE / "cub.cu"])


def test_cub_on_the_device_gives_what_its_manual_says(cub: Executable) -> None:
    done = cub.run(quiet=True)
    assert (done.status, done.findings) == (0, ())


@pytest.mark.parametrize("number", range(1, 4))
def test_cub_is_told_what_is_wrong(number: int, cub: Executable) -> None:
    wanted = marked(HERE / "cub.cu", number)
    assert {(f.code, f.line) for f in cub.run([str(number)], quiet=True).findings} == wanted

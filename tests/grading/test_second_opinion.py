"""NVIDIA's compiler beside the simulator: what it alone refuses is refused, and on the corpora the two agree."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from onekernel import doctor, simulator
from onekernel.backends.base import BuildError
from onekernel.cuda import nvcc
from onekernel.cuda.ahead import compile_ahead
from onekernel.cuda.nvcc import Nvcc
from onekernel.cuda.refusals import refuse
from onekernel.doctor import health
from onekernel.grading.grader import grade
from onekernel.messages import Message
from onekernel.sandbox import supervisor, worker
from onekernel.sandbox.second_opinion import SecondOpinion
from onekernel.sandbox.supervisor import RunOutcome
from support.corpus import graded
from support.course import COURSE, ROOT

pytestmark = pytest.mark.skipif(nvcc.find() is None, reason="NVIDIA's compiler is not here")
# hypot of three is the host's alone; the simulator knows such names of containers and algorithms, and g++ inlines it.
HOSTS = "__global__ void lengths(float* x) { x[0] = std::hypot(x[0], x[1], x[2]); }\n"
FOLDERS = ("tests/right", "tests/wrong", "tests/hostile", "tests/slips", "solutions", "solutions/ladder", "kernels",
           "tests/simulator/kernels")  # fmt: skip
SAMPLE = 20  # one file of so many; ONEKERNEL_COMPARE=1 takes them all, some twelve minutes of processor time
# The simulator builds these and nvcc does not, or the other way round; each says why.
DIFFER = {
    "async_group_no_wait.cu": "cuda::aligned_size_t without <cuda/barrier>",
    "host_trap.cu": "__trap in a launcher, which the simulator tells when it is reached",
    "clean_atomic_vectors.cu": "for sm_90",
    "launch_shared_declared_too_large.cu": "shared arrays too large, which the simulator tells at their launch",
    "add_device_symbol_cleared_by_pointer.cu": "a device variable on the host, for nvcc the host's copy of it",
    "host_jumps_out_of_a_kernel.cu": "longjmp in a kernel, which the grader refuses in the built file",
    "compiles_a_flood.cu": "a file of 600 MB, which is above a limit of ours",
}


SILENT = Message("doctor.no-answer")


class Silent:
    def wait(self) -> dict[str, int]:
        return {}


def add(folder: Path) -> Path:
    path = folder / "vector_add.cu"
    source = (ROOT / "solutions" / "vector_add.cu").read_text()
    head = source.index('extern "C"')
    path.write_text(f"{source[:head]}{HOSTS}{source[head:]}")
    return path


@pytest.mark.slow
def test_what_nvcc_alone_refuses_is_refused_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setenv("ONEKERNEL_NVCC", "on")
    path = add(tmp_path)
    failure = graded(path, "vector_add", "simulator").verdicts[0].failures[0]
    assert failure.code == "std-on-device" and path.read_text().splitlines()[failure.line - 1] == HOSTS.rstrip("\n")
    assert "std::hypot" in failure.message.text("en")


@pytest.mark.slow
def test_without_it_g_plus_plus_decides(tmp_path):
    assert graded(add(tmp_path), "vector_add", "simulator").status == "passed"


def test_a_compiler_that_does_not_work_here_says_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("ONEKERNEL_NVCC", "on")
    monkeypatch.setenv("ONEKERNEL_CACHE", str(tmp_path / "cache"))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nvcc").write_text("#!/bin/sh\necho 'host_config.h(1): error: no' >&2\nexit 1\n")
    (tmp_path / "bin" / "nvcc").chmod(0o755)
    monkeypatch.setattr(nvcc, "find", lambda: Nvcc(tmp_path, "13.0"))
    for asked in ("ahead", "refusals"):
        monkeypatch.setattr(f"onekernel.cuda.{asked}.find", lambda: Nvcc(tmp_path, "13.0"))
    SecondOpinion(add(tmp_path)).wait()
    SecondOpinion(add(tmp_path), whole=True).wait()


def test_it_is_not_asked_of_the_file_that_tries_the_machine(monkeypatch):
    tried = []
    monkeypatch.setattr(doctor, "grade", lambda s: tried.append(s) or grade(s))
    silent = RunOutcome([], ended=SILENT)
    monkeypatch.setattr(supervisor, "run", lambda request: tried.append(request) or silent)
    health(COURSE, "simulator", again=True)
    monkeypatch.setattr(worker, "SecondOpinion", lambda *_, **__: pytest.fail("asked"))
    submission, request = tried[:2]
    assert submission.path == request.source and worker._simulated(request).source.path == request.source
    monkeypatch.setattr(worker, "SecondOpinion", lambda path, *_, **__: tried.append(path) or Silent())
    assert worker._simulated(replace(request, options={})) and tried[-1] == request.source


def refuses(build, path: Path) -> bool:
    try:
        build(path)
    except BuildError:
        return True
    return False


@pytest.mark.slow
@pytest.mark.sample(every=4)
def test_both_refuse_the_same_files():
    files = [f for folder in FOLDERS for f in sorted((ROOT / folder).glob("*.cu")) if f.name not in DIFFER]
    files = [f for f in files if "cluster" not in f.read_text()]  # of sm_90
    chosen = files if os.environ.get("ONEKERNEL_COMPARE") else files[::SAMPLE]
    with ThreadPoolExecutor(2) as pool:
        theirs = dict(zip(chosen, pool.map(lambda f: refuses(compile_ahead, f), chosen), strict=True))
    ours = {f: refuses(simulator.build, f) for f in chosen}
    # What an attack aims at, our own machinery, nvcc does not have.
    differ = [f.name for f in chosen if ours[f] != theirs[f] and not (ours[f] and f.parent.name == "hostile")]
    assert not differ
    with ThreadPoolExecutor(2) as pool:  # what is asked where no machine code is wanted says the same
        quick = dict(zip(chosen, pool.map(lambda f: refuses(refuse, f), chosen), strict=True))
    assert quick == theirs

"""From a file to a program: what does not build is refused in one clear sentence at the learner's line."""

import shutil
import subprocess

import numpy as np
import pytest

from onekernel import simulator
from onekernel.backends.base import Buffer, BuildError, Unavailable
from onekernel.backends.cache import cache_folder
from onekernel.simulator.compilation import diagnostics, parts
from onekernel.simulator.compilation.compiler import Compiler, compiler
from onekernel.simulator.compilation.parts import run_compiler, runtime_objects
from onekernel.simulator.rewrite import Source
from support.compilers import FAMILIES, OTHERS
from support.corpus import graded
from support.course import ROOT

GXX = pytest.mark.skipif(not shutil.which("g++"), reason="no g++ here")
GOOD = """\
__global__ void k(float* y, int64_t n) { if (threadIdx.x < n) y[threadIdx.x] = 7.0f; }
extern "C" cudaError_t run(float* y, int64_t n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(y, n);
    return cudaGetLastError();
}
"""


def write(folder, text, name="kernel.cu"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refused(path):
    with pytest.raises(BuildError) as caught:
        simulator.build(path)
    assert all(f.message.text("en") and f.message.text("es") for f in caught.value.findings)
    return [(f.code, f.line) for f in caught.value.findings]


def out(n=8):
    return Buffer("y", np.full(4 * n + 512, 0xFF, np.uint8), 256, 4 * n, True, 4)


def test_good_file_runs(tmp_path):
    y = out()
    report = simulator.build(write(tmp_path, GOOD)).call("run", [y, 8])
    assert report.status == 0 and not report.findings
    assert (np.frombuffer(y.memory[256:288].tobytes(), np.float32) == 7).all()
    assert (y.memory[:256] == 0xFF).all() and (y.memory[288:] == 0xFF).all()


def test_templates_of_one_name_in_two_programs_share_nothing(tmp_path):
    """Each has its own shared array: with the other's place for it, accesses would lie outside."""
    template = GOOD.replace("__global__", "template <int kEach> __global__").replace("k<<<", "k<1><<<")
    through = "{ __shared__ float a[32]; a[threadIdx.x] = 7.0f; y[threadIdx.x] = a[threadIdx.x]; }"
    second = template.replace("y[threadIdx.x] = 7.0f;", through)
    first = second.replace("{ __shared__", "{ __shared__ float other[64]; other[threadIdx.x] = 1.0f; __shared__")
    for name, text in (("first.cu", first), ("second.cu", second)):
        report = simulator.build(write(tmp_path, text, name)).call("run", [out(), 8])
        assert [str(f) for f in report.findings] == []


def test_syntax_error_is_told_at_its_line(tmp_path):
    assert refused(write(tmp_path, GOOD.replace("7.0f;", "7.0f")))[0] == ("compile-error", 1)


def test_error_inside_a_template_is_told_where_the_learner_called_it(tmp_path):
    text = GOOD.replace("    k<<<", "    dim3 p;\n    std::max(p, p);\n    k<<<")
    findings = refused(write(tmp_path, text))
    assert findings[0] == ("compile-error", 4)


def test_wrong_argument_of_a_launch_is_told_at_the_launch(tmp_path):
    assert refused(write(tmp_path, GOOD.replace("(y, n);", "(y, n, 3);")))[0] == ("compile-error", 3)


def test_what_is_not_supported_is_named_with_its_line(tmp_path):
    text = "#include <cub/device/device_reduce.cuh>\n" + GOOD.replace("y[threadIdx.x] = 7.0f;", "surfCubemapread();")
    assert refused(write(tmp_path, text)) == [("unsupported", 1), ("unsupported", 2)]


def test_names_in_comments_and_strings_are_not_refused(tmp_path):
    text = '// asm("nop") and wmma\nconst char* s = "thrust <<<1, 2>>> __shared__ asm";\n' + GOOD
    assert simulator.build(write(tmp_path, text)).call("run", [out(), 8]).status == 0


def test_file_that_is_not_utf8(tmp_path):
    path = tmp_path / "kernel.cu"
    path.write_bytes(GOOD.encode() + b"// caf\xe9\n")
    assert refused(path) == [("not-utf8", 6)]


def test_file_that_is_missing(tmp_path):
    assert refused(tmp_path / "none.cu") == [("unreadable", None)]


def test_function_that_is_declared_only(tmp_path):
    text = "void helper(float*);\n" + GOOD.replace("    k<<<", "    helper(y);\n    k<<<")
    assert refused(write(tmp_path, text)) == [("undefined", None)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (GOOD.replace("run(", "rnu("), "missing-export"),
        (GOOD.replace('extern "C" ', ""), "not-extern-c"),
        (GOOD.replace("n, cudaStream_t stream", "n").replace(", 0, stream>>>", ">>>"), "wrong-signature"),
    ],
)
def test_launcher_that_cannot_be_called(tmp_path, text, code):
    program = simulator.build(write(tmp_path, text))
    with pytest.raises(BuildError) as caught:
        program.call("run", [out(), 8])
    assert [f.code for f in caught.value.findings] == [code]


def test_an_empty_file_is_told_what_it_lacks_without_an_empty_list(tmp_path):
    with pytest.raises(BuildError) as caught:
        simulator.build(write(tmp_path, "")).call("run", [out(), 8])
    (finding,) = caught.value.findings
    assert finding.code == "missing-export"
    assert "run is missing" in str(finding) and "exports" not in str(finding)


def test_quoted_include_is_rewritten_and_its_lines_named(tmp_path):
    write(tmp_path, "__device__ void put(float* y, int i) {\n    y[i + 1000] = 7.0f;\n}\n", "helper.cuh")
    text = '#include "helper.cuh"\n' + GOOD.replace("y[threadIdx.x] = 7.0f;", "put(y, threadIdx.x);")
    report = simulator.build(write(tmp_path, text)).call("run", [out(), 8])
    (finding,) = report.findings
    assert (finding.code, finding.line) == ("out-of-bounds-write", 2)
    assert finding.file.endswith("helper.cuh")


@pytest.mark.slow
def test_edit_of_an_included_file_is_seen(tmp_path):
    helper = write(tmp_path, "#define VALUE 1.0f\n", "value.h")
    path = write(tmp_path, '#include "value.h"\n' + GOOD.replace("7.0f", "VALUE"))
    for value in (1.0, 2.0):
        helper.write_text(f"#define VALUE {value}f\n")
        y = out()
        simulator.build(path).call("run", [y, 8])
        assert np.frombuffer(y.memory[256:260].tobytes(), np.float32)[0] == value


def test_no_compiler_is_said_clearly(tmp_path):
    with pytest.raises(Unavailable) as caught:
        simulator.build(write(tmp_path, GOOD), with_compiler="g++-none")
    assert "g++-none" in caught.value.message.text("en")


def test_windows_line_ends(tmp_path):
    path = tmp_path / "kernel.cu"
    path.write_bytes(GOOD.replace("\n", "\r\n").encode())
    assert simulator.build(path).call("run", [out(), 8]).status == 0


def test_byte_order_mark(tmp_path):
    path = tmp_path / "kernel.cu"
    path.write_bytes(GOOD.encode("utf-8-sig"))
    assert simulator.build(path).call("run", [out(), 8]).status == 0


def test_kernel_called_like_a_function(tmp_path):
    assert refused(write(tmp_path, GOOD.replace("<<<1, 32, 0, stream>>>", ""))) == [("kernel-called", 3)]


def test_disk_that_is_full_while_compiling(tmp_path, monkeypatch):
    complaint = "fatal error: error writing to x: No space left on device"
    compiler = write(tmp_path, f"#!/bin/sh\necho '{complaint}'; exit 1\n", "cc")
    compiler.chmod(0o755)
    monkeypatch.setenv("ONEKERNEL_CACHE", str(tmp_path / "cache"))
    with pytest.raises(BuildError) as caught:
        simulator.build(write(tmp_path, GOOD), with_compiler=str(compiler))
    assert [f.code for f in caught.value.findings] == ["disk"]
    assert str(tmp_path / "cache") in caught.value.findings[0].message.text("en")


ENDLESS = """
template <int N, int M> struct Tree {
    static constexpr long value = Tree<N - 1, 2 * M>::value + Tree<N - 1, 2 * M + 1>::value;
};
template <int M> struct Tree<0, M> { static constexpr long value = M; };
static const long total = Tree<28, 0>::value;
"""


@pytest.mark.parametrize(
    "said", ["virtual memory exhausted: Cannot allocate memory", "cc1plus: out of memory allocating 8 bytes"]
)
def test_a_compiler_that_may_not_have_its_memory_is_told_of_as_that(said: str) -> None:
    with pytest.raises(BuildError) as caught:
        run_compiler(["/bin/sh", "-c", f"echo '{said}' >&2; exit 1"])
    assert [f.code for f in caught.value.findings] == ["compile-memory"]
    quotes = run_compiler(["/bin/sh", "-c", "echo 'a.cu:3: error: puts(\"out of memory\")' >&2; exit 1"])
    assert quotes.returncode == 1


@pytest.mark.slow
def test_a_compiler_that_does_not_end_is_stopped_by_its_processor_time(tmp_path, monkeypatch):
    monkeypatch.setattr("onekernel.simulator.compilation.parts._CPU_SECONDS", 2)
    for name in FAMILIES:
        with pytest.raises(BuildError) as caught:
            simulator.build(write(tmp_path, GOOD + ENDLESS), with_compiler=name)
        assert [f.code for f in caught.value.findings] == ["compile-time"], name
        assert " 2 " in caught.value.findings[0].message.text("en")


@pytest.mark.slow
def test_what_is_too_large_for_a_submission_is_too_large_for_whoever_builds_it_first(tmp_path):
    for name in FAMILIES:  # one cache serves the grader, trace and run
        with pytest.raises(BuildError) as caught:
            simulator.build(write(tmp_path, GOOD + "char flood[600u << 20] = {1};\n"), with_compiler=name)
        assert [f.code for f in caught.value.findings] == ["built-size"], name
        assert " 512 MiB" in caught.value.findings[0].message.text("en")


@pytest.mark.slow
def test_cache_that_cannot_be_written_falls_back(tmp_path, monkeypatch):
    simulator.build(write(tmp_path, GOOD))
    names = ("runtime-", "threads-", "libonekernel-")
    made_once = [p for p in cache_folder("simulator").iterdir() if p.name.startswith(names)]
    monkeypatch.setenv("ONEKERNEL_CACHE", "/proc/nowhere")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    folder = cache_folder("simulator")
    assert folder.is_relative_to(tmp_path)
    for path in made_once:  # the runtime takes a quarter of a minute
        shutil.copy2(path, folder)
    assert simulator.build(write(tmp_path, GOOD)).call("run", [out(), 8]).status == 0
    assert list(folder.glob("*.so"))


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.slow
def test_each_compiler_finds_the_same(tmp_path, name):
    path = write(tmp_path, GOOD.replace("threadIdx.x < n", "threadIdx.x <= n"))
    report = simulator.build(path, with_compiler=name).call("run", [out(), 8])
    assert [(f.code, f.line) for f in report.findings] == [("out-of-bounds-write", 1)]


@pytest.mark.slow
@GXX
def test_a_compiler_that_fortifies_by_itself_builds_what_copies(tmp_path):
    """Ubuntu's g++ does: its headers then define memcpy, which is ours."""
    compiler = tmp_path / "g++"
    compiler.write_text(f'#!/bin/sh\nexec {shutil.which("g++")} -D_FORTIFY_SOURCE=3 "$@"\n')
    compiler.chmod(0o755)
    text = "#include <cstring>\n" + GOOD.replace("7.0f;", "7.0f; float two[2]; memcpy(two, y, 8); memset(y, 0, 4);")
    program = simulator.build(write(tmp_path, text), with_compiler=str(compiler))
    assert program.call("run", [out(), 8]).status == 0


CLUSTERS = "#include <cooperative_groups.h>\n" + GOOD.replace("7.0f;", "cooperative_groups::this_cluster().size();")
VECTORS = GOOD.replace("y[threadIdx.x] = 7.0f;", "atomicAdd((float4*)y, float4{1, 2, 3, 4});")


@pytest.mark.parametrize(("text", "line"), [
    (CLUSTERS, 2), (GOOD.replace("__global__ void", "__global__ void __cluster_dims__(2)"), 1), (VECTORS, 1),
])  # fmt: skip
@pytest.mark.slow
def test_what_needs_sm_90_is_refused_by_line_with_the_way_to_ask_for_it(tmp_path, monkeypatch, text, line):
    path = write(tmp_path, text)
    with pytest.raises(BuildError) as caught:
        simulator.build(path)
    assert [(f.code, f.line) for f in caught.value.findings] == [("unsupported", line)]
    texts = [f.message.text(language) for f in caught.value.findings for language in ("en", "es")]
    assert all("ONEKERNEL_ARCH=sm_90" in text for text in texts)
    simulator.build(path, arch="sm_90")
    monkeypatch.setenv("ONEKERNEL_ARCH", "sm_90")
    simulator.build(path)


def test_a_card_that_is_not_modelled_is_refused_with_those_that_are(tmp_path):
    with pytest.raises(Unavailable, match="sm_80, sm_90"):
        simulator.build(write(tmp_path, GOOD), arch="sm_70")


def test_shared_memory_outside_a_function_is_refused_where_blocks_run_together(tmp_path):
    text = "__shared__ float s[32];\n" + GOOD.replace("7.0f", "s[0]").replace(
        "k<<<1, 32, 0, stream>>>(y, n);",
        "void* a[] = {&y, &n}; return cudaLaunchCooperativeKernel(k, 2, 32, a, 0, stream);",
    )
    report = simulator.build(write(tmp_path, text)).call("run", [out(), 8])
    assert report.status_name == "cudaErrorNotSupported"
    assert [(f.code, f.line) for f in report.findings] == [("unsupported", 4)]


def test_the_rest_of_cub_is_refused_by_name_and_line(tmp_path):
    text = "#include <cub/cub.cuh>\n" + GOOD.replace("{ if", "{ using Counts = cub::BlockHistogram<int, 32, 1, 8>; if")
    with pytest.raises(BuildError) as caught:
        simulator.build(write(tmp_path, text))
    assert [(f.code, f.line) for f in caught.value.findings] == [("unsupported", 2)]
    assert "cub::BlockHistogram" in caught.value.findings[0].message.text("en")


def test_a_kernel_that_is_launched_by_its_address_keeps_its_name(tmp_path):
    launch = "void* a[] = {&y, &n}; cudaLaunchKernel(mine::k<32>, 1, 32, a, 0, stream);"
    text = GOOD.replace("k<<<1, 32, 0, stream>>>(y, n);", launch).replace("; }\n", "; } }\n", 1)
    text = text.replace("__global__", "namespace mine { template <int> __global__")
    report = simulator.build(write(tmp_path, text)).call("run", [out(), 8])
    assert [k.kernel for k in report.kernels] == ["k<32>"]


@pytest.mark.slow
def test_a_submission_is_graded_on_the_card_that_is_asked_for(tmp_path, monkeypatch):
    text = (ROOT / "solutions" / "vector_add.cu").read_text(encoding="utf-8")
    path = write(tmp_path, "#if __CUDA_ARCH__ < 900\n#error for clusters\n#endif\n" + text, "vector_add.cu")
    only = frozenset({"exact-blocks"})
    assert [v.status for v in graded(path, "vector_add", "simulator", only).verdicts] == ["failed"]
    monkeypatch.setenv("ONEKERNEL_ARCH", "sm_90")
    assert [v.status for v in graded(path, "vector_add", "simulator", only).verdicts] == ["passed"]


@pytest.mark.parametrize(
    "attribute",
    [
        '__attribute__((no_sanitize("thread")))',
        "[[gnu::no_sanitize_thread]]",
        "OK_QUIET",
        "__attribute__((__no_sanitize__(1)))",
    ],
)
def test_what_would_hide_accesses_is_refused_with_its_line(tmp_path, attribute):
    text = GOOD.replace("__global__", f"{attribute} __device__ float f(const float* p) {{ return *p; }}\n__global__", 1)
    assert refused(write(tmp_path, text))[0][0] == "machinery"


def test_a_pasted_name_hides_nothing_either(tmp_path):
    hidden = 'NAME(no_, sanitize)("thread")'
    text = "#define NAME(a, b) a##b\n" + GOOD.replace("__global__", f"__attribute__(({hidden})) __global__", 1)
    assert refused(write(tmp_path, text))[0][0] == "compile-error"


def test_a_second_card_asks_for_one_small_unit_and_not_for_the_runtime_again():
    of_80, of_90 = (runtime_objects(compiler(), cache_folder("simulator"), arch) for arch in ("sm_80", "sm_90"))
    assert of_80[0] == of_90[0] and of_80[1] != of_90[1]
    assert of_90[1].stat().st_size < of_90[0].stat().st_size / 4


UNREAD = {
    "a section's name": '__attribute__((section(".text,\\"ax\\"\\nsyscall\\n#"))) int a;',
    "a pasted attribute": '#define NAME(x, y) x##y\n__attribute__((NAME(sec, tion)(".text"))) int a;',
    "a macro for it": '#define MINE section\n__attribute__((MINE(".text"))) int a;',
    "an argument that its kernel destroys": "struct [[clang::trivial_abi]] A { ~A(); };",
    "a version": '__attribute__((symver("a@V\\nsyscall\\n#"))) int a();',
    "a weak reference": 'static int a() __attribute__((__weakref__("malloc\\nsyscall\\n#")));',
    "a remark": '#ident "x\\"\\nsyscall\\n#"',
    "a remark over two lines": '#id\\\nent "x\\"\\nsyscall\\n#"',
    "a remark after a blank": '#id\\ \nent "x\\"\\nsyscall\\n#"',
    "the other spelling": '%:ident "x\\"\\nsyscall\\n#"',
    "a branch that a macro decides": '#define _WIN32\n#ifdef _WIN32\n#ident "x"\n#endif',
    "another file's line": '#line 1 "/usr/include/stdio.h"',
    "its other spelling": '# 1 "/usr/include/stdio.h" 3',
    "asm over two lines": 'inline void a() { as\\\nm("syscall"); }',
    "the linker's table": 'extern "C" void* _GLOBAL_OFFSET_TABLE_[];',
}


@pytest.mark.parametrize("text", UNREAD.values(), ids=UNREAD.keys())
def test_what_gets_past_what_is_read_is_refused_in_a_file_that_may_be_graded(tmp_path, text):
    assert "unread" in [code for code, *_ in refused(write(tmp_path, f"{text}\n{GOOD}"))]


@pytest.mark.parametrize(
    "text",
    [
        "#include <immintrin.h>",
        "#define HEADER <x86intrin.h>\n#include HEADER",
        "inline float a(const float* p) { return __builtin_ia32_loadups(p)[0]; }",
    ],
)
def test_instructions_of_the_host_are_refused_in_a_file_that_may_be_graded(tmp_path, text):
    assert "host-instruction" in [code for code, *_ in refused(write(tmp_path, f"{text}\n{GOOD}"))]


def test_a_section_is_anybodys_name(tmp_path):
    mine = "constexpr int section = 4;\ninline int part(int section) { return section; }\n"
    text = GOOD.replace("__global__", f"{mine}__global__", 1)
    simulator.build(write(tmp_path, text + "constexpr int twice = section * (section);\n"))


def test_the_runtime_is_compiled_with_what_each_family_of_compilers_knows(monkeypatch, tmp_path):
    asked = []

    def refuse(command):
        asked.extend(command)
        return subprocess.CompletedProcess(command, 1, "", "error: nothing is compiled here")

    monkeypatch.setattr(parts, "run_compiler", refuse)
    of_gcc = {"-fno-split-loops", "-fno-unswitch-loops", "-fno-peel-loops", "-fno-gnu-unique"}
    for family, wanted in (("g++", of_gcc), ("clang++", set())):
        asked.clear()
        with pytest.raises(BuildError):
            runtime_objects(Compiler(family, family, "of this test"), tmp_path, "sm_80")
        assert of_gcc & {*asked} == wanted


@pytest.mark.parametrize(
    "log",
    [
        "/usr/bin/ld: optind: TLS definition in /tmp/x/kernel.o section .tbss mismatches non-TLS definition in "
        "/lib/libc.so.6 section .data\n/usr/bin/ld: /lib/libc.so.6: error adding symbols: bad value\n"
        "collect2: error: ld returned 1 exit status\n",
        "/usr/bin/ld.gold: error: optind: TLS symbol\ncollect2: error: ld returned 1 exit status\n",
        "/usr/bin/ld: warning: x.o: missing .note.GNU-stack section\n"
        "/usr/bin/ld: /tmp/x.o: in function `optind': bad\n",
    ],
)
def test_of_what_a_linker_says_the_line_with_the_name_is_told(tmp_path, log):
    """binutils 2.40 and 2.44, and gold."""
    source = Source(tmp_path / "kernel.cu")
    (finding,) = diagnostics.link_error(source, log).findings
    assert "optind" in str(finding.message)


def test_what_a_linker_refuses_is_told_without_this_machines_folders(tmp_path):
    """A variable of each thread's own that the C library has once for all."""
    text = '#include <cuda_runtime.h>\nextern "C" thread_local int optind;\n'
    text += 'extern "C" cudaError_t f(cudaStream_t stream) { return (cudaError_t)optind; }\n'
    path = write(tmp_path, text)
    with pytest.raises(BuildError) as told:
        simulator.build(path, scrambled=True, prototypes=["cudaError_t f(cudaStream_t stream);"])
    (finding,) = told.value.findings
    assert (finding.code, finding.message.key) == ("link", "simulator.link")
    assert "optind" in str(finding.message) and "/" not in str(finding.message)

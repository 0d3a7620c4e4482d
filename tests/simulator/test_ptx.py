# ruff: noqa: E501
"""Inline PTX: how asm statements are read, what is refused, and that the simulator computes what PTX says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from onekernel import simulator
from onekernel.backends.base import BuildError
from support.simulated import clean, run

LAUNCH = """
extern "C" cudaError_t run(const float* x, float* y, long n, cudaStream_t stream) {
    k<<<1, 32, 0, stream>>>(x, y, n);
    return cudaGetLastError();
}
"""


def kernel(body: str) -> str:
    return f"__global__ void k(const float* x, float* y, long n) {{\n    {body}\n}}\n{LAUNCH}"


def refused(folder: Path, body: str, before: str = "") -> list[tuple[int | None, str]]:
    path = folder / "kernel.cu"
    path.write_text(before + kernel(body), encoding="utf-8")
    with pytest.raises(BuildError) as caught:
        simulator.build(path)
    return [(f.line, f.message.key) for f in caught.value.findings]


@pytest.mark.parametrize(
    ("body", "key"),
    [
        ('asm("tcgen05.alloc;");', "ptx.unknown"),
        ('asm("wgmma.fence.sync.aligned;");', "ptx.needs-card"),
        ('asm("frobnicate.b32 %0;" :: "r"(1));', "ptx.unknown"),
        ('asm("{.reg .pred p; setp.ne.u32 p, %0, 0; bar.red.or.pred p, 4, p;}" :: "r"(1));', "ptx.unknown"),
        ('asm("add.u32 %0, %1" : "=r"(n) : "r"(1));', "ptx.operands"),
        ('unsigned r; asm("add.u64 %0, %1, %1;" : "=r"(r) : "r"(1));', "ptx.size"),
        ('unsigned r; asm("add.u32 %0, %1, %1;" : "=r"(r) : "f"(1.0f));', "ptx.float-operand"),
        ('unsigned r; asm("mov.u32 %0, %2;" : "=r"(r) : "r"(1));', "ptx.no-operand"),
        ('unsigned r; asm("mov.u32 %1, %0;" : "=r"(r) : "r"(1));', "ptx.not-output"),
        ('unsigned r; asm("mov.u32 %0, %%a;" : "=r"(r));', "ptx.not-declared"),
        ('unsigned r; asm("mov.u32 %0, 1 1;" : "=r"(r));', "ptx.syntax"),
        ('unsigned r; asm("mov.u32 %0, 1;" : "=x"(r));', "ptx.constraint"),
        ('unsigned long r; asm("mov.u32 %0, 1;" : "=r"(r));', "ptx.operand-type"),
        ('asm("bra nowhere;");', "ptx.no-label"),
        ('asm("cp.async.cg.shared.global [%0], [%1], 8;" :: "r"(0), "l"(x));', "ptx.copy-size"),
        ('unsigned r[3]; asm("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2}, [%3];" '
         ': "=r"(r[0]), "=r"(r[1]), "=r"(r[2]) : "r"(0));', "ptx.operands"),
        ('asm("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%0};" :: "r"(0));', "ptx.needs-card"),
    ],
)  # fmt: skip
def test_what_ptxas_would_refuse_is_a_sentence_with_its_line(tmp_path: Path, body: str, key: str) -> None:
    assert refused(tmp_path, f"float v = x[0];\n    {body}") == [(3, key)]


# What ptxas says for sm_80 (CUDA 13.0) of instructions that the simulator has: the first four it takes.
WAITS = "mbarrier.{} p, [%0], {};"
OF_SM_90 = {
    "mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];": False,
    WAITS.format("test_wait.parity.shared::cta.b64", 0): False,
    "fence.acq_rel.gpu;": False,
    "fence.proxy.alias;": False,
    WAITS.format("try_wait.parity.shared::cta.b64", 0): True,
    "mbarrier.arrive.shared::cta.b64 s, [%0], 2;": True,
    "mbarrier.arrive.release.cluster.shared::cta.b64 s, [%0];": True,
    "mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], 16;": True,
    "mbarrier.arrive.shared::cluster.b64 _, [%0];": True,
    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;": True,
    "fence.mbarrier_init.release.cluster;": True,
    "fence.proxy.async;": True,
    "fence.acq_rel.cluster;": True,
    "elect.sync r|p, 0xffffffff;": True,
    "griddepcontrol.wait;": True,
    "mapa.shared::cluster.u32 r, %0, 0;": True,
    "barrier.cluster.arrive;": True,
}


def test_what_a_newer_card_alone_has_is_refused_on_sm_80(tmp_path: Path) -> None:
    text = '"{{ .reg .pred p; .reg .b32 r; .reg .b64 s; .reg .f32 f; {} }}"'
    asked = [f'asm volatile({text.format(one)} :: "r"(0));' for one in OF_SM_90]
    newer = [(3 + n, "ptx.needs-card") for n, later in enumerate(OF_SM_90.values()) if later]
    assert refused(tmp_path, "float v = x[0];\n" + "\n".join(asked)) == newer


def test_a_statement_of_a_macro_is_told_where_the_macro_is_used(tmp_path: Path) -> None:
    macro = '#define WAIT(n) asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(n))\n'
    assert refused(tmp_path, "y[0] = 1;\n    WAIT(0);", macro) == [(4, "ptx.needs-card")]


@pytest.mark.slow
def test_statements_that_are_left_out_are_not_read(tmp_path: Path) -> None:
    body = '#if __CUDA_ARCH__ >= 1000\n    asm("tcgen05.alloc;");\n#endif\n    y[threadIdx.x] = 7.0f;'
    assert (clean(tmp_path, kernel(body), np.zeros(32, np.float32), np.zeros(32, np.float32)) == 7).all()


@pytest.mark.slow
def test_a_copy_that_nobody_waits_for_is_not_there(tmp_path: Path) -> None:
    """In every mode, so that a wrong kernel does not give a right answer."""
    body = """__shared__ float tile[32];
    tile[threadIdx.x] = -1.0f;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"((unsigned)__cvta_generic_to_shared(tile + threadIdx.x)), "l"(x + threadIdx.x));
    asm volatile("cp.async.commit_group;");
    y[threadIdx.x] = tile[threadIdx.x];
    asm volatile("cp.async.wait_group 0;");
    y[32 + threadIdx.x] = tile[threadIdx.x];"""
    x = np.arange(32, dtype=np.float32)
    for mode in ("fast", "check"):
        y, report = run(tmp_path, kernel(body), x, np.zeros(64, np.float32), mode)
        np.testing.assert_array_equal(y, np.concatenate([np.full(32, -1), x]))
        assert [(f.code, f.line) for f in report.findings] == ([("missing-wait", 6)] if mode == "check" else [])


# One instruction each: its text, the constraint and type of what it reads and writes, and NumPy's own.
U, S, F = np.uint32, np.int32, np.float32
INSTRUCTIONS = [
    ("add.s32 $d, $0, $1;", S, lambda a, b: a + b),
    ("sub.u32 $d, $0, $1;", U, lambda a, b: a - b),
    ("mul.lo.s32 $d, $0, $1;", S, lambda a, b: a * b),
    ("mul.hi.u32 $d, $0, $1;", U, lambda a, b: (a.astype(np.uint64) * b >> 32).astype(U)),
    ("mad.lo.u32 $d, $0, $1, 7;", U, lambda a, b: a * b + U(7)),
    ("{ .reg .u64 t; mul.wide.u32 t, $0, $1; mov.b64 {_, $d}, t; }", U, lambda a, b: (a.astype(np.uint64) * b >> 32).astype(U)),
    ("min.s32 $d, $0, $1;", S, np.minimum),
    ("max.u32 $d, $0, $1;", U, np.maximum),
    ("xor.b32 $d, $0, $1;", U, np.bitwise_xor),
    ("lop3.b32 $d, $0, $1, 0x0f0f0f0f, 0xe8;", U, lambda a, b: (a & b) | (a & U(0x0F0F0F0F)) | (b & U(0x0F0F0F0F))),
    ("shf.l.wrap.b32 $d, $0, $1, 8;", U, lambda a, b: b << U(8) | a >> U(24)),
    ("shl.b32 $d, $0, 40;", U, lambda a, b: a * U(0)),
    ("shr.s32 $d, $0, 3;", S, lambda a, b: a >> 3),
    ("bfe.u32 $d, $0, 5, 9;", U, lambda a, b: a >> U(5) & U(511)),
    ("bfe.s32 $d, $0, 20, 8;", S, lambda a, b: (a << 4) >> 24),
    ("bfi.b32 $d, $0, $1, 4, 8;", U, lambda a, b: (b & ~U(0xFF0)) | (a << U(4) & U(0xFF0))),
    ("prmt.b32 $d, $0, $1, 0x5410;", U, lambda a, b: (a & U(0xFFFF)) | b << U(16)),
    ("popc.b32 $d, $0;", U, lambda a, b: np.bitwise_count(a).astype(U)),
    ("dp4a.s32.s32 $d, $0, $1, 3;", S, lambda a, b: 3 + (a.view(np.int8).reshape(-1, 4).astype(S) * b.view(np.int8).reshape(-1, 4)).sum(1, dtype=S)),
    ("vabsdiff4.u32.u32.u32.add $d, $0, $1, 3;", U, lambda a, b: 3 + np.abs(a.view(np.uint8).reshape(-1, 4).astype(S) - b.view(np.uint8).reshape(-1, 4)).sum(1, dtype=U)),
    ("{ .reg .pred p, q; setp.lt.s32 p|q, $0, $1; selp.b32 $d, 1, 2, q; @p add.u32 $d, $d, 10; }", S, lambda a, b: np.where(a < b, 12, 1)),
    ("{ .reg .u32 i; mov.u32 i, 0; mov.u32 $d, 0; AGAIN: add.u32 $d, $d, i; add.u32 i, i, 1; { .reg .pred more; setp.ne.u32 more, i, 5; @more bra AGAIN; } }", U, lambda a, b: a * U(0) + U(10)),
    ("mov.u32 $d, %%laneid;", U, lambda a, b: np.arange(32, dtype=U)),
    ("fma.rn.f32 $d, $0, $1, 0f3F800000;", F, lambda a, b: (a.astype(np.float64) * b + 1).astype(F)),
    ("add.rz.f32 $d, $0, $1;", F, None),
    ("max.NaN.f32 $d, $0, $1;", F, np.maximum),
    ("cvt.rna.tf32.f32 $d, $0;", F, lambda a, b: ((a.view(U) + U(0x1000)) & ~U(0x1FFF)).view(F)),
    ("cvt.rn.f16x2.f32 $d, $0, $1;", F, lambda a, b: np.stack([b, a], 1).astype(np.float16).view(F)[:, 0]),
    ("{ .reg .s32 t; cvt.rni.s32.f32 t, $0; cvt.rn.f32.s32 $d, t; }", F, lambda a, b: np.rint(a)),
    ("abs.ftz.f32 $d, $0;", F, np.abs),
    ("neg.f32 $d, $0;", F, np.negative),
    ("{ .reg .b16 lo, hi; mov.b32 {lo, hi}, $0; mov.b32 $d, {hi, lo}; }", U, lambda a, b: a << U(16) | a >> U(16)),
    ("shfl.sync.bfly.b32 $d, $0, 1, 31, -1;", U, lambda a, b: a[np.arange(32) ^ 1]),
    ("shfl.sync.up.b32 $d, $0, 2, 0, -1;", U, lambda a, b: a[np.maximum(np.arange(32) - 2, np.arange(32) * (np.arange(32) < 2))]),
    ("shfl.sync.idx.b32 $d, $0, 5, 0x181f, -1;", U, lambda a, b: a[np.arange(32) // 8 * 8 + 5]),
    ("redux.sync.add.u32 $d, $0, -1;", U, lambda a, b: np.full(32, a.sum(dtype=U))),
    ("{ .reg .pred p; setp.gt.s32 p, $0, 0; vote.sync.ballot.b32 $d, p, -1; }", S, lambda a, b: np.full(32, sum(1 << i for i in range(32) if a[i] > 0)).astype(U).view(S)),
]  # fmt: skip


def test_instructions_compute_what_ptx_says(tmp_path: Path) -> None:
    letters = {U: ("unsigned", "r"), S: ("int", "r"), F: ("float", "f")}
    body = ["const int i = threadIdx.x;"]
    for index, (text, kind, _) in enumerate(INSTRUCTIONS):
        cpp, letter = letters[kind]
        ptx = text.replace("$d", "%0").replace("$0", "%1").replace("$1", "%2")
        out = "r" if "f16x2.f32 $d" in text or "tf32.f32 $d" in text else letter
        result = {"r": "unsigned" if cpp == "float" else cpp, "f": "float"}[out]
        body.append(
            f"{{ {cpp} a = reinterpret_cast<const {cpp}*>(x)[{64 * index} + i], b = reinterpret_cast<const {cpp}*>(x)[{64 * index + 32} + i]; "
            f'{result} d; asm volatile("{ptx}" : "=&{out}"(d) : "{letter}"(a), "{letter}"(b)); '
            f"reinterpret_cast<{result}*>(y)[{32 * index} + i] = d; }}"
        )
    rng = np.random.default_rng(7)
    operands = [
        rng.standard_normal((2, 32)).astype(F) * 100
        if kind is F
        else rng.integers(-(2**31), 2**31, (2, 32)).astype(kind)
        for _, kind, _ in INSTRUCTIONS
    ]
    x = np.concatenate([o.ravel().view(F) for o in operands])
    got = clean(tmp_path, kernel("\n    ".join(body)), x, np.zeros(32 * len(INSTRUCTIONS), F)).reshape(-1, 32)
    for (text, kind, expected), (a, b), row in zip(INSTRUCTIONS, operands, got, strict=True):
        if expected is None:  # toward zero: never larger than the exact sum, and the next number away from zero is
            exact, near = a.astype(np.float64) + b, row.astype(np.float64)
            assert (np.abs(near) <= np.abs(exact)).all() and (
                np.abs(np.nextafter(row, row * F(4))) > np.abs(exact)
            ).all()
            continue
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(row.view(U), np.asarray(expected(a, b)).astype(kind).view(U), err_msg=text)


MEMORY = """
__device__ float copied[4];
__global__ void k(const float* x, float* y, long n) {
    __shared__ alignas(16) float tile[256];
    const unsigned i = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(tile);
    float a, b, c, d;
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(x + 4 * i));
    asm volatile("st.shared.v4.f32 [%0+16], {%1, %2, %3, %4};" :: "r"(at + 16 * i - 16), "f"(d), "f"(c), "f"(b), "f"(a) : "memory");
    asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(a) : "r"(at + 4 * (127 - i)));
    asm volatile("st.global.cs.f32 [%0 + 4], %1;" :: "l"(y + i - 1), "f"(a) : "memory");
    unsigned byte, policy_low;
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.u8 %0, [%1], %2;" : "=r"(byte) : "l"((const char*)x + 4 * i + 3), "l"(policy));
    y[32 + i] = byte;
    asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" :: "l"(copied), "f"(x[i]) : "memory");
    unsigned old;
    asm volatile("atom.shared.add.u32 %0, [%1], 2;" : "=r"(old) : "r"(at + 1020) : "memory");
}
"""


@pytest.mark.slow
def test_loads_stores_and_atomics(tmp_path: Path) -> None:
    source = MEMORY.replace("old;\n", "old;\n    if (i == 0) tile[255] = 0;\n    __syncwarp();\n") + LAUNCH
    source = source.replace(
        '"memory");\n}',
        '"memory");\n    y[65 + i] = old;\n    __syncwarp();\n    if (i == 0) y[64] = copied[0], copied[0] = 0;\n}',
    )
    x = np.arange(128, dtype=F)
    for mode in ("fast", "count"):
        y, report = run(tmp_path, source, x, np.zeros(97, F), mode)
        assert [str(f) for f in report.findings] == []
        tile = x.reshape(32, 4)[:, ::-1].ravel()
        np.testing.assert_array_equal(y[:32], tile[127 - np.arange(32)])
        np.testing.assert_array_equal(y[32:64], x[:32].view(np.uint8)[3::4])
        assert y[64] == x[:32].sum() and sorted(y[65:]) == list(range(0, 64, 2))
    assert report.kernels[0].metrics["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] == 3


def test_a_restricted_pointer_is_an_operand_like_another(tmp_path: Path) -> None:
    body = """const float* __restrict__ from = x + threadIdx.x;
    float* __restrict__ to;
    float v;
    asm("mov.u64 %0, %1;" : "=l"(to) : "l"(y + threadIdx.x));
    asm("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(from));
    *to = 2 * v;"""
    x = np.arange(32, dtype=F)
    y, report = run(tmp_path, kernel(body), x, np.zeros(32, F), "check")
    assert [str(f) for f in report.findings] == []
    assert np.array_equal(y, 2 * x)


def test_an_address_outside_of_shared_memory_is_named(tmp_path: Path) -> None:
    body = """__shared__ float tile[32];
    tile[threadIdx.x] = x[threadIdx.x];
    float v;
    asm volatile("ld.shared.f32 %0, [%1+4];" : "=f"(v) : "r"((unsigned)__cvta_generic_to_shared(tile + threadIdx.x)));
    y[threadIdx.x] = v;"""
    _, report = run(tmp_path, kernel(body), np.zeros(32, F), np.zeros(32, F))
    assert {(f.code, f.line) for f in report.findings} >= {("out-of-bounds-shared-read", 5)}

"""ncu exports -> counts -> a reading. `ncu_exports/` holds an H200's own text (ncu 2025.3.1), columns and lines cut."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from onekernel import counts, profiling
from onekernel.errors import UserError
from onekernel.labs.reader import load as load_course
from onekernel.messages import LANGUAGES, area
from onekernel.profiling import load, ncu, profile, report, run, write_readings
from onekernel.profiling.reading import BUSY, COPY_OVER_DATASHEET, ISSUING, MARKER, read
from onekernel.profiling.report import bare_name

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXPORTS = HERE / "ncu_exports"
COMMITTED = sorted((ROOT / "profiles").glob("*/*.json"))
BANDWIDTH = 4.81e12


@pytest.fixture
def block() -> counts.KernelCounts:
    texts = [(EXPORTS / f"softmax_block.{page}.csv").read_text() for page in ("raw", "source")]
    (kernel,) = report.kernels(ncu.Exported(*texts, "2025.3.1"), Path("softmax_block.cu"))
    return kernel


def test_a_raw_page_becomes_counts_in_the_shared_schema(block):
    assert (block.grid, block.block, block.registers, block.source) == ((8192, 1, 1), (256, 1, 1), 32, "ncu")
    ideal = 8192 * 4096 * 4
    assert block.metrics[counts.LOAD_SECTORS] * 32 == ideal == block.metrics[counts.STORE_SECTORS] * 32
    assert block.metrics[counts.DRAM_READ] == pytest.approx(ideal, rel=0.01)
    assert block.sectors_per_request() == 4.0
    assert counts.KernelCounts.from_json(json.loads(json.dumps(block.to_json()))) == block


def test_the_source_page_gives_samples_and_sectors_by_line(block):
    lines = {(n.file, n.line): n.metrics for n in block.lines}
    assert set(lines) == {("softmax_block.cu", n) for n in (37, 40, 64, 84)}
    # Line 84 loads the row into shared memory, line 64 stores the result.
    assert lines["softmax_block.cu", 84][counts.LOAD_SECTORS] * 32 == 8192 * 4096 * 4
    assert counts.STORE_SECTORS not in lines["softmax_block.cu", 84]
    assert lines["softmax_block.cu", 64][counts.STORE_SECTORS] * 32 == 8192 * 4096 * 4
    assert lines["softmax_block.cu", 84]["smsp__pcsamp_warps_issue_stalled_long_scoreboard"] > 1000


def test_a_kernel_without_line_information_still_has_its_counts():
    text = (EXPORTS / "f_softmax.raw.csv").read_text()
    remark = "==WARNING== No lineinfo available to show CUDA-C source\n"
    (kernel,) = report.kernels(ncu.Exported(remark + text, remark, "2025.3.1"), None)
    assert kernel.lines == () and kernel.block == (1024, 1, 1)
    assert bare_name(kernel.kernel).endswith("cunn_SoftMaxForwardReg")


@pytest.mark.parametrize("text", ["", "==ERROR== nothing\n", '"a","b"\n"1","2"\n'])
def test_text_that_is_no_report_is_refused(text):
    with pytest.raises(ValueError, match="raw page"):
        report.kernels(ncu.Exported(text, "", ""), None)


@pytest.mark.parametrize(
    ("text", "value"), [("1,004", 1004.0), ("94.05", 94.05), ("0", 0.0), ("no data", None), ("", None)]
)
def test_numbers_are_read_as_ncu_prints_them(text, value):
    assert report.number(text) == value


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("void softmax_block_kernel<(bool)1>(const float *, float *, long)", "softmax_block_kernel"),
        ("void softmax_block_kernel<1>(const float *, float *, long)", "softmax_block_kernel"),
        ("softmax_naive_kernel(const float *)", "softmax_naive_kernel"),
        ("void unnamed>::cunn<float, unnamed>::Epilogue, 4>(T3 *)", "unnamed::cunn"),
        ("tile", "tile"),
    ],
)
def test_both_spellings_of_a_kernel_name_agree(name, bare):
    assert bare_name(name) == bare


# --- the reading -----------------------------------------------------------------------------------------------------
IDEAL = 8192 * 4096 * 4


NOT_SELECTED = f"{ncu.STALL_PREFIX}not_selected{ncu.STALL_SUFFIX}"


def test_slots_that_warps_queue_for_bind_before_they_are_full(block):
    """73 % of the slots, 60 % of DRAM, and five ready warps for each that issues: nobody waits for lack of warps."""
    r = read(block, IDEAL, IDEAL, BANDWIDTH)
    assert r.bound == "issue" and r.ready > 5 and [s.key for s in r.steps] == ["step-issue"]
    assert r.steps[0].gain == pytest.approx(r.seconds / r.floor, rel=0.01)
    for fewer in ({NOT_SELECTED: 0.5}, {ncu.ISSUE_PERCENT: 40.0}, {ncu.DRAM_PERCENT: 74.0}):
        assert read(_with(block, **fewer), IDEAL, IDEAL, BANDWIDTH).bound == "latency", fewer


def test_the_reading_names_stall_limiter_lines_and_gain(block):
    r = read(_with(block, **{NOT_SELECTED: 0.5}), IDEAL, IDEAL, BANDWIDTH)
    assert (r.bound, r.dominant) == ("latency", "long_scoreboard")
    assert r.limiters == ("registers", "warps")
    assert sum(share for _, share in r.stalls) == pytest.approx(1.0)
    assert not {"selected", "not_selected"} & {reason for reason, _ in r.stalls}
    assert r.lines[0][0] == "softmax_block.cu:84" and r.lines[0][2] == "long_scoreboard"
    (step,) = r.steps
    assert step.key == "step-long-scoreboard-full" and 1.0 < step.gain <= r.seconds / r.floor


def _with(kernel, **metrics):
    return replace(kernel, metrics={**kernel.metrics, **metrics})


def test_reading_a_row_three_times_is_the_first_thing_to_mend(block):
    r = read(_with(block, **{counts.DRAM_READ: 3.0 * IDEAL, ncu.DURATION: 300_000.0}), IDEAL, IDEAL, BANDWIDTH)
    assert r.steps[0].key == "step-traffic" and r.steps[0].gain == pytest.approx(3.0, rel=0.05)


def test_a_launch_at_the_speed_of_a_copy_is_left_alone(block):
    r = read(_with(block, **{ncu.DRAM_PERCENT: 88.0, ncu.DURATION: 65_000.0}), IDEAL, IDEAL, BANDWIDTH)
    assert r.bound == "memory" and [s.key for s in r.steps] == ["step-done"] and r.steps[0].gain == 1.0


def test_no_gain_is_promised_beyond_the_floor(block):
    for nanoseconds in (60_000.0, 70_000.0, 90_000.0, 1e6):
        r = read(_with(block, **{ncu.DURATION: nanoseconds}), IDEAL, IDEAL, BANDWIDTH)
        assert all(1.0 <= s.gain <= max(1.0, r.seconds / r.floor) for s in r.steps)


def test_an_unknown_stall_of_a_newer_ncu_is_shown_under_its_own_name(block, tmp_path):
    stalls = {k: 0.0 for k in block.metrics if k.startswith(ncu.STALL_PREFIX)}
    odd = _with(block, **stalls, **{f"{ncu.STALL_PREFIX}warp_holiday{ncu.STALL_SUFFIX}": 5.0})
    text = _page(odd, tmp_path)
    assert "`warp_holiday`" in text


def test_every_stall_reason_has_a_meaning_and_a_step(block):
    reasons = [k.removeprefix(ncu.STALL_PREFIX).removesuffix(ncu.STALL_SUFFIX)
               for k in block.metrics if k.startswith(ncu.STALL_PREFIX)]  # fmt: skip
    assert len(reasons) > 15
    for reason in set(reasons) - {"selected", "not_selected"}:
        key = reason.replace("_", "-")
        assert f"stall-{key}" in area("profile") and f"step-{key}" in area("profile"), reason


def _profile(kernel) -> profile.Profile:
    device = {"name": "NVIDIA H200", "driver": "580", "datasheet_bandwidth": BANDWIDTH}
    source = {"path": "solutions/softmax_block.cu", "sha256": "0123456789abcdef" * 4}
    return profile.Profile("softmax_block", "softmax", (8192, 4096), "float32", device, {"torch": "2.11.0"},
                           "2026-11-21", "onekernel profile softmax_block", IDEAL, IDEAL, 1, (kernel,),
                           source)  # fmt: skip


def _page(kernel, folder: Path) -> str:
    return write_readings(_profile(kernel), folder)[0].read_text()


def test_what_a_person_wrote_below_the_marker_survives(block, tmp_path):
    english, spanish = write_readings(_profile(block), tmp_path)
    english.write_text(english.read_text() + "\n## By hand\nThe stall is real: see line 84.\n")
    write_readings(_profile(_with(block, **{ncu.DURATION: 99_000.0})), tmp_path)
    text = english.read_text()
    assert text.endswith("## By hand\nThe stall is real: see line 84.\n") and text.count(MARKER) == 1
    assert "99.0 µs" in text and "85." not in text.split(MARKER)[0].split("duration")[1][:12]
    assert "la DRAM" in spanish.read_text() and MARKER in spanish.read_text()


def test_a_profile_is_read_back_as_it_was_written(block, tmp_path):
    path = tmp_path / "p.json"
    path.write_text(json.dumps(_profile(block).to_json()))
    assert load(path) == _profile(block)


@pytest.mark.parametrize("path", COMMITTED, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_committed_readings_are_what_their_counters_give(path, tmp_path):
    kept = load(path)
    for made in write_readings(kept, tmp_path):
        ours = made.read_text().split(MARKER)[0]
        assert (path.parent / made.name).read_text().split(MARKER)[0] == ours, made.name


@pytest.mark.parametrize("path", COMMITTED, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_committed_reading_is_of_the_file_that_is_there(path):
    kept = load(path)
    if kept.slug == profiling.TORCH:
        assert kept.source is None
        return
    if kept.source is None:
        pytest.skip("made before profiles kept the hash of their source")
    source = ROOT / kept.source["path"]
    assert kept.of_this(source), f"{path.name} is of another version of {source.name}: {kept.command} --solutions"


def test_a_profile_knows_whether_a_file_is_the_one_that_it_saw(block, tmp_path):
    source = tmp_path / "solutions" / "softmax_block.cu"
    source.parent.mkdir()
    source.write_text("one version\n")
    made = replace(_profile(block), source=profile.described(source))
    assert made.source is not None and made.source["path"] == "solutions/softmax_block.cu"
    (tmp_path / "p.json").write_text(json.dumps(made.to_json()))
    assert load(tmp_path / "p.json").of_this(source) is True
    rung = profile.described(ROOT / "solutions" / "ladder" / "2_shared_tree.cu")
    assert rung is not None and rung["path"] == "solutions/ladder/2_shared_tree.cu"
    source.write_text("one version  // said of it\n")
    assert load(tmp_path / "p.json").of_this(source) is True
    source.write_text("// a line above, which moves the others\none version\n")
    assert load(tmp_path / "p.json").of_this(source) is False
    source.write_text("another version\n")
    assert load(tmp_path / "p.json").of_this(source) is False
    assert "sha256 " + made.source["sha256"][:12] in write_readings(made, tmp_path)[0].read_text()
    older = made.to_json()
    del older["source"]
    assert profile.Profile.from_json(older).of_this(source) is None
    assert "sha256" not in write_readings(profile.Profile.from_json(older), tmp_path)[0].read_text()


def test_more_warps_are_no_advice_where_none_would_fit(block):
    waiting = _with(block, **{NOT_SELECTED: 0.5})
    few, full = (read(_with(waiting, **{ncu.ACHIEVED: p}), IDEAL, IDEAL, BANDWIDTH) for p in (60.0, 94.0))
    assert few.steps[0].key == "step-long-scoreboard" and full.steps[0].key == "step-long-scoreboard-full"
    assert "or more warps" not in str(area("profile")["step-long-scoreboard-full"])


def test_the_system_s_shared_memory_is_not_the_kernel_s(block):
    told = replace(block, shared_bytes=17920, extra={"compute_capability": "9.0"})
    assert read(told, IDEAL, IDEAL, BANDWIDTH).shared_bytes == 16896
    assert read(replace(told, shared_bytes=1024), IDEAL, IDEAL, BANDWIDTH).shared_bytes == 0
    assert read(_with(told, **{ncu.SYSTEM_SHARED_BYTES: 2048.0}), IDEAL, IDEAL, BANDWIDTH).shared_bytes == 15872
    assert read(replace(told, extra={}), IDEAL, IDEAL, BANDWIDTH).shared_bytes == 17920


def test_lines_with_hardly_a_sample_are_not_listed(block):
    most, *others = sorted(block.lines, key=lambda n: -n.metrics.get("smsp__pcsamp_sample_count", 0.0))
    rare = [replace(n, metrics={"smsp__pcsamp_sample_count": 1.0}) for n in others]
    r = read(replace(block, lines=(most, *rare)), IDEAL, IDEAL, BANDWIDTH)
    assert [line for line, _, _ in r.lines] == [f"{most.file}:{most.line}"]


def test_a_kernel_without_lines_says_so(block, tmp_path):
    assert "without line information" in _page(replace(block, lines=()), tmp_path)
    assert "without line information" not in _page(block, tmp_path)


def test_a_line_of_tritons_library_is_named_by_its_function(tmp_path):
    library = tmp_path / "triton" / "language" / "standard.py"
    library.parent.mkdir(parents=True)
    library.write_text("import x\n\n\ndef max(a):\n    if a:\n        return 1\n    return 2\n\n\nz = 1\n")
    mine = tmp_path / "softmax_triton.py"
    mine.write_text(library.read_text())
    text = (EXPORTS / "softmax_block.source.csv").read_text()
    rows = text.splitlines()
    for path, named in ((library, "tl.max, standard.py"), (mine, "softmax_triton.py")):
        changed = [row.replace("/cache/softmax_block.cu", str(path)) for row in rows]
        changed = ["6" + row[2:] if row.startswith("84,") else row.replace('"84"', '"6"', 1) for row in changed]
        (lines,) = report._by_kernel("\n".join(changed)).values()
        assert named in {n.file for n in lines if n.line == 6}, path


def test_a_gain_of_hundreds_has_no_decimals(block, tmp_path):
    slow = _with(block, **{counts.LOAD_SECTORS: 500.0 * IDEAL / 32, ncu.DURATION: 21_000_000.0})
    assert " x." in _page(slow, tmp_path) and "." not in _page(slow, tmp_path).split("at most ")[1].split(" x")[0]


def test_some_profiles_are_committed():
    assert {"vector_add", "softmax_naive", "softmax_block", "softmax_tuned", "f_softmax"} <= {p.stem for p in COMMITTED}


@pytest.mark.parametrize("end", [".md", ".es.md"])
def test_the_guide_lists_every_reading_and_lab_02_says_which_to_open(end):
    guide = (ROOT / "profiles" / f"README{end}").read_text()
    listed = re.findall(r"^\| `.*\]\(([\w/.]+)\) \|$", guide, re.MULTILINE)
    assert sorted(listed) == sorted(f"{p.parent.name}/{p.stem}{end}" for p in COMMITTED)
    assert all((ROOT / "profiles" / path).is_file() for path in listed)
    lab = (ROOT / "labs" / "02-tuned-kernel" / f"README{end}").read_text()
    assert f"(../../profiles/h200/softmax_tuned{end})" in lab and f"(../../profiles/h200/softmax_block{end})" in lab


@pytest.mark.parametrize("lang", LANGUAGES)
def test_guide_and_chapter_teach_the_limits_that_the_reading_goes_by(lang):
    guide = (ROOT / "profiles" / f"README{'' if lang == 'en' else '.' + lang}.md").read_text()
    chapter = (ROOT / "docs" / lang / "measuring.md").read_text()
    step = {"en": ("**4. What is busy?", "**5."), "es": ("**4. ¿Qué está ocupado?", "**5.")}[lang]
    rules = [guide.split(step[0])[1].split(step[1])[0]]
    rules.append(next(line for line in chapter.splitlines() if line.startswith("3. **") and "DRAM" in line))
    for rule in rules:  # where a unit binds, and where the road ends: 80 % to what a copy reaches
        named = {int(n) for n in re.findall(r"(\d+)(?= %| (?:to|and|y el) \d+ %)", rule)}
        assert named == {int(BUSY), int(ISSUING), 80, round(100 * COPY_OVER_DATASHEET)}, rule


# --- why there is no profile -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("output", "key"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission", "profile.blocked"),
        ("==ERROR== Failed to initialize the profiler: LibraryNotLoaded", "profile.not-initialised"),
        ("==WARNING== No kernels were profiled.", "profile.nothing-launched"),
        ("==PROF== Connected\nsoftmax: cudaError_t 9\n", "profile.failed"),
        ("", "profile.failed"),
    ],
)
def test_the_cause_of_a_missing_report_is_named(output, key):
    message = ncu.explain(output)
    assert message.key == key and message.text("en") and message.text("es")


@pytest.mark.parametrize(
    ("page", "change"),
    [("raw", lambda t: ""), ("raw", lambda t: t[: len(t) // 2]), ("raw", lambda t: t.replace("Grid Size", "grid")),
     ("raw", lambda t: t.replace("Kernel Name", "Nombre")), ("source", lambda t: t.replace('"37"', '"x37"'))],
)  # fmt: skip
def test_a_report_of_another_form_is_told_in_a_sentence(page, change, tmp_path, monkeypatch):
    texts = {p: (EXPORTS / f"softmax_block.{p}.csv").read_text() for p in ("raw", "source")}
    changed = change(texts[page])
    assert changed != texts[page]
    texts[page] = changed
    monkeypatch.setattr(ncu, "find", lambda: Path("ncu"))
    monkeypatch.setattr("onekernel.profiling.job", lambda *args: {})
    monkeypatch.setattr(ncu, "capture", lambda job: ncu.Exported(texts["raw"], texts["source"], "2019.1"))
    with pytest.raises(UserError, match=r"ncu 2019\.1"):
        run("softmax_block", ROOT / "solutions" / "softmax_block.cu", None, tmp_path)
    assert not list(tmp_path.iterdir())


def test_numbers_are_exported_in_one_format_whatever_the_locale(monkeypatch):
    seen = []
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setattr(ncu, "find", lambda: Path("ncu"))
    monkeypatch.setattr(ncu, "_run", lambda command, environment: seen.append(environment["LC_ALL"]) or "")
    with pytest.raises(UserError):
        ncu.capture({})
    assert seen == ["C.UTF-8"]


def test_without_a_gpu_the_cause_is_the_machines_own(tmp_path):
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(UserError, match="profiles/ holds readings"):
        run("softmax_naive", ROOT / "solutions" / "softmax_naive.cu", None, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("slug", "operator", "shape"),
    [("vector_add", "vector_add", (1 << 24,)), ("softmax_naive", "softmax", (1024, 1024)),
     ("F.softmax", "softmax", (8192, 4096)), ("dot_product", "dot_product", (1 << 24,)),
     ("gelu_triton", "gelu", (1 << 25,)), ("softmax_mul_triton", "softmax_mul", (8192, 4096)),
     ("rmsnorm", "rmsnorm", (8192, 4096))],
)  # fmt: skip
def test_each_slug_has_an_operator_and_a_shape(slug, operator, shape):
    found = profiling.operator_of(slug)
    assert found.name == operator and profiling.default_shape(slug, found) == shape
    assert profiling.sizes_of(found, shape)


def test_a_triton_function_is_given_as_many_tensors_as_its_operator_reads():
    for slug, inputs in (("softmax_triton", 1), ("softmax_mul_triton", 2)):
        operator = profiling.operator_of(slug)
        described = profiling.job(slug, Path(f"{slug}.py"), operator, (4, 8), {}, "float32")
        assert described["inputs"] == inputs


def test_every_kernel_of_the_course_has_a_shape_to_profile_at():
    for exercise in load_course(ROOT).exercises.values():
        if exercise.operator:
            assert profiling.default_shape(exercise.slug, profiling.operator_of(exercise.slug)), exercise.slug


def test_a_shape_of_the_wrong_rank_is_refused():
    with pytest.raises(UserError, match="rows, cols"):
        profiling.sizes_of(profiling.operator_of("softmax_tuned"), (4096,))


# --- what the theory says about a reading -----------------------------------------------------------------------------
@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_arithmetic_on_issue_slots_is_the_profiles(lang):
    """The shares in that reading are written from the profile; the products that are made of its counts are here."""
    pages = [ROOT / "docs" / lang / "measuring.md", *sorted((ROOT / "docs" / lang).glob("02-*.md"))]
    page = "".join(p.read_text(encoding="utf-8") for p in pages)
    names = ("softmax_block", "softmax_tuned")
    block, tuned = (load(ROOT / "profiles" / "h200" / f"{name}.json").kernels[0].metrics for name in names)
    issued, elements, slots = block["smsp__inst_executed.sum"], 8192 * 4096, 132 * 4
    cycles = issued / slots
    ghz = cycles / (block[ncu.ISSUE_PERCENT] / 100) / block[ncu.DURATION]
    shown = {
        "{:.1f} ": issued / 1e6, " {:.0f} ": 32 * issued / elements,
        " {:.0f} instruc": 32 * tuned["smsp__inst_executed.sum"] / elements,
        "{:.0f} x 10<sup>6</sup>": tuned["smsp__inst_executed.sum"] / 1e6,
    }  # fmt: skip
    for template, value in shown.items():
        text = template.format(value)
        assert (text.replace(".", ",") if lang == "es" else text) in page, text
    told = re.search(r"([\d.,]+) µs (?:at|a) ([\d.,]+) GHz", page)  # the clock is each capture's own
    assert told and float(told[2].replace(",", ".")) == pytest.approx(ghz, abs=0.03)
    assert float(told[1].replace(",", ".")) == pytest.approx(cycles / ghz / 1e3, abs=0.3)
    assert f"{round(cycles, -2):,.0f}".replace(",", "," if lang == "en" else ".") in page

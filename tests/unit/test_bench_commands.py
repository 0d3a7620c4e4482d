"""The benches by their command lines, on a machine without a GPU; and the committed figures, drawn again."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

import matplotlib
import pytest

from audits import records
from audits.bench.softmax.cases import grid
from onekernel import messages
from onekernel.bench import style
from onekernel.errors import told

ROOT = Path(__file__).parents[2]
# How each bench and each audit is called, and the name under which its sentences and its result stand.
SCRIPTS = {p.stem: f"bench/{p.name}" for p in sorted(ROOT.glob("bench/*.py"))}
MODULES = {p.parent.name: f"audits.{p.parent.name}" for p in sorted(ROOT.glob("audits/*/__main__.py"))}
MODULES.pop("book")  # which measures nothing
MODULES |= {"simulator_vs_ncu": MODULES.pop("agreement"), "others_vs_ncu": "audits.agreement.others_run"}
MODULES |= {"minigpt": "audits.byte_identity.cost"}
CALLED = {**SCRIPTS, **{name: f"-m {module}" for name, module in MODULES.items()}}


def bench(name: str):
    """The module whose `main` a script of bench/, or an audit, runs."""
    path = ROOT / SCRIPTS[name] if name in SCRIPTS else ROOT / MODULES[name].replace(".", "/") / "__main__.py"
    if not path.is_file():
        return importlib.import_module(MODULES[name])
    named = r"^(?:from (?=\S+ import main$)|script\(\")([\w.]+)"
    found = re.findall(named, path.read_text(encoding="utf-8"), re.MULTILINE)
    return importlib.import_module(*found)


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEKERNEL_LANG", "en")
    monkeypatch.setattr(messages, "_chosen", None)


@pytest.fixture
def no_gpu() -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")


# --- committed figures ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["softmax", "roofline", "intensity", "fusion", "gemm"])
@pytest.mark.slow
def test_the_committed_figures_are_what_the_results_give(name, tmp_path, monkeypatch):
    monkeypatch.setattr(style, "KINDS", ("svg",))
    compared = 0
    for record in sorted(ROOT.glob(f"bench/results/*/{name}.json")):
        committed = {p.name: p for p in record.parent.glob(f"{name}*.svg")}
        made_by = f"Matplotlib v{matplotlib.__version__}"
        if any(made_by not in path.read_text(encoding="utf-8")[:4000] for path in committed.values()):
            pytest.skip(f"drawn by another version than {made_by}: the same figure has other bytes")
        folder = tmp_path / record.parent.name
        assert bench(name).main(["--draw", record.parent.name, "--out", str(folder)]) == 0
        stale = [n for n in committed if (folder / n).read_bytes() != committed[n].read_bytes()]
        assert stale == [], f"run python bench/{name}.py --draw {record.parent.name}"
        assert {p.name for p in folder.iterdir()} == set(committed)
        assert all(path.with_suffix(".png").is_file() for path in committed.values())
        compared += len(committed)
    assert compared >= 2  # both languages


def test_every_committed_figure_is_shown_on_a_page_in_its_language():
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/*/*.md"), *ROOT.glob("labs/*/*.md")]
    pages = {p: p.read_text(encoding="utf-8") for p in found}
    for picture in ROOT.glob("bench/results/*/*.png"):
        spanish = picture.name.endswith(".es.png")
        shown = [p for p, text in pages.items() if f"results/{picture.parent.name}/{picture.name}" in text]
        assert shown, picture.name
        assert all((p.name.endswith(".es.md") or p.parent.name == "es") == spanish for p in shown), picture.name


# --- without a GPU ----------------------------------------------------------------------------------------------------
def test_the_softmax_bench_without_a_gpu_tells_what_it_would_measure(no_gpu, capsys):
    assert bench("softmax").main([]) == 0
    told = capsys.readouterr()
    assert "There is no GPU" in told.err and "--dry-run" in told.err
    assert f"{len(list(grid(['float32'])))} shapes" in told.out
    assert "It takes about" in told.out or "is not recorded" in told.out


@pytest.mark.parametrize("name", ["roofline", "intensity"])
@pytest.mark.slow
def test_without_a_gpu_a_prediction_is_drawn_and_says_so(no_gpu, name, tmp_path, capsys, monkeypatch):
    module = bench(name)
    if name == "roofline":  # seconds on the simulator: one kernel will do
        one = [c for c in module.all_contenders(ROOT)[0] if c.name == "softmax_block"]
        monkeypatch.setattr(module, "_contenders", lambda root: one)
    assert module.main(["--out", str(tmp_path)]) == 0
    assert "Instead, a prediction is drawn" in capsys.readouterr().err
    data = json.loads((tmp_path / f"{name}_predicted.json").read_text())
    assert data["predicted"]
    if name == "intensity":
        assert data["bytes_per_element"] == 4.0  # 16 bytes of eight elements in, 16 out, whole sectors
    assert "PREDICTION" in style_text(tmp_path / f"{name}_predicted.svg")


def style_text(path: Path) -> str:
    """The texts of an SVG: matplotlib writes each one as a comment above its glyphs."""
    return "\n".join(line for line in path.read_text(encoding="utf-8").splitlines() if "<!--" in line)


@pytest.mark.slow
def test_a_prediction_does_not_lie_among_the_measurements(no_gpu, tmp_path, monkeypatch):
    module = bench("intensity")
    monkeypatch.setattr(records, "own", lambda root: tmp_path / "own")
    assert module.main(["--predict"]) == 0
    assert (tmp_path / "own" / "h200" / "intensity_predicted.png").is_file()
    assert not list(ROOT.glob("bench/results/*/*_predicted*"))


@pytest.mark.slow
def test_your_ridge_stands_beside_the_datasheets_and_overwrites_no_figure(tmp_path, monkeypatch):
    module = bench("intensity")
    monkeypatch.setattr(records, "own", lambda root: tmp_path)
    before = (ROOT / "bench/results/h200/intensity.svg").read_bytes()
    assert module.main(["--draw", "h200", "--ridge", "100"]) == 0
    said = style_text(tmp_path / "h200" / "intensity.svg")
    assert "your prediction: 100" in said and "datasheet: 56" in said
    assert (ROOT / "bench/results/h200/intensity.svg").read_bytes() == before
    assert "your prediction" not in style_text(ROOT / "bench/results/h200/intensity.svg")


@pytest.mark.parametrize("name", [
    "softmax", "roofline", "intensity", "byte_identity", "minigpt", "simulator", "overhead", "fusion", "gemm", "hopper",
])  # fmt: skip
def test_every_bench_has_a_dry_run_that_says_how_long_it_takes(name, capsys):
    assert bench(name).main(["--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "It took" in told or "It takes about" in told or "is not recorded" in told


@pytest.mark.parametrize("name", CALLED)
@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_every_bench_explains_itself_and_its_options_in_both_languages(name, lang, capsys, monkeypatch):
    monkeypatch.setenv("ONEKERNEL_LANG", lang)
    with pytest.raises(SystemExit) as end:
        bench(name).main(["--help"])
    told = capsys.readouterr().out
    assert end.value.code == 0 and f"python {CALLED[name]} " in told and "--dry-run" in told
    assert messages.area("bench")[f"about-{name}"][lang].strip() in told


def test_a_script_calls_a_module_and_nothing_else():
    for path in [*ROOT.glob("bench/*.py"), *ROOT.glob("audits/*/__main__.py")]:
        script = path.read_text(encoding="utf-8")
        assert len(script.splitlines()) < 15 and "sys.path" not in script and "noqa" not in script, path


# --- bad input --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "words", "says"),
    [
        ("softmax", ["--draw", "nope"], "Recorded under bench/results/: h200"),
        ("roofline", ["--draw", "nope"], "Recorded under bench/results/: h200"),
        ("intensity", ["--draw", "nope"], "Recorded under bench/results/: h200"),
        ("softmax", ["--shape", "abc"], "8192,4096,1"),
        ("softmax", ["--shape", "1,2,3,4"], "8192,4096,1"),
        ("softmax", ["--shape", "0,0"], "at least 1"),
        ("softmax", ["--shape", "8,8,-1"], "8192,4096,1"),
        ("softmax", ["--file", "/nope.cu"], "/nope.cu is not there"),
        ("softmax", ["--file", str(ROOT / "README.md")], "takes .cu and .py"),
        ("softmax", ["--only", "typo"], "Known: softmax_naive"),
        ("softmax", ["--repeats", "0"], "at least 1"),
        ("roofline", ["--predict", "--card", "A100"], "A100 SXM 80GB"),
        ("intensity", ["--predict", "--card", "A100"], "A100 SXM 80GB"),
        ("intensity", ["--ridge", "-3"], "too small"),
        ("grading", ["--complete", "softmax_typo"], "Known: first"),
    ],
)
def test_what_a_bench_cannot_take_is_one_sentence(name, words, says, capsys):
    module = bench(name)
    assert told(lambda: module.main([*words, "--dry-run"] if "--predict" not in words else words)) == 2
    said = capsys.readouterr()
    assert says in said.err and len(said.err.strip().splitlines()) == 1 and said.out == ""


@pytest.mark.slow
def test_what_a_student_costs_is_measured_beside_another_checkout(tmp_path):
    named = ["vector_add", "tuning_log"]
    assert bench("grading").main(["--complete", *named, "--beside", str(ROOT), "--out", str(tmp_path)]) == 0
    data = json.loads((tmp_path / "cpu" / "parts.json").read_text())
    assert [run["exercise"] for run in data["runs"]] == named
    assert all(run["cpu"] > 0.1 and run["before"] > 0.1 for run in data["runs"][:1])  # built and run, on both sides
    assert data["total"].keys() == {"cpu", "before"}

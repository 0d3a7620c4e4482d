"""Pages and statements: links lead somewhere, anchors that verdicts name exist, the programs in the chapters run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from audits.book import samples
from onekernel import simulator
from onekernel.cli import parser
from onekernel.labs.reader import load
from onekernel.messages import LANGUAGES
from onekernel.report import lessons
from support import rules
from support.patience import HUNG_SECONDS
from support.simulated import buffer

ROOT = Path(__file__).parents[2]
WRITTEN = ("docs/*/*.md", "labs/**/*.md", "profiles/**/*.md", "README*.md")
PAGES = sorted({page for kind in WRITTEN for page in ROOT.glob(kind)})
LINK = re.compile(r"\]\(([^)\s]+)\)")
ANCHOR = re.compile(r'<a id="([\w-]+)"></a>')
NAMED = re.compile(r"\b(0\d-[a-z0-9-]+)#([a-z0-9-]+)")
PROGRAM = re.compile(r"^```cuda\n// complete: (\w+)\.cu\n(.*?)^```$", re.M | re.S)
COMMENT = re.compile(r"\s*//.*$", re.M)
CODE = re.compile(r"^```.*?^```$|^    [^\n]*$|`[^`\n]*`", re.M | re.S)


def anchors(page: Path) -> set[str]:
    return set(ANCHOR.findall(page.read_text(encoding="utf-8")))


def links(page: Path) -> list[str]:
    return LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))


def lost(page: Path) -> list[str]:
    """Links to a file that is not there, or to an anchor that its page does not have."""
    found = []
    for link in links(page):
        if re.match(r"https?:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            found.append(link)
    return found


def test_links_lead_somewhere() -> None:
    rules.each(PAGES, lost, "mend these links: there is no such file, or no such anchor in it")


def strangers(page: Path) -> list[str]:
    """Pages of the other language that the page leads to, but for its own translation."""
    spanish = page.name.endswith(".es.md") or page.parent.name == "es"
    sibling = page.with_suffix(".es.md") if not spanish else page.with_name(page.name.replace(".es.md", ".md"))
    targets = {(page.parent / link.partition("#")[0]).resolve() for link in links(page)} - {sibling}
    other = [p for p in targets if p.parent.parent == ROOT / "labs" and p.name.endswith(".es.md") != spanish]
    other += [p for p in targets if p.parent == ROOT / "docs" / ("en" if spanish else "es")]
    return sorted(str(p.relative_to(ROOT)) for p in other if p.suffix == ".md")


def test_a_page_links_to_pages_in_its_own_language() -> None:
    rules.each(PAGES, strangers, "link to the page of the same language instead of")


def test_chapters_that_verdicts_name_have_that_anchor_in_both_languages() -> None:
    files = [*ROOT.glob("src/**/*.py"), *ROOT.glob("src/**/*.toml"), *ROOT.glob("labs/*/lab.toml")]
    named = {found for file in files for found in NAMED.findall(file.read_text(encoding="utf-8"))}
    assert ("01-04-bounds", "bounds") in named
    for lang in LANGUAGES:
        pages = {page: ROOT / "docs" / lang / f"{page}.md" for page, _ in named}
        missing = [f"{page}#{anchor}" for page, anchor in sorted(named) if anchor not in anchors(pages[page])]
        assert missing == [], lang
        taught = [lessons.lesson(ROOT, f"{page}#{anchor}", lang) for page, anchor in sorted(named)]
        assert [x for x in taught if not x or not x.text or x.title in ("", "Questions", "Preguntas")] == []


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("slug", ["softmax_triton", "torch_minigpt"])
def test_the_points_of_a_statement_are_those_of_its_checks(slug: str, lang: str) -> None:
    exercise = load(ROOT).exercises[slug]
    page = ROOT / "labs" / exercise.lab / ("README.es.md" if lang == "es" else "README.md")
    shown = [int(points) for points in re.findall(r"^\| .* \| (\d+) \|$", page.read_text(encoding="utf-8"), re.M)]
    assert shown == [check.points for check in exercise.checks]


def test_every_picture_is_told_in_words_too() -> None:
    def hardly_told(page: Path) -> list[str]:
        told = re.findall(r"^!\[([^\n]*?)\]\([^)\n]*\)", CODE.sub("", page.read_text(encoding="utf-8")), re.M)
        return [text for text in told if len(text) < 15]

    rules.each(PAGES, hardly_told, "a picture's text in brackets says what it shows, in 15 characters or more")


CHAPTERS = sorted(p for p in ROOT.glob("docs/e[ns]/0*.md"))


def test_what_a_chapter_folds_away_is_read_as_text_and_closed() -> None:
    def counts(page: Path) -> dict[str, int]:
        text = page.read_text(encoding="utf-8")
        found = {tag: text.count(tag) for tag in ("<details", '<details markdown="1"><summary>', "</details>")}
        return found if len(set(found.values())) != 1 else {}

    rules.each(CHAPTERS, counts, 'each <details markdown="1"><summary> has its </details>, and none opens otherwise')


def test_a_chapter_ends_with_questions_that_have_folded_answers() -> None:
    def missing(page: Path) -> str:
        last = page.read_text(encoding="utf-8").split("\n## ")[-1]
        few = 2 if re.match(r"01-\d|02-|03-0|05-\d|06-", page.name) else 4  # chapters of several pages: an idea each
        answers, questions = last.count("</details>"), len(re.findall(r"^(?:\*\*)?\d\.", last, re.M))
        return "" if answers >= 1 and questions >= few else f"{questions} questions of {few}, {answers} folded answers"

    rules.each(CHAPTERS, missing, "its last section numbers its questions and folds their answers away")


def test_a_chapter_has_its_reader_predict_and_says_but() -> None:
    def missing(page: Path) -> list[str]:
        text = page.read_text(encoding="utf-8")
        words = ("**Predice", "**Pero**") if page.parent.name == "es" else ("**Predict", "**But**")
        return [word for word in words if word not in text]

    rules.each(CHAPTERS, missing, "a chapter asks for a prediction and says what it leaves out; it lacks")


LADDER = sorted((ROOT / "solutions" / "ladder").glob("[0-9]*.cu"), key=lambda p: int(p.stem.split("_")[0]))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_rung_has_a_page_and_a_line_which_says_not_yet_until_it_is_measured(lang: str) -> None:
    folder = ROOT / "docs" / lang
    overview = (folder / "02-from-naive-to-tiled.md").read_text(encoding="utf-8").splitlines()
    measured = json.loads((ROOT / "bench/results/h200/softmax.json").read_text(encoding="utf-8"))["method"]["kinds"]

    def wrong(rung: Path) -> None:
        number = int(rung.stem.split("_")[0])
        (page,) = folder.glob(f"02-{number:02}-*.md")
        assert f"ladder/{rung.name})" in page.read_text(encoding="utf-8")
        (line,) = [line for line in overview if line.startswith(f"| [{number}](../../solutions/ladder/{rung.name})")]
        assert (f"ladder/{rung.stem}" in measured) == ({"en": "not yet", "es": "aún no"}[lang] not in line), line
        assert page.name in line

    rules.each(LADDER, wrong, "a rung has one page that links to it, and one line of the overview that says what is so")


def programs(lang: str) -> dict[str, str]:
    pages = sorted(ROOT.glob(f"docs/{lang}/0*.md"))
    return {name: body for page in pages for name, body in PROGRAM.findall(page.read_text(encoding="utf-8"))}


def test_both_languages_show_the_same_programs() -> None:
    def code(lang: str) -> dict[str, str]:
        return {name: COMMENT.sub("", body) for name, body in programs(lang).items()}

    assert code("en") == code("es")
    assert set(code("en")) == set(EXPECTED)


def _run(folder: Path, name: str, function: str, out: np.ndarray, *args: np.ndarray | int) -> np.ndarray:
    """Calls a program of the chapters on the simulator, as a learner's: pointers in order, the output after them."""
    path = folder / f"{name}.cu"
    path.write_text(programs("en")[name], encoding="utf-8")
    tensors = [buffer(f"in{i}", a, False) for i, a in enumerate(args) if isinstance(a, np.ndarray)]
    result = buffer("out", out, True)
    sizes = [a for a in args if not isinstance(a, np.ndarray)]
    report = simulator.build(path, "check").call(function, [*tensors, result, *sizes])
    assert [str(f) for f in report.findings] == []
    assert report.status_name == "cudaSuccess"
    return np.frombuffer(result.memory[256 : 256 + out.nbytes].tobytes(), np.float32).reshape(out.shape)


def _scale(folder: Path, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return _run(folder, "scale", "twice", np.zeros(x.size, np.float32), x, x.size), 2 * x.ravel()


def _scale_each(folder: Path, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return _run(folder, "scale_each", "twice_each", np.zeros(x.size, np.float32), x, x.size), 2 * x.ravel()


def _center(folder: Path, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows, cols = x.shape
    got = _run(folder, "center_rows", "center_rows", np.zeros_like(x), x, rows, cols, cols, cols)
    return got, x - x.mean(axis=1, keepdims=True)


def _row_sum(folder: Path, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows, cols = x.shape
    return _run(folder, "row_sum", "row_sum", np.zeros(rows, np.float32), x, rows, cols, cols), x.sum(axis=1)


def _logsumexp(folder: Path, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    x = x.copy()
    x[0, :5] = -np.inf  # the trap: a row that begins with -inf
    rows, cols = x.shape
    got = _run(folder, "row_logsumexp", "row_logsumexp", np.zeros(rows, np.float32), x, rows, cols, cols)
    return got, np.log(np.exp(x.astype(np.float64)).sum(axis=1))


def _transpose(folder: Path, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return _run(folder, "transpose", "transpose", np.zeros(x.T.shape, np.float32), x, *x.shape), x.T


def _matmul(folder: Path, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    b = np.ascontiguousarray(x[:7].T)
    out = np.zeros((x.shape[0], b.shape[1]), np.float32)
    return _run(folder, "matmul_tile", "matmul_tile", out, x, b, x.shape[0], b.shape[1], x.shape[1]), x @ b


def _wmma(folder: Path, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a, b = x[:32, :64].astype(np.float16), np.ascontiguousarray(x[:16, :64].T).astype(np.float16)
    out = np.zeros((32, 16), np.float32)
    return _run(folder, "wmma_tile", "wmma_tile", out, a, b, 32, 16, 64), a.astype(np.float32) @ b.astype(np.float32)


EXPECTED = {
    "scale": _scale,
    "scale_each": _scale_each,
    "center_rows": _center,
    "row_sum": _row_sum,
    "row_logsumexp": _logsumexp,
    "transpose": _transpose,
    "matmul_tile": _matmul,
    "wmma_tile": _wmma,
}


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.slow
def test_the_programs_of_the_chapters_are_right_and_clean(name: str, tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((37, 70)).astype(np.float32)
    got, want = EXPECTED[name](tmp_path, x)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_main_of_chapter_01_prints_what_the_page_says(tmp_path: Path) -> None:
    (tmp_path / "scale.cu").write_text(programs("en")["scale"], encoding="utf-8")
    (finding,) = simulator.build(tmp_path / "scale.cu", "check").call("main", []).findings
    assert finding.code == "printed"
    printed = finding.message.values["text"]
    for lang in LANGUAGES:
        page = (ROOT / "docs" / lang / "01-02-program.md").read_text(encoding="utf-8")
        assert f"\n    {printed}\n" in page


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on this machine")
@pytest.mark.slow
def test_the_programs_of_the_chapters_compile_with_nvcc(tmp_path: Path) -> None:
    for name, body in programs("en").items():
        (tmp_path / f"{name}.cu").write_text(body, encoding="utf-8")
    files = [str(p) for p in sorted(tmp_path.glob("*.cu"))]
    made = subprocess.run(
        ["nvcc", "-arch=sm_80", "--ptx", *files], capture_output=True, text=True, cwd=tmp_path, timeout=HUNG_SECONDS,
        check=False,
    )
    assert made.returncode == 0, made.stderr


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_command_and_each_option_is_in_a_guide(lang: str) -> None:
    guides = "\n".join((ROOT / "docs" / lang / f"{page}.md").read_text("utf-8") for page in ("learner", "instructor"))
    top, commands = parser.build()
    wanted = {f"onekernel {name}" for name in commands}
    for part in (top, *commands.values()):
        wanted |= {o for action in part._actions for o in action.option_strings if o.startswith("--")}
    assert sorted(w for w in wanted if w not in guides) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_grading_option_of_pytest_is_in_the_instructors_guide(lang: str) -> None:
    text = (ROOT / "src" / "onekernel" / "pytest_plugin.py").read_text(encoding="utf-8")
    options = re.findall(r'addoption\(\s*"(--[\w-]+)"', text)
    guide = (ROOT / "docs" / lang / "instructor.md").read_text(encoding="utf-8")
    assert len(options) >= 6
    assert [o for o in options if o not in guide] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_sample_of_doctor_has_as_many_inputs_as_doctor_tries(lang: str) -> None:
    page = (ROOT / "docs" / lang / "learner.md").read_text(encoding="utf-8")
    for slug in samples.TRIED:
        file, count = samples.inputs(ROOT, slug)
        assert {"en": f"{file} right on {count} inputs", "es": f"{file} bien en {count} entradas"}[lang] in page


@pytest.mark.slow
def test_the_numbers_of_samples_are_written_anew(tmp_path: Path) -> None:
    (tmp_path / "docs" / "en").mkdir(parents=True)
    page = tmp_path / "docs" / "en" / "learner.md"
    for folder in (Path(), Path("docs"), Path("docs/en")):
        for path in (ROOT / folder).iterdir():
            here = tmp_path / folder / path.name
            if not here.exists() and here != page and path.name != ".git":
                here.symlink_to(path)
    (tmp_path / "docs" / "es").unlink()
    page.write_text("vector_add.cu right on 1 inputs", encoding="utf-8")
    assert samples.refresh(tmp_path, check=True) == [page] == samples.refresh(tmp_path)
    assert page.read_text(encoding="utf-8") == f"vector_add.cu right on {samples.inputs(ROOT, 'vector_add')[1]} inputs"
    assert samples.refresh(tmp_path) == []

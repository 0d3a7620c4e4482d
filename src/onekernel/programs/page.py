"""A run as one page of HTML that needs nothing beside it: findings, launches, the source with its heat."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from onekernel import counts
from onekernel.backends.base import Finding
from onekernel.counts import SECTOR_BYTES
from onekernel.messages import each_language, language, say, written
from onekernel.numerals import Quantity
from onekernel.programs.executable import Run
from onekernel.programs.recordings import heaviest, most_wasteful, recordings
from onekernel.programs.text import WORTH_SAYING, clean, ending, heading, shape, worst_lines
from onekernel.simulator.program import COUNTING
from onekernel.trace import access, banks, pictures, svg

MOST_LAUNCHES = 200  # in the table
_STYLE = """
:root{color-scheme:light dark;--ink:#1b1f24;--faint:#6a737d;--paper:#fff;--line:#d8dee4;--card:#f6f8fa;--bad:#c2410c;
--warn:#9a6700;--heat:#3b82c4;--vain:#e8833a}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--faint:#8b949e;--paper:#0d1117;--line:#30363d;--card:#161b22;
--bad:#ff8f5a;--warn:#e3b341;--heat:#2f6ea8;--vain:#c0652a}}
*{box-sizing:border-box}body{margin:0 auto;max-width:70rem;padding:1rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,sans-serif}h1{font-size:1.25rem;margin:.5rem 0;overflow-wrap:anywhere}h2{font-size:1.05rem;
margin:1.6rem 0 .5rem}code,pre,.source td{font-family:ui-monospace,monospace;font-size:.85rem}
.finding{background:var(--card);border-left:4px solid var(--faint);border-radius:4px;padding:.6rem .8rem;margin:.6rem 0}
.error{border-color:var(--bad)}.warning{border-color:var(--warn)}.finding p{margin:.2rem 0}.finding pre{margin:.3rem 0;
overflow-x:auto}.faint{color:var(--faint)}.wide{overflow-x:auto}table{border-collapse:collapse}th,td{
padding:.15rem .5rem;text-align:right;white-space:nowrap}th{border-bottom:1px solid var(--line);font-size:.85rem}
th:first-child,td:first-child{text-align:left}.source td{padding:0 .4rem;text-align:left;white-space:pre}
.source .n{color:var(--faint);
text-align:right;user-select:none}.source .hit td{background:color-mix(in srgb,var(--bad) 18%,transparent)}
.bar{display:flex;width:7rem;height:.9em}.bar i{background:var(--heat)}.bar b{background:var(--vain)}a{color:inherit}
figure{margin:1rem 0}figcaption{margin-bottom:.5rem}
.other{display:none}#lang:checked~main.other{display:block}#lang:checked~main.mine{display:none}#lang{position:absolute;
opacity:0}label{float:right;cursor:pointer;border:1px solid var(--line);border-radius:4px;padding:.1rem .5rem}
#lang:focus-visible+label{outline:2px solid var(--heat)}
"""


def page(run: Run) -> str:
    """The page, in the language in force and, behind a switch, in the other."""
    mine, bodies = language(), {}
    for lang in each_language():
        bodies[lang] = "\n".join(_body(run, lang))
    other = next(lang for lang in bodies if lang != mine)
    return (
        f'<!doctype html>\n<html lang="{mine}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(heading(run))}</title><style>{_STYLE}</style></head><body>\n"
        f'<input type="checkbox" id="lang"><label for="lang">en / es</label>\n'
        f'<main class="mine" lang="{mine}">{bodies[mine]}</main>\n'
        f'<main class="other" lang="{other}">{bodies[other]}</main>\n</body></html>\n'
    )


def _body(run: Run, lang: str) -> Iterator[str]:
    yield f"<h1>{escape(heading(run))}</h1><p>{escape(ending(run))}</p>"
    yield f"<h2>{say('run.page-findings')}</h2>"
    if all(finding.severity == "note" for finding in run.findings):
        yield f"<p>{clean(run)}</p>"
    for finding in run.findings:
        yield _card(finding, run, lang)
    if run.mode in COUNTING and run.kernels:
        yield from _launches(run)
        yield from figures(run, lang)
    heat = _heat(run)
    for number, path in enumerate(run.files):
        lines = {line: value for (file, line), value in heat.items() if file == str(path)}
        hit = {f.line for f in run.findings if f.file == str(path) and f.line}
        if lines or hit or number == 0:
            yield from _source(path, lines, hit, f"{lang}{number}", max((m for m, _ in heat.values()), default=1.0))


def _card(finding: Finding, run: Run, lang: str) -> str:
    where, source = "", ""
    files = [str(f) for f in run.files]
    if finding.file and finding.line:
        name = f"{Path(finding.file).name}:{finding.line}"
        number = files.index(finding.file) if finding.file in files else 0
        where = f'<a href="#{lang}{number}-{finding.line}"><strong>{escape(name)}</strong></a> '
        lines = _text(Path(finding.file))
        source = f"<pre>{escape(lines[finding.line - 1].strip())}</pre>" if finding.line <= len(lines) else ""
    code = f'<span class="faint">{escape(finding.code)}</span>'
    severity = finding.severity if finding.severity in ("error", "warning") else "note"
    return (
        f'<div class="finding {severity}"><p>{where}{code}</p><p>{_prose(finding.message.text(lang))}</p>{source}</div>'
    )


def _prose(text: str) -> str:
    """A sentence, with what stands between backticks as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _launches(run: Run) -> Iterator[str]:
    columns = ("kernel", "grid", "block", "loads", "each", "stores", "each", "conflicts", "atomics", "barriers")
    yield f"<h2>{say('run.page-launches')}</h2><div class='wide'><table><tr>"
    yield "".join(f"<th>{say(f'run.page-{column}')}</th>" for column in columns) + "</tr>"
    for k in run.kernels[:MOST_LAUNCHES]:
        cells = [f"<code>{escape(k.kernel)}</code>", shape(k.grid), shape(k.block)]
        for load in (True, False):
            sectors = k.metrics.get(counts.LOAD_SECTORS if load else counts.STORE_SECTORS, 0)
            each = k.sectors_per_request(load)
            cells += [written(Quantity(sectors * SECTOR_BYTES, "B")), "" if each is None else written(each, ".3g")]
        conflicts = sum(k.metrics.get(name, 0) for name in counts.CONFLICTS)
        numbers = (conflicts, k.metrics.get(counts.ATOMICS, 0), k.metrics.get(counts.BARRIERS, 0))
        cells += [written(int(n), ",") for n in numbers]
        yield "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    yield "</table></div>"
    if not all(k.extra["exact_requests"] for k in run.kernels):
        yield f"<p>{escape(say('run.split'))}</p>"
    worst = worst_lines(run)
    if worst:
        items = (
            f"<li><code>{escape(Path(file).name)}:{line}</code> "
            f"{escape(say('run.worst-line', moved=Quantity(moved, 'B'), times=moved / needed))}</li>"
            for file, line, moved, needed in worst
        )
        yield f"<p>{say('run.worst')}</p><ul>{''.join(items)}</ul>"


def _heat(run: Run) -> Mapping[tuple[str, int], tuple[float, float]]:
    """Bytes moved through global memory, and those that would do, of each line, all launches together."""
    total: dict[tuple[str, int], tuple[float, float]] = {}
    for kernel in run.kernels:
        for line in kernel.lines:
            sides = (line.side(load=True), line.side(load=False))
            moved, needed = total.get((line.file, line.line), (0.0, 0.0))
            moved += sum(s.sectors for s in sides) * SECTOR_BYTES
            total[line.file, line.line] = moved, needed + sum(s.needed for s in sides) * SECTOR_BYTES
    return total


def _source(
    path: Path, heat: Mapping[int, tuple[float, float]], hit: set[int], anchor: str, most: float
) -> Iterator[str]:
    yield f"<h2>{escape(path.name)}</h2>"
    if heat:
        yield f'<p class="faint">{say("run.page-heat")}</p>'
    yield '<div class="wide"><table class="source">'
    for n, text in enumerate(_text(path), 1):
        moved, needed = heat.get(n, (0.0, 0.0))
        cell = ""
        if moved:
            good, vain = (100 * part / most for part in (min(needed, moved), max(moved - needed, 0.0)))
            vain = vain if moved > WORTH_SAYING * needed else 0
            title = escape(written(Quantity(moved, "B")))
            parts = f'<i style="width:{good:.1f}%"></i><b style="width:{vain:.1f}%"></b>'
            cell = f'<span class="bar" title="{title}">{parts}</span>'
        bars = f"<td>{cell}</td><td class='n'>{written(Quantity(moved, 'B')) if moved else ''}</td>" if heat else ""
        row = f'<td class="n">{n}</td>{bars}<td>{escape(text.expandtabs(4))}</td>'
        yield f'<tr id="{anchor}-{n}"{" class=hit" if n in hit else ""}>{row}</tr>'
    yield "</table></div>"


def _text(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def figures(run: Run, lang: str) -> Iterator[str]:
    """HTML in the language in force; nothing where the run recorded nothing. `lang`: of the page's anchors."""
    found = recordings(run)
    kinds = (
        ("access", most_wasteful(run, found), access.summary),
        ("banks", heaviest(found, "shared"), banks.summary),
    )
    if found:
        yield f"<h2>{say('run.page-pictures')}</h2><p class='faint'>{say('run.page-recorded')}</p>"
    for kind, shown, summary in kinds:
        if shown is None:
            continue
        recording, request = shown
        picture = svg.global_access(request, f"hatch-{lang}") if kind == "access" else svg.shared_access(request)
        anchor, name = f"{lang}{run.files.index(recording.source)}-{request.line}", escape(recording.source.name)
        where = f'<a href="#{anchor}">{name}:{request.line}</a>'
        yield (
            f"<figure><figcaption><strong>{escape(pictures.heading(kind, recording, [request]))}</strong><br>"
            f"{where} <code>{escape(recording.text(request.line))}</code><br>{escape(recording.about)}. "
            f"{escape(summary(request))}</figcaption><div class='wide'>{picture}</div></figure>"
        )

"""The pictures of a run's page: what an access to global memory moves, what another asks of shared memory's banks."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from onekernel.messages import say
from onekernel.programs.executable import Run
from onekernel.programs.recordings import heaviest, most_wasteful, recordings
from onekernel.trace import access, banks, pictures, svg


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

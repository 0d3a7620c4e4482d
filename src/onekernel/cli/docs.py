"""`onekernel docs`: the pages as a site, built strictly and shown on this machine."""

from __future__ import annotations

import argparse
from pathlib import Path

from onekernel import course as courses
from onekernel.cli.console import complain, verbatim, write
from onekernel.errors import UserError
from onekernel.messages import say
from onekernel.site import serve
from onekernel.site.build import build


def run(args: argparse.Namespace) -> int:
    root = courses.find_root()
    work = Path(args.out).resolve() if args.out else root / "build" / "docs"
    serving = None if args.build else serve.server(work / "site", args.port)
    site = build(root, work, args.url)
    verbatim(say("site.built", folder=str(site)))
    if serving is None:
        return 0
    write(say("site.serving", url=f"http://localhost:{serving.server_port}/"))

    def again() -> None:
        try:
            verbatim(say("site.built", folder=str(build(root, work, args.url))))
        except UserError as error:  # half a sentence was saved; the next change is waited for
            complain(str(error))

    serve.watch(root, serving, again)
    return 0

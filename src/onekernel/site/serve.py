"""The built site on this machine, built again when a page changes."""

from __future__ import annotations

import functools
import http.server
import threading
import time
from collections.abc import Callable
from pathlib import Path

from onekernel.errors import UserError
from onekernel.messages import Message

WRITTEN = ("docs/**/*.md", "docs/site.toml", "docs/img/*", "labs/**/*.md", "profiles/**/*.md", "README*.md")
SECONDS = 1.0  # between two looks at the pages


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Shows the site's own page for an address that is not there, as its host would."""
        page = Path(self.directory) / "404.html"
        if code != 404 or not page.is_file():
            return super().send_error(code, message, explain)
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        return None

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: a page is a dozen requests."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")  # a page that was built again is seen at once
        super().end_headers()


def server(site: Path, port: int) -> http.server.ThreadingHTTPServer:
    """A server of a folder on this machine's own address; port 0 chooses one. Raises UserError for a taken port."""
    try:
        return http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(_Quiet, directory=str(site)))
    except OSError:
        raise UserError(Message("site.port-taken", {"port": str(port), "other": str(port + 1)})) from None


def watch(root: Path, serving: http.server.ThreadingHTTPServer, again: Callable[[], None]) -> None:
    """Serves until Ctrl-C and calls `again` after each change to a page."""
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    try:
        seen = stamps(root)
        while True:
            time.sleep(SECONDS)
            now = stamps(root)
            if now != seen:
                seen = now
                again()
    finally:
        serving.shutdown()
        serving.server_close()


def stamps(root: Path) -> dict[Path, int]:
    """When each page was last written."""
    found = {path for kind in WRITTEN for path in root.glob(kind)}
    return {path: path.stat().st_mtime_ns for path in found if path.is_file()}

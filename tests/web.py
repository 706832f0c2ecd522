"""The built site on a host of its own, and the browser that it is read in."""

import base64
import gzip
import hashlib
import http.server
import mimetypes
import re
import shutil
import sys
import threading
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SITE = ROOT / "build/site"
FOLDER = "/some/book/"  # the site is not at the root of its host
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
CHROMIUM = [
    "--disable-gpu",  # pages drawn without one take less of a small machine
    "--no-sandbox",  # Chromium's own does not start in a container
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # there is no other host
]
COMPRESSED = "text/", "application/javascript", "application/json", "application/wasm", "application/xml", "image/svg"


class Host(http.server.ThreadingHTTPServer):
    """As GitHub Pages: compressed, cached for ten minutes, a page of our own in the place of what is not there.

    It remembers what it sent. A test may have it send something else, and ask pages to obey a policy.
    """

    def __init__(self, missing=b""):
        super().__init__(("127.0.0.1", 0), Answer)
        self.missing = missing
        self.origin = f"http://127.0.0.1:{self.server_port}"
        self.reset()

    def reset(self):
        self.address = self.origin + FOLDER
        self.sent = {}  # name: bytes
        self.instead = {}  # name: what is sent in the place of the file, None for nothing
        self.broken = None  # the end of a name: half of that file is sent
        self.policy = None  # the Content-Security-Policy, in which 'sha256-…' stands for the scripts in a page

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return super().__enter__()

    def __exit__(self, *error):
        self.shutdown()
        super().__exit__(*error)

    def handle_error(self, *_):
        if not isinstance(sys.exception(), ConnectionError):  # a browser that is closed does not say goodbye
            raise


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        name = self.path.partition("?")[0].removeprefix(FOLDER)
        if name.endswith("/") or not name:
            name += "index.html"
        body = self.server.instead.get(name, content(SITE / name))
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        self.send_response(404 if body is None else 200)
        if body is None or name == "404.html":
            body, kind = self.server.missing, "text/html"
        if policy := self.server.policy:
            self.send_header("Content-Security-Policy", policy.replace("'sha256-…'", " ".join(hashes(body))))
        if kind.startswith(COMPRESSED):
            body = compressed(body)
            self.send_header("Content-Encoding", "gzip")
        self.server.sent[name] = len(body)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        if self.server.broken and name.endswith(self.server.broken):
            body = body[: len(body) // 2]
            self.close_connection = True
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@cache
def content(file):
    return file.read_bytes() if file.is_file() else None


@cache
def compressed(body):
    return gzip.compress(body, 6)


def hashes(page):
    """Name the scripts that stand in a page, as a policy does."""
    for script in re.findall(rb"<script(?: data-cfasync=\"false\")?>(.+?)</script>", page, re.S):
        yield f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"

"""The built site on a host of its own, and a chapter of it in a browser."""

import base64
import gzip
import hashlib
import http.server
import json
import mimetypes
import re
import shutil
import sys
import threading
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORDS = json.loads((ROOT / "docs/_live/words.json").read_text("utf-8"))
SITE = ROOT / "build/site"
FOLDER = "/book/"  # the site is not at the root of its host
CHROMIUM = [
    "--disable-gpu",  # pages drawn without one take less of a small machine
    "--no-sandbox",  # Chromium's own does not start in a container
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # there is no other host
]
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
SECONDS = 1000  # milliseconds


class Host(http.server.ThreadingHTTPServer):
    """Sends the site compressed, under the policy that the book recommends, and remembers what it sent."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.origin = f"http://127.0.0.1:{self.server_port}"
        self.reset()

    def reset(self):
        self.address = self.origin + FOLDER
        self.sent = {}  # name: bytes
        self.instead = {}  # name: what is sent in the place of the file, None for nothing
        self.broken = None  # the end of a name: half of that file is sent
        self.policy = recommended_policy()

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
        body = self.server.instead.get(name, content(SITE / name))
        if body is None:
            self.send_error(404)
            return
        policy = self.server.policy.replace("'sha256-…'", " ".join(hashes(body)))
        body = compressed(body)
        self.server.sent[name] = len(body)
        self.send_response(200)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", mimetypes.guess_type(name)[0] or "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", policy)
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
    return gzip.compress(body)


def recommended_policy():
    """The Content-Security-Policy that docs/for-authors.md gives."""
    page = (ROOT / "docs/for-authors.md").read_text("utf-8")
    (policy,) = re.findall(r"```text\nContent-Security-Policy:(.*?)```", page, re.S)
    return " ".join(policy.split())


def hashes(page):
    """Name the scripts that stand in a page, as a policy does."""
    for script in re.findall(rb"<script(?: data-cfasync=\"false\")?>(.+?)</script>", page, re.S):
        yield f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"


class Chapter:
    """A page of the book in a tab."""

    def __init__(self, context, host, name):
        self.host, self.tab = host, context.new_page()
        self.tab.goto(f"{host.address}{name}.html", wait_until="load")

    @property
    def words(self):
        return WORDS[self.tab.evaluate("document.documentElement.lang").partition("-")[0]]

    def open(self):
        self.tab.click("div.live button")
        self.tab.wait_for_selector(".live-open")

    def button(self, key):
        return self.tab.locator(".live-open button").filter(has_text=self.words[key])

    def wait_for(self, key, **values):
        """Wait until the page says what words.json has for the key."""
        words = self.words[key].format(**values)
        self.tab.wait_for_function(
            "words => document.querySelector('.live-status').textContent.startsWith(words)", arg=words
        )

    def cell(self, number):
        return Cell(self, self.tab.locator("div.cell:has(.live-editor)").nth(number - 1), number)

    @property
    def cells(self):
        return self.tab.locator(".live-editor").count()


class Cell:
    def __init__(self, chapter, root, number):
        self.chapter, self.root, self.number = chapter, root, number

    def write(self, code):
        self.root.locator(".cm-content").fill(code)

    @property
    def code(self):
        return self.root.locator(".cm-content").inner_text()

    def press(self, key):
        self.root.locator(".cm-content").press(key)

    def run(self):
        """Run it, and wait for the end."""
        self.start()
        self.chapter.wait_for("done", n=self.number)

    def start(self):
        self.root.get_by_role("button", name=self.chapter.words["run"], exact=True).click()

    def reset(self):
        self.root.get_by_role("button", name=self.chapter.words["reset"], exact=True).click()

    @property
    def output(self):
        return "\n".join(self.root.locator(".cell_output pre").all_text_contents()).rstrip()

    @property
    def error(self):
        return "".join(self.root.locator(".live-error").all_text_contents())

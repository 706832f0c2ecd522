"""The built book as a reader gets it: served from a folder of a host, compressed, and shown by Chromium.

What holds for every page is tested for every page that build/site holds, what holds for an edition for each of them.
"""

import gzip
import http.server
import mimetypes
import shutil
import threading
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

SITE = Path(__file__).parents[2] / "build/site"
FOLDER = "/some/book/"  # the site is not at the root of its host
EDITIONS = {name: place for name, place in {"zh": "", "en": "en/"}.items() if (SITE / place / "index.html").exists()}
PAGES = [
    path for path in sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")) if path != "404.html"
]
SCREENS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 360, "height": 740}}
COMPRESSED = "text/", "application/javascript", "application/json", "application/xml", "image/svg+xml"
NO_SANDBOX = "--no-sandbox"  # Chromium's own does not start in a container
OBSERVE = """
    window.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
"""


class Host(http.server.BaseHTTPRequestHandler):
    """As GitHub Pages: compressed, cached for ten minutes, 404.html in the place of what is not there."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.partition("?")[0]
        file = SITE / path.removeprefix(FOLDER) if path.startswith(FOLDER) else SITE / "404.html"
        file = file / "index.html" if file.is_dir() else file
        found = file.is_file() and path.startswith(FOLDER)
        body = (file if found else SITE / "404.html").read_bytes()
        kind = (mimetypes.guess_type(file.name)[0] if found else None) or "text/html"
        self.send_response(200 if found else 404)
        if kind.startswith(COMPRESSED):
            body = gzip.compress(body, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def host():
    """The address under which the site is served."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Host) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{FOLDER}"
        server.shutdown()


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=[NO_SANDBOX])
        yield browser
        browser.close()


@pytest.fixture
def screen(request):
    return getattr(request, "param", "desktop")


@pytest.fixture
def page(chromium, screen):
    """A new reader's tab. Whatever a test does in it, nothing may go to its console."""
    context = chromium.new_context(viewport=SCREENS[screen], color_scheme="light")
    context.add_init_script(OBSERVE)
    page = context.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page
    context.close()
    assert said == []


@pytest.fixture(params=EDITIONS)
def edition(request, host):
    """The address of an edition."""
    return host + EDITIONS[request.param]


@pytest.fixture(params=PAGES)
def address(request, host):
    """The address of a page."""
    return host + request.param

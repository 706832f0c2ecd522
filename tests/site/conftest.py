"""The built book as a reader gets it: served from a folder of a host, compressed, and shown by Chromium.

What holds for every page is tested for every page that build/site holds, what holds for an edition for each of them.
"""

import gzip
import http.server
import mimetypes
import threading
from contextlib import contextmanager
from itertools import product

import publish
import pytest
from playwright.sync_api import sync_playwright

from tests.live.browser import BROWSER, CHROMIUM, SITE

FOLDER = "/some/book/"  # the site is not at the root of its host
EDITIONS = {name: place for name, place in {"zh": "", "en": "en/"}.items() if (SITE / place / "index.html").exists()}
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
SCREENS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 360, "height": 740}}
COMPRESSED = "text/", "application/javascript", "application/json", "application/xml", "image/svg+xml"
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
        name = self.path.partition("?")[0].removeprefix(FOLDER)
        file = SITE / name / "index.html" if name.endswith("/") or not name else SITE / name
        found = file.is_file() and name != "404.html"
        body = file.read_bytes() if found else publish.missing(FOLDER).encode()
        kind = (mimetypes.guess_type(file.name)[0] if found else None) or "text/html"
        self.send_response(200 if found or name == "404.html" else 404)
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
def site():
    """The folder with the built pages."""
    return SITE


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
        browser = playwright.chromium.launch(executable_path=BROWSER, args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def screens():
    return SCREENS


@contextmanager
def new_tab(chromium, screen):
    """A new reader's tab, in which nothing moves by itself. Whatever a test does, nothing may go to its console."""
    context = chromium.new_context(viewport=SCREENS[screen], color_scheme="light", reduced_motion="reduce")
    context.add_init_script(OBSERVE)
    tab = context.new_page()
    said = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    yield tab
    context.close()
    assert said == []


@pytest.fixture
def screen(request):
    return getattr(request, "param", "desktop")


@pytest.fixture
def page(chromium, screen):
    """A tab for one test."""
    with new_tab(chromium, screen) as tab:
        yield tab


@pytest.fixture(params=EDITIONS)
def edition(request, host):
    """The address of an edition."""
    return host + EDITIONS[request.param]


VISITS = [
    pytest.param(visit, id="-".join(visit), marks=pytest.mark.xdist_group("-".join(visit)))
    for visit in product(PAGES, SCREENS)
]


@pytest.fixture(scope="module", params=VISITS)
def opened(request, chromium, host):
    """A page, whichever it is, on a desktop and on a phone, for all that is tested of it: the tab, and its address."""
    name, screen = request.param
    with new_tab(chromium, screen) as tab:
        yield tab, host + name

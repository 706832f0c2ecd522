"""The built book as a reader gets it: served from a folder of a host, compressed, and shown by Chromium.

What holds for every page is tested for every page that build/site holds, what holds for an edition for each of them.
"""

from contextlib import contextmanager

import publish
import pytest
from playwright.sync_api import sync_playwright

from tests.web import BROWSER, CHROMIUM, FOLDER, SITE, Host

EDITIONS = {name: place for name, place in {"zh": "", "en": "en/"}.items() if (SITE / place / "index.html").exists()}
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
SCREENS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 360, "height": 740}}
OBSERVE = """
    window.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture(scope="session")
def site():
    """The folder with the built pages."""
    return SITE


@pytest.fixture(scope="session")
def host():
    """The address under which the site is served."""
    with Host(publish.missing(FOLDER).encode()) as server:
        yield server.address


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

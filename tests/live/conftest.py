"""A reader's browser."""

import pytest
from playwright.sync_api import sync_playwright

from tests.live.browser import SECONDS, Chapter, recommended_policy
from tests.web import BROWSER, CHROMIUM, Host


@pytest.fixture(scope="session")
def server():
    with Host() as server:
        yield server


@pytest.fixture
def host(server):
    """The server, as it is at first, under the policy that the book recommends."""
    server.reset()
    server.policy = recommended_policy()
    return server


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright.chromium


@pytest.fixture(scope="session")
def chromium(playwright):
    browser = playwright.launch(executable_path=BROWSER, args=CHROMIUM)
    yield browser
    browser.close()


@pytest.fixture
def context(chromium):
    """A browser that has been nowhere."""
    context = chromium.new_context()
    context.set_default_timeout(120 * SECONDS)  # Python starts slowly where much else runs
    yield context
    context.close()


@pytest.fixture
def chapter(context, host):
    """Go to a chapter."""
    return lambda name: Chapter(context, host, name)


@pytest.fixture
def visit(playwright, host, tmp_path):
    """Start the browser of someone who has perhaps been here before, and go to a chapter."""

    def visit(name, *options):
        while contexts:
            contexts.pop().close()
        context = playwright.launch_persistent_context(tmp_path, executable_path=BROWSER, args=[*CHROMIUM, *options])
        context.set_default_timeout(120 * SECONDS)
        contexts.append(context)
        return Chapter(context, host, name)

    contexts = []
    yield visit
    for context in contexts:
        context.close()

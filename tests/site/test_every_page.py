"""A reader opens a page, whichever it is, on a desktop or on a phone."""

from pathlib import Path

import pytest

AXE = Path(__file__).parent / "node_modules/axe-core/axe.min.js"
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
BYTES, REQUESTS = 220_000, 16

pytestmark = pytest.mark.parametrize("screen", ["desktop", "phone"], indirect=True)


def read_to_the_end(page):
    """Scroll down, so that the figures below are loaded, too, and up again."""
    page.evaluate("""async () => {
        for (let y = 0; y < document.documentElement.scrollHeight; y += 600) {
            scrollTo(0, y);
            await new Promise(requestAnimationFrame);
        }
        await Promise.all([...document.images].map((image) => image.decode()));
        scrollTo(0, 0);
    }""")
    page.wait_for_load_state("networkidle")


def test_a_page_is_small_stays_on_its_host_and_does_not_jump(page, address, host):
    """Images included, before anything is in the cache."""
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    requests, sizes = [], []
    network.on("Network.requestWillBeSent", lambda event: requests.append(event["request"]["url"]))
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto(address)
    read_to_the_end(page)
    requests = [request for request in requests if not request.startswith("data:")]
    assert [request for request in requests if not request.startswith(host)] == []
    assert len(requests) <= REQUESTS
    assert sum(sizes) <= BYTES
    assert page.evaluate("shift") <= 0.02


def test_what_is_wider_than_the_page_scrolls_in_its_own_box(page, address):
    """From its left end, within reach of the keyboard. The page itself stays within the screen."""
    page.goto(address)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    out_of_reach = page.evaluate("""[...document.querySelectorAll(".bd-article *")]
        .filter((box) => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
        .filter((box) => ["auto", "scroll"].includes(getComputedStyle(box).overflowX))
        .filter((box) => box.tabIndex !== 0 || box.scrollLeft !== 0)
        .map((box) => box.outerHTML.slice(0, 100))""")
    assert out_of_reach == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_is_accessible(page, address, theme):
    page.emulate_media(color_scheme=theme)
    page.goto(address)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    page.add_script_tag(path=AXE)
    found = page.evaluate("standards => axe.run({ runOnly: standards, resultTypes: ['violations'] })", STANDARDS)
    assert [(violation["id"], violation["nodes"][0]["html"]) for violation in found["violations"]] == []

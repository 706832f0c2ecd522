"""A reader opens a page, whichever it is, on a desktop or on a phone, and reads it to its end."""

from pathlib import Path
from types import SimpleNamespace

import pytest

AXE = Path(__file__).parent / "node_modules/axe-core/axe.min.js"
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
AXE_RUN = """standards => axe.run(
    { exclude: [".katex"] }, // thousands of boxes, all in the colour of the text that they stand in
    { runOnly: standards, resultTypes: ["violations"] },
)"""
BYTES, REQUESTS, SHIFT = 220_000, 16, 0.02

TO_THE_END = """async () => {
    for (let y = 0; y < document.documentElement.scrollHeight; y += 600) {
        scrollTo(0, y);
        await new Promise(requestAnimationFrame);
    }
    await Promise.all([...document.images].map((image) => image.decode()));
    scrollTo(0, 0);
}"""
OUT_OF_REACH = """[...document.querySelectorAll(".bd-article *")]
    .filter((box) => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
    .filter((box) => ["auto", "scroll"].includes(getComputedStyle(box).overflowX))
    .filter((box) => box.tabIndex !== 0 || box.scrollLeft !== 0)
    .map((box) => box.outerHTML.slice(0, 100))"""

THEME = "theme => (document.documentElement.dataset.theme ?? theme) === theme"  # 404.html follows by its style alone


@pytest.fixture(scope="module")
def visit(opened):
    """What there is to see and to measure on a page, once for all tests: it takes seconds."""
    tab, address = opened
    network = tab.context.new_cdp_session(tab)
    network.send("Network.enable")
    requests, sizes = [], []
    network.on("Network.requestWillBeSent", lambda event: requests.append(event["request"]["url"]))
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    tab.goto(address)
    tab.evaluate(TO_THE_END)
    tab.wait_for_load_state("networkidle")
    seen = {
        "requests": [request for request in requests if not request.startswith("data:")],
        "bytes": sum(sizes),
        "shift": tab.evaluate("shift"),
        "sideways": tab.evaluate("document.documentElement.scrollWidth - innerWidth"),
        "out_of_reach": tab.evaluate(OUT_OF_REACH),
    }
    tab.add_script_tag(path=AXE)
    return SimpleNamespace(**seen, violations={theme: violations(tab, theme) for theme in ("light", "dark")})


def violations(tab, theme):
    tab.emulate_media(color_scheme=theme)
    tab.wait_for_function(THEME, arg=theme)
    found = tab.evaluate(AXE_RUN, STANDARDS)
    return [(violation["id"], violation["nodes"][0]["html"]) for violation in found["violations"]]


def test_a_page_is_small_and_nothing_of_it_comes_from_another_host(visit, host):
    """Images included, before anything is in the cache."""
    assert [request for request in visit.requests if not request.startswith(host)] == []
    assert len(visit.requests) <= REQUESTS
    assert visit.bytes <= BYTES


def test_nothing_jumps_while_a_page_is_read(visit):
    assert visit.shift <= SHIFT


def test_what_is_wider_than_the_page_scrolls_in_its_own_box(visit):
    """From its left end, within reach of the keyboard. The page itself stays within the screen."""
    assert visit.sideways == 0
    assert visit.out_of_reach == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_is_accessible(visit, theme):
    assert visit.violations[theme] == []

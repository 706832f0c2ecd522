"""A reader opens a page, whichever it is, on a desktop and on a phone, and reads it to its end."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.site.conftest import PAGES, SCREENS, new_tab

AXE = Path(__file__).parent / "node_modules/axe-core/axe.min.js"
RULES = {
    "light": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    "dark": ["color-contrast", "link-in-text-block"],  # nothing else depends on the theme
}
AXE_RUN = """rules => axe.run(
    { exclude: [".katex"] }, // in the colour of the text that it stands in
    { runOnly: rules, resultTypes: ["violations"] },
)"""
WITHOUT_BOXES = "document.querySelectorAll('.katex-html').forEach((boxes) => boxes.remove())"  # thousands of them
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
    .filter((box) => box.scrollWidth > box.clientWidth + 1 && box.checkVisibility())
    .filter((box) => ["auto", "scroll"].includes(getComputedStyle(box).overflowX))
    .filter((box) => box.tabIndex !== 0 || box.scrollLeft !== 0)
    .map((box) => box.outerHTML.slice(0, 100))"""
THEME = "theme => (document.documentElement.dataset.theme ?? theme) === theme"  # 404.html follows by its style alone


@pytest.fixture(scope="module", params=[pytest.param(page, marks=pytest.mark.xdist_group(page)) for page in PAGES])
def visits(request, chromium, host):
    """What there is to see and to measure on a page, on each screen, once for all tests: it takes seconds."""
    seen = {}
    for screen in SCREENS:
        with new_tab(chromium, screen) as tab:
            seen[screen] = read(tab, host + request.param)
            last = len(seen) == len(SCREENS)
            violations = violated(tab) if last else None
    return SimpleNamespace(seen=seen, violations=violations)


def read(tab, address):
    """Read a page in a browser that has nothing in its cache."""
    network = tab.context.new_cdp_session(tab)
    network.send("Network.enable")
    requests, sizes = [], []
    network.on("Network.requestWillBeSent", lambda event: requests.append(event["request"]["url"]))
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    tab.goto(address)
    tab.evaluate(TO_THE_END)
    tab.wait_for_load_state("networkidle")
    return SimpleNamespace(
        requests=[request for request in requests if not request.startswith("data:")],
        bytes=sum(sizes),
        shift=tab.evaluate("shift"),
        sideways=tab.evaluate("document.documentElement.scrollWidth - innerWidth"),
        out_of_reach=tab.evaluate(OUT_OF_REACH),
    )


def violated(tab):
    """Return what axe says of the page on each screen and in each theme."""
    tab.add_script_tag(path=AXE)
    tab.evaluate(WITHOUT_BOXES)
    found = {}
    for screen, size in SCREENS.items():
        tab.set_viewport_size(size)
        tab.wait_for_function(f"{OUT_OF_REACH}.length === 0")  # the theme waits for the end of the change
        for theme, rules in RULES.items():
            tab.emulate_media(color_scheme=theme)
            tab.wait_for_function(THEME, arg=theme)
            violations = tab.evaluate(AXE_RUN, rules)["violations"]
            found[screen, theme] = [(violation["id"], violation["nodes"][0]["html"]) for violation in violations]
    return found


on_each_screen = pytest.mark.parametrize("screen", SCREENS)


@on_each_screen
def test_a_page_is_small_and_nothing_of_it_comes_from_another_host(visits, host, screen):
    """Images included, before anything is in the cache."""
    seen = visits.seen[screen]
    assert [request for request in seen.requests if not request.startswith(host)] == []
    assert len(seen.requests) <= REQUESTS
    assert seen.bytes <= BYTES


@on_each_screen
def test_nothing_jumps_while_a_page_is_read(visits, screen):
    assert visits.seen[screen].shift <= SHIFT


@on_each_screen
def test_what_is_wider_than_the_page_scrolls_in_its_own_box(visits, screen):
    """From its left end, within reach of the keyboard. The page itself stays within the screen."""
    assert visits.seen[screen].sideways == 0
    assert visits.seen[screen].out_of_reach == []


@on_each_screen
@pytest.mark.parametrize("theme", RULES)
def test_a_page_is_accessible(visits, screen, theme):
    assert visits.violations[screen, theme] == []

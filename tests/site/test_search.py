"""A reader looks for a word."""

import re
from itertools import pairwise

import pytest

INPUT, HITS, STATUS = "#pst-search-dialog input", "#pst-search-dialog li a", "#pst-search-dialog [role=status]"


@pytest.fixture
def search(page, edition):
    """Open the search of an edition; look for something in it: the pages of the hits."""
    page.goto(f"{edition}where.html")
    page.keyboard.press("Control+k")
    page.wait_for_function("window.searchIndex")

    def search(query):
        page.fill(INPUT, query)
        page.evaluate("new Promise(requestAnimationFrame)")
        addresses = page.eval_on_selector_all(HITS, "links => links.map(link => link.href)")
        return [address.removeprefix(edition).partition("#")[0] for address in addresses]

    return search


@pytest.fixture
def index(page, search):
    return page.evaluate("searchIndex")


def explaining(index, names):
    """The page that explains a term; the glossary itself, if no page has a link to the term."""
    return next((page["address"] for page in index["pages"] if names in page["explains"]), "glossary.html")


def entitled(index, names):
    """The pages whose title has one of the names of a term."""
    titles = {page["address"]: " ".join(page["places"][0][1]).lower() for page in index["pages"]}
    return {address for address, title in titles.items() if any(name.lower() in title for name in names)}


def test_every_term_in_both_languages_finds_its_chapter_among_the_first_three_hits(search, index):
    assert len(index["terms"]) > 80
    lost = []
    for names in index["terms"]:
        chapters = {explaining(index, names)} | entitled(index, names)
        lost += [name for name in names if not chapters & set(search(name)[:3])]
    assert lost == []


def test_two_characters_of_a_longer_chinese_term_find_its_chapter(search, index):
    tried, lost = 0, []
    for names in index["terms"]:
        for name in filter(re.compile("[\u4e00-\u9fff]{3,}").fullmatch, names):
            for part in map("".join, pairwise(name)):
                tried += 1
                if explaining(index, names) not in search(part):
                    lost.append(part)
    assert tried > 50
    assert lost == []


def test_nothing_of_the_search_is_loaded_before_it_opens(page, edition):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{edition}index.html", wait_until="networkidle")
    assert [url for url in asked if "search-index" in url] == []
    page.keyboard.press("Control+k")
    page.wait_for_function("window.searchIndex")
    assert [url for url in asked if "search-index" in url] == [f"{edition}search-index.js"]


@pytest.mark.parametrize(
    ("screen", "button"), [("desktop", ".search-button-field"), ("phone", ".search-button")], indirect=["screen"]
)
def test_the_button_opens_the_search_and_a_hit_can_be_followed_by_keyboard(page, edition, button):
    page.goto(f"{edition}index.html")
    page.click(button)
    page.keyboard.type("softmax")
    page.wait_for_selector(HITS)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    first = page.get_attribute(HITS, "href")
    assert page.evaluate("document.activeElement.getAttribute('href')") == first
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.tagName") == "INPUT"
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{first.removeprefix('./')}")
    page.wait_for_selector(":target")


def test_escape_closes_the_search_and_a_hit_on_this_very_page_does_too(page, edition):
    page.goto(f"{edition}glossary.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("softmax")
    page.wait_for_selector(HITS)
    page.keyboard.press("Enter")
    page.wait_for_selector(INPUT, state="hidden")
    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    page.wait_for_selector(INPUT, state="hidden")


def test_what_was_looked_for_is_marked_as_it_stands_in_the_text(page, search):
    search("注意力")
    marks = page.eval_on_selector_all(
        "#pst-search-dialog mark", "marks => marks.map(mark => mark.textContent.toLowerCase())"
    )
    assert len(marks) > 5
    assert {"attention"} <= set(marks) <= {"attention", "注意力"}  # a term by all its names


def test_several_words_find_the_pages_that_have_them_all(page, search):
    hits = search("softmax numpy")
    assert "qkv.html" in hits
    for hit in page.query_selector_all("#pst-search-dialog li")[:3]:
        assert re.search("softmax|numpy", hit.inner_text(), re.I)


def test_nothing_found_is_said_kindly(page, search):
    assert search("xyzzy") == []
    assert "xyzzy" in page.inner_text(STATUS)
    assert search("softmax") != []
    assert page.inner_text(STATUS) == ""


def test_what_is_typed_is_text_and_never_html(page, search):
    search("<img src=x onerror=alert(1)>")
    assert page.query_selector("#pst-search-dialog img") is None


@pytest.mark.parametrize("edition", ["", "en/"])
def test_the_search_works_from_a_file_system_too(page, site, edition):
    page.goto((site / edition / "qkv.html").as_uri())
    page.keyboard.press("Control+k")
    page.keyboard.type("softmax")
    assert page.wait_for_selector(HITS).get_attribute("href") == "./glossary.html#term-softmax"

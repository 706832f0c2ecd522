"""A reader looks for a word."""

import re
from itertools import pairwise

import pytest

INPUT, HITS = "#pst-search-dialog input", "#pst-search-dialog li a"


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


def chapters(index, names):
    """The chapters that a term belongs to: that which explains it and those with its name in their title."""
    for page in index["pages"]:
        title = " ".join(page["places"][0][1]).lower()
        if names in page["explains"] or any(name.lower() in title for name in names):
            yield page["address"]


def test_every_term_in_both_languages_finds_its_chapter_among_the_first_three_hits(search, index):
    assert len(index["terms"]) > 80
    lost = []
    for names in index["terms"]:
        own = set(chapters(index, names)) or {"glossary.html"}
        lost += [name for name in names if not own & set(search(name)[:3])]
    assert lost == []


def test_two_characters_of_a_longer_chinese_term_find_its_chapter(search, index):
    tried, lost = 0, []
    for names in index["terms"]:
        for name in filter(re.compile("[\u4e00-\u9fff]{3,}").fullmatch, names):
            for part in map("".join, pairwise(name)):
                tried += 1
                if not set(chapters(index, names)) <= set(search(part)):
                    lost.append(part)
    assert tried > 50
    assert lost == []

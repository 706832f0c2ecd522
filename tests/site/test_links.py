"""A reader follows a link within the book."""

from html.parser import HTMLParser
from pathlib import PurePosixPath
from posixpath import normpath
from urllib.parse import unquote, urlsplit

import pytest


class Anchors(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.targets = {"", "top"}, []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        self.targets += [attributes[name] for name in ("href", "src") if attributes.get(name)]


@pytest.fixture(scope="module")
def anchors(site):
    found = {}
    for path in site.rglob("*.html"):
        page = path.relative_to(site).as_posix()
        if page != "404.html":  # its links are absolute
            found[page] = Anchors()
            found[page].feed(path.read_text("utf-8"))
    return found


def test_every_link_within_the_book_leads_to_a_file_and_a_place_in_it(anchors, site):
    broken = []
    for page, here in anchors.items():
        for target in here.targets:
            url = urlsplit(target)
            if url.scheme or url.netloc:
                continue
            file = normpath(PurePosixPath(page).parent / unquote(url.path)) if url.path else page
            there = anchors.get(file)
            if not (site / file).is_file() or (there and unquote(url.fragment) not in there.ids):
                broken.append(f"{page}: {target}")
    assert broken == []


def test_every_page_can_be_reached_from_the_first(anchors):
    reached, next_ones = set(), ["index.html"]
    while next_ones:
        page = next_ones.pop()
        if page in reached or page not in anchors:
            continue
        reached.add(page)
        targets = (urlsplit(target) for target in anchors[page].targets)
        next_ones += [normpath(PurePosixPath(page).parent / unquote(url.path)) for url in targets if not url.netloc]
    orphans = {page for page in set(anchors) - reached if not page.endswith("_modules/index.html")}  # viewcode's own
    assert orphans == set()


def test_a_wrong_address_shows_the_way_to_both_editions_at_any_depth(chromium, host):
    page = chromium.new_page()  # whose console may say that there was no such page
    for link, first_page in ("書的第一頁", host), ("the first page of the book", f"{host}en/"):
        assert page.goto(f"{host}no/such/folder/page.html").status == 404
        page.get_by_role("link", name=link).click()
        page.wait_for_url(first_page)
        page.wait_for_selector(".bd-article h1")
    page.close()

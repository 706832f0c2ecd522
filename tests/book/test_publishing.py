"""What the site's address and the repository, where the build knows them, add to a page and to the site."""

import re
from pathlib import Path

import publish
import pytest

pytestmark = pytest.mark.filterwarnings("default")

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def published(monkeypatch):
    """What .github/workflows/ci.yml and .readthedocs.yaml set, before the real settings are read."""
    monkeypatch.setenv("BOOK_URL", "https://example.github.io/l05")
    monkeypatch.setenv("BOOK_REPOSITORY", "https://github.com/example/l05")


def build(book, conf):
    book.write("docs/index.md", "# 書\n\n```{toctree}\nchapter\n```\n")
    book.write("docs/chapter.md", "# 章\n")
    names = "html_baseurl", "html_context", "html_sidebars", "html_theme", "html_theme_options"
    settings = {name: conf[name] for name in names} | {
        "locale_dirs": [str(DOCS / "locale")],
        "templates_path": [str(DOCS / "_templates")],
    }
    assert book.build("myst_parser", "editions", "interface", **settings) == ""
    return book.html("chapter")


def other_hosts(page):
    return re.findall(r'href="(https?://[^"]*)"', page)


def test_a_page_of_a_published_book_names_its_address_and_the_places_to_change_it(published, book, conf):
    page = build(book, conf)
    site = "https://example.github.io/l05"
    assert other_hosts(page)[:3] == [f"{site}/chapter.html", f"{site}/chapter.html", f"{site}/en/chapter.html"]
    repository = other_hosts(page)[3:]
    assert repository[:2] == [
        "https://github.com/example/l05",
        "https://github.com/example/l05/edit/main/docs/chapter.md",
    ]
    assert repository[2].startswith("https://github.com/example/l05/issues/new?")
    words = re.findall(r'aria-label="([^"]*)"|title="([^"]*)"|text-container">([^<]*)<', page)
    assert [text for text in map("".join, words) if text.isascii()] == []


def test_a_page_of_a_book_without_an_address_links_to_no_other_host(book, conf):
    assert other_hosts(build(book, conf)) == []


@pytest.fixture
def site(tmp_path):
    for page in ("index.html", "en/index.html", "api/rnn.html"):
        (tmp_path / page).parent.mkdir(exist_ok=True)
        (tmp_path / page).write_text("")
    return tmp_path


def test_a_site_with_an_address_lists_its_pages(site):
    publish.publish(site, "https://host.example/book")
    found = re.findall("<loc>(.*?)</loc>", (site / "sitemap.xml").read_text("utf-8"))
    assert found == [f"https://host.example/book/{page}" for page in ("api/rnn.html", "en/index.html", "index.html")]


def test_a_site_without_an_address_has_no_list(site):
    publish.publish(site, "")
    assert not (site / "sitemap.xml").exists()


@pytest.mark.parametrize(
    ("address", "root"), [("https://host.example/a/book/", "/a/book/"), ("https://host.example", "/"), ("", "/")]
)
def test_the_page_for_wrong_addresses_links_to_both_editions_from_anywhere(site, address, root):
    publish.publish(site, address)
    links = re.findall('<a href="(.*?)"', (site / "404.html").read_text("utf-8"))
    assert links == [root, f"{root}en/"]

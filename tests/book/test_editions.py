"""A page says which language it is in, and leads to the same page in the other one."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.filterwarnings("default")

DOCS = Path(__file__).parents[2] / "docs"


def build(book, conf, language, **settings):
    book.write("docs/index.md", "# 書\n\n```{toctree}\npart/chapter\n```\n")
    book.write("docs/part/chapter.md", "# 章\n")
    (book.pages / "chapter.md").unlink()
    names = "html_context", "html_sidebars", "html_theme", "html_theme_options"
    settings |= {name: conf[name] for name in names} | {"templates_path": [str(DOCS / "_templates")]}
    assert book.build("myst_parser", "editions", "interface", language=language, **settings) == ""
    page = book.html("part/chapter")
    alternates = dict(re.findall(r'<link rel="alternate" hreflang="(.*?)" href="(.*?)"', page))
    return page, alternates, re.findall(r'<a class="btn[^"]* switch-language" href="(.*?)" lang="(.*?)"', page)


def test_a_chinese_page(book, conf):
    page, alternates, switch = build(book, conf, "zh_TW")
    assert '<html lang="zh-Hant-TW"' in page
    assert "<title>章 &#8212; 拆開 Transformer</title>" in page
    assert alternates == {}  # search engines want full addresses
    assert switch == [("../en/part/chapter.html", "en")]


def test_an_english_page(book, conf):
    page, alternates, switch = build(book, conf, "en")
    assert '<html lang="en"' in page
    assert "&#8212; Taking the Transformer Apart</title>" in page
    assert alternates == {}
    assert switch == [("../../part/chapter.html", "zh-Hant-TW")]


@pytest.mark.parametrize(("language", "folder"), [("zh_TW", ""), ("en", "en/")])
def test_search_engines_get_full_addresses_and_readers_links_that_work_anywhere(book, conf, language, folder):
    page, alternates, switch = build(book, conf, language, html_baseurl="https://example.org/l05")
    site = "https://example.org/l05/"
    assert f'<link rel="canonical" href="{site}{folder}part/chapter.html"' in page
    assert alternates == {"zh-Hant-TW": f"{site}part/chapter.html", "en": f"{site}en/part/chapter.html"}
    assert switch[0][0].startswith("../")

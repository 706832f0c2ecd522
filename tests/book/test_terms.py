"""Words of the other language are marked, names of the glossary come in the order of the edition."""

import re

import pytest

pytestmark = pytest.mark.filterwarnings("default")

GLOSSARY = "# Book\n\n{}\n\n```{{glossary}}\n查詢\nquery\n  A vector.\n\nRMS\n均方根\n  A number.\n```\n"


def build(book, language, text="", **settings):
    book.write("docs/index.md", GLOSSARY.format(text))
    (book.pages / "chapter.md").unlink()
    return book.build("myst_parser", "terms", language=language, **settings)


def names(book):
    return re.findall("(<dt.*?)<a", book.html("index"))


def test_chinese_names_come_first_in_chinese(book):
    assert build(book, "zh_TW") == ""
    assert names(book) == [
        '<dt id="term-0">查詢',
        '<dt id="term-query" lang="en">query',
        '<dt id="term-1">均方根',
        '<dt id="term-RMS" lang="en">RMS',
    ]


def test_english_names_come_first_in_english(book):
    assert build(book, "en") == ""
    assert names(book) == [
        '<dt id="term-query">query',
        '<dt id="term-0" lang="zh-Hant-TW">查詢',
        '<dt id="term-RMS">RMS',
        '<dt id="term-1" lang="zh-Hant-TW">均方根',
    ]


def test_chinese_that_is_kept_on_purpose_is_marked(book):
    text = "The course 生成式 AI and the term 均方根, and `{term} 查詢`."
    assert build(book, "en", text, kept_in_chinese=["生成式 AI"]) == ""
    page = book.html("index")
    assert 'course <span lang="zh-Hant-TW">生成式 AI</span> and' in page
    assert 'term <span lang="zh-Hant-TW">均方根</span>, and' in page
    assert '<span lang="zh-Hant-TW"><span class="pre">查詢</span></span></code>' in page


@pytest.mark.parametrize("text", ["About 注意力.", "「query」", "`程式`", "```\n程式\n```"])
def test_other_chinese_in_the_english_edition_warns(book, text):
    assert "index.md:3: WARNING: Chinese in the English edition" in build(book, "en", text)


def test_docstrings_are_marked_as_english_in_chinese_only(book):
    book.write("docs/index.md", "# Book\n\n```{eval-rst}\n.. autofunction:: toy.half\n```\n")
    (book.pages / "chapter.md").unlink()
    for language, mark in (("zh_TW", '<p lang="en">'), ("en", "<p>")):
        assert book.build("myst_parser", "sphinx.ext.autodoc", "terms", language=language) == ""
        assert f"{mark}Say what half is.</p>" in book.html("index")

"""Nothing of the interface is left in English or in Simplified Chinese."""

import re
from pathlib import Path

import pydata_sphinx_theme
import pytest
from babel.messages.pofile import read_po

pytestmark = pytest.mark.filterwarnings("default")

DOCS = Path(__file__).parents[2] / "docs"
OURS = DOCS / "locale/zh_TW/LC_MESSAGES/sphinx.po"
THEIRS = Path(pydata_sphinx_theme.__file__).parent / "locale/zh/LC_MESSAGES/sphinx.po"

# footers, the general index's menu and "edit on ...": not on our pages
NOT_SHOWN = ("Copyright", "Built with", "Created using", "Edit", "Indices", "Index", "Last updated", "Please activate")


def strings(path):
    with path.open("rb") as file:
        return {message.id for message in read_po(file) if message.id}


def test_every_string_that_the_theme_has_in_simplified_chinese_has_words_of_ours():
    assert {text for text in strings(THEIRS) - strings(OURS) if not any(part in text for part in NOT_SHOWN)} == set()


def test_a_page_has_no_english_label_no_other_host_and_no_search_script(book, conf):
    book.write("docs/index.md", "# 書\n\n## 節\n\n```{toctree}\nchapter\n```\n")
    book.write("docs/chapter.md", "# 章\n\n```python\n1\n```\n")
    settings = {name: value for name, value in conf.items() if name in ("html_context", "html_sidebars", "html_theme")}
    settings |= {"html_theme_options": conf["html_theme_options"], "locale_dirs": [str(DOCS / "locale")]}
    settings |= {"templates_path": [str(DOCS / "_templates")]}
    assert book.build("myst_parser", "sphinx_copybutton", "editions", "interface", **settings) == ""
    for page in map(book.html, ("index", "chapter")):
        labels = re.findall(r' (?:title|aria-label|placeholder)="([^"]*)"', page)
        assert len(labels) > 5
        assert [label for label in labels if label.isascii()] == []
        assert re.findall(r'(?:src|href)="(?:https?:)?//[^"]*"', page) == []
        assert "searchtools.js" not in page
        assert "language_data.js" not in page
    assert "複製到剪貼簿" in (book.output / "_static/copybutton.js").read_text("utf-8")


def test_a_link_to_a_chapter_keeps_the_subscript_of_its_title(book):
    book.write("docs/index.md", "# 書\n\n```{toctree}\nchapter\n```\n\n{ref}`part` {doc}`chapter` {ref}`字 <part>`\n")
    book.write("docs/chapter.md", "(part)=\n# 除以 √d{sub}`k`\n")
    assert book.build("myst_parser", "interface") == ""
    page = book.html("index")
    assert page.count("<span>√d<sub>k</sub></span>") + page.count("除以 √d<sub>k</sub></span></a>") == 2
    assert "字</span></a>" in page


def test_a_list_of_uses_names_page_and_section_and_no_box(book, conf):
    page = "# 章\n\n```{note}\n甲\n```\n\n## 節\n\n```{admonition} 盒子\n乙\n```\n\n"
    page += "```python\nimport toy\ntoy.half(2)\n```\n\n```{eval-rst}\n.. autofunction:: toy.half\n```\n"
    book.write("docs/index.md", page)
    (book.pages / "chapter.md").unlink()
    settings = {name: value for name, value in conf.items() if name.startswith("codeautolink_")}
    extensions = "myst_parser", "sphinx.ext.autodoc", "sphinx_codeautolink", "equations", "interface"
    assert book.build(*extensions, **settings) == ""
    assert re.findall(r"<td><p>.*?>(.*?)</a>", book.html("index")) == ["章 / 節"]

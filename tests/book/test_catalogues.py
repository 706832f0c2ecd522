"""The build fails on a translation that is missing, fuzzy, obsolete, or does not hold what its source holds."""

import re

import polib
import pytest
from catalogues import tidy

pytestmark = pytest.mark.filterwarnings("default")

PAGE = """---
myst:
  html_meta:
    description: 說明
---
(page)=
# 書

{term}`查詢` $q$ 讀 `code`，見[網頁](https://example.org/)與{ref}`這頁 <page>`。

```{glossary}
查詢
query
  提問的向量。
```
"""

ENGLISH = {
    "說明": "Description",
    "書": "Book",
    "{term}`查詢` $q$ 讀 `code`，見[網頁](https://example.org/)與{ref}`這頁 <page>`。": (
        "See the [site](https://example.org/) and {ref}`this page <page>`: `code` reads the {term}`query` $q$."
    ),
    "提問的向量。": "The vector that asks.",
}
TEXT = next(message for message in ENGLISH if message.startswith("{term}"))


def write(book, translations, name="index", flags=()):
    path = book.pages / f"locale/en/LC_MESSAGES/{name}.po"
    path.parent.mkdir(parents=True, exist_ok=True)
    catalogue = polib.POFile(wrapwidth=0)
    catalogue.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    catalogue.extend(
        polib.POEntry(msgid=text, msgstr=english, flags=[*flags]) for text, english in translations.items()
    )
    catalogue.save(path)
    return path


def build(book, **settings):
    book.write("docs/index.md", PAGE)
    (book.pages / "chapter.md").unlink(missing_ok=True)
    settings |= {
        "language": "en",
        "locale_dirs": ["locale"],
        "myst_enable_extensions": ["dollarmath"],
        "suppress_warnings": ["i18n.inconsistent_references"],  # as conf.py does: a term has two names
    }
    return book.build("myst_parser", "equations", "catalogues", "terms", **settings)


def test_a_complete_translation_passes_and_is_shown(book):
    write(book, ENGLISH)
    assert build(book) == ""
    page = book.html("index")
    assert 'content="Description"' in page
    assert ">query</span></a>" in page


@pytest.mark.parametrize("message", ENGLISH, ids=["description", "title", "text", "definition"])
def test_a_message_without_a_translation_warns(book, message):
    write(book, ENGLISH | {message: ""})
    assert f"index.md: WARNING: untranslated: '{message}' [catalogues]" in build(book)


def test_a_page_without_a_catalogue_warns(book):
    assert "untranslated: '提問的向量。'" in build(book)


def test_a_fuzzy_message_warns(book):
    write(book, ENGLISH, flags=["fuzzy"])
    assert "fuzzy: '提問的向量。'" in build(book)


@pytest.mark.parametrize("name", ["index", "gone"])
def test_a_message_that_no_page_has_warns(book, name):
    write(book, ENGLISH)
    write(book, {"舊的": "old"} | (ENGLISH if name == "index" else {}), name)
    assert "obsolete: '舊的'" in build(book)


def test_a_message_that_is_kept_as_obsolete_warns(book):
    path = write(book, ENGLISH)
    path.write_text(path.read_text("utf-8") + '\n#~ msgid "舊的"\n#~ msgstr "old"\n', "utf-8")
    assert "obsolete: '舊的'" in build(book)


@pytest.mark.parametrize(
    ("old", "new", "warning"),
    [
        ("$q$", "$k$", "lacks math_inline 'q', 1 times"),
        ("$q$", "$q$, $q$", "adds math_inline 'q', 1 times"),
        ("`code`", "code", "lacks code_inline 'code', 1 times"),
        ("example.org", "example.com", "lacks link_open 'https://example.org/', 1 times"),
        ("[site](https://example.org/)", "site", "lacks link_open 'https://example.org/', 1 times"),
        ("<page>", "<query>", "lacks ref 'page', 1 times"),
        ("{ref}`this page <page>`", "{doc}`this page <index>`", "lacks ref 'page', 1 times"),
        ("{term}`query`", "query", "lacks term 'query', 1 times"),
        ("{term}`query`", "{term}`key`", "adds term 'key', 1 times"),
    ],
)
def test_a_translation_with_other_equations_code_links_or_roles_warns(book, old, new, warning):
    write(book, ENGLISH | {TEXT: ENGLISH[TEXT].replace(old, new)})
    assert f"the translation {warning}" in build(book)


def test_the_names_of_a_glossary_entry_are_no_messages(book):
    write(book, ENGLISH | {"query": "query"})
    assert "obsolete: 'query'" in build(book)


def test_the_rows_of_a_measured_table_are_no_messages(book):
    table = "```{csv-table}\n---\nheader: 量到\nclass: measured\n---\n0.50, causal\n```\n"
    book.write("docs/index.md", f"# 書\n\n{table}")
    (book.pages / "chapter.md").unlink()
    extensions = "myst_parser", "equations", "catalogues", "formula"
    warnings = book.build(*extensions, language="en", locale_dirs=["locale"], formula_ledger=False)
    assert "untranslated: '量到'" in warnings
    assert "causal" in book.html("index")
    assert "causal" not in warnings


def test_of_the_lines_that_were_measured_only_the_word_for_a_missed_goal_is_a_message(book):
    book.write("docs/_outputs/speed.csv", '"`f`, causal",NumPy,2.35,2,4\n')
    book.write("docs/index.md", "# 書\n\n```{measured} 時間\n:beside: NumPy\n```\n")
    (book.pages / "chapter.md").unlink()
    extensions = "myst_parser", "equations", "catalogues", "formula", "measured"
    warnings = book.build(*extensions, language="en", locale_dirs=["locale"], formula_ledger=False)
    words = ["書", "時間", "量什麼", "量到", "目標", "紅線", "未達標"]
    assert re.findall("untranslated: '(.*)'", warnings) == words


def test_the_source_needs_no_catalogue(book):
    book.write("docs/index.md", PAGE)
    (book.pages / "chapter.md").unlink()
    settings = {"myst_enable_extensions": ["dollarmath"]}
    assert book.build("myst_parser", "equations", "catalogues", "terms", **settings) == ""


def test_pages_that_are_read_in_parallel_are_checked(book):
    write(book, ENGLISH)
    for number in range(6):  # below that many pages Sphinx reads them one by one
        book.write(f"docs/page{number}.md", f"---\norphan: true\n---\n# 第 {number} 頁\n")
    said = build(book, parallel=2)
    assert [f"untranslated: '第 {number} 頁'" in said for number in range(6)] == [True] * 6
    assert "obsolete" not in said


def test_a_tidy_catalogue_names_its_page_and_holds_translations_only(tmp_path):
    path = tmp_path / "api/page.po"
    path.parent.mkdir()
    path.write_text(
        '# SOMEBODY\n#, fuzzy\nmsgid ""\nmsgstr ""\n"POT-Creation-Date: 2026-01-01 00:00+0000\\n"\n\n'
        '#, python-brace-format\nmsgid "{ref}`a`"\nmsgstr "{ref}`a`"\n\n'
        '#, fuzzy\nmsgid "c"\nmsgstr "d"\n\nmsgid "e"\nmsgstr ""\n\n#~ msgid "x"\n#~ msgstr "y"\n',
        "utf-8",
    )
    assert [entry.msgid for entry in tidy(path, tmp_path)] == ["c", "e"]
    text = path.read_text("utf-8")
    assert text.startswith("# English of docs/api/page.md\nmsgid")
    assert "POT-Creation-Date" not in text
    assert "python-brace-format" not in text
    assert "#~" not in text
    assert '#, fuzzy\nmsgid "c"' in text
    tidy(path, tmp_path)
    assert path.read_text("utf-8") == text

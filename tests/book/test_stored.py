"""A page that needs a large library shows the outputs that are stored for its cells, and only for these."""

import re

import pytest
import stored
from jupyter_cache.executors.utils import single_nb_execution
from sphinx.errors import ExtensionError

pytestmark = pytest.mark.filterwarnings("default")

PAGE = """---
file_format: mystnb
kernelspec: {name: python3, display_name: Python 3}
requires: [huge]
---
# Book

```{code-cell}
import huge
```

Words

```{code-cell}
---
tags: [hide-input]
---
huge.answer()
```
"""


@pytest.fixture
def page(book, conf, tmp_path):
    """A page with stored outputs, made where its library was at hand."""
    book.write("docs/index.md", PAGE)
    (book.pages / "chapter.md").unlink()
    book.page = book.pages / "index.md"
    notebook = stored.read(book.page)
    code, _ = stored.code(notebook)
    importing, code.source = code.source, "import types\nhuge = types.SimpleNamespace(answer=lambda: 9487)"
    assert single_nb_execution(notebook, cwd=str(tmp_path), timeout=60, allow_errors=False).err is None
    code.source = importing
    book.write("docs/_outputs/index.ipynb", stored.dump(notebook))
    book.settings = {name: value for name, value in conf.items() if name.startswith("nb_")}
    book.settings |= {
        "nb_execution_cache_path": str(tmp_path / "cache"),
        "source_suffix": {".md": "myst-nb"},
        "exclude_patterns": ["_*"],
    }
    return book


def build(page):
    return page.build("myst_nb", "stored", "gates", **page.settings)


def test_the_stored_outputs_are_shown_where_the_library_is_missing(page):
    assert build(page) == ""
    assert "9487" in page.html("index")


def test_an_edit_of_words_and_captions_keeps_the_outputs(page):
    edited = PAGE.replace("Words", "Other words").replace("tags: [hide-input]", "mystnb: {code_prompt_show: Look}")
    page.write("docs/index.md", edited)
    assert build(page) == ""
    assert "9487" in page.html("index")


def test_outputs_that_were_stored_anew_replace_those_of_the_build_before(page):
    build(page)
    place = stored.place(page.page)
    place.write_text(place.read_text("utf-8").replace("9487", "9999"), "utf-8")
    assert build(page) == ""
    assert "9999" in page.html("index")


@pytest.mark.parametrize(
    "edited",
    [PAGE.replace("huge.answer()", "huge.answer() + 1"), PAGE + "\n```{code-cell}\nhuge.question()\n```\n"],
    ids=["another cell", "one more cell"],
)
def test_outputs_of_other_cells_are_refused(page, edited):
    page.write("docs/index.md", edited)
    with pytest.raises(ExtensionError, match="the stored outputs are not those of these cells"):
        build(page)


def test_a_page_whose_outputs_are_not_stored_yet_is_refused(page):
    stored.place(page.page).unlink()
    with pytest.raises(ExtensionError, match="the stored outputs are not those of these cells"):
        build(page)


def test_what_is_stored_says_nothing_of_the_run(page):
    text = stored.place(page.page).read_text("utf-8")
    assert "9487" in text
    assert re.findall('version|kernelspec|iopub|"id"', text) == []

"""What the reader's browser gets to look through."""

import json

import pytest

pytestmark = pytest.mark.filterwarnings("default")

INDEX = """
# 書

```{toctree}
overview
inner
words
```

```{eval-rst}
.. autofunction:: toy.half
```
"""

OVERVIEW = "# 總覽\n\n{term}`內積`、{term}`列`、{term}`vector`。\n"

INNER = """
# 內積

開頭 $x$ $y$ 之後。

$$z$$

## 用法

{term}`內積` 與 {term}`列`，{term}`列`。

```python
import toy
```

```{raw} html
<b>不是文字</b>
```
"""

WORDS = """
# 名詞

```{glossary}
內積
inner product
  一個數。

列
row
  橫的。

向量
vector
  一串數。
```
"""


@pytest.fixture
def index(book):
    for name, text in {"index": INDEX, "overview": OVERVIEW, "inner": INNER, "words": WORDS}.items():
        book.write(f"docs/{name}.md", text)
    (book.pages / "chapter.md").unlink()
    extensions = "myst_parser", "sphinx.ext.autodoc", "equations", "search"
    assert book.build(*extensions, myst_enable_extensions=["dollarmath"]) == ""
    text = (book.output / "search-index.js").read_text("utf-8")
    return json.loads(text.removeprefix("searchIndex = ").removesuffix(";\n"))


def places(index, address):
    (page,) = (page for page in index["pages"] if page["address"] == address)
    return {" ".join(names): text for _, names, text in page["places"]}


def test_a_hit_leads_to_a_section_a_function_or_an_entry_of_the_glossary(index):
    assert places(index, "inner.html") == {"內積": "開頭 … 之後。", "用法": "內積 與 列，列。 import toy"}
    assert places(index, "words.html")["內積 inner product"] == "一個數。"
    assert places(index, "index.html")["half"].startswith("Say what half is.")


def test_pages_stand_in_the_order_of_the_book(index):
    assert [page["address"] for page in index["pages"]] == ["index.html", "overview.html", "inner.html", "words.html"]


def test_the_page_that_explains_a_term_speaks_of_it_in_a_heading_or_most(index):
    explained = {page["address"]: page["explains"] for page in index["pages"]}
    assert explained["inner.html"] == [["內積", "inner product"], ["列", "row"]]
    assert explained["overview.html"] == [["向量", "vector"]]
    assert index["terms"] == [["內積", "inner product"], ["列", "row"], ["向量", "vector"]]

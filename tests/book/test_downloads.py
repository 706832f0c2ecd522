"""The notebook of a page reads well in Jupyter and in Colab, and runs as it is."""

import shutil
from pathlib import Path

import nbformat
import pytest
from downloads import imported
from nbclient import NotebookClient

pytestmark = pytest.mark.filterwarnings("default")

ROOT = Path(__file__).parents[2]
EXTENSIONS = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "sphinx_design", "sphinxcontrib.bibtex"]
OURS = ["downloads", "editions", "equations", "formula"]
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "toy"
version = "1"
requires-python = ">=3"
"""
INDEX = """
# 書

```{toctree}
:numbered:
chapter
```

```{eval-rst}
.. autofunction:: toy.half
```
"""
CHAPTER = """---
file_format: mystnb
kernelspec: {name: python3, display_name: Python 3}
---
# 章 $x$

一段*文字*與**粗體**、`code` 和 a_b*c。

```{formula} toy.half
```

公式 {eq}`toy.half` 在 {ref}`節 <part>`，書在{doc}`首頁 <index>`，[別處](https://example.com/a?b=c)。

:::{admonition} 提醒
:class: lecture
- 一 $a < b$

  $$
  a
  b
  $$
- 二
:::

```{code-cell}
half = 2 / 2
```

(part)=
## 節

| 甲 | 乙 |
|---|---|
| $x$ | `a\\|b` |

3\\. 不是清單

3. 三

```{dropdown} 摺起來的 $x$ < 1
裡面 x{sub}`k`
```

```{code-cell}
---
tags: [hide-input]
mystnb:
  figure: {caption: 圖說 $x$, name: fig-part}
---
import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.show()
```

```python
1 < 2
```
"""
FIRST = r"""# 1. 章 $x$

一段*文字*與**粗體**、`code` 和 a\_b\*c。

$$half(x) = \frac{x}{2} \tag{1.1}$$

函式 `toy.half`

公式 (1.1) 在 節，書在首頁，[別處](https://example.com/a?b=c)。

> **提醒**
>
> - 一 $a < b$
>
>   $$a b$$
> - 二"""
SECOND = r"""## 1.1. 節

| 甲 | 乙 |
| --- | --- |
| $x$ | `a\|b` |

3\. 不是清單

3. 三

<details>
<summary>摺起來的 $x$ &lt; 1</summary>

裡面 x<sub>k</sub>

</details>"""


def build(book, **settings):
    defaults = {
        "bibtex_bibfiles": [str(ROOT / "docs/references.bib")],
        "html_theme": "sphinx_book_theme",
        "html_theme_options": {"article_header_end": ["notebook"]},
        "myst_enable_extensions": ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"],
        "nb_execution_mode": "off",
        "source_suffix": {".md": "myst-nb"},
        "templates_path": [str(ROOT / "docs/_templates")],
    }
    return book.build(*EXTENSIONS, *OURS, **defaults | settings)


def notebook(book, page):
    return nbformat.read(book.output / f"notebooks/{page}.ipynb", as_version=4)


@pytest.fixture
def toy(book):
    book.write("docs/index.md", INDEX)
    book.write("docs/chapter.md", CHAPTER)
    book.write("docs/pyproject.toml", PROJECT)
    shutil.copytree(book.folder / "toy", book.pages / "toy")
    return book


def test_a_notebook_has_the_text_of_the_page_without_a_directive(toy):
    build(toy, nb_execution_mode="force")
    written = notebook(toy, "chapter")
    nbformat.validate(written)
    first, second, last = (cell for cell in written.cells if cell.cell_type == "markdown")
    assert first.source == FIRST
    assert second.source == SECOND
    assert last.source == "**圖 1.1** 圖說 $x$\n\n```python\n1 < 2\n```"


def test_a_notebook_has_the_cells_of_the_page_and_folds_what_is_folded(toy):
    build(toy, nb_execution_mode="force")
    install, half, figure = (cell for cell in notebook(toy, "chapter").cells if cell.cell_type == "code")
    assert half.source == "half = 2 / 2"
    assert half.metadata == {}
    assert figure.source == "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
    assert figure.metadata["jupyter"] == {"source_hidden": True}
    assert [cell.outputs for cell in (install, half, figure)] == [[], [], []]


def test_the_notebook_of_a_published_book_links_to_the_book_and_takes_the_wheel_from_it(toy):
    build(toy, html_baseurl="https://example.com/book")
    install, text, *_ = notebook(toy, "chapter").cells
    assert install.source.splitlines() == [
        "# 安裝 toy，執行一次就好",
        "%pip install --quiet https://example.com/book/notebooks/toy-1-py3-none-any.whl matplotlib",
    ]
    assert (toy.output / "notebooks/toy-1-py3-none-any.whl").exists()
    assert "[首頁](https://example.com/book/index.html)" in text.source
    assert "[`toy.half`](https://example.com/book/index.html#toy.half)" in text.source
    assert "公式 (1.1) 在 節" in text.source


def test_a_page_offers_its_notebook_and_where_the_address_is_known_opens_it_in_colab(toy):
    build(toy)
    page = toy.html("chapter")
    assert 'href="notebooks/chapter.ipynb" download title="下載這一頁的筆記本"' in page
    assert "colab" not in page
    assert "ipynb" not in toy.html("index")

    build(toy, html_baseurl="https://example.com/book/", language="en")
    page = toy.html("chapter")
    assert 'title="Download this page as a notebook"' in page
    address = "https%3A%2F%2Fexample.com%2Fbook%2Fen%2Fnotebooks%2Fchapter.ipynb"
    assert f'href="https://colab.research.google.com/#fileId={address}" title="Open this page in Colab"' in page


def test_two_builds_make_the_same_notebooks_and_the_same_wheel(toy):
    def files():
        build(toy)
        made = {path.name: path.read_bytes() for path in (toy.output / "notebooks").iterdir()}
        shutil.rmtree(toy.output)
        return made

    made = files()
    assert made.keys() == {"chapter.ipynb", "toy-1-py3-none-any.whl"}
    assert files() == made


def test_a_page_with_what_has_no_markdown_is_reported(toy):
    toy.write("docs/chapter.md", CHAPTER + "\n:::{versionadded} 1\n:::\n")
    assert "no Markdown for versionmodified" in build(toy)


def test_what_a_notebook_imports_is_installed_unless_it_comes_with_python():
    sources = ["import os, matplotlib.pyplot as plt", "def f():\n    from torch.nn import Linear"]
    assert imported(sources) == {"matplotlib", "torch"}


@pytest.mark.parametrize("page", ["demo", "qkv"])
def test_the_notebook_of_a_chapter_runs_as_it_is(book, page, tmp_path, monkeypatch):
    """Here pip only says what it would install; `nox -s notebooks` installs it and runs all."""
    for name in ("LICENSE", "README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, book.pages)
    shutil.copytree(ROOT / "l05", book.pages / "l05")
    shutil.copy(ROOT / f"docs/{page}.md", book.pages / "index.md")
    (book.pages / "chapter.md").unlink()
    build(book, formula_package="l05")
    monkeypatch.setenv("PIP_DRY_RUN", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    written = notebook(book, "index")
    NotebookClient(written, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    said = "".join(output.text for output in written.cells[0].outputs)
    assert "ERROR" not in said

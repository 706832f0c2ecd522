"""What makes the build quicker leaves the pages as they were."""

import pytest
import speed

pytestmark = pytest.mark.filterwarnings("default")

PAGE = """# Book

One<br>line.

```python
import toy
toy.half(2)
```

Between.

```python
toy.part(toy.half(2))
```

```{eval-rst}
.. autofunction:: toy.half
.. autofunction:: toy.part
```
"""


def test_code_is_linked_and_nothing_else_is_parsed_for_it(book, monkeypatch):
    parsed = []

    def link_html(document, html, *others, **options):
        parsed.append(html)
        return original(document, html, *others, **options)

    original = speed.link_html
    monkeypatch.setattr(speed, "link_html", link_html)
    book.write("docs/index.md", PAGE)
    (book.pages / "chapter.md").unlink()
    extensions = "myst_parser", "sphinx.ext.autodoc", "sphinx_codeautolink", "speed"
    assert book.build(*extensions, codeautolink_concat_default=True) == ""
    page = book.html("index")
    assert page.count('class="sphinx-codeautolink-a"') == 3
    assert page.index("sphinx-codeautolink-a") < page.index("Between.") < page.rindex("sphinx-codeautolink-a")
    assert "One<br>line." in page
    assert "Between" not in "".join(parsed)

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


@pytest.fixture
def calls(monkeypatch):
    """What sphinx-codeautolink is given to parse."""
    given = []

    def noting(function, position):
        def call(*arguments, **options):
            given.append(arguments[position])
            return function(*arguments, **options)

        return call

    monkeypatch.setattr(speed, "parse_names", noting(speed.parse_names, 0))
    monkeypatch.setattr(speed, "link_html", noting(speed.link_html, 1))
    return given


def build(book, page=PAGE, **settings):
    book.write("docs/index.md", page)
    (book.pages / "chapter.md").unlink(missing_ok=True)
    extensions = "myst_nb", "sphinx.ext.autodoc", "sphinx_codeautolink", "speed"
    settings |= {"nb_execution_mode": "off", "nb_execution_cache_path": str(book.folder / "cache")}
    settings |= {"codeautolink_concat_default": True, "source_suffix": {".md": "myst-nb"}}
    return book.build(*extensions, **settings)


def test_code_is_linked_and_nothing_else_is_parsed_for_it(book, calls):
    assert build(book) == ""
    page = book.html("index")
    assert page.count('class="sphinx-codeautolink-a"') == 3
    assert page.index("sphinx-codeautolink-a") < page.index("Between.") < page.rindex("sphinx-codeautolink-a")
    assert "One<br>line." in page
    assert "Between." not in "".join(calls)


def test_the_same_code_is_parsed_once_for_all_editions(book, calls):
    assert build(book) == ""
    page, done = book.html("index"), len(calls)
    assert done > 0
    assert build(book, PAGE.replace("Between.", "其間。")) == ""
    assert book.html("index") == page.replace("Between.", "其間。")
    assert build(book, PAGE.replace("Between.", "其間。"), language="en") == ""
    assert len(calls) == done


@pytest.mark.parametrize("change", ["toy.half(3)", "toy.part(2)"])
def test_other_code_is_parsed_again(book, calls, change):
    assert build(book) == ""
    done = len(calls)
    assert build(book, PAGE.replace("toy.half(2)", change)) == ""
    assert len(calls) > done


def test_what_makes_a_warning_makes_it_each_time(book, monkeypatch):
    monkeypatch.setattr(speed, "link_html", lambda document, html, *others, **options: html)
    build(book)
    monkeypatch.undo()
    assert build(book) == ""
    assert "sphinx-codeautolink-a" in book.html("index")

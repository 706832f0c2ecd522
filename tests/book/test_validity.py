"""What Sphinx and its extensions write, as HTML allows it."""

import re

import pytest

pytestmark = pytest.mark.filterwarnings("default")

PAGE = """
# 章

```python
import toy
toy.half(2)
```

```{eval-rst}
.. autofunction:: toy.half
.. py:function:: wide(one, other)
```
"""


@pytest.fixture
def page(book):
    book.write("docs/index.md", PAGE)
    (book.pages / "chapter.md").unlink()
    extensions = (
        "myst_parser",
        "sphinx.ext.autodoc",
        "sphinx.ext.viewcode",
        "sphinx_codeautolink",
        "equations",
        "validity",
    )
    settings = {"codeautolink_autodoc_inject": True, "python_maximum_signature_line_length": 1}
    assert book.build(*extensions, "equations", "validity", **settings) == ""
    return book.html


def test_parameters_on_lines_of_their_own_are_a_list(page):
    signature = re.findall(r'<dt class="sig .*?</dt>', page("index"), re.S)[1]
    assert signature.count("<li>") == 2
    assert "<dl>" not in signature
    assert "<dd>" not in signature


def test_a_list_of_uses_is_a_fold_of_its_own_without_a_link_on_it(page):
    assert "<p><details>" not in page("index")
    (summary,) = re.findall("<summary>.*?</summary>", page("index"))
    assert "half" in summary
    assert "<a " not in summary


def test_a_function_in_its_source_is_marked_inside_of_the_line(page):
    source = page("_modules/toy/halves")
    assert '<span class="viewcode-block" id="half">' in source
    assert "<div" not in re.search("<pre>.*?</pre>", source, re.S)[0]


def test_no_two_things_have_the_same_name(page):
    names = re.findall(r' id="(.*?)"', page("index"))
    assert len(names) == len(set(names))

"""Tiny books that are built in this process, with the extensions and the settings of the real one."""

import runpy
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


class Book:
    """A folder of pages, a package `toy` with formulas, and its tests."""

    def __init__(self, folder):
        self.folder = folder
        self.pages, self.output = folder / "docs", folder / "docs/_build/html"

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def build(self, *extensions, parallel=0, **settings):
        """Build it with these extensions and settings; return the warnings."""
        from sphinx.testing.util import SphinxTestApp
        from sphinx.util._io import strip_escape_sequences

        self.write("docs/conf.py", f"import sys; sys.path.insert(0, {str(self.folder)!r})")
        defaults = {
            "extensions": list(extensions),
            "exclude_patterns": ["_build"],
            "language": "zh_TW",
            "nitpicky": True,
            "numfig": True,
            "source_suffix": {".md": "markdown"},
        }
        if "formula" in extensions:
            defaults |= {"formula_package": "toy", "formula_tests": str(self.folder / "tests")}
        app = SphinxTestApp(srcdir=self.pages, confoverrides=defaults | settings, parallel=parallel)
        try:
            app.build()
            return strip_escape_sequences(app.warning.getvalue())
        finally:
            app.cleanup()
            shutil.rmtree(app.doctreedir)

    def html(self, page):
        return (self.output / f"{page}.html").read_text("utf-8")


FUNCTION = '''
def {name}(x):
    r"""Say what {name} is.

    .. math::

       {name}(x) = \\frac{{x}}{{2}}

    Examples
    --------
    >>> {name}(2)
    1.0
    """
    return x / 2
'''

CHECK = """
import pytest

@pytest.mark.independent_check("half", "part")
def test_half_is_half():
    pass
"""

INDEX = """
# Book

```{toctree}
:numbered:
chapter
```

```{eval-rst}
.. autofunction:: toy.half
.. autofunction:: toy.part
```

```{formula-ledger}
```
"""

CHAPTER = """
# Chapter

```{formula} toy.half
```

```{formula} toy.part
```

{eq}`toy.half`
"""


@pytest.fixture(autouse=True)
def unpublished(monkeypatch):
    """What the shell says about the real book's site is not about these books."""
    monkeypatch.delenv("BOOK_URL", raising=False)
    monkeypatch.delenv("BOOK_REPOSITORY", raising=False)


@pytest.fixture
def conf():
    """The real settings."""
    path = sys.path.copy()
    settings = runpy.run_path(str(ROOT / "conf.py"))
    sys.path[:] = path
    return settings


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A book that passes every gate."""
    book = Book(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.split(".")[0] == "toy"]:
        monkeypatch.delitem(sys.modules, name)
    book.write("toy/__init__.py", 'from toy.halves import half, part\n\n__all__ = ["half", "part"]\n')
    book.write("toy/halves.py", FUNCTION.format(name="half") + FUNCTION.format(name="part"))
    book.write("tests/test_halves.py", CHECK)
    book.write("docs/index.md", INDEX)
    book.write("docs/chapter.md", CHAPTER)
    yield book
    for name in [name for name in sys.modules if name.split(".")[0] == "toy"]:
        monkeypatch.delitem(sys.modules, name)

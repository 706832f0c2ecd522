"""Cells run again when the package changes, and what goes wrong in them fails the build."""

import importlib.metadata

import pytest
from notebooks import digest, prune

pytestmark = pytest.mark.filterwarnings("default")

VERSIONS = ["numpy", "matplotlib"]
PAGE = """---
file_format: mystnb
kernelspec: {{name: python3, display_name: Python 3}}
---
# Book

```{{code-cell}}
{code}
```
"""


@pytest.fixture
def package(tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/halves.py").write_text("a = 1\n")
    return tmp_path / "toy"


def test_the_digest_changes_with_the_package(package):
    before = digest(package, VERSIONS)
    assert digest(package, VERSIONS) == before
    (package / "halves.py").write_text("a = 2\n")
    assert digest(package, VERSIONS) != before
    (package / "halves.py").write_text("a = 1\n")
    assert digest(package, VERSIONS) == before
    (package / "halves.py").rename(package / "thirds.py")
    assert digest(package, VERSIONS) != before


def test_the_digest_changes_with_a_version_and_not_with_prose(package, monkeypatch):
    before = digest(package, VERSIONS)
    (package.parent / "page.md").write_text("# Page\n")
    (package / "README.md").write_text("# Toy\n")
    assert digest(package, VERSIONS) == before
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0")
    assert digest(package, VERSIONS) != before


def test_only_the_current_outputs_are_kept(tmp_path):
    for name in ("old", "new"):
        (tmp_path / name / "executed").mkdir(parents=True)
    prune(tmp_path, keep="new")
    assert [folder.name for folder in tmp_path.iterdir()] == ["new"]
    prune(tmp_path / "nowhere", keep="new")


@pytest.mark.parametrize(
    ("code", "warning"),
    [
        ("1 / 0", "ExecutionError"),
        ('import warnings\nwarnings.warn("careful")', "stderr was found in the cell outputs"),
    ],
)
def test_an_error_or_a_warning_in_a_cell_is_not_published(book, conf, tmp_path, code, warning):
    book.write("docs/index.md", PAGE.format(code=code))
    (book.pages / "chapter.md").unlink()
    cells = {name: value for name, value in conf.items() if name.startswith("nb_")}
    cells |= {"nb_execution_cache_path": str(tmp_path / "cache"), "source_suffix": {".md": "myst-nb"}}
    try:
        said = book.build("myst_nb", **cells)
    except Exception as error:  # nb_execution_raise_on_error stops the build
        said = repr(error)
    assert warning in said

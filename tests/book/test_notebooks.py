"""Cells run again when the package changes, and what goes wrong in them fails the build."""

import importlib.metadata
import os
import re
from types import SimpleNamespace

import pytest
from notebooks import configure, digest, prune

pytestmark = pytest.mark.filterwarnings("default")

PROFILE = "profile_default/ipython_kernel_config.py"
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


def state(package):
    return digest(package.rglob("*.py"), ["numpy", "matplotlib"])


def test_the_digest_changes_with_the_package(package):
    before = state(package)
    assert state(package) == before
    (package / "halves.py").write_text("a = 2\n")
    assert state(package) != before
    (package / "halves.py").write_text("a = 1\n")
    assert state(package) == before
    (package / "halves.py").rename(package / "thirds.py")
    assert state(package) != before


def test_the_digest_changes_with_a_version(package, monkeypatch):
    before = state(package)
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0")
    assert state(package) != before


def test_an_edit_of_the_package_runs_the_cells_again_and_an_edit_of_prose_does_not(tmp_path):
    config = SimpleNamespace(formula_package="toy", notebooks_cache="cache", language="zh_TW")
    app = SimpleNamespace(confdir=tmp_path)
    for name in ("toy/halves.py", "docs/page.md", "docs/_kernel/matplotlibrc", f"docs/_kernel/{PROFILE}"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a = 1\n")

    def cache_after_editing(name):
        (tmp_path / name).write_text("a = 2\n")
        with pytest.MonkeyPatch.context() as environment:
            for variable in ("IPYTHONDIR", "MATPLOTLIBRC", "PYTHONPATH"):
                environment.setenv(variable, "")
            configure(app, config)
        return config.nb_execution_cache_path

    prose = cache_after_editing("docs/page.md")
    package = cache_after_editing("toy/halves.py")
    figures = cache_after_editing("docs/_kernel/matplotlibrc")
    assert prose != package != figures != prose
    assert cache_after_editing("docs/page.md") == figures


def test_the_outputs_of_the_last_two_states_are_kept(tmp_path):
    for age, name in enumerate(["current", "last", "older", "oldest"]):
        (tmp_path / name / "executed").mkdir(parents=True)
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    prune(tmp_path, "current")
    assert {folder.name for folder in tmp_path.iterdir()} == {"current", "last"}
    prune(tmp_path, "new")
    assert {folder.name for folder in tmp_path.iterdir()} == {"new", "current"}


HEADS = [
    "tags: [hide-input]",
    "tags: [hide-output]",
    "tags: [hide-cell]",
    "tags: [hide-cell]\nmystnb: {code_prompt_show: answer}",
]


def build_folds(book, conf, monkeypatch, heads, **settings):
    fence = "\n```\n\n```{code-cell}\n"
    book.write("docs/index.md", PAGE.format(code=fence.join(f"---\n{head}\n---\n1 + 1" for head in heads)))
    (book.pages / "chapter.md").unlink(missing_ok=True)
    for name in ("matplotlibrc", PROFILE):
        book.write(f"docs/docs/_kernel/{name}", "")
    for variable in ("IPYTHONDIR", "MATPLOTLIBRC", "PYTHONPATH"):
        monkeypatch.setenv(variable, "")
    cells = {name: value for name, value in conf.items() if name.startswith("nb_")}
    cells |= {"formula_package": "toy", "source_suffix": {".md": "myst-nb"}}
    said = book.build("myst_nb", "formula", "notebooks", **cells, **settings)
    words = re.findall(r'<p class="(?:collapsed|expanded) admonition-title">(.*?)</p>', book.html("index"))
    return said, list(zip(words[::2], words[1::2], strict=True))


def test_a_fold_says_what_it_holds(book, conf, monkeypatch):
    _, words = build_folds(book, conf, monkeypatch, HEADS)
    assert words == [
        ("看程式碼", "收起程式碼"),
        ("看輸出", "收起輸出"),
        ("看程式碼與輸出", "收起程式碼與輸出"),
        ("看答案", "收起答案"),
    ]


def test_a_fold_that_says_something_else_warns(book, conf, monkeypatch):
    said, _ = build_folds(book, conf, monkeypatch, ["tags: [hide-cell]\nmystnb: {code_prompt_show: 看答案}"])
    assert "a fold holds '看答案'" in said


def test_the_other_edition_has_words_of_its_own_and_starts_no_kernel(book, conf, monkeypatch):
    build_folds(book, conf, monkeypatch, HEADS)
    monkeypatch.setattr("jupyter_client.manager.KernelManager._async_launch_kernel", None)
    _, words = build_folds(book, conf, monkeypatch, HEADS, language="en")
    assert words == [
        ("Show the code", "Hide the code"),
        ("Show the output", "Hide the output"),
        ("Show the code and the output", "Hide the code and the output"),
        ("Show the answer", "Hide the answer"),
    ]


@pytest.mark.parametrize(
    ("code", "warning"),
    [
        ("1 / 0", "ExecutionError"),
        ("import matplotlib.pyplot as plt\nplt.title(chr(36) * 2)\nplt.show()", "a cell shows a traceback"),
        ('import warnings\nwarnings.warn("careful")', "stderr was found in the cell outputs"),
    ],
)
def test_an_error_or_a_warning_in_a_cell_is_not_published(book, conf, tmp_path, code, warning):
    book.write("docs/index.md", PAGE.format(code=code))
    (book.pages / "chapter.md").unlink()
    cells = {name: value for name, value in conf.items() if name.startswith("nb_")}
    cells |= {"nb_execution_cache_path": str(tmp_path / "cache"), "source_suffix": {".md": "myst-nb"}}
    try:
        said = book.build("myst_nb", "gates", **cells)
    except Exception as error:  # nb_execution_raise_on_error stops the build
        said = repr(error)
    assert warning in said

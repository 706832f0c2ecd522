"""What the cells that run in a reader's browser are made of; tests/live runs them there."""

import hashlib
import importlib
import io
import json
import re
import sys
import zipfile
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import IPython.lib.pretty
import live
import pytest

pytestmark = pytest.mark.filterwarnings("default")

ROOT = Path(__file__).parents[2]
LIVE = ROOT / "docs/_live"


@pytest.fixture
def cells(monkeypatch):
    """Run cells one after the other; return what the last one shows."""
    monkeypatch.syspath_prepend(LIVE)
    monkeypatch.setattr(sys, "stdout", sys.stdout)  # the runner sets its own
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    monkeypatch.setitem(sys.modules, "pretty", IPython.lib.pretty)
    monkeypatch.delitem(sys.modules, "runner", raising=False)
    runner = importlib.import_module("runner")

    def run(*sources):
        for number, source in enumerate(sources, start=1):
            shown = []
            failed = runner.run(source, f"cell {number}", lambda *what, shown=shown: shown.append(what))
            assert failed == ("error" in dict(shown))
        return [(kind, "".join(text for _, text in some)) for kind, some in groupby(shown, itemgetter(0))]

    return run


def test_the_last_value_of_a_cell_is_shown_unless_a_semicolon_follows_or_it_is_none(cells):
    assert cells("a = 2\na + 1") == [("text/plain", "3")]
    assert cells("2;") == cells("a = 2") == cells("None") == cells("") == []


def test_cells_share_their_names(cells):
    assert cells("a = 2", "b = a + 1", "a, b") == [("text/plain", "(2, 3)")]


def test_what_is_printed_comes_before_the_value(cells):
    assert cells("print('a')\nprint('b', end='')\n'c'") == [("stdout", "a\nb"), ("text/plain", "'c'")]


def test_a_long_collection_is_broken_into_lines_as_in_jupyter(cells):
    assert cells("import numpy as np\nnp.eye(2), 'x'") == [
        ("text/plain", "(array([[1., 0.],\n        [0., 1.]]),\n 'x')")
    ]


def test_values_are_shown_in_the_richest_way_they_know(cells):
    definition = "class Rich:\n  def _repr_html_(self): return '<b>1</b>'\n  def _repr_svg_(self): return '<svg/>'"
    assert cells(definition, "Rich()") == [("text/html", "<b>1</b>")]
    assert cells(definition, "display(1, Rich())\n2") == [
        ("text/plain", "1"),
        ("text/html", "<b>1</b>"),
        ("text/plain", "2"),
    ]
    assert cells(definition, "Rich")[0][0] == "text/plain"
    assert cells("class Png:\n  def _repr_png_(self): return b'\\x89'", "Png()") == [("image/png", "iQ==")]


def test_an_error_is_told_from_the_line_of_the_cell_on(cells):
    (_, error) = cells("def half(x):\n    return x / 0", "a = 1\nhalf(a)")[-1]
    assert error.splitlines()[:6] == [
        "Traceback (most recent call last):",
        '  File "cell 2", line 2, in <module>',
        "    half(a)",
        '  File "cell 1", line 2, in half',
        "    return x / 0",
        "            ~~^~~",
    ]
    assert error.splitlines()[-1] == "ZeroDivisionError: division by zero"


def test_a_syntax_error_names_its_line_and_nothing_of_the_runner(cells):
    ((_, error),) = cells("a = 1\nb = = 2")
    assert '  File "cell 1", line 2\n    b = = 2\n' in error
    assert "runner" not in error


def test_after_an_error_the_names_are_still_there_and_the_next_cell_runs(cells):
    shown = cells("a = 1\nprint('before')\n1 / 0")
    assert [kind for kind, _ in shown] == ["stdout", "error"]
    assert cells("a = 1\n1 / 0", "a") == [("text/plain", "1")]


def test_a_cell_that_prints_without_end_does_not_flood_the_page(cells):
    shown = cells("for _ in range(1000):\n    print('x' * 1000)")
    assert sum(len(text) for _, text in shown) < 101_000
    assert shown[-1][1].endswith("…\n")
    assert cells("for _ in range(1000):\n    print('x' * 1000)", "print('y')") == [("stdout", "y\n")]


def test_a_value_is_shown_up_to_the_same_length(cells):
    ((kind, text),) = cells("'x' * 1_000_000")
    assert kind == "text/plain"
    assert text == "'" + "x" * 99_999 + "…\n"


def test_a_cell_that_displays_without_end_is_cut_off(cells):
    shown = cells("for number in range(5000):\n    display(7)")
    assert shown == [("text/plain", 1000 * "7"), ("stdout", "…\n")]


def test_for_what_a_browser_cannot_do_the_words_are_named(cells):
    assert cells("import no_such_package")[-1] == ("hint", "no_module")
    assert cells("input('Name? ')")[-1] == ("hint", "no_input")
    assert {"no_module", "no_input"} < live.WORDS["zh"].keys()
    assert cells("1 / 0")[-1][0] == "error"


def test_figures_are_shown_as_svg_where_they_are_asked_for_or_at_the_end(cells, monkeypatch):
    import matplotlib.pyplot as plt

    plt.switch_backend("module://figures")
    two = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint('between')\nplt.plot([2, 1]);"
    shown = cells(two)
    assert [kind for kind, _ in shown] == ["image/svg+xml", "stdout", "image/svg+xml"]
    assert all("<svg" in text for kind, text in shown if kind != "stdout")
    assert plt.get_fignums() == []
    failed = cells("import matplotlib.pyplot as plt\nplt.title('$')\nplt.title(r'$\\nothing$');")
    assert failed[-1][0] == "error"
    assert plt.get_fignums() == []


@pytest.fixture
def prepare(monkeypatch, tmp_path):
    """docs/_live/prepare.py, with an empty cache."""
    monkeypatch.syspath_prepend(LIVE)
    prepare = importlib.import_module("prepare")
    monkeypatch.setattr(prepare, "CACHE", tmp_path)
    return prepare


def source(name, data):
    def read(file):
        if data is None:
            raise FileNotFoundError(file)
        return data

    read.__name__ = name
    return read


def test_a_wheel_comes_from_the_first_place_that_has_the_very_file_of_the_lock(prepare, monkeypatch):
    entry = {"file_name": "toy.whl", "sha256": hashlib.sha256(b"toy").hexdigest()}
    places = [source("absent", None), source("altered", b"toi"), source("true", b"toy"), source("later", b"late")]
    monkeypatch.setattr(prepare, "SOURCES", places)
    assert prepare.wheel(entry) == b"toy"
    assert (prepare.CACHE / "toy.whl").read_bytes() == b"toy"


def test_a_wheel_that_no_place_has_is_told_with_the_reason_of_each(prepare, monkeypatch):
    entry = {"file_name": "toy.whl", "sha256": hashlib.sha256(b"toy").hexdigest()}
    monkeypatch.setattr(prepare, "SOURCES", [source("absent", None), source("altered", b"toi")])
    with pytest.raises(OSError, match=r"(?s)toy\.whl.*absent: toy\.whl.*altered: another file"):
        prepare.wheel(entry)
    assert list(prepare.CACHE.iterdir()) == []


def test_a_folder_of_wheels_can_be_named(prepare, monkeypatch, tmp_path):
    (tmp_path / "toy.whl").write_bytes(b"toy")
    monkeypatch.setenv("BOOK_PYODIDE_WHEELS", str(tmp_path))
    assert prepare.from_folder("toy.whl") == b"toy"


def test_the_lock_of_the_book_holds_all_that_its_packages_need_and_no_more(prepare):
    def entry(*depends):
        return {"depends": list(depends)}

    packages = {"numpy": entry(), "matplotlib": entry("numpy", "fonttools", "python_dateutil"), "scipy": entry()}
    packages |= {"python-dateutil": entry("six"), "six": entry(), "fonttools": entry()}
    found = prepare.packages({"packages": packages})
    assert found.keys() == {"numpy", "matplotlib", "python-dateutil", "six"}
    assert found["matplotlib"]["depends"] == ["numpy", "python_dateutil"]


def test_a_browser_knows_the_size_and_the_hash_of_each_file_and_which_are_for_figures_only(prepare):
    packages = {
        "numpy": {"file_name": "numpy.whl", "sha256": hashlib.sha256(b"numpy").hexdigest()},
        "six": {"file_name": "six.whl", "sha256": hashlib.sha256(b"six").hexdigest()},
    }
    assert prepare.described({"core.wasm": b"core", "numpy.whl": b"numpy", "six.whl": b"six"}, packages) == {
        "core.wasm": {"size": 4},
        "numpy.whl": {"size": 5, "integrity": "sha256-c90Lr45UONqIFiVKBz7kO2H4ss3vbzk+AFnNvFXLjZw="},
        "six.whl": {
            "size": 3,
            "integrity": "sha256-RHeNgjZeSvaBxA1fDu9c9vWJnT8KwzUFCn7Wd5zz9nQ=",
            "onlyFor": "matplotlib",
        },
    }


def test_source_is_replaced_where_there_is_bytecode_and_the_rest_is_kept(prepare, tmp_path):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as wheel:
        for name in "toy/__init__.py", "toy/other.py", "toy/core.so", "toy/sample_data/large.npz":
            wheel.writestr(name, name)
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/__init__.pyc").write_text("bytecode")
    copy = prepare.with_bytecode(archive.getvalue(), tmp_path)
    with zipfile.ZipFile(io.BytesIO(copy)) as wheel:
        assert {name: wheel.read(name).decode() for name in wheel.namelist()} == {
            "toy/__init__.pyc": "bytecode",
            "toy/other.py": "toy/other.py",
            "toy/core.so": "toy/core.so",
        }
    assert copy == prepare.with_bytecode(archive.getvalue(), tmp_path)


def test_the_archive_holds_l05_and_what_runs_the_cells_and_is_the_same_each_time(prepare, monkeypatch, tmp_path):
    monkeypatch.setattr(prepare, "OUT", tmp_path)
    fonts = tmp_path / "fontlist-v1.json"
    fonts.write_text("{}")
    prepare.archive(fonts)
    first = (tmp_path / "home.zip").read_bytes()
    prepare.archive(fonts)
    assert (tmp_path / "home.zip").read_bytes() == first
    with zipfile.ZipFile(tmp_path / "home.zip") as archive:
        assert archive.read("l05/attention.py") == (ROOT / "l05/attention.py").read_bytes()
        files = {"runner.py", "figures.py", "matplotlibrc", "pretty.py", ".matplotlib/fontlist-v1.json"}
        assert files < set(archive.namelist())


def test_what_npm_installs_is_what_the_lock_names_with_its_hashes():
    wanted = json.loads((LIVE / "package.json").read_text())["dependencies"]
    lock = json.loads((LIVE / "package-lock.json").read_text())["packages"]
    assert lock.pop("")["dependencies"] == wanted
    assert {name: lock[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert [name for name, entry in lock.items() if not entry["integrity"].startswith("sha512-")] == []


def test_both_languages_have_the_same_words_with_the_same_blanks():
    zh, en = live.WORDS["zh"], live.WORDS["en"]
    assert zh.keys() == en.keys()
    assert {key: sorted(re.findall(r"{\w+}", words)) for key, words in zh.items()} == {
        key: sorted(re.findall(r"{\w+}", words)) for key, words in en.items()
    }


PAGE = """---
file_format: mystnb
kernelspec: {name: python3, display_name: Python 3}
---
# Book

```{code-cell}
1 + 1
```
"""


NOT_EXECUTED = {
    "nb_execution_mode": "off",
    "source_suffix": {".md": "myst-nb"},
    "suppress_warnings": ["myst-nb.lexer"],  # no kernel tells the language of the cells
}


@pytest.mark.parametrize(("language", "folder"), [("zh_TW", ""), ("en", "../")])
def test_a_page_with_cells_offers_to_run_them_unless_it_says_no(book, monkeypatch, tmp_path, language, folder):
    monkeypatch.setattr(live, "FILES", tmp_path)
    book.write("docs/index.md", PAGE)
    book.write("docs/part/large.md", PAGE.replace("---\nfile", "---\norphan: true\nlive: false\nfile"))
    book.write("docs/part/chapter.md", "---\norphan: true\n---\n# Chapter\n\n```python\n1 + 1\n```\n")
    book.write("docs/part/other.md", PAGE.replace("---\nfile", "---\norphan: true\nfile"))
    (book.pages / "chapter.md").unlink()
    assert book.build("myst_nb", "live", language=language, **NOT_EXECUTED) == ""
    assert f'data-script="{folder}_live/page.js?v=' in book.html("index")
    assert f'data-script="../{folder}_live/page.js?v=' in book.html("part/other")
    assert live.WORDS[language[:2]]["start"] in book.html("index")
    assert 'class="live' not in book.html("part/chapter") + book.html("part/large")


def test_without_the_files_no_page_offers_to_run_its_cells(book, monkeypatch, tmp_path):
    monkeypatch.setattr(live, "FILES", tmp_path / "missing")
    book.write("docs/index.md", PAGE)
    (book.pages / "chapter.md").unlink()
    assert book.build("myst_nb", "live", **NOT_EXECUTED) == ""
    assert 'class="live' not in book.html("index")

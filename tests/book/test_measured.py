"""The tables of what was measured say where a goal is missed, and leave nothing out."""

import csv
import re
from pathlib import Path

import pytest
from measured import MISSED

pytestmark = pytest.mark.filterwarnings("default")

DOCS = Path(__file__).parents[2] / "docs"
LINES = """\
"`f`, 5 × 4",NumPy,2.35,2,4
`import l05`,`import numpy`,1.05,1.05,1.25
"`g`, 5","PyTorch, fused",0.50,0.6,1
"""


def build(book, beside, title="時間是 NumPy 的幾倍"):
    book.write("docs/_outputs/speed.csv", LINES)
    book.write("docs/index.md", f"# 書\n\n```{{measured}} {title}\n:beside: {beside}\n```\n")
    (book.pages / "chapter.md").unlink()
    return book.build("myst_parser", "measured")


def rows(page):
    (body,) = re.findall("<tbody>(.*?)</tbody>", page, re.DOTALL)
    return [
        [
            (kind, "number" in classes, re.findall(">([^<>\n]+)<", inside))
            for kind, classes, inside in re.findall('<t([hd]) class="([^"]*)">(.*?)</t[hd]>', row, re.DOTALL)
        ]
        for row in re.findall("<tr.*?</tr>", body, re.DOTALL)
    ]


def test_each_number_stands_beside_its_name_and_a_missed_goal_is_said_in_words(book):
    assert build(book, "NumPy, import numpy") == ""
    assert rows(book.html("index")) == [
        [
            ("h", False, ["f", ", 5 × 4"]),
            ("d", True, ["2.35", MISSED]),
            ("d", True, ["2"]),
            ("d", True, ["4"]),
        ],
        [
            ("h", False, ["import", " ", "l05", "import", " ", "numpy"]),
            ("d", True, ["1.05"]),
            ("d", True, ["1.05"]),
            ("d", True, ["1.25"]),
        ],
    ]


def test_a_line_says_who_its_peer_is_where_the_title_does_not(book):
    assert build(book, "PyTorch", "時間是 PyTorch 的幾倍") == ""
    assert rows(book.html("index"))[0][0][2] == ["g", ", 5", "PyTorch, fused"]


def test_a_table_of_nothing_is_an_error(book):
    assert "nothing was measured beside JAX" in build(book, "JAX")


def test_the_book_shows_every_line_once():
    chosen = re.findall("^:beside: (.*)$", (DOCS / "speed.md").read_text("utf-8"), re.MULTILINE)
    tables = [tuple(name.strip() for name in names.split(",")) for names in chosen]
    for line in csv.reader((DOCS / "_outputs/speed.csv").read_text("utf-8").splitlines()):
        assert sum(line[1].replace("`", "").startswith(names) for names in tables) == 1, line

"""Equations are rendered by the KaTeX whose style sheet the book carries."""

import re
from pathlib import Path

import equations
import formula
import pytest

pytestmark = pytest.mark.filterwarnings("default")

STATIC = Path(__file__).parents[2] / "docs/_static/katex"


def test_style_sheet_and_javascript_are_of_one_version():
    style = re.search(r'katex-version:after\{content:"([\d.]+)"', (STATIC / "katex.min.css").read_text())
    script = re.search(r'version:"([\d.]+)"', equations.KATEX.read_text("utf-8"))
    assert style[1] == script[1]
    assert style[1] in (STATIC / "README.md").read_text()


def test_every_font_of_the_style_sheet_is_here_and_no_other():
    fonts = re.findall(r"url\(([^)]*)\)", (STATIC / "katex.min.css").read_text())
    assert sorted(fonts) == sorted(f"fonts/{font.name}" for font in (STATIC / "fonts").iterdir())


def test_bad_latex_warns_with_its_page_and_line(book):
    book.write("docs/index.md", "# Book\n\nGood $a^2$.\n\nBad $\\frac{1}{2$.\n")
    (book.pages / "chapter.md").unlink()
    warnings = book.build("myst_parser", "equations", myst_enable_extensions=["dollarmath"])
    assert "index.md:5: WARNING: KaTeX parse error" in warnings
    assert warnings.count("WARNING") == 1
    assert 'class="katex"' in book.html("index")


@pytest.mark.parametrize(("name", "function"), formula.public_functions("l05").items())
def test_the_formula_of_every_public_function_can_be_set(name, function):
    equation = formula.latex(function), True
    equations.render([equation])
    assert "error" not in equations.rendered[equation]

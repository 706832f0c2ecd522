"""Lines do not break where a reader would stumble."""

import pytest

pytestmark = pytest.mark.filterwarnings("default")


def test_no_line_breaks_between_an_equation_and_its_punctuation(book):
    book.write("docs/index.md", "# 書\n\n甲（$a$）乙$b$，丙 $c$ 丁 $d$\n")
    (book.pages / "chapter.md").unlink()
    assert book.build("myst_parser", "equations", "typography", myst_enable_extensions=["dollarmath"]) == ""
    page = book.html("index")
    for bound in (
        '甲<span class="unbroken">（<span',
        "</span>）</span>乙",
        "</span>，</span>丙 <span",
        "</span> 丁 <span",
    ):
        assert bound in page


def test_a_long_equation_may_break(book):
    book.write("docs/index.md", f"# 書\n\n甲 ${' + '.join('abcdefghijklmnopqrstuvwxyz')}$，乙\n")
    (book.pages / "chapter.md").unlink()
    assert book.build("myst_parser", "equations", "typography", myst_enable_extensions=["dollarmath"]) == ""
    assert "unbroken" not in book.html("index")


def test_a_number_keeps_its_unit_and_code_stays_as_it_is(book):
    book.write("docs/index.md", "# 書\n\n有 20 % 和 32 MiB，5 seconds，`5 % 3`\n")
    (book.pages / "chapter.md").unlink()
    assert book.build("myst_parser", "typography") == ""
    page = book.html("index")
    assert "有 20\N{NO-BREAK SPACE}% 和 32\N{NO-BREAK SPACE}MiB，5 seconds" in page
    assert "5 % 3" in page or '5</span> <span class="pre">%' in page

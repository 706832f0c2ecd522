"""Lines do not break where a reader would stumble."""

import re

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


def test_both_ends_of_a_range_stand_on_one_line(book):
    book.write("docs/index.md", "# 書\n\n第 17–20 頁，從 A–B\n")
    (book.pages / "chapter.md").unlink()
    assert book.build("myst_parser", "typography") == ""
    assert '第 <span class="unbroken">17–20</span> 頁，從 A–B' in book.html("index")


def test_a_short_piece_of_code_stands_on_one_line_and_a_long_one_may_break(book):
    book.write("docs/index.md", f"# 書\n\n`nox -s docs`、`name`、`{'long ' * 7}`\n")
    (book.pages / "chapter.md").unlink()
    assert book.build("myst_parser", "typography") == ""
    (bound,) = re.findall('<code class="[^"]*unbroken[^"]*">(.*?)</code>', book.html("index"))
    assert "nox" in bound


def test_a_space_stands_between_a_link_and_chinese_only_where_the_link_has_latin_letters_there(book):
    book.write(
        "docs/index.md", "# 書\n\n從 {ref}`han` 到{ref}`latin`起，甲 [乙](#han)、[A 丙](#han)丁 {ref}`han` [戊](#han)\n"
    )
    book.write(
        "docs/chapter.md",
        "---\norphan: true\n---\n(han)=\n# 向量\n\n(latin)=\n## RNN 與 GRU\n",
    )
    assert book.build("myst_parser", "typography") == ""
    text = re.sub(r"<[^>]*>", "", book.html("index"))
    assert "從向量到 RNN 與 GRU 起，甲乙、A 丙丁向量 戊" in text


def test_spaces_stay_as_they_are_in_the_english_edition(book):
    book.write("docs/index.md", "# Book\n\nsee [乙](#book) 丙\n\n(book)=\n## Section\n")
    (book.pages / "chapter.md").unlink()
    assert book.build("myst_parser", "typography", language="en") == ""
    assert "see 乙 丙" in re.sub(r"<[^>]*>", "", book.html("index"))

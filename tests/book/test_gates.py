"""What a reader would stumble over makes the build warn."""

import pytest
from gates import read

pytestmark = pytest.mark.filterwarnings("default")

GOOD = '# Book\n\n**bold**。 `a ** b`\n\n![alt](figure.svg)\n\n<img src="figure.svg" alt="">\n'


def build(book, text):
    book.write("docs/index.md", text)
    book.write("docs/figure.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>')
    (book.pages / "chapter.md").unlink()
    return book.build("myst_parser", "gates")


def test_a_good_page_passes(book):
    assert build(book, GOOD) == ""


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("這是**「重點」**的字", "literal **"),
        ("一行\n又一行", "a line break between '行\\n又'"),
        ("![](figure.svg)", "index.md:9: WARNING: image without alt text: figure.svg"),
        ('<img src="figure.svg">', "image without alt text: <img"),
        ('<img src="https://example.org/figure.svg" alt="">', "from another host: https://example.org/figure.svg"),
        ('<script src="//example.org/script.js"></script>', "loaded from another host: //example.org/script.js"),
        ("![alt](https://example.org/figure.svg)", "loaded from another host"),
        ("{ref}`nowhere`", "undefined label: 'nowhere'"),
    ],
)
def test_a_bad_page_warns(book, text, warning):
    assert warning in build(book, f"{GOOD}\n{text}\n")


def test_two_stars_in_code_and_in_the_source_of_an_equation_are_not_markdown():
    assert read("<p>a<code>2**3</code></p><pre>f(**k)</pre><annotation>x**</annotation>").stray == []
    assert read("<p><code>a</code> b ** c</p>").stray == ["b ** c"]

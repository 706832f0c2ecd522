"""The directive, the ledger and the gate: a public function is shown once, has a doctest and an independent check."""

import re

import pytest
from formula import independent_checks, latex

pytestmark = pytest.mark.filterwarnings("default")  # what Sphinx and its extensions deprecate is not ours to fail on

EXTENSIONS = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "equations", "formula"]


def build(book, **settings):
    return book.build(*EXTENSIONS, **settings)


def replace(book, name, old, new):
    path = book.folder / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_complete_book_builds_without_a_warning_and_its_ledger_says_how_each_formula_is_checked(book):
    assert build(book) == ""
    chapter, ledger = book.html("chapter"), book.html("index")
    assert '">half(x) = \\frac{x}{2}</annotation>' in chapter
    assert '<span class="eqno">(1.1)' in chapter
    assert '<span class="eqno">(1.2)' in chapter
    assert 'href="index.html#toy.half"' in chapter
    assert 'href="_modules/toy/halves.html#half"' in chapter
    assert 'href="index.html#ledger-toy-half"' in chapter
    assert 'id="ledger-toy-half"' in ledger
    assert 'href="chapter.html#equation-toy-half">(1.1)</a>' in ledger
    assert re.findall(r"<summary>.*?</summary>", ledger) == ["<summary>1 個</summary>"] * 2
    assert "test_halves.py test_half_is_half" in re.sub(r"<[^>]*>", "", ledger)
    assert '<span class="pre">test_</span><wbr><span class="pre">half_</span><wbr>' in ledger
    assert "/blob/main/" not in ledger


def test_the_ledger_links_to_the_checks_where_the_repository_is_known(book):
    url = "https://github.com/example/l05"
    assert build(book, html_theme="sphinx_book_theme", html_theme_options={"repository_url": url}) == ""
    assert f'href="{url}/blob/main/tests/test_halves.py#L5"' in book.html("index")


@pytest.mark.parametrize(
    ("name", "old", "new", "warning"),
    [
        ("docs/chapter.md", "```{formula} toy.part\n```\n", "", "toy.part has a formula that no page shows"),
        (
            "docs/chapter.md",
            "```{formula} toy.part",
            "```{formula} toy.half",
            "toy.half has a formula that is shown more than once: chapter, chapter",
        ),
        ("docs/chapter.md", "toy.part", "toy.third", "toy.third is no public function of toy"),
        ("docs/chapter.md", "{eq}`toy.half`", "{eq}`toy.third`", "toy.third"),
        ("toy/halves.py", ">>> part(2)", "part(2) is", "toy.part has no doctest"),
        ("toy/halves.py", "part(x) = ", "part(x) = \\undefined", "Undefined control sequence: \\undefined"),
        ("toy/halves.py", "part(x) = ", "一半 = ", "Unicode text character"),
        ("tests/test_halves.py", ', "part"', "", "toy.part has no independent check"),
        ("tests/test_halves.py", '"part"', '"part", "third"', "independent check of 'third'"),
    ],
)
def test_an_incomplete_book_warns(book, name, old, new, warning):
    replace(book, name, old, new)
    assert warning in build(book)


def test_a_formula_shown_on_two_pages_is_found_when_they_are_read_in_parallel(book):
    for number in range(6):  # below that many pages Sphinx reads them one by one
        book.write(f"docs/page{number}.md", "---\norphan: true\n---\n# Page\n")
    book.write("docs/other.md", "---\norphan: true\n---\n# Page\n\n```{formula} toy.half\n```\n")
    assert "toy.half has a formula that is shown more than once: chapter, other" in build(book, parallel=2)


def test_a_function_without_a_formula_cannot_be_shown(book):
    replace(book, "toy/halves.py", "Say what part is.\n\n    .. math::", "Say what part is::")
    assert "toy.part has no formula in its docstring" in build(book)


def test_the_formula_is_the_first_equation_of_the_docstring():
    def function():
        r"""Summary.

        .. math::

            a = b \\
              + c

            d = e

        Text.

        .. math::

            f
        """

    assert latex(function) == "a = b \\\\\n  + c\n\nd = e"
    function.__doc__ = "Summary."
    assert latex(function) is None


def test_independent_checks_are_found_on_functions_methods_and_parameters(tmp_path):
    (tmp_path / "test_marks.py").write_text(
        "import pytest\n"
        "mark = pytest.mark.independent_check\n"
        "@pytest.mark.independent_check('a', 'b')\n"
        "def test_one(): ...\n"
        "class TestTwo:\n"
        "    @pytest.mark.parametrize('n', [pytest.param(1, marks=pytest.mark.independent_check('b'))])\n"
        "    def test_two(self, n): ...\n"
    )
    found = independent_checks(tmp_path)
    assert {name: [place["test"] for place in places] for name, places in found.items()} == {
        "a": ["test_one"],
        "b": ["test_one", "TestTwo.test_two"],
    }
    assert found["a"][0]["path"] == "test_marks.py"

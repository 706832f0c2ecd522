"""Citations and the bibliography speak the language of the page."""

import re

import pytest

pytestmark = pytest.mark.filterwarnings("default")

PAPERS = """
@article{one, author = {Ada, A. and Bo, B. and Cy, C.}, title = {One}, journal = {J}, year = 2001}
@article{two, author = {Ada, A. and Bo, B.}, title = {Two}, journal = {J}, year = 2002}
"""
LECTURE = "@misc{{lecture, author = {{Ada, A.}}, title = {{{}}}, year = 2003}}"


@pytest.mark.parametrize(
    ("language", "cited", "title"),
    [
        ("zh_TW", ["Ada 等人 [2001]", "[Ada 與 Bo, 2002]"], "一講"),
        ("en", ["Ada et al. [2001]", "[Ada and Bo, 2002]"], "A lecture"),
    ],
)
def test_citations_and_the_bibliography_speak_the_language_of_the_page(book, conf, language, cited, title):
    text = "# Book\n\n{cite:t}`one` {cite:p}`two` {cite:p}`lecture`\n\n```{bibliography}\n```\n"
    book.write("docs/index.md", text)
    (book.pages / "chapter.md").unlink()
    book.write("docs/docs/references.bib", PAPERS)
    book.write("docs/docs/references.zh_TW.bib", LECTURE.format("一講"))
    book.write("docs/docs/references.en.bib", LECTURE.format("A lecture"))
    settings = {name: conf[name] for name in conf if name.startswith("bibtex_")}
    assert book.build("myst_parser", "sphinxcontrib.bibtex", "citations", language=language, **settings) == ""
    page = book.html("index")
    citations = re.findall(r'<span class="bibtex-citation".*?</span>', page)
    assert [re.sub("<[^>]*>", "", citation) for citation in citations[:2]] == cited
    assert f"{title}. 2003.</p>" in page

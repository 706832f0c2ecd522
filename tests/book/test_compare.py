"""Two editions that differ in more than their language do not pass."""

import pytest
from compare import compare

HEAD = """<html lang="{tag}"><head>
<link rel="alternate" hreflang="zh-Hant-TW" href="{root}page.html">
<link rel="alternate" hreflang="en" href="{root}en/page.html">
<meta name="viewport" content="width=device-width"><meta name="description" content="{word}">
</head><body>
<nav><a class="reference" href="page.html">RNN</a></nav>
<a class="btn switch-language" href="{other}" lang="{other_tag}">{other_name}</a>
<button title="{word}">{word}</button>
"""
ARTICLE = """<article class="bd-article"><section id="section"><h1>{word}</h1>
<p>{word} <span class="math"><math><semantics><annotation>x</annotation></semantics></math></span> ReLU</p>
<div class="math"><math display="block"><annotation>y</annotation></math><span class="eqno">(1.1)</span></div>
<div class="cell_input"><pre>print(2)</pre></div>
<div class="cell_output"><figure><pre>2</pre><img src="figure.svg" alt="{word}">
<figcaption><span class="caption-number">{word} 1.2</span></figcaption></figure></div>
<pre><a class="viewcode-back">{word}</a>code</pre>
<details><summary class="admonition-title">{word}</summary></details>
</section></article>
"""


@pytest.fixture
def site(tmp_path):
    chinese = {"tag": "zh-Hant-TW", "word": "字", "root": "", "other": "en/page.html", "other_tag": "en"}
    english = {"tag": "en", "word": "word", "root": "../", "other": "../page.html", "other_tag": "zh-Hant-TW"}
    (tmp_path / "en").mkdir()
    for name, words in (
        ("page.html", chinese | {"other_name": "English"}),
        ("en/page.html", english | {"other_name": "中文"}),
    ):
        (tmp_path / name).write_text((HEAD + ARTICLE).format(**words), "utf-8")
    return tmp_path


def test_two_editions_that_differ_in_their_language_only_pass(site):
    assert [*compare(site)] == []


@pytest.mark.parametrize(
    ("name", "old", "new", "fault"),
    [
        ("page.html", "<annotation>y<", "<annotation>z<", "page.html: other equations: 'z', 'y'"),
        ("page.html", "(1.1)", "(1.2)", "page.html: other numbers of equations: '1.2', '1.1'"),
        ("en/page.html", "word 1.2", "word 1.3", "page.html: other numbers of figures and tables: '1.2', '1.3'"),
        ("en/page.html", "<annotation>x<", "<annotation>z<", "page.html: other inline equations: 'x', 'z'"),
        ("page.html", 'id="section"', 'id="other"', "page.html: other labels: 'other', 'section'"),
        ("page.html", "print(2)", "print(3)", "page.html: other code: 'print(3)', 'print(2)'"),
        ("en/page.html", "<pre>2</pre>", "<pre>3</pre>", "page.html: other outputs"),
        ("en/page.html", "figure.svg", "other.svg", "page.html: other outputs"),
        ("en/page.html", ">word <", ">字 <", "en/page.html: Chinese: '字'"),
        ("en/page.html", 'alt="word"', 'alt="字"', "en/page.html: Chinese: '字'"),
        ("en/page.html", 'content="word"', 'content="字"', "en/page.html: Chinese: '字'"),
        ("page.html", 'title="字"', 'title="word"', "page.html: English: 'word'"),
        ("page.html", "字</button>", "word</button>", "page.html: English: 'word'"),
        ("page.html", "字</summary>", "word</summary>", "page.html: English: 'word'"),
        (
            "page.html",
            "en/page.html",
            "en/gone.html",
            "page.html: a link to an edition that is not there: en/gone.html",
        ),
        ("page.html", "switch-language", "", "page.html: no links to both editions"),
        ("page.html", 'hreflang="zh-Hant-TW"', 'hreflang="zh"', "page.html: no links to both editions"),
    ],
)
def test_what_else_differs_is_a_fault(site, name, old, new, fault):
    path = site / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    assert any(found.startswith(fault) for found in compare(site))


def test_a_page_of_one_edition_only_is_a_fault(site):
    (site / "en/page.html").rename(site / "en/other.html")
    assert "page.html: in one edition only" in [*compare(site)]


def test_a_marked_word_of_the_other_language_is_none(site):
    for name, mark in (("page.html", '<b lang="en">word</b>'), ("en/page.html", '<b lang="zh-Hant-TW">字</b>')):
        path = site / name
        path.write_text(path.read_text("utf-8").replace("<nav>", f"<nav>{mark}"), "utf-8")
    assert [*compare(site)] == []

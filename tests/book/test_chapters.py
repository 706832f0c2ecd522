"""What a page promises: its cells run anywhere, its story starts without a symbol, its words are those of Taiwan."""

import re
from pathlib import Path
from types import SimpleNamespace

import formula
import pytest
import stored
from markdown_it.renderer import RendererHTML
from myst_nb.core.read import read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

ROOT = Path(__file__).parents[2]
PAGES = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
CHAPTERS = [name for name, text in PAGES.items() if "(chapter-" + name + ")=" in text]

SYNTAX = {"amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"}
PARSER = create_md_parser(MdParserConfig(enable_extensions=SYNTAX), RendererHTML)
NO_PROSE = ("{code-cell}", "{math}", "{formula", "{toctree}", "{bibliography}", "{eval-rst}")

FOREIGN = re.compile(  # wording of the mainland
    "函数|(?<!學期)代碼|數組|信息|默認|視頻|優化|激活|質量|變量|網絡|屏幕|文件夾|魯棒|缺省|內存|硬盤|軟件|硬件|字符|字節|"
    "加載|服務器|概率|矢量|編程|打印|文檔|反饋|運行|程序"
)


def prose(text, line=0):
    """What a page says, in boxes and on figures, too, as (line, kind, text)."""
    for token in PARSER.parse(text):
        start = line + (token.map[0] if token.map else 0) + 1
        if token.type == "inline":
            for child in token.children:
                yield start, child.type, child.content
        elif token.type in ("fence", "colon_fence") and token.info.startswith("{"):
            for name in ("alt", "caption"):
                for words in re.findall(rf"^ +{name}: (.+)$", token.content, re.M):
                    yield start, name, words
            if not token.info.startswith(NO_PROSE):
                yield start, "title", token.info.partition("}")[2]
                yield from prose(re.sub(r"^:[\w-]+:.*$", "", token.content, flags=re.M), start)


def words(text):
    """The same, without code, equations and the targets of links."""
    for line, kind, said in prose(text):
        if kind not in ("code_inline", "math_inline", "html_inline"):
            yield line, re.sub(r"<[^>]*>|\$[^$]*\$|`[^`]*`", "", said)


def cells(name):
    """The code cells of a page."""
    notebook = read_myst_markdown_notebook(PAGES[name], MdParserConfig(enable_extensions=SYNTAX), add_source_map=True)
    for cell, line in zip(notebook.cells, notebook.metadata["source_map"], strict=True):
        if cell.cell_type == "code":
            tags, figure = cell.metadata.get("tags", []), cell.metadata.get("mystnb", {})
            yield SimpleNamespace(line=line, source=cell.source, tags=tags, alt=figure.get("image", {}).get("alt"))


def first_paragraph(text):
    tokens = PARSER.parse(text)
    title = next(index for index, token in enumerate(tokens) if token.type == "heading_close")
    paragraph = next(index for index in range(title, len(tokens)) if tokens[index].type == "paragraph_open")
    return tokens[paragraph + 1]


def test_words_are_those_of_paragraphs_boxes_captions_and_roles_without_code_and_equations():
    page = """
甲**乙** `code` $x$ {ref}`丙 <part>`

````{dropdown} 丁
:open:
戊
:::{admonition} 己
庚*
:::
````

```{code-cell}
---
mystnb:
  figure:
    caption: 辛 $x$ `code`
---
code
```
"""
    said = "".join(text for _, text in words(page))
    assert re.sub(r"\s", "", said) == "甲乙丙丁戊己庚*辛"


@pytest.mark.parametrize("name", [name for name in CHAPTERS if not stored.requires(PAGES[name])])
def test_the_cells_of_a_chapter_run_as_one_plain_script_without_a_warning(name, run_as_script):
    """The chapters that require a large library run in tests/heavy."""
    done = run_as_script(ROOT / f"docs/{name}.md")
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_figure_of_a_chapter_has_alt_text(name):
    """A figure is what `plt.show()` shows; the build sees to images that come about otherwise."""
    figures = [cell for cell in cells(name) if "plt.show()" in cell.source]
    assert [cell.line for cell in figures if not cell.alt] == []
    assert [cell.line for cell in cells(name) if cell.alt and cell not in figures] == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_cell_that_is_not_folded_has_at_most_twelve_lines(name):
    """Blank lines do not count; comments do, for they are read."""
    lengths = {
        cell.line: sum(map(bool, map(str.strip, cell.source.splitlines())))
        for cell in cells(name)
        if not {"hide-input", "hide-cell"} & set(cell.tags)
    }
    assert {line: length for line, length in lengths.items() if length > 12} == {}


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_first_paragraph_of_a_chapter_needs_no_symbol(name):
    paragraph = first_paragraph(PAGES[name])
    assert {child.type for child in paragraph.children} & {"math_inline", "code_inline", "html_inline"} == set()
    roles = {child.meta["name"] for child in paragraph.children if child.type == "myst_role"}
    assert roles <= {"term", "ref", "doc", "cite:t", "cite:p"}
    assert re.findall(r"[$\\=+×·√∑_^<>→]", "".join(child.content for child in paragraph.children)) == []


def test_every_public_function_is_shown_in_exactly_one_chapter():
    shown = [name for chapter in CHAPTERS for name in re.findall(r"^`{3,}\{formula\} (\S+)", PAGES[chapter], re.M)]
    assert sorted(shown) == sorted(formula.public_functions("l05"))


@pytest.mark.parametrize("name", sorted(PAGES.keys() - {"for-authors"}))
def test_no_star_of_emphasis_is_left_in_the_words_of_a_page(name):
    assert [(line, said) for line, said in words(PAGES[name]) if "*" in said] == []


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_speaks_as_taiwan_does(name):
    found = [(line, word) for line, said in words(PAGES[name]) for word in FOREIGN.findall(said)]
    assert found == []


def in_use(character):
    """Whether Taiwan uses it often: it is in the first level of Big5, or we need a rare one."""
    try:
        return b"\xa4\x40" <= character.encode("big5") <= b"\xc6\x7e" or character in "熵饋"
    except UnicodeEncodeError:
        return False


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_has_no_simplified_character(name):
    characters = [(line, character) for line, said in words(PAGES[name]) for character in said]
    assert [found for found in characters if "\u4e00" <= found[1] <= "\u9fff" and not in_use(found[1])] == []

"""The style sheet gets of each font what the pages show: icons, in whatever way they are named, and letters."""

import base64
import re
import shutil
from io import BytesIO
from pathlib import Path

import pydata_sphinx_theme
import pytest
from fonts import put_into
from fontTools.ttLib import TTFont

THEME = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static/vendor/fontawesome/webfonts"
KATEX = Path(__file__).parents[2] / "docs/_static/katex/fonts"
FACE = '@font-face{{font-family:{};font-style:normal;font-weight:400;src:url(./{}) format("woff2")}}'


@pytest.mark.parametrize(
    ("classes", "kept"), [("fab fa-github", 1), ("fa-brands fa-github", 1), ("fabric fa-github", 0)]
)
def test_a_font_of_icons_is_kept_where_a_page_names_its_style(tmp_path, classes, kept):
    shutil.copy(THEME / "fa-brands-400.woff2", tmp_path)
    css = '@font-face{font-family:Font Awesome\\ 7 Brands;src:url(fa-brands-400.woff2)}.fa-github{--fa:"\\f09b"}'
    page = f'far away is <i class="{classes}"></i>'
    assert put_into(css, tmp_path, page).count("base64") == kept


def test_a_font_is_in_the_style_sheet_with_the_characters_that_pages_show_in_it(tmp_path):
    families = "KaTeX_SansSerif", "KaTeX_Fraktur"
    files = [f"{family}-Regular.woff2" for family in families]
    for file in files:
        shutil.copy(KATEX / file, tmp_path)
    faces = "".join(map(FACE.format, families, files))
    rule = ".katex .mathsf{font-family:KaTeX_SansSerif}"
    css = put_into(faces + rule, tmp_path, '<span class="mord mathsf mtight">AT</span><span class="mord">B</span>')
    (data,) = re.findall(r"base64,(.*?)\)", css)
    assert "KaTeX_Fraktur" not in css
    assert css.endswith(rule)
    assert set(TTFont(BytesIO(base64.b64decode(data))).getBestCmap()) == {ord("A"), ord("T")}
    assert [*tmp_path.iterdir()] == []

"""The style sheet gets the icons that the pages show, in whatever way they are named."""

import shutil
import sys
from pathlib import Path

import pydata_sphinx_theme
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs/_site"))
from fonts import put_into

THEME = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static/vendor/fontawesome/webfonts"


@pytest.mark.parametrize(
    ("classes", "kept"), [("fab fa-github", 1), ("fa-brands fa-github", 1), ("fabric fa-github", 0)]
)
def test_a_font_of_icons_is_kept_where_a_page_names_its_style(tmp_path, classes, kept):
    shutil.copy(THEME / "fa-brands-400.woff2", tmp_path)
    css = '@font-face{font-family:Font Awesome\\ 7 Brands;src:url(fa-brands-400.woff2)}.fa-github{--fa:"\\f09b"}'
    page = f'far away is <i class="{classes}"></i>'
    assert put_into(css, tmp_path, page).count("base64") == kept

"""A reader looks at a figure, by day and by night."""

import re
from pathlib import Path

import pytest

CONTRAST = Path(__file__).with_name("contrast.js")
FIGURE = re.compile(r'<img alt="([^"]*)"[^>]* src="(_images/[^"]*\.svg)"')
LEAST = {"text": 4.5, "line": 3}  # WCAG 2.2, 1.4.3 and 1.4.11


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_and_lines_stand_out_from_what_is_behind_them(page, host, site, theme):
    page.emulate_media(color_scheme=theme)
    page.goto(f"{host}qkv.html")
    page.add_script_tag(path=CONTRAST)
    measured, faint = 0, []
    for chapter in sorted(site.glob("*.html")):
        for alt, file in FIGURE.findall(chapter.read_text("utf-8")):
            for kind, name, contrast in page.evaluate("contrasts", (site / file).read_text("utf-8")):
                measured += 1
                if contrast < LEAST[kind]:
                    faint.append(f"{chapter.name}, {alt[:30]}: {kind} {name} has {contrast:.2f}")
    assert measured > 500
    assert "\n".join(faint) == ""

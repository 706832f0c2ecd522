"""Nothing of the interface is left in English or in Simplified Chinese."""

from pathlib import Path

import pydata_sphinx_theme
from babel.messages.pofile import read_po

OURS = Path(__file__).parents[2] / "docs/locale/zh_TW/LC_MESSAGES/sphinx.po"
THEIRS = Path(pydata_sphinx_theme.__file__).parent / "locale/zh/LC_MESSAGES/sphinx.po"

# footers, the general index's menu and "edit on ...": not on our pages
NOT_SHOWN = ("Copyright", "Built with", "Created using", "Edit", "Indices", "Index", "Last updated", "Please activate")


def strings(path):
    with path.open("rb") as file:
        return {message.id for message in read_po(file) if message.id}


def test_every_string_that_the_theme_has_in_simplified_chinese_has_words_of_ours():
    assert {text for text in strings(THEIRS) - strings(OURS) if not any(part in text for part in NOT_SHOWN)} == set()

"""The bibliography in the reader's language: what is not a paper in English has an entry for each edition."""

from __future__ import annotations

from dataclasses import dataclass, field

from pybtex.richtext import Text
from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import PersonStyle
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle


@dataclass
class ChineseReferenceStyle(AuthorYearReferenceStyle):
    person: PersonStyle = field(default_factory=lambda: PersonStyle(sep2=" 與 ", other=Text(" 等人")))


def configure(app, config):
    config.bibtex_bibfiles.append(f"docs/references.{config.language}.bib")
    if config.language == "zh_TW":
        config.bibtex_reference_style = "author_year_zh"


def setup(app):
    register_plugin("sphinxcontrib.bibtex.style.referencing", "author_year_zh", ChineseReferenceStyle)
    app.connect("config-inited", configure)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

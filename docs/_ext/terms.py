"""Words of the other language are marked as such, and Chinese in the English edition is there on purpose only.

A glossary entry has names in both languages. They are no messages for a translator: an edition's own come first.
"""

from __future__ import annotations

import re

from docutils import nodes
from editions import EDITIONS, SOURCE, this_edition
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

logger = logging.getLogger(__name__)

CHINESE = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")


def edition_of(text):
    return EDITIONS[SOURCE if CHINESE.search(text) else "en"]


def in_language(edition):
    """The class that docutils writes as the attribute `lang`."""
    return f"language-{edition.tag}"


def glossary_entries(document):
    for glossary in document.findall(addnodes.glossary):
        for entry in glossary.findall(nodes.definition_list_item):
            yield entry, [child for child in entry if isinstance(child, nodes.term)]


class OwnNamesFirst(SphinxTransform):
    default_priority = 9  # Sphinx applies and collects messages at 10 and 20

    def apply(self):
        own = this_edition(self.config)
        for entry, names in glossary_entries(self.document):
            for name in names:
                name["translatable"] = False
                if edition_of(name.astext()) != own:
                    name["classes"].append(in_language(edition_of(name.astext())))
            entry[: len(names)] = sorted(names, key=lambda name: edition_of(name.astext()) != own)


class MarkEnglish(SphinxPostTransform):
    """Mark in the Chinese edition the docstrings and the entries of the bibliography, which nobody translates."""

    default_priority = 800  # all references have their words
    formats = ("html",)

    def run(self):
        if this_edition(self.config) == EDITIONS[SOURCE]:
            for kept in self.document.findall(lambda node: isinstance(node, addnodes.desc_content | nodes.citation)):
                for paragraph in kept.findall(nodes.paragraph):
                    paragraph["classes"].append(in_language(EDITIONS["en"]))


class MarkChinese(SphinxPostTransform):
    """Mark the Chinese in the English edition; what is neither a name of the glossary nor in the list is a mistake."""

    default_priority = 800
    formats = ("html",)

    def run(self):
        source = EDITIONS[SOURCE]
        if this_edition(self.config) == source:
            return
        objects = self.env.domains.standard_domain.objects
        names = {name for kind, name in objects if kind == "term" and CHINESE.search(name)}
        names.update(self.config.kept_in_chinese)
        kept = re.compile("(" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + ")")
        for text in list(self.document.findall(nodes.Text)):
            if not CHINESE.search(text) or isinstance(text.parent, nodes.term | nodes.raw):
                continue
            parts = [part for part in kept.split(text) if part]
            for part in parts:
                if CHINESE.search(part) and not kept.fullmatch(part):
                    logger.warning("Chinese in the English edition: %r", part, location=text.parent, type="terms")
            marked = [
                nodes.inline("", part, classes=[in_language(source)]) if kept.fullmatch(part) else nodes.Text(part)
                for part in parts
            ]
            text.parent.replace(text, marked)


def setup(app):
    app.add_config_value("kept_in_chinese", [], "env", types=list)
    app.add_transform(OwnNamesFirst)
    app.add_post_transform(MarkEnglish)
    app.add_post_transform(MarkChinese)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

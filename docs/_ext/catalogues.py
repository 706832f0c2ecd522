"""The catalogue gate: a translation that is not complete, or does not hold what its source holds, makes the build warn.

Run as a script after sphinx-intl has updated the catalogues, it tidies them and lists what is left to translate.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import ClassVar

import polib
from docutils import nodes
from editions import SOURCE
from markdown_it.renderer import RendererHTML
from myst_parser.parsers.mdit import create_md_parser
from sphinx.domains import Domain
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.nodes import explicit_title_re, extract_messages
from terms import glossary_entries

logger = logging.getLogger(__name__)

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs/locale/en/LC_MESSAGES"
HEADER = {
    "Language": "en",
    "MIME-Version": "1.0",
    "Content-Type": "text/plain; charset=UTF-8",
    "Content-Transfer-Encoding": "8bit",
}


def markup(text, parser, names):
    """Count what a translation has to keep: equations, code, links, and roles with their targets.

    ``names`` tells which names of the glossary are of one entry, for a term is called by its English name in English.
    """
    kept = Counter()
    for child in (child for token in parser.parse(text) for child in token.children or ()):
        if child.type == "myst_role":
            titled = explicit_title_re.match(child.content)
            target = titled[2] if titled else child.content
            kept[child.meta["name"], names.get(target.lower(), target)] += 1
        elif child.type.startswith(("math", "code", "html")):
            kept[child.type, child.content] += 1
        elif child.type in ("link_open", "image"):
            kept[child.type, child.attrs.get("href") or child.attrs["src"]] += 1
    return kept


def faults(messages, catalogue, parser, names):
    """Say what is wrong with the catalogue of a page that has these messages."""
    entries = {entry.msgid: entry for entry in catalogue if not entry.obsolete}
    for message in messages:
        entry = entries.get(message)
        if entry is None or not entry.msgstr:
            yield f"untranslated: {message!r}"
        elif entry.fuzzy:
            yield f"fuzzy: {message!r}"
        else:
            source, translation = (markup(text, parser, names) for text in (message, entry.msgstr))
            for (kind, content), times in {**(source - translation), **(translation - source)}.items():
                what = "lacks" if source[kind, content] > translation[kind, content] else "adds"
                yield f"the translation {what} {kind} {content!r}, {times} times: {message!r}"
    for entry in catalogue:
        if entry.obsolete or entry.msgid not in messages:
            yield f"obsolete: {entry.msgid!r}"


class Catalogues(Domain):
    """What each page offers for translation, which names its glossary has, and the gate."""

    name, label = "catalogues", "Catalogues"
    initial_data: ClassVar = {"messages": {}, "names": {}}

    def clear_doc(self, docname):
        for kind in self.initial_data:
            self.data[kind].pop(docname, None)

    def merge_domaindata(self, docnames, other):
        for kind in self.initial_data:
            self.data[kind] |= {docname: other[kind][docname] for docname in docnames if docname in other[kind]}

    def check_consistency(self):
        if self.env.config.language == SOURCE:
            return
        parser = create_md_parser(self.env.myst_config, RendererHTML)
        names = {name.lower(): entry[0] for page in self.data["names"].values() for entry in page for name in entry}
        folder = Path(self.env.srcdir, self.env.config.locale_dirs[0], self.env.config.language, "LC_MESSAGES")
        catalogues = {path.relative_to(folder).with_suffix("").as_posix(): path for path in folder.rglob("*.po")}
        for page in sorted(self.data["messages"].keys() | catalogues.keys()):
            catalogue = polib.pofile(catalogues[page]) if page in catalogues else []
            for fault in faults(self.data["messages"].get(page, ()), catalogue, parser, names):
                logger.warning(fault, location=page, type="catalogues")

    def resolve_any_xref(self, *_):
        return []


class CollectMessages(SphinxTransform):
    """The front matter is still there, as fields of which nothing is translated."""

    default_priority = 15  # what is not for translation has been marked; Sphinx translates at 20

    def apply(self):
        data, docname = self.env.get_domain("catalogues").data, self.env.current_document.docname
        fields = [node for field in self.document.findall(nodes.field) for node in field.findall(nodes.TextElement)]
        data["messages"][docname] = [text for node, text in extract_messages(self.document) if node not in fields]
        data["names"][docname] = [[name.astext() for name in names] for _, names in glossary_entries(self.document)]


def tidy(path, folder):
    """Keep what a translator works with, in a form that changes with the text only; return what is to be done."""
    catalogue = polib.pofile(path, wrapwidth=0)
    catalogue.header = f"English of docs/{path.relative_to(folder).with_suffix('.md').as_posix()}"
    catalogue.metadata, catalogue.metadata_is_fuzzy = HEADER, False
    for entry in catalogue.obsolete_entries():
        catalogue.remove(entry)
    for entry in catalogue:
        entry.flags = [flag for flag in entry.flags if flag == "fuzzy"]  # braces are roles, not a Python format
    catalogue.save(path)
    return [entry for entry in catalogue if entry.fuzzy or not entry.msgstr]


def setup(app):
    app.add_domain(Catalogues)
    app.add_transform(CollectMessages)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    for path in sorted(FOLDER.rglob("*.po")):
        for entry in tidy(path, FOLDER):
            what = "fuzzy" if entry.fuzzy else "untranslated"
            print(f"{path.relative_to(ROOT)}:{entry.linenum}: {what}: {entry.msgid}")

"""What a reader would stumble over, and Sphinx does not notice."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from docutils import nodes
from sphinx.util import logging

logger = logging.getLogger(__name__)


def images_without_alt(app, doctree, docname):
    """Without alt text Sphinx writes the file's name, which MyST-NB makes from a hash."""
    for image in doctree.findall(nodes.image):
        if not image.get("alt", "").strip():
            place = image if image.line else image.parent  # MyST gives an inline image no line
            logger.warning("image without alt text: %s", image["uri"], location=place, type="gates", subtype="alt")


BROKEN_LINE = re.compile(r"[\u3000-\u9fff\uff00-\uffef]\n[\u3000-\u9fff\uff00-\uffef]")
SILENT = {"code", "pre", "annotation", "script", "style"}


def tracebacks(app, doctree, docname):
    """An error while a result is drawn reaches the page, for Jupyter counts the cell as a success."""
    for block in doctree.findall(lambda node: isinstance(node, nodes.literal_block) and "traceback" in node["classes"]):
        error = block.astext().strip().splitlines()[-1]
        logger.warning("a cell shows a traceback: %s", error, location=block, type="gates", subtype="traceback")


class Reader(HTMLParser):
    """Collects the Markdown that was not understood, and what a raw HTML block brought in."""

    def __init__(self):
        super().__init__()
        self.silent, self.stray, self.broken, self.unnamed, self.elsewhere = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        if tag in SILENT:
            self.silent.append(tag)
        if tag == "img" and dict(attributes).get("alt") is None:
            self.unnamed.append(self.get_starttag_text())
        source = dict(attributes).get("href" if tag == "link" else "src") or ""
        if re.match(r"(https?:)?//", source):
            self.elsewhere.append(source)

    def handle_endtag(self, tag):
        if self.silent and self.silent[-1] == tag:
            self.silent.pop()

    def handle_data(self, data):
        if self.silent:
            return
        if "**" in data:
            self.stray.append(data.strip())
        self.broken += BROKEN_LINE.findall(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def check_page(app, pagename, templatename, context, doctree):
    if doctree is None:
        return
    reader = read(context["body"])
    for text in reader.stray:
        logger.warning(
            "literal ** in %r: bold text next to Chinese punctuation is not bold for CommonMark; "
            "move the punctuation or reword",
            text[:80],
            location=pagename,
            type="gates",
            subtype="bold",
        )
    for text in reader.broken:
        logger.warning(
            "a line break between %r shows as a space: write a paragraph in one line",
            text,
            location=pagename,
            type="gates",
            subtype="break",
        )
    for tag in reader.unnamed:
        logger.warning("image without alt text: %s", tag, location=pagename, type="gates", subtype="alt")
    for source in reader.elsewhere:
        logger.warning("loaded from another host: %s", source, location=pagename, type="gates", subtype="host")


def setup(app):
    app.connect("doctree-resolved", images_without_alt)
    app.connect("doctree-resolved", tracebacks)
    app.connect("html-page-context", check_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

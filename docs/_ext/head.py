"""What a page says of itself to search engines, and to whoever is sent its address."""

from __future__ import annotations

import re

from docutils import nodes

LENGTH = 160  # characters; a search engine shows no more
WRITTEN_BY_THE_TEMPLATE = re.compile(r'<meta [^>]*name="(?:description|viewport)"[^>]*>\s*')


def describe(app, pagename, templatename, context, doctree):
    """Take the description that the page gives (`html_meta`), or else how it begins."""
    described = [] if doctree is None else [meta["content"] for meta in doctree.findall(is_description)]
    begins = [] if doctree is None else [paragraph.astext() for paragraph in doctree.findall(nodes.paragraph)]
    title = f"{context.get('title')} · {app.config.project}"
    context["description"] = [*described, *begins, title][0][:LENGTH]
    context["metatags"] = WRITTEN_BY_THE_TEMPLATE.sub("", context.get("metatags", ""))


def is_description(node):
    return isinstance(node, nodes.meta) and node.get("name") == "description"


def setup(app):
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

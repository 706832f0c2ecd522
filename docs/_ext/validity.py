"""Write what HTML allows where Sphinx and its extensions do not; the rest is listed in tests/site/test_html.py."""

from __future__ import annotations

import re
from functools import partial

from docutils import nodes
from sphinx_codeautolink.extension.backref import DetailsNode, SummaryNode

# In an element of this kind an extension writes what is not allowed there
ALLOWED = [
    # docutils, on an entry of the bibliography: a role that is out of use
    (re.compile(r'<div class="citation".*?>'), {"doc-biblioentry": "listitem"}),
    # MyST-NB, on the fold of a cell
    (re.compile(r"<summary>.*?</summary>", re.S), {"<p ": "<span ", "</p>": "</span>"}),
    # viewcode, around a function
    (re.compile(r"<pre>.*?</pre>", re.S), {"<div ": "<span ", "</div>": "</span>"}),
    # Sphinx, for parameters that stand one on each line: definitions of nothing
    (
        re.compile(r'<dt class="sig .*?</dt>', re.S),
        {"<dl>": "<ul>", "</dl>": "</ul>", "<dd>": "<li>", "</dd>": "</li>"},
    ),
]


def replace(words, element):
    text = element[0]
    for written, allowed in words.items():
        text = text.replace(written, allowed)
    return text


def correct(app, pagename, templatename, context, doctree):
    for elements, words in ALLOWED:
        context["body"] = elements.sub(partial(replace, words), context.get("body", ""))


def free_folds(app, doctree, docname):
    """A list of uses is no part of a paragraph, and a link on a fold would be a second thing to press."""
    for fold in list(doctree.findall(DetailsNode)):
        if isinstance(fold.parent, nodes.paragraph):
            fold.parent.replace_self(fold)
    for summary in doctree.findall(SummaryNode):
        for link in list(summary.findall(nodes.reference)):
            link.replace_self(link.children)


def name_once(app, doctree, docname):
    """Docstrings are read one by one, and each counts the places that have no name from 1."""
    seen = set()
    for node in doctree.findall(nodes.Element):
        node["ids"] = [name for name in node.get("ids", []) if name not in seen]
        seen.update(node["ids"])


def setup(app):
    app.connect("doctree-resolved", free_folds, priority=900)
    app.connect("doctree-resolved", name_once, priority=900)
    app.connect("html-page-context", correct, priority=800)  # before the equations come in
    return {"parallel_read_safe": True, "parallel_write_safe": True}

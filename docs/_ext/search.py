"""Write the words of the book where docs/_static/search.js looks for them: into search-index.js beside the pages.

Sphinx's own search and Pagefind cut Chinese into words, the pages at other places than the query, and miss most of what
is there: Pagefind 1.5.2 finds 注意力 on one page. This book is small enough to be looked through as it is.
"""

from __future__ import annotations

import json
import re
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes

EQUATION = "…"  # stands for one, or for several in a row
SILENT = nodes.Inline | nodes.Invisible | nodes.math_block | nodes.raw


class Place(NamedTuple):
    """Where a hit can lead: a section, a function, an entry of the glossary."""

    anchor: str
    names: list[str]
    text: list[str]


def places(doctree):
    place = Place("", [], [])
    for block in doctree.findall(nodes.TextElement):
        anchor = anchor_named_by(block)
        if anchor and anchor != place.anchor:
            yield place
            place = Place(anchor, [], [])
        if anchor:
            place.names.append(words(block))
        elif not isinstance(block, SILENT):
            place.text.append(words(block))
    yield place


def anchor_named_by(block):
    if isinstance(block, nodes.title) and isinstance(block.parent, nodes.section):
        return block.parent["ids"][0]
    if isinstance(block, addnodes.desc_signature) and block["ids"]:
        return block["ids"][0]
    if is_term(block):
        return block.parent[0]["ids"][0]  # an entry has several names; the first is its anchor
    return None


def is_term(node):
    return isinstance(node, nodes.term) and "glossary" in node.parent.parent["classes"]


def is_link_to_term(node):
    return isinstance(node, nodes.reference) and any(
        "std-term" in part["classes"] for part in node.findall(nodes.inline)
    )


def words(block):
    if isinstance(block, addnodes.desc_signature):
        return block["fullname"]
    text = ""
    for node in block.findall(lambda node: isinstance(node, nodes.math | nodes.Text)):
        if isinstance(node, nodes.math):
            text += EQUATION
        elif not isinstance(node.parent, nodes.math | nodes.raw):
            text += node
    return re.sub(rf"{EQUATION}(\s*{EQUATION})+", EQUATION, " ".join(text.split()))


def store(app, doctree, docname):
    """Keep what there is to find on a page until all are there; several processes write pages."""
    page = {
        "places": [[place.anchor, place.names, " ".join(place.text)] for place in places(doctree) if any(place)],
        "terms": {term["ids"][0]: anchor_named_by(term) for term in doctree.findall(is_term)},
        "links": [link["refuri"].partition("#")[2] for link in doctree.findall(is_link_to_term)],
    }
    stored(app, docname).parent.mkdir(parents=True, exist_ok=True)
    stored(app, docname).write_text(json.dumps(page), "utf-8")


def stored(app, docname):
    return Path(app.doctreedir, "search", f"{docname}.json")


def write(app, exception):
    if exception is not None or app.builder.format != "html":
        return
    index = [page(app, docname) for docname in app.env.collect_relations() if docname in app.env.all_docs]
    anchors = {term: anchor for page in index for term, anchor in page.pop("terms").items()}
    links = [set(map(anchors.get, page.pop("links"))) for page in index]
    terms = {anchor: names for page in index for anchor, names, _ in page["places"] if anchor in anchors}
    for anchor, names in terms.items():
        linking = [page for page, linked in zip(index, links, strict=True) if anchor in linked]
        if linking:
            max(linking, key=partial(speaks, names))["explains"].append(names)
    text = json.dumps({"terms": list(terms.values()), "pages": index}, ensure_ascii=False, separators=(",", ":"))
    Path(app.outdir, "search-index.js").write_text(f"searchIndex = {text};\n", "utf-8")


def page(app, docname):
    stored_page = json.loads(stored(app, docname).read_text("utf-8"))
    return {"address": app.builder.get_target_uri(docname), "explains": [], **stored_page}


def speaks(names, page):
    """How often a page speaks of a term, in its headings and in its text: who does most of it explains the term."""
    _, headings, texts = zip(*page["places"], strict=True)
    said = " ".join(chain.from_iterable(headings)).lower(), " ".join(texts).lower()
    return [sum(text.count(name.lower()) for name in names) for text in said]


def setup(app):
    app.connect("doctree-resolved", store, priority=900)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

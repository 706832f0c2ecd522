"""A page as Markdown that Jupyter and Colab show alike: no directive, no role, and a link only to a full address."""

from __future__ import annotations

import html
import re
from urllib.parse import urljoin

from docutils import nodes
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)

SPECIAL = re.compile(r"[\\`*_\[\]<>$&~]")
LIKE_A_BLOCK = re.compile(r"^(\d*)([#+.)-] )")


def escape(text):
    return SPECIAL.sub(r"\\\g<0>", text.replace("\n", " "))


def indented(text, first):
    """Put ``first`` before the first line and as much space before the others."""
    return first + text.replace("\n", "\n" + " " * len(first))


def address(builder, file):
    """The full address of a file of this edition, where the site's is known."""
    return builder.config.html_baseurl and builder.config.html_baseurl + file


class Writer:
    """Writes the nodes of one page that is being built: a method for each class of node, with its name."""

    def __init__(self, builder, page):
        self.builder, self.address = builder, address(builder, builder.get_target_uri(page))

    def write(self, node):
        if isinstance(node, nodes.Text):
            return escape(node)
        method = getattr(self, type(node).__name__, None)
        if method is None:
            logger.warning("no Markdown for %s", type(node).__name__, location=node, type="to_markdown")
            return ""
        return method(node)

    def words(self, node):
        return "".join(map(self.write, node.children))

    def blocks(self, node):
        return "\n\n".join(filter(None, map(self.write, node.children)))

    def nothing(self, node):
        return ""

    # within a line

    inline = words

    def emphasis(self, node):
        return f"*{self.words(node)}*"

    def strong(self, node):
        return f"**{self.words(node)}**"

    def subscript(self, node):
        return f"<sub>{self.words(node)}</sub>"

    def literal(self, node):
        code = "".join(child for child in node if isinstance(child, nodes.Text))  # without the places to break a line
        return f"``{code}``" if "`" in code else f"`{code}`"

    def math(self, node):
        return f"${' '.join(node.astext().split())}$"

    def reference(self, node):
        words = self.words(node)
        if "refid" in node:  # it is in this very notebook
            return words
        if not node.get("internal"):
            return f"[{words}]({node['refuri']})"
        return f"[{words}]({urljoin(self.address, node['refuri'])})" if self.address else words

    number_reference = reference
    raw = target = index = meta = nothing

    # blocks

    def paragraph(self, node):
        if "formula-links" in node["classes"]:
            return self.formula_links(node)
        return LIKE_A_BLOCK.sub(r"\1\\\2", self.words(node))

    def formula_links(self, node):
        name, *links = map(self.write, node.findall(nodes.reference))
        return self.words(node[0]) + " · ".join([name, *links] if self.address else [name])

    def title(self, node):
        depth, section = 0, node.parent
        while isinstance(section, nodes.section):
            depth, section = depth + 1, section.parent
        anchor = "#" + node.parent["ids"][0] if depth > 1 else ""
        number = "".join(f"{part}." for part in self.builder.secnumbers.get(anchor, ()))
        return " ".join(filter(None, ["#" * depth, number, self.words(node)]))

    def math_block(self, node):
        tag = rf" \tag{{{get_node_equation_number(self, node)}}}" if node["number"] else ""
        return f"$${' '.join(node.astext().split())}{tag}$$"  # in one line, for it may stand in a quotation

    def literal_block(self, node):
        return f"```{node.get('language', '')}\n{node.astext().rstrip()}\n```"

    def bullet_list(self, node):
        return "\n".join(indented(self.blocks(item), "- ") for item in node)

    def enumerated_list(self, node):
        return "\n".join(indented(self.blocks(item), f"{n}. ") for n, item in enumerate(node, node.get("start", 1)))

    def block_quote(self, node):
        return self.quotation(self.blocks(node))

    def admonition(self, node):
        title, *rest = node.children
        return self.quotation("\n\n".join([f"**{self.words(title)}**", *map(self.write, rest)]))

    def quotation(self, text):
        return "\n".join(f"> {line}".rstrip() for line in text.splitlines())

    def dropdown_main(self, node):
        title, body = node.children
        return f"<details>\n<summary>{self.summary(title)}</summary>\n\n{self.blocks(body)}\n\n</details>"

    def summary(self, title):
        """Within a tag there is no Markdown."""
        text = (
            self.math(leaf) if isinstance(leaf, nodes.math) else html.escape(leaf)
            for leaf in title.findall(lambda node: isinstance(node, nodes.math | nodes.Text))
            if not isinstance(leaf.parent, nodes.raw | nodes.math)
        )
        return "".join(text)

    def table(self, node):
        head, body = (next(node.findall(part)) for part in (nodes.thead, nodes.tbody))
        rows = [[self.entry(entry) for entry in row] for row in (*head, *body)]
        rows.insert(1, ["---"] * len(rows[0]))
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)

    def entry(self, node):
        return "<br>".join(map(self.write, node.children)).replace("|", r"\|")

    container = blocks

    def caption(self, node):
        number = self.builder.fignumbers["figure"][node.parent["ids"][0]]
        name = self.builder.config.numfig_format["figure"] % ".".join(map(str, number))
        return f"**{name}** {self.words(node)}"

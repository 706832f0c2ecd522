"""Where a line of text must not break, and where a space stands in it."""

from __future__ import annotations

import re
import unicodedata

from docutils import nodes
from editions import SOURCE
from sphinx.transforms.post_transforms import SphinxPostTransform

OPENING, CLOSING = ("Ps", "Pi"), ("Pe", "Pf", "Po")  # Unicode's categories: （「 and ，。；：）」
LONG = 60  # characters of LaTeX
SHORT = 30  # characters of code that fit a line of a phone, in a list, too
AS_WRITTEN = nodes.literal | nodes.math | nodes.raw | nodes.FixedTextElement
QUANTITY = re.compile(r"(?<=\d) (?=(?:%|[kMGT]i?B|ms|s)(?![A-Za-z]))")
RANGE = re.compile(r"(\d+–\d+)")
CHINESE, LATIN = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[A-Za-z0-9]")


class KeepPunctuation(SphinxPostTransform):
    """Bind an equation to the bracket before it and the punctuation after it.

    For a browser an equation is a box, beside which a line may break even before a comma. A long equation stays
    as it is: it has to break somewhere.
    """

    default_priority = 900
    formats = ("html",)

    def run(self):
        for equation in list(self.document.findall(nodes.math)):
            if len(equation.astext()) > LONG:
                continue
            around, index = equation.parent, equation.parent.index(equation)
            before = around[index - 1] if index else None
            after = around[index + 1] if index + 1 < len(around) else None
            bound = [equation.deepcopy()]
            if starts_or_ends(before, -1, OPENING):
                bound.insert(0, nodes.Text(before[-1]))
                around.replace(before, nodes.Text(before[:-1]))
            if starts_or_ends(after, 0, CLOSING):
                bound.append(nodes.Text(after[0]))
                around.replace(after, nodes.Text(after[1:]))
            if len(bound) > 1:
                around.replace(equation, nodes.inline("", "", *bound, classes=["unbroken"]))


def starts_or_ends(node, place, categories):
    return isinstance(node, nodes.Text) and len(node) > 0 and unicodedata.category(node[place]) in categories


class SpaceLinks(SphinxPostTransform):
    """Set a space between a link and Chinese beside it where the link begins or ends with Latin, and only there.

    An author cannot tell: a link without words of its own shows the title of what it leads to.
    """

    default_priority = 890  # the links are resolved
    formats = ("html",)

    def run(self):
        if self.config.language != SOURCE:
            return
        for link in list(self.document.findall(nodes.reference)):
            around, words = link.parent, link.astext()
            index = around.index(link)
            before = around[index - 1] if index else None
            after = around[index + 1] if index + 1 < len(around) else None
            if isinstance(before, nodes.Text) and (text := str(before).rstrip(" ")) and words:
                around.replace(before, nodes.Text(text + space(text[-1], words[0], before[len(text) :])))
            if isinstance(after, nodes.Text) and (text := str(after).lstrip(" ")) and words:
                around.replace(after, nodes.Text(space(words[-1], text[0], after[: -len(text)]) + text))


def space(left, right, written):
    """Return what stands between two characters."""
    chinese = [bool(CHINESE.match(character)) for character in (left, right)]
    if all(chinese):
        return ""
    if any(chinese) and any(LATIN.match(character) for character in (left, right)):
        return " "
    return written


class KeepQuantities(SphinxPostTransform):
    """Keep on one line a number and its unit, the two ends of a range, and the words of a short piece of code."""

    default_priority = 901
    formats = ("html",)

    def run(self):
        for text in list(self.document.findall(nodes.Text)):
            if not isinstance(text.parent, AS_WRITTEN) and (pieces := [*keep_together(text)]) != [text]:
                text.parent.replace(text, pieces)
        for code in self.document.findall(nodes.literal):
            if len(code.astext()) <= SHORT and " " in code.astext():
                code["classes"].append("unbroken")


def keep_together(text):
    for index, piece in enumerate(RANGE.split(QUANTITY.sub("\N{NO-BREAK SPACE}", text))):
        if index % 2:
            yield nodes.inline("", piece, classes=["unbroken"])
        elif piece:
            yield nodes.Text(piece)


def setup(app):
    app.add_post_transform(SpaceLinks)
    app.add_post_transform(KeepPunctuation)
    app.add_post_transform(KeepQuantities)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Two detours of other extensions, which took a third of the build's time."""

from __future__ import annotations

import functools
import re

import myst_parser.mdit_to_docutils.base
import sphinx_codeautolink.extension
from docutils.frontend import get_default_settings
from sphinx_codeautolink.extension.block import link_html

BLOCK = r'<div class="(?:highlight-|doctest )[^"]*"><div class="highlight"><pre>.*?</pre></div>\n</div>'
BETWEEN = "\n<!--between code blocks-->\n"


def link_code_blocks(document, html, *others, **options):
    """sphinx-codeautolink parses what it is given, and there are links in the code blocks of a page only."""
    blocks = re.findall(BLOCK, html, re.DOTALL)
    linked = iter(link_html(document, BETWEEN.join(blocks), *others, **options).split(BETWEEN))
    return re.sub(BLOCK, lambda _: next(linked), html, flags=re.DOTALL)


def setup(app):
    sphinx_codeautolink.extension.link_html = link_code_blocks
    # MyST makes a document with default settings for each translated message, although it is given another one
    myst_parser.mdit_to_docutils.base.get_default_settings = functools.cache(get_default_settings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

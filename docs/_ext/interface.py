"""The theme in the reader's language, without the parts of it that do not work."""

from __future__ import annotations

from pathlib import Path

from sphinx.util.i18n import CatalogInfo

TITLES = {"zh": "拆開 Transformer", "en": "Taking the Transformer Apart"}


def set_title(app, config):
    config.project = config.html_title = TITLES[(config.language or "en").split("_")[0]]


def no_search(app):
    """Sphinx's search scripts fail on Chinese pages (`ChineseStemmer is not defined`)."""
    app.builder.search = False


def setup(app):
    # Sphinx reads its own catalogue from `locale_dirs`; an extension's has to be handed over.
    folder = Path(__file__).parents[1] / "locale"
    for path in folder.glob(f"{app.config.language}/LC_MESSAGES/sphinx-codeautolink.po"):
        catalog = CatalogInfo(str(path.parent), path.stem, "utf-8")
        if catalog.is_outdated():
            catalog.write_mo(app.config.language)
        app.add_message_catalog(path.stem, str(folder))
    app.connect("config-inited", set_title)
    app.connect("builder-inited", no_search)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""The editions of the book: what each is called, where it stands in the site, and how a page finds the other one."""

from __future__ import annotations

from typing import NamedTuple


class Edition(NamedTuple):
    tag: str  # as HTML names the language
    name: str  # in the language itself
    folder: str  # below the root of the site
    title: str


SOURCE = "zh_TW"
EDITIONS = {
    SOURCE: Edition("zh-Hant-TW", "中文", "", "拆開 Transformer"),
    "en": Edition("en", "English", "en/", "Taking the Transformer Apart"),
}


def this_edition(config):
    return EDITIONS[config.language or "en"]


def configure(app, config):
    edition = this_edition(config)
    config.project = config.html_title = edition.title
    if config.html_baseurl:  # the site's, as it is given
        config.html_baseurl = config.html_baseurl.rstrip("/") + "/" + edition.folder


def link_editions(app, pagename, templatename, context, doctree):
    edition = this_edition(app.config)
    page = app.builder.get_target_uri(pagename)
    root = "../" * (edition.folder + page).count("/")
    site = app.config.html_baseurl.removesuffix(edition.folder)
    context["language"] = edition.tag
    context["alternates"] = {other.tag: site + other.folder + page for other in EDITIONS.values()}
    context["other_editions"] = {other: root + other.folder + page for other in EDITIONS.values() if other != edition}


def setup(app):
    app.connect("config-inited", configure)
    app.connect("html-page-context", link_editions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

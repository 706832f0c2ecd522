"""Make the site of the editions that Sphinx has built: build/zh at its root, build/en, where there is one, in en/."""

import os
import shutil
from pathlib import Path

import assets
import publish

BUILD = Path("build")
PLACES = {"zh": ".", "en": "en"}
NOT_FOR_READERS = shutil.ignore_patterns(".buildinfo*", "_sources", "_static")


def assemble(build):
    site = build / "site"
    shutil.rmtree(site, ignore_errors=True)  # a page that is gone must not linger
    for edition in filter(Path.is_dir, map(build.joinpath, PLACES)):
        shutil.copytree(edition, site / PLACES[edition.name], ignore=NOT_FOR_READERS, dirs_exist_ok=True)
    if (build / "live").is_dir():
        shutil.copytree(build / "live", site / "_live")
    assets.bundle(build / "zh/_static", site)
    publish.publish(site, os.environ.get("BOOK_URL", ""))
    return site


if __name__ == "__main__":
    print(f"The book is built. Open it in a browser: {(assemble(BUILD) / 'index.html').resolve().as_uri()}")

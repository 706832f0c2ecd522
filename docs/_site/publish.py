"""What a site needs at its root: a page for addresses that lead nowhere, and where its address is known, a sitemap."""

from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

MISSING = Path(__file__).with_name("404.html")
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"


def publish(site, address):
    """Add them to the site; ``address`` is where its first page will be, or empty."""
    pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    (site / "404.html").write_text(missing(address), "utf-8")
    if address:
        urls = ElementTree.Element("urlset", xmlns=SITEMAP)
        for page in pages:
            url = ElementTree.SubElement(urls, "url")
            ElementTree.SubElement(url, "loc").text = f"{address.rstrip('/')}/{page}"
        ElementTree.indent(urls)
        ElementTree.ElementTree(urls).write(site / "sitemap.xml", encoding="utf-8", xml_declaration=True)


def missing(address):
    """The page for addresses that lead nowhere. A host shows it at any depth, so its links start from the root."""
    return MISSING.read_text("utf-8").replace("{root}", urlsplit(address).path.rstrip("/") + "/")

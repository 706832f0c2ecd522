"""Compare the two editions in the built site: the same pages, the same mathematics, each in its own language."""

import re
import sys
from collections import Counter
from copy import deepcopy
from pathlib import Path
from urllib.parse import urljoin

from lxml import html

SITE = Path("build/site")
CHINESE = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")
ENGLISH = re.compile(r"[A-Za-z]{3,}")
LABELS = ("title", "alt", "aria-label", "placeholder")
METADATA = {"description", "og:title", "og:description", "og:site_name"}
NOT_READ = {"script", "style", "annotation", "link", "kbd"}  # keys are called the same

# What the theme and the extensions say in an article, and the names around it, which are the same in both languages
INTERFACE = {"admonition-title", "sd-summary-text", "rubric", "caption-number", "headerlink", "btn"}
NAMES = {"reference", "prev-next-title"}


def article(page):
    return page.find_class("bd-article")[0]


def texts(page, path):
    return [element.text_content() for element in article(page).xpath(path)]


def numbers(page, of):
    return [re.search(r"[\d.]*\d", text)[0] for text in texts(page, f".//*[@class='{of}']")]


def codes(page):
    """The text of each code block but the link back from it to the API reference."""
    for block in article(page).xpath(".//pre[not(ancestor::*[contains(@class, 'cell_output')])]"):
        yield "".join(block.xpath(".//text()[not(ancestor::*[@class='viewcode-back'])]"))


def outputs(page):
    """What the cells gave, without the captions and the alternative texts."""
    for output in map(deepcopy, article(page).find_class("cell_output")):
        for caption in output.xpath(".//figcaption"):
            caption.drop_tree()
        for image in output.iter("img"):
            image.attrib.pop("alt")
        yield html.tostring(output, encoding="unicode").strip()


# What both editions of a page have in common; only what stands in a sentence may stand in another order there.
SHARED = {
    "equations": lambda page: texts(page, ".//math[@display='block']//annotation"),
    "numbers of equations": lambda page: numbers(page, "eqno"),
    "numbers of figures and tables": lambda page: numbers(page, "caption-number"),
    "inline equations": lambda page: Counter(texts(page, ".//math[not(@display)]//annotation")),
    "labels": lambda page: Counter(article(page).xpath(".//@id")),
    "code": lambda page: [*codes(page)],
    "outputs": lambda page: [*outputs(page)],
}


def differences(one, other):
    for what, of in SHARED.items():
        here, there = of(one), of(other)
        if here != there:
            only = [*(Counter(here) - Counter(there)), *(Counter(there) - Counter(here))]
            yield f"other {what}: {', '.join(map(repr, only)) or 'in another order'}"


def said(page):
    """What a reader sees or hears, with the element that says it."""
    for element in page.iter("*"):
        if element.tag not in NOT_READ:
            yield element, element.text
            yield from ((element, element.get(label)) for label in LABELS)
        if element.get("name", element.get("property")) in METADATA:
            yield element, element.get("content")
        yield element.getparent(), element.tail


def around(element):
    return [element, *element.iterancestors()]


def language(element):
    return next((parent.get("lang") for parent in around(element) if parent.get("lang")), "")


def of_the_interface(element):
    classes = {name for parent in around(element) for name in parent.get("class", "").split()}
    return not classes & NAMES and ("bd-article" not in classes or classes & INTERFACE)


def foreign(page):
    """What a page says in the other language without a mark of it."""
    for element, text in said(page):
        if not text or not text.strip():
            continue
        if language(page).startswith("zh"):
            english = ENGLISH.search(text) and not CHINESE.search(text) and language(element).startswith("zh")
            if english and of_the_interface(element):
                yield f"English: {text.strip()!r}"
        elif CHINESE.search(text) and not language(element).startswith("zh"):
            yield f"Chinese: {text.strip()!r}"


def links(page, name, pages):
    """The reader's link leads to the other edition. Search engines learn of both where the site's address is known."""
    switches = [link.get("href") for link in page.find_class("switch-language")]
    for link in switches:
        if urljoin(name, link) not in pages:
            yield f"a link to an edition that is not there: {link}"
    languages = page.xpath("//link[@rel='alternate']/@hreflang")
    if len(switches) != 1 or (languages and (language(page) not in languages or len(languages) != 2)):
        yield "no links to both editions"


def compare(site):
    pages = {
        path.relative_to(site).as_posix(): html.parse(path, html.HTMLParser(encoding="utf-8")).getroot()
        for path in sorted(site.rglob("*.html"))
        if path.name != "404.html"  # it speaks both languages
    }
    for name, page in pages.items():
        for fault in (*foreign(page), *links(page, name, pages)):
            yield f"{name}: {fault}"
    chinese = {name for name in pages if not name.startswith("en/")}
    for name in sorted(chinese ^ {name.removeprefix("en/") for name in pages.keys() - chinese}):
        yield f"{name}: in one edition only"
    for name in sorted(chinese):
        if f"en/{name}" in pages:
            for difference in differences(pages[name], pages[f"en/{name}"]):
                yield f"{name}: {difference}"


if __name__ == "__main__":
    sys.exit("\n".join(compare(SITE)) or 0)

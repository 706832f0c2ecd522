"""A page speaks its language in what scripts add to it, too, and the reader can change over to the other edition."""

import re

import pytest

CHINESE = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")
LABELS = """buttons => buttons.flatMap(button => [
    button.innerText,
    ...["title", "aria-label", "data-tooltip", "data-bs-original-title"].map(name => button.getAttribute(name)),
]).filter(label => /[A-Za-z]{3}|[^\\x00-\\xff]/.test(label ?? ""))"""


def test_every_button_speaks_the_language_of_the_page(page, edition):
    page.goto(f"{edition}qkv.html")
    page.wait_for_selector("button.copybtn", state="attached")
    labels = page.eval_on_selector_all("button, summary", LABELS)
    assert len(labels) > 20
    assert [label for label in labels if bool(CHINESE.search(label)) == edition.endswith("/en/")] == []


@pytest.mark.parametrize("screen", ["desktop", "phone"], indirect=True)
@pytest.mark.parametrize("name", ["index.html", "qkv.html", "api/attention.html", "_modules/l05/attention.html"])
def test_the_switch_leads_to_the_same_page_in_the_other_language_and_back(page, host, name):
    page.goto(host + name)
    assert page.get_attribute("html", "lang") == "zh-Hant-TW"
    page.get_by_role("link", name="English", exact=True).click()
    page.wait_for_url(f"{host}en/{name}")
    assert page.get_attribute("html", "lang") == "en"
    page.get_by_role("link", name="中文", exact=True).click()
    page.wait_for_url(host + name)

"""A chapter in a browser, with its cells."""

import json
import re

from tests.web import ROOT

WORDS = json.loads((ROOT / "docs/_live/words.json").read_text("utf-8"))
SECONDS = 1000  # milliseconds


def recommended_policy():
    """The Content-Security-Policy that docs/for-authors.md gives."""
    page = (ROOT / "docs/for-authors.md").read_text("utf-8")
    (policy,) = re.findall(r"```text\nContent-Security-Policy:(.*?)```", page, re.S)
    return " ".join(policy.split())


class Chapter:
    """A page of the book in a tab."""

    def __init__(self, context, host, name):
        self.host, self.tab = host, context.new_page()
        self.tab.goto(f"{host.address}{name}.html", wait_until="load")

    @property
    def words(self):
        return WORDS[self.tab.evaluate("document.documentElement.lang").partition("-")[0]]

    def open(self):
        self.tab.click("div.live button")
        self.tab.wait_for_selector(".live-open")

    def button(self, key):
        return self.tab.locator(".live-open button").filter(has_text=self.words[key])

    def wait_for(self, key, **values):
        """Wait until the page says what words.json has for the key."""
        words = self.words[key].format(**values)
        self.tab.wait_for_function(
            "words => document.querySelector('.live-status').textContent.startsWith(words)", arg=words
        )

    def cell(self, number):
        return Cell(self, self.tab.locator("div.cell:has(.live-editor)").nth(number - 1), number)

    @property
    def cells(self):
        return self.tab.locator(".live-editor").count()


class Cell:
    def __init__(self, chapter, root, number):
        self.chapter, self.root, self.number = chapter, root, number

    def write(self, code):
        self.root.locator(".cm-content").fill(code)

    @property
    def code(self):
        return self.root.locator(".cm-content").inner_text()

    def press(self, key):
        self.root.locator(".cm-content").press(key)

    def run(self):
        """Run it, and wait for the end."""
        self.start()
        self.chapter.wait_for("done", n=self.number)

    def start(self):
        self.root.get_by_role("button", name=self.chapter.words["run"], exact=True).click()

    def reset(self):
        self.root.get_by_role("button", name=self.chapter.words["reset"], exact=True).click()

    @property
    def output(self):
        return "\n".join(self.root.locator(".cell_output pre").all_text_contents()).rstrip()

    @property
    def error(self):
        return "".join(self.root.locator(".live-error").all_text_contents())

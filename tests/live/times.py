"""How long a reader waits from the click on the button to the first result and the first figure, for how many bytes.

Each is measured in a browser that has been nowhere, and in one that has been started again after such a visit.
"""

import tempfile

from playwright.sync_api import sync_playwright

from tests.live.browser import SECONDS, WORDS, recommended_policy
from tests.web import BROWSER, CHROMIUM, SITE, Host, compressed, content

PAGE = "sqrt-dk"
CELLS = {"first NumPy result": 1, "first figure": 5}
WAIT = """([number, done]) => new Promise((resolve) => {
  const start = performance.now();
  const cell = () => [...document.querySelectorAll("div.cell:has(.live-editor)")][number - 1];
  document.querySelector("div.live button").click();
  const opening = setInterval(() => {
    if (!cell()) return;
    clearInterval(opening);
    cell().querySelector(".live-tools button").click();
    const running = setInterval(() => {
      if (document.querySelector(".live-status").textContent !== done) return;
      clearInterval(running);
      resolve((performance.now() - start) / 1000);
    }, 10);
  }, 10);
})"""


def visit(playwright, host, profile, number):
    """Return seconds and bytes."""
    context = playwright.chromium.launch_persistent_context(profile, executable_path=BROWSER, args=CHROMIUM)
    page = context.new_page()
    page.set_default_timeout(120 * SECONDS)
    page.goto(f"{host.address}{PAGE}.html", wait_until="networkidle")
    host.sent.clear()
    seconds = page.evaluate(WAIT, [number, WORDS["zh"]["done"].format(n=number)])
    context.close()
    return seconds, sum(host.sent.values())


def main():
    with Host() as host, sync_playwright() as playwright:
        host.policy = recommended_policy()
        for file in SITE.glob("_live/**/*"):
            compressed(content(file) or b"")  # not while someone waits
        for what, number in CELLS.items():
            with tempfile.TemporaryDirectory() as profile:
                for state in ("cold", "warm"):
                    seconds, count = visit(playwright, host, profile, number)
                    print(f"{what}, {state}: {seconds:.1f} s, {count / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

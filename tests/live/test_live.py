"""A reader opens the cells of a chapter, changes them and runs them, in a real browser."""

from itertools import product

import pytest

from tests.web import ROOT, SITE, Host

PAGES = {page.relative_to(SITE).with_suffix("").as_posix(): page.read_text("utf-8") for page in SITE.rglob("*.html")}
CHAPTERS = sorted(name for name, text in PAGES.items() if 'class="live ' in text)
CANNOT = {"cluster": "這一頁不能在瀏覽器裡直接執行", "en/cluster": "This page cannot run in the browser"}
ONE = "sqrt-dk"  # its first cell needs NumPy only; its fifth draws a figure, with what the first has computed

SHOWN = """() => [...document.querySelectorAll("div.cell")].map((cell) => ({
  texts: [...cell.querySelectorAll(".cell_output pre")].map((pre) => pre.textContent.trimEnd()),
  captions: [...cell.querySelectorAll("figcaption")].map((caption) => caption.textContent),
  figures: [...cell.querySelectorAll(".cell_output img")].map((image) => image.alt),
}))"""
FIGURES = "div.cell:has(.live-editor) .cell_output img"
DRAWN = """async (images) => {
  await Promise.all(images.map((image) => image.decode()));
  return images.every((image) => image.src.startsWith("data:image/svg") && image.naturalWidth > 100);
}"""


AXE = ROOT / "tests/site/node_modules/axe-core/axe.min.js"
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
VIOLATIONS = """async (standards) => {
  const { violations } = await axe.run(".bd-article", { runOnly: standards, resultTypes: ["violations"] });
  return violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]);
}"""
WITHIN_REACH = """() => [...document.querySelectorAll(".cell_output pre")]
  .every((pre) => pre.scrollWidth <= pre.clientWidth || pre.tabIndex === 0)"""
SCREENS = [{"width": 1280, "height": 900}, {"width": 360, "height": 740}]


def test_each_page_with_cells_can_run_them_or_says_that_it_cannot():
    with_cells = {name for name, text in PAGES.items() if "cell_input" in text}
    assert with_cells == {*CHAPTERS, *CANNOT}
    assert [name for name, words in CANNOT.items() if words not in PAGES[name]] == []


@pytest.mark.parametrize("name", ["memory", "en/memory"])
def test_a_cell_that_measures_the_machine_says_that_it_does_not_run(chapter, name):
    page = chapter(name)
    page.open()
    measuring = page.tab.locator("div.cell.tag_not-live")
    assert measuring.count() == page.tab.get_by_text(page.words["not_live"], exact=True).count() > 0
    assert measuring.locator(".live-editor").count() == 0


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_that_runs_as_a_whole_shows_what_the_book_shows(chapter, name):
    page = chapter(name)
    published = page.tab.evaluate(SHOWN)
    page.open()
    page.button("run_all").click()
    page.wait_for("done", n=page.cells)
    assert page.tab.evaluate(SHOWN) == published
    assert page.tab.eval_on_selector_all(FIGURES, DRAWN)


# Loading


def test_nothing_is_loaded_before_the_click(chapter, host):
    chapter(ONE).tab.wait_for_load_state("networkidle")
    assert [name for name in host.sent if name.startswith("_live")] == []


def test_the_progress_is_shown_and_can_be_cancelled(chapter, host):
    page = chapter(ONE)
    page.open()
    page.tab.wait_for_function("() => document.querySelector('.live-loading progress').value > 1e6")
    assert " / " in page.tab.inner_text(".live-loading")
    page.button("cancel").click()
    page.wait_for("cancelled")
    assert page.tab.locator(".live-loading").is_hidden()
    page.cell(1).run()


def test_once_loaded_the_page_needs_no_network(page, context):
    page.wait_for("ready")
    page.tab.locator(".live-loading").wait_for(state="hidden")  # Matplotlib is there, too
    context.set_offline(True)
    page.cell(5).run()


def test_a_second_visit_downloads_nothing(visit, host):
    for _ in range(2):
        host.sent.clear()
        page = visit(ONE)
        page.open()
        page.cell(5).run()
    assert [name for name in host.sent if name.startswith("_live")] == []


def test_without_webassembly_a_sentence_says_so(visit):
    page = visit(ONE, "--js-flags=--jitless")
    page.open()
    page.wait_for("no_wasm")


def test_under_a_policy_that_forbids_webassembly_a_sentence_says_so(chapter, host):
    host.policy = host.policy.replace("'wasm-unsafe-eval'", "")
    page = chapter(ONE)
    page.open()
    page.wait_for("no_wasm")


@pytest.mark.parametrize("name", ["pyodide.asm.js", "pyodide.asm.wasm", "numpy-*.whl", "home.zip", "worker.js"])
def test_a_missing_file_is_named_and_the_page_can_be_read(chapter, host, name):
    (file,) = SITE.glob(f"_live/**/{name}")
    host.instead[file.relative_to(SITE).as_posix()] = None
    page = chapter(ONE)
    page.open()
    page.wait_for("missing", name=file.name)
    assert "61" in page.cell(1).output


def test_a_connection_that_breaks_is_noticed(chapter, host):
    host.broken = "pyodide.asm.wasm"
    page = chapter(ONE)
    page.open()
    page.wait_for("missing", name="pyodide.asm.wasm")


@pytest.fixture
def altered_wheel(host):
    (file,) = SITE.glob("_live/pyodide-*/numpy-*.whl")
    host.instead[file.relative_to(SITE).as_posix()] = file.read_bytes()[:-1] + b"\1"
    return file.name


def test_an_altered_wheel_is_named_and_not_used(chapter, altered_wheel):
    page = chapter(ONE)
    page.open()
    page.wait_for("altered", name=altered_wheel)


def test_without_https_an_altered_wheel_is_not_used_either(visit, host, altered_wheel):
    host.address = host.address.replace("127.0.0.1", "book.test")
    page = visit(ONE, "--host-resolver-rules=MAP book.test 127.0.0.1")
    assert not page.tab.evaluate("isSecureContext")
    page.open()
    page.wait_for("missing", name=altered_wheel)  # the browser does not tell why it refuses


def test_python_can_come_from_another_host_by_one_setting(chapter, host):
    """As docs/_ext/live.py writes the setting into a page."""
    with Host() as cdn:
        (core,) = SITE.glob("_live/**/pyodide.asm.js")
        address = cdn.address + core.parent.relative_to(SITE).as_posix() + "/"
        host.instead |= {file.relative_to(SITE).as_posix(): None for file in core.parent.iterdir()}
        html = (SITE / f"{ONE}.html").read_text("utf-8")
        host.instead[f"{ONE}.html"] = html.replace('data-pyodide=""', f'data-pyodide="{address}"').encode()
        host.policy = host.policy.replace("script-src", f"connect-src 'self' {cdn.origin}; script-src {cdn.origin}")
        page = chapter(ONE)
        page.open()
        page.cell(5).run()
        assert cdn.sent.keys() == {file.relative_to(SITE).as_posix() for file in core.parent.iterdir()}


def test_a_page_whose_script_is_missing_says_so(chapter, host):
    host.instead["_live/page.js"] = None
    page = chapter(ONE)
    page.tab.click("div.live button")
    page.tab.get_by_text(page.words["missing"].format(name="page.js")).wait_for()


def test_a_page_that_is_opened_from_a_file_says_what_to_do(context, chapter):
    page = chapter(ONE)
    page.tab.goto((SITE / f"{ONE}.html").as_uri())
    page.tab.click("div.live button")
    page.tab.get_by_text(page.words["file"]).wait_for()


# Running


@pytest.fixture
def page(chapter):
    """A chapter with its cells open."""
    page = chapter(ONE)
    page.open()
    return page


def test_an_edited_number_changes_the_output_and_reset_brings_the_book_back(page):
    cell = page.cell(1)
    code, output = cell.code, cell.output
    cell.write("6 * 7")
    cell.run()
    assert cell.output == "42"
    cell.reset()
    assert (cell.code, cell.output) == (code, output)


def test_a_figure_of_edited_code_has_the_caption_of_the_book_and_no_longer_its_description(page):
    cell = page.cell(5)
    caption, alt = cell.root.locator("figcaption").inner_text(), cell.root.locator("img").get_attribute("alt")
    cell.write(cell.code.replace("0.4", "0.3"))
    cell.run()
    assert cell.root.locator("figcaption").inner_text() == caption
    assert cell.root.locator("img").get_attribute("alt") == page.words["figure"] != alt


def test_a_cell_first_runs_those_above_that_have_not_run_or_were_edited(page):
    page.cell(1).write("import numpy as np\nfrom l05 import softmax\na = 1")
    page.cell(2).write("b = a + 1")
    page.cell(3).write("a, b")
    page.cell(3).run()
    assert page.cell(3).output == "(1, 2)"
    page.cell(1).write("a = 10")
    page.cell(3).run()
    assert page.cell(3).output == "(10, 11)"
    page.cell(2).write("b = a = 5")
    page.cell(2).run()
    page.cell(2).write("b = a + 1")
    page.cell(3).run()
    assert page.cell(3).output == "(5, 6)"  # the first, as it was, did not run again


def test_an_error_points_at_its_line_and_the_next_run_recovers(page):
    page.cell(2).write("ratio = plain[0]\nratio / nothing")
    page.cell(3).start()
    page.wait_for("failed", n=2)
    assert 'File "cell 2", line 2, in <module>\n    ratio / nothing\n' in page.cell(2).error
    assert page.cell(2).error.rstrip().endswith("NameError: name 'nothing' is not defined")
    page.cell(2).write("ratio = plain[0]\nround(float(ratio), 1)")
    page.cell(3).run()
    assert page.cell(2).error == ""
    assert page.cell(2).output == "0.6"


def test_an_error_inside_l05_shows_the_cell_and_the_function(page):
    page.cell(1).write("from l05 import softmax\nsoftmax([1.0, 2.0], tau=-1)")
    page.cell(1).start()
    page.wait_for("failed", n=1)
    assert 'File "cell 1", line 2' in page.cell(1).error
    assert "`tau`" in page.cell(1).error.splitlines()[-1]


def test_what_a_browser_does_not_have_is_said_in_a_sentence(page):
    for code, words in {"import torch": "no_module", "input()": "no_input"}.items():
        page.cell(1).write(code)
        page.cell(1).start()
        page.cell(1).root.get_by_text(page.words[words]).wait_for()
    page.cell(1).write("1 + 1")
    page.cell(1).run()
    assert page.cell(1).root.locator(".live-hint").count() == 0


def test_figures_stand_where_they_are_shown_between_what_is_printed(page):
    page.cell(1).write(
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint('between')\nplt.plot([2, 1])\nplt.show()"
    )
    page.cell(1).run()
    kinds = page.cell(1).root.locator(".cell_output > *").evaluate_all("all => all.map(one => one.tagName)")
    assert kinds == ["IMG", "DIV", "IMG"]


def test_python_that_breaks_down_says_so_and_starts_afresh(page):
    page.cell(1).write("import os\nos._exit(1)")
    page.cell(1).start()
    page.wait_for("crashed")
    page.cell(1).write("1 + 1")
    page.cell(1).run()
    assert page.cell(1).output == "2"


def test_stop_ends_an_endless_loop_and_the_next_run_starts_afresh(page):
    page.cell(1).write("a = 1")
    page.cell(1).run()
    page.cell(2).write("print('on', flush=True)\nwhile True: pass")
    page.cell(2).start()
    page.wait_for("running", n=2)
    page.cell(2).root.get_by_text("on", exact=True).wait_for()
    page.button("stop").click()
    page.wait_for("stopped")
    page.cell(2).write("a + 1")
    page.cell(2).run()
    assert page.cell(2).output == "2"  # the first cell has run again


def test_restart_forgets_the_variables(page):
    page.cell(1).write("try:\n    a += 1\nexcept NameError:\n    a = 0\na")
    page.cell(1).run()
    page.cell(1).run()
    assert page.cell(1).output == "1"
    page.button("restart").click()
    page.wait_for("ready_with_edits")
    page.cell(1).run()
    assert page.cell(1).output == "0"


def test_printing_without_end_neither_freezes_the_page_nor_fills_it(page):
    page.cell(1).write("while True: print('x' * 100)")
    page.cell(1).start()
    page.cell(1).root.locator(".cell_output").get_by_text("…").wait_for()
    page.button("stop").click()
    page.wait_for("stopped")
    assert 100_000 < len(page.cell(1).output) < 110_000


def test_what_was_typed_survives_a_reload_and_a_change_of_the_language_until_it_is_reset(page, chapter):
    code = page.cell(1).code
    page.cell(1).write("1 + 1")
    for name in (ONE, f"en/{ONE}"):
        again = chapter(name)
        again.open()
        assert again.cell(1).code == "1 + 1"
        again.wait_for("ready_with_edits")
    again.cell(1).reset()
    again.wait_for("ready")
    page = chapter(ONE)
    page.open()
    assert page.cell(1).code == code
    page.wait_for("ready")


def test_two_tabs_keep_what_is_typed_in_each(page, chapter):
    other = chapter(ONE)
    other.open()
    page.cell(1).write("1 + 1")
    other.tab.wait_for_function("key => key in localStorage", arg=f"l05 {ONE}")  # a moment later
    other.cell(2).write("2 + 2")
    again = chapter(ONE)
    again.open()
    assert (again.cell(1).code, again.cell(2).code) == ("1 + 1", "2 + 2")


def test_what_was_typed_over_older_code_does_not_hide_the_new_code_and_the_page_says_so(page, chapter):
    code = page.cell(1).code
    page.cell(1).write("1 + 1")
    for key in page.tab.evaluate("Object.keys(localStorage)"):
        kept = page.tab.evaluate("key => localStorage[key]", key)
        page.tab.evaluate("([key, kept]) => localStorage[key] = kept", [key, kept.replace("softmax", "hardmax")])
    again = chapter(ONE)
    again.open()
    assert again.cell(1).code == code
    again.wait_for("outdated")


def test_where_nothing_may_be_stored_cells_can_be_changed_all_the_same(context, chapter):
    context.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden') } })")
    page = chapter(ONE)
    page.open()
    page.cell(1).write("1 + 1")
    page.cell(1).run()
    assert page.cell(1).output == "2"


# Keyboard, screen reader, phone


def test_the_keyboard_opens_runs_moves_on_and_leaves_the_editor(chapter):
    page = chapter(ONE)
    page.tab.locator("div.live button").press("Enter")
    page.tab.wait_for_selector(".live-open")
    assert page.tab.evaluate("document.activeElement.textContent") == page.words["run_all"]
    page.cell(1).write("1 + 1")
    page.cell(1).press("Control+Enter")
    page.wait_for("done", n=1)
    assert page.cell(1).output == "2"
    page.cell(1).press("Shift+Enter")
    assert page.tab.evaluate("document.activeElement.ariaLabel") == page.words["editor"].format(n=2)
    page.cell(2).press("Tab")
    assert page.tab.evaluate("document.activeElement.textContent") == page.words["run"]


def test_a_screen_reader_hears_how_it_goes(page):
    heard = page.tab.get_by_role("region", name=page.words["bar"]).get_by_role("status")
    heard.get_by_text(page.words["ready"]).wait_for()
    page.cell(1).run()
    assert heard.inner_text() == page.words["done"].format(n=1)
    assert page.tab.get_by_role("textbox", name=page.words["editor"].format(n=1)).is_visible()
    assert page.tab.get_by_role("group", name=page.words["tools"].format(n=1)).get_by_role("button").count() == 2


@pytest.mark.parametrize("name", [ONE, f"en/{ONE}"])
def test_open_cells_are_accessible_with_outputs_and_an_error_in_both_themes_on_desktop_and_phone(chapter, name):
    page = chapter(name)
    page.open()
    page.cell(5).run()
    page.cell(2).write("print('import')\nimport sys, torch  # not here")
    page.cell(2).start()
    page.wait_for("failed", n=2)
    page.tab.evaluate(AXE.read_text("utf-8"))
    for screen, theme in product(SCREENS, ["light", "dark"]):
        page.tab.set_viewport_size(screen)
        page.tab.emulate_media(color_scheme=theme)
        page.tab.wait_for_function("theme => document.documentElement.dataset.theme === theme", arg=theme)
        page.tab.wait_for_function(WITHIN_REACH)  # the site's theme sees to it some time after a change of the size
        assert page.tab.evaluate(VIOLATIONS, STANDARDS) == []


def test_a_narrow_screen_with_open_cells_does_not_scroll_sideways(chapter):
    page = chapter(ONE)
    page.tab.set_viewport_size({"width": 360, "height": 800})
    page.open()
    assert page.tab.evaluate("document.documentElement.scrollWidth") == 360

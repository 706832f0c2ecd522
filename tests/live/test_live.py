"""A reader opens the cells of a chapter, changes them and runs them, in a real browser."""

import pytest

from tests.live.browser import SITE

CHAPTERS = sorted(
    page.relative_to(SITE).with_suffix("").as_posix()
    for page in SITE.rglob("*.html")
    if 'class="live ' in page.read_text("utf-8")
)
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


def test_the_site_is_built_with_chapters_that_run():
    assert len(CHAPTERS) > 10


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


def test_an_altered_wheel_is_named_and_not_used(chapter, host):
    (file,) = SITE.glob("_live/pyodide-*/numpy-*.whl")
    host.instead[file.relative_to(SITE).as_posix()] = file.read_bytes()[:-1] + b"\1"
    page = chapter(ONE)
    page.open()
    page.wait_for("altered", name=file.name)


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
    page = chapter(ONE)
    page.open()
    assert page.cell(1).code == code
    page.wait_for("ready")


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


def test_a_narrow_screen_with_open_cells_does_not_scroll_sideways(chapter):
    page = chapter(ONE)
    page.tab.set_viewport_size({"width": 360, "height": 800})
    page.open()
    assert page.tab.evaluate("document.documentElement.scrollWidth") == 360

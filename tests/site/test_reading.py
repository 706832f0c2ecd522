"""A reader reads a chapter: on a phone, with the keyboard, without JavaScript, from a file system, on paper."""

import pytest

CHAPTER = "qkv.html"  # formulas, tables, cells, figures and folds
COLOUR = "(element) => getComputedStyle(element).color"
BACKGROUND = "(element) => getComputedStyle(element).backgroundColor"


@pytest.mark.parametrize("screen", ["phone"], indirect=True)
def test_the_menu_opens_on_a_phone_and_leads_to_another_chapter(page, edition):
    page.goto(edition + CHAPTER)
    assert not page.is_visible("nav.bd-docs-nav")
    page.click(".primary-toggle")
    page.click("nav.bd-docs-nav a[href='rnn.html']")
    page.wait_for_url("**/rnn.html")


def test_a_reader_keeps_the_chosen_colours_on_the_next_page(page, edition):
    theme = "document.documentElement.dataset.theme"
    page.goto(edition + CHAPTER)
    assert page.evaluate(theme) == "light"
    page.click(".theme-switch-button")
    page.click(".theme-change-button[data-mode=dark]")
    page.goto(f"{edition}rnn.html")
    assert page.evaluate(theme) == "dark"


def test_a_card_on_the_first_page_can_be_clicked_anywhere(page, edition):
    page.goto(f"{edition}index.html")
    page.locator(".sd-card-title").first.click(force=True)  # on its title, which is not the link itself
    page.wait_for_url("**/where.html*")


def test_a_link_on_a_card_leads_to_its_own_page(page, edition):
    page.goto(f"{edition}index.html")
    page.locator(".sd-card-text a[href^='qkv.html']").click()
    page.wait_for_url("**/qkv.html*")


def test_the_footer_names_the_licences(page, edition):
    page.goto(edition + CHAPTER)
    assert "CC BY 4.0" in page.inner_text(".bd-footer-content")


@pytest.mark.parametrize("name", [CHAPTER, "index.html", "api/attention.html", "ledger.html"])
def test_whatever_has_the_focus_of_the_keyboard_is_on_the_screen_and_looks_like_it(page, edition, name):
    page.goto(edition + name)
    page.add_style_tag(content="* { transition: none !important; scroll-behavior: auto !important; }")
    page.evaluate("""window.look = (element) => {
        const { outline, boxShadow, backgroundColor, textDecoration } = getComputedStyle(element);
        const after = getComputedStyle(element, "::after").outline; // of a card
        const inside = element.firstElementChild && getComputedStyle(element.firstElementChild).outline; // of the menu
        return [outline, boxShadow, backgroundColor, textDecoration, after, inside].join();
    }; null""")
    seen, unseen = 0, []
    while True:
        page.keyboard.press("Tab")
        stop = page.evaluate("""() => {
            const element = document.activeElement;
            if (element === document.body || element.seen) return null;
            element.seen = true;
            const { top, bottom } = element.getBoundingClientRect();
            const focused = look(element);
            element.blur();
            const shown = bottom > 0 && top < innerHeight && look(element) !== focused;
            element.focus();
            return [shown, element.outerHTML.slice(0, 120)];
        }""")
        if stop is None:
            break
        seen += 1
        if not stop[0]:
            unseen.append(stop[1])
    assert seen > 30
    assert unseen == []


@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_without_javascript_a_chapter_can_be_read_in_colour(chromium, screens, edition, screen):
    context = chromium.new_context(viewport=screens[screen], java_script_enabled=False)
    page = context.new_page()
    page.goto(edition + CHAPTER)
    assert page.locator(".bd-article .katex-html").first.is_visible()
    assert page.locator(".bd-article img").first.is_visible()
    assert page.locator(".pst-js-only:visible").count() == 0
    fold = page.locator(".bd-article details").first
    fold.locator("summary").click()
    fold.locator("p, pre").last.wait_for()
    colours = "(element) => [getComputedStyle(element).color, getComputedStyle(document.body).backgroundColor]"
    assert page.locator(".bd-article a.reference").first.evaluate(colours) == [
        "rgb(22, 104, 220)",
        "rgb(255, 255, 255)",
    ]
    assert page.locator(".bd-article .highlight .kn").first.evaluate(colours)[0] != "rgb(0, 0, 0)"
    context.close()


@pytest.mark.parametrize("place", ["", "en/"])
def test_a_copy_on_a_file_system_is_read_like_the_site(page, site, place):
    page.goto((site / place / CHAPTER).as_uri())
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.bd-article a.reference')).color")
        == "rgb(22, 104, 220)"
    )
    assert page.evaluate("document.fonts.check('1em KaTeX_Main')")
    page.locator(".bd-article img").first.scroll_into_view_if_needed()
    page.wait_for_function("[...document.images].some((image) => image.naturalWidth > 0)")
    page.click(".prev-next-area a.right-next")
    page.wait_for_url("file:///**/sqrt-dk.html")


@pytest.mark.parametrize("name", [CHAPTER, "ledger.html", "api/attention.html", "self-check.html"])
def test_on_paper_folds_are_open_and_nothing_is_cut_off_black_on_white(page, edition, name):
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 without its margins
    page.goto(edition + name)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.querySelectorAll('.bd-article details:not([open])').length") == 0
    assert page.locator("body").evaluate(BACKGROUND) == "rgb(255, 255, 255)"
    assert page.locator(".bd-article p").first.evaluate(COLOUR) == "rgb(0, 0, 0)"
    for around in (".bd-sidebar-primary", ".bd-sidebar-secondary", ".bd-header-article", ".prev-next-footer"):
        assert not page.is_visible(around)
    assert (
        page.evaluate("""[...document.querySelectorAll(".bd-article :is(div, pre, table, img)")]
        .filter((box) => box.checkVisibility() && box.scrollWidth > box.clientWidth + 2)
        .filter((box) => !["inline", "contents"].includes(getComputedStyle(box).display))
        .map((box) => box.outerHTML.slice(0, 100))""")
        == []
    )
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_copy_takes_the_code_without_prompts_and_outputs(page, edition):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{edition}api/attention.html")
    example = page.locator("div.doctest:has(.go)").first
    example.hover()
    example.locator("button.copybtn").click()
    copied = page.evaluate("navigator.clipboard.readText()")
    code = example.locator("pre").inner_text()
    assert ">>>" in code
    assert copied.splitlines() == [line[4:] for line in code.splitlines() if line.startswith((">>> ", "... "))]


def test_what_a_cell_printed_has_no_copy_button(page, edition):
    page.goto(edition + CHAPTER)
    page.wait_for_selector("div.cell_input button.copybtn", state="attached")
    assert page.locator("div.cell_output button.copybtn").count() == 0


def test_the_copy_button_speaks_the_language_of_the_page(page, edition):
    page.goto(edition + CHAPTER)
    button = page.wait_for_selector("button.copybtn", state="attached")
    assert button.get_attribute("data-tooltip") == ("Copy" if edition.endswith("/en/") else "複製")

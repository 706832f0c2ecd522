"""Cut each font down to the characters that the pages show in it, and put it into the style sheet.

A font that arrives after the style sheet makes lines jump. KaTeX has twenty, of which a book shows a few letters each;
Font Awesome has two thousand icons, of which the theme shows a dozen.
"""

import base64
import html
import re
from collections import defaultdict
from io import BytesIO

from fontTools import subset

FACE = re.compile(r"@font-face\{(?P<says>[^}]*url\((?P<file>[^)]+)\)[^}]*)\}")
RULE = re.compile(r"(?P<selector>[^{}]+)\{(?P<says>[^{}]*\bKaTeX_[^{}]*)\}")
FAMILY = re.compile(r"\bKaTeX_\w+|Font Awesome")
TEXT = re.compile(r'<span class="([^"]+)"[^>]*>([^<]+)<')
ICON = re.compile(r':"(?:\\([0-9a-f]{4})|\\?(.))"')


def put_into(css, folder, pages):
    """Return the style sheet with the fonts in it; their files in the folder are not needed any more."""
    wanted = katex(css, pages)

    def put(face):
        path = folder / face["file"]
        icons = FAMILY.search(face["says"])[0] == "Font Awesome" and in_use(path.stem.rpartition("-")[0], pages)
        font = glyphs(path, icons_of(css) if icons else wanted[font_named(face["says"])])
        path.unlink()
        return (
            face[0].replace(face["file"], f"data:font/woff2;base64,{base64.b64encode(font).decode()}") if font else ""
        )

    return FACE.sub(put, css)


def in_use(style, pages):
    """Whether a page has icons of a style, by its name, fa-solid, or by the short one, fas."""
    return re.search(rf'class="[^"]*\b({style}|fa{style[3]})\b', pages)


def font_named(says):
    """A font, by its family, its weight and its style."""
    return FAMILY.search(says)[0], "font-weight:700" in says, "font-style:italic" in says


def katex(css, pages):
    """The characters that the pages show in each of KaTeX's fonts, which follows from their classes."""
    shown = defaultdict(set)
    for classes, text in TEXT.findall(pages):
        for name in classes.split():
            shown[name] |= set(html.unescape(text))
    wanted = defaultdict(set)
    for rule in RULE.finditer(FACE.sub("", css)):
        *_, name = re.findall(r"\.([\w-]+)", rule["selector"])
        wanted[font_named(rule["says"])] |= shown.get(name, set().union(*shown.values()))
    return wanted


def icons_of(css):
    return {chr(int(code, 16)) if code else character for code, character in ICON.findall(css)}


def glyphs(path, characters):
    """The font with these characters alone; nothing, if it has none of them."""
    options = subset.Options(flavor="woff2", hinting=False)
    font = subset.load_font(BytesIO(path.read_bytes()), options)
    if not font.getBestCmap().keys() & set(map(ord, characters)):
        return b""
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(characters))
    subsetter.subset(font)
    subset.save_font(font, (file := BytesIO()), options)
    return file.getvalue()

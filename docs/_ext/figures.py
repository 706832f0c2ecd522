"""Say on the page how large a figure is, so that the text below does not jump when the figure arrives."""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt"')
PIXELS = 4 / 3  # of CSS, in a point


class Sizes(SphinxPostTransform):
    """A figure that is far below is loaded when the reader comes near it."""

    default_priority = 210  # MyST-NB has chosen the output at 199
    formats = ("html",)

    def run(self):
        for image in self.document.findall(nodes.image):
            file = Path(self.env.srcdir, image["uri"])
            if file.suffix == ".svg" and (size := SIZE.search(file.read_text("utf-8"))):
                image["width"], image["height"] = (str(round(float(points) * PIXELS)) for points in size.groups())
                image["loading"] = "lazy"


def setup(app):
    app.add_post_transform(Sizes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

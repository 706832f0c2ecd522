"""Runs the cells of a page as Jupyter would: what is printed, the last value, figures, and errors with their line.

This is for Pyodide, in a worker of the reader's browser; prepare.py packs what it imports.
"""

import ast
import base64
import io
import linecache
import logging
import sys
import time
import traceback
from functools import partial

from pretty import pretty  # IPython.lib.pretty, by itself

PAUSE = 0.1  # seconds between two lumps of print output: a loop of prints must not flood the page
LONGEST, MOST = 100_000, 1000  # characters of text, and outputs, that one cell may show
HINTS = {ModuleNotFoundError: "no_module", EOFError: "no_input"}  # the words for what only a browser cannot do
RICH = {"_repr_html_": "text/html", "_repr_svg_": "image/svg+xml", "_repr_png_": "image/png"}

logging.getLogger("matplotlib.font_manager").setLevel("ERROR")  # it says that it looks for fonts

namespace = {"__name__": "__main__"}


class Page:
    """What stands below the cell that runs; ``send(kind, data)`` adds to it."""

    def __init__(self, send):
        self.send = send
        self.outputs = self.characters = 0

    def show(self, kind, data):
        if self.outputs == MOST or self.characters > LONGEST:
            return
        self.outputs += not kind.startswith("std")
        if kind.startswith("std") or kind == "text/plain":
            rest = LONGEST - self.characters
            self.characters += len(data)
            data = data if len(data) <= rest else data[:rest] + "…\n"
        self.send(kind, data)
        if self.outputs == MOST:
            self.send("stdout", "…\n")


page = None  # of the cell that runs


class Stream(io.TextIOBase):
    """Standard output or error of the cells."""

    def __init__(self, kind):
        self.kind, self.parts, self.sent_at = kind, [], 0.0

    def write(self, text):
        self.parts.append(text)
        if time.monotonic() - self.sent_at > PAUSE:
            self.flush()
        return len(text)

    def flush(self):
        text = "".join(self.parts)
        self.parts.clear()
        self.sent_at = time.monotonic()
        if text:
            page.show(self.kind, text)


streams = Stream("stdout"), Stream("stderr")


def display(*values):
    """Show values, each in the richest way it knows."""
    for stream in streams:
        stream.flush()
    for value in values:
        page.show(*represent(value))


def represent(value):
    for method, kind in RICH.items():
        rich = None if isinstance(value, type) else getattr(value, method, None)
        data = rich() if callable(rich) else None
        if data is not None:
            return kind, base64.b64encode(data).decode() if isinstance(data, bytes) else data
    return "text/plain", pretty(value)


def show_figures():
    """Show and close all figures; so does `plt.show()`, and each cell at its end."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    for number in pyplot.get_fignums() if pyplot else ():
        figure, file = pyplot.figure(number), io.StringIO()
        pyplot.close(figure)
        colors = {"facecolor": figure.get_facecolor(), "edgecolor": figure.get_edgecolor()}
        figure.canvas.print_figure(file, format="svg", bbox_inches="tight", metadata={"Date": None}, **colors)
        display(Figure(file.getvalue()))


class Figure:
    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg


def no_input(prompt=""):
    raise EOFError("a page cannot wait for an answer")


namespace |= {"display": display, "input": no_input}


def run(source, name, send):
    """Run the cell `name`; send(kind, data) is called with all it has to show. Return whether it ends in an error."""
    global page
    page = Page(send)
    linecache.cache[name] = len(source), None, source.splitlines(True), name  # a traceback quotes the cell
    sys.stdout, sys.stderr = streams
    errors = []
    for step in partial(execute, source, name), show_figures:
        try:
            step()
        except BaseException as error:
            errors.append(error)
    for stream in streams:
        stream.flush()
    for error in errors[:1]:
        send("error", explain(error, name))
        for kind, hint in HINTS.items():
            if isinstance(error, kind):
                send("hint", hint)
    return bool(errors)


def execute(source, name):
    body = ast.parse(source, name).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) and not source.rstrip().endswith(";") else None
    exec(compile(ast.Module(body, []), name, "exec"), namespace)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
        if value is not None:
            display(value)


def explain(error, name):
    """Return the traceback from the cell's own line on."""
    place = error.__traceback__
    while place and place.tb_frame.f_code.co_filename != name:
        place = place.tb_next
    return "".join(traceback.format_exception(type(error), error, place))

"""Do once what Python would do in each browser anew: compile the modules that a figure needs, and look for fonts.

This runs in Pyodide: see compile.mjs.
"""

import logging
import py_compile
import sys
from io import StringIO
from pathlib import Path

OUT = Path("/out")


def draw():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(layout="constrained")
    axes.plot([1, 2], label="$x$")
    axes.legend()
    figure.savefig(StringIO(), format="svg")


def compile_module(module):
    source = OUT / "source"
    source.write_bytes(module.__loader__.get_data(module.__file__))
    py_compile.compile(
        str(source),
        cfile=f"{OUT}{module.__file__}c",
        dfile=module.__file__,
        doraise=True,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )


def write_fonts():
    from matplotlib.font_manager import FontManager, fontManager, json_dump

    json_dump(fontManager, OUT / f"fontlist-v{FontManager.__version__}.json")


logging.getLogger("matplotlib.font_manager").setLevel("ERROR")  # it says that it looks for fonts
draw()
for module in list(sys.modules.values()):
    if (getattr(module, "__file__", None) or "").endswith(".py") and hasattr(module.__loader__, "get_data"):
        compile_module(module)
write_fonts()

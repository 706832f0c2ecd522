"""How the cells run: when they run again, with which settings, and in which language they are folded."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import shutil
import sys
from pathlib import Path

from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

logger = logging.getLogger(__name__)

# What MyST-NB calls the part of a cell that is folded, or the cell itself by `code_prompt_show`; the words on the fold
PROMPTS = {
    "zh": {
        "source": ("看程式碼", "收起程式碼"),
        "output": ("看輸出", "收起輸出"),
        "content": ("看程式碼與輸出", "收起程式碼與輸出"),
        "answer": ("看答案", "收起答案"),
    },
    "en": {
        "source": ("Show the code", "Hide the code"),
        "output": ("Show the output", "Hide the output"),
        "content": ("Show the code and the output", "Hide the code and the output"),
        "answer": ("Show the answer", "Hide the answer"),
    },
}
PART = "{type}"  # MyST-NB replaces it


def digest(files, distributions):
    """Name all that a cell's output hangs on besides the cell: the code that it imports and what runs it."""
    state = hashlib.sha256(f"python {sys.version_info.major}.{sys.version_info.minor}".encode())
    for file in sorted(files):
        state.update(b"\0" + os.fsencode(file.name) + b"\0" + file.read_bytes())
    for name in distributions:
        state.update(f"\0{name} {importlib.metadata.version(name)}".encode())
    return state.hexdigest()[:16]


def prune(folder, state):
    """Drop the outputs of all states but this one and the one before, which another build may be using."""
    current = Path(folder, state)
    current.mkdir(parents=True, exist_ok=True)
    os.utime(current)
    others = sorted(set(current.parent.iterdir()) - {current}, key=lambda path: path.stat().st_mtime)
    for old in others[:-1]:
        shutil.rmtree(old, ignore_errors=True)


def kernel_settings(root):
    """What the kernels inherit; PYTHONPATH lets a cell import the package of this very tree."""
    kernel = Path(root, "docs/_kernel")
    return {"IPYTHONDIR": str(kernel), "MATPLOTLIBRC": str(kernel / "matplotlibrc"), "PYTHONPATH": str(root)}


def configure(app, config):
    root, kernel = Path(app.confdir), Path(app.confdir, "docs/_kernel")
    cache = root / config.notebooks_cache
    settings = [kernel / "matplotlibrc", kernel / "profile_default/ipython_kernel_config.py"]
    sources = (root / config.formula_package).rglob("*.py")
    state = digest([*settings, *sources], ["numpy", "matplotlib", "ipykernel"])
    prune(cache, state)
    config.nb_execution_cache_path = str(cache / state)
    config.nb_code_prompt_show = config.nb_code_prompt_hide = PART
    os.environ.update(kernel_settings(root))


class NameFolds(SphinxPostTransform):
    """Say on a fold what it holds, in the language of the page."""

    default_priority = 200  # MyST-NB makes the folds at 199
    formats = ("html",)

    def run(self):
        prompts = PROMPTS[(self.config.language or "en").split("_")[0]]
        for fold in self.document.findall(HideCodeCellNode):
            kind = fold["prompt_show"].removesuffix("s")
            if kind in prompts:
                fold["prompt_show"], fold["prompt_hide"] = prompts[kind]
            else:
                logger.warning("a fold holds %r, not one of %s", kind, [*prompts], location=fold, type="notebooks")


def setup(app):
    app.add_config_value("notebooks_cache", ".cache/notebooks", "", types=str)
    app.add_post_transform(NameFolds)
    app.connect("config-inited", configure)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""What the tests share."""

import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import hypothesis
import jaxtyping
import numpy as np
import pytest

collect_ignore = ["live", "site"]  # need the built book and Chromium: `nox -s live site`
if not all(importlib.util.find_spec(name) for name in ("torch", "jax")):
    collect_ignore.append("heavy")  # these are large and not needed for the rest

hypothesis.settings.register_profile("l05", deadline=None, derandomize=True, max_examples=40)
hypothesis.settings.load_profile("l05")
# a mutant is to be found; nobody reads the smallest example
hypothesis.settings.register_profile("mutants", phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate])


@pytest.fixture(scope="session", params=["numpy", "array_api_strict"])
def xp(request):
    """An array library; tests/heavy runs the same tests on PyTorch and JAX."""
    return importlib.import_module(request.param)


@pytest.fixture
def run_as_script(tmp_path):
    """Run the cells of a page one after another as a plain script, in which a warning is an error."""
    root = Path(__file__).parents[1]

    def run(page):
        import stored

        notebook = stored.read(page)
        cells = zip(notebook.metadata["source_map"], notebook.cells, strict=True)
        script = tmp_path / f"{page.stem}.py"
        sources = [f"# {page}:{line}\n{cell.source}" for line, cell in cells if cell.cell_type == "code"]
        script.write_text("\n\n".join(sources), "utf-8")
        warnings = ["error", "ignore:FigureCanvasAgg is non-interactive", "ignore:More than 20 figures"]
        return subprocess.run(
            [sys.executable, *(f"-W{warning}" for warning in warnings), script],
            cwd=tmp_path,
            env=os.environ | {"MPLBACKEND": "agg", "PYTHONPATH": str(root)},
            capture_output=True,
            encoding="utf-8",
        )

    return run


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def as_a_user():
    """Switch the shape check off, which a user does not have: what does l05 itself say?"""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)

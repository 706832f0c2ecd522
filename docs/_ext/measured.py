"""The tables of what was measured: each number beside its name, and a word where a goal is missed.

``{measured}`` takes from the file that ``tests/bench.py`` writes the lines whose peer begins with one of the names in
``beside``. A line says who its peer is where the title of the table does not. The words in Chinese are messages for a
translator, as those of the page are.
"""

from __future__ import annotations

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.directives.patches import CSVTable

FILE = "/_outputs/speed.csv"
HEADER = "量什麼,,量到,目標,紅線"
MISSED = "未達標"
WHAT, BESIDE, FOUND, GOAL, _ = range(5)  # the columns of the file


class Measured(CSVTable):
    required_arguments, optional_arguments, has_content = 1, 0, False
    option_spec: ClassVar = {"beside": directives.unchanged_required}

    def run(self):
        self.options |= {"file": FILE, "header": HEADER, "stub-columns": 1, "class": ["measured"]}
        table, *messages = super().run()
        peers = tuple(name.strip() for name in self.options["beside"].split(","))
        group = next(table.findall(nodes.tgroup))
        group.remove(group[BESIDE])
        group["cols"] -= 1
        for row in list(group.findall(nodes.row)):
            if isinstance(row.parent, nodes.tbody):
                if not row[BESIDE].astext().startswith(peers):
                    row.parent.remove(row)
                    continue
                self.annotate(*row)
            for number in row[FOUND:]:
                number["classes"].append("number")
            row.remove(row[BESIDE])
        if not group[-1].children:
            raise self.error(f"nothing was measured beside {self.options['beside']}")
        return [table, *messages]

    def annotate(self, what, beside, found, goal, _):
        if beside.astext() not in self.arguments[0]:
            what += aside(beside[0])
        if float(found.astext()) > float(goal.astext()):
            missed = nodes.paragraph(MISSED, MISSED, translatable=True)  # docs/_ext/formula.py marks the rest
            missed.source, missed.line = self.state_machine.get_source_and_line(self.lineno)
            found += aside(missed)


def aside(paragraph):
    paragraph["classes"].append("aside")
    return paragraph


def setup(app):
    app.add_directive("measured", Measured)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

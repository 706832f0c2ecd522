"""Say which mutants have survived, and fail when mutants.toml does not tell why.

``mutmut run`` has left its verdicts in mutants/l05/*.py.meta: 1 is a failed test, −24 and 152 a mutant that ran out of
time. A mutant is named by what it changes, since the numbers of mutmut move with every edit.
"""

import json
import sys
import tomllib
from pathlib import Path

KILLED = {1, -24, 24, 152}


def function(name):
    """Return the function that a mutant is of."""
    return name.rpartition("__mutmut_")[0].replace(".x_", ".")


def changed(name, path):
    """Return the function and the lines before and after, as mutants.toml has them."""
    from mutmut.mutation.diff_apply import get_diff_for_mutant  # pytest looks for doctests here, and need not have it

    lines = get_diff_for_mutant(name, path=path).splitlines()[2:]
    before, after = ("\n".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+")
    return function(name), before, after


def main():
    listed = tomllib.loads(Path("tests/mutants.toml").read_text("utf-8"))["equivalent"]
    expected = {(entry["function"], entry["before"], entry["after"]) for entry in listed}
    verdicts, survivors = {}, {}
    for meta in Path("mutants/l05").glob("*.py.meta"):
        path = Path("l05", meta.name.removesuffix(".meta"))
        codes = json.loads(meta.read_text("utf-8"))["exit_code_by_key"]
        verdicts |= codes
        survivors |= {name: changed(name, path) for name, code in codes.items() if code not in {None, *KILLED}}
    if lost := sorted({function(name) for name, code in verdicts.items() if code == 255}):
        sys.exit(f"pytest does not find all tests again, those with an `ids=` beyond ASCII, say, of {', '.join(lost)}")
    tested = [name for name, code in verdicts.items() if code is not None]
    whole = {function(name) for name in tested} - {function(name) for name in verdicts.keys() - tested}
    new = {name: entry for name, entry in survivors.items() if entry not in expected}
    gone = {entry for entry in expected - set(survivors.values()) if entry[0] in whole}
    for name, (_, before, after) in new.items():
        print(f"survived: {name}\n  - {before}\n  + {after}")
    for place, before, after in sorted(gone):
        print(f"listed, but killed or no more: {place}\n  - {before}\n  + {after}")
    same = len(survivors) - len(new)
    print(f"{len(tested)} mutants: {len(tested) - len(survivors)} killed, {same} equivalent, {len(new)} survived")
    sys.exit(bool(new or gone))


if __name__ == "__main__":
    main()

"""How the package is put together."""

import ast
import doctest
import inspect
import subprocess
import sys
import types
from pathlib import Path

import pytest

import l05

FOLDER = Path(l05.__file__).parent
PUBLIC = {name: getattr(l05, name) for name in l05.__all__}
FUNCTIONS = [member for member in PUBLIC.values() if inspect.isfunction(member)]

# The one way that imports go: a module may use these, and no others.
USES = {
    "_arrays": set(),
    "linear_algebra": {"_arrays"},
    "rnn": {"_arrays"},
    "_blocks": {"_arrays"},
    "attention": {"_arrays", "_blocks"},
    "streaming": {"_arrays", "_blocks", "attention"},
    "masks": {"_arrays"},
    "positions": {"_arrays"},
    "residual": {"_arrays"},
    "normalization": {"_arrays"},
    "transformer": {"_arrays", "attention", "masks", "residual", "normalization"},
}


def imports(module):
    """The modules of l05 that a module of l05 imports."""
    found = set()
    for node in ast.walk(ast.parse((FOLDER / f"{module}.py").read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name.removeprefix("l05.") for name in found if name.split(".")[0] == "l05"}


def test_the_list_of_modules_is_complete():
    assert {file.stem for file in FOLDER.glob("*.py")} == USES.keys() | {"__init__"}


@pytest.mark.parametrize("module", USES)
def test_imports_go_one_way(module):
    assert imports(module) <= USES[module]


def test_importing_the_package_loads_no_other_array_library():
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, l05; print(*sys.modules)"],
        cwd=FOLDER.parent,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    heavy = {"torch", "jax", "scipy", "jaxtyping", "beartype", "array_api_compat", "array_api_strict"}
    assert "numpy" in loaded
    assert not heavy & set(loaded)


def test_all_lists_exactly_the_public_names():
    names = {name for name, member in vars(l05).items() if not isinstance(member, types.ModuleType)}
    assert sorted(name for name in names if not name.startswith("_")) == l05.__all__


def test_every_public_function_of_a_module_is_public_in_the_package():
    for module in USES.keys() - {"_arrays", "_blocks"}:
        members = vars(sys.modules[f"l05.{module}"])
        own = {name for name, member in members.items() if getattr(member, "__module__", "") == f"l05.{module}"}
        assert {name for name in own if not name.startswith("_")} <= PUBLIC.keys()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_public_function_has_a_formula_an_example_a_source_and_its_errors(function):
    documented = inspect.getdoc(function)
    for section in ("Parameters", "Returns", "Raises", "References", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in documented
    assert documented.count(".. math::") == 1
    assert ":cite:t:" in documented
    assert doctest.DocTestParser().get_examples(documented)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_parameter_is_documented(function):
    parameters = inspect.getdoc(function).split("\nParameters\n")[1].split("\nReturns\n")[0]
    heads = [line.split(" : ")[0] for line in parameters.splitlines() if " : " in line and not line.startswith(" ")]
    heads += [line for line in parameters.splitlines() if line.isidentifier()]
    assert {name for head in heads for name in head.split(", ")} == set(inspect.signature(function).parameters)


@pytest.mark.parametrize(
    ("weights", "function"),
    [
        (l05.AttentionWeights, l05.multi_head_attention),
        (l05.FeedForwardWeights, l05.feed_forward),
        (l05.NormWeights, l05.layer_norm),
    ],
)
def test_weights_have_the_names_and_the_order_of_the_arguments_they_are_for(weights, function):
    arguments = list(inspect.signature(function).parameters)
    start = arguments.index(weights._fields[0])
    assert arguments[start : start + len(weights._fields)] == list(weights._fields)

"""The tests that take an array library, run on PyTorch and JAX."""

import importlib.util
import inspect
from pathlib import Path

import pytest

FIXTURE = type(pytest.fixture(lambda: None))


def portable_tests():
    """Every test of the folder above that has `xp` among its arguments, and the fixtures of its file."""
    for file in sorted(Path(__file__).parents[1].glob("test_*.py")):
        spec = importlib.util.spec_from_file_location(file.stem, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, test in vars(module).items():
            if isinstance(test, FIXTURE):
                yield name, test
            elif name.startswith("test_") and "xp" in inspect.signature(test).parameters:
                yield f"{name}__{file.stem.removeprefix('test_')}", test


globals().update(portable_tests())

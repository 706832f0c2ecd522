"""What the tests share."""

import importlib
import importlib.util

import hypothesis
import jaxtyping
import numpy as np
import pytest

# PyTorch and JAX are large and not needed for the rest
collect_ignore = [] if all(importlib.util.find_spec(name) for name in ("torch", "jax")) else ["heavy"]

hypothesis.settings.register_profile("l05", deadline=None, derandomize=True, max_examples=40)
hypothesis.settings.load_profile("l05")
# a mutant is to be found; nobody reads the smallest example
hypothesis.settings.register_profile("mutants", phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate])


@pytest.fixture(scope="session", params=["numpy", "array_api_strict"])
def xp(request):
    """An array library; tests/heavy runs the same tests on PyTorch and JAX."""
    return importlib.import_module(request.param)


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def as_a_user():
    """Switch the shape check off, which a user does not have: what does l05 itself say?"""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)

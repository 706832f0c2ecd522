"""Check the shapes of every call of l05, in the tests and in its doctests alike.

jaxtyping's plugin wraps the functions of l05 (see ``addopts`` in pyproject.toml), but l05 imports its annotations for
type checkers only. So it is imported here as a type checker would see it; without this the plugin checks nothing and
does not say so: tests/test_shape_check.py would.
"""

import contextlib
import typing


def pytest_sessionstart():
    # these must not see what is set below; jaxtyping imports JAX, where it is installed, with the first function
    import beartype  # noqa: F401  only to be there in time
    import jaxtyping  # noqa: F401  the same

    with contextlib.suppress(ImportError):
        import jax  # noqa: F401  the same

    typing.TYPE_CHECKING = True
    import l05  # noqa: F401  once, with its annotations

    typing.TYPE_CHECKING = False

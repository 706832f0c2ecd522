"""The residual connection: a layer learns only what is still missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from l05._arrays import cast, floating, function, returned

if TYPE_CHECKING:
    from jaxtyping import Float, Real

    from l05._arrays import Array, Plain


def residual(z: Real[Array, "*shape"] | Plain, layer: Callable[[Array], Array]) -> Float[Array, "*shape"]:
    r"""Add a layer's input to its output.

    .. math::

        y = z + \ell(z)

    Parameters
    ----------
    z : array
        The input, any shape.
    layer : callable
        The layer ℓ. It is given `z` as a floating array and must return the same shape.

    Returns
    -------
    array
        The sum, same shape.

    Raises
    ------
    ValueError
        If ``layer(z)`` does not have the shape of `z`: the sum would broadcast in silence.
    TypeError
        If `layer` is not callable, `z` holds no real numbers or the array libraries differ.

    References
    ----------
    :cite:t:`he2015`; :cite:t:`tsai2025`, slides 52-56.

    Examples
    --------
    >>> residual([1, 2], lambda z: 10 * z)
    array([11., 22.])
    """
    layer = function("layer", layer)
    xp, (z,), dtype = floating(z=(z, "*shape"))
    z = cast(xp, z, dtype)
    xp, (z, y), dtype = returned("layer", layer(1 * z), z)  # a copy, for it may work in place
    return cast(xp, z + y, dtype)

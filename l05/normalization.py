"""Normalization, from BatchNorm to DyT: bring numbers back to a scale one can work with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from l05._arrays import (
    IN_A_PART,
    all_finite,
    boolean,
    cast,
    floating,
    into,
    known,
    nowhere,
    parts,
    quiet,
    scalar,
    scale_to_1,
    sum_along,
    vecdot,
)

if TYPE_CHECKING:
    from types import ModuleType

    from jaxtyping import Float, Real

    from l05._arrays import Array, Plain, Scalar

FAR = 8  # times σ: the rounding of a mean beyond that would show, so the mean of what is left is taken off, too


def batch_norm(
    x: Real[Array, "*#batch n d"] | Plain,
    gamma: Real[Array, " d"] | Plain | None = None,
    beta: Real[Array, " d"] | Plain | None = None,
    eps: Scalar = 1e-5,
    mean: Real[Array, " d"] | Plain | None = None,
    var: Real[Array, " d"] | Plain | None = None,
    *,
    eps_in_root: bool = False,
) -> Float[Array, "*#batch n d"]:
    r"""Normalize each component over the batch: down the columns.

    .. math::

        \begin{aligned}
        y_{ij} &= \gamma_j\, \frac{x_{ij} - \mu_j}{\sigma_j + \varepsilon} + \beta_j \\
        \mu_j &= \frac1n \sum_{i=1}^{n} x_{ij},
        \quad
        \sigma_j = \sqrt{\frac1n \sum_{i=1}^{n} (x_{ij} - \mu_j)^2}
        \end{aligned}

    Row `i` is one vector of the batch, column `j` one component of all of them.

    Parameters
    ----------
    x : array
        A batch of `n` vectors as rows, shape ``(*batch, n, d)``.
    gamma, beta : array, optional
        Learned scale and shift, shape ``(d,)``; 1 and 0 when left out.
    eps : float, default 1e-5
        Keeps the denominator from being 0, >= 0.
    mean, var : array, optional
        Mean and variance from training, shape ``(d,)``, to be used in place of the batch's own; both or neither.
    eps_in_root : bool, default False
        Divide by √(σ² + ε), as PyTorch does, and not by σ + ε.

    Returns
    -------
    array
        Same shape. A batch of one gives exactly `beta`; so does a constant column, unless
        ``eps=0``, where 0 / 0 gives NaN, in the gradient, too.

    Raises
    ------
    ValueError
        If `eps` < 0, shapes do not fit, only one of `mean` and `var` is given, or `var` < 0.
    TypeError
        If the arguments hold no real numbers or come from different array libraries, or `eps_in_root` is not a boolean.

    References
    ----------
    :cite:t:`ioffe2015`; :cite:t:`tsai2025`, slides 57-64.

    Examples
    --------
    >>> batch_norm([[1, 10], [3, 30]], eps=0)
    array([[-1., -1.],
           [ 1.,  1.]])
    """
    xp, (x, gamma, beta, mu, variance), dtype = floating(
        x=(x, "*batch n d"), gamma=(gamma, "?d"), beta=(beta, "?d"), mean=(mean, "?d"), var=(var, "?d")
    )
    eps = scalar("eps", eps, xp, x.dtype, must=">= 0")
    if (mean is None) != (var is None):
        raise ValueError(f"`mean` and `var` must be given together, got only `{'var' if mean is None else 'mean'}`")
    if variance is not None and known(xp.any(variance < 0)):
        raise ValueError(f"`var` must be >= 0, got {variance}")
    if mu is None:
        x_hat = _standardize(xp, x, -2, eps, eps_in_root)
    else:
        with quiet():
            c, sigma = x - mu, _denominator(xp, xp.sqrt(variance), eps, 1.0, eps_in_root)
            x_hat = c / sigma if all_finite(xp, c) else xp.where(xp.isfinite(c), c / sigma, x / sigma - mu / sigma)
    return cast(xp, _affine(xp, x_hat, gamma, beta), dtype)


def layer_norm(
    x: Real[Array, "*batch d"] | Plain,
    gamma: Real[Array, " d"] | Plain | None = None,
    beta: Real[Array, " d"] | Plain | None = None,
    eps: Scalar = 1e-5,
    *,
    eps_in_root: bool = False,
) -> Float[Array, "*batch d"]:
    r"""Normalize each vector over its own components: along the rows.

    .. math::

        \begin{aligned}
        y &= \gamma\, \frac{x - \mu}{\sigma + \varepsilon} + \beta \\
        \mu &= \frac1d \sum_{i=1}^{d} x_i,
        \quad
        \sigma = \sqrt{\frac1d \sum_{i=1}^{d} (x_i - \mu)^2}
        \end{aligned}

    Parameters
    ----------
    x : array
        Vectors as rows, shape ``(*batch, d)``.
    gamma, beta : array, optional
        Learned scale and shift, shape ``(d,)``; 1 and 0 when left out.
    eps : float, default 1e-5
        Keeps the denominator from being 0, >= 0.
    eps_in_root : bool, default False
        Divide by √(σ² + ε), as PyTorch, JAX and Keras do. The lecture divides by σ + ε.

    Returns
    -------
    array
        Same shape. A constant row gives exactly `beta`, unless ``eps=0``, where 0 / 0 gives NaN, in the
        gradient, too.

    Raises
    ------
    ValueError
        If `eps` < 0 or shapes do not fit.
    TypeError
        If the arguments hold no real numbers or come from different array libraries, or `eps_in_root` is not a boolean.

    References
    ----------
    :cite:t:`ba2016`; :cite:t:`tsai2025`, slides 57-64.

    Examples
    --------
    >>> layer_norm([[1, 3], [5, 11]], eps=0)
    array([[-1.,  1.],
           [-1.,  1.]])
    """
    xp, (x, gamma, beta), dtype = floating(x=(x, "*batch d"), gamma=(gamma, "?d"), beta=(beta, "?d"))
    eps = scalar("eps", eps, xp, x.dtype, must=">= 0")
    return cast(xp, _affine(xp, _standardize(xp, x, -1, eps, eps_in_root), gamma, beta), dtype)


def rms_norm(
    x: Real[Array, "*batch d"] | Plain, gamma: Real[Array, " d"] | Plain | None = None, eps: Scalar = 0.0
) -> Float[Array, "*batch d"]:
    r"""Divide each vector by the root mean square of its components; no mean is subtracted.

    .. math::

        \begin{aligned}
        \operatorname{RMSNorm}(x) &= \gamma\, \frac{x}{\operatorname{RMS}(x)} \\
        \operatorname{RMS}(x) &= \sqrt{\frac1d \sum_{i=1}^{d} x_i^2}
        \end{aligned}

    Parameters
    ----------
    x : array
        Vectors as rows, shape ``(*batch, d)``.
    gamma : array, optional
        Learned scale, shape ``(d,)``; 1 when left out.
    eps : float, default 0
        Added under the root, >= 0; 0 is the lecture's bare form.

    Returns
    -------
    array
        Same shape. The zero vector gives 0, unless ``eps=0``, where 0 / 0 gives NaN, in the gradient, too.

    Raises
    ------
    ValueError
        If `eps` < 0 or shapes do not fit.
    TypeError
        If the arguments hold no real numbers or come from different array libraries.

    References
    ----------
    :cite:t:`zhang2019`; :cite:t:`tsai2025`, slide 62.

    Examples
    --------
    The root mean square of 3 and −3 is 3:

    >>> rms_norm([3, -3], gamma=[1, 10])
    array([  1., -10.])
    """
    xp, (x, gamma), dtype = floating(x=(x, "*batch d"), gamma=(gamma, "?d"))
    eps = scalar("eps", eps, xp, x.dtype, must=">= 0")
    if 0 in x.shape:
        return cast(xp, xp.zeros_like(x), dtype)
    scale: Any = 1.0
    with quiet():
        square = _mean_square(xp, x, -1)
        if not _in_range(xp, square):
            scale = scale_to_1(xp, x, -1)
            x = x * scale
            square = _mean_square(xp, x, -1)
        x_hat = x / _denominator(xp, _root(xp, square), eps, scale, True)
    return cast(xp, _affine(xp, x_hat, gamma, None), dtype)


def dyt(
    x: Real[Array, "*batch d"] | Plain,
    alpha: Scalar = 0.5,
    gamma: Real[Array, " d"] | Plain | None = None,
    beta: Real[Array, " d"] | Plain | None = None,
) -> Float[Array, "*batch d"]:
    r"""Do without statistics: a hyperbolic tangent alone keeps every number in bounds (Dynamic Tanh).

    .. math::

        \operatorname{DyT}(x) = \gamma \tanh(\alpha x) + \beta

    Parameters
    ----------
    x : array
        Vectors as rows, shape ``(*batch, d)``.
    alpha : float, default 0.5
        How soon the tangent bends: one learned number for the whole layer.
    gamma, beta : array, optional
        Learned scale and shift, shape ``(d,)``; 1 and 0 when left out.

    Returns
    -------
    array
        Same shape; each entry depends on the same entry of `x` alone.

    Raises
    ------
    ValueError
        If `alpha` is not one number or shapes do not fit.
    TypeError
        If the arguments hold no real numbers or come from different array libraries.

    References
    ----------
    :cite:t:`zhu2025`; :cite:t:`tsai2025`, slides 57-64.

    Examples
    --------
    >>> dyt([0, 1000, -1000], gamma=[1, 1, 2], beta=[0, 3, 0])
    array([ 0.,  4., -2.])
    """
    xp, (x, gamma, beta), dtype = floating(x=(x, "*batch d"), gamma=(gamma, "?d"), beta=(beta, "?d"))
    alpha = scalar("alpha", alpha, xp, x.dtype)
    if isinstance(alpha, float):
        limit = float(xp.finfo(x.dtype).max)
        alpha = max(min(alpha, limit), -limit)  # else it could be ∞ in float32, and ∞ · 0 is NaN; NaN itself stays
    with quiet():  # an overflow is ∞, whose tanh is the right 1
        bent = alpha * x
        return cast(xp, _affine(xp, xp.tanh(bent, **into(bent)), gamma, beta), dtype)


def _standardize(xp: ModuleType, x: Array, axis: int, eps: Any, eps_in_root: bool) -> Array:
    """Return (x − μ) / (σ + ε) along `axis`: two passes, the population σ."""
    if 0 in x.shape:
        return xp.zeros_like(x)
    scale: Any = 1.0
    with quiet():
        mu, c, square = _deviations(xp, x, axis)
        if not _in_range(xp, square):
            scale = scale_to_1(xp, x, axis)
            mu, c, square = _deviations(xp, x * scale, axis)
        far = square <= (mu / FAR) * (mu / FAR)
        if not nowhere(xp, far):
            c = xp.where(far, _deviations(xp, c, axis)[1], c)
            square = _mean_square(xp, c, axis)
        return xp.divide(c, _denominator(xp, _root(xp, square), eps, scale, eps_in_root), **into(c))


def _deviations(xp: ModuleType, x: Array, axis: int) -> tuple[Array, Array, Array]:
    """Return μ, x − μ and σ²."""
    mu = sum_along(xp, x, axis) / x.shape[axis]
    c = x - mu
    return mu, c, _mean_square(xp, c, axis)


def _mean_square(xp: ModuleType, x: Array, axis: int) -> Array:
    return _sum_of_squares(xp, x, axis) / x.shape[axis]


def _sum_of_squares(xp: ModuleType, x: Array, axis: int) -> Array:
    """Return the sum of the squares along an axis, none of which is written down where that can be."""
    if axis == -1:
        return vecdot(xp, x, x)[..., None]
    if x.shape[axis] > IN_A_PART:
        return sum_along(xp, xp.concat([_sum_of_squares(xp, part, axis) for part in parts(x, axis)], axis=axis), axis)
    if type(x) is np.ndarray:  # down the columns its vecdot is slow
        return np.einsum("...ij,...ij->...j", x, x)[..., None, :]
    return sum_along(xp, x * x, axis)


def _root(xp: ModuleType, square: Array) -> Array:
    """Return the root, with derivative 0 at 0: its own is infinite there and would make every gradient NaN."""
    zero = square == 0
    return xp.where(zero, 0, xp.sqrt(xp.where(zero, 1, square)))


def _in_range(xp: ModuleType, square: Array) -> bool:
    """Return whether no square has overflowed or lost digits by underflow."""
    limits = xp.finfo(square.dtype)
    return nowhere(xp, ~((square > limits.smallest_normal / limits.eps) & (square < xp.inf)))


def _denominator(xp: ModuleType, sigma: Array, eps: Any, scale: Any, eps_in_root: bool) -> Array:
    """Return σ + ε or √(σ² + ε), where σ belongs to x · scale."""
    in_root = boolean("eps_in_root", eps_in_root)
    if isinstance(eps, float) and eps == 0:
        return sigma
    if in_root:
        root = math.sqrt(eps) if isinstance(eps, float) else xp.sqrt(eps)
        denominator = xp.hypot(sigma, root * scale + xp.zeros_like(sigma))
    else:
        denominator = sigma + eps * scale
    if known(eps) == 0:
        return denominator
    tiny = xp.finfo(sigma.dtype).smallest_normal
    return xp.where(denominator == 0, tiny, denominator)  # ε may have vanished beside the scale; it is not 0


def _affine(xp: ModuleType, x_hat: Array, gamma: Array | None, beta: Array | None) -> Array:
    """Return γ x̂ + β."""
    x_hat = x_hat if gamma is None else xp.multiply(x_hat, gamma, **into(x_hat))
    return x_hat if beta is None else xp.add(x_hat, beta, **into(x_hat))

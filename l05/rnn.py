"""The recurrent neural network: two matrix products and one activation (columns are vectors)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from l05._arrays import cast, floating, function, quiet, returned

if TYPE_CHECKING:
    from jaxtyping import Float, Real

    from l05._arrays import Array, Plain


def sigmoid(x: Real[Array, "*shape"] | Plain) -> Float[Array, "*shape"]:
    r"""Squeeze any number into the interval from 0 to 1.

    .. math::

        \sigma(x) = \frac{1}{1 + e^{-x}}

    Parameters
    ----------
    x : array
        Any shape.

    Returns
    -------
    array
        Same shape, each entry between 0 and 1. No exponential overflows: for negative `x` the
        equal form :math:`e^{x} / (1 + e^{x})` is used.

    Raises
    ------
    TypeError
        If `x` holds no real numbers.

    References
    ----------
    :cite:t:`tsai2025`, slides 3-8.

    Examples
    --------
    >>> sigmoid([-1000, 0, 1000])
    array([0. , 0.5, 1. ])
    """
    xp, (x,), dtype = floating(x=(x, "*shape"))
    positive = x >= 0
    with quiet():
        e = xp.exp(xp.where(positive, -x, x))  # not −|x|: its derivative at 0 would be 0, and so would the sigmoid's
        return cast(xp, xp.where(positive, 1, e) / (1 + e), dtype)


def rnn_step(
    x_t: Real[Array, "*#batch d_in"] | Plain,
    h_prev: Real[Array, "*#batch d_h"] | Plain,
    W_X: Real[Array, "d_in d_h"] | Plain,
    W_H: Real[Array, "d_h d_h"] | Plain,
    b: Real[Array, " d_h"] | Plain,
    *,
    activation: Callable[[Array], Array] = sigmoid,
) -> Float[Array, "*#batch d_h"]:
    r"""Take one step: from the input of now and the state of before to the state of now.

    .. math::

        h_t = \sigma\!\left(W_X^{\mathsf T} x_t + W_H^{\mathsf T} h_{t-1} + b\right)

    Entry ``W_X[i, j]`` is the weight from input `i` to neuron `j`. From PyTorch:
    ``W_X = weight_ih.T``, ``W_H = weight_hh.T``, ``b = bias_ih + bias_hh``, ``activation=torch.tanh``.

    Parameters
    ----------
    x_t : array
        The input now, shape ``(*batch, d_in)``.
    h_prev : array
        The hidden state of the step before, shape ``(*batch, d_h)``.
    W_X : array
        Weights from the input, shape ``(d_in, d_h)``.
    W_H : array
        Weights from the state, shape ``(d_h, d_h)``.
    b : array
        One bias for each neuron, shape ``(d_h,)``.
    activation : callable, default :func:`sigmoid`
        The function σ, applied to each component.

    Returns
    -------
    array
        The hidden state now, shape ``(*batch, d_h)``.

    Raises
    ------
    ValueError
        If the weights do not fit the input or the state, or `activation` changes the shape.
    TypeError
        If the arguments hold no real numbers, come from different array libraries, or `activation` is not callable.

    References
    ----------
    :cite:t:`tsai2025`, slides 3-8.

    Examples
    --------
    Two inputs, two neurons; before the activation they hold 1·1 + 2·3 + 5 = 12 and 1·2 + 2·4 + 6 = 16:

    >>> rnn_step([1, 2], [0, 0], [[1, 2], [3, 4]], [[0, 0], [0, 0]], [5, 6], activation=lambda z: z)
    array([12., 16.])
    """
    xp, (x_t, h_prev, W_X, W_H, b), dtype = floating(
        x_t=(x_t, "*batch d_in"),
        h_prev=(h_prev, "*batch d_h"),
        W_X=(W_X, "d_in d_h"),
        W_H=(W_H, "d_h d_h"),
        b=(b, "d_h"),
    )
    # x W is the row that has the numbers of the column Wᵀ x, and it takes leading axes
    return cast(xp, _activate(activation, x_t @ W_X + h_prev @ W_H + b), dtype)


def rnn(
    x: Real[Array, "*#batch T d_in"] | Plain,
    W_X: Real[Array, "d_in d_h"] | Plain,
    W_H: Real[Array, "d_h d_h"] | Plain,
    b: Real[Array, " d_h"] | Plain,
    h_0: Real[Array, "*#batch d_h"] | Plain | None = None,
    *,
    activation: Callable[[Array], Array] = sigmoid,
) -> Float[Array, "*#batch T d_h"]:
    r"""Read a sequence from the first word to the last, one :func:`rnn_step` after another.

    .. math::

        \begin{gathered}
        h_t = \sigma\!\left(W_X^{\mathsf T} x_t + W_H^{\mathsf T} h_{t-1} + b\right) \\
        t = 1, 2, \ldots, T
        \end{gathered}

    Parameters
    ----------
    x : array
        The inputs in order, shape ``(*batch, T, d_in)``.
    W_X : array
        Weights from the input, shape ``(d_in, d_h)``.
    W_H : array
        Weights from the state, shape ``(d_h, d_h)``.
    b : array
        One bias for each neuron, shape ``(d_h,)``.
    h_0 : array, optional
        The state before the first input, shape ``(*batch, d_h)``; zeros when left out.
    activation : callable, default :func:`sigmoid`
        The function σ, applied to each component.

    Returns
    -------
    array
        All the states h_1 to h_T, shape ``(*batch, T, d_h)``; none for an empty sequence.

    Raises
    ------
    ValueError
        If the weights do not fit the input or the state, or `activation` changes the shape.
    TypeError
        If the arguments hold no real numbers, come from different array libraries, or `activation` is not callable.

    References
    ----------
    :cite:t:`tsai2025`, slides 3-8.

    Examples
    --------
    A neuron that adds up what it has seen:

    >>> rnn([[1], [10], [100]], [[1]], [[1]], [0], activation=lambda z: z)
    array([[  1.],
           [ 11.],
           [111.]])
    """
    xp, (x, W_X, W_H, b, h), dtype = floating(
        x=(x, "*batch T d_in"), W_X=(W_X, "d_in d_h"), W_H=(W_H, "d_h d_h"), b=(b, "d_h"), h_0=(h_0, "?*batch d_h")
    )
    inputs = x @ W_X + b  # the inputs need not wait for each other
    states = []
    for t in range(x.shape[-2]):
        h = _activate(activation, inputs[..., t, :] if h is None else inputs[..., t, :] + h @ W_H)
        states.append(h)
    if not states:
        batch = inputs.shape[:-2] if h is None else np.broadcast_shapes(inputs.shape[:-2], h.shape[:-1])
        return xp.zeros((*batch, 0, W_H.shape[0]), dtype=dtype, device=getattr(x, "device", None))
    return cast(xp, xp.stack(states, axis=-2), dtype)


def _activate(activation: Callable[[Array], Array], z: Array) -> Array:
    """Return σ(z) in the type of z."""
    xp, (_, h), _ = returned("activation", function("activation", activation)(z), z)
    return cast(xp, h, z.dtype)

"""Attention: ask a question, mix the best-fitting answers (rows are vectors)."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from l05._arrays import as_mask, cast, floating, integer, into, known, quiet, scalar, vecdot
from l05._blocks import allowed_by, attention_by_rows, exponentials, hide, mix, outgrow_the_cache, relative_scores

if TYPE_CHECKING:
    from types import ModuleType

    from jaxtyping import Float, Real

    from l05._arrays import Array, Mask, Plain, Scalar


def softmax(x: Real[Array, "*shape"] | Plain, *, axis: int = -1, tau: Scalar = 1.0) -> Float[Array, "*shape"]:
    r"""Turn scores into weights: all positive, adding up to 1, the highest score getting most.

    .. math::

        \operatorname{softmax}_\tau(x)_i = \frac{e^{x_i / \tau}}{\sum_{j} e^{x_j / \tau}}

    A number is subtracted from each row first: the weights stay the same and no exponential overflows.

    Parameters
    ----------
    x : array
        Scores, at least one axis.
    axis : int, default -1
        The axis whose entries compete.
    tau : float, default 1
        The temperature τ > 0 that the scores are divided by: the larger, the more even the weights.

    Returns
    -------
    array
        Weights, same shape. An entry of −inf gets exactly 0. A row of only −inf, or with a +inf,
        has no softmax and gives NaN; an empty axis gives an empty result.

    Raises
    ------
    ValueError
        If `tau` is not one number > 0.
    numpy.exceptions.AxisError
        If `x` has no such axis.
    TypeError
        If `x` holds no real numbers or `axis` is not an integer.

    References
    ----------
    :cite:t:`tsai2025`, slides 17-20 and 31-33.

    Examples
    --------
    The lecture's five scores, in percent, plain and divided by √5:

    >>> scores = [3.9, 3.2, 1, 0.3, 1.1]
    >>> [round(100 * float(weight)) for weight in softmax(scores)]
    [61, 30, 3, 2, 4]
    >>> [round(100 * float(weight)) for weight in softmax(scores, tau=5**0.5)]
    [40, 29, 11, 8, 11]
    """
    xp, (x,), dtype = floating(x=(x, "*shape"))
    axis = _axis(axis, x.ndim)
    tau = _temperature(xp, tau, x.dtype)
    if x.shape[axis] == 0:
        return cast(xp, xp.zeros_like(x), dtype)
    with quiet():  # an overflow is −inf, whose weight is the right 0
        if not (isinstance(tau, float) and tau == 1):
            if (known(tau) or 0) > _limits(xp, x.dtype)[1] * 2**-10:  # lest the difference of two scores overflow
                x, tau = x * 2**-10, tau * 2**-10
            x = x - xp.max(x, axis=axis, keepdims=True)  # of large scores the division would round digits away
            x = _divided(xp, x, tau)
        e, total = exponentials(xp, x, axis)
        return cast(xp, xp.divide(e, total, **into(e)), dtype)


def attention_weights(
    Q: Real[Array, "*#batch T_q d_k"] | Plain,
    K: Real[Array, "*#batch T_k d_k"] | Plain,
    *,
    mask: Mask | None = None,
    tau: Scalar | None = None,
) -> Float[Array, "*#batch T_q T_k"]:
    r"""Say for each query how much it looks at each key.

    .. math::

        \begin{aligned}
        A &= \operatorname{softmax}\!\left(\frac{Q K^{\mathsf T}}{\tau}\right) \\
        a_{ij} &= \text{weight of key } j \text{ for query } i
        \end{aligned}

    Parameters
    ----------
    Q : array
        Queries as rows, shape ``(*batch, T_q, d_k)``.
    K : array
        Keys as rows, shape ``(*batch, T_k, d_k)``.
    mask : array, optional
        Who may look at whom; broadcasts to ``(*batch, T_q, T_k)``. Boolean: True = may look.
        Floating: added to the scores, −inf = may not look; it takes on the type of the scores.
    tau : float, optional
        What the scores are divided by, √d_k when left out.

    Returns
    -------
    array
        Weights, shape ``(*batch, T_q, T_k)``. Each row adds up to 1; the row of a query that may
        look at no key is exactly 0. A key behind the mask has no influence, be it NaN (only the
        gradient wants finite keys).

    Raises
    ------
    ValueError
        If shapes do not fit or `tau` is not one number > 0.
    TypeError
        If `mask` is of integers, an argument holds no real numbers or the array libraries differ.

    References
    ----------
    :cite:t:`vaswani2017`, section 3.2.1; :cite:t:`tsai2025`, slides 17-20 and 31-33.

    Examples
    --------
    >>> attention_weights([[0, 0]], [[1, 2], [3, 4]])  # no preference: every key alike
    array([[0.5, 0.5]])
    >>> attention_weights([[0, 0]], [[1, 2], [3, 4]], mask=[[True, False]])
    array([[1., 0.]])
    """
    xp, (Q, K), dtype = floating(Q=(Q, "*batch T_q d_k"), K=(K, "*batch T_k d_k"))
    allowed, divisor = _mask(xp, Q, K, K, mask), _tau(xp, Q, tau)
    with quiet():  # NaN may stand behind the mask
        return cast(xp, _weights(xp, Q, K, allowed, divisor), dtype)


def attention(
    Q: Real[Array, "*#batch T_q d_k"] | Plain,
    K: Real[Array, "*#batch T_k d_k"] | Plain,
    V: Real[Array, "*#batch T_k d_v"] | Plain,
    *,
    mask: Mask | None = None,
    tau: Scalar | None = None,
) -> Float[Array, "*#batch T_q d_v"]:
    r"""Answer each query with a mixture of the values, most from those whose keys fit it best.

    .. math::

        \operatorname{Attention}(Q, K, V)
        = \operatorname{softmax}\!\left(\frac{Q K^{\mathsf T}}{\sqrt{d_k}}\right) V

    Parameters
    ----------
    Q : array
        Queries as rows, shape ``(*batch, T_q, d_k)``.
    K : array
        Keys as rows, shape ``(*batch, T_k, d_k)``.
    V : array
        Values as rows, one for each key, shape ``(*batch, T_k, d_v)``.
    mask : array, optional
        Who may look at whom; broadcasts to ``(*batch, T_q, T_k)``. Boolean: True = may look.
        Floating: added to the scores, −inf = may not look; it takes on the type of the scores.
    tau : float, optional
        What the scores are divided by, √d_k when left out.

    Returns
    -------
    array
        One mixture for each query, shape ``(*batch, T_q, d_v)``; exactly 0 for a query that may
        look at no key. What stands behind the mask has no influence, be it NaN or infinite. In front
        of it, it has all: no weight is 0, though it may be too small for a float (under ``jit`` that
        may make NaN of ∞ where there is no mask).

    Raises
    ------
    ValueError
        If shapes do not fit or `tau` is not one number > 0.
    TypeError
        If `mask` is of integers, an argument holds no real numbers or the array libraries differ.

    References
    ----------
    :cite:t:`vaswani2017`, equation 1; :cite:t:`tsai2025`, slides 17-20 and 31-33.

    Examples
    --------
    A query of zeros likes all keys alike and gets the mean of the values:

    >>> attention([[0, 0]], [[1, 2], [3, 4]], [[10], [20]])
    array([[15.]])
    >>> attention([[0, 0]], [[1, 2], [3, 4]], [[10], [20]], mask=[[True, False]])
    array([[10.]])
    """
    xp, (Q, K, V), dtype = floating(Q=(Q, "*batch T_q d_k"), K=(K, "*batch T_k d_k"), V=(V, "*batch T_k d_v"))
    allowed, divisor = _mask(xp, Q, K, V, mask), _tau(xp, Q, tau)
    with quiet():
        if outgrow_the_cache(Q, K, V, allowed, divisor):
            return cast(xp, attention_by_rows(xp, Q, K, V, allowed, divisor), dtype)
        return cast(xp, mix(xp, _weights(xp, Q, K, allowed, divisor), V, allowed), dtype)


def single_query_attention(
    q: Real[Array, "*#batch d_k"] | Plain,
    K: Real[Array, "*#batch T d_k"] | Plain,
    V: Real[Array, "*#batch T d_v"] | Plain,
    *,
    tau: Scalar = 1.0,
) -> Float[Array, "*#batch d_v"]:
    r"""Answer one query: compare it with each key, turn the scores into weights, mix the values.

    .. math::

        \begin{aligned}
        e_t &= \langle q, k_t \rangle \\
        [\alpha_1 \cdots \alpha_T] &= \operatorname{softmax}([e_1 \cdots e_T]) \\
        h &= \alpha_1 v_1 + \cdots + \alpha_T v_T \\
          &= \operatorname{softmax}(q K^{\mathsf T})\, V
        \end{aligned}

    Parameters
    ----------
    q : array
        One query, shape ``(*batch, d_k)``.
    K : array
        Keys as rows, shape ``(*batch, T, d_k)``.
    V : array
        Values as rows, shape ``(*batch, T, d_v)``.
    tau : float, default 1
        What the scores are divided by. The bare form of the lecture divides by nothing;
        ``tau=d_k**0.5`` gives a row of :func:`attention`.

    Returns
    -------
    array
        The answer `h`, shape ``(*batch, d_v)``; zeros where there is no key at all. A value that is not finite
        makes it so, however small its weight.

    Raises
    ------
    ValueError
        If shapes do not fit or `tau` is not one number > 0.
    TypeError
        If the arguments hold no real numbers or come from different array libraries.

    References
    ----------
    :cite:t:`tsai2025`, slides 17-20.

    Examples
    --------
    The query fits both keys equally well, so the answer lies halfway between the values:

    >>> single_query_attention([1, 1], [[1, 0], [0, 1]], [[10, 0], [30, 2]])
    array([20.,  1.])
    """
    xp, (q, K, V), dtype = floating(q=(q, "*batch d_k"), K=(K, "*batch T d_k"), V=(V, "*batch T d_v"))
    with quiet():
        scores = vecdot(xp, q[..., None, :], K)
        alpha = softmax(scores, tau=tau)
        return cast(xp, mix(xp, alpha[..., None, :], V, None)[..., 0, :], dtype)


def self_attention(
    X: Real[Array, "*#batch T d"] | Plain,
    W_Q: Real[Array, "d d_k"] | Plain,
    W_K: Real[Array, "d d_k"] | Plain,
    W_V: Real[Array, "d d_v"] | Plain,
    *,
    mask: Mask | None = None,
    tau: Scalar | None = None,
) -> Float[Array, "*#batch T d_v"]:
    r"""Let every word ask all the words: query, key and value all come from the same input.

    .. math::

        \begin{gathered}
        Q = X W_Q, \quad K = X W_K, \quad V = X W_V \\
        H = \operatorname{Attention}(Q, K, V)
        \end{gathered}

    Parameters
    ----------
    X : array
        Word embeddings as rows, shape ``(*batch, T, d)``.
    W_Q, W_K : array
        What makes a word a query and a key, shape ``(d, d_k)``.
    W_V : array
        What makes a word a value, shape ``(d, d_v)``.
    mask : array, optional
        As in :func:`attention`; broadcasts to ``(*batch, T, T)``.
    tau : float, optional
        As in :func:`attention`.

    Returns
    -------
    array
        As many vectors as came in, shape ``(*batch, T, d_v)``.

    Raises
    ------
    ValueError
        If shapes do not fit or `tau` is not one number > 0.
    TypeError
        If `mask` is of integers, an argument holds no real numbers or the array libraries differ.

    References
    ----------
    :cite:t:`vaswani2017`, section 3.2; :cite:t:`tsai2025`, slides 17-20.

    Examples
    --------
    With W_Q = 0 nobody prefers anybody, and all get the mean of the values:

    >>> identity, zero = [[1, 0], [0, 1]], [[0, 0], [0, 0]]
    >>> self_attention([[1, 2], [3, 6]], zero, identity, identity)
    array([[2., 4.],
           [2., 4.]])
    """
    xp, (X, W_Q, W_K, W_V), dtype = floating(
        X=(X, "*batch T d"), W_Q=(W_Q, "d d_k"), W_K=(W_K, "d d_k"), W_V=(W_V, "d d_v")
    )
    with quiet():  # infinities may stand behind the mask
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    return cast(xp, attention(Q, K, V, mask=mask, tau=tau), dtype)


def multi_head_attention(
    X_q: Real[Array, "*#batch T_q d_q"] | Plain,
    X_kv: Real[Array, "*#batch T_k d_kv"] | Plain,
    W_Q: Real[Array, "h d_q d_k"] | Plain,
    W_K: Real[Array, "h d_kv d_k"] | Plain,
    W_V: Real[Array, "h d_kv d_v"] | Plain,
    W_O: Real[Array, "h*d_v d_out"] | Plain,
    *,
    mask: Mask | None = None,
    tau: Scalar | None = None,
) -> Float[Array, "*#batch T_q d_out"]:
    r"""Look from several sides at once: each head asks with matrices of its own.

    .. math::

        \begin{aligned}
        \operatorname{MultiHead} &= [\text{head}_1 \cdots \text{head}_h]\, W_O \\
        \text{head}_n &= \operatorname{Attention}(Q_n, K_n, V_n) \\
        Q_n &= X_q W_Q^{n} \\
        K_n &= X_{kv} W_K^{n} \\
        V_n &= X_{kv} W_V^{n}
        \end{aligned}

    With ``X_q = X_kv`` it is self-attention. With two different inputs it is cross-attention:
    queries from one side, keys and values from the other.

    Parameters
    ----------
    X_q : array
        Those who ask, shape ``(*batch, T_q, d_q)``.
    X_kv : array
        Those who are asked, shape ``(*batch, T_k, d_kv)``.
    W_Q : array
        One matrix for each head, shape ``(h, d_q, d_k)``.
    W_K : array
        One matrix for each head, shape ``(h, d_kv, d_k)``.
    W_V : array
        One matrix for each head, shape ``(h, d_kv, d_v)``.
    W_O : array
        Mixes the heads, which stand side by side, shape ``(h * d_v, d_out)``.
    mask : array, optional
        As in :func:`attention`, the same for all heads; broadcasts to ``(*batch, T_q, T_k)``.
    tau : float, optional
        What the scores are divided by, √d_k when left out: the width of one head, not of the input.

    Returns
    -------
    array
        One vector for each that asks, shape ``(*batch, T_q, d_out)``.

    Raises
    ------
    ValueError
        If shapes do not fit, the numbers of heads differ or `tau` is not one number > 0.
    TypeError
        If `mask` is of integers, an argument holds no real numbers or the array libraries differ.

    References
    ----------
    :cite:t:`vaswani2017`, section 3.2.2; :cite:t:`tsai2025`, slides 35-39.

    Examples
    --------
    Two heads, each of which sees one of the two components; nobody prefers anybody:

    >>> first, second = [[1], [0]], [[0], [1]]
    >>> heads, zeros, W_O = [first, second], [[[0], [0]]] * 2, [[1, 0], [0, 1]]
    >>> multi_head_attention([[5, 5]], [[1, 2], [3, 6]], zeros, heads, heads, W_O)
    array([[2., 4.]])
    """
    xp, (X_q, X_kv, W_Q, W_K, W_V, W_O), dtype = floating(
        X_q=(X_q, "*batch T_q d_q"),
        X_kv=(X_kv, "*batch T_k d_kv"),
        W_Q=(W_Q, "h d_q d_k"),
        W_K=(W_K, "h d_kv d_k"),
        W_V=(W_V, "h d_kv d_v"),
        W_O=(W_O, "h*d_v d_out"),
    )
    h, _, d_v = W_V.shape
    if W_O.shape[0] != h * d_v:
        raise ValueError(f"`W_O` must have h * d_v = {h} * {d_v} rows as in `W_V`, got {tuple(W_O.shape)}")
    if (shared := _mask(xp, X_q, X_kv, X_kv, mask)) is not None:
        mask = shared[..., None, :, :]  # the axis of the heads
    X_q, X_kv = X_q[..., None, :, :], X_kv[..., None, :, :]
    with quiet():  # infinities may stand behind the mask
        Q, K, V = X_q @ W_Q, X_kv @ W_K, X_kv @ W_V
    heads = attention(Q, K, V, mask=mask, tau=tau)  # (*batch, h, T_q, d_v)
    *batch, head, word, component = range(heads.ndim)
    side_by_side = xp.permute_dims(heads, (*batch, word, head, component))
    return cast(xp, xp.reshape(side_by_side, (*side_by_side.shape[:-2], h * d_v)) @ W_O, dtype)


def _weights(xp: ModuleType, Q: Array, K: Array, mask: Array | None, tau: Any) -> Array:
    """Return softmax(Q Kᵀ / τ), with 0 for a query that may look at no key."""
    scores = (Q / tau) @ K.mT
    if 0 in scores.shape:
        return scores
    some = None
    if mask is not None:
        some = xp.any(allowed_by(xp, mask), axis=-1, keepdims=True)
        scores = xp.where(some, hide(xp, scores, mask), 0)
    e, total = exponentials(xp, scores)
    if known(xp.count_nonzero(lost := xp.isnan(total))):
        e, total = exponentials(xp, xp.where(lost, relative_scores(xp, Q, K, mask, tau), scores))
    weights = xp.divide(e, total, **into(e))
    return weights if some is None else xp.where(some, weights, 0)


def _divided(xp: ModuleType, x: Array, tau: Any) -> Array:
    """Return x / τ, writing over `x` where that can be."""
    if over := into(x):
        return xp.divide(x, tau, **over)
    hidden = x == -xp.inf  # would be multiplied by 0: by 1 / τ, which JAX takes, or in the gradient of τ
    return xp.where(hidden, x, xp.where(hidden, 0, x) / tau)


def _mask(xp: ModuleType, Q: Array, K: Array, V: Array, mask: Any) -> Array | None:
    """Return the mask as an array that fits the scores, and the values too."""
    if mask is None:
        return None
    batch = np.broadcast_shapes(*(tuple(x.shape[:-2]) for x in (Q, K, V)))
    mask = as_mask(xp, mask, Q.dtype, (*batch, Q.shape[-2], K.shape[-2]))
    return mask if mask.ndim > 1 else mask[None, :]


def _tau(xp: ModuleType, Q: Array, tau: Any) -> Any:
    """Return what the scores are divided by; √d_k is a Python number, for NumPy's would widen float32."""
    if Q.shape[-1] == 0:
        raise ValueError(f"`Q` and `K` must have at least one column, got {tuple(Q.shape)}")
    return math.sqrt(Q.shape[-1]) if tau is None else _temperature(xp, tau, Q.dtype)


def _temperature(xp: ModuleType, tau: Any, dtype: Any) -> Any:
    tau = scalar("tau", tau, xp, dtype, must="> 0")
    least, most = _limits(xp, dtype)  # of float32, say, in which a tiny tau would be 0 and a huge one infinite
    return max(least, min(tau, most)) if isinstance(tau, float) else xp.clip(tau, least, most)


@cache
def _limits(xp: ModuleType, dtype: Any) -> tuple[float, float]:
    limits = xp.finfo(dtype)
    return float(limits.smallest_normal), float(limits.max)


def _axis(axis: int, ndim: int) -> int:
    axis = integer("axis", axis)
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return axis

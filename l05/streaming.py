"""Attention that never holds a row of scores: the online softmax."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from l05._arrays import all_finite, cast, floating, into, quiet, sum_along
from l05._blocks import (
    Look,
    at_most_the_largest,
    block_by_block,
    blocks,
    finite,
    look_at,
    masked_scores,
    put,
    room_for_answers,
    with_common_batch,
    with_infinite,
)
from l05.attention import _mask, _tau

if TYPE_CHECKING:
    from types import ModuleType

    from jaxtyping import Float, Real

    from l05._arrays import Array, Mask, Plain, Scalar

ROWS, COLUMNS = 256, 512  # queries and keys at a time: 0.5 MB of scores in float32


def attention_streaming(
    Q: Real[Array, "*#batch T_q d_k"] | Plain,
    K: Real[Array, "*#batch T_k d_k"] | Plain,
    V: Real[Array, "*#batch T_k d_v"] | Plain,
    *,
    mask: Mask | None = None,
    tau: Scalar | None = None,
) -> Float[Array, "*#batch T_q d_v"]:
    r"""Compute attention while the keys stream by, a block at a time, in the same small space for any number of them.

    .. math::

        \begin{aligned}
        m' &= \max(m,\ \max_j e_j) \\
        s' &= e^{m - m'} s + \sum_j e^{e_j - m'} \\
        o' &= e^{m - m'} o + \sum_j e^{e_j - m'}\, v_j \\
        h &= o' / s'
        \end{aligned}

    For each query three things are remembered: the largest score so far `m`, the sum of the exponentials `s` and
    the sum of the values `o`, both relative to `m`. A block of scores `e` with its values `v` updates all three,
    and after the last block their quotient is the answer `h`.

    Parameters
    ----------
    Q : array
        Queries as rows, shape ``(*batch, T_q, d_k)``.
    K : array
        Keys as rows, shape ``(*batch, T_k, d_k)``.
    V : array
        Values as rows, one for each key, shape ``(*batch, T_k, d_v)``.
    mask : array, optional
        As in :func:`attention`.
    tau : float, optional
        What the scores are divided by, √d_k when left out.

    Returns
    -------
    array
        What :func:`attention` returns, up to rounding, shape ``(*batch, T_q, d_v)``; NaN for a query
        that is too large for a float once divided by `tau`, or whose scores are.

    Raises
    ------
    ValueError
        If shapes do not fit or `tau` is not one number > 0.
    TypeError
        If `mask` is of integers, an argument holds no real numbers or the array libraries differ.

    References
    ----------
    :cite:t:`milakov2018`; :cite:t:`rabe2021`; :cite:t:`dao2022`.

    Examples
    --------
    Both scores are 0, and the answer is the mean of the values, as it is of :func:`attention`:

    >>> attention_streaming([[0, 0]], [[1, 2], [3, 4]], [[10], [20]])
    array([[15.]])
    """
    xp, (Q, K, V), dtype = floating(Q=(Q, "*batch T_q d_k"), K=(K, "*batch T_k d_k"), V=(V, "*batch T_k d_v"))
    divisor = _tau(xp, Q, tau)
    batch, Q, K, V, allowed = with_common_batch(xp, Q, K, V, _mask(xp, Q, K, V, mask))
    look = partial(_looks, xp, K.shape[-2])
    with quiet():
        out = room_for_answers(xp, Q, K, V, allowed, divisor)
        for queries, head, looks in block_by_block(batch, Q.shape[-2], ROWS, allowed, look):
            keys = (*head, slice(None), slice(None))
            out = put(out, queries, _answers(xp, Q[queries] / divisor, K[keys], V[keys], looks))
    return cast(xp, out, dtype)


def _looks(xp: ModuleType, T_k: int, mask: Array | None) -> list[tuple[slice, Look]]:
    """Return the blocks of keys, and what the queries may look at in each."""
    return [(keys, look_at(xp, None if mask is None else mask[:, keys])) for keys in blocks(T_k, COLUMNS)]


def _answers(xp: ModuleType, Q: Array, K: Array, V: Array, looks: list[tuple[slice, Look]]) -> Array:
    """Return the answers to one block of queries, also where a sum outgrows the floats or a value is not finite."""
    answers = _stream(xp, Q, K, V, looks)
    if all_finite(xp, answers):
        return answers
    smaller = 0.5 ** K.shape[0].bit_length()
    answers = at_most_the_largest(xp, _stream(xp, Q, K, finite(xp, V) * smaller, looks) / smaller)
    for keys, look in looks:
        answers = with_infinite(xp, answers, V[keys, :][look.keys, :], look.mask)
    return answers


def _stream(xp: ModuleType, Q: Array, K: Array, V: Array, looks: list[tuple[slice, Look]]) -> Array:
    """Meet the keys block by block; the letters in the formula are top, total and mixed here."""
    total = xp.zeros_like(Q[:, :1])
    top, some = total - xp.inf, total > 0
    mixed = xp.zeros((Q.shape[0], V.shape[-1]), dtype=V.dtype, device=getattr(V, "device", None))
    for keys, look in looks:
        if look.keys == slice(0, 0):
            continue
        some = some | (True if look.some is None else look.some)
        scores = masked_scores(xp, Q, K[keys, :][look.keys, :], look)
        higher = xp.maximum(top, xp.max(scores, axis=-1, keepdims=True))
        relative_to = xp.where(higher == -xp.inf, 0, higher)  # no key seen yet
        scores, fade = xp.subtract(scores, relative_to, **into(scores)), xp.exp(top - relative_to)
        weights = xp.exp(scores, **into(scores))
        total = fade * total + sum_along(xp, weights, -1)
        mixed = fade * mixed + weights @ V[keys, :][look.keys, :]
        top = higher
    return mixed / xp.where(some, total, 1)

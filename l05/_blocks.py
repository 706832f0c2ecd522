"""Attention on arrays that are known to fit: the parts that the whole formula and its blocks share, and the blocks.

The formula needs one row of scores at a time and never two rows together. Where the scores, T_q × T_k of them,
outgrow the cache, the queries therefore go through it in blocks, and each block meets only the keys that one of
its queries may look at: under a causal mask that is half of all.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from l05._arrays import all_finite, cast, into, kind, known, nowhere

if TYPE_CHECKING:
    from types import ModuleType

    from l05._arrays import Array

SCORES = 2**19  # in a block of rows: 2 MB in float32, which stays in the cache
ROWS = 64  # at the least, or the products become too small to be fast


def allowed_by(xp: ModuleType, mask: Array) -> Array:
    """Return True where a query may look."""
    return mask if kind(xp, mask) == "bool" else mask != -xp.inf


def hide(xp: ModuleType, scores: Array, mask: Array) -> Array:
    """Return the scores with the mask applied: −inf where a query may not look, whatever stood there."""
    return xp.where(allowed_by(xp, mask), scores if kind(xp, mask) == "bool" else scores + mask, -xp.inf)


def mix(xp: ModuleType, weights: Array, V: Array, mask: Array | None) -> Array:
    """Return ``weights @ V`` such that a value behind the mask is not met, not even as 0 · NaN.

    The finite part is mixed as usual. What is not finite is added to the queries that may see it.
    """
    if mask is None or all_finite(xp, V):
        return weights @ V
    mixed = weights @ xp.where(xp.isfinite(V), V, 0)
    sees = cast(xp, xp.broadcast_to(allowed_by(xp, mask), weights.shape), V.dtype)
    for special, where in ((xp.inf, V == xp.inf), (-xp.inf, V == -xp.inf), (xp.nan, xp.isnan(V))):
        mixed = xp.where(sees @ cast(xp, where, V.dtype) > 0, mixed + special, mixed)
    return mixed


def outgrow_the_cache(Q: Array, K: Array) -> bool:
    """Return whether the scores deserve blocks; under a tracer (jit), which sees no numbers, they never do."""
    return Q.shape[-2] * K.shape[-2] > SCORES and 0 not in Q.shape and known(Q[(0,) * Q.ndim]) is not None


def attention_by_rows(xp: ModuleType, Q: Array, K: Array, V: Array, mask: Array | None, tau: Any) -> Array:
    """Return attention, one block of queries after another."""
    rows = max(ROWS, SCORES // K.shape[-2])
    batch, Q, K, V, mask = with_common_batch(xp, Q, K, V, mask)
    out = xp.zeros((*batch, Q.shape[-2], V.shape[-1]), dtype=V.dtype, device=getattr(V, "device", None))
    for i in np.ndindex(batch):
        for block in blocks(Q.shape[-2], rows):
            here, keys = None, slice(None)
            if mask is not None:
                here = mask[(*i, block, slice(None))]
                keys = _span(xp, xp.any(allowed_by(xp, here), axis=0))
                if keys == slice(0, 0):
                    continue
                here = here[:, keys]
            Q_i, K_i, V_i = Q[(*i, block, slice(None))], K[(*i, keys, slice(None))], V[(*i, keys, slice(None))]
            out = put(out, (*i, block, slice(None)), _attention(xp, Q_i / tau, K_i, V_i, here))
    return out


def _attention(xp: ModuleType, Q: Array, K: Array, V: Array, mask: Array | None) -> Array:
    """Return softmax(Q Kᵀ) V; the division waits until after the product with V, which has fewer columns."""
    scores, some = Q @ K.mT, True
    if mask is not None:
        part = _span(xp, ~xp.all(mask, axis=0)) if kind(xp, mask) == "bool" else slice(None)  # the rest hides nothing
        scores = put(scores, (slice(None), part), hide(xp, scores[:, part], mask[:, part]))
        some = xp.any(allowed_by(xp, mask), axis=-1, keepdims=True)
        if not nowhere(xp, ~some):
            scores = xp.where(some, scores, 0)
    weights, total = exponentials(xp, scores)
    mixed = weights @ V
    mixed = xp.divide(mixed, total, **into(mixed))
    if not all_finite(xp, mixed):  # a value behind the mask, or a sum that outgrows the floats as no mean does
        mixed = mix(xp, weights / total, V, mask)
    return mixed if some is True else xp.where(some, mixed, 0)


def exponentials(xp: ModuleType, scores: Array, axis: int = -1) -> tuple[Array, Array]:
    """Return what is proportional to the exponentials of the scores, and their sum along `axis`.

    Where the sum is neither lost nor so large that its square, which gradients divide by, is infinite, nothing is
    subtracted, and nothing is rounded. Elsewhere a power of two brings the exponentials near 1.
    """
    e = xp.exp(scores)
    total = xp.sum(e, axis=axis, keepdims=True)
    if not nowhere(xp, (total < 1) | (total > _largest(xp, scores.dtype) ** 0.5)):
        e = xp.exp(_shifted(xp, scores, axis))
        total = xp.sum(e, axis=axis, keepdims=True)
        scale = 2 ** -xp.floor(xp.log2(total / scores.shape[axis]))
        e, total = e * scale, total * scale
    return e, total


def _largest(xp: ModuleType, dtype: Any) -> float:
    """Return the largest number of a type, or of Python where that is less."""
    return min(float(xp.finfo(dtype).max), sys.float_info.max)


def _shifted(xp: ModuleType, x: Array, axis: int) -> Array:
    """Return the scores with a number taken off each row, such that no exponential overflows.

    The largest is left between 0 and what exp can bear, less some room for the gradients that it divides. Where a
    whole number does that, 0 above all, the difference is exact. To subtract the maximum itself would round, and
    what is lost in an exponent of −100 is lost a hundredfold in the weight.
    """
    top = xp.max(x, axis=axis, keepdims=True)
    room = math.log(_largest(xp, x.dtype) * float(xp.finfo(x.dtype).eps)) - math.log(x.shape[axis]) - 1
    shift = xp.where(top < 0, xp.floor(top), xp.ceil(xp.where(top > room, top - room, 0)))
    exact = (shift <= top) & (top - shift <= room)  # not so where floats lie 2 and more apart
    return x - xp.where(exact, shift, top)


def with_common_batch(
    xp: ModuleType, Q: Array, K: Array, V: Array, mask: Array | None
) -> tuple[tuple[int, ...], Array, Array, Array, Array | None]:
    """Return the leading axes that all broadcast to and views that have them; the mask gets its last two axes too."""
    batch = np.broadcast_shapes(*(tuple(x.shape[:-2]) for x in (Q, K, V, mask) if x is not None))
    Q, K, V = (xp.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (Q, K, V))
    return batch, Q, K, V, None if mask is None else xp.broadcast_to(mask, (*batch, Q.shape[-2], K.shape[-2]))


def blocks(length: int, size: int) -> Iterator[slice]:
    """Yield the slices of at most `size` that cover `length`."""
    for start in range(0, length, size):
        yield slice(start, min(start + size, length))


def put(out: Array, index: Any, value: Array) -> Array:
    """Return `out` with `value` written into it; JAX, whose arrays do not change, makes another array."""
    if hasattr(out, "at"):
        return out.at[index].set(value)
    out[index] = value
    return out


def _span(xp: ModuleType, chosen: Array) -> slice:
    """Return the slice from the first True to the last, all of it where a tracer does not tell."""
    count = known(xp.count_nonzero(chosen))
    if not count:
        return slice(None) if count is None else slice(0, 0)
    marks = cast(xp, chosen, xp.int8)
    first, after = (int(xp.argmax(x)) for x in (marks, xp.flip(marks)))
    return slice(first, chosen.shape[0] - after)

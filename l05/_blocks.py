"""Attention on arrays that are known to fit: the parts that the whole formula and its blocks share, and the blocks.

The formula needs one row of scores at a time and never two rows together. Where the scores, T_q × T_k of them,
outgrow the cache, the queries therefore go through it in blocks, and each block meets only the keys that one of
its queries may look at: under a causal mask that is half of all.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from l05._arrays import all_finite, cast, into, kind, known, nowhere, scale_to_1, sum_along

if TYPE_CHECKING:
    from types import ModuleType

    from l05._arrays import Array

T = TypeVar("T")
SCORES = 2**20  # in a block of rows: 4 MB in float32
ROWS = 64  # at the least, or the products become too small to be fast; more than four times as many gain nothing


def allowed_by(xp: ModuleType, mask: Array) -> Array:
    """Return True where a query may look."""
    return mask if kind(xp, mask) == "bool" else mask != -xp.inf


def hide(xp: ModuleType, scores: Array, mask: Array) -> Array:
    """Return the scores with the mask applied: −inf where a query may not look, whatever stood there."""
    return xp.where(allowed_by(xp, mask), scores if kind(xp, mask) == "bool" else scores + mask, -xp.inf)


def mix(xp: ModuleType, weights: Array, V: Array, mask: Array | None) -> Array:
    """Return ``weights @ V``, where no product is 0 · ∞.

    A tracer (jit, vmap) does not tell, and without a mask it gets the product as it is, which a cluster adds up once.
    """
    mixed = weights @ V
    strange = known(xp.count_nonzero(~xp.isfinite(mixed)))
    if strange or (strange is None and mask is not None):
        return with_infinite(xp, at_most_the_largest(xp, weights @ finite(xp, V)), V, mask)
    return mixed


def finite(xp: ModuleType, V: Array) -> Array:
    """Return the values with 0 in the place of what is not finite."""
    return xp.where(xp.isfinite(V), V, 0)


def at_most_the_largest(xp: ModuleType, mixed: Array) -> Array:
    """Return mixtures of finite values, which rounding may have made a little larger than the largest float."""
    most = float(xp.finfo(mixed.dtype).max)
    return xp.clip(mixed, -most, most)


def with_infinite(xp: ModuleType, mixed: Array, V: Array, mask: Array | None) -> Array:
    """Add what is not finite in the values to the mixtures of those who may look there, and to no other.

    No weight is 0, though it may be too small for a float: a mixture with ∞ is ∞ however small its weight.
    """
    if mask is not None:
        shape = (*mask.shape[:-2], mixed.shape[-2], V.shape[-2])
        sees = cast(xp, xp.broadcast_to(allowed_by(xp, mask), shape), V.dtype)
    for special, where in ((xp.inf, V == xp.inf), (-xp.inf, V == -xp.inf), (xp.nan, xp.isnan(V))):
        met = xp.any(where, axis=-2, keepdims=True) if mask is None else sees @ cast(xp, where, V.dtype) > 0
        mixed = xp.where(met, mixed + special, mixed)
    return mixed


def outgrow_the_cache(Q: Array, K: Array, *others: Any) -> bool:
    """Return whether the scores deserve blocks; where a tracer (jit, vmap) hides any numbers, they never do."""
    if Q.shape[-2] * K.shape[-2] <= SCORES / 16:
        return False
    arrays = [x for x in (Q, K, *others) if hasattr(x, "shape")]
    return all(0 not in x.shape and known(x[(0,) * x.ndim]) is not None for x in arrays)


def attention_by_rows(xp: ModuleType, Q: Array, K: Array, V: Array, mask: Array | None, tau: Any) -> Array:
    """Return attention, one block of queries after another."""
    rows = min(max(ROWS, SCORES // K.shape[-2]), 4 * ROWS)
    batch, Q, K, V, mask = with_common_batch(xp, Q, K, V, mask)
    out = room_for_answers(xp, Q, K, V, mask, tau)
    for queries, head, look in block_by_block(batch, Q.shape[-2], rows, mask, partial(look_at, xp)):
        if look.keys != slice(0, 0):
            keys = (*head, look.keys, slice(None))
            out = put(out, queries, _attention(xp, Q[queries], K[keys], V[keys], look, tau))
    return out


class Look(NamedTuple):
    """What a block of queries may look at."""

    keys: slice
    """From the first that one of them may look at to the last."""
    mask: Array | None = None
    """Of these keys."""
    part: slice = slice(None)
    """Of these keys: from the first that is hidden from one of them to the last."""
    some: Array | None = None
    """Whether a query may look at any, as a column; None where all may."""


def look_at(xp: ModuleType, mask: Array | None) -> Look:
    """Return what a mask of two axes lets its queries look at."""
    if mask is None:
        return Look(slice(None))
    keys = _span(xp, xp.any(allowed_by(xp, mask), axis=0))
    mask = mask[:, keys]
    part = _span(xp, ~xp.all(mask, axis=0)) if kind(xp, mask) == "bool" else slice(None)
    some = xp.any(allowed_by(xp, mask), axis=-1, keepdims=True)
    return Look(keys, mask, part, None if nowhere(xp, ~some) else some)


def masked_scores(xp: ModuleType, Q: Array, K: Array, look: Look) -> Array:
    """Return Q Kᵀ, and −inf where a query may not look."""
    scores = Q @ K.mT
    if look.mask is None or look.part == slice(0, 0):
        return scores
    if look.part == slice(None):
        return hide(xp, scores, look.mask)
    return put(scores, (slice(None), look.part), hide(xp, scores[:, look.part], look.mask[:, look.part]))


def _attention(xp: ModuleType, Q: Array, K: Array, V: Array, look: Look, tau: Any) -> Array:
    """Return softmax(Q Kᵀ / τ) V; the sum divides after the product with V, which has fewer columns."""

    def scores() -> Array:
        masked = masked_scores(xp, Q / tau, K, look)
        return masked if look.some is None else xp.where(look.some, masked, 0)

    weights, total = exponentials(xp, scores(), again=scores)
    mixed = weights @ V
    mixed = xp.divide(mixed, total, **into(mixed))
    if not all_finite(xp, mixed):  # a value behind the mask, or a sum that outgrows the floats as no mean does
        if known(xp.count_nonzero(lost := xp.isnan(total))):
            weights, total = exponentials(xp, xp.where(lost, relative_scores(xp, Q, K, look.mask, tau), scores()))
        mixed = mix(xp, weights / total, V, look.mask)
    return mixed if look.some is None else xp.where(look.some, mixed, 0)


def relative_scores(xp: ModuleType, Q: Array, K: Array, mask: Array | None, tau: Any) -> Array:
    """Return the scores less the best of each row, which floats can hold though Q / τ or Q Kᵀ be too large."""
    scale = scale_to_1(xp, Q, -1) / 2 ** (Q.shape[-1].bit_length() + 9)  # it may leave numbers of up to 2⁹
    scores = (Q * scale) @ K.mT
    if mask is not None:
        scores = hide(xp, scores, allowed_by(xp, mask))
    scores = (scores - xp.max(scores, axis=-1, keepdims=True)) / scale / tau
    return scores if mask is None or kind(xp, mask) == "bool" else scores + mask


def exponentials(
    xp: ModuleType, scores: Array, axis: int = -1, again: Callable[[], Array] | None = None
) -> tuple[Array, Array]:
    """Return what is proportional to the exponentials of the scores, and their sum along `axis`.

    Where the sum is neither lost nor so large that its square, which gradients divide by, is infinite, nothing is
    subtracted, and nothing is rounded. Elsewhere a power of two brings the exponentials near 1. Where the scores can
    be made `again`, the exponentials take their place.
    """
    e = xp.exp(scores, **(into(scores) if again else {}))
    total = sum_along(xp, e, axis)
    if not nowhere(xp, (total < 1) | (total > _largest(xp, scores.dtype) ** 0.5)):
        e = xp.exp(_shifted(xp, again() if again else scores, axis))
        total = sum_along(xp, e, axis)
        scale = 2 ** -xp.floor(xp.log2(total / scores.shape[axis]))
        e, total = e * scale, total * scale
    return e, total


@cache
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
    """Return the leading axes that all broadcast to and views that have them.

    The mask gets its last two axes, and of the others as many, that it may have one for all.
    """
    batch = np.broadcast_shapes(*(tuple(x.shape[:-2]) for x in (Q, K, V, mask) if x is not None))
    Q, K, V = (xp.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (Q, K, V))
    if mask is not None:
        one_for_all = (1,) * (len(batch) + 2 - mask.ndim) + tuple(mask.shape[:-2])
        mask = xp.broadcast_to(mask, (*one_for_all, Q.shape[-2], K.shape[-2]))
    return batch, Q, K, V, mask


def room_for_answers(xp: ModuleType, Q: Array, K: Array, V: Array, mask: Array | None, tau: Any) -> Array:
    """Return zeros in the shape of the answers, made from what goes in, for PyTorch's vmap hides axes of it."""
    corners = [xp.sum(cast(xp, x[..., :1, :1], V.dtype)) for x in (Q, K, V, mask) if x is not None]
    return xp.zeros_like(xp.broadcast_to(sum(corners) + tau, (*Q.shape[:-1], V.shape[-1])))


def block_by_block(
    batch: tuple[int, ...], length: int, size: int, mask: Array | None, look: Callable[[Array | None], T]
) -> Iterator[tuple[tuple[Any, ...], tuple[int, ...], T]]:
    """Yield where at most `size` queries of one head are, which head it is, and what `look` finds in their mask.

    Of the heads that share a mask only the first looks at it.
    """
    for block in blocks(length, size):
        found: dict[tuple[int, ...], T] = {}
        for head in np.ndindex(batch):
            owner = () if mask is None else tuple(min(n, m - 1) for n, m in zip(head, mask.shape, strict=False))
            if owner not in found:
                found[owner] = look(None if mask is None else mask[(*owner, block, slice(None))])
            yield (*head, block, slice(None)), head, found[owner]


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

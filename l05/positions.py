"""Positions: digits, and the clock hands that stand in for them."""

from __future__ import annotations

import math
import sys
from decimal import Context, Decimal, localcontext
from functools import cache, lru_cache
from itertools import accumulate, repeat
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from l05._arrays import (
    cast,
    default_float,
    floating,
    integer,
    integers,
    kind,
    known,
    library_name,
    namespace,
    namespace_of,
    nowhere,
    quiet,
    scalar,
)

if TYPE_CHECKING:
    from types import ModuleType

    from jaxtyping import Float, Integer, Real

    from l05._arrays import Array, Plain, Scalar

LARGEST = 2**24  # columns: more are a mistake, and would be waited for in vain
EXACTLY = Context(prec=50, traps=[])  # whatever the caller's program has set for its own decimals
IN_A_ROW = 64  # positions, from which on it saves time to turn hands and not to look each up


def digits(t: Integer[Array, "*shape"] | Plain, base: int = 10, d: int | None = None) -> Integer[Array, "*shape d"]:
    r"""Write numbers in a positional number system, the ones digit first.

    .. math::

        \begin{aligned}
        t &= a_0 + a_1 b + a_2 b^2 + \cdots \\
        a_k &= \left\lfloor \frac{t}{b^k} \right\rfloor \bmod b
        \end{aligned}

    Digit `k` changes every :math:`b^k` steps: the ones digit is the fast one.

    Parameters
    ----------
    t : array of int
        Numbers >= 0, any shape.
    base : int, default 10
        The base `b` >= 2.
    d : int, optional
        How many digits, as many as the largest number needs when left out.

    Returns
    -------
    array of int
        The digits, shape ``(*shape, d)``; entry ``[..., k]`` is :math:`a_k`.

    Raises
    ------
    ValueError
        If a number is negative, `d` < 0, `base` < 2 or `base` is too large for the type of `t`.
    TypeError
        If `t`, `base` or `d` is not made of integers.

    References
    ----------
    :cite:t:`tsai2025`, slides 41-48.

    Examples
    --------
    >>> digits(9487)  # 7 ones, 8 tens, 4 hundreds, 9 thousands
    array([7, 8, 4, 9])
    """
    xp, t = integers("t", t)
    base = integer("base", base, least=2)
    if base > xp.iinfo(t.dtype).max:
        raise ValueError(f"`base` must fit in the type of `t`, {t.dtype}, got {base}")
    d = _needed(xp, t, base) if d is None else integer("d", d, least=0, most=LARGEST)
    found = []
    for _ in range(d):
        found.append(t % base)
        t = t // base
    return xp.stack(found, axis=-1) if found else xp.zeros((*t.shape, 0), dtype=t.dtype)


def angular_frequencies(
    d: int, *, base: Scalar = 10000.0, xp: ModuleType | None = None, dtype: Any = None
) -> Float[Array, " pairs"]:
    r"""Say how fast each clock of the positional encoding turns.

    .. math::

        \omega_k = \frac{1}{10000^{2k/d}}, \qquad k = 0, 1, \ldots

    Parameters
    ----------
    d : int
        Width of the positional encoding, at least 1.
    base : float, default 10000
        What stands in the denominator, > 0.
    xp : module, optional
        The array library, NumPy when left out.
    dtype : optional
        A floating type of that library, float64 (JAX: its default) when left out.

    Returns
    -------
    array
        Angles per step in radians, one for each pair of columns, shape ``(ceil(d / 2),)``.

    Raises
    ------
    ValueError
        If `d` < 1 or `base` is not > 0.
    TypeError
        If `d` is not an integer, `xp` not an array library or `dtype` not floating.

    References
    ----------
    :cite:t:`vaswani2017`, section 3.5; :cite:t:`tsai2025`, slides 41-48.

    Examples
    --------
    >>> angular_frequencies(4)  # the second clock is 100 times slower
    array([1.  , 0.01])
    """
    xp = namespace(xp)
    dtype = _floating_dtype(xp, dtype)
    return xp.asarray([float(omega) for omega in _frequencies(d, base)], dtype=dtype)


def positional_encoding(
    t: Real[Array, "*shape"] | Plain,
    d: int,
    *,
    base: Scalar = 10000.0,
    xp: ModuleType | None = None,
    dtype: Any = None,
) -> Float[Array, "*shape d"]:
    r"""Give each position the hands of `d`/2 clocks, fast ones first: what is added to a word embedding.

    .. math::

        \begin{aligned}
        p_{2k} &= \sin(\omega_k t) \\
        p_{2k+1} &= \cos(\omega_k t)
        \end{aligned}
        \qquad \omega_k = \frac{1}{10000^{2k/d}}

    Parameters
    ----------
    t : array
        Positions, any shape: ``range(T)`` for a sentence of T words, one number for one position.
    d : int
        Width, at least 1. When it is odd the last column is a sine.
    base : float, default 10000
        What stands in the denominator, > 0.
    xp : module, optional
        The array library, that of `t` when left out.
    dtype : optional
        A floating type of that library; that of `t` when left out, float64 for integers. The angles
        of lists and NumPy arrays are computed in float64 whatever it is.

    Returns
    -------
    array
        One encoding for each position, shape ``(*shape, d)``, right to the last digit up to t = 2²⁷
        (computed in float32, as JAX does by default, up to 2¹²). From there on the error grows with t.

    Raises
    ------
    ValueError
        If `d` < 1, `base` is not > 0, or a whole number in `t` is too large to tell from the next as
        a float: from 2⁵³ on, in JAX without float64 from 2²⁴ on.
    TypeError
        If `t` holds no real numbers, `d` is not an integer, `xp` not an array library or not the
        one of `t`, or `dtype` not floating.

    References
    ----------
    :cite:t:`vaswani2017`, section 3.5; :cite:t:`tsai2025`, slides 41-48.

    Examples
    --------
    At position 0 every clock stands at sine 0, cosine 1:

    >>> positional_encoding([0], 4)
    array([[0., 1., 0., 1.]])
    """
    given = namespace_of(t)
    target = namespace(xp) if xp is not None else given or np
    if given not in (None, np, target):
        came = f"got {library_name(target)} for an array of {library_name(given)}"
        raise TypeError(f"`xp` must be the library of `t`, {came}")
    own, (positions,), own_dtype = floating(t=(t, "*shape"))
    frequencies = _frequencies(d, base)
    t = _exact(own, t, cast(own, positions, _floating_dtype(own, None)))
    with quiet():  # an infinite position has no hands: NaN
        if own is np and t.ndim == 1 and len(t) >= IN_A_ROW and (np.diff(t) == 1).all():
            p = _in_a_row(t, frequencies)
        else:
            p = own.stack(_hands(own, t, frequencies), axis=-1)
            p = own.reshape(p, (*t.shape, 2 * len(frequencies)))
    p = p[..., :d]
    if target is own:
        return cast(own, p, own_dtype if dtype is None else _floating_dtype(own, dtype))
    return target.asarray(p, dtype=_floating_dtype(target, dtype))


def _exact(xp: ModuleType, given: Any, t: Array) -> Array:
    """Return the positions as floats, once it is known that no integer among those given has been rounded."""
    limit = round(2 / float(xp.finfo(t.dtype).eps))
    far = known(xp.count_nonzero(xp.abs(t) >= limit))
    if far and kind(xp, given if hasattr(given, "dtype") else np.asarray(given)) == "integral":
        raise ValueError(f"integers in `t` must be less than {limit}, to be exact as a {t.dtype}, got {given}")
    return t


def _in_a_row(t: Array, frequencies: tuple[Decimal, ...]) -> Array:
    """Return the encodings of positions that follow each other: some from their angles, the rest by turning these.

    As a complex number a clock is sin + i cos, and to turn it on by an angle is to multiply it by cos − i sin.
    """
    step = math.isqrt(len(t))
    sin, cos = _hands(np, t[::step], frequencies)
    little_sin, little_cos = _hands(np, np.arange(float(step)), frequencies)
    clocks = (sin + 1j * cos)[:, None, :] * (little_cos - 1j * little_sin)
    return clocks.reshape(-1, len(frequencies))[: len(t)].view(float)  # its parts side by side


def _hands(xp: ModuleType, t: Array, frequencies: tuple[Decimal, ...]) -> tuple[Array, Array]:
    """Return the sines and cosines of t · ω."""
    angle, missing = _angles(xp, t, frequencies)
    sin, cos, little_sin, little_cos = xp.sin(angle), xp.cos(angle), missing, 1.0
    if not nowhere(xp, ~(xp.abs(missing) < 2**-27)):
        little_sin, little_cos = xp.sin(missing), xp.cos(missing)
    return sin * little_cos + cos * little_sin, cos * little_cos - sin * little_sin


def _frequencies(d: int, base: Any) -> tuple[Decimal, ...]:
    """Return the frequencies to 40 digits: at position one million a float64 has lost ten of its sixteen."""
    library = namespace_of(base)
    if library not in (None, np):
        raise TypeError(f"`base` must be a number of Python or NumPy, got one of {library_name(library)}")
    base = scalar("base", base, np, np.float64, must="> 0")
    if not sys.float_info.min <= base < np.inf:
        raise ValueError(f"`base` must be finite and at least {sys.float_info.min:.1e}, got {base}")
    return _powers(integer("d", d, least=1, most=LARGEST), base)


@cache
def _powers(d: int, base: float) -> tuple[Decimal, ...]:
    with localcontext(EXACTLY):
        factor = Decimal(base) ** (Decimal(-2) / d)
        return tuple(accumulate(repeat(factor, (d - 1) // 2), mul, initial=Decimal(1)))


def _angles(xp: ModuleType, t: Array, frequencies: tuple[Decimal, ...]) -> tuple[Array, Array]:
    """Return the angles t · ω and what the rounding has taken from them.

    Both factors are split in two halves of half the digits each. The product of the leading halves is exact.
    """
    digits = round(1 - math.log2(float(xp.finfo(t.dtype).eps))) // 2
    omega_1, omega_2 = (
        xp.asarray(half, dtype=t.dtype, device=getattr(t, "device", None)) for half in _halves(frequencies, digits)
    )
    t = t[..., None]
    little = t * 2.0**-digits  # lest the largest overflow
    spread = little + t
    t_1 = (spread - (spread - little)) * 2.0**digits
    exact, rest = t_1 * omega_1, (t - t_1) * omega_1 + t * omega_2
    angle = exact + rest
    return angle, (exact - angle) + rest


@lru_cache
def _halves(frequencies: tuple[Decimal, ...], digits: int) -> tuple[list[float], list[float]]:
    """Return the leading `digits` of the frequencies, and what they leave."""
    leading = [math.ldexp(math.floor(math.ldexp(m, digits)), e - digits) for m, e in map(math.frexp, frequencies)]
    with localcontext(EXACTLY):
        return leading, [float(omega - Decimal(half)) for omega, half in zip(frequencies, leading, strict=True)]


def _needed(xp: ModuleType, t: Array, base: int) -> int:
    """Return how many digits the largest number has."""
    largest = 0 if 0 in t.shape else known(xp.max(t))
    if largest is None:
        raise ValueError("`d` must be given where the values of `t` are traced")
    number, d = int(largest), 1
    while number := number // base:
        d += 1
    return d


def _floating_dtype(xp: ModuleType, dtype: Any) -> Any:
    if dtype is None:
        return default_float(xp)
    try:
        dtype = np.dtype(dtype) if xp is np else dtype
        if xp.isdtype(dtype, "real floating"):
            return dtype
    except (TypeError, AttributeError):  # a type of another library
        pass
    raise TypeError(f"`dtype` must be a floating type of {library_name(xp)}, got {dtype}")

"""Masks: who may look at whom. True = may look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from l05._arrays import integer, integers, known, namespace

if TYPE_CHECKING:
    from types import ModuleType

    from jaxtyping import Bool, Integer

    from l05._arrays import Array, Plain


def causal_mask(
    T_q: int, T_k: int | None = None, offset: int | None = None, *, xp: ModuleType | None = None, device: Any = None
) -> Bool[Array, "T_q T_k"]:
    r"""Let every word look at itself and at what came before it, never ahead.

    .. math::

        m_{ij} = \begin{cases} \text{True} & j \le i + \text{offset} \\ \text{False} & \text{otherwise} \end{cases}

    Parameters
    ----------
    T_q : int
        Number of queries.
    T_k : int, optional
        Number of keys, as many as queries when left out.
    offset : int, optional
        How many keys the first query may see beyond the first key. 0, the choice for as many keys
        as queries, lines up the first query with the first key; ``T_k - T_q`` lines up the last
        ones, as when earlier keys were kept from before. Must be given when `T_q` and `T_k` differ.
    xp : module, optional
        The array library, NumPy when left out.
    device : optional
        Where the library is to put the mask.

    Returns
    -------
    array
        Booleans, shape ``(T_q, T_k)``; row `i` says what query `i` may look at.

    Raises
    ------
    ValueError
        If `T_q` or `T_k` is negative, or `offset` is left out although `T_q` and `T_k` differ.
    TypeError
        If a number is not an integer or `xp` is not an array library.

    References
    ----------
    :cite:t:`vaswani2017`, section 3.2.3; :cite:t:`tsai2025`, slides 35-39.

    Examples
    --------
    >>> causal_mask(3)
    array([[ True, False, False],
           [ True,  True, False],
           [ True,  True,  True]])
    """
    T_q = integer("T_q", T_q, least=0)
    T_k = T_q if T_k is None else integer("T_k", T_k, least=0)
    if offset is None:
        if T_q != T_k:
            raise ValueError(
                f"`offset` must be given when T_q and T_k differ, got T_q = {T_q}, T_k = {T_k}: "
                f"0 lines up the first query and key, T_k - T_q = {T_k - T_q} the last"
            )
        offset = 0
    offset = max(-T_q, min(integer("offset", offset), T_k))  # beyond that nothing changes, but an integer may overflow
    xp = namespace(xp)
    i, j = xp.arange(T_q, device=device)[:, None], xp.arange(T_k, device=device)
    return j <= i + offset


def padding_mask(
    lengths: Integer[Array, "*batch"] | Plain, T_k: int | None = None, *, xp: ModuleType | None = None
) -> Bool[Array, "*batch 1 T_k"]:
    r"""Hide the padding that fills up short sentences to the length of the longest.

    .. math::

        m_{1j} = \begin{cases} \text{True} & j < \text{length} \\ \text{False} & \text{otherwise} \end{cases}

    Parameters
    ----------
    lengths : array of int
        Number of real words of each sentence, shape ``(*batch,)``.
    T_k : int, optional
        Number of words with padding, the longest of `lengths` when left out.
    xp : module, optional
        The array library for lengths that are given as a list; NumPy when left out.

    Returns
    -------
    array
        Booleans, shape ``(*batch, 1, T_k)``: all queries of a sentence are shown the same keys.

    Raises
    ------
    ValueError
        If a length is negative or larger than `T_k`.
    TypeError
        If a length is not an integer or `xp` is not an array library.

    References
    ----------
    The mask is that of :cite:t:`vaswani2017`, section 3.2.3; to hide padding with it is the book's addition.

    Examples
    --------
    Two sentences, of two words and of three:

    >>> padding_mask([2, 3])
    array([[[ True,  True, False]],
    <BLANKLINE>
           [[ True,  True,  True]]])
    """
    xp, lengths = integers("lengths", lengths, xp)
    longest = 0 if 0 in lengths.shape else known(xp.max(lengths))
    if T_k is not None:
        T_k = integer("T_k", T_k, least=0)
    elif longest is not None:
        T_k = int(longest)
    else:
        raise ValueError("`T_k` must be given where the values of `lengths` are traced")
    if longest is not None and longest > T_k:
        raise ValueError(f"`lengths` must be at most T_k = {T_k}, got {lengths}")
    j = xp.arange(T_k, device=getattr(lengths, "device", None))
    return j < lengths[..., None, None]

"""Two facts of linear algebra from which attention is made (rows are vectors)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from l05._arrays import cast, floating, sum_along, vecdot

if TYPE_CHECKING:
    from jaxtyping import Float, Real

    from l05._arrays import Array, Plain


def inner_product(u: Real[Array, "*#batch p"] | Plain, v: Real[Array, "*#batch p"] | Plain) -> Float[Array, "*#batch"]:
    r"""Multiply two vectors component by component and add up: how far they point the same way.

    .. math::

        \begin{aligned}
        \langle u, v \rangle &= u v^{\mathsf T} \\
                             &= u_1 v_1 + u_2 v_2 + \cdots + u_p v_p
        \end{aligned}

    Parameters
    ----------
    u, v : array
        Row vectors, shape ``(*batch, p)``; the leading axes broadcast.

    Returns
    -------
    array
        One number for each pair of vectors, shape ``(*batch,)``.

    Raises
    ------
    ValueError
        If the vectors differ in length or the leading axes do not broadcast.
    TypeError
        If the arguments hold no real numbers or come from different array libraries.

    References
    ----------
    :cite:t:`tsai2025`, slides 10-14.

    Examples
    --------
    >>> float(inner_product([1, 2, 3], [4, 5, 6]))  # 1·4 + 2·5 + 3·6
    32.0
    """
    xp, (u, v), dtype = floating(u=(u, "*batch p"), v=(v, "*batch p"))
    return cast(xp, vecdot(xp, u, v), dtype)


def matrix_product(
    A: Real[Array, "*#batch m p"] | Plain, B: Real[Array, "*#batch p n"] | Plain
) -> Float[Array, "*#batch m n"]:
    r"""Multiply two matrices: each row of `A` times each column of `B`.

    .. math::

        \begin{aligned}
        C &= AB \\
        c_{ij} &= \langle \text{row } i \text{ of } A,\ \text{column } j \text{ of } B \rangle \\
               &= a_{i1} b_{1j} + a_{i2} b_{2j} + \cdots + a_{ip} b_{pj}
        \end{aligned}

    Parameters
    ----------
    A : array
        Shape ``(*batch, m, p)``.
    B : array
        Shape ``(*batch, p, n)``.

    Returns
    -------
    array
        The product, shape ``(*batch, m, n)``: the numbers that ``A @ B`` gives.

    Raises
    ------
    ValueError
        If the rows of `A` are not as long as the columns of `B`.
    TypeError
        If the arguments hold no real numbers or come from different array libraries.

    References
    ----------
    :cite:t:`tsai2025`, slides 10-14.

    Examples
    --------
    >>> matrix_product([[1, 2], [3, 4]], [[1, 0], [10, 1]])
    array([[21.,  2.],
           [43.,  4.]])
    """
    xp, (A, B), dtype = floating(A=(A, "*batch m p"), B=(B, "*batch p n"))
    return cast(xp, A @ B, dtype)


def row_combination(
    x: Real[Array, "*#batch m"] | Plain, A: Real[Array, "*#batch m n"] | Plain
) -> Float[Array, "*#batch n"]:
    r"""Mix the rows of a matrix: a vector times a matrix is a linear combination of its rows.

    .. math::

        \begin{aligned}
        xA &= x_1 a_1 + x_2 a_2 + \cdots + x_m a_m \\
        a_i &= \text{row } i \text{ of } A
        \end{aligned}

    Parameters
    ----------
    x : array
        How much to take of each row, shape ``(*batch, m)``.
    A : array
        The rows to mix, shape ``(*batch, m, n)``.

    Returns
    -------
    array
        The mixture, shape ``(*batch, n)``: the numbers that ``x @ A`` gives.

    Raises
    ------
    ValueError
        If `x` does not have one coefficient for each row of `A`.
    TypeError
        If the arguments hold no real numbers or come from different array libraries.

    References
    ----------
    :cite:t:`tsai2025`, slides 10-14.

    Examples
    --------
    >>> row_combination([2, 3], [[1, 0, 10], [0, 1, 100]])  # 2·row 1 + 3·row 2
    array([  2.,   3., 320.])
    """
    xp, (x, A), dtype = floating(x=(x, "*batch m"), A=(A, "*batch m n"))
    return cast(xp, sum_along(xp, x[..., :, None] * A, -2)[..., 0, :], dtype)

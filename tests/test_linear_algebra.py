"""Two facts of linear algebra."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import l05

INTEGERS = st.integers(-1000, 1000)


def product_by_definition(A, B):
    """Row of A times column of B, in exact fractions."""
    return [
        [
            float(sum(Fraction(a) * Fraction(b) for a, b in zip(row, column, strict=True)))
            for column in zip(*B, strict=True)
        ]
        for row in A
    ]


@pytest.mark.independent_check("inner_product")
def test_inner_product_is_the_sum_of_products_in_exact_fractions():
    u, v = [0.1, -2.5, 3.7, 11.0, 1e-3], [7.3, 0.2, -0.9, 0.5, 13.0]
    expected = sum(Fraction(a) * Fraction(b) for a, b in zip(u, v, strict=True))
    assert float(l05.inner_product(u, v)) == pytest.approx(float(expected), rel=1e-15)


@pytest.mark.independent_check("matrix_product")
def test_matrix_product_is_row_times_column_by_the_definition(rng):
    A, B = rng.normal(size=(2, 3)), rng.normal(size=(3, 5))
    np.testing.assert_allclose(l05.matrix_product(A, B), product_by_definition(A, B), rtol=1e-14)


@pytest.mark.parametrize(
    "tenths",
    [
        np.full(10**6, 0.1, np.float32),
        np.full(10**6, 0.1, np.float32)[::-1],
        np.broadcast_to(np.float32(0.1), 10**6),
        np.full(2 * 10**6, 0.1, np.float32)[::2],
    ],
    ids=["in memory", "backwards", "only one", "every second"],
)
def test_a_long_sum_of_float32_keeps_its_digits(tenths):
    ones = np.ones_like(tenths)
    assert float(l05.inner_product(tenths, ones)) == pytest.approx(1e5, rel=1e-4)
    np.testing.assert_allclose(l05.row_combination(ones, np.stack([tenths, ones], axis=1)), [1e5, 1e6], rtol=1e-4)


def test_long_inner_products_of_many_are_those_of_each(rng):
    u, v = rng.integers(-9, 9, size=(2, 3, 5000)), rng.integers(-9, 9, size=(3, 5000))
    assert l05.inner_product(u, v).tolist() == (u * v).sum(axis=-1).tolist()


@pytest.mark.independent_check("row_combination")
def test_row_combination_takes_so_much_of_each_row_worked_by_hand():
    # 2·(1, 0, 10) − 1·(3, 4, 5) + 0·(7, 7, 7)
    assert l05.row_combination([2, -1, 0], [[1, 0, 10], [3, 4, 5], [7, 7, 7]]).tolist() == [-1, -4, 15]


@given(arrays(np.int64, (2, 3), elements=INTEGERS), arrays(np.int64, (3, 5), elements=INTEGERS))
def test_a_product_of_integers_is_exact(A, B):
    assert l05.matrix_product(A, B).tolist() == product_by_definition(A.tolist(), B.tolist())


@given(arrays(np.float64, 5, elements=INTEGERS), arrays(np.float64, (5, 3), elements=INTEGERS))
def test_a_row_combination_is_a_row_times_the_matrix(x, A):
    assert l05.row_combination(x, A).tolist() == l05.matrix_product(x[None, :], A)[0].tolist()


@given(arrays(np.float64, 7, elements=INTEGERS), arrays(np.float64, 7, elements=INTEGERS))
def test_inner_product_does_not_depend_on_the_order(u, v):
    assert l05.inner_product(u, v) == l05.inner_product(v, u)


def test_entry_i_j_of_a_product_is_the_inner_product_of_row_i_and_column_j(rng):
    A, B = rng.normal(size=(2, 3)), rng.normal(size=(3, 5))
    C = l05.matrix_product(A, B)
    assert all(C[i, j] == l05.inner_product(A[i], B[:, j]) for i in range(2) for j in range(5))


def test_products_agree_with_the_operator_of_the_library(xp, rng):
    A, B = xp.asarray(rng.normal(size=(2, 3))), xp.asarray(rng.normal(size=(3, 5)))
    np.testing.assert_allclose(np.asarray(l05.matrix_product(A, B)), np.asarray(A @ B), rtol=1e-13)
    np.testing.assert_allclose(np.asarray(l05.row_combination(A[0, :], B)), np.asarray(A @ B)[0], rtol=1e-13)


def test_leading_axes_broadcast(xp, rng):
    A, B = rng.normal(size=(7, 1, 2, 3)), rng.normal(size=(11, 3, 5))
    C = np.asarray(l05.matrix_product(xp.asarray(A), xp.asarray(B)))
    assert C.shape == (7, 11, 2, 5)
    np.testing.assert_allclose(C[6, 10], A[6, 0] @ B[10], rtol=1e-13)
    x = np.asarray(l05.row_combination(xp.asarray(A[..., 0, :]), xp.asarray(B)))
    np.testing.assert_allclose(x, C[..., 0, :], rtol=1e-13)
    u = np.asarray(l05.inner_product(xp.asarray(A[:, 0]), xp.asarray(A[0, 0])))
    np.testing.assert_allclose(u, (A[:, 0] * A[0, 0]).sum(-1), rtol=1e-13)


def test_vectors_without_components_have_inner_product_0(xp):
    assert float(l05.inner_product(xp.zeros(0), xp.zeros(0))) == 0
    assert np.asarray(l05.matrix_product(xp.zeros((2, 0)), xp.zeros((0, 3)))).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert np.asarray(l05.row_combination(xp.zeros(0), xp.zeros((0, 3)))).tolist() == [0, 0, 0]


def test_float16_is_added_up_wide_and_rounded_once():
    # 2048 + 1 is no float16 number: added up in float16, the ones are lost one after the other
    ones = np.ones(5, np.float16)
    product = l05.inner_product(np.asarray([2048, 1, 1, 1, 1], np.float16), ones)
    assert product.dtype == np.float16
    assert product == 2052


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: l05.inner_product([1, 2, 3], [1, 2]), ValueError, "`v` .* must have p = 3 as in `u`, got"),
        (lambda: l05.inner_product(1, 2), ValueError, r"`u` must have shape \(\*batch, p\), got \(\)"),
        (lambda: l05.inner_product(np.ones((2, 5)), np.ones((3, 5))), ValueError, "`u` .* `v`"),
        (lambda: l05.inner_product("ab", "cd"), TypeError, "`u` must hold real numbers"),
        (lambda: l05.inner_product([1, 2], [1j, 2]), TypeError, "`v` must hold real numbers, got complex128"),
        (lambda: l05.matrix_product(np.ones((2, 3)), np.ones((2, 3))), ValueError, "`B` .* must have p = 3 as in `A`"),
        (lambda: l05.matrix_product([1, 2], [[1], [2]]), ValueError, r"`A` must have shape \(\*batch, m, p\)"),
        (lambda: l05.matrix_product([[1, 2], [3]], [[1], [2]]), ValueError, "`A` must be rectangular"),
        (lambda: l05.row_combination([1, 2, 3], np.ones((2, 5))), ValueError, "`A` .* must have m = 3 as in `x`"),
        (lambda: l05.row_combination([1, 2], [[None], [1]]), TypeError, "`A` must hold real numbers"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()

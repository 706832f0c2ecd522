"""Numbers of any size that a floating type can hold, the smallest subnormal and the largest among them."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import l05

TYPES = (np.float16, np.float32, np.float64)
NORMS = [l05.layer_norm, l05.rms_norm, lambda x, eps: l05.batch_norm(x.T, eps=eps).T]
dtypes = pytest.mark.parametrize("dtype", TYPES)


def rows(dtype, size=5):
    """Rows of finite numbers over the whole range of a type."""
    most = float(np.finfo(dtype).max)
    return arrays(dtype, (3, size), elements=st.floats(-most, most, width=8 * np.dtype(dtype).itemsize))


def powers(dtype):
    """The exponents of two between the smallest subnormal number and the largest number of a type."""
    limits = np.finfo(dtype)
    return int(np.log2(limits.smallest_subnormal)), limits.maxexp - 1


@dtypes
@given(data=st.data())
def test_any_finite_scores_have_weights_that_add_up_to_1_and_rank_as_the_scores_do(dtype, data):
    x = data.draw(rows(dtype))
    weights = l05.softmax(x)
    assert ((weights >= 0) & (weights <= 1)).all()
    np.testing.assert_allclose(weights.sum(axis=-1, dtype=float), 1, rtol=5 * np.finfo(dtype).eps)
    assert (np.diff(np.take_along_axis(weights, np.argsort(x), -1)) >= 0).all()


@dtypes
@given(data=st.data())
def test_a_mean_of_any_finite_values_lies_between_them(dtype, data):
    V = data.draw(rows(dtype))
    answer = l05.attention(np.zeros((1, 2), dtype), np.zeros((3, 2), dtype), V)
    V, answer = V.astype(float) / 2, answer.astype(float) / 2  # what is added below would be beyond the largest number
    slack = 4 * np.finfo(dtype).eps * abs(V).max(axis=0) + np.finfo(dtype).smallest_subnormal
    assert (V.min(axis=0) - slack <= answer).all()
    assert (answer <= V.max(axis=0) + slack).all()


@dtypes
@given(data=st.data())
def test_sigmoid_and_dyt_stay_in_their_bounds_and_do_not_fall(dtype, data):
    x = np.sort(data.draw(rows(dtype)))
    y, z = l05.sigmoid(x), l05.dyt(x)
    assert ((y >= 0) & (y <= 1) & (abs(z) <= 1)).all()
    assert (np.diff(y) >= 0).all()
    assert (np.diff(z) >= 0).all()


@pytest.mark.parametrize("norm", NORMS, ids=["layer_norm", "rms_norm", "batch_norm"])
@dtypes
@given(data=st.data())
def test_a_norm_does_not_see_by_which_power_of_two_its_input_is_scaled(dtype, norm, data):
    x = data.draw(arrays(np.int64, (2, 5), elements=st.integers(-7, 7), unique=True)).astype(dtype)
    low, high = powers(dtype)
    scale = 2.0 ** data.draw(st.integers(low, high - 3))
    np.testing.assert_allclose(norm((x * scale).astype(dtype), eps=0), norm(x, eps=0), rtol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("norm", NORMS, ids=["layer_norm", "rms_norm", "batch_norm"])
@dtypes
@given(data=st.data())
def test_any_finite_row_becomes_one_of_size_1(dtype, norm, data):
    x = data.draw(rows(dtype))
    y = norm(x, eps=0).astype(float)
    defined = np.ptp(x.astype(np.longdouble), axis=-1) > 0 if norm is not l05.rms_norm else (x != 0).any(axis=-1)
    assert np.isfinite(y[defined]).all()
    np.testing.assert_allclose((y[defined] ** 2).mean(axis=-1), 1, rtol=40 * np.finfo(dtype).eps)


@pytest.mark.parametrize("exponent", range(-1074, 1023, 233))
@pytest.mark.parametrize("other", [-1074, -30, 0, 30, 1020])
def test_layer_norm_of_numbers_of_all_sizes_is_that_of_exact_arithmetic(exponent, other, rng):
    x = np.append(rng.normal(size=3) * 2.0**exponent, rng.normal(size=2) * 2.0**other)
    with mpmath.workdps(700):
        exact = [mpmath.mpf(float(number)) for number in x]
        mean = mpmath.fsum(exact) / 5
        sigma = mpmath.sqrt(mpmath.fsum((number - mean) ** 2 for number in exact) / 5)
        expected = [float((number - mean) / sigma) for number in exact]
    np.testing.assert_allclose(l05.layer_norm(x, eps=0), expected, rtol=1e-13, atol=1e-15)

"""From BatchNorm to DyT."""

import math
import statistics

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import l05

FINITE = st.floats(-50, 50)
UNIT = math.sqrt(1.5)  # (1, 2, 3) has mean 2 and population deviation √(2/3), so its ends lie ±√1.5 away


def exact_standardized(x, eps, eps_in_root=False):
    """(x − μ)/(σ + ε) of one vector, or its form with the root, with 60 digits."""
    with mpmath.workdps(60):
        x, eps = [mpmath.mpf(float(entry)) for entry in x], mpmath.mpf(eps)
        mu = mpmath.fsum(x) / len(x)
        variance = mpmath.fsum((entry - mu) ** 2 for entry in x) / len(x)
        denominator = mpmath.sqrt(variance + eps) if eps_in_root else mpmath.sqrt(variance) + eps
        return [float((entry - mu) / denominator) for entry in x]


def exact_rms(x, eps=0):
    with mpmath.workdps(60):
        x = [mpmath.mpf(float(entry)) for entry in x]
        rms = mpmath.sqrt(mpmath.fsum(entry**2 for entry in x) / len(x) + mpmath.mpf(eps))
        return [float(entry / rms) for entry in x]


# layer normalization


@pytest.mark.independent_check("layer_norm")
@pytest.mark.parametrize("eps_in_root", [False, True])
@pytest.mark.parametrize("eps", [0, 1e-5, 0.5, 7])
@pytest.mark.parametrize("scale", [1e-158, 1e-30, 1, 1e30])
def test_layer_norm_is_exact_to_the_last_digits(rng, eps, eps_in_root, scale):
    x, gamma, beta = scale * rng.normal(size=(5, 7)), rng.normal(size=7), rng.normal(size=7)
    expected = gamma * [exact_standardized(row, eps, eps_in_root) for row in x] + beta
    y = l05.layer_norm(x, gamma, beta, eps, eps_in_root=eps_in_root)
    np.testing.assert_allclose(y, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.independent_check("layer_norm")
def test_layer_norm_divides_by_the_population_deviation_of_the_standard_library():
    x = [2.5, -1, 7, 11, 0.25]
    mu, sigma = statistics.fmean(x), statistics.pstdev(x)
    np.testing.assert_allclose(l05.layer_norm(x, eps=0), [(entry - mu) / sigma for entry in x], rtol=1e-14)


LAYER_NORM = {
    # codertimo/BERT-pytorch#30, hyunwoongko/transformer#7, hkproj/pytorch-transformer#31
    "epsilon is added to sigma": (
        [1, 2, 6],
        {"eps": 0.5},
        [-0.751809916740809, -0.375904958370405, 1.12771487511121],
    ),
    "epsilon is added to the square of sigma when asked for": (
        [1, 2, 6],
        {"eps": 0.5, "eps_in_root": True},
        [-0.87988269, -0.439941345, 1.319824035],
    ),
    # harvardnlp/annotated-transformer#119 and #122, allenai/allennlp#953, LBANN/lbann#2024
    "the population deviation": (
        [4, 0, 0, 0],
        {"eps": 0},
        [1.73205080756888, -0.577350269189626, -0.577350269189626, -0.577350269189626],
    ),
    # jadore801120/attention-is-all-you-need-pytorch#17, tensorpack/tensorpack#1482, patrick-kidger/equinox#471
    "each row on its own": ([[1, 3], [5, 11]], {"eps": 0}, [[-1, 1], [-1, 1]]),
    # VeriSilicon/TIM-VX#589, tensorflow/tensorflow#61287, ml-explore/mlx#4312
    "a constant row gives beta": ([[7, 7, 7]], {"beta": [1.0, 2, 3], "eps": 1e-5}, [[1, 2, 3]]),
}


@pytest.mark.independent_check("layer_norm")
@pytest.mark.parametrize(("x", "keywords", "expected"), LAYER_NORM.values(), ids=LAYER_NORM)
def test_layer_norm_of_known_cases(xp, x, keywords, expected):
    keywords = {name: xp.asarray(value) if name == "beta" else value for name, value in keywords.items()}
    y = l05.layer_norm(xp.asarray(np.asarray(x, float)), **keywords)
    np.testing.assert_allclose(np.asarray(y), expected, rtol=1e-8, atol=1e-14)


def test_an_epsilon_that_float16_cannot_hold_still_keeps_the_denominator_from_0():
    # tensorflow/tensorflow#24979, deepspeedai/DeepSpeed#581
    y = l05.layer_norm(np.full((1, 3), 7, np.float16), eps=1e-12)
    assert y.dtype == np.float16
    assert y.tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-300, 1e300, -7e155])
@pytest.mark.parametrize("eps_in_root", [False, True])
def test_a_constant_row_of_any_size_gives_exactly_beta(value, eps_in_root):
    y = l05.layer_norm(np.full((2, 7), value), beta=np.arange(7.0), eps_in_root=eps_in_root)
    assert y.tolist() == [list(range(7))] * 2


def test_constant_rows_of_several_sizes_all_give_exactly_beta():
    x = np.asarray([[0.1] * 3, [0.7] * 3, [1.9] * 3])
    assert (x.mean(axis=1) != x[:, 0]).all()  # the mean of equal numbers is rounded
    assert (l05.layer_norm(x) == 0).all()
    assert (l05.batch_norm(x.T) == 0).all()


def test_a_constant_column_gives_exactly_beta_also_where_it_is_long_and_its_sum_rounded_again_and_again():
    x = np.stack([np.full(20001, 1.7), np.arange(20001)], axis=1, dtype=np.float32)
    deviations = x - x.mean(axis=0)
    assert deviations[0, 0] != (deviations - deviations.mean(axis=0))[0, 0] != 0
    assert (l05.batch_norm(x)[:, 0] == 0).all()


@pytest.mark.parametrize(("eps_in_root", "expected"), [(False, 0.5), (True, 0.5**0.5)])
def test_epsilon_may_be_as_large_as_the_deviation(eps_in_root, expected):
    np.testing.assert_allclose(
        l05.layer_norm([1, 3], eps=1, eps_in_root=eps_in_root), [-expected, expected], rtol=1e-15
    )


def test_a_constant_row_does_not_cost_a_small_one_its_digits():
    small = [1e-20, 2e-20, 6e-20]
    assert l05.layer_norm([[5, 5, 5], small], eps=1e-30)[1].tolist() == l05.layer_norm(small, eps=1e-30).tolist()


@given(arrays(np.float64, (3, 7), elements=st.integers(-50, 50)))
def test_a_normalized_row_has_mean_0_and_deviation_1(x):
    x[:, 0] = x[:, 1] + 1  # not constant
    y = l05.layer_norm(x, eps=0)
    np.testing.assert_allclose(y.mean(axis=-1), 0, rtol=0, atol=1e-14)
    np.testing.assert_allclose(y.std(axis=-1), 1, rtol=1e-14)


@given(arrays(np.float64, 5, elements=st.integers(-50, 50)), st.integers(-900, 900), st.sampled_from([1, -1]))
def test_layer_norm_does_not_see_the_scale(x, exponent, sign):
    x[0] = x[1] + 1  # not constant
    y = l05.layer_norm(x, eps=0)
    assert l05.layer_norm(sign * x * 2.0**exponent, eps=0).tolist() == (sign * y).tolist()


@given(arrays(np.float64, 5, elements=st.integers(-50, 50)), st.integers(-(10**6), 10**6))
def test_layer_norm_does_not_see_a_shift(x, shift):
    np.testing.assert_allclose(l05.layer_norm(x + shift, eps=0.01), l05.layer_norm(x, eps=0.01), rtol=1e-9, atol=1e-12)


@given(arrays(np.float64, (3, 5), elements=FINITE), st.permutations(range(5)))
def test_layer_norm_treats_all_components_alike(x, order):
    np.testing.assert_allclose(l05.layer_norm(x)[:, order], l05.layer_norm(x[:, order]), rtol=1e-7, atol=1e-7)


def test_small_differences_on_a_large_mean_are_kept():
    # in one pass, mean of squares less square of mean, nothing of them would be left
    np.testing.assert_allclose(l05.layer_norm([1e8 + 1, 1e8 + 2, 1e8 + 3], eps=0), [-UNIT, 0, UNIT], rtol=1e-12)


@pytest.mark.parametrize("norm", [l05.layer_norm, l05.rms_norm])
@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e300, 1.7e308])
def test_numbers_whose_squares_are_out_of_range_are_normalized(norm, scale):
    np.testing.assert_allclose(norm([scale, -scale, scale, -scale], eps=0), [1, -1, 1, -1], rtol=1e-14)


@pytest.mark.parametrize(
    "norm", [l05.layer_norm, l05.rms_norm, lambda x, eps: l05.batch_norm(np.transpose(x), eps=eps).T]
)
def test_without_epsilon_0_over_0_is_nan_and_no_warning(norm):
    np.testing.assert_equal(norm(np.asarray([[0.0, 0, 0], [-1, 0, 1]]), eps=0), [[math.nan] * 3, [-UNIT, 0, UNIT]])


@pytest.mark.parametrize("norm", [l05.layer_norm, l05.rms_norm])
@pytest.mark.parametrize("stranger", [math.nan, math.inf, -math.inf])
def test_a_row_that_is_not_finite_spoils_no_other(norm, stranger):
    y = norm(np.asarray([[1.0, stranger, 3], [1, 2, 3]]))
    assert np.isnan(y[0]).any()
    assert y[1].tolist() == norm([1.0, 2, 3]).tolist()


# root mean square


@pytest.mark.independent_check("rms_norm")
@pytest.mark.parametrize("eps", [0, 1e-6, 0.01, 3])
@pytest.mark.parametrize("scale", [1e-200, 1e-158, 1, 1e200])
def test_rms_norm_is_exact_to_the_last_digits(rng, eps, scale):
    x, gamma = scale * rng.normal(size=(5, 7)), rng.normal(size=7)
    expected = gamma * [exact_rms(row, eps) for row in x]
    np.testing.assert_allclose(l05.rms_norm(x, gamma, eps), expected, rtol=1e-13, atol=0)


@pytest.mark.independent_check("rms_norm")
def test_rms_norm_worked_by_hand():
    # the squares of 1, 7, 5, 5 have the mean 100/4 = 25
    np.testing.assert_allclose(l05.rms_norm([1, -7, 5, 5]), [0.2, -1.4, 1, 1], rtol=1e-15)


RMS_NORM = {
    # pytorch/pytorch#133085 and #134106, pytorch/executorch#18786, nntrainer/nntrainer#3935: 300² > 65504
    "squares beyond float16": ([[300, 400]], None, 0, "float16", [[0.848528137423857, 1.13137084989848]], 1e-3),
    # apple/coremltools#2822, local-inference-lab/b12x#121, tenstorrent/tt-metal#55347
    "the zero vector": ([[0, 0, 0]], [2, 2, 2], 1e-6, "float64", [[0, 0, 0]], 0),
    # apple/coremltools#2821: ε was not rescaled with x
    "epsilon beside one large entry": (
        [[64] + [0] * 4095],
        None,
        0.01,
        "float64",
        [[63.6823801734393] + [0] * 4095],
        1e-13,
    ),
    # huggingface/transformers#30236, #25421 and #29974, tinygrad/tinygrad#5095: rounded before the product with γ
    "rounded once": (
        [[2, 2, 3]],
        [2.30078125] * 3,
        0,
        "float16",
        [[1.9326171875, 1.9326171875, 2.900390625]],
        0,
    ),
}


@pytest.mark.independent_check("rms_norm")
@pytest.mark.parametrize(("x", "gamma", "eps", "dtype", "expected", "rtol"), RMS_NORM.values(), ids=RMS_NORM)
def test_rms_norm_of_known_cases(x, gamma, eps, dtype, expected, rtol):
    gamma = None if gamma is None else np.asarray(gamma, dtype)
    y = l05.rms_norm(np.asarray(x, dtype), gamma, eps)
    assert y.dtype == dtype
    np.testing.assert_allclose(y, expected, rtol=rtol)


@given(arrays(np.float64, 5, elements=st.integers(1, 50)), st.integers(-900, 900), st.sampled_from([1, -1]))
def test_rms_norm_does_not_see_the_scale(x, exponent, sign):
    assert l05.rms_norm(sign * x * 2.0**exponent).tolist() == (sign * l05.rms_norm(x)).tolist()


@given(arrays(np.float64, (3, 7), elements=st.floats(-1e300, 1e300).filter(lambda x: abs(x) > 1e-300)))
def test_a_row_divided_by_its_root_mean_square_has_root_mean_square_1(x):
    y = l05.rms_norm(x)
    np.testing.assert_allclose((y * y).mean(axis=-1), 1, rtol=1e-13)


def test_rms_norm_of_a_row_with_mean_0_is_layer_norm(rng):
    x = rng.normal(size=(5, 7))
    x -= x.mean(axis=-1, keepdims=True)
    np.testing.assert_allclose(l05.rms_norm(x), l05.layer_norm(x, eps=0), rtol=1e-12, atol=1e-14)


# batch normalization


@pytest.mark.independent_check("batch_norm")
@pytest.mark.parametrize("eps_in_root", [False, True])
@pytest.mark.parametrize("eps", [0, 1e-5, 0.5])
def test_batch_norm_is_exact_to_the_last_digits_down_each_column(rng, eps, eps_in_root):
    x, gamma, beta = rng.normal(size=(7, 5)), rng.normal(size=5), rng.normal(size=5)
    columns = [exact_standardized(column, eps, eps_in_root) for column in x.T]
    y = l05.batch_norm(x, gamma, beta, eps, eps_in_root=eps_in_root)
    np.testing.assert_allclose(y, gamma * np.transpose(columns) + beta, rtol=1e-12, atol=1e-14)


BATCH_NORM = {
    # pytorch/pytorch#3122, #19902, #77427 and #5406, ml-explore/mlx#3817, paiml/aprender#2166
    "the population variance of the batch": ([[1], [3]], {"eps": 0}, [[-1], [1]]),
    "the statistics that were given": (
        [[1], [3]],
        {"eps": 0, "mean": [2.0], "var": [2.0]},
        [[-0.707106781186548], [0.707106781186548]],
    ),
    "the statistics that were given, with epsilon": (
        [[1], [3]],
        {"eps": 0.5, "mean": [1.0], "var": [4.0]},
        [[0], [2 / 2.5]],
    ),
    "the statistics that were given, with epsilon in the root": (
        [[1], [3]],
        {"eps": 0.25, "mean": [1.0], "var": [6.0], "eps_in_root": True},
        [[0], [2 / 2.5]],
    ),
    # open-mmlab/mmsegmentation#272, nikitakaraevv/pointnet#18, NoamRosenberg/autodeeplab#14
    "a batch of one gives beta": ([[5, 7]], {"beta": [1.0, 2.0], "eps": 1e-5}, [[1, 2]]),
}


@pytest.mark.independent_check("batch_norm")
@pytest.mark.parametrize(("x", "keywords", "expected"), BATCH_NORM.values(), ids=BATCH_NORM)
def test_batch_norm_of_known_cases(xp, x, keywords, expected):
    keywords = {name: xp.asarray(value) if isinstance(value, list) else value for name, value in keywords.items()}
    y = np.asarray(l05.batch_norm(xp.asarray(np.asarray(x, float)), **keywords))
    np.testing.assert_allclose(y, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("x", [[[5.0, 7.0]], [[0.1, -1e300]], [[1e-300, 0]]])
@pytest.mark.parametrize("eps_in_root", [False, True])
def test_a_batch_of_one_gives_exactly_beta(x, eps_in_root):
    assert l05.batch_norm(x, [3, 5], [1, 2], eps_in_root=eps_in_root).tolist() == [[1, 2]]


@given(arrays(np.float64, (7, 5), elements=FINITE))
def test_batch_norm_is_layer_norm_of_the_transposed(x):
    np.testing.assert_allclose(l05.batch_norm(x), l05.layer_norm(x.T).T, rtol=1e-9, atol=1e-9)


@given(arrays(np.float64, (7, 3), elements=st.integers(-50, 50)), st.permutations(range(7)))
def test_batch_norm_does_not_depend_on_the_order_of_the_batch(x, order):
    np.testing.assert_allclose(l05.batch_norm(x)[order], l05.batch_norm(x[order]), rtol=1e-9, atol=1e-9)


def test_with_given_statistics_an_example_does_not_depend_on_the_others(rng):
    x, mean, var = rng.normal(size=(7, 5)), rng.normal(size=5), rng.random(size=5)
    whole = l05.batch_norm(x, mean=mean, var=var)
    assert l05.batch_norm(x[3:4], mean=mean, var=var).tolist() == whole[3:4].tolist()
    np.testing.assert_allclose(whole, (x - mean) / (np.sqrt(var) + 1e-5), rtol=1e-14)


def test_a_given_mean_may_be_so_far_away_that_the_difference_is_beyond_the_floats():
    y = l05.batch_norm([[1e308, 1e16 + 2]], eps=0, mean=[-1e308, 1e16], var=[1e300, 9])
    np.testing.assert_allclose(y, [[2e158, 2 / 3]], rtol=1e-15)


def test_given_statistics_without_spread_give_nan_or_infinity_and_no_warning():
    y = l05.batch_norm([[1, 2], [1, 3]], eps=0, mean=[1, 2], var=[0, 0])
    np.testing.assert_equal(y, [[math.nan, math.nan], [math.nan, math.inf]])


# dynamic tanh


@pytest.mark.independent_check("dyt")
def test_dyt_agrees_with_the_hyperbolic_tangent_of_the_standard_library(xp):
    # google/flax#5459, mjendrusch/torchsupport#7, jiachenzhu/DyT#10 and #6
    x, gamma, beta = [[2, -2], [0, 20]], [1, 2], [0, 1]
    expected = [[g * math.tanh(0.5 * v) + b for v, g, b in zip(row, gamma, beta, strict=True)] for row in x]
    x, gamma, beta = (xp.asarray(np.asarray(a, float)) for a in (x, gamma, beta))
    y = np.asarray(l05.dyt(x, 0.5, gamma, beta))
    np.testing.assert_allclose(y, expected, rtol=1e-15)
    np.testing.assert_allclose(y, [[0.761594155955765, -0.52318831191153], [0, 2.99999999175539]], rtol=1e-14)


@pytest.mark.parametrize(
    ("norm", "number"), [(l05.batch_norm, "eps"), (l05.layer_norm, "eps"), (l05.rms_norm, "eps"), (l05.dyt, "alpha")]
)
def test_a_number_may_be_an_array_of_the_library_in_another_type(xp, norm, number):
    x = xp.asarray([[1, 2, 6], [7, 5, 0]], dtype=xp.float32)
    found = norm(x, **{number: xp.asarray(0.5, dtype=xp.float64)})
    assert found.dtype == xp.float32
    np.testing.assert_allclose(np.asarray(found), np.asarray(norm(x, **{number: 0.5})), rtol=1e-6)


@pytest.mark.parametrize("norm", [l05.layer_norm, l05.rms_norm])
def test_an_epsilon_of_0_that_comes_as_an_array_is_0_too(norm, xp):
    x = xp.zeros((2, 3), dtype=xp.float64)
    assert np.isnan(np.asarray(norm(x, eps=xp.asarray(0.0, dtype=xp.float64)))).all()


def test_dyt_with_an_alpha_that_is_no_number_is_none(xp):
    for alpha in (math.nan, xp.asarray(math.nan)):
        assert np.isnan(np.asarray(l05.dyt(xp.asarray([1.0, 0, -2]), alpha))).all()


def test_alpha_starts_at_one_half():
    x = np.asarray([[2.0, -3, 5]])
    np.testing.assert_allclose(l05.dyt(x), np.tanh(x / 2), rtol=1e-15)


@given(arrays(np.float64, (2, 3), elements=st.floats(-1e300, 1e300)), st.integers(0, 1), st.integers(0, 2))
def test_dyt_at_one_place_depends_on_that_place_only(x, i, j):
    before = l05.dyt(x, 0.7)
    x[i, j] = 97
    after = l05.dyt(x, 0.7)
    changed = np.zeros((2, 3), bool)
    changed[i, j] = True
    assert before[~changed].tolist() == after[~changed].tolist()


@given(arrays(np.float64, (2, 3), elements=st.floats(-1e300, 1e300)), st.floats(-100, 100))
def test_dyt_stays_in_bounds_and_mirrors_at_0(x, alpha):
    y = l05.dyt(x, alpha)
    assert (abs(y) <= 1).all()
    np.testing.assert_allclose(l05.dyt(-x, alpha), -y, rtol=1e-15)


@pytest.mark.parametrize("x", [[math.inf, -math.inf, math.nan]])
def test_dyt_of_infinity_is_its_bound(x):
    np.testing.assert_equal(l05.dyt(x), [1, -1, math.nan])


# what holds for all of them

NORMS = {
    "batch_norm": lambda x, gamma=None, beta=None: l05.batch_norm(x, gamma, beta),
    "layer_norm": lambda x, gamma=None, beta=None: l05.layer_norm(x, gamma, beta),
    "rms_norm": lambda x, gamma=None, beta=None: l05.rms_norm(x, gamma, 1e-6),
    "dyt": lambda x, gamma=None, beta=None: l05.dyt(x, 0.5, gamma, beta),
}
norms = pytest.mark.parametrize("norm", NORMS.values(), ids=NORMS)


@norms
def test_gamma_scales_and_beta_shifts_each_component(xp, rng, norm):
    x, gamma, beta = rng.normal(size=(11, 7, 5)), rng.normal(size=5), rng.normal(size=5)
    plain = norm(x)
    scaled = np.asarray(norm(xp.asarray(x), xp.asarray(gamma)))
    np.testing.assert_allclose(scaled, gamma * plain, rtol=1e-12, atol=1e-14)
    shifted = np.asarray(norm(xp.asarray(x), xp.asarray(gamma), xp.asarray(beta)))
    expected = gamma * plain + (0 if norm is NORMS["rms_norm"] else beta)
    np.testing.assert_allclose(shifted, expected, rtol=1e-12, atol=1e-14)


@norms
def test_leading_axes_are_normalized_one_by_one(xp, rng, norm):
    x = rng.normal(size=(11, 3, 7, 5))
    y = np.asarray(norm(xp.asarray(x)))
    assert y.shape == x.shape
    np.testing.assert_allclose(y[10, 2], norm(x[10, 2]), rtol=1e-12, atol=1e-14)


@norms
@pytest.mark.parametrize("shape", [(0, 5), (7, 0), (0, 7, 5), (3, 0, 5)])
def test_nothing_normalized_is_nothing(xp, norm, shape):
    y = norm(xp.zeros(shape), xp.ones(shape[-1]), xp.ones(shape[-1]))
    assert y.shape == shape


@norms
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_floating_type_is_kept_and_promoted(xp, norm, dtype):
    x = xp.asarray([[1.0, 2, 3], [7, 5, 11]], dtype=getattr(xp, dtype))
    assert norm(x).dtype == x.dtype
    assert norm(x, xp.ones(3, dtype=xp.float64)).dtype == xp.float64
    assert norm(xp.asarray([[1, 2, 3], [7, 5, 11]])).dtype == xp.float64


@norms
def test_float16_is_computed_wide_and_rounded_once(rng, norm):
    x, gamma, beta = (rng.normal(size=size).astype(np.float16) for size in ((7, 5), 5, 5))
    wide = norm(*(a.astype(np.float32) for a in (x, gamma, beta)))
    narrow = norm(x, gamma, beta)
    assert narrow.dtype == np.float16
    assert narrow.tolist() == wide.astype(np.float16).tolist()
    assert norm(x, gamma.astype(np.float32)).dtype == np.float32


@norms
def test_arguments_are_left_as_they_were_and_the_same_call_gives_the_same_bits(rng, norm):
    given = rng.normal(size=(5, 7)).T, rng.normal(size=5), rng.normal(size=5)
    before = [a.tobytes() for a in given]
    for a in given:
        a.flags.writeable = False
    first, second = norm(*given), norm(*given)
    assert first.tobytes() == second.tobytes()
    assert [a.tobytes() for a in given] == before
    np.testing.assert_allclose(first, norm(*(a.copy() for a in given)), rtol=1e-14)


X = np.ones((7, 5))


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    "norm", [l05.batch_norm, l05.layer_norm, l05.rms_norm, l05.dyt], ids=lambda norm: norm.__name__
)
@pytest.mark.parametrize(
    ("x", "keywords", "error", "message"),
    [
        # patrick-kidger/equinox#471
        (X, {"gamma": [1, 1, 1]}, ValueError, r"`gamma` .* must have d = 5 as in `x`, got \(3,\)"),
        (X, {"gamma": 2.0}, ValueError, r"`gamma` must have shape \(d\), got \(\)"),
        (X, {"gamma": np.ones((1, 5))}, ValueError, r"`gamma` must have shape \(d\), got \(1, 5\)"),
        (X, {"gamma": ["a"] * 5}, TypeError, "`gamma` must hold real numbers"),
        (X, {"gamma": [None] * 5}, TypeError, "`gamma` must hold real numbers, got NoneType"),
        (5.0, {}, ValueError, r"`x` must have shape .*, got \(\)"),
        ("abc", {}, TypeError, "`x` must hold real numbers"),
        (None, {}, TypeError, "`x` must hold real numbers, got NoneType"),
        (X * 1j, {}, TypeError, "`x` must hold real numbers, got complex128"),
        ([[1, 2], [3]], {}, ValueError, "`x` must be rectangular"),
        (np.ma.masked_array(X, X > 0), {}, TypeError, "`x` must not be a masked array"),
    ],
)
def test_every_norm_refuses_what_does_not_fit_by_name(norm, x, keywords, error, message):
    with pytest.raises(error, match=message):
        norm(x, **keywords)


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("norm", [l05.batch_norm, l05.layer_norm, l05.rms_norm], ids=lambda norm: norm.__name__)
@pytest.mark.parametrize(
    ("eps", "error", "message"),
    [
        (-1, ValueError, "`eps` must be >= 0, got -1"),
        (-1e-300, ValueError, "`eps` must be >= 0, got -1e-300"),
        (math.nan, ValueError, "`eps` must be >= 0, got nan"),
        ([1e-5, 1e-5], ValueError, r"`eps` must be one number, got"),
        (np.ones(1), ValueError, r"`eps` must be one number, got"),
        ("small", TypeError, "`eps` must be a number, got 'small'"),
        (None, TypeError, "`eps` must be a number, got None"),
        (1j, TypeError, "`eps` must be a number, got 1j"),
    ],
)
def test_epsilon_is_one_number_that_is_not_negative(norm, eps, error, message):
    with pytest.raises(error, match=message):
        norm(X, eps=eps)


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: l05.layer_norm(X, beta=[0, 0]), ValueError, "`beta` .* must have d = 5 as in `x`"),
        (lambda: l05.dyt(X, beta=[0, 0]), ValueError, "`beta` .* must have d = 5 as in `x`"),
        (lambda: l05.batch_norm([1, 2]), ValueError, r"`x` must have shape \(\*batch, n, d\), got \(2,\)"),
        (
            lambda: l05.batch_norm(X, mean=[0] * 5),
            ValueError,
            "`mean` and `var` must be given together, got only `mean`",
        ),
        (lambda: l05.batch_norm(X, var=[1] * 5), ValueError, "`mean` and `var` must be given together, got only `var`"),
        (lambda: l05.batch_norm(X, mean=[0] * 5, var=[1, 1, -1, 1, 1]), ValueError, "`var` must be >= 0"),
        (lambda: l05.batch_norm(X, mean=[0] * 3, var=[1] * 5), ValueError, "`mean` .* must have d = 5 as in `x`"),
        (lambda: l05.batch_norm(X, mean=[0] * 5, var=1), ValueError, r"`var` must have shape \(d\), got \(\)"),
        # google/flax#5459: a vector is another layer
        (lambda: l05.dyt(X, [0.5] * 5), ValueError, r"`alpha` must be one number, got"),
        (lambda: l05.dyt(X, np.full(5, 0.5)), ValueError, r"`alpha` must be one number, got"),
        (lambda: l05.dyt(X, "half"), TypeError, "`alpha` must be a number, got 'half'"),
        (lambda: l05.dyt(X, None), TypeError, "`alpha` must be a number, got None"),
        (lambda: l05.layer_norm(X, eps_in_root="no"), TypeError, "`eps_in_root` must be True or False, got 'no'"),
        (lambda: l05.batch_norm(X, eps_in_root=1e-5), TypeError, "`eps_in_root` must be True or False, got 1e-05"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("name", ["gamma", "beta", "mean", "var", "eps"])
def test_arrays_of_two_libraries_are_refused(name):
    import array_api_strict

    keywords = {"gamma": np.ones(5), "beta": np.ones(5), "mean": np.ones(5), "var": np.ones(5), "eps": np.asarray(0.5)}
    keywords[name] = array_api_strict.asarray(keywords[name])
    with pytest.raises(TypeError, match=f"`{name}` is from array_api_strict and .* from numpy"):
        l05.batch_norm(X, **keywords)


@pytest.mark.parametrize("eps_in_root", [False, True])
@pytest.mark.parametrize(
    ("row", "eps"), [(np.float32([3e38] * 3), 1e-10), (np.float32([7] * 3), 1e-50), (np.float64([1e300] * 3), 1e-30)]
)
def test_a_constant_row_is_beta_also_where_epsilon_vanishes_beside_it(row, eps, eps_in_root):
    beta = np.arange(3, dtype=row.dtype)
    assert l05.layer_norm(row, beta=beta, eps=eps, eps_in_root=eps_in_root).tolist() == [0, 1, 2]
    assert l05.batch_norm(row[None], beta=beta, eps=eps, eps_in_root=eps_in_root).tolist() == [[0, 1, 2]]


def test_dyt_is_at_its_bound_where_alpha_x_overflows():
    assert l05.dyt([1.7e308, -1.7e308], alpha=2).tolist() == [1, -1]


def test_an_outlier_in_the_first_place_costs_the_others_no_digits(rng):
    x = rng.normal(size=1009).astype(np.float32)
    x[0] = 3000
    exact = x.astype(np.float64)
    exact = (exact - exact.mean()) / (exact.std() + 1e-5)
    np.testing.assert_allclose(l05.layer_norm(x)[1:], exact[1:], rtol=0, atol=1e-7)
    np.testing.assert_allclose(l05.batch_norm(x[:, None])[1:, 0], exact[1:], rtol=0, atol=1e-7)


def test_a_vanished_epsilon_still_divides_what_is_not_zero():
    found = l05.batch_norm(np.float32([[5, 0]]), eps=1e-50, mean=np.float32([0, 0]), var=np.float32([0, 0]))
    assert found.tolist() == [[np.inf, 0]]


def test_dyt_is_a_sign_where_alpha_is_beyond_the_type():
    assert l05.dyt(np.float32([0, 1, -1]), alpha=1e300).tolist() == [0, 1, -1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_long_row_whose_sum_overflows_both_ways_is_normalized(dtype):
    most = np.finfo(dtype).max * dtype(0.9)
    signs = np.tile(np.asarray([1, -1], dtype), 64)
    np.testing.assert_allclose(l05.layer_norm(most * signs), signs, rtol=1e-6)
    np.testing.assert_allclose(l05.batch_norm((most * signs)[:, None])[:, 0], signs, rtol=1e-6)


@pytest.mark.parametrize(("dtype", "offset", "scale"), [(np.float32, 1e6, 1), (np.float32, 1, 1e-6), (float, 1, 1e-15)])
def test_differences_far_smaller_than_the_mean_are_kept_to_the_last_digits(dtype, offset, scale, rng):
    x = (offset + scale * rng.normal(size=(23, 37))).astype(dtype)
    exact = x.astype(np.longdouble) - x[:, :1]
    exact -= exact.mean(axis=-1, keepdims=True)
    exact /= np.sqrt((exact**2).mean(axis=-1, keepdims=True))
    np.testing.assert_allclose(l05.layer_norm(x, eps=0), exact, rtol=0, atol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("size", [70_001, 2**21])
@pytest.mark.parametrize("offset", [0, 3])
def test_a_long_sum_of_float32_loses_no_digits(rng, size, offset):
    x = np.float32(rng.normal(size=(size, 2)) + offset)
    rows, exact, bound = np.ascontiguousarray(x.T), x.astype(float), 8 * np.finfo(np.float32).eps
    np.testing.assert_allclose(l05.rms_norm(rows), l05.rms_norm(exact.T), rtol=bound)
    np.testing.assert_allclose(l05.layer_norm(rows, eps=0), l05.layer_norm(exact.T, eps=0), rtol=bound, atol=bound)
    np.testing.assert_allclose(l05.batch_norm(x, eps=0), l05.batch_norm(exact, eps=0), rtol=bound, atol=bound)

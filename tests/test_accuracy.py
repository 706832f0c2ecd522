"""How exact the weights are, in units in the last place: ``pytest tests/test_accuracy.py -rP`` prints the worst."""

import math

import mpmath
import numpy as np
import pytest

import l05

# Up to 4.9 of them are what NumPy's exp leaves to float32 (2.44, and twice that just above a power of two), the rest
# is the rounding of the sum.
ULP = 6
FAMILIES = {
    "usual": lambda rng: rng.normal(size=53),
    "far apart": lambda rng: 100 * rng.normal(size=53),
    "out of reach of exp": lambda rng: 1000 * rng.normal(size=23),
    "high up": lambda rng: 800 + 100 * rng.normal(size=23),
    "all negative": lambda rng: -abs(300 * rng.normal(size=23)),
    "a little below 0": lambda rng: -abs(rng.normal(size=23)) - 20 * rng.random(23),
    "high up and far apart": lambda rng: 1e4 + 300 * rng.normal(size=11),
    "a long row": lambda rng: 3 * rng.normal(size=601),
    "a long row of almost equals": lambda rng: 7 + 1e-3 * rng.random(601),
    "one far above the rest": lambda rng: np.append(rng.normal(size=22), 60.7),
    "a stair": lambda rng: -rng.random() - np.arange(83.0),
    "whole numbers": lambda rng: rng.integers(-90, 90, 23).astype(float),
    "almost nothing": lambda rng: 1e-38 * rng.normal(size=23),
    "halves of the next number": lambda rng: (1 + 2.0**-20 * rng.integers(0, 9, 23)) * rng.choice([1, 37, -85], 23),
}
families = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
dtypes = pytest.mark.parametrize("dtype", [np.float64, np.float32])
REPEATS = 23


def exact_softmax(scores):
    """Return the weights with 60 digits; the scores are floats or numbers of mpmath."""
    with mpmath.workdps(60):
        e = [mpmath.exp(score if isinstance(score, mpmath.mpf) else mpmath.mpf(float(score))) for score in scores]
        total = mpmath.fsum(e)
        return [x / total for x in e]


def ulps_off(weights, exact):
    """Return how far the worst of the weights is from the exact one, in units of its last place."""
    worst = 0.0
    for weight, wanted in zip(weights, exact, strict=True):
        last_place = np.spacing(weights.dtype.type(float(wanted)))
        worst = max(worst, float(abs(mpmath.mpf(float(weight)) - wanted) / float(last_place)))
    return worst


@families
@dtypes
def test_the_weights_of_softmax_are_right_to_the_last_digits(family, dtype, rng):
    rows = [family(rng).astype(dtype) for _ in range(REPEATS)]
    worst = max(ulps_off(l05.softmax(row), exact_softmax(row)) for row in rows)
    print(f"{worst:.2f} ulp")
    assert worst <= ULP


def exact_weights(Q, K, tau):
    with mpmath.workdps(60):
        scores = [[mpmath.fdot(zip(map(float, q), map(float, k), strict=True)) / tau for k in K] for q in Q]
    return [exact_softmax(row) for row in scores]


@pytest.mark.parametrize("scale", [0.25, 1, 8])
@dtypes
def test_the_weights_of_attention_are_as_exact_where_the_scores_are_floats(scale, dtype, rng):
    Q, K = (scale * rng.integers(-9, 9, size).astype(dtype) for size in ((REPEATS, 16), (23, 16)))
    weights = l05.attention_weights(Q, K)  # the root of 16 divides without rounding
    worst = max(map(ulps_off, weights, exact_weights(Q, K, 4)))
    print(f"{worst:.2f} ulp")
    assert worst <= ULP


@pytest.mark.parametrize("scale", [1, 3])
@pytest.mark.parametrize("tau", [None, 0.7])
@dtypes
def test_the_weights_of_attention_lose_no_more_than_the_rounding_of_their_scores(scale, tau, dtype, rng):
    Q, K = ((scale * rng.normal(size=size)).astype(dtype) for size in ((REPEATS, 17), (23, 17)))
    tau = math.sqrt(17) if tau is None else tau
    weights = l05.attention_weights(Q, K, tau=tau)
    # the sum of 17 products, each rounded, and the division: an absolute error in the exponent of e
    rounding = (17 + 1) * float(np.max(abs(Q) @ abs(K).T)) / tau * np.finfo(dtype).eps
    worst = max(map(ulps_off, weights, exact_weights(Q, K, mpmath.mpf(tau))))
    print(f"{worst:.2f} ulp, {rounding / np.finfo(dtype).eps:.0f} allowed by the rounding of the scores")
    assert worst <= ULP + rounding / np.finfo(dtype).eps

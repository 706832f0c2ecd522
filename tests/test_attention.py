"""Attention, from one query to many heads."""

import math

import mpmath
import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import l05

INF, NAN = math.inf, math.nan
LECTURE = [3.9, 3.2, 1, 0.3, 1.1]
FINITE = st.floats(-50, 50)

# two heads that each see two of the four components: M_0 takes the first two columns, M_1 the last two
SELECTORS = [[[1, 0], [0, 1], [0, 0], [0, 0]], [[0, 0], [0, 0], [1, 0], [0, 1]]]
IDENTITY_2, IDENTITY_4 = [[1, 0], [0, 1]], [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def exact_softmax(scores):
    """The softmax with 60 digits."""
    with mpmath.workdps(60):
        e = [mpmath.exp(mpmath.mpf(float(score))) for score in scores]
        return [x / mpmath.fsum(e) for x in e]


def exact_attention(Q, K, V, tau):
    """Attention with 60 digits, loop by loop: query, key, component."""
    with mpmath.workdps(60):
        answers = []
        for q in Q:
            scores = [mpmath.fdot(zip(map(float, q), map(float, k), strict=True)) / mpmath.mpf(tau) for k in K]
            e = [mpmath.exp(score) for score in scores]
            columns = zip(*V, strict=True)
            answers.append([float(mpmath.fdot(zip(e, map(float, c), strict=True)) / mpmath.fsum(e)) for c in columns])
        return answers


def loop_attention(Q, K, V, looks):
    """Attention in plain Python: `looks(i, j)` says whether query i may look at key j."""
    answers = []
    for i, q in enumerate(Q):
        seen = [j for j in range(len(K)) if looks(i, j)]
        e = [math.exp(sum(a * b for a, b in zip(q, K[j], strict=True)) / math.sqrt(len(q))) for j in seen]
        answers.append([sum(w * V[j][c] for w, j in zip(e, seen, strict=True)) / sum(e) for c in range(len(V[0]))])
    return answers


# softmax


@pytest.mark.independent_check("softmax")
@pytest.mark.parametrize(
    ("tau", "percent"),
    [(1, [61, 30, 3, 2, 4]), (math.sqrt(5), [40, 29, 11, 8, 11])],
    ids=["plain", "over the root of 5"],
)
def test_softmax_gives_the_percentages_of_the_lecture(tau, percent):
    assert np.round(100 * l05.softmax(LECTURE, tau=tau)).tolist() == percent


@pytest.mark.independent_check("softmax")
@pytest.mark.parametrize(
    ("scores", "axis", "tau"),
    [
        ([[900, 902], [-2000, -2002]], -1, 1),
        ([[0, 1], [2, 5]], 0, 1),
        ([[1e300, -1e300, 1e300]], -1, 1),
        ([1e-300, 0, 2e-300], -1, 1e-300),
        (LECTURE, -1, 0.01),
    ],
)
def test_softmax_agrees_with_scipy(scores, axis, tau):
    expected = scipy.special.softmax(np.asarray(scores) / tau, axis=axis)
    np.testing.assert_allclose(l05.softmax(scores, axis=axis, tau=tau), expected, rtol=1e-13, atol=0)


@pytest.mark.independent_check("softmax")
def test_softmax_is_exact_to_the_last_digits(rng):
    scores = rng.normal(scale=10, size=13)
    expected = [float(weight) for weight in exact_softmax(scores)]
    np.testing.assert_allclose(l05.softmax(scores), expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("scores", "axis", "expected"),
    [
        # tenstorrent/tt-metal#12661, IBM/MAX-Facial-Emotion-Classifier#12, FluxML/NNlib.jl#43: exp overflows
        (
            [[900, 902], [-2000, -2002]],
            -1,
            [[0.119202922022118, 0.880797077977882], [0.880797077977882, 0.119202922022118]],
        ),
        # keras-team/keras-core#143 and #694, PetrochukM/PyTorch-NLP#2: the wrong axis
        ([[0, 1], [2, 5]], -1, [[0.268941421369995, 0.731058578630005], [0.0474258731775668, 0.952574126822433]]),
        ([[0, 1], [2, 5]], 0, [[0.119202922022118, 0.0179862099620916], [0.880797077977882, 0.982013790037908]]),
        # nerminnuraydogan/vision-transformer#1: an axis of one entry, whose weight is 1 whatever the scores
        ([[1, 2, 3]], -1, [[0.0900305731703805, 0.244728471054798, 0.665240955774822]]),
        # scipy/scipy#8872: one −inf is weight 0
        ([2, -INF, 2], -1, [0.5, 0, 0.5]),
        # scipy/scipy#23225 and #24225, jax-ml/jax#21495: no softmax exists
        ([-INF, -INF], -1, [NAN, NAN]),
        ([INF, 0], -1, [NAN, NAN]),
        ([[NAN, 0], [0, 0]], -1, [[NAN, NAN], [0.5, 0.5]]),
    ],
)
def test_softmax_of_known_cases(xp, scores, axis, expected):
    weights = l05.softmax(xp.asarray(np.asarray(scores, float)), axis=axis)
    np.testing.assert_allclose(np.asarray(weights), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int64])
def test_softmax_of_integers_is_float64(dtype):
    # rsokl/MyGrad#193 and #268: written back into the integers
    weights = l05.softmax(np.asarray([1, 0, 1], dtype))
    assert weights.dtype == np.float64
    np.testing.assert_allclose(weights, scipy.special.softmax([1.0, 0.0, 1.0]), rtol=1e-15)


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3)])
def test_softmax_of_nothing_is_nothing(xp, shape):
    # TheAlgorithms/Python#15312 and #13409
    assert l05.softmax(xp.zeros(shape)).shape == shape


@given(arrays(np.float64, (3, 7), elements=FINITE), st.floats(-1000, 1000))
def test_softmax_is_unchanged_by_a_constant(x, constant):
    np.testing.assert_allclose(l05.softmax(x + constant), l05.softmax(x), rtol=1e-11)


@given(arrays(np.float64, (5, 3, 2), elements=st.floats(-1e300, 1e300)), st.integers(-3, 2))
def test_the_weights_add_up_to_1_along_the_axis_that_competes(x, axis):
    weights = l05.softmax(x, axis=axis)
    assert (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(axis=axis), 1, rtol=1e-14)


@given(arrays(np.float64, 5, elements=FINITE), st.floats(1e-3, 1e3))
def test_softmax_with_tau_is_softmax_of_the_divided_scores(x, tau):
    np.testing.assert_allclose(l05.softmax(x, tau=tau), l05.softmax(x / tau), rtol=1e-9, atol=1e-300)


@given(arrays(np.float64, 7, elements=FINITE), st.permutations(range(7)))
def test_softmax_follows_a_permutation_of_the_scores(x, order):
    np.testing.assert_allclose(l05.softmax(x)[order], l05.softmax(x[order]), rtol=1e-14)


def test_a_larger_tau_makes_the_weights_more_even():
    entropies = [scipy.special.entr(l05.softmax(LECTURE, tau=tau)).sum() for tau in (0.1, 1, 5**0.5, 97)]
    assert entropies == sorted(entropies)


def test_tau_may_be_an_array_of_the_library_in_another_type(xp):
    x = xp.asarray([1, 3], dtype=xp.float32)
    weights = l05.softmax(x, tau=xp.asarray(2, dtype=xp.float64))
    assert weights.dtype == xp.float32
    np.testing.assert_allclose(np.asarray(weights), l05.softmax([1, 3], tau=2), rtol=1e-6)


def test_a_temperature_beyond_the_type_of_the_scores_leaves_hidden_what_is_hidden(xp):
    scores = xp.asarray([5, 7, -INF], dtype=xp.float32)
    weights = l05.softmax(scores, tau=xp.asarray(1e300, dtype=xp.float64))
    assert np.asarray(weights).tolist() == [0.5, 0.5, 0]


HUGE = 1.7e308


@pytest.mark.parametrize(
    ("Q", "K", "mask", "tau", "weights"),
    [
        pytest.param([[1e200, 0]], [[1e200, 5], [1e200, 6], [0, 9]], [[3, 0, 0]], 1, [[1, 1, 0]], id="as many"),
        pytest.param([[[HUGE] * 999]] * 2, [[HUGE] * 999, [-1.0] * 999], None, 1, [[[1, 0]]] * 2, id="wide"),
        pytest.param([[[1e200], [-1e200]]], [[1e200], [0], [-1e200]], None, 1, [[[1, 0, 0], [0, 0, 1]]], id="opposite"),
        pytest.param([[1e300], [1e-5]], [[1.0], [1 + 2**-52]], None, 1e-308, [[0, 1], [0, 1]], id="far apart"),
    ],
)
def test_where_scores_outgrow_the_floats_the_best_keys_share_what_the_mask_gives_them(Q, K, mask, tau, weights):
    if mask is not None:
        mask = np.log1p(mask)  # 4 to 1
        weights = np.asarray(weights) * [0.8, 0.2, 0]
    np.testing.assert_allclose(l05.attention_weights(Q, K, mask=mask, tau=tau), weights, rtol=1e-14)


@pytest.mark.parametrize(("dtype", "high"), [(np.float64, 1.7e308), (np.float32, 3e38)])
def test_a_high_temperature_divides_differences_that_no_float_can_hold(dtype, high):
    scores, tau = np.asarray([-high, high], dtype), high / 2
    low = math.exp(-4) / (1 + math.exp(-4))
    for weights in (l05.softmax(scores, tau=tau), l05.softmax(scores, tau=dtype(tau))):
        np.testing.assert_allclose(weights, [low, 1 - low], rtol=4 * np.finfo(dtype).eps)


def test_a_number_too_small_for_a_float_is_no_trouble_to_who_has_numpy_raise_errors():
    with np.errstate(all="raise"):
        assert l05.softmax([0, -1000]).tolist() == [1, 0]
        assert l05.sigmoid([-1000]).tolist() == [0]
        assert l05.attention([[1]], [[0], [-1000]], [[1], [2]]).tolist() == [[1]]
        assert l05.attention_streaming([[1]], [[0], [-1000]], [[1], [2]]).tolist() == [[1]]
        assert l05.layer_norm([1e-200, 2e-200], eps=0).tolist() == [-1, 1]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("T", [*range(2, 50), 300])
def test_a_mixture_of_the_largest_float_is_the_largest_float(rng, T, sign):
    largest = sign * np.finfo(float).max
    Q, K, V = rng.normal(size=(3, 2)), rng.normal(size=(T, 2)), np.full((T, 1), largest)
    for mixture in (l05.attention(Q, K, V), l05.attention_streaming(Q, K, V), l05.attention(Q[:, :1] * 0, K[:, :1], V)):
        np.testing.assert_allclose(mixture, np.full((3, 1), largest), rtol=1e-14)


def test_a_temperature_meets_each_row_by_itself():
    assert l05.softmax([[0, 1], [1e20, 1e20]], tau=2)[0].tolist() == l05.softmax([0, 1], tau=2).tolist()


def test_equal_scores_have_equal_weights_also_where_floats_lie_a_thousand_apart():
    assert l05.softmax([1.5 * 2**62] * 2).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("tau", [np.float32(2), np.asarray(2.0), np.int64(2), 2])
@pytest.mark.usefixtures("as_a_user")
def test_tau_may_be_any_kind_of_one_number(tau):
    assert l05.softmax([1.0, 3.0], tau=tau).tolist() == l05.softmax([1.0, 3.0], tau=2.0).tolist()


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("axis", [2, -3])
def test_softmax_along_an_axis_that_is_not_there_is_an_axis_error(axis):
    # NumPy's own, a ValueError and an IndexError
    with pytest.raises(np.exceptions.AxisError, match=f"axis {axis} is out of bounds"):
        l05.softmax([[0, 1], [2, 5]], axis=axis)


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        # google-research/tabfm#102, pytorch/pytorch#184031, microsoft/onnxruntime-genai#1211
        ({"tau": 0}, ValueError, "`tau` must be > 0, got 0"),
        ({"tau": -1}, ValueError, "`tau` must be > 0, got -1"),
        ({"tau": NAN}, ValueError, "`tau` must be > 0, got nan"),
        ({"tau": -INF}, ValueError, "`tau` must be > 0, got -inf"),
        ({"tau": [1, 2]}, ValueError, r"`tau` must be one number, got"),
        ({"tau": np.ones((1, 1))}, ValueError, r"`tau` must be one number, got shape \(1, 1\)"),
        ({"tau": "warm"}, TypeError, "`tau` must be a number, got 'warm'"),
        ({"tau": "2"}, TypeError, "`tau` must be a number, got '2'"),
        ({"tau": None}, TypeError, "`tau` must be a number, got None"),
        ({"tau": 1j}, TypeError, "`tau` must be a number, got 1j"),
        ({"axis": 0.0}, TypeError, "`axis` must be an integer, got 0.0"),
        ({"axis": None}, TypeError, "`axis` must be an integer, got None"),
        ({"axis": (0,)}, TypeError, r"`axis` must be an integer, got \(0,\)"),
    ],
)
def test_softmax_refuses_what_is_no_temperature_and_no_axis(keywords, error, message):
    with pytest.raises(error, match=message):
        l05.softmax([1.0, 2.0], **keywords)


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        ("scores", TypeError, "`x` must hold real numbers, got <U6"),
        ([1, "two"], TypeError, "`x` must hold real numbers, got <U"),
        ([1, None], TypeError, "`x` must hold real numbers, got"),
        ({"a": 1}, TypeError, "`x` must hold real numbers, got dict"),
        (object(), TypeError, "`x` must hold real numbers, got object"),
        ([1j, 2], TypeError, "`x` must hold real numbers, got complex128"),
        (np.asarray([1j]), TypeError, "`x` must hold real numbers, got complex128"),
        (np.asarray([1, None]), TypeError, "`x` must hold real numbers, got object"),
        (np.asarray(["2025-03-18"], "datetime64[D]"), TypeError, "`x` must hold real numbers, got datetime64"),
        (np.asarray([3], "timedelta64[h]"), TypeError, "`x` must hold real numbers, got timedelta64"),
        ([[1, 2], [3]], ValueError, "`x` must be rectangular"),
        (np.ma.masked_array([1.0, 2.0], [True, False]), TypeError, "`x` must not be a masked array"),
    ],
)
def test_softmax_refuses_what_holds_no_real_numbers(x, error, message):
    with pytest.raises(error, match=message):
        l05.softmax(x)


# attention and its weights


@pytest.mark.independent_check("attention", "attention_weights")
def test_attention_is_exact_to_the_last_digits(rng):
    Q, K, V = rng.normal(size=(2, 3)), rng.normal(size=(5, 3)), rng.normal(size=(5, 7))
    np.testing.assert_allclose(l05.attention(Q, K, V), exact_attention(Q, K, V, math.sqrt(3)), rtol=1e-13)
    identity = np.eye(5)
    weights = exact_attention(Q, K, identity, math.sqrt(3))
    np.testing.assert_allclose(l05.attention_weights(Q, K), weights, rtol=1e-13)


@pytest.mark.independent_check("attention")
def test_attention_worked_by_hand_for_two_words():
    # scores 1 and 0, over √1: the weights are e/(e+1) and 1/(e+1)
    expected = (math.e * 10 + 1 * 20) / (math.e + 1)
    assert float(l05.attention([[1]], [[1], [0]], [[10], [20]])[0, 0]) == pytest.approx(expected, rel=1e-15)


KNOWN = {
    # pytorch/pytorch#103963 and #131060, iree-org/iree#24175, keras-team/keras#21149, d2l-ai/d2l-en#2423
    "a query with no allowed key, boolean": (
        (IDENTITY_2, IDENTITY_2, [[1, 2], [3, 4]]),
        {"mask": [[True, True], [False, False]]},
        [[1.66047690134669, 2.66047690134669], [0, 0]],
    ),
    "a query with no allowed key, floating": (
        (IDENTITY_2, IDENTITY_2, [[1, 2], [3, 4]]),
        {"mask": [[0.0, 0.0], [-INF, -INF]]},
        [[1.66047690134669, 2.66047690134669], [0, 0]],
    ),
    # rasbt/LLMs-from-scratch#1061, pytorch/pytorch#170415 and #21518
    "True means may look": (([[1, 0]], IDENTITY_2, [[10], [20]]), {"mask": [[True, False]]}, [[10]]),
    "a floating mask is added": (([[1, 0]], IDENTITY_2, [[10], [20]]), {"mask": [[1.0, 0.0]]}, [[11.5353935621379]]),
    # pytorch/pytorch#103082 and #108108, Dao-AILab/flash-attention#517, ml-explore/mlx#2835, onnx/onnx#8068
    "causal, first query with first key": (
        ([[0], [0]], [[0], [0], [0], [0]], [[1], [2], [3], [4]]),
        {"mask": [[True, False, False, False], [True, True, False, False]]},
        [[1], [1.5]],
    ),
    "causal, last query with last key": (
        ([[0], [0]], [[0], [0], [0], [0]], [[1], [2], [3], [4]]),
        {"mask": [[True, True, True, False], [True, True, True, True]]},
        [[2], [2.5]],
    ),
    # esceptico/perceiver-io#9: multiplied by tau
    "tau divides": (([[2]], [[1], [0]], [[0], [1]]), {"tau": 4}, [[0.377540668798145]]),
    # pytorch/pytorch#101967: 0 · NaN
    "NaN behind the mask": (
        ([[1], [2]], [[1], [NAN]], [[5], [NAN]]),
        {"mask": [[True, False], [True, False]]},
        [[5], [5]],
    ),
    # onnx/onnx#8068, pytorch/pytorch#187801, facebookresearch/xformers#103, NVIDIA-NeMo/Automodel#2658
    "causal and padding together": (
        ([[0], [0], [0]], [[0], [0], [0]], [[3], [6], [9]]),
        {"mask": [[True, False, False], [True, False, False], [True, False, True]]},
        [[3], [3], [6]],
    ),
    # hyunwoongko/transformer#40, jadore801120/attention-is-all-you-need-pytorch#57
    "padding hides keys, not queries": (
        ([[0], [0], [0]], [[0], [0], [0]], [[1], [2], [30]]),
        {"mask": [[True, True, False]]},
        [[1.5], [1.5], [1.5]],
    ),
    # llvm/torch-mlir#4464, huggingface/candle#1920, pytorch/pytorch#159073
    "one query for two batches": (
        ([[[1]]], [[[0], [0]], [[0], [math.log(3)]]], [[[1], [3]], [[1], [3]]]),
        {"tau": 1},
        [[[2]], [[2.5]]],
    ),
    "one query for two batches, a mask for each": (
        ([[[1]]], [[[0], [0]], [[0], [math.log(3)]]], [[[1], [3]], [[1], [3]]]),
        {"tau": 1, "mask": [[[True, False]], [[True, True]]]},
        [[[1]], [[2.5]]],
    ),
    "a mask of one entry": (
        ([[[1]]], [[[0], [0]], [[0], [math.log(3)]]], [[[1], [3]], [[1], [3]]]),
        {"tau": 1, "mask": [[True]]},
        [[[2]], [[2.5]]],
    ),
}


@pytest.mark.independent_check("attention", "attention_streaming")
@pytest.mark.parametrize("attention", [l05.attention, l05.attention_streaming])
@pytest.mark.parametrize(("given", "keywords", "expected"), KNOWN.values(), ids=KNOWN)
def test_attention_of_known_cases(xp, attention, given, keywords, expected):
    Q, K, V = (xp.asarray(np.asarray(x, float)) for x in given)
    keywords = keywords | ({"mask": xp.asarray(np.asarray(keywords["mask"]))} if "mask" in keywords else {})
    np.testing.assert_allclose(np.asarray(attention(Q, K, V, **keywords)), expected, rtol=1e-12, atol=1e-14)


def test_attention_of_stepped_reversed_and_transposed_views_is_that_of_their_copies():
    # pytorch/pytorch#181133, ROCm/pytorch#3230, flagos-ai/FlagGems#5896
    b = np.arange(24).reshape(4, 6) / 7
    views = b[:, ::3], b.T[:4, ::2][:, :2], b[::-1, 1:4]
    expected = [
        [1.38221148684821, 1.52506862970536, 1.6679257725625],
        [1.19967344658697, 1.34253058944411, 1.48538773230125],
        [1.02808417338264, 1.17094131623978, 1.31379845909693],
        [0.873870214851034, 1.01672735770818, 1.15958450056532],
    ]
    np.testing.assert_allclose(l05.attention(*views), expected, rtol=1e-12)
    np.testing.assert_allclose(l05.attention(*(view.copy() for view in views)), expected, rtol=1e-12)


@pytest.mark.parametrize(("mask", "expected"), [([[-65504, -65504]], 1), ([[False, True]], 2)])
def test_large_negative_numbers_in_float16_hide_and_cancel(mask, expected):
    # google/flax#982, NVIDIA/apex#1105, facebookresearch/fairseq#3575, huggingface/transformers#17306
    Q, K, V = (np.asarray(x, np.float16) for x in ([[30]], [[-30], [-31]], [[1], [2]]))
    mask = np.asarray(mask, np.bool if mask[0][0] is False else np.float16)
    answer = l05.attention(Q, K, V, tau=1, mask=mask)
    assert answer.dtype == np.float16
    assert answer.tolist() == [[expected]]


@pytest.mark.parametrize("mask", [[[False, False, False]], [[-INF, -INF, -INF]]], ids=["boolean", "floating"])
@pytest.mark.parametrize("attention", [l05.attention, l05.attention_streaming])
def test_a_query_that_may_look_nowhere_gets_exactly_0_whatever_stands_there(attention, xp, mask):
    K, V = xp.asarray([[1.0], [NAN], [INF]]), xp.asarray([[NAN, 1], [INF, 2], [-INF, 3]])
    mask = xp.asarray(mask)
    assert np.asarray(l05.attention_weights(xp.asarray([[1.0], [2.0]]), K, mask=mask)).tolist() == [[0, 0, 0]] * 2
    assert np.asarray(attention(xp.asarray([[1.0], [2.0]]), K, V, mask=mask)).tolist() == [[0, 0]] * 2


@pytest.mark.parametrize("garbage", [NAN, INF, -INF])
@pytest.mark.parametrize("kind", ["boolean", "floating"])
@pytest.mark.parametrize("attention", [l05.attention, l05.attention_streaming])
def test_what_stands_behind_a_causal_mask_does_not_reach_the_output(attention, xp, rng, kind, garbage):
    mask = np.asarray([[True, False, False], [True, True, False], [True, True, True]])
    mask = mask if kind == "boolean" else np.where(mask, 0.0, -INF)
    Q, K, V = rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.normal(size=(3, 5))
    clean = attention(Q, K, V, mask=mask)
    K[2], V[2] = garbage, garbage
    dirty = np.asarray(attention(*map(xp.asarray, (Q, K, V)), mask=xp.asarray(mask)))
    np.testing.assert_allclose(dirty[:2], clean[:2], rtol=1e-14)
    assert np.isnan(dirty[2]).all() if kind == "boolean" and np.isnan(garbage) else not np.isfinite(dirty[2]).all()


@pytest.mark.parametrize("attention", [l05.attention, l05.attention_streaming])
def test_what_is_not_finite_reaches_those_who_may_see_it(attention, xp):
    Q, K = xp.zeros((2, 1)), xp.zeros((3, 1))
    V = xp.asarray([[1.0, 1, 1], [INF, -INF, NAN], [5, 5, 5]])
    mask = xp.asarray([[True, True, False], [True, False, True]])
    answer = np.asarray(attention(Q, K, V, mask=mask))
    np.testing.assert_equal(answer, [[INF, -INF, NAN], [3, 3, 3]])


@pytest.mark.parametrize("attention", [l05.attention, l05.attention_streaming])
def test_both_infinities_in_sight_give_nan_and_no_warning(attention, xp):
    V, mask = xp.asarray([[INF], [-INF], [1.0]]), xp.asarray([[True, True, False], [False, False, True]])
    answer = np.asarray(attention(xp.zeros((2, 1)), xp.zeros((3, 1)), V, mask=mask))
    np.testing.assert_equal(answer, [[NAN], [1]])


@given(
    arrays(np.float64, (2, 3), elements=FINITE),
    arrays(np.float64, (5, 3), elements=FINITE),
    arrays(np.float64, (5, 7), elements=FINITE),
    arrays(np.bool, (2, 5)),
)
def test_masking_a_key_is_the_same_as_removing_it(Q, K, V, mask):
    answer = l05.attention(Q, K, V, mask=mask)
    for i in range(2):
        expected = l05.attention(Q[[i]], K[mask[i]], V[mask[i]])[0]
        np.testing.assert_allclose(answer[i], expected, rtol=1e-11, atol=1e-11)
    np.testing.assert_array_equal(answer, l05.attention(Q, K, V, mask=np.where(mask, 0.0, -INF)))


@given(
    arrays(np.float64, (2, 3), elements=FINITE), arrays(np.float64, (5, 3), elements=FINITE), arrays(np.bool, (2, 5))
)
def test_the_weights_of_a_query_add_up_to_1_or_are_all_0(Q, K, mask):
    weights = l05.attention_weights(Q, K, mask=mask)
    np.testing.assert_allclose(weights.sum(axis=-1), mask.any(axis=-1), rtol=1e-14)
    assert (weights[~mask] == 0).all()


@given(
    arrays(np.float64, (5, 3), elements=FINITE), arrays(np.float64, (5, 2), elements=FINITE), st.permutations(range(5))
)
def test_the_order_of_the_keys_does_not_matter_and_that_of_the_queries_carries_over(K, V, order):
    answer = l05.attention(K, K, V)
    np.testing.assert_allclose(l05.attention(K, K[order], V[order]), answer, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(l05.attention(K[order], K, V), answer[order], rtol=1e-11, atol=1e-11)


@given(arrays(np.float64, (2, 3), elements=FINITE), arrays(np.float64, (5, 3), elements=FINITE))
def test_every_answer_lies_between_the_smallest_and_the_largest_value(Q, K):
    V = np.arange(10.0).reshape(5, 2)
    answer = l05.attention(Q, K, V)
    assert (answer >= V.min(axis=0) - 1e-12).all()
    assert (answer <= V.max(axis=0) + 1e-12).all()


@given(arrays(np.float64, (5, 3), elements=FINITE), st.integers(1, 4))
def test_a_word_does_not_notice_what_comes_after_it(X, changed):
    mask = l05.causal_mask(5)
    later = X.copy()
    later[changed:] += 97
    before, after = l05.attention(X, X, X, mask=mask), l05.attention(later, later, later, mask=mask)
    assert before[:changed].tolist() == after[:changed].tolist()


@given(st.integers(-150, 150), st.integers(-150, 150))
def test_scores_of_any_magnitude_give_weights(exponent, other):
    Q, K = np.asarray([[10.0**exponent], [-(10.0**exponent)]]), np.asarray([[10.0**other], [0], [-(10.0**other)]])
    weights = l05.attention_weights(Q, K)
    np.testing.assert_allclose(weights, scipy.special.softmax(Q @ K.T, axis=-1), rtol=1e-12)


def test_leading_axes_broadcast(xp, rng):
    Q, K, V = rng.normal(size=(7, 1, 2, 3)), rng.normal(size=(11, 5, 3)), rng.normal(size=(1, 11, 5, 13))
    mask = rng.random(size=(7, 1, 1, 5)) < 0.7
    answer = np.asarray(l05.attention(*map(xp.asarray, (Q, K, V)), mask=xp.asarray(mask)))
    assert answer.shape == (7, 11, 2, 13)
    for n, m in np.ndindex(7, 11):
        expected = l05.attention(Q[n, 0], K[m], V[0, m], mask=mask[n, 0])
        np.testing.assert_allclose(answer[n, m], expected, rtol=1e-12, atol=1e-15)


def test_a_mask_may_have_leading_axes_that_the_words_do_not_have(xp, rng):
    X, mask = rng.normal(size=(3, 2)), rng.random(size=(5, 3, 3)) < 0.6
    answer = np.asarray(l05.attention(*[xp.asarray(X)] * 3, mask=xp.asarray(mask)))
    expected = np.stack([l05.attention(X, X, X, mask=one) for one in mask])
    np.testing.assert_allclose(answer, expected, rtol=1e-13)


def test_no_keys_at_all_give_0_and_no_queries_give_no_answers(xp):
    assert np.asarray(l05.attention(xp.ones((2, 3)), xp.ones((0, 3)), xp.ones((0, 5)))).tolist() == [[0] * 5] * 2
    assert l05.attention(xp.ones((0, 3)), xp.ones((2, 3)), xp.ones((2, 5))).shape == (0, 5)
    assert l05.attention(xp.ones((2, 3)), xp.ones((5, 3)), xp.ones((5, 0))).shape == (2, 0)
    nothing = l05.attention(xp.ones((0, 2, 3)), xp.ones((0, 5, 3)), xp.ones((0, 5, 7)), mask=xp.ones((1, 5)) > 0)
    assert nothing.shape == (0, 2, 7)
    mask = xp.ones((2, 0)) > 0
    assert (
        np.asarray(l05.attention(xp.ones((2, 3)), xp.ones((0, 3)), xp.ones((0, 5)), mask=mask)).tolist()
        == [[0] * 5] * 2
    )


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        (("float32",) * 3, "float32"),
        (("float32", "float64", "float32"), "float64"),
        (("int64", "float32", "float32"), "float64"),
        (("int64",) * 3, "float64"),
    ],
)
def test_the_answer_has_the_promoted_floating_type(xp, dtypes, expected):
    Q, K, V = (xp.ones((2, 3), dtype=getattr(xp, dtype)) for dtype in dtypes)
    assert l05.attention(Q, K, V).dtype == getattr(xp, expected)
    assert l05.attention(Q, K, V, mask=xp.zeros((2, 2), dtype=xp.float64)).dtype == getattr(xp, expected)


def test_of_scores_too_large_for_exp_the_low_ones_keep_their_digits():
    # 339.3 − 1039.4 would be rounded, and the weight be wrong in the 14th digit
    scores = [1039.4, 339.3]
    with mpmath.workdps(60):
        expected = float(1 / (1 + mpmath.exp(mpmath.mpf(scores[0]) - mpmath.mpf(scores[1]))))
    assert l05.softmax(scores)[1] == pytest.approx(expected, rel=3e-15, abs=0)


def test_a_score_that_overflows_downwards_has_the_weight_0_without_a_warning():
    assert l05.attention_weights([[1e200]], [[-1e200], [1.0]]).tolist() == [[0, 1]]


@pytest.mark.parametrize("tau", [1, 2, 3])
def test_a_score_of_tau_log_3_weighs_three_times_a_score_of_0(tau):
    np.testing.assert_allclose(l05.softmax([tau * math.log(3), 0], tau=tau), [0.75, 0.25], rtol=1e-15)


@pytest.mark.parametrize("tau", [0.5, 1, 2])
def test_a_difference_beyond_the_floats_gives_all_to_the_higher_score_without_a_warning(tau):
    assert l05.softmax([1.7e308, -1.7e308], tau=tau).tolist() == [1, 0]


def test_the_weights_are_divided_by_the_tau_that_is_given():
    assert l05.attention_weights([[2.0]], [[3.0], [0.0]], tau=4).tolist() == l05.softmax([[1.5, 0.0]]).tolist()


@pytest.mark.parametrize("mask", [None, [[True, True]], [[0.0, 0.0]]], ids=["none", "all", "added"])
@pytest.mark.parametrize("score", [0.0, -1e4])  # the weight is ½, or too small for a float
@pytest.mark.parametrize("attention", [l05.attention, l05.attention_streaming])
def test_an_infinite_value_that_no_mask_hides_is_met_however_small_its_weight(attention, score, mask):
    V = [[INF, -INF, NAN, INF], [2.0, 3.0, 5.0, -INF]]
    np.testing.assert_equal(attention([[1.0]], [[score], [0.0]], V, mask=mask), [[INF, -INF, NAN, NAN]])
    np.testing.assert_equal(l05.single_query_attention([1.0], [[score], [0.0]], V), [INF, -INF, NAN, NAN])


def test_a_float64_tau_leaves_float32_as_it_is():
    x = np.ones((2, 3), np.float32)
    assert l05.attention(x, x, x, tau=np.float64(2)).dtype == np.float32
    assert l05.softmax(x, tau=np.asarray(2.0)).dtype == np.float32


def test_float16_is_computed_wide_and_rounded_once(rng):
    Q, K, V = (rng.normal(size=size).astype(np.float16) for size in ((2, 3), (5, 3), (5, 7)))
    wide = l05.attention(*(x.astype(np.float32) for x in (Q, K, V)))
    narrow = l05.attention(Q, K, V)
    assert narrow.dtype == np.float16
    assert narrow.tolist() == wide.astype(np.float16).tolist()


@pytest.mark.parametrize("mask", [None, [[True, False, True]], [[0.5, -INF, 1.0]]])
def test_arguments_are_left_as_they_were_and_the_same_call_gives_the_same_bits(rng, mask):
    # pytorch/pytorch#124464, huggingface/pytorch-image-models#1978, wenet-e2e/wenet#2699
    given = [rng.normal(size=(3, 2)) for _ in "QKV"] + ([] if mask is None else [np.asarray(mask)])
    before = [x.tobytes() for x in given]
    for x in given:
        x.flags.writeable = False
    Q, K, V, *rest = given
    answers = [l05.attention(Q, K, V, mask=rest[0] if rest else None) for _ in range(2)]
    assert answers[0].tobytes() == answers[1].tobytes()
    assert [x.tobytes() for x in given] == before
    assert not any(np.shares_memory(answers[0], x) for x in given)


ONE, TWO, SIX = np.ones((1, 2)), np.ones((3, 2)), np.ones((3, 5))


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("given", "keywords", "error", "message"),
    [
        # pytorch/pytorch#193728: nothing checked it
        ((ONE, TWO, np.ones((4, 2))), {}, ValueError, r"`V` .* must have T_k = 3 as in `K`, got \(4, 2\)"),
        ((ONE, np.ones((3, 3)), SIX), {}, ValueError, r"`K` .* must have d_k = 2 as in `Q`, got \(3, 3\)"),
        (([1, 2], TWO, SIX), {}, ValueError, r"`Q` must have shape \(\*batch, T_q, d_k\), got \(2,\)"),
        ((np.ones((7, 1, 2)), np.ones((5, 3, 2)), SIX), {}, ValueError, r"leading axes .* `Q` \(7,\), `K` \(5,\)"),
        ((np.ones((1, 0)), np.ones((3, 0)), SIX), {}, ValueError, "`Q` and `K` must have at least one column"),
        ((ONE, TWO, SIX), {"tau": 0}, ValueError, "`tau` must be > 0"),
        ((ONE, TWO, SIX), {"tau": -2.0}, ValueError, "`tau` must be > 0"),
        ((ONE, TWO, SIX), {"tau": NAN}, ValueError, "`tau` must be > 0"),
        ((ONE, TWO, SIX), {"tau": [1, 1]}, ValueError, "`tau` must be one number"),
        ((ONE, TWO, SIX), {"tau": "√2"}, TypeError, "`tau` must be a number"),
        # rasbt/LLMs-from-scratch#1061: 0 and 1 are ambiguous
        ((ONE, TWO, SIX), {"mask": [[1, 0, 1]]}, TypeError, r"`mask` must be boolean .* or floating .*, got int64"),
        ((ONE, TWO, SIX), {"mask": np.ones((1, 3), np.uint8)}, TypeError, r"`mask` must be boolean .*, got uint8"),
        ((ONE, TWO, SIX), {"mask": [["yes", "no", "yes"]]}, TypeError, "`mask` must hold real numbers"),
        ((ONE, TWO, SIX), {"mask": [[True, None, True]]}, TypeError, "`mask` must hold real numbers"),
        ((ONE, TWO, SIX), {"mask": [[True], [True, False]]}, ValueError, "`mask` must be rectangular"),
        ((ONE, TWO, SIX), {"mask": [[True, False]]}, ValueError, r"`mask` must broadcast .* got \(1, 2\)"),
        ((ONE, TWO, SIX), {"mask": np.ones((2, 3)) > 0}, ValueError, r"`mask` must broadcast .* got \(2, 3\)"),
        ((ONE, TWO, SIX), {"mask": True}, ValueError, r"`mask` must broadcast .* got \(\)"),
        (
            (np.ones((5, 1, 2)), TWO, SIX),
            {"mask": np.ones((7, 1, 3)) > 0},
            ValueError,
            r"`mask` must broadcast .* got \(7, 1, 3\) for scores of shape \(5, 1, 3\)",
        ),
        ((ONE, TWO, "abc"), {}, TypeError, "`V` must hold real numbers"),
        ((ONE, TWO, SIX * 1j), {}, TypeError, "`V` must hold real numbers, got complex128"),
        ((ONE, [[1, None], [1, 1], [1, 1]], SIX), {}, TypeError, "`K` must hold real numbers"),
        ((ONE, TWO, np.ma.masked_array(SIX, SIX > 0)), {}, TypeError, "`V` must not be a masked array"),
    ],
)
@pytest.mark.parametrize("attention", [l05.attention, l05.attention_streaming])
def test_attention_refuses_what_does_not_fit_by_name(attention, given, keywords, error, message):
    with pytest.raises(error, match=message):
        attention(*given, **keywords)


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("name", ["Q", "K", "V", "mask", "tau"])
def test_arrays_of_two_libraries_are_refused(name):
    import array_api_strict

    given = {"Q": ONE, "K": TWO, "V": SIX, "mask": np.ones((1, 3)), "tau": np.asarray(2.0)}
    given = {key: array_api_strict.asarray(x) if key == name else x for key, x in given.items()}
    with pytest.raises(TypeError, match=r"must all come from one library, but `\w+` is from \w+ and .* from \w+"):
        l05.attention(given["Q"], given["K"], given["V"], mask=given["mask"], tau=given["tau"])


def test_lists_go_with_the_arrays_of_any_library(xp):
    answer = l05.attention([[0, 0]], xp.zeros((2, 2)), [[10], [20]], mask=[[True, True]])
    assert type(answer) is type(xp.zeros(1))
    assert np.asarray(answer).tolist() == [[15]]


# one query


@pytest.mark.independent_check("single_query_attention")
def test_one_query_is_answered_exactly_to_the_last_digits(rng):
    q, K, V = rng.normal(size=3), rng.normal(size=(5, 3)), rng.normal(size=(5, 7))
    np.testing.assert_allclose(l05.single_query_attention(q, K, V), exact_attention([q], K, V, 1)[0], rtol=1e-13)


@given(
    arrays(np.float64, (2, 3), elements=FINITE),
    arrays(np.float64, (5, 3), elements=FINITE),
    arrays(np.float64, (5, 7), elements=FINITE),
)
def test_the_matrix_form_answers_each_query_as_if_it_were_alone(Q, K, V):
    answers = l05.attention(Q, K, V)
    for q, answer in zip(Q, answers, strict=True):
        alone = l05.single_query_attention(q, K, V, tau=3**0.5)
        np.testing.assert_allclose(alone, answer, rtol=1e-10, atol=1e-10)


def test_one_query_broadcasts_its_leading_axes(xp, rng):
    q, K, V = rng.normal(size=(11, 1, 3)), rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 5, 7))
    answer = np.asarray(l05.single_query_attention(*map(xp.asarray, (q, K, V))))
    assert answer.shape == (11, 2, 7)
    np.testing.assert_allclose(answer[10, 1], l05.single_query_attention(q[10, 0], K[1], V[1]), rtol=1e-13)


def test_one_query_without_keys_gets_0(xp):
    answer = l05.single_query_attention(xp.ones(3), xp.ones((0, 3)), xp.ones((0, 2)))
    assert np.asarray(answer).tolist() == [0, 0]


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("given", "keywords", "error", "message"),
    [
        (([1, 2, 3], TWO, SIX), {}, ValueError, "`K` .* must have d_k = 3 as in `q`"),
        (([1, 2], TWO, ONE), {}, ValueError, "`V` .* must have T = 3 as in `K`"),
        ((1, TWO, SIX), {}, ValueError, r"`q` must have shape \(\*batch, d_k\), got \(\)"),
        (([1, 2], TWO, SIX), {"tau": 0}, ValueError, "`tau` must be > 0"),
        ((["a", "b"], TWO, SIX), {}, TypeError, "`q` must hold real numbers"),
    ],
)
def test_one_query_refuses_what_does_not_fit_by_name(given, keywords, error, message):
    with pytest.raises(error, match=message):
        l05.single_query_attention(*given, **keywords)


# self-attention


@pytest.mark.independent_check("self_attention")
def test_self_attention_is_the_loop_over_the_words(rng):
    X, W_Q, W_K, W_V = (rng.normal(size=size) for size in ((5, 3), (3, 2), (3, 2), (3, 7)))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    expected = loop_attention(Q.tolist(), K.tolist(), V.tolist(), lambda i, j: True)
    np.testing.assert_allclose(l05.self_attention(X, W_Q, W_K, W_V), expected, rtol=1e-12)
    causal = loop_attention(Q.tolist(), K.tolist(), V.tolist(), lambda i, j: j <= i)
    np.testing.assert_allclose(l05.self_attention(X, W_Q, W_K, W_V, mask=l05.causal_mask(5)), causal, rtol=1e-12)


@given(arrays(np.float64, (5, 3), elements=FINITE), st.permutations(range(5)))
def test_without_positions_a_permutation_of_the_words_permutes_the_answers(X, order):
    W = np.asarray([[1.0, 0.5], [-0.3, 0.2], [0.1, -0.7]])
    answer = l05.self_attention(X, W, W[::-1], W)
    np.testing.assert_allclose(l05.self_attention(X[order], W, W[::-1], W), answer[order], rtol=1e-10, atol=1e-10)


def test_self_attention_on_every_library_with_leading_axes(xp, rng):
    X, W_Q, W_K, W_V = (rng.normal(size=size) for size in ((11, 5, 3), (3, 2), (3, 2), (3, 7)))
    answer = np.asarray(l05.self_attention(*map(xp.asarray, (X, W_Q, W_K, W_V)), tau=2))
    assert answer.shape == (11, 5, 7)
    expected = l05.attention(X[10] @ W_Q, X[10] @ W_K, X[10] @ W_V, tau=2)
    np.testing.assert_allclose(answer[10], expected, rtol=1e-12)


@pytest.mark.parametrize("word", [1e200, INF])
def test_a_word_that_is_or_becomes_infinite_stays_behind_the_mask(word):
    X, none, large, mask = [[1.0], [word]], [[0.0]], [[1e200]], [[True, False]]
    assert l05.self_attention(X, none, large, large, mask=mask)[0].tolist() == [1e200]
    assert l05.multi_head_attention(X, X, [none], [large], [large], [[1.0]], mask=mask)[0].tolist() == [1e200]


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("given", "keywords", "error", "message"),
    [
        (
            (SIX, np.ones((2, 7)), np.ones((5, 7)), np.ones((5, 7))),
            {},
            ValueError,
            "`W_Q` .* must have d = 5 as in `X`",
        ),
        ((SIX, np.ones((5, 7)), np.ones((5, 2)), np.ones((5, 7))), {}, ValueError, "`W_K` .* must have d_k = 7 as in"),
        ((SIX, np.ones((5, 7)), np.ones((5, 7)), np.ones(5)), {}, ValueError, r"`W_V` must have shape \(d, d_v\)"),
        ((SIX, *[np.ones((5, 7))] * 3), {"mask": np.ones((3, 5)) > 0}, ValueError, "`mask` must broadcast"),
        ((SIX, *[np.ones((5, 7))] * 3), {"tau": -1}, ValueError, "`tau` must be > 0"),
        ((SIX, "W", np.ones((5, 7)), np.ones((5, 7))), {}, TypeError, "`W_Q` must hold real numbers"),
    ],
)
def test_self_attention_refuses_what_does_not_fit_by_name(given, keywords, error, message):
    with pytest.raises(error, match=message):
        l05.self_attention(*given, **keywords)


# many heads


@pytest.mark.independent_check("multi_head_attention")
def test_multi_head_attention_is_the_loop_over_heads_and_words(rng):
    X_q, X_kv = rng.normal(size=(2, 3)), rng.normal(size=(5, 7))
    W_Q, W_K, W_V = rng.normal(size=(11, 3, 13)), rng.normal(size=(11, 7, 13)), rng.normal(size=(11, 7, 17))
    W_O = rng.normal(size=(11 * 17, 19))
    heads = [
        loop_attention((X_q @ Q).tolist(), (X_kv @ K).tolist(), (X_kv @ V).tolist(), lambda i, j: True)
        for Q, K, V in zip(W_Q, W_K, W_V, strict=True)
    ]
    side_by_side = [[x for head in heads for x in head[i]] for i in range(2)]
    expected = np.asarray(side_by_side) @ W_O
    answer = l05.multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O)
    np.testing.assert_allclose(answer, expected, rtol=1e-11, atol=1e-11)


MULTI_HEAD = {
    # lucidrains/vit-pytorch#65, chelsea0x3b/dfdx#171, aladdinpersson/Machine-Learning-Collection#65: √d_model;
    # reczoo/FuxiCTR#30, hyunwoongko/transformer#15: heads split by a bare reshape
    "the scores are divided by the root of the width of a head": (
        ([[1, 2, 3, 0], [0, 1, -1, 2]], [[1, 2, 3, 0], [0, 1, -1, 2]], SELECTORS, SELECTORS, SELECTORS, IDENTITY_4),
        [
            [0.89295819853483, 1.89295819853483, 2.99917422934229, 0.000412885328857114],
            [0.669761549326657, 1.66976154932666, -0.986074690811738, 1.99303734540587],
        ],
    ),
    # humza909/LLM_Survey#2, rexrex9/nlp_torchtext#2: who asks
    "as many answers as there are queries": (
        ([[1, 0]], [[1, 0], [0, 1], [1, 1]], [IDENTITY_2], [IDENTITY_2], [IDENTITY_2], IDENTITY_2),
        [[0.802224185359572, 0.598887907320214]],
    ),
}


@pytest.mark.independent_check("multi_head_attention")
@pytest.mark.parametrize(("given", "expected"), MULTI_HEAD.values(), ids=MULTI_HEAD)
def test_multi_head_attention_of_known_cases(xp, given, expected):
    answer = l05.multi_head_attention(*(xp.asarray(np.asarray(x, float)) for x in given))
    np.testing.assert_allclose(np.asarray(answer), expected, rtol=1e-12)


@given(arrays(np.float64, (5, 3), elements=st.floats(-5, 5)), arrays(np.bool, (5, 5)))
def test_h_heads_are_h_single_heads_side_by_side(X, mask):
    rng = np.random.default_rng(7)
    W_Q, W_K, W_V = (rng.normal(size=(2, 3, 7)) for _ in "QKV")
    W_O = np.eye(2 * 7)
    single = [l05.self_attention(X, W_Q[n], W_K[n], W_V[n], mask=mask) for n in range(2)]
    answer = l05.multi_head_attention(X, X, W_Q, W_K, W_V, W_O, mask=mask)
    np.testing.assert_allclose(answer, np.concatenate(single, axis=-1), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("shape", [(5,), (1, 5), (3, 5), (3, 1), (2, 1, 5), (2, 3, 5), (7, 1, 3, 5), (7, 2, 1, 1)])
def test_one_mask_serves_all_heads_and_broadcasts_over_the_batches(xp, rng, shape):
    X_q, X_kv, mask = rng.normal(size=(7, 2, 3, 2)), rng.normal(size=(2, 5, 2)), rng.random(size=shape) < 0.6
    W = rng.normal(size=(11, 2, 2))
    W_O = rng.normal(size=(22, 13))
    answer = l05.multi_head_attention(*map(xp.asarray, (X_q, X_kv, W, W, W, W_O)), mask=xp.asarray(mask))
    assert answer.shape == (7, 2, 3, 13)
    mask = np.broadcast_to(mask, (7, 2, 3, 5))
    expected = l05.multi_head_attention(X_q[6, 1], X_kv[1], W, W, W, W_O, mask=mask[6, 1])
    np.testing.assert_allclose(np.asarray(answer)[6, 1], expected, rtol=1e-11, atol=1e-13)


def test_multi_head_attention_in_float16_is_rounded_once(rng):
    given = [rng.normal(size=size).astype(np.float16) for size in ((5, 3), (5, 3), *[(2, 3, 7)] * 3, (14, 3))]
    wide = l05.multi_head_attention(*(x.astype(np.float32) for x in given))
    assert l05.multi_head_attention(*given).tolist() == wide.astype(np.float16).tolist()


X, W_HEADS, W_OUT = np.ones((5, 3)), np.ones((2, 3, 7)), np.ones((14, 11))


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("given", "keywords", "error", "message"),
    [
        ((X, X, np.ones((3, 7)), W_HEADS, W_HEADS, W_OUT), {}, ValueError, r"`W_Q` must have shape \(h, d_q, d_k\)"),
        ((X, X, W_HEADS, np.ones((3, 3, 7)), W_HEADS, W_OUT), {}, ValueError, "`W_K` .* must have h = 2 as in `W_Q`"),
        (
            (X, X, W_HEADS, np.ones((2, 5, 7)), W_HEADS, W_OUT),
            {},
            ValueError,
            "`W_K` .* must have d_kv = 3 as in `X_kv`",
        ),
        ((X, X, W_HEADS, np.ones((2, 3, 5)), W_HEADS, W_OUT), {}, ValueError, "`W_K` .* must have d_k = 7 as in `W_Q`"),
        (
            (X, X, W_HEADS, W_HEADS, W_HEADS, np.ones((7, 11))),
            {},
            ValueError,
            r"`W_O` must have h \* d_v = 2 \* 7 rows",
        ),
        ((X, np.ones((5, 2)), W_HEADS, W_HEADS, W_HEADS, W_OUT), {}, ValueError, "`W_K` .* d_kv = 2 as in `X_kv`"),
        (
            (X, X, *[W_HEADS] * 3, W_OUT),
            {"mask": np.ones((3, 5)) > 0},
            ValueError,
            r"`mask` must broadcast .* got \(3, 5\)",
        ),
        ((X, X, *[W_HEADS] * 3, W_OUT), {"mask": np.ones((2, 5, 5), int)}, TypeError, "`mask` must be boolean"),
        (
            (np.ones((7, 5, 3)), X, *[W_HEADS] * 3, W_OUT),
            {"mask": np.ones((2, 5, 5)) > 0},
            ValueError,
            r"`mask` must broadcast .* got \(2, 5, 5\) for scores of shape \(7, 5, 5\)",
        ),
        ((X, X, *[W_HEADS] * 3, W_OUT), {"tau": 0}, ValueError, "`tau` must be > 0"),
        ((X, X, *[W_HEADS] * 3, None), {}, TypeError, "`W_O`"),
        ((X, X, W_HEADS, W_HEADS, [[[1, 2], [3]]], W_OUT), {}, ValueError, "`W_V` must be rectangular"),
    ],
)
def test_multi_head_attention_refuses_what_does_not_fit_by_name(given, keywords, error, message):
    with pytest.raises(error, match=message):
        l05.multi_head_attention(*given, **keywords)


@pytest.mark.parametrize("tau", [1e-50, 5e-324])
def test_a_temperature_that_float32_cannot_hold_gives_all_to_the_highest_score(tau):
    assert l05.softmax(np.float32([1, 2, 3]), tau=tau).tolist() == [0, 0, 1]


def test_so_does_one_that_comes_as_an_array(xp):
    x = xp.asarray([1, 2, 3], dtype=xp.float32)
    assert np.asarray(l05.softmax(x, tau=xp.asarray(1e-50, dtype=xp.float64))).tolist() == [0, 0, 1]


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("tau", [10**400, -(10**400)])
def test_a_temperature_that_no_float_can_hold_is_named(tau):
    with pytest.raises(ValueError, match="`tau` must be a number that a float can hold"):
        l05.softmax([1, 2], tau=tau)


@pytest.mark.usefixtures("as_a_user")  # jaxtyping knows no longdouble
def test_softmax_takes_scores_wider_than_float64():
    found = l05.softmax(np.array([12000, 11999], np.longdouble))
    np.testing.assert_allclose(found.astype(float), scipy.special.softmax([1.0, 0.0]), rtol=1e-15)


def test_infinite_temperature_shares_alike_among_the_keys_one_may_look_at():
    assert l05.softmax([1, -np.inf, 2], tau=np.inf).tolist() == [0.5, 0, 0.5]


def test_no_heads_have_nothing_to_say():
    none = np.ones((0, 3, 2))
    assert (
        l05.multi_head_attention(np.ones((5, 3)), np.ones((7, 3)), none, none, none, np.ones((0, 3))).tolist()
        == [[0] * 3] * 5
    )


def test_infinities_behind_the_mask_do_not_warn_on_their_way_through_the_projections(rng):
    X, W = rng.normal(size=(5, 3)), rng.normal(size=(3, 3))
    X[4] = np.inf
    clean = X.copy()
    clean[4] = 0
    mask = l05.padding_mask(4, 5)
    found = l05.self_attention(X, W, W, W, mask=mask)[:4]
    np.testing.assert_array_equal(found, l05.self_attention(clean, W, W, W, mask=mask)[:4])


def test_one_query_overflows_without_a_warning():
    q, K = np.float32([1e20]), np.float32([[1e20], [-1e20]])
    assert np.isnan(l05.single_query_attention(q, K, np.float32([[1], [2]]))).all()

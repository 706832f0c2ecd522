"""The recurrent neural network."""

import math

import array_api_strict
import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import l05

# pytorch/pytorch#4403 and #9642, onnx/onnx#1127, apache/mxnet#7486: the orientation; W_H is no symmetric matrix
W_X = [[0.5, -0.25, 0], [0.1, 0.3, 1]]
W_H = [[0.2, -0.4, 0], [0.6, 0.1, 0.3], [0, 0.5, -0.7]]
B = [0.05, -0.05, 0.1]
WORDS = [[1, 2], [0, -1]]
STATES = [
    [0.635148952387287, 0.291312612451591, 0.970451936613454],
    [0.24662624392802, -0.0894625262646931, -0.903677890516659],
]


def neuron_by_neuron(x, W_X, W_H, b, h, activation):
    """The lecture's formula written out: sum over the inputs and over the states, for each neuron."""
    states = []
    for x_t in x:
        h = [
            activation(
                sum(W_X[i][j] * x_t[i] for i in range(len(x_t))) + sum(W_H[i][j] * h[i] for i in range(len(h))) + b[j]
            )
            for j in range(len(b))
        ]
        states.append(h)
    return states


def logistic(x):
    return 1 / (1 + math.exp(-x))


# sigmoid


@pytest.mark.independent_check("sigmoid")
def test_sigmoid_agrees_with_scipy(xp):
    x = np.concatenate([np.linspace(-40, 40, 97), [-1000, -745.2, -708, 708, 1000, -math.inf, math.inf, math.nan]])
    expected = scipy.special.expit(x)
    np.testing.assert_allclose(np.asarray(l05.sigmoid(xp.asarray(x))), expected, rtol=1e-14, atol=0)


@pytest.mark.independent_check("sigmoid")
def test_sigmoid_does_not_overflow():
    # ahmedfgad/NumPyCNN#13, harvard-edge/cs249r_book#1870, karpathy/neuraltalk#2
    np.testing.assert_allclose(l05.sigmoid([-1000, -40, 0, 1000]), [0, 4.24835425529159e-18, 0.5, 1], rtol=1e-14)


@given(arrays(np.float64, (2, 3), elements=st.floats(-1e300, 1e300)))
def test_sigmoid_lies_between_0_and_1_and_mirrors_at_0(x):
    y = l05.sigmoid(x)
    assert ((y >= 0) & (y <= 1)).all()
    np.testing.assert_allclose(y + l05.sigmoid(-x), 1, rtol=1e-15)


@pytest.mark.parametrize("x", [0, 0.0, np.float64(0), np.asarray(0)])
def test_sigmoid_of_one_number_is_one_number(x):
    assert np.shape(l05.sigmoid(x)) == ()
    assert float(l05.sigmoid(x)) == 0.5


def test_sigmoid_keeps_the_type_and_rounds_float16_once(xp):
    assert l05.sigmoid(xp.zeros(3, dtype=xp.float32)).dtype == xp.float32
    assert l05.sigmoid(xp.asarray([1, 2])).dtype == xp.float64
    x = np.linspace(-9, 9, 31).astype(np.float16)
    assert l05.sigmoid(x).tolist() == scipy.special.expit(x.astype(np.float32)).astype(np.float16).tolist()


# one step and many


@pytest.mark.independent_check("rnn_step")
def test_one_step_of_the_lecture_two_inputs_and_two_neurons_written_out():
    # h¹ = σ(w₁₁ˣ x¹ + w₂₁ˣ x² + w₁₁ʰ h¹ + w₂₁ʰ h² + b₁), and so for the second neuron
    W_X, W_H, b = [[0.1, 0.2], [0.3, 0.4]], [[0.5, 0.6], [0.7, 0.8]], [0.9, -1.0]
    (x_1, x_2), (h_1, h_2) = (2, -3), (0.25, 0.75)
    first = logistic(0.1 * x_1 + 0.3 * x_2 + 0.5 * h_1 + 0.7 * h_2 + 0.9)
    second = logistic(0.2 * x_1 + 0.4 * x_2 + 0.6 * h_1 + 0.8 * h_2 - 1.0)
    np.testing.assert_allclose(l05.rnn_step([2, -3], [0.25, 0.75], W_X, W_H, b), [first, second], rtol=1e-15)


@pytest.mark.independent_check("rnn")
@pytest.mark.parametrize(("activation", "scalar"), [(np.tanh, math.tanh), (l05.sigmoid, logistic)])
def test_the_matrices_compute_every_neuron_at_once(rng, activation, scalar):
    x, W_X, W_H, b, h_0 = (rng.normal(size=size) for size in ((7, 2), (2, 3), (3, 3), 3, 3))
    expected = neuron_by_neuron(*(array.tolist() for array in (x, W_X, W_H, b, h_0)), scalar)
    np.testing.assert_allclose(l05.rnn(x, W_X, W_H, b, h_0, activation=activation), expected, rtol=1e-12)


@pytest.mark.independent_check("rnn")
def test_the_weights_go_from_input_i_to_neuron_j():
    states = l05.rnn(WORDS, W_X, W_H, B, [0, 0, 0], activation=np.tanh)
    np.testing.assert_allclose(states, STATES, rtol=1e-12)


def test_rnn_on_every_library(xp):
    given = (xp.asarray(np.asarray(x, float)) for x in (WORDS, W_X, W_H, B))
    np.testing.assert_allclose(np.asarray(l05.rnn(*given, activation=xp.tanh)), STATES, rtol=1e-12)


@given(arrays(np.float64, (5, 2), elements=st.floats(-99, 99)), arrays(np.float64, 3, elements=st.floats(0, 1)))
def test_reading_a_sequence_is_one_step_after_another(x, h):
    states = l05.rnn(x, W_X, W_H, B, h)
    for x_t, state in zip(x, states, strict=True):
        h = l05.rnn_step(x_t, h, W_X, W_H, B)
        np.testing.assert_allclose(state, h, rtol=1e-12)


@given(arrays(np.float64, (5, 2), elements=st.floats(-9, 9)), st.integers(0, 5))
def test_a_sequence_may_be_read_in_two_parts(x, cut):
    whole = l05.rnn(x, W_X, W_H, B)
    first = l05.rnn(x[:cut], W_X, W_H, B)
    second = l05.rnn(x[cut:], W_X, W_H, B, first[-1] if cut else None)
    np.testing.assert_allclose(np.concatenate([first, second]), whole, rtol=1e-13)


def test_without_a_first_state_it_is_0(rng):
    x = rng.normal(size=(5, 2))
    np.testing.assert_allclose(l05.rnn(x, W_X, W_H, B), l05.rnn(x, W_X, W_H, B, [0, 0, 0]), rtol=1e-15)


def test_a_word_is_not_heard_before_it_is_read(rng):
    x = rng.normal(size=(5, 2))
    before = l05.rnn(x, W_X, W_H, B)
    x[3:] = 97
    after = l05.rnn(x, W_X, W_H, B)
    assert before[:3].tolist() == after[:3].tolist()
    assert before[3:].tolist() != after[3:].tolist()


def test_leading_axes_are_sequences_side_by_side(xp, rng):
    x, h_0 = rng.normal(size=(11, 7, 5, 2)), rng.normal(size=(7, 3))
    states = np.asarray(l05.rnn(*(xp.asarray(np.asarray(a, float)) for a in (x, W_X, W_H, B, h_0))))
    assert states.shape == (11, 7, 5, 3)
    np.testing.assert_allclose(states[10, 6], l05.rnn(x[10, 6], W_X, W_H, B, h_0[6]), rtol=1e-12)
    step = np.asarray(l05.rnn_step(*(xp.asarray(np.asarray(a, float)) for a in (x[:, :, 0], h_0, W_X, W_H, B))))
    np.testing.assert_allclose(step, states[:, :, 0], rtol=1e-12)


def test_one_sequence_read_from_several_first_states(rng):
    x, h_0 = rng.normal(size=(5, 2)), rng.normal(size=(7, 3))
    states = l05.rnn(x, W_X, W_H, B, h_0)
    assert states.shape == (7, 5, 3)
    np.testing.assert_allclose(states[6], l05.rnn(x, W_X, W_H, B, h_0[6]), rtol=1e-13)


def test_a_sequence_without_words_has_no_states(xp):
    given = [xp.asarray(np.asarray(x, float)) for x in (W_X, W_H, B)]
    assert l05.rnn(xp.zeros((0, 2)), *given).shape == (0, 3)
    assert l05.rnn(xp.zeros((7, 0, 2)), *given).shape == (7, 0, 3)
    assert l05.rnn(xp.zeros((0, 5, 2)), *given).shape == (0, 5, 3)


def test_the_states_have_the_promoted_type_and_float16_is_rounded_once(xp, rng):
    x, weights = xp.ones((5, 2), dtype=xp.float32), [xp.asarray(np.asarray(w, np.float32)) for w in (W_X, W_H, B)]
    assert l05.rnn(x, *weights).dtype == xp.float32
    assert l05.rnn(xp.ones((5, 2), dtype=xp.float64), *weights).dtype == xp.float64
    assert l05.rnn_step(x, xp.zeros(3, dtype=xp.float32), *weights).dtype == xp.float32
    half = [np.asarray(a, np.float16) for a in (rng.normal(size=(5, 2)), W_X, W_H, B)]
    wide = l05.rnn(*(a.astype(np.float32) for a in half))
    assert l05.rnn(*half).tolist() == wide.astype(np.float16).tolist()


def test_arguments_are_left_as_they_were_and_the_same_call_gives_the_same_bits(rng):
    given = [rng.normal(size=(2, 5)).T, *(np.asarray(a) for a in (W_X, W_H, B)), np.zeros(3)]
    before = [a.tobytes() for a in given]
    for a in given:
        a.flags.writeable = False
    first, second = (l05.rnn(*given) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    assert [a.tobytes() for a in given] == before


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: l05.rnn(WORDS, np.transpose(W_X), W_H, B),
            ValueError,
            r"`W_X` .* must have d_in = 2 as in `x`, got \(3, 2\)",
        ),
        (lambda: l05.rnn(WORDS, W_X, np.ones((2, 3)), B), ValueError, "`W_H` .* must have d_h = 3 as in `W_X`"),
        (lambda: l05.rnn(WORDS, W_X, np.ones((3, 2)), B), ValueError, "`W_H` .* must have d_h = 3 as in `W_X`"),
        (lambda: l05.rnn(WORDS, W_X, W_H, [1, 2]), ValueError, "`b` .* must have d_h = 3 as in `W_X`"),
        (lambda: l05.rnn(WORDS, W_X, W_H, 0), ValueError, r"`b` must have shape \(d_h\), got \(\)"),
        (lambda: l05.rnn(WORDS, W_X, W_H, B, [0, 0]), ValueError, "`h_0` .* must have d_h = 3 as in `W_X`"),
        (lambda: l05.rnn([1, 2], W_X, W_H, B), ValueError, r"`x` must have shape \(\*batch, T, d_in\), got \(2,\)"),
        (lambda: l05.rnn(np.ones((7, 5, 2)), W_X, W_H, B, np.ones((2, 3))), ValueError, r"`x` \(7,\), `h_0` \(2,\)"),
        (lambda: l05.rnn([["a", "b"]], W_X, W_H, B), TypeError, "`x` must hold real numbers"),
        (lambda: l05.rnn(WORDS, W_X, W_H, [None] * 3), TypeError, "`b` must hold real numbers, got NoneType"),
        (lambda: l05.rnn(WORDS, [[1], [2, 3]], W_H, B), ValueError, "`W_X` must be rectangular"),
        (lambda: l05.rnn_step([1, 2, 3], [0] * 3, W_X, W_H, B), ValueError, "`W_X` .* must have d_in = 3 as in `x_t`"),
        (lambda: l05.rnn_step([1, 2], [0] * 2, W_X, W_H, B), ValueError, "`W_X` .* must have d_h = 2 as in `h_prev`"),
        (
            lambda: l05.rnn_step([1, 2], [0j] * 3, W_X, W_H, B),
            TypeError,
            "`h_prev` must hold real numbers, got complex128",
        ),
        (lambda: l05.sigmoid("0"), TypeError, "`x` must hold real numbers, got <U1"),
        (lambda: l05.sigmoid(None), TypeError, "`x` must hold real numbers, got NoneType"),
        (lambda: l05.sigmoid([[0], [1, 2]]), ValueError, "`x` must be rectangular"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(("activation", "came"), [(lambda z: z[:1], r"\(1,\)"), (lambda z: 0.5, r"\(\)")])
def test_an_activation_that_changes_the_shape_is_refused_by_name(activation, came):
    with pytest.raises(ValueError, match=rf"`activation\(z\)` must have the shape of `z` \(3,\), got {came}"):
        l05.rnn(WORDS, W_X, W_H, B, activation=activation)
    with pytest.raises(ValueError, match=rf"`activation\(z\)` must have the shape of `z` \(3,\), got {came}"):
        l05.rnn_step(WORDS[0], [0, 0, 0], W_X, W_H, B, activation=activation)


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("activation", "came"),
    [
        (array_api_strict.asarray, "is from array_api_strict and `z` is from numpy"),
        (lambda z: z * 1j, "must hold real numbers, got complex"),
        (lambda z: None, "must hold real numbers, got NoneType"),
    ],
)
def test_an_activation_that_changes_the_library_or_leaves_the_real_numbers_is_refused_by_name(activation, came):
    with pytest.raises(TypeError, match=rf"`activation\(z\)` {came}"):
        l05.rnn(WORDS, W_X, W_H, B, activation=activation)


@pytest.mark.parametrize(
    ("activation", "same"),
    [
        (lambda z: z > 0, lambda z: np.heaviside(z, 0)),
        (lambda z: np.where(z > 0, 1.0, 0.0), lambda z: np.heaviside(z, 0)),
        (lambda z: np.tanh(z).astype(np.float64), np.tanh),
    ],
)
def test_what_an_activation_returns_takes_on_the_type_of_the_rest(activation, same):
    given = (np.float32(WORDS), np.float32(W_X), np.float32(W_H), np.float32(B))
    states = l05.rnn(*given, activation=activation)
    assert states.dtype == np.float32
    assert states.tolist() == l05.rnn(*given, activation=same).tolist()


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("activation", [None, "tanh"])
def test_an_activation_that_cannot_be_called_is_refused_by_name(activation):
    with pytest.raises(TypeError, match="`activation` must be callable"):
        l05.rnn(WORDS, W_X, W_H, B, activation=activation)
    with pytest.raises(TypeError, match="`activation` must be callable"):
        l05.rnn_step(WORDS[0], [0, 0, 0], W_X, W_H, B, activation=activation)


def test_an_empty_sequence_keeps_the_leading_axes_of_the_first_state(rng):
    W_X, W_H, b = rng.normal(size=(2, 3)), rng.normal(size=(3, 3)), rng.normal(size=3)
    assert l05.rnn(np.zeros((0, 2)), W_X, W_H, b, np.zeros((7, 3))).shape == (7, 0, 3)
    assert l05.rnn(np.zeros((5, 0, 2)), W_X, W_H, b).shape == (5, 0, 3)


def test_an_empty_sequence_keeps_the_type_the_device_and_all_leading_axes():
    xp, device = array_api_strict, array_api_strict.Device("device1")
    shapes = (7, 0, 2), (2, 3), (3, 3), (3,), (11, 1, 3)
    states = l05.rnn(*(xp.ones(shape, dtype=xp.float32, device=device) for shape in shapes))
    assert (states.shape, states.dtype, states.device) == ((11, 7, 0, 3), xp.float32, device)

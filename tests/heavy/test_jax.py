"""l05 on JAX arrays: traced, mapped, with gradients."""

import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

import l05
from l05 import AttentionWeights, DecoderLayerWeights, EncoderLayerWeights, FeedForwardWeights, NormWeights

H = 2
ATTENTION = [(H, 3, 2), (H, 3, 2), (H, 3, 5), (H * 5, 3)]
FEED_FORWARD = [(3, 7), (7,), (7, 3), (3,)]


def normal(*sizes):
    rng = np.random.default_rng(5)
    return tuple(jnp.asarray(rng.normal(size=size)) for size in sizes)


def encoder_layer(X, gamma, *weights, **keywords):
    attention, feed_forward = AttentionWeights(*weights[:4]), FeedForwardWeights(*weights[4:])
    layer = EncoderLayerWeights(attention, NormWeights(gamma), feed_forward, NormWeights())
    return l05.encoder_layer(X, layer, **keywords)


def decoder(Y, memory, *weights, **keywords):
    attention, feed_forward, norm = AttentionWeights(*weights[:4]), FeedForwardWeights(*weights[4:]), NormWeights()
    layer = DecoderLayerWeights(attention, norm, attention, norm, feed_forward, norm)
    return l05.decoder(Y, memory, [layer] * 2, **keywords)


EMPTY_ROW = jnp.asarray([[True] * 3, [False] * 3])
FUNCTIONS = {
    "inner_product": (l05.inner_product, [(2, 3), (3,)]),
    "matrix_product": (l05.matrix_product, [(2, 3), (3, 5)]),
    "row_combination": (l05.row_combination, [(3,), (3, 5)]),
    "sigmoid": (l05.sigmoid, [(2, 3)]),
    "rnn_step": (l05.rnn_step, [(2,), (3,), (2, 3), (3, 3), (3,)]),
    "rnn": (partial(l05.rnn, activation=jnp.tanh), [(5, 2), (2, 3), (3, 3), (3,), (3,)]),
    "softmax": (lambda x, tau: l05.softmax(x, tau=tau**2 + 1), [(2, 3), ()]),
    "softmax, first axis": (partial(l05.softmax, axis=0), [(2, 3)]),
    "attention_weights": (l05.attention_weights, [(2, 3), (5, 3)]),
    "attention": (lambda Q, K, V, tau: l05.attention(Q, K, V, tau=tau**2 + 1), [(2, 3), (5, 3), (5, 2), ()]),
    "attention, causal": (
        lambda Q, K, V: l05.attention(Q, K, V, mask=l05.causal_mask(3, 5, 2, xp=jnp)),
        [(3, 2), (5, 2), (5, 7)],
    ),
    "attention, empty row": (partial(l05.attention, mask=EMPTY_ROW), [(2, 5), (3, 5), (3, 2)]),
    "attention, floating mask": (
        lambda Q, K, V, mask: l05.attention(Q, K, V, mask=mask),
        [(2, 3), (5, 3), (5, 2), (2, 5)],
    ),
    "attention_streaming": (
        lambda Q, K, V: l05.attention_streaming(Q, K, V, mask=l05.causal_mask(3, 5, 2, xp=jnp)),
        [(3, 2), (5, 2), (5, 7)],
    ),
    "single_query_attention": (l05.single_query_attention, [(3,), (5, 3), (5, 2)]),
    "self_attention": (l05.self_attention, [(5, 3), (3, 2), (3, 2), (3, 7)]),
    "multi_head_attention": (l05.multi_head_attention, [(2, 3), (5, 3), *ATTENTION]),
    "residual": (lambda z: l05.residual(z, jnp.sin), [(2, 3)]),
    "batch_norm": (l05.batch_norm, [(5, 3), (3,), (3,)]),
    "batch_norm, given statistics": (
        lambda x, mean, var: l05.batch_norm(x, mean=mean, var=var**2 + 1),
        [(5, 3), (3,), (3,)],
    ),
    "layer_norm": (l05.layer_norm, [(2, 7), (7,), (7,)]),
    "layer_norm, ε in the root": (partial(l05.layer_norm, eps_in_root=True), [(2, 7), (7,), (7,)]),
    "layer_norm, ε learned": (lambda x, eps: l05.layer_norm(x, eps=eps**2, eps_in_root=True), [(2, 7), ()]),
    "rms_norm": (lambda x, gamma: l05.rms_norm(x, gamma, 0.1), [(2, 7), (7,)]),
    "rms_norm, bare": (l05.rms_norm, [(2, 7), (7,)]),
    "dyt": (l05.dyt, [(2, 3), (), (3,), (3,)]),
    "positional_encoding": (lambda t: l05.positional_encoding(t, 5), [(3,)]),
    "feed_forward": (l05.feed_forward, [(5, 3), *FEED_FORWARD]),
    "add_and_norm": (lambda x, gamma, beta: l05.add_and_norm(x, jnp.sin, gamma, beta), [(2, 7), (7,), (7,)]),
    "encoder_layer": (encoder_layer, [(5, 3), (3,), *ATTENTION, *FEED_FORWARD]),
    "decoder": (decoder, [(2, 3), (5, 3), *ATTENTION, *FEED_FORWARD]),
}
functions = pytest.mark.parametrize(("function", "sizes"), FUNCTIONS.values(), ids=FUNCTIONS)


@functions
def test_under_jit_every_function_gives_what_it_gives_without(function, sizes):
    given = normal(*sizes)
    traced, eager = jax.jit(function)(*given), function(*given)
    assert traced.dtype == eager.dtype
    np.testing.assert_allclose(traced, eager, rtol=1e-10, atol=1e-12)


@functions
def test_gradients_are_those_of_finite_differences(function, sizes):
    function = jax.jit(function)  # compiled once; it also keeps the NumPy arrays of check_grads out
    check_grads(function, normal(*sizes), order=1, modes=["rev"], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
@pytest.mark.parametrize("high", [30, 49, 80, 200, 399, 700])
def test_gradients_at_high_scores_are_those_of_jax(high, dtype):
    x, w = high - jnp.asarray([1, 2, 0], dtype), jnp.asarray([1, 2, 5], dtype)
    for ours, theirs in [
        (jax.grad(lambda x: (l05.softmax(x) * w).sum())(x), jax.grad(lambda x: (jax.nn.softmax(x) * w).sum())(x)),
        (jax.jvp(l05.softmax, (x,), (w,))[1], jax.jvp(jax.nn.softmax, (x,), (w,))[1]),
        (jax.grad(lambda x: l05.attention(x[None, :, None], jnp.ones((1, 3, 1), dtype), w[:, None]).sum())(x), 0),
    ]:
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5 if dtype == jnp.float32 else 1e-13)


@pytest.mark.parametrize("name", ["attention, floating mask", "multi_head_attention", "layer_norm", "rnn"])
def test_vmap_is_one_call_after_another(name):
    function, sizes = FUNCTIONS[name]
    given = normal(*((3, *size) for size in sizes))
    mapped, single = jax.jit(jax.vmap(function))(*given), jax.jit(function)
    for i in range(3):
        np.testing.assert_allclose(mapped[i], single(*(x[i] for x in given)), rtol=1e-10, atol=1e-12)


# what a tracer does not tell


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("garbage", [math.nan, math.inf, -math.inf])
def test_under_jit_too_what_stands_behind_the_mask_does_not_reach_the_output(garbage, floating):
    Q, K, V = normal((3, 2), (3, 2), (3, 5))
    mask = l05.causal_mask(3, xp=jnp)
    mask = jnp.where(mask, 0.0, -jnp.inf) if floating else mask
    clean = l05.attention(Q, K, V, mask=mask)
    dirty = jax.jit(l05.attention)(Q, K.at[2].set(garbage), V.at[2].set(garbage), mask=mask)
    np.testing.assert_allclose(dirty[:2], clean[:2], rtol=1e-13)
    empty = jax.jit(l05.attention)(Q, K.at[2].set(garbage), V.at[2].set(garbage), mask=jnp.zeros((3, 3), bool))
    assert empty.tolist() == [[0] * 5] * 3


@pytest.mark.parametrize("function", [l05.attention, l05.attention_streaming])
def test_under_jit_too_an_infinite_value_that_a_mask_lets_through_is_met_however_small_its_weight(function):
    K, V = jnp.asarray([[-1e4], [0.0]]), jnp.asarray([[math.inf, 1], [2, 3]])
    assert jax.jit(function)(jnp.ones((1, 1)), K, V, mask=jnp.ones((1, 2), bool)).tolist() == [[math.inf, 3]]


def test_no_gradient_is_nan_because_of_an_empty_row_or_a_value_behind_the_mask():
    Q, K, V = normal((2, 3), (3, 3), (3, 5))
    mask = jnp.asarray([[True, True, False], [False, False, False]])
    total = jax.jit(jax.grad(lambda Q, K, V: l05.attention(Q, K, V, mask=mask).sum(), argnums=(0, 1, 2)))
    assert all(jnp.isfinite(gradient).all() for gradient in total(Q, K, V.at[2].set(math.nan)))


def test_the_gradient_of_the_temperature_does_not_mind_a_hidden_score():
    sharpness = jax.jit(jax.grad(lambda tau, scores: (l05.softmax(scores, tau=tau) ** 2).sum()))
    shown, hidden = (float(sharpness(2.0, jnp.asarray(scores))) for scores in ([1.0, 3.0], [1.0, 3.0, -math.inf]))
    assert hidden == pytest.approx(shown, rel=1e-12)
    assert shown != 0


@pytest.mark.parametrize(
    "norm",
    [l05.layer_norm, partial(l05.layer_norm, eps_in_root=True), partial(l05.rms_norm, eps=1e-5)],
    ids=["layer_norm", "layer_norm, root", "rms_norm"],
)
def test_the_gradient_at_a_row_without_spread_is_finite(norm):
    gradient = jax.jit(jax.grad(lambda x: norm(x)[:, 0].sum()))(jnp.zeros((2, 3)))
    assert jnp.isfinite(gradient).all()


@pytest.mark.parametrize("norm", [l05.layer_norm, l05.rms_norm], ids=["layer_norm", "rms_norm"])
@pytest.mark.parametrize("scale", [1e-300, 1, 1e300])
def test_under_jit_too_numbers_whose_squares_are_out_of_range_are_normalized(norm, scale):
    y = jax.jit(partial(norm, eps=0))(jnp.asarray([scale, -scale, scale, -scale]))
    np.testing.assert_allclose(y, [1, -1, 1, -1], rtol=1e-13)


@pytest.mark.parametrize("norm", [l05.layer_norm, partial(l05.layer_norm, eps_in_root=True)])
def test_under_jit_too_a_constant_row_gives_exactly_beta(norm):
    y = jax.jit(norm)(jnp.full((2, 3), 0.1), beta=jnp.asarray([1.0, 2, 3]))
    assert y.tolist() == [[1, 2, 3]] * 2
    assert jax.jit(l05.batch_norm)(jnp.asarray([[0.1, 1e30]]), beta=jnp.asarray([1.0, 2])).tolist() == [[1, 2]]


def test_a_traced_number_is_taken_as_it_is():
    x = jnp.asarray([1.0, 2, 4])
    np.testing.assert_allclose(
        jax.jit(lambda x, tau: l05.softmax(x, tau=tau))(x, 2.0), l05.softmax(x, tau=2), rtol=1e-14
    )
    assert jnp.isnan(jax.jit(lambda x, tau: l05.softmax(x, tau=tau))(x, jnp.nan)).all()
    np.testing.assert_allclose(jax.jit(l05.dyt)(x, 0.7), jnp.tanh(0.7 * x), rtol=1e-14)


def test_traced_lengths_need_the_number_of_keys():
    lengths = jnp.asarray([2, 3])
    traced = jax.jit(lambda lengths: l05.padding_mask(lengths, 5))(lengths)
    assert traced.tolist() == l05.padding_mask(lengths, 5).tolist()
    with pytest.raises(ValueError, match="`T_k` must be given where the values of `lengths` are traced"):
        jax.jit(l05.padding_mask)(lengths)


def test_traced_numbers_need_the_number_of_digits():
    t = jnp.asarray([9487, 5])
    assert jax.jit(lambda t: l05.digits(t, d=4))(t).tolist() == l05.digits(t).tolist()
    with pytest.raises(ValueError, match="`d` must be given where the values of `t` are traced"):
        jax.jit(l05.digits)(t)


def test_masks_and_positions_may_be_made_inside_jit():
    mask = jax.jit(lambda: l05.causal_mask(2, 5, 3, xp=jnp))()
    assert mask.tolist() == l05.causal_mask(2, 5, 3).tolist()
    p = jax.jit(lambda: l05.positional_encoding(range(3), 5, xp=jnp))()
    np.testing.assert_allclose(p, l05.positional_encoding(range(3), 5), rtol=1e-14)


def test_shapes_are_checked_inside_jit():
    with pytest.raises((ValueError, TypeError), match=r"'K'|`K`"):
        jax.jit(l05.attention_weights)(jnp.ones((2, 3)), jnp.ones((5, 7)))


# types and libraries


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16])
@pytest.mark.parametrize(
    "function",
    [
        l05.softmax,
        l05.sigmoid,
        l05.layer_norm,
        l05.rms_norm,
        l05.batch_norm,
        l05.dyt,
        lambda x: l05.attention(x, x, x, mask=l05.causal_mask(5, xp=jnp)),
        lambda x: l05.matrix_product(x, x.mT),
        lambda x: l05.residual(x, lambda z: z),
    ],
)
def test_half_precision_is_computed_wide_and_rounded_once(function, dtype):
    (x,) = normal((5, 7))
    narrow = function(x.astype(dtype))
    assert narrow.dtype == dtype
    wide = function(x.astype(dtype).astype(jnp.float32))
    assert narrow.tolist() == wide.astype(dtype).tolist()


def test_without_int64_a_large_integer_in_a_list_is_still_as_large():
    with jax.enable_x64(False):
        one = jnp.asarray([1.0])
        assert float(l05.inner_product(one, [2**32])) == 2**32
        assert l05.residual(one, lambda z: [3_000_000_000]).tolist() == [3e9]
        assert l05.inner_product(one, [-(2**31)]).tolist() == -(2**31)
        with pytest.raises(TypeError, match="`lengths` must hold integers, got float32"):
            l05.padding_mask([2**32 + 3], 5, xp=jnp)


def test_without_float64_what_one_types_becomes_float32():
    with jax.enable_x64(False):
        assert l05.softmax(jnp.asarray([1, 2])).dtype == jnp.float32
        assert l05.attention([[0, 0]], jnp.zeros((2, 2)), [[10], [20]]).tolist() == [[15]]
        assert l05.positional_encoding(range(3), 5, xp=jnp).dtype == jnp.float32
        assert l05.positional_encoding(jnp.arange(3), 5).dtype == jnp.float32
        with pytest.raises(ValueError, match="integers in `t` must be less than 16777216, to be exact as a float32"):
            l05.positional_encoding(jnp.asarray([2**24 + 1]), 4)
        assert l05.angular_frequencies(5, xp=jnp).dtype == jnp.float32
        assert l05.padding_mask([1, 2], xp=jnp).tolist() == [[[True, False]], [[True, True]]]
        assert l05.digits(jnp.asarray([12, 3])).tolist() == [[2, 1], [3, 0]]
        assert l05.layer_norm(jnp.asarray([1.0, 3])).dtype == jnp.float32


@pytest.mark.independent_check("softmax", "sigmoid")
def test_softmax_and_sigmoid_agree_with_theirs():
    (x,) = normal((5, 7))
    np.testing.assert_allclose(l05.softmax(30 * x), jax.nn.softmax(30 * x), rtol=1e-13)
    np.testing.assert_allclose(l05.sigmoid(30 * x), jax.nn.sigmoid(30 * x), rtol=1e-13)


@pytest.mark.independent_check("attention")
def test_attention_agrees_with_theirs():
    Q, K, V = normal((7, 2, 3), (7, 5, 3), (7, 5, 3))
    mask = jnp.asarray(np.random.default_rng(7).random((7, 2, 5)) < 0.7).at[:, :, 0].set(True)
    theirs = jax.jit(jax.nn.dot_product_attention)(*(x[:, :, None] for x in (Q, K, V)), mask=mask[:, None])[:, :, 0]
    np.testing.assert_allclose(l05.attention(Q, K, V, mask=mask), theirs, rtol=1e-5, atol=1e-5)


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: l05.inner_product(x, np.ones(3)), "`v` is from numpy and `u` is from jax"),
        (lambda x: l05.inner_product(np.ones(3), x), "`v` is from jax and `u` is from numpy"),
        (lambda x: l05.rms_norm(np.ones(3), eps=jnp.asarray(0.5)), "`eps` is from jax and the others are from numpy"),
        (
            lambda x: l05.attention_weights(x[None], x[None], mask=np.ones((1, 1)) > 0),
            "`mask` is from numpy .* from jax",
        ),
        (lambda x: l05.positional_encoding(x, 4, xp=np), "`xp` must be the library of `t`, got numpy .* jax"),
        (lambda x: l05.softmax(x * 1j), "`x` must hold real numbers, got complex128"),
        (lambda x: l05.angular_frequencies(4, xp=jnp, dtype=jnp.int32), "`dtype` must be a floating type of jax"),
        (lambda x: l05.attention_weights(x[None], x[None], mask=jnp.ones((1, 1), int)), "`mask` must be boolean"),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(call, message):
    with pytest.raises(TypeError, match=message):
        call(jnp.ones(3))


def test_the_gradient_of_a_neuron_at_its_threshold_is_0_as_in_jax():
    x = jnp.zeros(1)
    assert jax.grad(lambda x: l05.feed_forward(x, [[1]], [0], [[1]], [0]).sum())(x).tolist() == [0]


@pytest.mark.usefixtures("as_a_user")
def test_a_type_that_jax_has_added_to_numpy_is_refused_by_name():
    with pytest.raises(TypeError, match="`x` must hold real numbers, got bfloat16"):
        l05.softmax(np.asarray(jnp.ones(3, dtype=jnp.bfloat16)))


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: l05.softmax(x, tau=jnp.asarray(0.0)), "`tau` must be > 0, got 0"),
        (lambda x: l05.softmax(x, tau=jnp.ones(3)), r"`tau` must be one number, got shape \(3,\)"),
        (lambda x: l05.dyt(x, jnp.ones(3)), r"`alpha` must be one number, got shape \(3,\)"),
        (lambda x: l05.inner_product(x, jnp.ones(5)), r"`v` .* must have p = 3 as in `u`, got \(5,\)"),
        (lambda x: l05.padding_mask(jnp.asarray([2, -1])), "`lengths` must not be negative"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call(jnp.ones(3))


def test_what_a_tracer_does_not_tell_is_not_needed_for_an_empty_sequence_or_values_that_are_traced_alone():
    states = jax.jit(l05.rnn)(jnp.ones((0, 2)), jnp.ones((2, 3)), jnp.ones((3, 3)), jnp.ones(3))
    assert states.shape == (0, 3)
    Q = jnp.zeros((727, 2))  # more scores than fit in a block
    slope = jax.grad(lambda V: l05.attention(Q, Q, V).sum())(jnp.ones((727, 1)))
    np.testing.assert_allclose(slope, 1, rtol=1e-12)

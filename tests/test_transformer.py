"""The Transformer of 2017, put together."""

import math
from functools import partial

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import l05
from l05 import (
    AttentionWeights,
    DecoderLayerWeights,
    EncoderLayerWeights,
    FeedForwardWeights,
    NormWeights,
)

D, D_MEMORY, D_FF, H, D_K, D_V = 5, 3, 11, 2, 7, 13


def attention_weights(rng, d_kv=D):
    sizes = (H, D, D_K), (H, d_kv, D_K), (H, d_kv, D_V), (H * D_V, D)
    return AttentionWeights(*(rng.normal(size=size) for size in sizes))


def feed_forward_weights(rng):
    return FeedForwardWeights(*(rng.normal(size=size) for size in ((D, D_FF), D_FF, (D_FF, D), D)))


def norm_weights(rng):
    return NormWeights(rng.normal(size=D), rng.normal(size=D))


def encoder_weights(rng):
    return EncoderLayerWeights(attention_weights(rng), norm_weights(rng), feed_forward_weights(rng), norm_weights(rng))


def decoder_weights(rng):
    return DecoderLayerWeights(
        attention_weights(rng),
        norm_weights(rng),
        attention_weights(rng, D_MEMORY),
        norm_weights(rng),
        feed_forward_weights(rng),
        norm_weights(rng),
    )


def each(function, weights):
    """The same tuple of tuples with `function` of every array."""
    if isinstance(weights, tuple):
        return type(weights)(*(each(function, part) for part in weights))
    return function(weights)


# The Transformer in plain Python: lists and loops.


def plain_product(A, B):
    return [
        [math.fsum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*B, strict=True)] for row in A
    ]


def plain_attend(Q, K, V, looks):
    answers = []
    for i, q in enumerate(Q):
        scores = {j: math.fsum(a * b for a, b in zip(q, K[j], strict=True)) for j in range(len(K)) if looks(i, j)}
        top = max(scores.values())
        e = {j: math.exp((score - top) / math.sqrt(len(q))) for j, score in scores.items()}
        answers.append([math.fsum(w * V[j][c] for j, w in e.items()) / math.fsum(e.values()) for c in range(len(V[0]))])
    return answers


def plain_multi_head(X_q, X_kv, weights, looks):
    heads = [
        plain_attend(plain_product(X_q, W_Q), plain_product(X_kv, W_K), plain_product(X_kv, W_V), looks)
        for W_Q, W_K, W_V in zip(*weights[:3], strict=True)
    ]
    return plain_product([[v for head in heads for v in head[i]] for i in range(len(X_q))], weights[3])


def plain_feed_forward(X, W_1, b_1, W_2, b_2):
    hidden = [[max(0.0, v + b) for v, b in zip(row, b_1, strict=True)] for row in plain_product(X, W_1)]
    return [[v + b for v, b in zip(row, b_2, strict=True)] for row in plain_product(hidden, W_2)]


def plain_add_and_norm(X, Y, gamma, beta, eps=1e-5):
    normed = []
    for x, y in zip(X, Y, strict=True):
        z = [a + b for a, b in zip(x, y, strict=True)]
        mu = math.fsum(z) / len(z)
        sigma = math.sqrt(math.fsum((v - mu) ** 2 for v in z) / len(z))
        normed.append([g * (v - mu) / (sigma + eps) + b for v, g, b in zip(z, gamma, beta, strict=True)])
    return normed


def plain_encoder_layer(X, weights, looks=lambda i, j: True):
    attention, norm_1, feed_forward, norm_2 = each(np.ndarray.tolist, weights)
    Z = plain_add_and_norm(X, plain_multi_head(X, X, attention, looks), *norm_1)
    return plain_add_and_norm(Z, plain_feed_forward(Z, *feed_forward), *norm_2)


def plain_decoder_layer(Y, memory, weights, sees=lambda i, j: True):
    own, norm_1, across, norm_2, feed_forward, norm_3 = each(np.ndarray.tolist, weights)
    Z = plain_add_and_norm(Y, plain_multi_head(Y, Y, own, lambda i, j: j <= i), *norm_1)
    Z = plain_add_and_norm(Z, plain_multi_head(Z, memory, across, sees), *norm_2)
    return plain_add_and_norm(Z, plain_feed_forward(Z, *feed_forward), *norm_3)


@pytest.fixture
def X(rng):  # noqa: N802  the lecture's letter
    return rng.normal(size=(3, D))


@pytest.fixture
def memory(rng):
    return rng.normal(size=(2, D_MEMORY))


# the pieces


@pytest.mark.independent_check("feed_forward")
def test_feed_forward_is_the_loop_over_neurons(rng, X):
    weights = feed_forward_weights(rng)
    expected = plain_feed_forward(X.tolist(), *each(np.ndarray.tolist, weights))
    np.testing.assert_allclose(l05.feed_forward(X, *weights), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.independent_check("feed_forward")
def test_feed_forward_worked_by_hand():
    # x W₁ + b₁ = (1 − 2 + 1, 2 + 3 − 7) = (0, −2), cut off to (0, 0); with b₁ = 0 it is (−1, 5), cut off to (0, 5)
    W_1, W_2, b_2 = [[1, 2], [-2, 3]], [[10, 100, 1], [1, 2, 3]], [7, 0, 0]
    assert l05.feed_forward([1, 1], W_1, [1, -7], W_2, b_2).tolist() == [7, 0, 0]
    assert l05.feed_forward([1, 1], W_1, [0, 0], W_2, b_2).tolist() == [12, 10, 15]


@given(arrays(np.float64, (7, D), elements=st.floats(-9, 9)), st.permutations(range(7)))
def test_feed_forward_sends_each_word_through_on_its_own(X, order):
    weights = feed_forward_weights(np.random.default_rng(7))
    whole = l05.feed_forward(X, *weights)
    np.testing.assert_allclose(l05.feed_forward(X[order], *weights), whole[order], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(l05.feed_forward(X[3], *weights), whole[3], rtol=1e-10, atol=1e-10)


@pytest.mark.independent_check("add_and_norm")
def test_add_and_norm_normalizes_after_the_sum_worked_by_hand():
    # harvardnlp/annotated-transformer#1, #92, #110, d2l-ai/d2l-en#803: pre-norm gives (4, 2, 6)
    # 1 + 3, 2, 6 have mean 4 and deviation √(8/3)
    y = l05.add_and_norm([[1, 2, 6]], lambda x: [[3, 0, 0]], norm=lambda x, gamma, beta: l05.layer_norm(x, eps=0))
    np.testing.assert_allclose(y, [[0, -2 / math.sqrt(8 / 3), 2 / math.sqrt(8 / 3)]], rtol=1e-14)
    np.testing.assert_allclose(y, [[0, -1.22474487139159, 1.22474487139159]], rtol=1e-14)


@pytest.mark.independent_check("add_and_norm")
def test_add_and_norm_is_the_loop_over_the_components(rng, X):
    gamma, beta = norm_weights(rng)
    expected = plain_add_and_norm(X.tolist(), np.sin(X).tolist(), gamma.tolist(), beta.tolist())
    np.testing.assert_allclose(l05.add_and_norm(X, np.sin, gamma, beta), expected, rtol=1e-12)


def test_another_norm_may_take_the_place_of_layer_norm(rng, X):
    gamma, beta = norm_weights(rng)
    y = l05.add_and_norm(X, np.sin, gamma, beta, norm=lambda x, gamma, beta: l05.rms_norm(x, gamma))
    np.testing.assert_allclose(y, l05.rms_norm(X + np.sin(X), gamma), rtol=1e-13)
    y = l05.add_and_norm(X, np.sin, gamma, beta, norm=partial(l05.layer_norm, eps=0.5, eps_in_root=True))
    np.testing.assert_allclose(y, l05.layer_norm(X + np.sin(X), gamma, beta, 0.5, eps_in_root=True), rtol=1e-13)


def test_the_layer_is_given_its_input_in_the_type_it_came_in(xp):
    seen = []

    def layer(x):
        seen.append(x.dtype)
        return x

    y = l05.add_and_norm(xp.asarray([1.0, 2, 4], dtype=xp.float32), layer, xp.ones(3, dtype=xp.float64))
    assert seen == [xp.float32]
    assert y.dtype == xp.float64


def test_the_sum_of_float16_is_not_rounded_before_it_is_normalized():
    x, y = np.asarray([1, 2, 5], np.float16), np.asarray([2**-12, -(2**-12), 0], np.float16)
    wide = l05.layer_norm(x.astype(np.float32) + y.astype(np.float32))
    answer = l05.add_and_norm(x, lambda x: y)
    assert answer.dtype == np.float16
    assert answer.tolist() == wide.astype(np.float16).tolist()


# the encoder


@pytest.mark.independent_check("encoder_layer")
def test_an_encoder_layer_is_that_of_lists_and_loops(rng, X):
    weights = encoder_weights(rng)
    np.testing.assert_allclose(l05.encoder_layer(X, weights), plain_encoder_layer(X.tolist(), weights), rtol=1e-9)


@pytest.mark.independent_check("encoder_layer")
@pytest.mark.parametrize("mask", [[[True, True, False]], [True, True, False], [[0.0, 0.0, -math.inf]]])
def test_an_encoder_layer_does_not_look_at_padding(rng, X, mask):
    weights = encoder_weights(rng)
    expected = plain_encoder_layer(X.tolist(), weights, lambda i, j: j < 2)
    np.testing.assert_allclose(l05.encoder_layer(X, weights, mask=mask), expected, rtol=1e-9)


@pytest.mark.independent_check("encoder")
def test_an_encoder_is_one_layer_on_top_of_another_in_lists_and_loops(rng, X):
    layers = [encoder_weights(rng) for _ in range(3)]
    expected = X.tolist()
    for weights in layers:
        expected = plain_encoder_layer(expected, weights)
    np.testing.assert_allclose(l05.encoder(X, layers), expected, rtol=1e-8)
    np.testing.assert_allclose(l05.encoder(X, tuple(layers)), expected, rtol=1e-8)


@settings(max_examples=10)
@given(arrays(np.float64, (7, D), elements=st.floats(-9, 9)), st.permutations(range(7)))
def test_without_positions_the_encoder_does_not_notice_the_order(X, order):
    layers = [encoder_weights(np.random.default_rng(7)) for _ in range(2)]
    answer = l05.encoder(X, layers)
    np.testing.assert_allclose(l05.encoder(X[order], layers), answer[order], rtol=1e-5, atol=1e-5)


def test_padding_does_not_change_what_a_sentence_is_encoded_to(rng):
    layers = [encoder_weights(rng) for _ in range(2)]
    short, padded = rng.normal(size=(3, D)), rng.normal(size=(2, 7, D))
    padded[0, :3] = short
    padded[0, 3:] = math.nan
    padded[1] = np.where(np.isnan(padded[1]), 0, padded[1])
    mask = l05.padding_mask([3, 7])
    # a row of padding is NaN from the start and stays so; nobody looks at it
    answer = l05.encoder(padded, layers, mask=mask)
    np.testing.assert_allclose(answer[0, :3], l05.encoder(short, layers), rtol=1e-9)
    np.testing.assert_allclose(answer[1], l05.encoder(padded[1], layers), rtol=1e-9)


# the decoder


@pytest.mark.independent_check("decoder_layer")
def test_a_decoder_layer_is_that_of_lists_and_loops(rng, X, memory):
    weights = decoder_weights(rng)
    expected = plain_decoder_layer(X.tolist(), memory.tolist(), weights)
    np.testing.assert_allclose(l05.decoder_layer(X, memory, weights), expected, rtol=1e-9)


@pytest.mark.independent_check("decoder_layer")
@pytest.mark.parametrize("memory_mask", [[[True, False]], [True, False], [[0.0, -math.inf]]])
def test_a_decoder_layer_does_not_look_at_the_padding_of_the_memory(rng, X, memory, memory_mask):
    weights = decoder_weights(rng)
    expected = plain_decoder_layer(X.tolist(), memory.tolist(), weights, lambda i, j: j == 0)
    np.testing.assert_allclose(l05.decoder_layer(X, memory, weights, memory_mask=memory_mask), expected, rtol=1e-9)
    memory[1] = math.nan
    np.testing.assert_allclose(l05.decoder_layer(X, memory, weights, memory_mask=memory_mask), expected, rtol=1e-9)


def test_the_mask_of_the_memory_may_differ_for_every_pair_of_sentences(rng):
    written, read, weights = rng.normal(size=(2, 3, 4, D)), rng.normal(size=(3, 5, D_MEMORY)), decoder_weights(rng)
    looks = rng.random((2, 3, 4, 5)) < 0.6
    answer = l05.decoder_layer(written, read, weights, memory_mask=looks)
    for i, j in np.ndindex(2, 3):
        expected = l05.decoder_layer(written[i, j], read[j], weights, memory_mask=looks[i, j])
        np.testing.assert_allclose(answer[i, j], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.independent_check("decoder")
def test_a_decoder_is_one_layer_on_top_of_another_looking_at_one_memory(rng, X, memory):
    layers = [decoder_weights(rng) for _ in range(3)]
    expected = X.tolist()
    for weights in layers:
        expected = plain_decoder_layer(expected, memory.tolist(), weights)
    np.testing.assert_allclose(l05.decoder(X, memory, layers), expected, rtol=1e-8)


@settings(max_examples=10)
@given(arrays(np.float64, (7, D), elements=st.floats(-9, 9)), st.integers(1, 6))
def test_the_decoder_does_not_look_ahead(Y, changed):
    rng = np.random.default_rng(7)
    layers, memory = [decoder_weights(rng) for _ in range(2)], rng.normal(size=(3, D_MEMORY))
    before = l05.decoder(Y, memory, layers)
    Y[changed:] += 97
    after = l05.decoder(Y, memory, layers)
    assert before[:changed].tolist() == after[:changed].tolist()


def test_what_has_not_been_written_yet_may_be_nan(rng, X, memory):
    layers = [decoder_weights(rng) for _ in range(2)]
    before = l05.decoder(X, memory, layers)
    X[2:] = math.nan
    np.testing.assert_allclose(l05.decoder(X, memory, layers)[:2], before[:2], rtol=1e-12)


@pytest.mark.parametrize(
    "mask",
    [np.asarray([True, False, True]), np.asarray([0.0, -math.inf, 0.0]), np.asarray([[True, False, True]] * 3)],
    ids=["boolean", "floating", "matrix"],
)
def test_a_mask_of_the_decoder_comes_on_top_of_the_causal_one(rng, X, memory, mask):
    weights = decoder_weights(rng)
    answer = l05.decoder_layer(X, memory, weights, mask=mask)
    without = l05.decoder_layer(X[[0, 2]], memory, weights)
    np.testing.assert_allclose(answer[[0, 2]], without, rtol=1e-9)
    np.testing.assert_array_equal(answer, l05.decoder(X, memory, [weights], mask=mask))


def test_a_floating_mask_of_the_decoder_is_added(rng, X, memory):
    weights = decoder_weights(rng)
    bias = rng.normal(size=(3, 3))
    causal = np.where(np.tri(3) > 0, bias, -math.inf)
    answer = l05.decoder_layer(X, memory, weights, mask=bias)
    np.testing.assert_allclose(l05.decoder_layer(X, memory, weights, mask=causal), answer, rtol=1e-13)
    assert not np.allclose(answer, l05.decoder_layer(X, memory, weights))


def test_every_sentence_may_have_a_mask_of_its_own(xp, rng, memory):
    Y, bias, weights = rng.normal(size=(7, 3, D)), rng.normal(size=(7, 3, 3)), decoder_weights(rng)
    answer = l05.decoder_layer(*map(xp.asarray, (Y, memory)), each(xp.asarray, weights), mask=xp.asarray(bias))
    expected = l05.decoder_layer(Y[6], memory, weights, mask=bias[6])
    np.testing.assert_allclose(np.asarray(answer)[6], expected, rtol=1e-9)


def test_every_written_word_hears_from_the_memory(rng, X, memory):
    # humza909/LLM_Survey#2, rexrex9/nlp_torchtext#2: queries from the decoder, keys and values from the encoder
    layers = [decoder_weights(rng)]
    before = l05.decoder(X, memory, layers)
    memory[1, 2] += 1
    after = l05.decoder(X, memory, layers)
    assert before.shape == X.shape
    assert (before != after).any(axis=-1).all()


# what holds for both


def test_an_encoder_and_decoder_on_every_library(xp, rng):
    X, Y = rng.normal(size=(7, 3, D_MEMORY)), rng.normal(size=(7, 2, D))
    layers = [each(xp.asarray, decoder_weights(rng)) for _ in range(2)]
    answer = l05.decoder(xp.asarray(Y), xp.asarray(X), layers, memory_mask=l05.padding_mask([1, 2, 3] * 2 + [3], xp=xp))
    assert answer.shape == (7, 2, D)
    layers = [each(np.asarray, weights) for weights in layers]
    expected = l05.decoder(Y[6], X[6], layers)
    np.testing.assert_allclose(np.asarray(answer)[6], expected, rtol=1e-9)
    expected = l05.decoder(Y[0], X[0, :1], layers)
    np.testing.assert_allclose(np.asarray(answer)[0], expected, rtol=1e-9)

    layers = [each(xp.asarray, encoder_weights(rng)) for _ in range(2)]
    answer = l05.encoder(xp.asarray(Y), layers)
    expected = l05.encoder(Y[6], [each(np.asarray, weights) for weights in layers])
    np.testing.assert_allclose(np.asarray(answer)[6], expected, rtol=1e-9)


def test_a_norm_without_gamma_and_beta_has_1_and_0(rng, X, memory):
    bare = encoder_weights(rng)._replace(norm_1=NormWeights(), norm_2=NormWeights())
    explicit = bare._replace(norm_1=NormWeights(np.ones(D), np.zeros(D)), norm_2=NormWeights(np.ones(D), np.zeros(D)))
    assert l05.encoder_layer(X, bare).tolist() == l05.encoder_layer(X, explicit).tolist()


def test_the_norm_is_handed_down_to_every_layer(rng, X, memory):
    calls = []

    def norm(x, gamma, beta):
        calls.append(x.shape)
        return l05.rms_norm(x, gamma)

    l05.encoder(X, [encoder_weights(rng) for _ in range(2)], norm=norm)
    assert calls == [X.shape] * 4
    l05.decoder(X, memory, [decoder_weights(rng) for _ in range(2)], norm=norm)
    assert calls == [X.shape] * (4 + 6)


def test_weights_may_be_lists(rng, X, memory):
    weights = encoder_weights(rng)
    assert (
        l05.encoder_layer(X.tolist(), each(np.ndarray.tolist, weights)).tolist()
        == l05.encoder_layer(X, weights).tolist()
    )


def test_a_sentence_without_words_stays_one(xp, rng):
    layers = [each(xp.asarray, encoder_weights(rng))]
    assert l05.encoder(xp.zeros((0, D)), layers).shape == (0, D)
    assert l05.encoder(xp.zeros((0, 3, D)), layers).shape == (0, 3, D)
    layers = [each(xp.asarray, decoder_weights(rng))]
    assert l05.decoder(xp.zeros((0, D)), xp.zeros((2, D_MEMORY)), layers).shape == (0, D)
    assert l05.decoder(xp.zeros((3, D)), xp.zeros((0, D_MEMORY)), layers).shape == (3, D)


@pytest.mark.parametrize(("words", "weights", "expected"), [(32, 32, 32), (32, 64, 64), (64, 32, 64)])
def test_the_answer_has_the_promoted_type_of_words_and_weights(xp, rng, words, weights, expected):
    types = {32: xp.float32, 64: xp.float64}

    def cast(array):
        return xp.astype(xp.asarray(array), types[weights])

    X = xp.ones((3, D), dtype=types[words])
    assert l05.encoder(X, [each(cast, encoder_weights(rng))]).dtype == types[expected]
    memory = xp.ones((2, D_MEMORY), dtype=types[weights])
    assert l05.decoder(X, memory, [each(cast, decoder_weights(rng))]).dtype == types[expected]
    assert l05.feed_forward(X, *each(cast, feed_forward_weights(rng))).dtype == types[expected]


@pytest.mark.parametrize("wide", [0, 1])
def test_one_layer_of_a_wider_type_widens_the_answer(rng, wide):
    def layers(make):
        return [each(np.float64 if n == wide else np.float32, make(rng)) for n in range(2)]

    X, memory = np.ones((3, D), np.float32), np.ones((2, D_MEMORY), np.float32)
    assert l05.encoder(X, layers(encoder_weights)).dtype == np.float64
    assert l05.decoder(X, memory, layers(decoder_weights)).dtype == np.float64


def test_a_transformer_in_float16_is_rounded_once(rng, X, memory):
    def half(array):
        return np.asarray(array, np.float16)

    def single(array):
        return np.asarray(array, np.float16).astype(np.float32)

    encoders, decoders = [[make(rng) for _ in range(2)] for make in (encoder_weights, decoder_weights)]
    wide = l05.encoder(single(X), [each(single, weights) for weights in encoders])
    narrow = l05.encoder(half(X), [each(half, weights) for weights in encoders])
    assert narrow.dtype == np.float16
    assert narrow.tolist() == wide.astype(np.float16).tolist()
    wide = l05.decoder(single(X), single(memory), [each(single, weights) for weights in decoders])
    narrow = l05.decoder(half(X), half(memory), [each(half, weights) for weights in decoders])
    assert narrow.tolist() == wide.astype(np.float16).tolist()
    weights = feed_forward_weights(rng)
    wide = l05.feed_forward(single(X), *each(single, weights))
    assert l05.feed_forward(half(X), *each(half, weights)).tolist() == wide.astype(np.float16).tolist()


def test_arguments_are_left_as_they_were_and_the_same_call_gives_the_same_bits(rng, X, memory):
    seen = []

    def freeze(array):
        array.flags.writeable = False
        seen.append((array, array.tobytes()))
        return array

    X, memory = freeze(np.asfortranarray(X)), freeze(memory)
    layers = [each(freeze, decoder_weights(rng))]
    first, second = (l05.decoder(X, memory, layers) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    layers = [each(freeze, encoder_weights(rng))]
    assert l05.encoder(X, layers).tobytes() == l05.encoder(X, layers).tobytes()
    assert all(array.tobytes() == before for array, before in seen)


ENCODER = encoder_weights(np.random.default_rng(5))
DECODER = decoder_weights(np.random.default_rng(5))
WORDS, MEMORY = np.ones((3, D)), np.ones((2, D_MEMORY))
FFN = ENCODER.feed_forward


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: l05.feed_forward(WORDS, FFN.W_2, FFN.b_1, FFN.W_2, FFN.b_2),
            ValueError,
            "`W_1` .* must have d = 5 as in `x`",
        ),
        (
            lambda: l05.feed_forward(WORDS, FFN.W_1, FFN.b_2, FFN.W_2, FFN.b_2),
            ValueError,
            "`b_1` .* must have d_ff = 11",
        ),
        (
            lambda: l05.feed_forward(WORDS, FFN.W_1, FFN.b_1, FFN.W_1, FFN.b_2),
            ValueError,
            "`W_2` .* must have d_ff = 11",
        ),
        (lambda: l05.feed_forward(WORDS, FFN.W_1, FFN.b_1, FFN.W_2, 0), ValueError, r"`b_2` must have shape \(d_out\)"),
        (lambda: l05.feed_forward(WORDS, FFN.W_1, None, FFN.W_2, FFN.b_2), TypeError, "`b_1` must hold real numbers"),
        (lambda: l05.feed_forward("abc", *FFN), TypeError, "`x` must hold real numbers"),
        (lambda: l05.add_and_norm(WORDS, lambda x: x[:1]), ValueError, r"`layer\(z\)` must have the shape"),
        (lambda: l05.add_and_norm(WORDS, WORDS), TypeError, "`layer` must be callable"),
        (lambda: l05.add_and_norm(WORDS, None), TypeError, "`layer` must be callable, got None"),
        (lambda: l05.add_and_norm(WORDS, np.sin, [1, 1]), ValueError, "`gamma` .* must have d = 5 as in `x`"),
        (lambda: l05.add_and_norm(WORDS, np.sin, None, "b"), TypeError, "`beta` must hold real numbers"),
        (
            lambda: l05.encoder_layer(WORDS, DECODER),
            TypeError,
            "`weights` must be EncoderLayerWeights, got DecoderLayerW",
        ),
        (
            lambda: l05.encoder_layer(WORDS, tuple(ENCODER)),
            TypeError,
            "`weights` must be EncoderLayerWeights, got tuple",
        ),
        (lambda: l05.encoder_layer(WORDS, None), TypeError, "`weights` must be EncoderLayerWeights, got NoneType"),
        (
            lambda: l05.encoder_layer(WORDS, {"attention": 1}),
            TypeError,
            "`weights` must be EncoderLayerWeights, got dict",
        ),
        (lambda: l05.encoder_layer([1, 2], ENCODER), ValueError, "`X` must have shape"),
        (lambda: l05.encoder_layer("abc", ENCODER), TypeError, "`X` must hold real numbers"),
        (lambda: l05.encoder_layer(WORDS, ENCODER, mask=[[1, 1, 0]]), TypeError, "`mask` must be boolean"),
        (lambda: l05.encoder_layer(WORDS, ENCODER, mask=[[True, False]]), ValueError, "`mask` must broadcast"),
        (
            lambda: l05.decoder_layer(WORDS, MEMORY, ENCODER),
            TypeError,
            "`weights` must be DecoderLayerWeights, got Enc",
        ),
        (
            lambda: l05.decoder_layer(WORDS, MEMORY, [DECODER]),
            TypeError,
            "`weights` must be DecoderLayerWeights, got list",
        ),
        (lambda: l05.decoder_layer(WORDS, [1, 2, 3], DECODER), ValueError, "`memory` must have shape"),
        (lambda: l05.decoder_layer(WORDS, MEMORY * 1j, DECODER), TypeError, "`memory` must hold real numbers"),
        (lambda: l05.decoder_layer(WORDS, MEMORY, DECODER, mask=[[1, 0, 1]]), TypeError, "`mask` must be boolean"),
        (
            lambda: l05.decoder_layer(WORDS, MEMORY, DECODER, mask=np.ones((2, 2)) > 0),
            ValueError,
            "`mask` must broadcast",
        ),
        (
            lambda: l05.encoder(WORDS, []),
            ValueError,
            r"^`layers` must hold the weights .* one layer, got none$",
        ),
        (lambda: l05.decoder(WORDS, MEMORY, ()), ValueError, "`layers` must hold the weights of at least one layer"),
        (
            lambda: l05.encoder(WORDS, ENCODER),
            TypeError,
            r"`layers` must be a list with the weights of each layer, got EncoderLayerWeights",
        ),
        (
            lambda: l05.encoder(WORDS, [ENCODER, DECODER]),
            TypeError,
            r"`layers\[1\]` must be EncoderLayerWeights, got Dec",
        ),
        (
            lambda: l05.decoder(WORDS, MEMORY, [ENCODER]),
            TypeError,
            r"`layers\[0\]` must be DecoderLayerWeights, got Enc",
        ),
        (lambda: l05.encoder("abc", [ENCODER]), TypeError, "`X` must hold real numbers"),
        (lambda: l05.decoder(None, MEMORY, [DECODER]), TypeError, "`Y` must hold real numbers, got NoneType"),
        (
            lambda: l05.encoder(WORDS, [ENCODER._replace(feed_forward=FFN._replace(b_1=None))]),
            TypeError,
            r"`layers\[0\].feed_forward.b_1` must hold real numbers, got NoneType",
        ),
        (
            lambda: l05.encoder_layer(WORDS, ENCODER._replace(norm_2=NormWeights(["a"] * 5))),
            TypeError,
            r"`weights.norm_2.gamma` must hold real numbers",
        ),
        (
            lambda: l05.decoder_layer(WORDS, WORDS, DECODER, memory_mask=np.ones((7, 7), bool)),
            ValueError,
            "`memory_mask` must broadcast to the scores",
        ),
        (
            lambda: l05.encoder_layer(WORDS, ENCODER._replace(norm_1=None)),
            TypeError,
            "`weights.norm_1` must be NormWeights, got NoneType",
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.usefixtures("as_a_user")
def test_weights_from_another_library_than_the_words_are_refused_by_their_path():
    import array_api_strict

    strict = ENCODER._replace(feed_forward=FFN._replace(W_2=array_api_strict.asarray(FFN.W_2)))
    with pytest.raises(
        TypeError, match=r"`layers\[1\].feed_forward.W_2` is from array_api_strict and `X` is from numpy"
    ):
        l05.encoder(WORDS, [ENCODER, strict])


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("part", "weight", "wrong"),
    [
        ("attention", "W_O", np.ones((H * D_V, D + 1))),
        ("feed_forward", "W_2", np.ones((D_FF, 1))),
        ("feed_forward", "b_2", np.ones(D + 1)),
        ("norm_1", "gamma", np.ones(1)),
        ("norm_2", "beta", np.ones(D + 1)),
    ],
)
def test_a_weight_that_does_not_lead_back_to_the_width_of_the_words_is_named_by_its_place(part, weight, wrong):
    layer = ENCODER._replace(**{part: getattr(ENCODER, part)._replace(**{weight: wrong})})
    with pytest.raises(
        ValueError, match=rf"`layers\[1\]\.{part}\.{weight}` of shape .* must have d = 5 as in `X`, got"
    ):
        l05.encoder(WORDS, [ENCODER, layer])


WIDE, TOO_MANY = np.ones((3, D + 1)), np.ones((7, 2, D_MEMORY))


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: l05.encoder_layer(WIDE, ENCODER), "`weights.attention.W_O` .* must have d = 6 as in `X`"),
        (lambda: l05.decoder_layer(WIDE, MEMORY, DECODER), "`weights.self_attention.W_O` .* must have d = 6 as in `Y`"),
        (lambda: l05.decoder(WIDE, MEMORY, [DECODER]), r"`layers\[0\].self_attention.W_O` .* d = 6 as in `Y`"),
        (lambda: l05.decoder_layer([WORDS] * 2, TOO_MANY, DECODER), r"broadcast, got `Y` \(2,\), `memory` \(7,\)"),
        (lambda: l05.decoder([WORDS] * 2, TOO_MANY, [DECODER]), r"broadcast, got `Y` \(2,\), `memory` \(7,\)"),
    ],
)
def test_what_does_not_go_together_is_named_as_it_was_given(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_one_mask_for_several_sentences_is_the_mask_of_each(rng):
    X, looks = rng.normal(size=(4, 3, D)), rng.random((3, 3)) < 0.5
    answers = l05.encoder(X, [ENCODER], mask=looks)
    np.testing.assert_allclose(answers, [l05.encoder(words, [ENCODER], mask=looks) for words in X], rtol=1e-12)


def test_several_masks_or_memories_for_one_sentence_are_as_many_answers(rng):
    looks = rng.random((2, 1, 3)) < 0.5
    answers = l05.encoder(WORDS, [ENCODER] * 2, mask=looks)
    np.testing.assert_allclose(answers, [l05.encoder(WORDS, [ENCODER] * 2, mask=mask) for mask in looks], rtol=1e-12)
    Y, memories, looks = rng.normal(size=(3, D)), rng.normal(size=(7, 2, D_MEMORY)), rng.random((7, 3, 3)) < 0.5
    answers = l05.decoder(Y, memories, [DECODER] * 2)
    np.testing.assert_allclose(answers, [l05.decoder(Y, memory, [DECODER] * 2) for memory in memories], rtol=1e-12)
    answers = l05.decoder(Y, memories[0], [DECODER], mask=looks)
    np.testing.assert_allclose(answers, [l05.decoder(Y, memories[0], [DECODER], mask=m) for m in looks], rtol=1e-12)
    answers = l05.decoder(Y, memories[0], [DECODER], memory_mask=looks[..., :2])
    expected = [l05.decoder(Y, memories[0], [DECODER], memory_mask=mask[..., :2]) for mask in looks]
    np.testing.assert_allclose(answers, expected, rtol=1e-12)


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("layers", [None, 6])
def test_layers_must_be_a_list(X, layers):
    with pytest.raises(TypeError, match="`layers` must be a list"):
        l05.encoder(X, layers)


@pytest.mark.usefixtures("as_a_user")
def test_one_layer_is_not_a_list_of_layers(rng, X):
    with pytest.raises(TypeError, match="`layers` must be a list with the weights of each layer, got EncoderLayer"):
        l05.encoder(X, encoder_weights(rng))


@pytest.mark.usefixtures("as_a_user")
def test_weights_of_another_kind_are_named_by_their_place(rng, X):
    weights = encoder_weights(rng)
    with pytest.raises(TypeError, match=r"`layers\[1\]\.norm_1` must be NormWeights, got tuple"):
        l05.encoder(X, [weights, weights._replace(norm_1=(None, None))])
    with pytest.raises(TypeError, match=r"`weights\.attention` must be AttentionWeights, got FeedForwardWeights"):
        l05.encoder_layer(X, weights._replace(attention=weights.feed_forward))


@pytest.mark.usefixtures("as_a_user")
def test_a_norm_must_be_callable_and_keep_the_shape(rng, X):
    with pytest.raises(TypeError, match="`norm` must be callable, got None"):
        l05.encoder_layer(X, encoder_weights(rng), norm=None)
    with pytest.raises(ValueError, match=r"`norm\(z\)` must have the shape of `z` \(\d+, 5\), got \(1, 5\)"):
        l05.encoder_layer(X, encoder_weights(rng), norm=lambda x, gamma, beta: x[:1])


@pytest.mark.usefixtures("as_a_user")
def test_a_norm_that_returns_nothing_is_named():
    with pytest.raises(TypeError, match=r"`norm\(z\)` must hold real numbers, got NoneType"):
        l05.add_and_norm([1.0, 2.0], lambda x: x, norm=lambda x, gamma, beta: None)


def test_a_norm_may_return_what_one_types():
    assert l05.add_and_norm([1.0, 2.0], lambda x: x, norm=lambda x, gamma, beta: [3, 5]).tolist() == [3, 5]


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("norm", "message"),
    [
        (lambda x, gamma, beta: array_api_strict.asarray(x), r"`norm\(z\)` is from array_api_strict and `z` .* numpy"),
        (lambda x, gamma, beta: x * 1j, r"`norm\(z\)` must hold real numbers, got complex128"),
    ],
)
def test_a_norm_that_changes_the_library_or_leaves_the_real_numbers_is_refused(norm, message):
    with pytest.raises(TypeError, match=message):
        l05.add_and_norm([1.0, 2.0], lambda x: x, norm=norm)

"""l05 on PyTorch tensors, and against PyTorch."""

import math
from functools import partial

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812  its usual name

import l05
from l05 import AttentionWeights, DecoderLayerWeights, EncoderLayerWeights, FeedForwardWeights, NormWeights

PYTORCH_NORM = partial(l05.layer_norm, eps_in_root=True)
D, D_FF, H = 6, 11, 2


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(5)


# How far apart two independent computations may be
FORMULA = {torch.float64: 1e-13, torch.float32: 2e-6}
NORM_OR_RNN = {torch.float64: 1e-13, torch.float32: 1e-5}
LAYER = {torch.float64: 1e-11, torch.float32: 1e-3}


def close(actual, expected, bounds=FORMULA):
    bound = bounds[expected.dtype]
    torch.testing.assert_close(actual, expected, rtol=bound, atol=bound)


@pytest.fixture(params=FORMULA, ids=str)
def _in_both_precisions(request):
    usual = torch.get_default_dtype()
    torch.set_default_dtype(request.param)
    yield
    torch.set_default_dtype(usual)


in_both_precisions = pytest.mark.usefixtures("_in_both_precisions")


def shuffled(module):
    """The module with all its parameters random, the norms' ones and zeros too."""
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
    return module.eval()


def attention_weights(module):
    """The weights of nn.MultiheadAttention, whose heads stand side by side, as one matrix for each head."""
    d_k = module.embed_dim // module.num_heads
    W_Q, W_K, W_V = (W.reshape(module.num_heads, d_k, -1).mT for W in module.in_proj_weight.chunk(3))
    return AttentionWeights(W_Q, W_K, W_V, module.out_proj.weight.T)


def norm_weights(module):
    return NormWeights(module.weight, module.bias)


def feed_forward_weights(layer):
    return FeedForwardWeights(layer.linear1.weight.T, layer.linear1.bias, layer.linear2.weight.T, layer.linear2.bias)


def without_attention_biases(layer):
    """Set to 0 what the lecture's formula does not have."""
    for module in layer.modules():
        if isinstance(module, nn.MultiheadAttention):
            nn.init.zeros_(module.in_proj_bias)
            nn.init.zeros_(module.out_proj.bias)
    return layer


def encoder_weights(layer):
    return EncoderLayerWeights(
        attention_weights(layer.self_attn),
        norm_weights(layer.norm1),
        feed_forward_weights(layer),
        norm_weights(layer.norm2),
    )


def decoder_weights(layer):
    return DecoderLayerWeights(
        attention_weights(layer.self_attn),
        norm_weights(layer.norm1),
        attention_weights(layer.multihead_attn),
        norm_weights(layer.norm2),
        feed_forward_weights(layer),
        norm_weights(layer.norm3),
    )


# against PyTorch


@in_both_precisions
@pytest.mark.independent_check("softmax")
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax_agrees_with_pytorch(dim):
    x = torch.randn(2, 3, 5) * 100
    close(l05.softmax(x, axis=dim), F.softmax(x, dim=dim))


@in_both_precisions
@pytest.mark.independent_check("attention")
@pytest.mark.parametrize("kind", ["none", "boolean", "floating", "empty row"])
def test_attention_agrees_with_scaled_dot_product_attention(kind):
    Q, K, V = torch.randn(7, 2, 3), torch.randn(7, 5, 3), torch.randn(7, 5, 11)
    mask = {
        "none": None,
        "boolean": torch.rand(7, 2, 5) < 0.7,
        "floating": torch.randn(2, 5),
        "empty row": torch.tensor([[True] * 5, [False] * 5]),
    }[kind]
    close(l05.attention(Q, K, V, mask=mask), F.scaled_dot_product_attention(Q, K, V, attn_mask=mask))


@in_both_precisions
@pytest.mark.independent_check("attention", "causal_mask")
def test_causal_attention_agrees_with_scaled_dot_product_attention():
    Q, K, V = torch.randn(5, 3), torch.randn(7, 3), torch.randn(7, 2)
    expected = F.scaled_dot_product_attention(Q[None], K[None], V[None], is_causal=True)[0]
    close(l05.attention(Q, K, V, mask=l05.causal_mask(5, 7, 0, xp=torch)), expected)


@in_both_precisions
def test_tau_is_the_reciprocal_of_their_scale():
    # esceptico/perceiver-io#9
    Q, K, V = torch.randn(2, 3), torch.randn(5, 3), torch.randn(5, 7)
    expected = F.scaled_dot_product_attention(Q[None], K[None], V[None], scale=1 / 4)[0]
    close(l05.attention(Q, K, V, tau=4), expected)


@in_both_precisions
@pytest.mark.independent_check("multi_head_attention")
@pytest.mark.parametrize("masked", [False, True])
def test_multi_head_attention_agrees_with_their_module(masked):
    module = without_attention_biases(shuffled(nn.MultiheadAttention(D, H, batch_first=True)))
    X_q, X_kv = torch.randn(7, 3, D), torch.randn(7, 5, D)
    padding = l05.padding_mask(torch.tensor([1, 2, 3, 4, 5, 5, 5]), 5) if masked else None
    hidden = None if padding is None else ~padding[:, 0]  # there True means hidden
    expected, _ = module(X_q, X_kv, X_kv, key_padding_mask=hidden, need_weights=False)
    close(l05.multi_head_attention(X_q, X_kv, *attention_weights(module), mask=padding), expected)


@in_both_precisions
@pytest.mark.independent_check("layer_norm")
@pytest.mark.parametrize("eps", [1e-5, 0.5])
def test_layer_norm_agrees_with_theirs_when_epsilon_is_in_the_root(eps):
    module, x = shuffled(nn.LayerNorm(7, eps=eps)), torch.randn(3, 5, 7)
    close(l05.layer_norm(x, module.weight, module.bias, eps, eps_in_root=True), module(x), NORM_OR_RNN)


@in_both_precisions
@pytest.mark.independent_check("rms_norm")
@pytest.mark.parametrize("eps", [1e-6, 0.5])
def test_rms_norm_agrees_with_theirs(eps):
    module, x = shuffled(nn.RMSNorm(7, eps=eps)), torch.randn(3, 5, 7)
    close(l05.rms_norm(x, module.weight, eps), module(x), NORM_OR_RNN)


@in_both_precisions
@pytest.mark.independent_check("batch_norm")
def test_batch_norm_agrees_with_theirs_in_training_and_afterwards():
    module, x = shuffled(nn.BatchNorm1d(5, eps=0.25)).train(), torch.randn(7, 5)
    close(l05.batch_norm(x, module.weight, module.bias, 0.25, eps_in_root=True), module(x), NORM_OR_RNN)
    module.eval()
    statistics = module.running_mean, module.running_var
    close(l05.batch_norm(x, module.weight, module.bias, 0.25, *statistics, eps_in_root=True), module(x), NORM_OR_RNN)


@in_both_precisions
@pytest.mark.independent_check("rnn")
@pytest.mark.parametrize("first_state", [False, True])
def test_rnn_agrees_with_theirs(first_state):
    # pytorch/pytorch#4403 and #9642, #15843, onnx/onnx#1127, apache/mxnet#7486: orientation, and two biases
    module, x = shuffled(nn.RNN(2, 3, batch_first=True)), torch.randn(7, 5, 2)
    h_0 = torch.randn(7, 3) if first_state else None
    expected, _ = module(x, h_0 if h_0 is None else h_0[None])
    W_X, W_H, b = module.weight_ih_l0.T, module.weight_hh_l0.T, module.bias_ih_l0 + module.bias_hh_l0
    close(l05.rnn(x, W_X, W_H, b, h_0, activation=torch.tanh), expected, NORM_OR_RNN)


@in_both_precisions
@pytest.mark.independent_check("encoder_layer", "encoder")
@pytest.mark.parametrize("masked", [False, True])
def test_the_encoder_agrees_with_theirs(masked):
    layers = [nn.TransformerEncoderLayer(D, H, D_FF, dropout=0, batch_first=True) for _ in range(2)]
    layers = [without_attention_biases(shuffled(layer)) for layer in layers]
    X = torch.randn(7, 5, D)
    padding = l05.padding_mask(torch.tensor([1, 2, 3, 4, 5, 5, 5]), 5) if masked else None
    expected = X
    for layer in layers:
        below, hidden = expected, None if padding is None else ~padding[:, 0]
        expected = layer.train()(below, src_key_padding_mask=hidden)  # in training their fast path is off
        close(l05.encoder_layer(below, encoder_weights(layer), mask=padding, norm=PYTORCH_NORM), expected, LAYER)
    close(
        l05.encoder(X, [encoder_weights(layer) for layer in layers], mask=padding, norm=PYTORCH_NORM), expected, LAYER
    )


@in_both_precisions
@pytest.mark.independent_check("decoder_layer", "decoder")
@pytest.mark.parametrize("masked", [False, True])
def test_the_decoder_agrees_with_theirs(masked):
    layers = [nn.TransformerDecoderLayer(D, H, D_FF, dropout=0, batch_first=True) for _ in range(2)]
    layers = [without_attention_biases(shuffled(layer)) for layer in layers]
    Y, memory = torch.randn(7, 3, D), torch.randn(7, 5, D)
    padding = l05.padding_mask(torch.tensor([1, 2, 3, 4, 5, 5, 5]), 5) if masked else None
    ahead = ~l05.causal_mask(3, xp=torch)
    expected = Y
    for layer in layers:
        below, hidden = expected, None if padding is None else ~padding[:, 0]
        expected = layer(below, memory, tgt_mask=ahead, memory_key_padding_mask=hidden)
        weights = decoder_weights(layer)
        close(l05.decoder_layer(below, memory, weights, memory_mask=padding, norm=PYTORCH_NORM), expected, LAYER)
    weights = [decoder_weights(layer) for layer in layers]
    close(l05.decoder(Y, memory, weights, memory_mask=padding, norm=PYTORCH_NORM), expected, LAYER)


def test_the_lecture_adds_epsilon_elsewhere():
    x = torch.randn(5, 7)
    assert not torch.allclose(l05.layer_norm(x, eps=0.5), F.layer_norm(x, (7,), eps=0.5))


# gradients


def leaves(*sizes):
    return tuple(torch.randn(size, requires_grad=True) for size in sizes)


WEIGHTS = [(H, 3, 2), (H, 3, 2), (H, 3, 5), (H * 5, 3)]
GRADIENTS = {
    "inner_product": (l05.inner_product, [(2, 3), (3,)]),
    "matrix_product": (l05.matrix_product, [(2, 3), (3, 5)]),
    "row_combination": (l05.row_combination, [(3,), (3, 5)]),
    "sigmoid": (l05.sigmoid, [(2, 3)]),
    "rnn_step": (l05.rnn_step, [(2,), (3,), (2, 3), (3, 3), (3,)]),
    "rnn": (l05.rnn, [(5, 2), (2, 3), (3, 3), (3,), (3,)]),
    "softmax": (lambda x, tau: l05.softmax(x, tau=tau**2 + 1), [(2, 3), ()]),
    "attention_weights": (l05.attention_weights, [(2, 3), (5, 3)]),
    "attention": (lambda Q, K, V, tau: l05.attention(Q, K, V, tau=tau**2 + 1), [(2, 3), (5, 3), (5, 2), ()]),
    "attention, causal": (
        lambda Q, K, V: l05.attention(Q, K, V, mask=l05.causal_mask(3, 5, 2, xp=torch)),
        [(3, 2), (5, 2), (5, 7)],
    ),
    "attention, empty row": (
        lambda Q, K, V: l05.attention(Q, K, V, mask=torch.tensor([[True] * 3, [False] * 3])),
        [(2, 5), (3, 5), (3, 2)],
    ),
    "attention, floating mask": (
        lambda Q, K, V, mask: l05.attention(Q, K, V, mask=mask),
        [(2, 3), (5, 3), (5, 2), (2, 5)],
    ),
    "attention_streaming": (
        lambda Q, K, V: l05.attention_streaming(Q, K, V, mask=l05.causal_mask(3, 5, 2, xp=torch)),
        [(3, 2), (5, 2), (5, 7)],
    ),
    "single_query_attention": (l05.single_query_attention, [(3,), (5, 3), (5, 2)]),
    "self_attention": (l05.self_attention, [(5, 3), (3, 2), (3, 2), (3, 7)]),
    "multi_head_attention": (l05.multi_head_attention, [(2, 3), (5, 3), *WEIGHTS]),
    "residual": (lambda z: l05.residual(z, torch.sin), [(2, 3)]),
    "batch_norm": (l05.batch_norm, [(5, 3), (3,), (3,)]),
    "layer_norm": (l05.layer_norm, [(2, 7), (7,), (7,)]),
    "layer_norm, ε in the root": (PYTORCH_NORM, [(2, 7), (7,), (7,)]),
    "layer_norm, ε learned": (lambda x, eps: l05.layer_norm(x, eps=eps**2, eps_in_root=True), [(2, 7), ()]),
    "rms_norm": (lambda x, gamma: l05.rms_norm(x, gamma, 0.1), [(2, 7), (7,)]),
    "rms_norm, bare": (l05.rms_norm, [(2, 7), (7,)]),
    "dyt": (l05.dyt, [(2, 3), (), (3,), (3,)]),
    "positional_encoding": (lambda t: l05.positional_encoding(t, 5), [(3,)]),
    "feed_forward": (l05.feed_forward, [(5, 3), (3, 7), (7,), (7, 3), (3,)]),
    "add_and_norm": (lambda x, gamma, beta: l05.add_and_norm(x, torch.sin, gamma, beta), [(2, 7), (7,), (7,)]),
    "encoder_layer": (
        lambda X, gamma, *rest: l05.encoder_layer(
            X,
            EncoderLayerWeights(
                AttentionWeights(*rest[:4]), NormWeights(gamma), FeedForwardWeights(*rest[4:]), NormWeights()
            ),
        ),
        [(5, 3), (3,), *WEIGHTS, (3, 7), (7,), (7, 3), (3,)],
    ),
    "decoder_layer": (
        lambda Y, memory, *rest: l05.decoder_layer(
            Y,
            memory,
            DecoderLayerWeights(
                AttentionWeights(*rest[:4]),
                NormWeights(),
                AttentionWeights(*rest[:4]),
                NormWeights(),
                FeedForwardWeights(*rest[4:]),
                NormWeights(),
            ),
        ),
        [(2, 3), (5, 3), *WEIGHTS, (3, 7), (7,), (7, 3), (3,)],
    ),
}


@pytest.mark.parametrize(("function", "sizes"), GRADIENTS.values(), ids=GRADIENTS)
def test_gradients_are_those_of_finite_differences(function, sizes):
    assert torch.autograd.gradcheck(function, leaves(*sizes))


@pytest.mark.parametrize("function", [l05.attention, l05.attention_streaming], ids=lambda function: function.__name__)
def test_no_gradient_is_nan_because_of_a_value_behind_the_mask(function):
    Q, K, V = leaves((2, 3), (5, 3), (5, 7))
    with torch.no_grad():
        V[4], V[3] = math.nan, math.inf
    function(Q, K, V, mask=torch.tensor([True, True, True, False, False])).sum().backward()
    assert Q.grad.isfinite().all()
    assert K.grad.isfinite().all()
    assert V.grad[3:].tolist() == [[0] * 7] * 2


def test_the_gradient_of_the_temperature_does_not_mind_a_hidden_score():
    gradients = []
    for scores in ([1.0, 3.0], [1.0, 3.0, -math.inf]):
        tau = torch.tensor(2.0, requires_grad=True)
        (l05.softmax(torch.tensor(scores), tau=tau) ** 2).sum().backward()
        gradients.append(float(tau.grad))
    assert gradients[1] == pytest.approx(gradients[0], rel=1e-6)
    assert gradients[0] != 0


@pytest.mark.parametrize(
    "norm",
    [
        l05.layer_norm,
        PYTORCH_NORM,
        lambda x: l05.rms_norm(x, eps=1e-5),
        lambda x: l05.batch_norm(x.T).T,
        lambda x: l05.batch_norm(x.T, eps_in_root=True).T,
    ],
    ids=["layer_norm", "layer_norm, root", "rms_norm", "batch_norm", "batch_norm, root"],
)
def test_the_gradient_at_a_row_without_spread_is_finite(norm):
    x = torch.zeros(2, 3, requires_grad=True)
    norm(x)[:, 0].sum().backward()
    assert x.grad.isfinite().all()


def test_the_gradient_of_the_sigmoid_at_0_is_one_quarter():
    x = torch.zeros(3, requires_grad=True)
    l05.sigmoid(x).sum().backward()
    assert x.grad.tolist() == [0.25] * 3


def test_the_gradient_of_a_neuron_at_its_threshold_is_0_as_in_pytorch():
    x = torch.zeros(1, requires_grad=True)
    l05.feed_forward(x, [[1]], [0], [[1]], [0]).sum().backward()
    assert x.grad.tolist() == [0]


def test_the_gradient_far_out_is_0_and_not_nan():
    x = torch.tensor([-1e4, 1e4], requires_grad=True)
    (l05.sigmoid(x).sum() + l05.softmax(x)[0] + l05.dyt(x).sum()).backward()
    assert x.grad.tolist() == [0, 0]


# types, devices, libraries


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize(
    "function",
    [
        l05.softmax,
        l05.sigmoid,
        l05.layer_norm,
        l05.rms_norm,
        l05.batch_norm,
        l05.dyt,
        lambda x: l05.attention(x, x, x),
        lambda x: l05.attention(x, x, x, mask=l05.causal_mask(5, xp=torch)),
        lambda x: l05.matrix_product(x, x.mT),
        lambda x: l05.rnn(x[:, :5], x[:, :5], x[:, 2:], x[0, :5]),
        lambda x: l05.residual(x, lambda z: z),
    ],
)
def test_half_precision_is_computed_wide_and_rounded_once(function, dtype):
    x = torch.randn(5, 7).to(dtype)
    narrow = function(x)
    assert narrow.dtype == dtype
    assert torch.equal(narrow, function(x.float()).to(dtype))


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        ((torch.bfloat16, torch.float16), torch.float32),
        ((torch.bfloat16, torch.float32), torch.float32),
        ((torch.float32, torch.float64), torch.float64),
        ((torch.bfloat16, torch.int64), torch.float64),
        ((torch.bool, torch.uint8), torch.float64),
    ],
)
@pytest.mark.usefixtures("as_a_user")
def test_types_are_promoted_as_torch_promotes_them(dtypes, expected):
    u, v = (torch.ones(3).to(dtype) for dtype in dtypes)
    assert l05.inner_product(u, v).dtype == expected


def test_positions_of_a_tensor_have_its_type_and_those_of_a_list_float64():
    assert l05.positional_encoding(torch.arange(3), 5).dtype == torch.float64
    assert l05.positional_encoding(torch.arange(3.0, dtype=torch.float32), 5).dtype == torch.float32
    assert l05.positional_encoding(range(3), 5, xp=torch, dtype=torch.bfloat16).dtype == torch.bfloat16
    assert l05.angular_frequencies(5, xp=torch, dtype=torch.float32).dtype == torch.float32


def test_masks_stand_on_the_device_that_was_asked_for():
    assert l05.causal_mask(3, xp=torch, device="meta").device.type == "meta"
    assert l05.causal_mask(3, xp=torch).device.type == "cpu"


def test_the_arguments_are_left_as_they_were():
    given = leaves((2, 3), (5, 3), (5, 7))
    before = [x.detach().clone() for x in given]
    first, second = l05.attention(*given), l05.attention(*given)
    assert torch.equal(first, second)
    assert all(torch.equal(x, y) for x, y in zip(given, before, strict=True))
    assert first.requires_grad


@pytest.mark.parametrize("padded", [False, True])
def test_vmap_over_sentences_is_the_leading_axis(padded):
    X, W = torch.randn(11, 5, 3), torch.randn(3, 2)
    mask = l05.padding_mask(torch.tensor([2, 3, 5] * 3 + [1, 4]), 5) if padded else torch.ones(11, 5, 5) > 0
    mapped = torch.func.vmap(lambda X, mask: l05.self_attention(X, W, W, W, mask=mask))(X, mask)
    close(mapped, l05.self_attention(X, W, W, W, mask=mask))


@pytest.mark.parametrize("name", GRADIENTS)
def test_vmap_is_one_call_after_another(name):
    function, sizes = GRADIENTS[name]
    given = [torch.randn(3, *size) for size in sizes]
    several = torch.func.vmap(function)(*given)
    close(several, torch.stack([function(*one) for one in zip(*given, strict=True)]), NORM_OR_RNN)


@pytest.mark.parametrize("function", [l05.attention, l05.attention_streaming], ids=lambda function: function.__name__)
@pytest.mark.parametrize("mapped", ["Q", "K", "V", "mask", "tau"])
def test_vmap_over_one_argument_of_a_large_attention_is_one_call_after_another(function, mapped):
    arguments = {"Q": torch.randn(261, 2), "K": torch.randn(257, 2), "V": torch.randn(257, 3)}
    arguments |= {"mask": torch.rand(261, 257) < 0.5, "tau": torch.tensor(1.5)}
    several = torch.stack([arguments[mapped], arguments[mapped] + arguments[mapped]])
    found = torch.func.vmap(lambda x: function(**arguments | {mapped: x}))(several)
    close(found, torch.stack([function(**arguments | {mapped: x}) for x in several]))


def test_lists_go_with_tensors():
    answer = l05.attention([[0, 0]], torch.zeros(2, 2), [[10], [20]], mask=[[True, True]])
    assert isinstance(answer, torch.Tensor)
    assert answer.tolist() == [[15]]


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: l05.inner_product(x, np.ones(3)), "`v` is from numpy and `u` is from torch"),
        (lambda x: l05.inner_product(np.ones(3), x), "`v` is from torch and `u` is from numpy"),
        (lambda x: l05.inner_product(x, jnp.ones(3)), "`v` is from jax and `u` is from torch"),
        (lambda x: l05.inner_product(jnp.ones(3), x), "`v` is from torch and `u` is from jax"),
        (lambda x: l05.layer_norm(x, eps=jnp.asarray(0.5)), "`eps` is from jax and the others are from torch"),
        (lambda x: l05.softmax(np.ones(3), tau=torch.tensor(2.0)), "`tau` is from torch and the others are from numpy"),
        (
            lambda x: l05.attention_weights(x[None], x[None], mask=np.ones((1, 1)) > 0),
            "`mask` is from numpy and .* torch",
        ),
        (lambda x: l05.residual(x, lambda z: np.ones(3)), r"`layer\(z\)` is from numpy and `z` is from torch"),
        (lambda x: l05.positional_encoding(x, 4, xp=np), "`xp` must be the library of `t`, got numpy .* torch"),
        (lambda x: l05.softmax(x * 1j), "`x` must hold real numbers, got torch.complex128"),
        (lambda x: l05.softmax(x.to_sparse()), r"`x` must be dense, got torch.sparse_coo: give `x.to_dense\(\)`"),
        (lambda x: l05.positional_encoding(x, 4, base=x[0]), "`base` must be a number .*, got one of torch"),
        (lambda x: l05.padding_mask(x), "`lengths` must hold integers, got torch.float64"),
        (lambda x: l05.padding_mask(x.to(torch.uint16)), "`lengths` must hold .* such as int64, got torch.uint16"),
        (lambda x: l05.digits(x.to(torch.uint64)), "`t` must hold .* torch computes with, .*, got torch.uint64"),
        (lambda x: l05.attention_weights(x[None], x[None], mask=x[None, :1].int()), "`mask` must be boolean"),
        (lambda x: l05.angular_frequencies(4, xp=torch, dtype=torch.int32), "`dtype` must be a floating type of torch"),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(call, message):
    with pytest.raises(TypeError, match=message):
        call(torch.ones(3))


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: l05.softmax(x, tau=torch.tensor(0.0)), "`tau` must be > 0, got 0"),
        (lambda x: l05.softmax(x, tau=torch.ones(3)), r"`tau` must be one number, got shape \(3,\)"),
        (lambda x: l05.layer_norm(x, eps=torch.tensor(-1.0)), "`eps` must be >= 0, got -1"),
        (lambda x: l05.dyt(x, torch.ones(3)), r"`alpha` must be one number, got shape \(3,\)"),
        (lambda x: l05.inner_product(x, torch.ones(5)), r"`v` .* must have p = 3 as in `u`, got \(5,\)"),
        (lambda x: l05.padding_mask(torch.tensor([2, -1])), "`lengths` must not be negative"),
        (lambda x: l05.digits(torch.tensor([-1])), "`t` must not be negative"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call(torch.ones(3))


def test_positions_are_as_exact_whatever_type_pytorch_takes_by_default():
    t = torch.arange(1000, 1003)
    torch.set_default_dtype(torch.float32)
    try:
        p = l05.positional_encoding(t, 8)
    finally:
        torch.set_default_dtype(torch.float64)
    assert p.dtype == torch.float64
    np.testing.assert_allclose(p.numpy(), l05.positional_encoding(t.numpy(), 8), rtol=0, atol=4e-16)

"""Every formula of a lecture on the Transformer as a small, checked function."""

from l05.attention import (
    attention,
    attention_weights,
    multi_head_attention,
    self_attention,
    single_query_attention,
    softmax,
)
from l05.linear_algebra import inner_product, matrix_product, row_combination
from l05.masks import causal_mask, padding_mask
from l05.normalization import batch_norm, dyt, layer_norm, rms_norm
from l05.positions import angular_frequencies, digits, positional_encoding
from l05.residual import residual
from l05.rnn import rnn, rnn_step, sigmoid
from l05.streaming import attention_streaming
from l05.transformer import (
    AttentionWeights,
    DecoderLayerWeights,
    EncoderLayerWeights,
    FeedForwardWeights,
    NormWeights,
    add_and_norm,
    decoder,
    decoder_layer,
    encoder,
    encoder_layer,
    feed_forward,
)

__all__ = [
    "AttentionWeights",
    "DecoderLayerWeights",
    "EncoderLayerWeights",
    "FeedForwardWeights",
    "NormWeights",
    "add_and_norm",
    "angular_frequencies",
    "attention",
    "attention_streaming",
    "attention_weights",
    "batch_norm",
    "causal_mask",
    "decoder",
    "decoder_layer",
    "digits",
    "dyt",
    "encoder",
    "encoder_layer",
    "feed_forward",
    "inner_product",
    "layer_norm",
    "matrix_product",
    "multi_head_attention",
    "padding_mask",
    "positional_encoding",
    "residual",
    "rms_norm",
    "rnn",
    "rnn_step",
    "row_combination",
    "self_attention",
    "sigmoid",
    "single_query_attention",
    "softmax",
]

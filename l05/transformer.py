"""The Transformer of 2017, put together from the pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

import numpy as np

from l05._arrays import as_mask, cast, floating, function, kind, returned
from l05.attention import multi_head_attention
from l05.masks import causal_mask
from l05.normalization import layer_norm
from l05.residual import residual

if TYPE_CHECKING:
    from types import ModuleType

    from jaxtyping import Float, Real

    from l05._arrays import Array, Mask, Plain

    Norm = Callable[..., Array]

# What leaves a layer is added to what came in and must be as wide: d.
FRAME = {"gamma": "?d", "beta": "?d", "W_O": "*rows d", "W_2": "*rows d", "b_2": "d"}


class AttentionWeights(NamedTuple):
    """The matrices of :func:`multi_head_attention`."""

    W_Q: Any
    """Shape ``(h, d, d_k)``."""
    W_K: Any
    """Shape ``(h, d, d_k)``."""
    W_V: Any
    """Shape ``(h, d, d_v)``."""
    W_O: Any
    """Shape ``(h * d_v, d)``."""


class FeedForwardWeights(NamedTuple):
    """The matrices and biases of :func:`feed_forward`."""

    W_1: Any
    """Shape ``(d, d_ff)``."""
    b_1: Any
    """Shape ``(d_ff,)``."""
    W_2: Any
    """Shape ``(d_ff, d)``."""
    b_2: Any
    """Shape ``(d,)``."""


class NormWeights(NamedTuple):
    """Scale and shift of a normalization; None is 1 and 0."""

    gamma: Any = None
    """Shape ``(d,)``."""
    beta: Any = None
    """Shape ``(d,)``."""


class EncoderLayerWeights(NamedTuple):
    """All that :func:`encoder_layer` has learned."""

    attention: AttentionWeights
    """Self-attention."""
    norm_1: NormWeights
    """After the attention."""
    feed_forward: FeedForwardWeights
    """The feed-forward network."""
    norm_2: NormWeights
    """After the feed-forward network."""


class DecoderLayerWeights(NamedTuple):
    """All that :func:`decoder_layer` has learned."""

    self_attention: AttentionWeights
    """Masked self-attention."""
    norm_1: NormWeights
    """After the self-attention."""
    cross_attention: AttentionWeights
    """Queries from the decoder, keys and values from the encoder."""
    norm_2: NormWeights
    """After the cross-attention."""
    feed_forward: FeedForwardWeights
    """The feed-forward network."""
    norm_3: NormWeights
    """After the feed-forward network."""


def feed_forward(
    x: Real[Array, "*#batch d"] | Plain,
    W_1: Real[Array, "d d_ff"] | Plain,
    b_1: Real[Array, " d_ff"] | Plain,
    W_2: Real[Array, "d_ff d_out"] | Plain,
    b_2: Real[Array, " d_out"] | Plain,
) -> Float[Array, "*#batch d_out"]:
    r"""Send each word through the same two-layer network, on its own.

    .. math::

        \operatorname{FFN}(x) = \max(0,\ x W_1 + b_1)\, W_2 + b_2

    Parameters
    ----------
    x : array
        Vectors as rows, shape ``(*batch, d)``.
    W_1, b_1 : array
        First layer, shapes ``(d, d_ff)`` and ``(d_ff,)``.
    W_2, b_2 : array
        Second layer, shapes ``(d_ff, d_out)`` and ``(d_out,)``.

    Returns
    -------
    array
        Shape ``(*batch, d_out)``.

    Raises
    ------
    ValueError
        If the weights do not fit.
    TypeError
        If the arguments hold no real numbers or come from different array libraries.

    References
    ----------
    :cite:t:`vaswani2017`, equation 2.

    Examples
    --------
    >>> feed_forward([1, -1], [[1, 0], [0, 1]], [0, 0], [[10], [100]], [5])  # −1 is cut off to 0
    array([15.])
    """
    xp, (x, W_1, b_1, W_2, b_2), dtype = floating(
        x=(x, "*batch d"), W_1=(W_1, "d d_ff"), b_1=(b_1, "d_ff"), W_2=(W_2, "d_ff d_out"), b_2=(b_2, "d_out")
    )
    z = x @ W_1 + b_1
    z = xp.where(z <= 0, 0, z)  # with derivative 0 at 0, where that of a maximum is 1 to PyTorch and ½ to JAX
    return cast(xp, z @ W_2 + b_2, dtype)


def add_and_norm(
    x: Real[Array, "*batch d"] | Plain,
    layer: Callable[[Array], Array],
    gamma: Real[Array, " d"] | Plain | None = None,
    beta: Real[Array, " d"] | Plain | None = None,
    *,
    norm: Norm = layer_norm,
) -> Float[Array, "*batch d"]:
    r"""Add the input back, then normalize: the frame around every layer of the 2017 Transformer.

    .. math::

        y = \operatorname{LayerNorm}(x + \ell(x))

    Parameters
    ----------
    x : array
        Vectors as rows, shape ``(*batch, d)``.
    layer : callable
        The layer ℓ; it must return the shape of `x`.
    gamma, beta : array, optional
        Scale and shift of the normalization, shape ``(d,)``.
    norm : callable, default :func:`layer_norm`
        Called as ``norm(x, gamma, beta)``. ``functools.partial(layer_norm, eps_in_root=True)`` is
        PyTorch's; ``lambda x, gamma, beta: rms_norm(x, gamma)`` is what Llama uses.

    Returns
    -------
    array
        Same shape as `x`.

    Raises
    ------
    ValueError
        If shapes do not fit.
    TypeError
        If `layer` or `norm` is not callable, an argument holds no real numbers or the array libraries differ.

    References
    ----------
    :cite:t:`vaswani2017`, section 3.1 and figure 1; :cite:t:`tsai2025`, slides 52-56.

    Examples
    --------
    The sum is 3, 3, 9, 9: mean 6, standard deviation 3.

    >>> add_and_norm([1, 1, 3, 3], lambda x: 2 * x, norm=lambda x, gamma, beta: layer_norm(x, gamma, beta, eps=0))
    array([-1., -1.,  1.,  1.])
    """
    xp, (wide, gamma, beta), dtype = floating(x=(x, "*batch d"), gamma=(gamma, "?d"), beta=(beta, "?d"))
    layer, norm = function("layer", layer), function("norm", norm)
    own = floating(x=(x, "*batch d"))[2]  # the layer sees its input as it was given
    z = residual(wide, lambda z: layer(cast(xp, z, own)))
    xp, (_, y), _ = returned("norm", norm(z, gamma, beta), z)
    return cast(xp, y, dtype)


def encoder_layer(
    X: Real[Array, "*#batch T d"] | Plain,
    weights: EncoderLayerWeights,
    *,
    mask: Mask | None = None,
    norm: Norm = layer_norm,
) -> Float[Array, "*#batch T d"]:
    r"""Let the words look at each other, then let each think for itself.

    .. math::

        \begin{aligned}
        Z &= \operatorname{LayerNorm}(X + \operatorname{MultiHead}(X, X)) \\
        Y &= \operatorname{LayerNorm}(Z + \operatorname{FFN}(Z))
        \end{aligned}

    Parameters
    ----------
    X : array
        Words as rows, shape ``(*batch, T, d)``.
    weights : EncoderLayerWeights
        All that the layer has learned.
    mask : array, optional
        As in :func:`attention`, a :func:`padding_mask` as a rule.
    norm : callable, default :func:`layer_norm`
        As in :func:`add_and_norm`.

    Returns
    -------
    array
        As many words as came in, shape ``(*batch, T, d)``.

    Raises
    ------
    ValueError
        If shapes do not fit.
    TypeError
        If `weights` is of another type or an argument holds no real numbers.

    References
    ----------
    :cite:t:`vaswani2017`, section 3.1; :cite:t:`tsai2025`, slides 35-39.

    Examples
    --------
    With all weights 0 both layers add nothing, and what is left is the normalization:

    >>> heads, W_O = [[[0], [0]]], [[0, 0]]
    >>> weights = EncoderLayerWeights(
    ...     AttentionWeights(heads, heads, heads, W_O), NormWeights(),
    ...     FeedForwardWeights([[0], [0]], [0], [[0, 0]], [0, 0]), NormWeights())
    >>> encoder_layer([[1, 3], [8, 2]], weights).round(3)
    array([[-1.,  1.],
           [ 1., -1.]])
    """
    xp, (X,), dtype = _wide({"weights": weights}, EncoderLayerWeights, X=(X, "*batch T d"))
    if mask is not None:
        mask = as_mask(xp, mask, X.dtype, (*X.shape[:-1], X.shape[-2]))
    X = _for_each(xp, X, mask)
    Z = add_and_norm(X, lambda X: multi_head_attention(X, X, *weights.attention, mask=mask), *weights.norm_1, norm=norm)
    Y = add_and_norm(Z, lambda Z: feed_forward(Z, *weights.feed_forward), *weights.norm_2, norm=norm)
    return cast(xp, Y, dtype)


def decoder_layer(
    Y: Real[Array, "*#batch T d"] | Plain,
    memory: Real[Array, "*#batch T_k d_memory"] | Plain,
    weights: DecoderLayerWeights,
    *,
    mask: Mask | None = None,
    memory_mask: Mask | None = None,
    norm: Norm = layer_norm,
) -> Float[Array, "*#batch T d"]:
    r"""Look back at what has been written, then across at what was read, then think.

    .. math::

        \begin{aligned}
        Z_1 &= \operatorname{LN}(Y + \operatorname{Masked}(Y, Y)) \\
        Z_2 &= \operatorname{LN}(Z_1 + \operatorname{MultiHead}(Z_1, M)) \\
        Z_3 &= \operatorname{LN}(Z_2 + \operatorname{FFN}(Z_2))
        \end{aligned}

    LN is :func:`layer_norm`; Masked is the multi-head self-attention under a causal mask, always. The middle layer
    is the one that is not self-attention: its keys and values come from `memory` M, the output of the encoder.

    Parameters
    ----------
    Y : array
        Words written so far as rows, shape ``(*batch, T, d)``.
    memory : array
        Output of the encoder, shape ``(*batch, T_k, d_memory)``.
    weights : DecoderLayerWeights
        All that the layer has learned.
    mask : array, optional
        Who may look at whom in the self-attention, on top of the causal mask; broadcasts to ``(*batch, T, T)``.
    memory_mask : array, optional
        Who may look at what in `memory`; broadcasts to ``(*batch, T, T_k)``.
    norm : callable, default :func:`layer_norm`
        As in :func:`add_and_norm`.

    Returns
    -------
    array
        As many words as came in, shape ``(*batch, T, d)``.

    Raises
    ------
    ValueError
        If shapes do not fit.
    TypeError
        If `weights` is of another type or an argument holds no real numbers.

    References
    ----------
    :cite:t:`vaswani2017`, section 3.1; :cite:t:`tsai2025`, slides 35-39.

    Examples
    --------
    The first word does not notice when the second one changes:

    >>> heads, W_O, norm = [[[1], [2]]], [[1, 3]], NormWeights()
    >>> attend = AttentionWeights(heads, heads, heads, W_O)
    >>> think = FeedForwardWeights([[1], [1]], [0], [[1, 2]], [0, 0])
    >>> weights = DecoderLayerWeights(attend, norm, attend, norm, think, norm)
    >>> before = decoder_layer([[1, 0], [0, 1]], [[1, 1]], weights)
    >>> after = decoder_layer([[1, 0], [7, 5]], [[1, 1]], weights)
    >>> before[0].tolist() == after[0].tolist()
    True
    """
    xp, (Y, memory), dtype = _wide(
        {"weights": weights}, DecoderLayerWeights, Y=(Y, "*batch T d"), memory=(memory, "*batch T_k d_memory")
    )
    Y = _for_each(xp, Y, memory)
    mask = _causal_and(xp, Y, mask)
    if memory_mask is not None:
        memory_mask = as_mask(xp, memory_mask, Y.dtype, (*Y.shape[:-1], memory.shape[-2]), "memory_mask")
    Y = _for_each(xp, Y, mask, memory_mask)
    Z_1 = add_and_norm(
        Y, lambda Y: multi_head_attention(Y, Y, *weights.self_attention, mask=mask), *weights.norm_1, norm=norm
    )
    Z_2 = add_and_norm(
        Z_1,
        lambda Z: multi_head_attention(Z, memory, *weights.cross_attention, mask=memory_mask),
        *weights.norm_2,
        norm=norm,
    )
    Z_3 = add_and_norm(Z_2, lambda Z: feed_forward(Z, *weights.feed_forward), *weights.norm_3, norm=norm)
    return cast(xp, Z_3, dtype)


def encoder(
    X: Real[Array, "*#batch T d"] | Plain,
    layers: Sequence[EncoderLayerWeights],
    *,
    mask: Mask | None = None,
    norm: Norm = layer_norm,
) -> Float[Array, "*#batch T d"]:
    r"""Read a sentence: one :func:`encoder_layer` on top of another.

    .. math::

        \begin{gathered}
        X^{(n)} = \operatorname{EncoderLayer}_n(X^{(n-1)}) \\
        n = 1, \ldots, N
        \end{gathered}

    Parameters
    ----------
    X : array
        Word embeddings with their positions as rows, shape ``(*batch, T, d)``.
    layers : sequence of EncoderLayerWeights
        The weights of each layer, the lowest first; at least one.
    mask : array, optional
        As in :func:`attention`, the same for all layers.
    norm : callable, default :func:`layer_norm`
        As in :func:`add_and_norm`.

    Returns
    -------
    array
        As many words as came in, shape ``(*batch, T, d)``: the memory that the decoder looks at.

    Raises
    ------
    ValueError
        If there is no layer or shapes do not fit.
    TypeError
        If a layer is of another type or an argument holds no real numbers.

    References
    ----------
    :cite:t:`vaswani2017`, section 3.1; :cite:t:`tsai2025`, slides 35-39.

    Examples
    --------
    Six layers, and still as many words as came in:

    >>> heads, W_O, norm = [[[1], [2]]], [[1, 3]], NormWeights()
    >>> think = FeedForwardWeights([[1], [1]], [0], [[1, 2]], [0, 0])
    >>> layer = EncoderLayerWeights(AttentionWeights(heads, heads, heads, W_O), norm, think, norm)
    >>> encoder([[1, 0], [0, 1], [1, 1]], [layer] * 6).shape
    (3, 2)
    """
    xp, (X,), dtype = _wide(_numbered(layers), EncoderLayerWeights, X=(X, "*batch T d"))
    for weights in layers:
        X = encoder_layer(X, weights, mask=mask, norm=norm)
    return cast(xp, X, dtype)


def decoder(
    Y: Real[Array, "*#batch T d"] | Plain,
    memory: Real[Array, "*#batch T_k d_memory"] | Plain,
    layers: Sequence[DecoderLayerWeights],
    *,
    mask: Mask | None = None,
    memory_mask: Mask | None = None,
    norm: Norm = layer_norm,
) -> Float[Array, "*#batch T d"]:
    r"""Write a sentence: one :func:`decoder_layer` on top of another, all looking at the same memory.

    .. math::

        \begin{gathered}
        Y^{(n)} = \operatorname{DecoderLayer}_n(Y^{(n-1)}, M) \\
        n = 1, \ldots, N
        \end{gathered}

    Parameters
    ----------
    Y : array
        Embeddings of the words written so far as rows, shape ``(*batch, T, d)``.
    memory : array
        Output of the :func:`encoder`, shape ``(*batch, T_k, d_memory)``.
    layers : sequence of DecoderLayerWeights
        The weights of each layer, the lowest first; at least one.
    mask, memory_mask : array, optional
        As in :func:`decoder_layer`, the same for all layers.
    norm : callable, default :func:`layer_norm`
        As in :func:`add_and_norm`.

    Returns
    -------
    array
        As many words as came in, shape ``(*batch, T, d)``.

    Raises
    ------
    ValueError
        If there is no layer or shapes do not fit.
    TypeError
        If a layer is of another type or an argument holds no real numbers.

    References
    ----------
    :cite:t:`vaswani2017`, section 3.1; :cite:t:`tsai2025`, slides 35-39.

    Examples
    --------
    Two words written, three words read:

    >>> heads, W_O, norm = [[[1], [2]]], [[1, 3]], NormWeights()
    >>> attend = AttentionWeights(heads, heads, heads, W_O)
    >>> think = FeedForwardWeights([[1], [1]], [0], [[1, 2]], [0, 0])
    >>> layer = DecoderLayerWeights(attend, norm, attend, norm, think, norm)
    >>> decoder([[1, 0], [0, 1]], [[1, 0], [0, 1], [1, 1]], [layer] * 6).shape
    (2, 2)
    """
    xp, (Y, memory), dtype = _wide(
        _numbered(layers), DecoderLayerWeights, Y=(Y, "*batch T d"), memory=(memory, "*batch T_k d_memory")
    )
    for weights in layers:
        Y = decoder_layer(Y, memory, weights, mask=mask, memory_mask=memory_mask, norm=norm)
    return cast(xp, Y, dtype)


def _causal_and(xp: ModuleType, Y: Array, mask: Mask | None) -> Array:
    """Return the causal mask for `Y`, narrowed by the caller's mask."""
    T = Y.shape[-2]
    causal = causal_mask(T, xp=xp, device=getattr(Y, "device", None))
    if mask is None:
        return causal
    given = as_mask(xp, mask, Y.dtype, (*Y.shape[:-1], T))
    return causal & given if kind(xp, given) == "bool" else xp.where(causal, given, -xp.inf)


def _for_each(xp: ModuleType, words: Array, *others: Array | None) -> Array:
    """Return the words with the leading axes of what they are to meet, too, for a residual adds no axes."""
    batch = np.broadcast_shapes(*(tuple(x.shape[:-2]) for x in (words, *others) if x is not None))
    return xp.broadcast_to(words, (*batch, *words.shape[-2:]))


def _numbered(layers: Sequence[Any]) -> dict[str, Any]:
    if not isinstance(layers, list | tuple) or hasattr(layers, "_fields"):
        raise TypeError(f"`layers` must be a list with the weights of each layer, got {type(layers).__name__}")
    if len(layers) == 0:
        raise ValueError("`layers` must hold the weights of at least one layer, got none")
    return {f"layers[{n}]": weights for n, weights in enumerate(layers)}


def _wide(
    layers: dict[str, Any], kind: type[EncoderLayerWeights | DecoderLayerWeights], **words: tuple[Any, str]
) -> tuple[ModuleType, list[Any], Any]:
    """Return the words in the wide type of all that meets them, and the dtype of the result.

    With the words wide, whatever they meet on the way up is widened too: the result is rounded once.
    """
    leaves: dict[str, tuple[Any, str]] = {}
    for name, weights in layers.items():
        leaves |= {path: (value, spec) for path, value, spec in _leaves(name, weights, kind)}
    xp, arrays, dtype = floating(**words, **leaves)
    return xp, arrays[: len(words)], dtype


def _leaves(path: str, weights: Any, kind: type) -> Iterator[tuple[str, Any, str]]:
    """Yield the arrays of nested NamedTuples under their dotted names, with what is known of their shapes."""
    if not isinstance(weights, kind):
        raise TypeError(f"`{path}` must be {kind.__name__}, got {type(weights).__name__}")
    for field, inner in _kinds(kind).items():
        value = getattr(weights, field)
        if inner is Any:
            yield f"{path}.{field}", value, FRAME.get(field, "*shape")
        else:
            yield from _leaves(f"{path}.{field}", value, inner)


@cache
def _kinds(kind: type) -> dict[str, Any]:
    """Return what each field of a NamedTuple is to be."""
    return get_type_hints(kind)

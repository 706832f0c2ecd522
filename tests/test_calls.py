"""What holds of every function: its shapes are checked under their documented names, its result is rounded once."""

import inspect
import re
import sys
from types import SimpleNamespace

import array_api_strict
import numpy as np
import pytest

import l05
from l05 import _arrays, _blocks

D, HEADS = 3, 2
MATRIX = np.linspace(-1, 1, D * D).reshape(D, D)
ROW = MATRIX[0]
HEADED = np.stack([MATRIX, MATRIX.T])
ATTENTION = l05.AttentionWeights(HEADED, HEADED, HEADED, np.linspace(-1, 1, HEADS * D * D).reshape(HEADS * D, D))
THINK = l05.FeedForwardWeights(MATRIX, ROW, MATRIX.T, ROW)
NORM = l05.NormWeights()
ENCODER = l05.EncoderLayerWeights(ATTENTION, NORM, THINK, NORM)
DECODER = l05.DecoderLayerWeights(ATTENTION, NORM, ATTENTION, NORM, THINK, NORM)

CALLS = {
    l05.inner_product: (ROW, ROW),
    l05.matrix_product: (MATRIX, MATRIX),
    l05.row_combination: (ROW, MATRIX),
    l05.sigmoid: (ROW,),
    l05.rnn_step: (ROW, ROW, MATRIX, MATRIX, ROW),
    l05.rnn: (MATRIX, MATRIX, MATRIX, ROW),
    l05.softmax: (MATRIX,),
    l05.attention_weights: (MATRIX, MATRIX),
    l05.attention: (MATRIX, MATRIX, MATRIX),
    l05.attention_streaming: (MATRIX, MATRIX, MATRIX),
    l05.single_query_attention: (ROW, MATRIX, MATRIX),
    l05.self_attention: (MATRIX, MATRIX, MATRIX, MATRIX),
    l05.multi_head_attention: (MATRIX, MATRIX, *ATTENTION),
    l05.batch_norm: (MATRIX,),
    l05.layer_norm: (MATRIX, ROW, ROW),
    l05.rms_norm: (MATRIX, ROW),
    l05.dyt: (MATRIX,),
    l05.residual: (MATRIX, lambda z: z),
    l05.feed_forward: (MATRIX, *THINK),
    l05.add_and_norm: (MATRIX, lambda z: z),
    l05.encoder_layer: (MATRIX, ENCODER),
    l05.decoder_layer: (MATRIX, MATRIX, DECODER),
    l05.encoder: (MATRIX, [ENCODER]),
    l05.decoder: (MATRIX, MATRIX, [DECODER]),
    l05.positional_encoding: (ROW, D),
}


def name(function):
    return function.__name__


def cast(arguments, convert):
    """Convert the arrays among nested arguments."""
    if isinstance(arguments, np.ndarray):
        return convert(arguments)
    if hasattr(arguments, "_fields"):
        return type(arguments)(*(cast(x, convert) for x in arguments))
    return type(arguments)(cast(x, convert) for x in arguments) if isinstance(arguments, list | tuple) else arguments


class Seen(Exception):  # noqa: N818  it is none
    pass


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("function", [f for f in CALLS if "coder" not in name(f)], ids=name)
def test_shapes_are_checked_under_the_names_that_the_signature_gives_them(function, monkeypatch):
    def record(**given):
        raise Seen({name: spec for name, (_, spec) in given.items()})

    monkeypatch.setattr(sys.modules[function.__module__], "floating", record)
    with pytest.raises(Seen) as seen:
        function(*CALLS[function])
    checked = seen.value.args[0]
    for parameter in inspect.signature(function).parameters.values():
        shape = re.search(r"Array, '([^']*)'", parameter.annotation)
        if shape:
            optional = "?" if parameter.default is None else ""
            assert checked.pop(parameter.name) == optional + shape[1].replace("#", "").strip()
    assert not checked


@pytest.fixture(params=["in one", "in blocks"])
def _at_once(request, monkeypatch):
    """Compute attention as a whole, and in blocks as if it were large."""
    if request.param == "in blocks":
        monkeypatch.setattr(_blocks, "SCORES", 0)


@pytest.mark.usefixtures("as_a_user", "_at_once")
@pytest.mark.parametrize(
    ("function", "given"), [*CALLS.items(), (l05.rms_norm, (MATRIX[:0],))], ids=lambda x: getattr(x, "__name__", "")
)
def test_a_result_is_rounded_by_its_library_where_arrays_cannot_do_it_themselves(function, given, monkeypatch):
    # as tensors of PyTorch in half precision: 32 bits here stand for 16, and the wide type is that of 64
    strict, half, finfo = array_api_strict, array_api_strict.float32, array_api_strict.finfo
    limits = finfo(half)
    short = SimpleNamespace(bits=16, eps=limits.eps, max=limits.max, smallest_normal=limits.smallest_normal)
    monkeypatch.setattr(strict, "finfo", lambda dtype: short if dtype == half else finfo(dtype))
    monkeypatch.setattr(_arrays, "_fit", _arrays._fit.__wrapped__)  # nothing of this is to be remembered
    narrow = cast(given, lambda x: strict.asarray(x, dtype=strict.float32))
    with monkeypatch.context() as patch:
        patch.setattr(strict, "float32", strict.float64)
        found = function(*narrow)
    assert found.dtype == half
    wide = function(*cast(given, lambda x: x.astype(np.float32).astype(float)))
    np.testing.assert_array_equal(np.asarray(found), wide.astype(np.float32))


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize("function", CALLS, ids=name)
def test_a_result_is_on_the_device_of_the_arguments(function):
    device = array_api_strict.Device("device1")
    given = cast(CALLS[function], lambda x: array_api_strict.asarray(x, device=device))
    assert function(*given).device == device


def strange_view(x):
    """Return an equal array whose rows run backwards through a wider, read-only array in Fortran's order."""
    wide = np.full([2 * size for size in x.shape], np.nan, order="F")
    view = wide[tuple(slice(None, None, -2) for _ in x.shape)]
    view[...] = x
    wide.flags.writeable = view.flags.writeable = False
    return view


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize("function", CALLS, ids=name)
def test_views_that_are_read_only_and_not_contiguous_are_as_good_as_their_copies(function):
    expected = function(*CALLS[function])
    np.testing.assert_allclose(function(*cast(CALLS[function], strange_view)), expected, rtol=1e-13, atol=1e-15)


LEADING = [f for f in CALLS if "code" not in name(f) and f not in (l05.residual, l05.add_and_norm)]


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize("function", LEADING, ids=name)
def test_leading_axes_of_length_0_give_an_empty_result_of_the_same_inner_shape(function):
    first, *rest = CALLS[function]
    expected = function(first, *rest).shape
    assert function(np.zeros((0, *first.shape)), *rest).shape == (0, *expected)

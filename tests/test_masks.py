"""Who may look at whom."""

import array_api_strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import l05

T, F = True, False


@pytest.mark.independent_check("causal_mask")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        # pytorch/pytorch#103082 and #108108, Dao-AILab/flash-attention#517, ml-explore/mlx#2835,
        # facebookresearch/xformers#931: the two ways to line up queries and keys
        ((2, 4, 0), [[T, F, F, F], [T, T, F, F]]),
        ((2, 4, 2), [[T, T, T, F], [T, T, T, T]]),
        # pbloem/former#10: every word may look at itself
        ((3, 3, 0), [[T, F, F], [T, T, F], [T, T, T]]),
        ((3,), [[T, F, F], [T, T, F], [T, T, T]]),
        ((3, 2, -1), [[F, F], [T, F], [T, T]]),
        ((1, 5, 4), [[T, T, T, T, T]]),
        ((2, 3, -97), [[F, F, F], [F, F, F]]),
    ],
)
def test_causal_mask_written_out(xp, arguments, expected):
    mask = l05.causal_mask(*arguments, xp=xp)
    assert mask.dtype == xp.asarray(True).dtype
    assert np.asarray(mask).tolist() == expected


@given(st.integers(0, 7), st.integers(0, 7), st.data())
def test_query_i_may_look_at_key_j_up_to_i_plus_the_offset(T_q, T_k, data):
    offset = data.draw(st.integers(-T_q - T_k, 11))
    expected = [[j <= i + offset for j in range(T_k)] for i in range(T_q)]
    assert l05.causal_mask(T_q, T_k, offset).tolist() == expected


@given(st.integers(1, 7), st.integers(0, 5))
def test_a_step_with_kept_keys_is_the_last_rows_of_the_whole_mask(T, kept):
    # with the last query on the last key, decoding in steps sees what decoding at once sees
    whole = l05.causal_mask(kept + T)
    assert l05.causal_mask(T, kept + T, kept).tolist() == whole[kept:].tolist()


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (2, 0)])
def test_a_causal_mask_may_be_empty(xp, shape):
    assert l05.causal_mask(*shape, 0, xp=xp).shape == shape


@pytest.mark.independent_check("padding_mask")
def test_padding_mask_written_out(xp):
    mask = l05.padding_mask([2, 0, 3], 5, xp=xp)
    assert mask.dtype == xp.asarray(True).dtype
    assert np.asarray(mask).tolist() == [[[T, T, F, F, F]], [[F, F, F, F, F]], [[T, T, T, F, F]]]
    assert np.asarray(l05.padding_mask(xp.asarray([2, 0, 3]), 5)).tolist() == np.asarray(mask).tolist()


@given(st.lists(st.integers(0, 13), min_size=1, max_size=7))
def test_as_many_keys_as_a_sentence_has_words_may_be_seen(lengths):
    mask = l05.padding_mask(lengths)
    assert mask.shape == (len(lengths), 1, max(lengths))
    assert mask.sum(axis=-1).ravel().tolist() == lengths
    assert (np.diff(mask.astype(int), axis=-1) <= 0).all()  # the padding stands at the end


def test_lengths_may_have_any_shape(xp):
    lengths = xp.asarray([[1, 2, 0], [5, 3, 4]])
    mask = np.asarray(l05.padding_mask(lengths, 7))
    assert mask.shape == (2, 3, 1, 7)
    assert mask.sum(axis=-1)[..., 0].tolist() == [[1, 2, 0], [5, 3, 4]]
    assert np.asarray(l05.padding_mask(2, 3, xp=xp)).tolist() == [[T, T, F]]


def test_without_sentences_there_is_nothing_to_hide(xp):
    assert l05.padding_mask([], xp=xp).shape == (0, 1, 0)
    assert l05.padding_mask([], 5, xp=xp).shape == (0, 1, 5)
    assert l05.padding_mask(np.zeros((2, 0), int), 3).shape == (2, 0, 1, 3)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int32", "int64"])
def test_lengths_of_any_integer_type_do(xp, dtype):
    lengths = xp.asarray([200, 3], dtype=getattr(xp, dtype))
    assert np.asarray(l05.padding_mask(lengths, 300)).sum(axis=-1).ravel().tolist() == [200, 3]


def test_padding_hides_keys_and_not_queries(rng):
    # hyunwoongko/transformer#40, lsdefine/attention-is-all-you-need-keras#16
    K, V = rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 5, 7))
    answer = l05.attention(K, K, V, mask=l05.padding_mask([3, 5]))
    np.testing.assert_allclose(answer[0], l05.attention(K[0], K[0, :3], V[0, :3]), rtol=1e-13)
    np.testing.assert_allclose(answer[1], l05.attention(K[1], K[1], V[1]), rtol=1e-13)


def test_causal_and_padding_mask_go_together(rng):
    # onnx/onnx#8068, pytorch/pytorch#187801: one of the two is dropped
    mask = l05.causal_mask(3) & l05.padding_mask([2, 3])
    assert mask.tolist() == [[[T, F, F], [T, T, F], [T, T, F]], [[T, F, F], [T, T, F], [T, T, T]]]


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("three", [np.int64(3), np.uint8(3), np.asarray(3)])
def test_numbers_may_be_numpy_integers(three):
    assert l05.causal_mask(three, three, three).tolist() == [[T, T, T]] * 3
    assert l05.padding_mask(three, three).tolist() == [[T, T, T]]


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: l05.causal_mask(2, 5),
            ValueError,
            "`offset` must be given .*, got T_q = 2, T_k = 5: 0 lines up .*, T_k - T_q = 3 the last",
        ),
        (lambda: l05.causal_mask(-1), ValueError, "`T_q` must be at least 0, got -1"),
        (lambda: l05.causal_mask(2, -3, 0), ValueError, "`T_k` must be at least 0, got -3"),
        (lambda: l05.causal_mask(2.0), TypeError, "`T_q` must be an integer, got 2.0"),
        (lambda: l05.causal_mask("2"), TypeError, "`T_q` must be an integer, got '2'"),
        (lambda: l05.causal_mask(True), TypeError, "`T_q` must be an integer, got True"),
        (lambda: l05.causal_mask(None), TypeError, "`T_q` must be an integer, got None"),
        (lambda: l05.causal_mask(2, 3.5, 0), TypeError, "`T_k` must be an integer, got 3.5"),
        (lambda: l05.causal_mask(2, 3, 1.0), TypeError, "`offset` must be an integer, got 1.0"),
        (lambda: l05.causal_mask(np.asarray([2, 3])), TypeError, "`T_q` must be an integer"),
        (lambda: l05.causal_mask(2, xp="numpy"), TypeError, "`xp` must be an array library .* got 'numpy'"),
        (lambda: l05.padding_mask([2, -1]), ValueError, r"`lengths` must not be negative, got \[ 2 -1\]"),
        (lambda: l05.padding_mask([2, 5], 3), ValueError, "`lengths` must be at most T_k = 3"),
        (lambda: l05.padding_mask([2.0, 3.0]), TypeError, "`lengths` must hold integers, got float64"),
        (lambda: l05.padding_mask([True, False]), TypeError, "`lengths` must hold integers, got bool"),
        (lambda: l05.padding_mask(["two"]), TypeError, "`lengths` must hold real numbers, got <U3"),
        (lambda: l05.padding_mask([[1, 2], [3]]), ValueError, "`lengths` must be rectangular"),
        (lambda: l05.padding_mask([1, 2], -1), ValueError, "`T_k` must be at least 0, got -1"),
        (lambda: l05.padding_mask([1, 2], 2.5), TypeError, "`T_k` must be an integer, got 2.5"),
        (lambda: l05.padding_mask([1, 2], xp=5), TypeError, "`xp` must be an array library .* got 5"),
        (lambda: l05.padding_mask(None), TypeError, "`lengths` must hold real numbers, got NoneType"),
    ],
)
def test_what_is_no_number_of_words_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.usefixtures("as_a_user")
def test_lengths_from_another_library_than_xp_are_refused():
    import array_api_strict

    with pytest.raises(TypeError, match="`lengths` is from array_api_strict and the others are from numpy"):
        l05.padding_mask(array_api_strict.asarray([2, 3]), xp=np)


def test_without_the_values_of_the_lengths_their_number_of_keys_must_be_given(monkeypatch):
    # as under a tracer, which tests/heavy has
    monkeypatch.setattr("l05.masks.known", lambda value: None)
    assert l05.padding_mask([2, 3], 3).tolist() == [[[T, T, F]], [[T, T, T]]]
    with pytest.raises(ValueError, match=r"^`T_k` must be given where the values of `lengths` are traced$"):
        l05.padding_mask([2, 3])


@pytest.mark.parametrize("offset", [2**63 - 1, 10**30])
def test_an_offset_beyond_all_keys_shows_all_and_one_before_them_none(offset):
    assert l05.causal_mask(3, 5, offset).all()
    assert not l05.causal_mask(3, 5, -offset).any()


def test_the_padding_mask_is_on_the_device_of_the_lengths():
    device = array_api_strict.Device("device1")
    assert l05.padding_mask(array_api_strict.asarray([2, 3], device=device)).device == device

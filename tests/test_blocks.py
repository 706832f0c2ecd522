"""The blocks give what the formula gives, with every mask, type and shape."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import l05
from l05 import _blocks, streaming
from l05._blocks import Look

T_Q, T_K, D_K, D_V = 11, 13, 5, 3


@pytest.fixture(params=[l05.attention, l05.attention_streaming], ids=lambda function: function.__name__)
def in_blocks(request, monkeypatch):
    """Return attention in small blocks, whatever the size: by rows, and streaming."""

    def blocked(*arguments, **keywords):
        with monkeypatch.context() as patch:
            patch.setattr(_blocks, "SCORES", 0)
            patch.setattr(_blocks, "ROWS", 2)
            patch.setattr(streaming, "ROWS", 3)
            patch.setattr(streaming, "COLUMNS", 5)
            return request.param(*arguments, **keywords)

    return blocked


def inputs(rng, *batch):
    return [rng.normal(size=(*batch, *shape)) for shape in ((T_Q, D_K), (T_K, D_K), (T_K, D_V))]


def masks(rng):
    some = rng.random((T_Q, T_K)) < 0.6
    some[[0, 4]] = False
    bias = np.where(some, rng.normal(size=some.shape), -np.inf)
    return {
        "none": None,
        "causal": l05.causal_mask(T_Q, T_K, 0),
        "bottom right": l05.causal_mask(T_Q, T_K, T_K - T_Q),
        "rows without a key": l05.causal_mask(T_Q, T_K, -3),
        "scattered": some,
        "added": bias,
        "padding": l05.padding_mask([7], T_K)[0],
        "left padding": np.arange(T_K) > np.full((T_Q, 1), 6),  # the first keys of the stream are hidden from all
        "one axis": some[1],
        "queries only": some[:, :1],
        "nothing": np.zeros((T_Q, T_K), dtype=bool),
    }


@pytest.mark.independent_check("attention_streaming")
def test_keys_that_stream_by_are_met_as_a_loop_over_python_numbers_meets_them(in_blocks):
    Q, K, V = [[1.0, 2.0]], [[j / 3, 1 - j / 5] for j in range(13)], [[float(j)] for j in range(13)]
    scores = [math.exp((k[0] + 2 * k[1]) / math.sqrt(2)) for k in K]
    wanted = math.fsum(score * v[0] for score, v in zip(scores, V, strict=True)) / math.fsum(scores)
    assert float(in_blocks(Q, K, V)[0, 0]) == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize("name", masks(np.random.default_rng(5)))
def test_blocks_agree_with_the_formula(rng, in_blocks, name):
    mask = masks(np.random.default_rng(5))[name]
    for batch in ((), (2,), (2, 3)):
        Q, K, V = inputs(rng, *batch)
        np.testing.assert_allclose(
            in_blocks(Q, K, V, mask=mask), l05.attention(Q, K, V, mask=mask), rtol=1e-13, atol=1e-15
        )


def test_a_block_without_a_key_is_exactly_zero(rng, in_blocks):
    mask = masks(rng)["rows without a key"]
    assert (in_blocks(*inputs(rng), mask=mask)[:3] == 0).all()


@pytest.mark.parametrize("stranger", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["causal", "scattered", "added", "padding"])
def test_what_stands_behind_the_mask_does_not_reach_a_block(rng, in_blocks, name, stranger):
    mask = masks(np.random.default_rng(5))[name]
    Q, K, V = inputs(rng)
    K[8], V[9, 1], V[2, 2] = stranger, stranger, -stranger
    np.testing.assert_allclose(in_blocks(Q, K, V, mask=mask), l05.attention(Q, K, V, mask=mask), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("mask", [None, np.ones((1, T_K), bool)], ids=["none", "all"])
def test_an_infinite_value_is_met_though_its_weight_fades_to_0_when_the_stream_goes_on(in_blocks, mask):
    K, V = np.zeros((T_K, 1)), np.ones((T_K, 2))
    V[1, 0], K[11] = np.inf, 1e4
    assert in_blocks([[1.0]], K, V, mask=mask).tolist() == [[np.inf, 1]]


def test_leading_axes_and_masks_broadcast_in_blocks(rng, in_blocks):
    Q, K, V = rng.normal(size=(2, 1, T_Q, D_K)), rng.normal(size=(3, T_K, D_K)), rng.normal(size=(T_K, D_V))
    mask = l05.padding_mask([5, 13], T_K)[:, None]
    found = in_blocks(Q, K, V, mask=mask)
    assert found.shape == (2, 3, T_Q, D_V)
    np.testing.assert_allclose(found, l05.attention(Q, K, V, mask=mask), rtol=1e-13)


@pytest.mark.parametrize("size", [1e-300, 1e-30, 1e3, 1e5])
def test_scores_too_small_or_too_large_for_exp_are_no_trouble_to_a_block(rng, in_blocks, size):
    Q, K, V = inputs(rng)
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_allclose(in_blocks(size * Q, K, V), l05.attention(size * Q, K, V), rtol=1e-12, atol=1e-300)
        low = -size * np.abs(Q)
        np.testing.assert_allclose(
            in_blocks(low, np.abs(K), V), l05.attention(low, np.abs(K), V), rtol=1e-12, atol=1e-300
        )


def test_a_mean_is_found_behind_a_mask_though_the_sum_outgrows_the_floats(in_blocks):
    V = np.full((T_K, 1), 1.5e308)
    V[[0, 7]] = -1
    mask = V[:, 0] > 0
    np.testing.assert_allclose(in_blocks(np.zeros((1, 2)), np.zeros((T_K, 2)), V, mask=mask), [[1.5e308]], rtol=1e-14)


@pytest.mark.parametrize("blocked", [False, True])
@pytest.mark.parametrize(
    ("size_Q", "size_K", "tau"), [(1, 1, 1e-308), (2e307, 2e307, None), (1e200, 1e200, 1e-200), (1e300, 1e-300, 1e-308)]
)
@pytest.mark.parametrize("name", masks(np.random.default_rng(5)))
def test_where_the_scores_outgrow_the_floats_the_best_keys_get_all(
    rng, monkeypatch, name, size_Q, size_K, tau, blocked
):
    mask = masks(np.random.default_rng(5))[name]
    Q, K, V = (rng.integers(0, 7, size).astype(float) for size in ((T_Q, D_K), (T_K, D_K), (T_K, D_V)))
    Q[1] = 0  # has no preference
    wanted = l05.attention(Q, K, V, mask=mask, tau=1e-12)
    if blocked:
        monkeypatch.setattr(_blocks, "SCORES", 0)
        monkeypatch.setattr(_blocks, "ROWS", 2)
    np.testing.assert_allclose(l05.attention(size_Q * Q, size_K * K, V, mask=mask, tau=tau), wanted, rtol=1e-14)


def test_a_score_that_overflows_downwards_is_no_trouble_to_a_block(in_blocks):
    assert in_blocks([[1e200]], [[-1e200], [1.0]], [[2.0], [3.0]]).tolist() == [[3.0]]


@pytest.mark.usefixtures("as_a_user")  # the shape check does not know the type
def test_blocks_keep_all_digits_of_a_wider_type(rng, in_blocks):
    Q, K, V = (x.astype(np.longdouble) / 3 for x in inputs(rng))
    found = in_blocks(Q, K, V)
    assert found.dtype == np.longdouble
    np.testing.assert_allclose(found, l05.attention(Q, K, V), rtol=8 * np.finfo(np.longdouble).eps, atol=1e-18)


def test_a_stream_remembers_what_it_has_seen_in_the_type_of_the_values(rng):
    Q, K, V = (x.astype(np.float32) for x in inputs(rng))
    assert streaming._stream(np, Q, K, V, [(slice(None), Look(slice(None)))]).dtype == np.float32


@pytest.mark.parametrize("function", [l05.attention, l05.attention_streaming])
def test_a_large_batch_of_nothing_is_nothing(function):
    T = 727  # more scores than fit in a block
    assert function(np.ones((0, T, 2)), np.ones((T, 2)), np.ones((T, 3))).shape == (0, T, 3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_blocks_keep_the_type_and_round_half_precision_once(rng, in_blocks, dtype):
    Q, K, V = (x.astype(dtype) for x in inputs(rng))
    found = in_blocks(Q, K, V, tau=np.float64(2))
    assert found.dtype == dtype
    np.testing.assert_allclose(
        found, l05.attention(Q, K, V, tau=2), rtol=2e-3 if dtype == np.float16 else 2e-6, atol=1e-7
    )


def test_blocks_run_on_every_array_library(rng, in_blocks, xp):
    Q, K, V = inputs(rng)
    mask = masks(rng)["causal"]
    found = in_blocks(*(xp.asarray(x) for x in (Q, K, V)), mask=xp.asarray(mask))
    np.testing.assert_allclose(np.asarray(found), l05.attention(Q, K, V, mask=mask), rtol=1e-13)


def test_large_inputs_go_to_blocks_by_themselves_and_small_ones_do_not(rng, monkeypatch):
    calls = []
    monkeypatch.setattr(_blocks, "_attention", lambda *arguments: calls.append(1) or real(*arguments))
    l05.attention(*inputs(rng))
    assert not calls
    for T_q, T_k in ((727, 727), (200, 8193)):
        Q, K, V = rng.normal(size=(T_q, 2)), rng.normal(size=(T_k, 2)), rng.normal(size=(T_k, 3))
        calls.clear()
        np.testing.assert_allclose(l05.attention(Q, K, V), l05.attention_weights(Q, K) @ V, rtol=1e-12, atol=1e-15)
        assert len(calls) > 1


real = _blocks._attention


@pytest.mark.parametrize(
    ("chosen", "span"),
    [([0, 1, 0, 1, 0], slice(1, 4)), ([1, 0, 0], slice(0, 1)), ([0, 0, 1], slice(2, 3)), ([0, 0, 0], slice(0, 0))],
)
def test_the_keys_that_a_block_meets_reach_from_the_first_to_the_last_that_is_allowed(xp, chosen, span):
    assert _blocks._span(xp, xp.asarray(chosen, dtype=xp.bool)) == span


@pytest.mark.usefixtures("as_a_user")
def test_a_block_meets_all_keys_where_a_tracer_does_not_tell():
    class Traced:
        def item(self):
            raise RuntimeError("vmap: .item() is not possible")

    assert _blocks._span(SimpleNamespace(count_nonzero=lambda chosen: Traced()), [True]) == slice(None)


@pytest.mark.usefixtures("as_a_user")
def test_what_is_written_into_an_array_that_does_not_change_makes_another():
    # a stand-in for an array of JAX, which tests/heavy has
    class Unchanging:
        def __init__(self, entries):
            self.entries, self.at = entries, self

        def __getitem__(self, index):
            return SimpleNamespace(
                set=lambda value: Unchanging([*self.entries[:index], value, *self.entries[index + 1 :]])
            )

    before = Unchanging([2, 3, 5])
    assert _blocks.put(before, 1, 7).entries == [2, 7, 5]
    assert before.entries == [2, 3, 5]


@pytest.mark.parametrize("height", [1e36, 1e-38])
@pytest.mark.parametrize("score", [0, 80, -20])
def test_the_mean_of_equal_values_is_that_value_though_their_sum_is_beyond_the_floats(in_blocks, score, height):
    K, V = np.full((1021, 1), score, dtype=np.float32), np.full((1021, 1), height, dtype=np.float32)
    for mask in (None, np.ones((7, 1021), dtype=bool)):
        np.testing.assert_allclose(in_blocks(np.ones((7, 1), np.float32), K, V, mask=mask), V[:7], rtol=1e-5)


def test_without_any_key_the_answer_is_zero(in_blocks):
    assert in_blocks(np.ones((2, 3)), np.ones((0, 3)), np.ones((0, 4))).tolist() == [[0] * 4] * 2


def test_a_mask_that_fits_the_scores_but_not_the_values_is_named(in_blocks, as_a_user, rng):
    Q, K, V = rng.normal(size=(2, 3)), rng.normal(size=(5, 3)), rng.normal(size=(3, 5, 4))
    with pytest.raises(ValueError, match="`mask` must broadcast"):
        in_blocks(Q, K, V, mask=np.ones((7, 2, 5), dtype=bool))


def test_a_value_behind_the_mask_does_not_keep_a_mean_from_being_found_though_the_sum_outgrows_the_floats(in_blocks):
    V = np.asarray([[3e38], [3e38], [3e38], [np.nan]], np.float32)
    Q, K, mask = np.zeros((1, 2), np.float32), np.zeros((4, 2), np.float32), [[True, True, True, False]]
    np.testing.assert_allclose(in_blocks(Q, K, V, mask=mask), [[3e38]], rtol=1e-6)

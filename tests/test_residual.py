"""A layer learns only what is still missing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays

import l05


@pytest.mark.independent_check("residual")
def test_a_layer_that_works_in_place_changes_neither_the_input_nor_what_is_added():
    def rectify(z):
        z[z < 0] = 0
        return z

    z = np.asarray([-1.0, 2.0])
    assert l05.residual(z, rectify).tolist() == [-1, 4]
    assert z.tolist() == [-1, 2]


def test_residual_adds_the_input_to_the_output_worked_by_hand():
    # z = (1, −2, 3) and ℓ(z) = z² = (1, 4, 9)
    assert l05.residual([1, -2, 3], lambda z: z * z).tolist() == [2, 2, 12]


@pytest.mark.independent_check("residual")
def test_the_layer_that_learns_the_rest_makes_the_sum_right():
    # wanted is f(z) = 3z + 1, so ℓ(z) = f(z) − z = 2z + 1
    z = np.asarray([[0.5, -1.25], [7, 11], [13, 0]])
    assert l05.residual(z, lambda z: 2 * z + 1).tolist() == (3 * z + 1).tolist()


@given(arrays(np.float64, (2, 3)))
def test_a_layer_that_adds_nothing_leaves_the_input_as_it_is(z):
    np.testing.assert_array_equal(l05.residual(z, np.zeros_like), z)


def test_the_layer_is_given_an_array_of_the_library_in_the_type_of_the_input(xp):
    seen = []

    def layer(z):
        seen.append(z)
        return z

    z = xp.ones((2, 3), dtype=xp.float32)
    y = l05.residual(z, layer)
    assert y.dtype == xp.float32
    assert np.asarray(y).tolist() == [[2] * 3] * 2
    assert type(seen[0]) is type(z)
    assert seen[0].dtype == xp.float32


def test_the_layer_may_return_what_one_types():
    assert l05.residual([1, 2], lambda z: [10, 20]).tolist() == [11, 22]
    assert l05.residual(5, lambda z: 7.0).tolist() == 12


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3)])
def test_residual_of_any_shape(xp, shape):
    assert l05.residual(xp.zeros(shape), lambda z: z).shape == shape


def test_a_layer_in_a_wider_type_widens_the_sum(xp):
    z = xp.ones(3, dtype=xp.float32)
    assert l05.residual(z, lambda z: xp.ones(3, dtype=xp.float64)).dtype == xp.float64


def test_float16_is_added_wide_and_rounded_once():
    z = np.asarray([1.0], np.float16)
    y = l05.residual(z, lambda z: np.asarray([2.0**-11], np.float32))
    assert y.dtype == np.float32
    assert y == 1 + 2.0**-11
    assert l05.residual(z, lambda z: z).dtype == np.float16


def test_the_input_is_left_as_it_was():
    z = np.arange(6.0).reshape(2, 3)
    z.flags.writeable = False
    first, second = (l05.residual(z.T, np.sin) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    assert z.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("z", "layer", "error", "message"),
    [
        # keras-team/keras#2688, prob-ml/bliss#1063: it broadcasts to a plausible shape
        (
            np.ones((2, 3)),
            lambda z: z[:1],
            ValueError,
            r"`layer\(z\)` must have the shape of `z` \(2, 3\), got \(1, 3\)",
        ),
        (np.ones((2, 3)), lambda z: z[:, :1], ValueError, r"`layer\(z\)` must have the shape of `z` .* got \(2, 1\)"),
        (np.ones((2, 3)), lambda z: 1.0, ValueError, r"`layer\(z\)` must have the shape of `z` .* got \(\)"),
        (np.ones(3), lambda z: np.ones((2, 3)), ValueError, r"`layer\(z\)` must have the shape of `z` \(3,\), got"),
        (np.ones(3), lambda z: "more", TypeError, r"`layer\(z\)` must hold real numbers"),
        (np.ones(3), lambda z: None, (TypeError, ValueError), r"`layer\(z\)`"),
        (np.ones(3), lambda z: z * 1j, TypeError, r"`layer\(z\)` must hold real numbers, got complex128"),
        (np.ones(3), np.ones(3), TypeError, "`layer` must be callable"),
        (np.ones(3), None, TypeError, "`layer` must be callable, got None"),
        ("abc", lambda z: z, TypeError, "`z` must hold real numbers"),
        ([[1], [2, 3]], lambda z: z, ValueError, "`z` must be rectangular"),
    ],
)
def test_what_is_no_layer_is_refused_by_name(z, layer, error, message):
    with pytest.raises(error, match=message):
        l05.residual(z, layer)


@pytest.mark.usefixtures("as_a_user")
def test_a_layer_that_changes_the_library_is_refused():
    import array_api_strict

    with pytest.raises(TypeError, match=r"`layer\(z\)` is from array_api_strict and `z` is from numpy"):
        l05.residual(np.ones(3), lambda z: array_api_strict.ones(3))

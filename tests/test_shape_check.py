"""The check of every call against the shapes in its signature is itself alive."""

import typing

import jaxtyping
import numpy as np
import pytest

import l05

PUBLIC = [getattr(l05, name) for name in l05.__all__ if not isinstance(getattr(l05, name), type)]


def test_a_wrong_shape_is_caught_before_the_function_runs():
    with pytest.raises(jaxtyping.TypeCheckError, match="parameter 'K'"):
        l05.attention_weights(np.ones((2, 3)), np.ones((5, 7)))


def test_a_wrong_type_is_caught_before_the_function_runs():
    with pytest.raises(jaxtyping.TypeCheckError, match="parameter 'x'"):
        l05.softmax("scores")


@pytest.mark.usefixtures("as_a_user")
def test_a_user_meets_the_errors_of_l05_itself():
    with pytest.raises(ValueError, match=r"`K` of shape .* must have d_k = 3"):
        l05.attention_weights(np.ones((2, 3)), np.ones((5, 7)))


def test_the_check_is_on_again_after_a_test_as_a_user():
    assert not jaxtyping.config.jaxtyping_disable


@pytest.mark.parametrize("function", PUBLIC, ids=lambda function: function.__name__)
def test_every_public_function_is_checked(function):
    assert hasattr(function, "__wrapped__")
    assert "return" in typing.get_type_hints(function.__wrapped__)  # a name that is missing would switch its check off

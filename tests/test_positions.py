"""Digits, and the clock hands that stand in for them."""

import decimal
import math
import sys

import array_api_strict
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import l05
from l05 import positions


def exact_positional_encoding(t, d, base=10000):
    """The lecture's formula with 60 digits, column by column."""
    with mpmath.workdps(60):
        omega = [mpmath.mpf(base) ** (-mpmath.mpf(2 * (column // 2)) / d) for column in range(d)]
        return [float((mpmath.cos if column % 2 else mpmath.sin)(w * mpmath.mpf(t))) for column, w in enumerate(omega)]


# digits


@pytest.mark.independent_check("digits")
def test_the_number_of_the_lecture_has_the_digits_one_reads():
    assert l05.digits(9487).tolist() == [7, 8, 4, 9]


@pytest.mark.independent_check("digits")
@given(st.integers(0, 10**18))
def test_digits_are_those_that_python_prints(t):
    assert l05.digits(t).tolist() == [int(digit) for digit in reversed(str(t))]
    assert l05.digits(t, 2).tolist() == [int(digit) for digit in reversed(f"{t:b}")]
    assert l05.digits(t, 16).tolist() == [int(digit, 16) for digit in reversed(f"{t:x}")]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=5), st.integers(2, 13), st.integers(20, 23))
def test_the_digits_make_up_the_number(t, base, d):
    a = l05.digits(t, base, d)
    assert a.shape == (len(t), d)
    assert ((a >= 0) & (a < base)).all()
    assert [sum(int(digit) * base**k for k, digit in enumerate(row)) for row in a] == t


def test_digit_k_changes_every_base_to_the_k_steps():
    a = l05.digits(range(3**4), base=3)
    for k in range(4):
        assert (np.flatnonzero(np.diff(a[:, k])) + 1).tolist() == list(range(3**k, 3**4, 3**k))


def test_digits_on_every_library_and_in_any_shape(xp):
    t = xp.asarray([[0, 5, 77], [11, 130, 2]])
    expected = [[[0, 0, 0], [5, 0, 0], [7, 7, 0]], [[1, 1, 0], [0, 3, 1], [2, 0, 0]]]
    a = l05.digits(t)
    assert a.dtype == t.dtype
    assert np.asarray(a).tolist() == expected
    assert np.asarray(l05.digits(t, d=1)).tolist() == [[[x[0]] for x in row] for row in expected]


def test_no_numbers_have_no_digits(xp):
    assert l05.digits([]).shape == (0, 1)
    assert l05.digits(xp.zeros((0, 3), dtype=xp.int64), d=5).shape == (0, 3, 5)
    assert l05.digits(xp.asarray([1, 2]), d=0).shape == (2, 0)
    assert l05.digits(0).tolist() == [0]


@pytest.mark.parametrize("t", [1e305, -1e305, 1.7e308])
def test_the_fastest_clock_is_right_as_far_as_floats_go(t):
    with mpmath.workprec(1200):
        hands = [float(mpmath.sin(t)), float(mpmath.cos(t))]
    np.testing.assert_allclose(l05.positional_encoding(t, 4)[:2], hands, rtol=1e-15)


def test_a_position_whose_angle_outgrows_the_floats_is_nan_without_a_warning():
    assert np.isnan(l05.positional_encoding(1e200, 4, base=1e-300)[2:]).all()


@pytest.mark.parametrize("traps", [[], [decimal.FloatOperation, decimal.Inexact]])
def test_what_a_program_has_set_for_its_own_decimals_changes_no_position(traps):
    wanted = l05.positional_encoding([1000007], 62, base=9999.0)
    for remembered in (positions._powers, positions._halves):
        remembered.cache_clear()
    with decimal.localcontext(decimal.Context(prec=3, traps=traps)):
        assert l05.positional_encoding([1000007], 62, base=9999.0).tolist() == wanted.tolist()


@pytest.mark.usefixtures("as_a_user")
def test_the_base_is_a_number_of_numpy_or_python():
    base = array_api_strict.asarray(10.0)
    with pytest.raises(TypeError, match=r"^`base` must be a number of Python or NumPy, got one of array_api_strict$"):
        l05.angular_frequencies(4, base=base)


@pytest.mark.parametrize("t", [1 / 3, 123456.789, 987654321 / 7])
def test_a_position_of_53_binary_digits_is_as_exact_as_a_whole_one(t):
    np.testing.assert_allclose(l05.positional_encoding(t, 8), exact_positional_encoding(t, 8), rtol=0, atol=4e-16)


def test_no_digits_have_the_type_of_the_number_too():
    assert l05.digits(np.uint8([5, 7]), d=0).dtype == np.uint8


def test_the_largest_number_of_a_type_may_be_the_base():
    assert l05.digits(np.asarray([5, 127], np.int8), base=127).tolist() == [[5, 0], [0, 1]]


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.uint64])
def test_digits_have_the_integer_type_of_the_number(dtype):
    a = l05.digits(np.asarray([107, 7], dtype))
    assert a.dtype == dtype
    assert a.tolist() == [[7, 0, 1], [7, 0, 0]]


# angular frequencies


@pytest.mark.independent_check("angular_frequencies")
@pytest.mark.parametrize("d", [1, 2, 7, 13, 512])
def test_frequencies_are_exact_to_the_last_digits(d):
    with mpmath.workdps(60):
        expected = [float(mpmath.mpf(10000) ** (-mpmath.mpf(2 * k) / d)) for k in range((d + 1) // 2)]
    assert l05.angular_frequencies(d).tolist() == expected


@given(st.integers(2, 99), st.floats(2, 1e6))
def test_the_first_clock_is_the_fastest_and_each_is_slower_by_the_same_factor(d, base):
    omega = l05.angular_frequencies(d, base=base)
    assert omega[0] == 1
    np.testing.assert_allclose(omega[1:] / omega[:-1], base ** (-2 / d), rtol=1e-12)


def test_frequencies_come_in_the_library_and_the_type_that_were_asked_for(xp):
    omega = l05.angular_frequencies(5, xp=xp, dtype=xp.float32)
    assert omega.dtype == xp.float32
    assert type(omega) is type(xp.zeros(1))
    np.testing.assert_allclose(np.asarray(omega), [1, 10000**-0.4, 10000**-0.8], rtol=1e-6)


@pytest.mark.parametrize("base", [math.inf, 5e-324])
def test_a_base_must_be_finite_and_so_must_what_it_divides(base):
    with pytest.raises(ValueError, match=rf"^`base` must be finite and at least 2.2e-308, got {base}$"):
        l05.angular_frequencies(1000, base=base)
    assert np.isfinite(l05.angular_frequencies(1000, base=sys.float_info.min)).all()


# positional encoding


@pytest.mark.independent_check("positional_encoding")
@pytest.mark.parametrize(("t", "d"), [(0, 2), (1, 3), (3, 6), (9487, 13), (10**6 + 3, 7), (-5, 4), (0.5, 5), (1e15, 2)])
def test_positional_encoding_is_exact_to_the_last_digits(t, d):
    expected = exact_positional_encoding(t, d)
    np.testing.assert_allclose(l05.positional_encoding([t], d)[0], expected, rtol=0, atol=2.5e-16)


@pytest.mark.independent_check("positional_encoding")
@pytest.mark.parametrize(
    ("t", "d", "expected"),
    [
        # codertimo/BERT-pytorch#78, zhouhaoyi/Informer2020#224, gc-os-ai/pyaptamer#526: an odd width
        ([1], 3, [[0.841470984807897, 0.54030230586814, 0.0021544330233656]]),
        # jadore801120/attention-is-all-you-need-pytorch#32, Kyubyong/transformer#38, maxjcohen/transformer#62: exponent
        (
            [0, 3],
            6,
            [
                [0, 1, 0, 1, 0, 1],
                [
                    0.141120008059867,
                    -0.989992496600445,
                    0.138798101080051,
                    0.990320699135675,
                    0.00646325907018964,
                    0.999979112922961,
                ],
            ],
        ),
        # tensorflow/tensor2tensor#391, tensorflow/tensorflow#37191: sines and cosines take turns
        ([2], 4, [[0.909297426825682, -0.416146836547142, 0.0199986666933331, 0.999800006666578]]),
        ([7], 1, [[math.sin(7)]]),
    ],
)
def test_positional_encoding_of_known_cases(xp, t, d, expected):
    p = np.asarray(l05.positional_encoding(xp.asarray(t), d))
    np.testing.assert_allclose(p, expected, rtol=1e-13, atol=1e-14)
    assert np.asarray(l05.positional_encoding(t, d, xp=xp)).tolist() == p.tolist()


@pytest.mark.independent_check("positional_encoding")
@pytest.mark.parametrize(
    ("first", "T", "d"), [(0, 63, 2), (0, 64, 3), (10**6 - 601, 1201, 7), (-97, 211, 1), (0.5, 331, 6)]
)
def test_a_long_sentence_is_as_exact_as_each_of_its_words(first, T, d):
    p = l05.positional_encoding(first + np.arange(T), d)
    assert p.shape == (T, d)
    expected = [exact_positional_encoding(first + t, d) for t in range(T)]
    np.testing.assert_allclose(p, expected, rtol=0, atol=5e-16)


@pytest.mark.parametrize(
    "t",
    [[*range(50), *range(53, 104)], range(0, 140, 2), range(0, 210, 3), np.arange(140).reshape(70, 2)],
    ids=["with a gap", "every other", "every third", "two in a row"],
)
def test_words_that_do_not_follow_each_other_are_not_taken_for_a_sentence(t):
    p = l05.positional_encoding(t, 5)
    expected = [exact_positional_encoding(position, 5) for position in np.ravel(t).tolist()]
    np.testing.assert_allclose(p, np.reshape(expected, (*np.shape(t), 5)), rtol=0, atol=4e-16)


def test_the_encoding_of_a_long_sentence_in_a_narrow_type_is_rounded_once_from_float64():
    p = l05.positional_encoding(range(101), 6, dtype=np.float32)
    assert p.dtype == np.float32
    assert p.tolist() == l05.positional_encoding(range(101), 6).astype(np.float32).tolist()


@given(st.integers(0, 9999), st.integers(-99, 99), st.integers(1, 13))
def test_a_step_in_the_sentence_turns_every_clock_by_an_angle_that_does_not_depend_on_where(t, step, pairs):
    d = 2 * pairs
    here, there = l05.positional_encoding([t, t + step], d).reshape(2, pairs, 2)
    angle = step * l05.angular_frequencies(d)
    turned = np.stack(
        [
            here[:, 0] * np.cos(angle) + here[:, 1] * np.sin(angle),
            here[:, 1] * np.cos(angle) - here[:, 0] * np.sin(angle),
        ],
        axis=-1,
    )
    np.testing.assert_allclose(turned, there, rtol=0, atol=1e-11)


@given(st.integers(-(10**6), 10**6), st.integers(1, 13))
def test_every_clock_hand_has_length_1(t, pairs):
    hands = l05.positional_encoding(t, 2 * pairs).reshape(pairs, 2)
    np.testing.assert_allclose(np.hypot(hands[:, 0], hands[:, 1]), 1, rtol=1e-14)


def test_no_two_words_of_a_long_sentence_have_the_same_position():
    p = l05.positional_encoding(range(9973), 8)
    assert len(np.unique(p.round(6), axis=0)) == 9973


def test_the_inner_product_of_two_positions_depends_on_their_distance_alone():
    p = l05.positional_encoding(range(31), 14)
    products = p @ p.T
    for distance in range(31):
        np.testing.assert_allclose(np.diagonal(products, distance), products[0, distance], rtol=0, atol=1e-13)


def test_positions_may_have_any_shape_and_be_one_number(xp):
    t = xp.asarray([[0, 1, 2], [5, 7, 11]])
    p = np.asarray(l05.positional_encoding(t, 5))
    assert p.shape == (2, 3, 5)
    np.testing.assert_allclose(p[1, 2], exact_positional_encoding(11, 5), atol=1e-14)
    assert l05.positional_encoding(11, 5).tolist() == p[1, 2].tolist()
    assert l05.positional_encoding(xp.zeros((0, 3)), 5).shape == (0, 3, 5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_type_is_that_of_the_positions_or_the_one_that_was_asked_for(xp, dtype):
    t, dtype = xp.asarray([1.0, 2.0], dtype=getattr(xp, dtype)), getattr(xp, dtype)
    assert l05.positional_encoding(t, 3).dtype == dtype
    assert l05.positional_encoding(xp.asarray([1, 2]), 3, dtype=dtype).dtype == dtype
    assert l05.positional_encoding([1, 2], 3, xp=xp, dtype=dtype).dtype == dtype


@pytest.mark.parametrize("dtype", [np.float16, np.float32, "float32", np.dtype("float16")])
def test_a_narrow_type_is_rounded_once_from_angles_in_float64(dtype):
    t = [0, 1, 9973]
    assert l05.positional_encoding(t, 7, dtype=dtype).tolist() == l05.positional_encoding(t, 7).astype(dtype).tolist()
    narrow = l05.positional_encoding(np.asarray(t, np.float16), 7)
    assert narrow.dtype == np.float16
    assert narrow.tolist() == l05.positional_encoding(np.float16(t).astype(float), 7).astype(np.float16).tolist()


def test_integers_of_numpy_become_positions_in_another_library(xp):
    p = l05.positional_encoding(np.arange(3), 5, xp=xp)
    assert type(p) is type(xp.zeros(1))


def test_another_base_gives_other_clocks():
    expected = exact_positional_encoding(7, 5, base=100)
    np.testing.assert_allclose(l05.positional_encoding(7, 5, base=100), expected, rtol=1e-13)


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: l05.digits(-1), ValueError, "`t` must not be negative, got -1"),
        (lambda: l05.digits([3, -2]), ValueError, "`t` must not be negative"),
        (lambda: l05.digits(9.487), TypeError, "`t` must hold integers, got float64"),
        (lambda: l05.digits([1.0]), TypeError, "`t` must hold integers, got float64"),
        (lambda: l05.digits(True), TypeError, "`t` must hold integers, got bool"),
        (lambda: l05.digits("9487"), TypeError, "`t` must hold real numbers, got <U4"),
        (lambda: l05.digits([[1], [2, 3]]), ValueError, "`t` must be rectangular"),
        (lambda: l05.digits(5, base=1), ValueError, "`base` must be at least 2, got 1"),
        (lambda: l05.digits(np.uint8(5), base=300), ValueError, "`base` must fit in the type of `t`, uint8, got 300"),
        (lambda: l05.digits(5, base=10.0), TypeError, "`base` must be an integer, got 10.0"),
        (lambda: l05.digits(5, d=-1), ValueError, "`d` must be at least 0, got -1"),
        (lambda: l05.digits(5, d=1.5), TypeError, "`d` must be an integer, got 1.5"),
        (lambda: l05.angular_frequencies(0), ValueError, "`d` must be at least 1, got 0"),
        (lambda: l05.angular_frequencies(-4), ValueError, "`d` must be at least 1, got -4"),
        (lambda: l05.angular_frequencies(4.0), TypeError, "`d` must be an integer, got 4.0"),
        (lambda: l05.angular_frequencies(4, base=0), ValueError, "`base` must be > 0, got 0"),
        (lambda: l05.angular_frequencies(4, base=math.nan), ValueError, "`base` must be > 0, got nan"),
        (lambda: l05.angular_frequencies(4, base="ten"), TypeError, "`base` must be a number, got 'ten'"),
        (
            lambda: l05.angular_frequencies(4, base=[10, 100]),
            ValueError,
            r"`base` must be one number, got",
        ),
        (
            lambda: l05.angular_frequencies(4, dtype=np.int64),
            TypeError,
            "`dtype` must be a floating type of numpy, got int64",
        ),
        (
            lambda: l05.angular_frequencies(4, dtype=complex),
            TypeError,
            "`dtype` must be a floating type of numpy, got complex128",
        ),
        (lambda: l05.angular_frequencies(4, xp="numpy"), TypeError, "`xp` must be an array library"),
        (lambda: l05.positional_encoding([0], 0), ValueError, "`d` must be at least 1, got 0"),
        (lambda: l05.positional_encoding([0], 2.0), TypeError, "`d` must be an integer, got 2.0"),
        (lambda: l05.positional_encoding([0], None), TypeError, "`d` must be an integer, got None"),
        (lambda: l05.positional_encoding("abc", 2), TypeError, "`t` must hold real numbers, got <U3"),
        (lambda: l05.positional_encoding([1j], 2), TypeError, "`t` must hold real numbers, got complex128"),
        (lambda: l05.positional_encoding(None, 2), TypeError, "`t` must hold real numbers, got NoneType"),
        (lambda: l05.positional_encoding([[1], [2, 3]], 2), ValueError, "`t` must be rectangular"),
        (lambda: l05.positional_encoding([0], 2, base=-1), ValueError, "`base` must be > 0, got -1"),
        (
            lambda: l05.positional_encoding([0], 2, dtype=np.int32),
            TypeError,
            "`dtype` must be a floating type of numpy, got int32",
        ),
        (
            lambda: l05.positional_encoding([0], 2, dtype="int32"),
            TypeError,
            "`dtype` must be a floating type of numpy, got int32",
        ),
    ],
)
def test_what_is_no_position_and_no_width_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.usefixtures("as_a_user")
def test_positions_from_another_library_than_xp_are_refused():
    import array_api_strict

    with pytest.raises(TypeError, match="`xp` must be the library of `t`, got numpy for an array of array_api_strict"):
        l05.positional_encoding(array_api_strict.asarray([1.0]), 4, xp=np)


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("dtype", ["double trouble", "array_api_strict"])
def test_a_type_that_the_library_does_not_have_is_refused(dtype):
    import array_api_strict

    dtype = array_api_strict.float32 if dtype == "array_api_strict" else dtype
    with pytest.raises(TypeError, match="`dtype` must be a floating type of numpy, got"):
        l05.positional_encoding([1, 2], 4, dtype=dtype)


def test_without_the_values_of_the_numbers_their_number_of_digits_must_be_given(monkeypatch):
    # as under a tracer, which tests/heavy has
    monkeypatch.setattr("l05.positions.known", lambda value: None)
    assert l05.digits([12, 3], d=2).tolist() == [[2, 1], [3, 0]]
    with pytest.raises(ValueError, match=r"^`d` must be given where the values of `t` are traced$"):
        l05.digits([12, 3])


@pytest.mark.parametrize("t", [1e8, 1e15, 2.0**53, 1e20, 1e300, -1e300])
def test_no_hand_is_longer_than_1_however_far_the_position(t):
    assert np.abs(l05.positional_encoding([t], 7)).max() <= 1 + 1e-15


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    "t", [2**53 + 1, [0, -(2**53) - 1], np.asarray([2**60]), np.uint64(2**63), range(2**53, 2**53 + 2)]
)
def test_an_integer_that_no_float_tells_from_the_next_is_refused(t):
    with pytest.raises(ValueError, match="integers in `t` must be less than 9007199254740992, to be exact as a float"):
        l05.positional_encoding(t, 4)


def test_an_integer_of_any_library_that_no_float_tells_from_the_next_is_refused(xp):
    with pytest.raises(ValueError, match="integers in `t` must be less than"):
        l05.positional_encoding(xp.asarray([2**53 + 1], dtype=xp.int64), 4)


def test_the_largest_integer_that_is_taken_has_the_hands_of_the_float_and_floats_may_be_larger():
    t = 2**53 - 1
    assert l05.positional_encoding([t, -t], 4).tolist() == l05.positional_encoding([float(t), -float(t)], 4).tolist()
    assert np.isfinite(l05.positional_encoding([2.0**53, 1e300], 2)).all()


def test_an_infinite_position_has_no_hands():
    assert np.isnan(l05.positional_encoding([np.inf], 4)).all()


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("call", [lambda d: l05.positional_encoding([0], d), lambda d: l05.digits(3, d=d)])
def test_a_width_that_no_memory_holds_is_refused_at_once(call):
    with pytest.raises(ValueError, match="`d` must be at most 16777216"):
        call(10**30)

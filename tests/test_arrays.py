"""What becomes of the arguments."""

import math
import sys
from types import ModuleType, SimpleNamespace

import array_api_compat
import array_api_strict
import numpy as np
import pytest

from l05 import _arrays

INF, NAN = math.inf, math.nan


class Traced:
    """A number that does not tell its value, as a tracer of JAX."""

    def __float__(self):
        raise TypeError("the value is traced")


class Vmapped:
    """A number that does not tell its value, as a tensor of PyTorch under vmap."""

    def item(self):
        raise RuntimeError("vmap: .item() is not possible")


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        ([1, 2], "float64"),
        ([1.5, 2], "float64"),
        ([True, False], "float64"),
        ((1, 2), "float64"),
        (range(3), "float64"),
        (7, "float64"),
        (np.float32(7), "float32"),
        (np.asarray([1, 2], np.int8), "float64"),
        (np.asarray([True]), "float64"),
        (np.asarray([1], np.float32), "float32"),
        (np.asarray([1], np.float16), "float16"),
        (np.asarray([1], np.longdouble), np.longdouble),
    ],
)
def test_what_one_types_becomes_an_array_of_the_floating_type(given, dtype):
    xp, (x,), result = _arrays.floating(x=(given, "*shape"))
    assert xp is np
    assert type(x) is np.ndarray
    assert result == dtype
    assert x.dtype == (np.float32 if dtype == "float16" else dtype)
    assert x.tolist() == np.asarray(given, float).tolist()


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        (["float32", "float64"], "float64"),
        (["float32", "int64"], "float64"),
        (["float32", "bool"], "float64"),
        (["int64", "bool"], "float64"),
        (["float32", "float32"], "float32"),
    ],
)
def test_types_are_promoted_and_integers_count_as_float64(xp, dtypes, expected):
    u, v = (xp.ones(3, dtype=getattr(xp, dtype)) for dtype in dtypes)
    library, arrays, dtype = _arrays.floating(u=(u, "d"), v=(v, "d"))
    assert library.__name__.endswith(xp.__name__)
    assert all(array.dtype == dtype == getattr(xp, expected) for array in arrays)


@pytest.mark.parametrize(("other", "expected"), [("float16", "float16"), ("float32", "float32"), ("int8", "float64")])
def test_float16_is_widened_for_the_computation(other, expected):
    given = {"u": (np.ones(3, np.float16), "d"), "v": (np.ones(3, other), "d")}
    _, arrays, dtype = _arrays.floating(**given)
    assert dtype == expected
    assert all(array.dtype == max(np.dtype(np.float32), np.dtype(expected)) for array in arrays)


def test_an_optional_argument_passes_as_none_and_keeps_its_place():
    _, (x, gamma, beta), _ = _arrays.floating(x=([1, 2], "d"), gamma=(None, "?d"), beta=([3, 4], "?d"))
    assert gamma is None
    assert (x.tolist(), beta.tolist()) == ([1, 2], [3, 4])
    with pytest.raises(TypeError, match="`x` must hold real numbers, got NoneType"):
        _arrays.floating(x=(None, "d"))
    with pytest.raises(ValueError, match=r"`beta` must have shape \(d\), got \(1, 1\)"):
        _arrays.floating(x=([1, 2], "d"), beta=([[3]], "?d"))


def test_an_array_that_is_right_already_is_not_copied(xp):
    x = xp.ones(3, dtype=xp.float64)
    assert _arrays.floating(x=(x, "d"))[1][0] is x


@pytest.mark.usefixtures("as_a_user")
def test_an_array_changes_its_type_itself_where_it_can_and_else_its_library_does():
    # NumPy 2.0 has no function for it, PyTorch no method
    assert _arrays.cast(SimpleNamespace(), np.ones(2), np.float32).dtype == np.float32
    strict = array_api_strict
    assert _arrays.cast(strict, strict.ones(2), strict.float32).dtype == strict.float32


def test_a_type_that_a_library_stores_but_does_not_compute_with_is_refused_by_name(monkeypatch):
    def not_implemented(value):  # as "lt_cpu" of PyTorch is for UInt16
        raise NotImplementedError

    monkeypatch.setattr(_arrays, "known", not_implemented)
    must = "`t` must hold integers of a type that numpy computes with, such as int64, got uint16"
    with pytest.raises(TypeError, match=must):
        _arrays.integers("t", np.ones(2, np.uint16))


def test_what_half_precision_cannot_hold_is_infinite_in_it_and_does_not_warn():
    assert _arrays.cast(np, np.asarray([-1e5, 1, 1e5]), np.float16).tolist() == [-INF, 1, INF]


def test_a_subclass_of_the_array_is_taken_as_an_array():
    matrix = np.ones((2, 3)).view(type("Tagged", (np.ndarray,), {}))
    _, (x,), _ = _arrays.floating(x=(matrix, "m n"))
    assert type(x) is np.ndarray
    assert np.shares_memory(x, matrix)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (
            {"A": ((2, 3), "m n"), "B": ((5, 2), "n p")},
            r"`B` of shape \(n, p\) must have n = 3 as in `A`, got \(5, 2\)",
        ),
        ({"A": ((2, 2), "m n"), "B": ((3, 5), "m m")}, r"`B` .* must have m = 2 as in `A`, got \(3, 5\)"),
        ({"A": ((3, 5), "m m")}, r"`A` .* must have m = 3 as in `A`, got \(3, 5\)"),
        ({"A": ((2, 3), "d")}, r"`A` must have shape \(d\), got \(2, 3\)"),
        ({"A": ((), "*batch d")}, r"`A` must have shape \(\*batch, d\), got \(\)"),
        (
            {"A": ((7, 2), "*batch d"), "B": ((5, 2), "*batch d")},
            r"the leading axes must broadcast, got `A` \(7,\), `B` \(5,\)",
        ),
        ({"A": ((7, 3, 2), "*batch d"), "B": ((7, 2), "*batch d")}, r"broadcast, got `A` \(7, 3\), `B` \(7,\)"),
    ],
)
def test_axes_of_one_name_have_one_size_and_leading_axes_broadcast(shapes, message):
    with pytest.raises(ValueError, match=message):
        _arrays.floating(**{name: (np.ones(shape), spec) for name, (shape, spec) in shapes.items()})


def test_other_leading_axes_than_batch_need_not_broadcast():
    _arrays.floating(A=(np.ones((7, 2)), "*shape"), B=(np.ones((5, 2)), "*shape"))


def test_all_arrays_must_come_from_one_library():
    with pytest.raises(TypeError, match="`B` is from array_api_strict and `A` is from numpy"):
        _arrays.floating(A=(np.ones(2), "d"), B=(array_api_strict.ones(2), "d"))
    with pytest.raises(TypeError, match="`C` is from numpy and `B` is from array_api_strict"):
        _arrays.floating(A=([1, 2], "d"), B=(array_api_strict.ones(2), "d"), C=(np.ones(2), "d"))


@pytest.mark.parametrize(
    ("given", "came"),
    [
        ([1, None], "NoneType"),
        ([[1, 2], [3, "x"]], "<U"),
        ([object()], "object"),
        ([10**30], "integers beyond 64 bits"),
        (np.asarray(["2025-03-18"], "M8[D]"), r"datetime64\[D\]"),
        (np.zeros(2, "i4, f4"), r"\["),
        (array_api_strict.asarray([1j]), "array_api_strict.complex128"),
    ],
)
def test_what_is_no_real_number_is_named(given, came):
    with pytest.raises(TypeError, match=rf"`x` must hold real numbers, got {came}"):
        _arrays.floating(x=(given, "*shape"))


class Sparse:
    layout = "torch.sparse_coo"

    def __array_namespace__(self):
        return array_api_strict


@pytest.mark.usefixtures("as_a_user")
def test_a_sparse_array_is_refused_and_told_what_to_become():
    with pytest.raises(TypeError, match=r"^`x` must be dense, got torch.sparse_coo: give `x.to_dense\(\)`$"):
        _arrays.floating(x=(Sparse(), "*shape"))


def test_a_type_that_numpy_does_not_know_is_of_another_kind():
    assert _arrays.kind(np, SimpleNamespace(dtype="bfloat16 of another package")) == "other"


@pytest.mark.parametrize("wrap", [lambda x: [x, x], lambda x: ([x],), lambda x: [list(x)], lambda x: [[1.0, x[0]]]])
def test_a_list_of_arrays_of_another_library_is_not_taken_out_of_it(wrap):
    with pytest.raises(TypeError, match="`x` must be one array, got a list of arrays of array_api_strict: stack them"):
        _arrays.floating(x=(wrap(array_api_strict.ones(3)), "*shape"))


@pytest.mark.parametrize("axis", [-1, -2, 0])
def test_the_parts_of_an_array_are_all_of_it_in_order(axis):
    n = 2 * _arrays.IN_A_PART + 3
    x = np.arange(2 * n).reshape((2, n) if axis == -1 else (n, 2))
    pieces = _arrays.parts(x, axis)
    assert [piece.shape[axis] for piece in pieces] == [_arrays.IN_A_PART, _arrays.IN_A_PART, 3]
    assert np.concatenate(pieces, axis=axis).tolist() == x.tolist()
    assert _arrays.sum_along(np, x, axis).tolist() == x.sum(axis=axis, keepdims=True).tolist()


@pytest.mark.parametrize("number", [2**63, -(2**63), 2**63 - 1])
def test_an_integer_that_another_library_may_not_hold_becomes_a_float(number):
    _, (x, _), _ = _arrays.floating(x=([number], "n"), y=(array_api_strict.ones(1), "n"))
    assert x.dtype == array_api_strict.float64
    assert float(x[0]) == float(number)


def test_a_list_within_itself_is_no_array():
    endless = []
    endless.append(endless)
    with pytest.raises((TypeError, ValueError), match="`x` must"):
        _arrays.floating(x=(endless, "*shape"))


# masks


def test_a_mask_keeps_its_booleans_and_takes_on_the_type_of_the_scores(xp):
    boolean = xp.asarray([[True, False]])
    assert _arrays.as_mask(xp, boolean, xp.float32, (3, 2)) is boolean
    floating = _arrays.as_mask(xp, xp.asarray([[0.5, -INF]], dtype=xp.float64), xp.float32, (3, 2))
    assert floating.dtype == xp.float32
    assert np.asarray(floating).tolist() == [[0.5, -INF]]


def test_what_is_below_the_range_of_the_scores_hides_the_key_and_does_not_warn():
    mask = _arrays.as_mask(np, np.asarray([-1e300, 1.0]), np.float32, (3, 2))
    assert mask.tolist() == [-INF, 1]


@pytest.mark.parametrize("shape", [(2,), (1,), (3, 2), (1, 2), (3, 1), (1, 1), (7, 3, 2), (1, 3, 2), (5, 7, 3, 1)])
def test_a_mask_that_broadcasts_to_the_scores_fits(shape):
    assert _arrays.as_mask(np, np.ones(shape, bool), np.float64, (7, 3, 2)).shape == shape


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,), (3, 0), (5, 3, 2), (2, 2)])
def test_a_mask_that_does_not_is_refused(shape):
    with pytest.raises(
        ValueError, match=r"`mask` must broadcast to the scores .* got .* for scores of shape \(7, 3, 2\)"
    ):
        _arrays.as_mask(np, np.ones(shape, bool), np.float64, (7, 3, 2))


def test_a_mask_is_refused_under_the_name_that_the_caller_knows():
    with pytest.raises(ValueError, match="`memory_mask` must broadcast to the scores"):
        _arrays.as_mask(np, np.ones(5, bool), np.float64, (7, 3, 2), "memory_mask")
    with pytest.raises(TypeError, match=r"`memory_mask` must be boolean \(True = may look\) or floating .* got int64"):
        _arrays.as_mask(np, [1, 0], np.float64, (7, 3, 2), "memory_mask")
    with pytest.raises(TypeError, match="`memory_mask` must hold real numbers, got <U3"):
        _arrays.as_mask(np, "all", np.float64, (7, 3, 2), "memory_mask")


# numbers


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float32(3), np.asarray(3), np.asarray(3.0), True + 2])
def test_a_number_of_numpy_or_python_becomes_a_float_of_python(value):
    number = _arrays.scalar("tau", value, np, np.float64, must="> 0")
    assert type(number) is float
    assert number == 3


def test_a_number_of_the_library_stays_an_array_in_the_type_of_the_others():
    number = _arrays.scalar("tau", array_api_strict.asarray(3.0), array_api_strict, array_api_strict.float32)
    assert number.dtype == array_api_strict.float32
    assert number.shape == ()


@pytest.mark.parametrize(
    ("value", "must", "fits"),
    [
        (0, ">= 0", True),
        (-0.0, ">= 0", True),
        (INF, "> 0", True),
        (-1, "", True),
        (0, "> 0", False),
        (-1, ">= 0", False),
        (NAN, ">= 0", False),
        (NAN, "> 0", False),
    ],
)
def test_a_number_is_held_to_its_bound(value, must, fits):
    if fits:
        assert _arrays.scalar("eps", value, np, np.float64, must=must) == value
    else:
        with pytest.raises(ValueError, match=f"`eps` must be {must}, got {value}"):
            _arrays.scalar("eps", value, np, np.float64, must=must)


@pytest.mark.parametrize(
    ("value", "error", "came"),
    [
        ("3", TypeError, "a number, got '3'"),
        (b"3", TypeError, "a number, got b'3'"),
        (np.str_("3"), TypeError, "a number, got "),
        (None, TypeError, "a number, got None"),
        (True, TypeError, "a number, got True"),
        (np.True_, TypeError, "a number, got np.True_"),
        ([3], ValueError, "one number, got a list"),
        ((3,), ValueError, "one number, got a tuple"),
        (np.ones((1, 2)), ValueError, r"one number, got shape \(1, 2\)"),
    ],
)
def test_what_is_not_one_number_is_refused(value, error, came):
    with pytest.raises(error, match=f"`tau` must be {came}"):
        _arrays.scalar("tau", value, np, np.float64)


def test_an_integer_of_the_library_is_a_number():
    value = _arrays.scalar("tau", array_api_strict.asarray(3), array_api_strict, array_api_strict.float32)
    assert (float(value), value.dtype) == (3, array_api_strict.float32)


@pytest.mark.parametrize(("value", "came"), [(1j, "complex128"), (True, "bool")])
def test_a_complex_number_or_a_truth_of_the_library_is_refused(value, came):
    value = array_api_strict.asarray(value)
    with pytest.raises(TypeError, match=rf"`tau` must be a real number, got .*{came}"):
        _arrays.scalar("tau", value, array_api_strict, array_api_strict.float64)


@pytest.mark.parametrize("value", [Traced(), Vmapped(), 1j, "x", None])
def test_a_value_that_cannot_be_told_is_not_known(value):
    assert _arrays.known(value) is None


def test_whether_all_is_finite_is_told_for_arrays_of_any_library(xp):
    assert _arrays.all_finite(xp, xp.asarray([1.0, -1e300]))
    assert not _arrays.all_finite(xp, xp.asarray([1.0, NAN]))
    assert not _arrays.all_finite(xp, xp.asarray([1.0, INF]))
    assert _arrays.all_finite(xp, xp.zeros((0, 3)))


@pytest.mark.parametrize("value", [5, np.int8(5), np.asarray(5), array_api_strict.asarray(5)])
def test_an_integer_may_come_from_any_library(value):
    number = _arrays.integer("d", value, least=5)
    assert type(number) is int
    assert number == 5


def test_an_integer_may_be_the_least_and_the_most_that_is_allowed():
    assert _arrays.integer("d", 5, least=5, most=5) == 5
    with pytest.raises(ValueError, match="`d` must be at most 5, got 6"):
        _arrays.integer("d", 6, most=5)


@pytest.mark.parametrize("value", [-1, [-1], [[2, -3]]])
def test_of_integers_none_may_be_negative(value):
    with pytest.raises(ValueError, match="`t` must not be negative, got"):
        _arrays.integers("t", value)


@pytest.mark.parametrize("value", [5.0, "5", None, True, np.True_, np.asarray([5]), [5], 5j, np.float64(5)])
def test_what_is_no_integer_is_refused(value):
    with pytest.raises(TypeError, match="`d` must be an integer, got"):
        _arrays.integer("d", value, least=0)


# libraries


def test_a_library_is_asked_for_by_its_module(xp):
    assert _arrays.namespace(None) is np
    assert _arrays.namespace(np) is np
    assert _arrays.namespace_of(xp.ones(1)).__name__.endswith(xp.__name__)


def test_numpy_2_0_is_a_library_too(monkeypatch):
    monkeypatch.delattr(np, "__array_namespace_info__")  # came with 2.1
    assert _arrays.namespace(np) is np


@pytest.mark.parametrize("x", [[1], 1, 1.5, np.float64(1), "x", None, range(3)])
def test_what_one_types_belongs_to_no_library(x):
    assert _arrays.namespace_of(x) is None


@pytest.mark.usefixtures("as_a_user")
def test_tensors_of_torch_are_seen_through_array_api_compat(monkeypatch):
    # a stand-in, so that it is seen without PyTorch too; tests/heavy has the real one
    torch, compat = ModuleType("torch"), ModuleType("array_api_compat.torch")
    torch.Tensor, torch.asarray = type("Tensor", (), {}), None
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "array_api_compat.torch", compat)
    monkeypatch.setattr(array_api_compat, "torch", compat, raising=False)
    assert _arrays.namespace_of(torch.Tensor()) is compat
    assert _arrays.namespace(torch) is compat


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize("module", ["numpy", math, 5, np.ones(1), np.ma])
def test_what_is_no_library_is_refused(module):
    with pytest.raises(TypeError, match=r"`xp` must be an array library such as numpy, torch or jax.numpy, got"):
        _arrays.namespace(module)


@pytest.mark.usefixtures("as_a_user")
def test_the_default_type_is_float64_where_the_library_has_it():
    assert _arrays.default_float(np) == np.float64
    assert _arrays.default_float(array_api_strict) == array_api_strict.float64
    info = SimpleNamespace(dtypes=lambda kind: {"float32": "narrow"})
    narrow = SimpleNamespace(__array_namespace_info__=lambda: info, float32="narrow", float64="wide")
    assert _arrays.default_float(narrow) == "narrow"


@pytest.mark.usefixtures("as_a_user")
@pytest.mark.parametrize(
    ("module", "name"),
    [("numpy", "numpy"), ("jax.numpy", "jax"), ("array_api_compat.torch", "torch"), ("array_api_strict",) * 2],
)
def test_a_library_is_called_what_people_call_it(module, name):
    assert _arrays.library_name(SimpleNamespace(__name__=module)) == name

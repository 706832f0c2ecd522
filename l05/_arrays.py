"""The one place where what the caller gave becomes arrays.

A public function starts with :func:`floating`: it takes lists, NumPy arrays, PyTorch tensors or
JAX arrays, checks their shapes against the names in the signature, and returns the array
namespace ``xp``, the arrays in one floating type, and the type that the result is to have.
From there on the body is mathematics, the same for every library.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Iterator
from functools import cache, lru_cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

Array = Any  # NumPy array, torch tensor or JAX array: whatever has a shape, a dtype and a namespace
Plain = list[Any] | tuple[Any, ...] | range | float | int  # what one types, without an array library
IN_A_PART = 2**12  # numbers at most of a long sum
quiet = partial(np.errstate, all="ignore")  # what becomes ∞, 0 or NaN here is meant to, or mended

if TYPE_CHECKING:
    from jaxtyping import Bool, Float

    Mask = Bool[Array, "..."] | Float[Array, "..."] | list[Any]
    Scalar = float | int | Float[Array, ""]


def floating(**given: tuple[Any, str]) -> tuple[ModuleType, list[Any], Any]:
    """Take arguments as ``name=(value, "*batch T d")``; a "?" in front lets None pass.

    Half precision is widened to float32, to be rounded once at the end with :func:`cast`.
    Returns the namespace, the arrays, and the dtype of the result.
    """
    xp, arrays, signature = np, [], []
    for value, _ in given.values():
        if type(value) is not np.ndarray:  # as a rule all are, and the rest takes time
            xp, given = _as_arrays(given)
            break
    for name, (x, spec) in given.items():
        arrays.append(x)
        if x is not None:
            signature.append((name, x.dtype, x.shape, spec))
    dtype, wide, ready = _fit(xp, default_float(xp), *signature)
    return xp, arrays if ready else [x if x is None else cast(xp, x, wide) for x in arrays], dtype


def returned(name: str, y: Any, z: Array) -> tuple[ModuleType, list[Any], Any]:
    """Take `z` and what the caller's function `name` has made of it, which must have the shape of `z`."""
    y_name = f"{name}(z)"
    xp, (z, y), dtype = floating(**{"z": (z, "*shape"), y_name: (y, "*shape")})
    if y.shape != z.shape:
        raise ValueError(f"`{y_name}` must have the shape of `z` {tuple(z.shape)}, got {tuple(y.shape)}")
    return xp, [z, y], dtype


def function(name: str, value: Any) -> Any:
    """Return what can be called."""
    if not callable(value):
        raise TypeError(f"`{name}` must be callable, got {value!r}")
    return value


def cast(xp: ModuleType, x: Array, dtype: Any) -> Array:
    """Return `x` in `dtype`, itself where it already is (NumPy 2.0 has the method only, torch the function only)."""
    if x.dtype == dtype:
        return x
    with quiet():  # what a narrower type cannot hold is ∞ or 0 in it
        return x.astype(dtype) if hasattr(x, "astype") else xp.astype(x, dtype)


def namespace(xp: ModuleType | None) -> ModuleType:
    """Return the array namespace for the ``xp`` argument of a function that creates an array."""
    if xp is None or xp is np:  # NumPy 2.0 does not have what is asked of the others below
        return np
    if getattr(xp, "__name__", "") == "torch":
        return _torch_namespace()
    if not hasattr(xp, "__array_namespace_info__"):
        raise TypeError(f"`xp` must be an array library such as numpy, torch or jax.numpy, got {xp!r}")
    return xp


def namespace_of(x: Any) -> Any:
    """Return the namespace of an array, None for lists and numbers."""
    if type(x) is np.ndarray:
        return np
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return _torch_namespace()
    if isinstance(x, np.generic) or not hasattr(x, "__array_namespace__"):
        return None
    return x.__array_namespace__()


def library_name(xp: ModuleType) -> str:
    """Return what people call a library."""
    return xp.__name__.removeprefix("array_api_compat.").removesuffix(".numpy")


def kind(xp: ModuleType, x: Array) -> str:
    """Return the kind of an array's entries: "bool", "integral", "real floating", or "other"."""
    return _kind_of_dtype(xp, x.dtype)


def as_mask(xp: ModuleType, mask: Any, dtype: Any, shape: tuple[int, ...], name: str = "mask") -> Array:
    """Return `mask` as booleans or as floating numbers of `dtype`, once it is known to fit scores of `shape`."""
    mask = _one_library({name: mask}, xp)[1][name]
    if kind(xp, mask) not in ("bool", "real floating"):
        must = "boolean (True = may look) or floating (added to the scores)"
        raise TypeError(f"`{name}` must be {must}, got {mask.dtype}")
    last = tuple(mask.shape[-2:])
    fits = len(last) > 0 and all(size in (1, wanted) for size, wanted in zip(last, shape[-len(last) :], strict=True))
    if not fits or not _broadcasts(mask.shape[:-2], shape[:-2]):
        came = f"got {tuple(mask.shape)} for scores of shape {tuple(shape)}"
        raise ValueError(f"`{name}` must broadcast to the scores (*batch, T_q, T_k), {came}")
    # a number below the range of the scores' type becomes −inf, which hides the key just as well
    return mask if kind(xp, mask) == "bool" else cast(xp, mask, dtype)


def scalar(name: str, value: Any, xp: ModuleType, dtype: Any, *, must: str = "") -> Any:
    """Return one number: a float, or a 0-d tensor as it is, so that its gradient survives.

    What it `must` be, "> 0" or ">= 0", is checked unless a tracer keeps the value to itself.
    """
    if type(value) is float:
        number: float | int | None = value
    else:
        value, number = _one_number(name, value, xp, dtype)
    if must and number is not None and not (number > 0 or (number == 0 and must == ">= 0")):
        raise ValueError(f"`{name}` must be {must}, got {number}")
    return value


def _one_number(name: str, value: Any, xp: ModuleType, dtype: Any) -> tuple[Any, float | int | None]:
    """Return what :func:`scalar` does, and what is known of the number as it was given."""
    if isinstance(value, list | tuple) or getattr(value, "ndim", 0) != 0:
        came = f"shape {tuple(value.shape)}" if hasattr(value, "shape") else f"a {type(value).__name__}"
        raise ValueError(f"`{name}` must be one number, got {came}")
    library, number = namespace_of(value), known(value)
    if library in (None, np):
        if number is None or isinstance(number, bool):
            raise TypeError(f"`{name}` must be a number, got {value!r}")
        try:
            return float(number), number
        except OverflowError:
            raise ValueError(f"`{name}` must be a number that a float can hold, got a larger one") from None
    if library is not xp:
        raise _mixed(name, library, f"the others are from {library_name(xp)}")
    if kind(xp, value) not in ("integral", "real floating"):
        raise TypeError(f"`{name}` must be a real number, got {value.dtype}")
    return cast(xp, value, dtype), number


def nowhere(xp: ModuleType, condition: Array) -> bool:
    """Return whether `condition` is known to be True nowhere; under a tracer nothing is known."""
    return known(xp.count_nonzero(condition)) == 0


def sum_along(xp: ModuleType, x: Array, axis: int) -> Array:
    """Return the sum along an axis, which stays, with size 1.

    What NumPy's function does before it calls the method takes longer than to add a few numbers.
    """
    if x.shape[axis] > IN_A_PART:
        x = xp.concat([sum_along(xp, part, axis) for part in parts(x, axis)], axis=axis)
    return x.sum(axis=axis, keepdims=True) if type(x) is np.ndarray else xp.sum(x, axis=axis, keepdims=True)


def vecdot(xp: ModuleType, u: Array, v: Array) -> Array:
    """Return the inner products along the last axis."""
    if u.shape[-1] > IN_A_PART:
        return xp.sum(xp.stack([vecdot(xp, *pair) for pair in zip(parts(u, -1), parts(v, -1), strict=True)]), axis=0)
    return xp.linalg.vecdot(u, v)


def parts(x: Array, axis: int) -> list[Array]:
    """Return `x` cut along an axis, for a sum that runs from its first number to its last would lose digits."""
    before = (slice(None),) * (axis % x.ndim)
    return [x[(*before, slice(start, start + IN_A_PART))] for start in range(0, x.shape[axis], IN_A_PART)]


def scale_to_1(xp: ModuleType, x: Array, axis: int) -> Array:
    """Return the power of two that brings the largest magnitude along `axis` near 1.

    What does not change when all is multiplied by it, a norm, say, is found without an overflow.
    """
    largest = xp.max(xp.abs(x), axis=axis, keepdims=True)
    limit = math.log2(float(xp.finfo(x.dtype).max)) - 8  # 2^±limit has room to spare on both sides
    exponent = xp.floor(xp.log2(xp.where(largest > 0, largest, 1)))
    return 2 ** -xp.clip(exponent, -limit, limit)


def all_finite(xp: ModuleType, x: Array) -> bool:
    """Return whether all of `x` is known to be finite."""
    return nowhere(xp, ~xp.isfinite(x))


def into(x: Array) -> dict[str, Array]:
    """Return the keyword with which a function of NumPy writes over `x`, an array of our own that has done its duty.

    New memory takes longer than the arithmetic. Other libraries get no keyword: gradients need the old values.
    """
    return {"out": x} if type(x) is np.ndarray else {}


def known(value: Any) -> float | int | None:
    """Return the number that `value` holds, None where a tracer (jit, vmap) cannot tell."""
    try:
        number = value.item() if hasattr(value, "item") else value
        if isinstance(number, int | float):
            return number
        return None if isinstance(number, str | bytes) else float(number)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return None


def boolean(name: str, value: Any) -> bool:
    """Return True or False; what merely counts as one of them may be another argument gone astray."""
    if not isinstance(value, bool | np.bool):
        raise TypeError(f"`{name}` must be True or False, got {value!r}")
    return bool(value)


def integer(name: str, value: Any, *, least: int | None = None, most: int | None = None) -> int:
    """Return a Python integer, no less than `least` and no more than `most`."""
    try:
        if isinstance(value, bool | np.bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"`{name}` must be an integer, got {value!r}") from None
    if least is not None and number < least:
        raise ValueError(f"`{name}` must be at least {least}, got {number}")
    if most is not None and number > most:
        raise ValueError(f"`{name}` must be at most {most}, got {number}")
    return number


def integers(name: str, value: Any, xp: ModuleType | None = None) -> tuple[ModuleType, Array]:
    """Return the namespace and an array of integers >= 0; lists become arrays of `xp`."""
    library, arrays = _one_library({name: value}, None if xp is None else namespace(xp))
    x = arrays[name]
    if 0 in x.shape and isinstance(value, list | tuple):
        x = library.asarray(x, dtype=library.int64)  # an empty list is floating to NumPy
    if kind(library, x) != "integral":
        raise TypeError(f"`{name}` must hold integers, got {x.dtype}")
    try:
        negative = 0 not in x.shape and known(library.any(x < 0))
    except NotImplementedError:  # PyTorch can store more types than it can compare
        must = f"integers of a type that {library_name(library)} computes with, such as int64"
        raise TypeError(f"`{name}` must hold {must}, got {x.dtype}") from None
    if negative:
        raise ValueError(f"`{name}` must not be negative, got {x}")
    return library, x


def default_float(xp: ModuleType) -> Any:
    """Return float64 where the library has it switched on (JAX may not), else float32."""
    if xp is np:
        return np.dtype(np.float64)
    return xp.float64 if "float64" in xp.__array_namespace_info__().dtypes(kind="real floating") else xp.float32


def _torch_namespace() -> ModuleType:
    import array_api_compat.torch  # 180 modules: only once a tensor is seen

    return array_api_compat.torch


def _as_arrays(given: dict[str, tuple[Any, str]]) -> tuple[ModuleType, dict[str, tuple[Array | None, str]]]:
    """Return the library of the arrays among what is given, and all of it as its arrays; only what may pass is None."""
    values = {name: value for name, (value, spec) in given.items() if value is not None or spec[0] != "?"}
    xp, arrays = _one_library(values)
    return xp, {name: (arrays.get(name), spec) for name, (_, spec) in given.items()}


def _one_library(values: dict[str, Any], xp: ModuleType | None = None) -> tuple[ModuleType, dict[str, Array]]:
    """Return the library of the arrays among `values`, and all of them as its arrays."""
    rest = f"the others are from {library_name(xp)}" if xp else ""
    found = {name: namespace_of(value) for name, value in values.items()}
    for name, library in found.items():
        if xp is None and library is not None:
            xp, rest = library, f"`{name}` is from {library_name(library)}"
        elif library not in (None, xp):
            raise _mixed(name, library, rest)
    xp = xp or np
    return xp, {
        name: _from_plain(name, value, xp) if found[name] is None else _plain(name, value)
        for name, value in values.items()
    }


def _from_plain(name: str, value: Any, xp: ModuleType) -> Array:
    for library in _libraries(value, 64):  # as deep as NumPy goes
        came = f"a list of arrays of {library_name(library)}"
        raise TypeError(f"`{name}` must be one array, got {came}: stack them first")
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"`{name}` must be rectangular: its rows differ in length") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"`{name}` must hold real numbers, got {_what(array)}")
    if xp is not np and array.dtype.kind in "iu" and not _holds(xp, array):
        array = array.astype(float)
    return array if xp is np else xp.asarray(array)


def _libraries(value: Any, depth: int) -> Iterator[ModuleType]:
    """Yield the libraries other than NumPy that have arrays in a list."""
    if isinstance(value, list | tuple) and depth:
        for entry in value:
            yield from _libraries(entry, depth - 1)
    elif (library := namespace_of(value)) not in (None, np):
        yield library


def _holds(xp: ModuleType, integers: np.ndarray) -> bool:
    """Return whether these integers of NumPy fit in the widest type that a library has switched on."""
    dtypes = xp.__array_namespace_info__().dtypes(kind="signed integer")
    limits = np.iinfo(np.int64 if "int64" in dtypes else np.int32)
    return 0 in integers.shape or bool(limits.min <= integers.min() and integers.max() <= limits.max)


def _plain(name: str, array: Array) -> Array:
    """Return the array of NumPy that a subclass of it is; other arrays as they are, if every entry is there."""
    if str(getattr(array, "layout", "torch.strided")) != "torch.strided":
        raise TypeError(f"`{name}` must be dense, got {array.layout}: give `{name}.to_dense()`")
    if type(array) is np.ndarray or not isinstance(array, np.ndarray):
        return array
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"`{name}` must not be a masked array: its mask would be lost; give `mask=` instead")
    return np.asarray(array)


def _what(array: np.ndarray) -> str:
    if array.dtype != object:
        return str(array.dtype)
    strangers = [type(entry).__name__ for entry in array.flat if not isinstance(entry, int | float)]
    return strangers[0] if strangers else "integers beyond 64 bits"


def _mixed(name: str, library: ModuleType, rest: str) -> TypeError:
    return TypeError(f"arrays must all come from one library, but `{name}` is from {library_name(library)} and {rest}")


@cache
def _kind_of_dtype(xp: ModuleType, dtype: Any) -> str:
    kinds = ("bool", "integral", "real floating")
    try:
        return next((kind for kind in kinds if xp.isdtype(dtype, kind)), "other")
    except TypeError:  # a type that another package has added to NumPy
        return "other"


@cache
def _axes(spec: str) -> tuple[str, tuple[str, ...]]:
    """Split "*batch T d" into the name for any leading axes and the axes that must be there."""
    axes = tuple(spec.removeprefix("?").split())
    return (axes[0], axes[1:]) if axes[0].startswith("*") else ("", axes)


def _promoted(xp: ModuleType, default: Any, *given: tuple[str, Any]) -> tuple[Any, Any]:
    """Return the floating type that all promote to, where integers count as the default, and the one to compute in."""
    floats = set()
    for name, dtype in given:
        found = _kind_of_dtype(xp, dtype)
        if found == "other":
            raise TypeError(f"`{name}` must hold real numbers, got {dtype}")
        floats.add(dtype if found == "real floating" else default)
    dtype = floats.pop() if len(floats) == 1 else xp.result_type(*floats)
    return dtype, xp.float32 if xp.finfo(dtype).bits < 32 else dtype


def _check_shapes(*given: tuple[str, tuple[int, ...], str]) -> None:
    """Compare shapes with their specs: axes of one name have one size, and what stands for ``*batch`` broadcasts."""
    sizes: dict[str, tuple[int, str]] = {}
    batches = {}
    for name, shape, spec in given:
        leading, axes = _axes(spec)
        extra = len(shape) - len(axes)
        if extra < 0 or (extra and not leading):
            raise ValueError(f"`{name}` must have shape {_form(spec)}, got {tuple(shape)}")
        for axis, size in zip(axes, shape[extra:], strict=True):
            wanted, owner = sizes.setdefault(axis, (size, name))
            if size != wanted:
                raise ValueError(
                    f"`{name}` of shape {_form(spec)} must have {axis} = {wanted} as in `{owner}`, got {tuple(shape)}"
                )
        if extra and leading == "*batch":
            batches[name] = tuple(shape[:extra])
    if len(set(batches.values())) > 1 and not _broadcasts(*batches.values()):
        came = ", ".join(f"`{name}` {batch}" for name, batch in batches.items())
        raise ValueError(f"the leading axes must broadcast, got {came}")


@lru_cache
def _fit(xp: ModuleType, default: Any, *given: tuple[str, Any, tuple[int, ...], str]) -> tuple[Any, Any, bool]:
    """Remember that arrays of these types and shapes go together, in which type, and whether all have it already.

    Most calls are like the last.
    """
    dtype, wide = _promoted(xp, default, *[(name, dtype) for name, dtype, _, _ in given])
    _check_shapes(*[(name, shape, spec) for name, _, shape, spec in given])
    return dtype, wide, all(own == wide for _, own, _, _ in given)


def _form(spec: str) -> str:
    return f"({', '.join(spec.removeprefix('?').split())})"


def _broadcasts(*shapes: tuple[int, ...]) -> bool:
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True

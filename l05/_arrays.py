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
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

Array = Any  # NumPy array, torch tensor or JAX array: whatever has a shape, a dtype and a namespace


def floating(**given: tuple[Any, str]) -> tuple[ModuleType, list[Any], Any]:
    """Take arguments as ``name=(value, "*batch T d")``; None passes through.

    Half precision is widened to float32, to be rounded once at the end with :func:`cast`.
    Returns the namespace, the arrays, and the dtype of the result.
    """
    values = {name: value for name, (value, _) in given.items() if value is not None}
    xp, arrays = _one_library(values)
    dtype = _promoted(xp, arrays)
    _check_shapes({name: (x.shape, given[name][1]) for name, x in arrays.items()})
    wide = xp.float32 if xp.finfo(dtype).bits < 32 else dtype
    return xp, [cast(xp, arrays[name], wide) if name in arrays else None for name in given], dtype


def cast(xp: ModuleType, x: Array, dtype: Any) -> Array:
    """Return `x` in `dtype`, itself where it already is (NumPy 2.0 has the method only, torch the function only)."""
    if x.dtype == dtype:
        return x
    return x.astype(dtype) if hasattr(x, "astype") else xp.astype(x, dtype)


def namespace(xp: ModuleType | None) -> ModuleType:
    """Return the array namespace for the ``xp`` argument of a function that creates an array."""
    if xp is None:
        return np
    if not hasattr(xp, "asarray"):
        raise TypeError(f"`xp` must be an array library such as numpy, torch or jax.numpy, got {xp!r}")
    return _torch_namespace() if xp.__name__ == "torch" else xp


def namespace_of(x: Any) -> ModuleType | None:
    """Return the namespace of an array, None for lists and numbers."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return _torch_namespace()
    if isinstance(x, np.generic) or not hasattr(x, "__array_namespace__"):
        return None
    return x.__array_namespace__()


def as_mask(xp: ModuleType, mask: Any, dtype: Any, shape: tuple[int, int]) -> Array:
    """Return `mask` as booleans or as floating numbers of `dtype`, once it is known to fit scores of `shape`."""
    _, arrays = _one_library({"mask": mask}, xp)
    mask = arrays["mask"]
    if not xp.isdtype(mask.dtype, ("bool", "real floating")):
        raise TypeError(f"`mask` must be boolean (True = may look) or floating (added to the scores), got {mask.dtype}")
    fits = [size in (1, wanted) for size, wanted in zip(reversed(mask.shape), reversed(shape), strict=False)]
    if not fits or not all(fits):
        raise ValueError(
            f"`mask` must broadcast to (*batch, T_q, T_k) = (…, {shape[0]}, {shape[1]}), got {tuple(mask.shape)}"
        )
    if xp.isdtype(mask.dtype, "bool"):
        return mask
    with np.errstate(over="ignore"):  # what is below the range of the scores' type hides the key, as −inf does
        return cast(xp, mask, dtype)


def scalar(
    name: str, value: Any, xp: ModuleType, dtype: Any, *, above: float = -math.inf, least: float = -math.inf
) -> Any:
    """Return one number: a float, or a 0-d tensor as it is, so that its gradient survives.

    The bounds are checked wherever a tracer does not keep the value to itself.
    """
    if isinstance(value, str | bytes) or value is None:
        raise TypeError(f"`{name}` must be a number, got {value!r}")
    if np.ndim(value) if isinstance(value, list | tuple) else getattr(value, "ndim", 0):
        raise ValueError(f"`{name}` must be one number, got shape {tuple(np.shape(value))}")
    library = namespace_of(value)
    if library not in (None, np):
        if library is not xp:
            raise _mixed(name, value, f"the others are from {_library(xp)}")
        value = cast(xp, value, dtype)
    elif (number := known(value)) is None:
        raise TypeError(f"`{name}` must be a number, got {value!r}")
    else:
        value = number
    number = known(value)
    if number is not None and above > -math.inf and not number > above:
        raise ValueError(f"`{name}` must be > {above:g}, got {number}")
    if number is not None and least > -math.inf and not number >= least:
        raise ValueError(f"`{name}` must be >= {least:g}, got {number}")
    return value


def all_finite(xp: ModuleType, x: Array) -> bool:
    """Return whether all of `x` is known to be finite; under a tracer nothing is known."""
    return bool(known(xp.all(xp.isfinite(x))))


def known(value: Any) -> float | None:
    """Return the number that `value` holds, None where a tracer (jit, vmap) cannot tell."""
    try:
        return float(value)
    except (TypeError, RuntimeError):
        return None


def integer(name: str, value: Any, *, least: int) -> int:
    """Return a Python integer that is at least `least`."""
    try:
        if isinstance(value, bool | np.bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"`{name}` must be an integer, got {value!r}") from None
    if number < least:
        raise ValueError(f"`{name}` must be at least {least}, got {number}")
    return number


def integers(name: str, value: Any, xp: ModuleType | None = None) -> tuple[ModuleType, Array]:
    """Return the namespace and an array of integers >= 0; lists become arrays of `xp`."""
    library, arrays = _one_library({name: value}, None if xp is None else namespace(xp))
    x = arrays[name]
    if 0 in x.shape and isinstance(value, list | tuple):
        x = library.asarray(x, dtype=library.int64)  # an empty list is floating to NumPy
    if not library.isdtype(x.dtype, "integral"):
        raise TypeError(f"`{name}` must hold integers, got {x.dtype}")
    if 0 not in x.shape and known(library.any(x < 0)):
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


def _one_library(values: dict[str, Any], xp: ModuleType | None = None) -> tuple[ModuleType, dict[str, Array]]:
    """Return the library of the arrays among `values`, and all of them as its arrays."""
    owner = ""
    for name, value in values.items():
        found = namespace_of(value)
        if found is None:
            continue
        if xp is None:
            xp, owner = found, f"`{name}` is from {_library(found)}"
        elif found is not xp:
            raise _mixed(name, value, owner or f"the others are from {_library(xp)}")
    xp = xp or np
    return xp, {name: _array(name, value, xp) for name, value in values.items()}


def _array(name: str, value: Any, xp: ModuleType) -> Array:
    if namespace_of(value) is None:
        try:
            value = np.asarray(value)
        except ValueError:
            raise ValueError(f"`{name}` must be rectangular: its rows differ in length") from None
        if value.dtype.kind not in "biuf":
            raise TypeError(f"`{name}` must hold real numbers, got {_what(value)}")
        return value if xp is np else xp.asarray(value)
    if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
        if isinstance(value, np.ma.MaskedArray):
            raise TypeError(f"`{name}` must not be a masked array: its mask would be lost; give `mask=` instead")
        value = np.asarray(value)
    if not xp.isdtype(value.dtype, ("bool", "integral", "real floating")):
        raise TypeError(f"`{name}` must hold real numbers, got {value.dtype}")
    return value


def _what(x: np.ndarray) -> str:
    return type(x.flat[0]).__name__ if x.dtype == object and x.size else str(x.dtype)


def _mixed(name: str, value: Any, rest: str) -> TypeError:
    library = _library(namespace_of(value))
    return TypeError(f"arrays must all come from one library, but `{name}` is from {library} and {rest}")


def _library(xp: ModuleType | None) -> str:
    return xp.__name__.removeprefix("array_api_compat.").removesuffix(".numpy") if xp else "Python"


def _promoted(xp: ModuleType, arrays: dict[str, Array]) -> Any:
    """Return the floating type that all the arrays promote to; integers count as float64."""
    dtypes = {x.dtype for x in arrays.values()}
    floats = [t for t in dtypes if xp.isdtype(t, "real floating")]
    if len(floats) < len(dtypes):
        floats.append(default_float(xp))
    return floats[0] if len(floats) == 1 else xp.result_type(*floats)


@cache
def _axes(spec: str) -> tuple[str, tuple[str, ...]]:
    """Split "*batch T d" into the name for any leading axes and the axes that must be there."""
    axes = tuple(spec.split())
    return (axes[0], axes[1:]) if axes[0].startswith("*") else ("", axes)


def _check_shapes(given: dict[str, tuple[tuple[int, ...], str]]) -> None:
    """Compare shapes with their specs: axes of one name have one size, and what stands for ``*batch`` broadcasts."""
    sizes: dict[str, tuple[int, str]] = {}
    batches = {}
    for name, (shape, spec) in given.items():
        leading, axes = _axes(spec)
        extra = len(shape) - len(axes)
        if extra < 0 or (extra and not leading):
            raise ValueError(f"`{name}` must have shape ({', '.join(spec.split())}), got {tuple(shape)}")
        for axis, size in zip(axes, shape[extra:], strict=True):
            known, owner = sizes.setdefault(axis, (size, name))
            if size != known:
                raise ValueError(
                    f"`{name}` of shape ({', '.join(spec.split())}) must have {axis} = {known} as in `{owner}`,"
                    f" got {tuple(shape)}"
                )
        if extra and leading == "*batch":
            batches[name] = tuple(shape[:extra])
    if len(set(batches.values())) > 1:
        try:
            np.broadcast_shapes(*batches.values())
        except ValueError:
            came = ", ".join(f"`{name}` {batch}" for name, batch in batches.items())
            raise ValueError(f"the leading axes must broadcast, got {came}") from None

"""How fast l05 is and how little memory it takes, beside NumPy and SciPy and, where installed, PyTorch and JAX.

Ratios are measured, never times: both sides do the same work in one process, on one core and one thread, in turn
(ours, theirs, theirs, ours), in processor time. A ratio is the median of such rounds, and the least of three tries,
for what else the machine does can only add. Each has a goal, which is reported, and a gate, above which the run fails.

``nox -s bench`` and ``nox -s bench_peers`` set the threads and run this. With a folder it writes the book's tables.
"""

import csv
import datetime
import gc
import importlib.metadata
import importlib.util
import math
import os
import platform
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.special

import l05

THREADS = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"
TRIES, LEAST_ROUNDS, MOST_ROUNDS = 3, 3, 15
TRY, SHORTEST = 1.0, 0.01  # seconds: what a try may take, and what a clock measures well
HEADS = (8, 1024), (2, 4096)  # how many, and how many words they read
LENGTHS = 1024, 2048, 4096, 8192


class Case(NamedTuple):
    what: str
    beside: str
    goal: float
    gate: float
    measure: Callable[[], float]


def seconds(function, *arrays, times=1):
    start = time.process_time()
    for _ in range(times):
        function(*arrays)
    return time.process_time() - start


def in_turn(ours, theirs):
    """Return the median ratio of two measures that are taken in turn."""
    ratios, spent = [], 0
    while len(ratios) < LEAST_ROUNDS or (spent < TRY and len(ratios) < MOST_ROUNDS):
        first, second, third, fourth = ours(), theirs(), theirs(), ours()
        ratios.append((first + fourth) / (second + third))
        spent += first + second + third + fourth
    return statistics.median(ratios)


def ratio(ours, theirs, *arrays):
    """Return how many times as long we take."""
    ours(*arrays)
    once = min(seconds(theirs, *arrays) for _ in range(3))  # what is done but once, such as compiling, is done
    times = max(1, math.ceil(SHORTEST / max(once, 1e-6)))
    return in_turn(*(partial(seconds, side, *arrays, times=times) for side in (ours, theirs)))


def importing(module):
    """Return the time that a fresh interpreter needs to import a module."""
    program = f"import time; start = time.process_time(); import {module}; print(time.process_time() - start)"
    compiled = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}  # as it is where a package is installed
    return float(subprocess.check_output([sys.executable, "-c", program], env=compiled))


def workspace(function, *arrays):
    """Return the most memory that NumPy asks for beyond the result, in MB."""
    function(*arrays)  # what is remembered from call to call is there
    tracemalloc.start()
    result = function(*arrays)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (peak - result.nbytes) / 1e6


def duration(function, *arrays):
    return min(seconds(function, *arrays) for _ in range(3))


def exponent(measure, function):
    """Return the power of T with which a measure grows."""
    measured = [measure(function, *heads(T)) for T in LENGTHS]
    return np.polyfit(np.log(LENGTHS), np.log(measured), 1)[0]


def best(case):
    """Return the least of some tries; one that reaches the goal is the last."""
    found = math.inf
    for _ in range(TRIES):
        found = min(found, case.measure())
        if found <= case.goal:
            break
    return found


# What a textbook writes


def plain_attention(Q, K, V, mask=None):
    S = Q @ K.mT / math.sqrt(Q.shape[-1])
    S = S if mask is None else np.where(mask, S, -np.inf)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True) @ V


def plain_norm(x, gamma, beta, axis):
    mu, sigma = (function(x, axis=axis, keepdims=True) for function in (np.mean, np.std))
    return gamma * (x - mu) / (sigma + 1e-5) + beta


def plain_rms_norm(x, gamma):
    return gamma * x / np.sqrt((x**2).mean(axis=-1, keepdims=True))


def plain_positions(t, d):
    angles = np.outer(t, 10000.0 ** (-np.arange(0, d, 2) / d))
    p = np.empty((len(t), d))
    p[:, 0::2], p[:, 1::2] = np.sin(angles), np.cos(angles)
    return p


# The cases: each is measured before the next is made. The gates are wider than what a busy machine adds to a ratio. Of
# few numbers we take longer than a textbook, for it looks neither at the arguments nor at what overflows. PyTorch's
# fused kernel has its own exponential: beside it we take 1.2 to 2.1 of the time, depending on the processor.


def normal(*size, dtype="float32"):
    return np.random.default_rng(5).normal(size=size).astype(dtype)


def heads(*size):
    """Return queries, keys and values, 64 wide."""
    return normal(3, *size, 64)


def shaped(name, *size):
    return f"`{name}`, {' × '.join(map(str, size))}"


def masked(function):
    return lambda Q, K, V, mask: function(Q, K, V, mask=mask)


def beside_numpy():
    def case(what, goal, gate, *given):
        return Case(what, "NumPy", goal, gate, partial(ratio, *given))

    small = normal(3, 5, 4, dtype="float64")
    yield case(shaped("attention", 5, 4), 2, 3, l05.attention, plain_attention, *small)
    for h, T in HEADS:
        QKV, mask = heads(h, T), l05.causal_mask(T)
        what = shaped("attention", h, T, 64)
        yield case(what, 0.6, 0.75, l05.attention, plain_attention, *QKV)
        yield case(f"{what}, causal", 0.6, 0.75, masked(l05.attention), masked(plain_attention), *QKV, mask)
    x, gamma, beta = normal(2048, 512), normal(512), normal(512)
    yield case(shaped("layer_norm", 2048, 512), 0.6, 0.75, l05.layer_norm, partial(plain_norm, axis=-1), x, gamma, beta)
    yield case(shaped("batch_norm", 2048, 512), 0.6, 0.75, l05.batch_norm, partial(plain_norm, axis=-2), x, gamma, beta)
    yield case(shaped("rms_norm", 2048, 512), 0.6, 0.75, l05.rms_norm, plain_rms_norm, x, gamma)
    for T in (5000, 20000):
        positions = l05.positional_encoding, plain_positions, np.arange(T), 512
        yield case(shaped("positional_encoding", T, 512), 0.1, 0.3, *positions)
    imports = (partial(importing, module) for module in ("l05", "numpy"))
    yield Case("`import l05`", "`import numpy`", 1.05, 1.25, partial(in_turn, *imports))


def beside_scipy():
    theirs = partial(scipy.special.softmax, axis=-1)
    for shape, gate in {(5,): 2, (64, 64): 1, (512, 512): 1, (2048, 2048): 1}.items():
        for dtype in ("float32", "float64"):
            what = f"{shaped('softmax', *shape)}, {dtype}"
            yield Case(what, "SciPy", 0.9, gate, partial(ratio, l05.softmax, theirs, normal(*shape, dtype=dtype)))


def memory():
    for function, goal, gate in ((l05.attention_streaming, 2, 3), (l05.attention, 12, 16)):
        for T in (1024, 4096):
            what, QKV, mask = shaped(function.__name__, 8, T, 64), heads(8, T), l05.causal_mask(T)
            yield Case(what, "MB", goal, gate, partial(workspace, function, *QKV))
            yield Case(f"{what}, causal", "MB", goal, gate, partial(workspace, masked(function), *QKV, mask))


def growth():
    for function, goal, gate in ((l05.attention_streaming, 0.02, 0.1), (l05.attention, 1, 1.1)):
        name = f"`{function.__name__}`"
        yield Case(f"{name}, memory", "power of T", goal, gate, partial(exponent, workspace, function))
        yield Case(f"{name}, time", "power of T", 2.05, 2.3, partial(exponent, duration, function))


def beside_torch():
    import torch
    from torch.nn import functional

    torch.set_num_threads(1)

    def on_tensors(function, **keywords):
        def call(*arrays):
            with torch.no_grad():
                return function(*map(torch.from_numpy, arrays), **keywords)

        return call

    def textbook(Q, K, V):
        return torch.softmax(Q @ K.mT / math.sqrt(Q.shape[-1]), dim=-1) @ V

    fused, style = functional.scaled_dot_product_attention, on_tensors(textbook)
    for h, T in HEADS:
        QKV, mask = heads(1, h, T), l05.causal_mask(T)
        for ours, gate in ((l05.attention, 1.85), (l05.attention_streaming, 2.5)):
            what = shaped(ours.__name__, h, T, 64)
            causal = partial(ours, mask=mask), on_tensors(fused, is_causal=True)
            yield Case(what, "PyTorch, fused", 1.5, gate, partial(ratio, ours, on_tensors(fused), *QKV))
            yield Case(f"{what}, causal", "PyTorch, fused", 1.4, gate, partial(ratio, *causal, *QKV))
        what = shaped("attention", h, T, 64)
        yield Case(what, "PyTorch, T × T", 0.5, 0.65, partial(ratio, l05.attention, style, *QKV))
    x, gamma, beta = normal(2048, 512), normal(512), normal(512)
    theirs = on_tensors(lambda x, gamma: functional.rms_norm(x, (512,), gamma))
    yield Case(shaped("rms_norm", 2048, 512), "PyTorch", 0.85, 1.1, partial(ratio, l05.rms_norm, theirs, x, gamma))

    def ours(x, gamma, beta):
        return l05.dyt(x, 0.5, gamma, beta)

    theirs = on_tensors(lambda x, gamma, beta: gamma * torch.tanh(0.5 * x) + beta)
    yield Case(shaped("dyt", 2048, 512), "PyTorch", 0.95, 1.1, partial(ratio, ours, theirs, x, gamma, beta))
    network = torch.nn.RNN(64, 128, batch_first=True)
    W_X, W_H, b_X, b_H = (weight.detach().numpy().T.copy() for weight in network.parameters())
    ours = partial(l05.rnn, W_X=W_X, W_H=W_H, b=b_X + b_H, activation=np.tanh)
    theirs = on_tensors(network)
    yield Case(shaped("rnn", 32, 100, 64), "PyTorch", 0.95, 1.1, partial(ratio, ours, theirs, normal(32, 100, 64)))


def beside_jax():
    import jax

    compiled = jax.jit(jax.nn.dot_product_attention)
    for h, T in HEADS:
        ours = partial(l05.attention, *heads(h, T))
        theirs = partial(compiled, *(jax.numpy.moveaxis(x, 0, 1) for x in heads(h, T)))
        both = partial(ratio, ours, lambda theirs=theirs: theirs().block_until_ready())
        yield Case(shaped("attention", h, T, 64), "JAX, jit", 0.45, 0.6, both)


# The report


def measured(cases):
    """Measure and print one case after another; return the table, and what is above its gate."""
    table, failures = [], []
    for case in cases:
        found = best(case)
        verdict = "" if found <= case.goal else "above the goal" if found <= case.gate else "ABOVE THE GATE"
        print(f"{case.what:46} {case.beside:14} {found:6.2f} {case.goal:5.2f} {case.gate:5.2f} {verdict}", flush=True)
        table.append([case.what, case.beside, f"{found:.2f}", f"{case.goal:g}", f"{case.gate:g}"])
        if not found <= case.gate:
            failures.append(f"{case.what} / {case.beside}")
    return table, failures


def machine():
    """Return what the figures depend on."""
    yield "date", datetime.date.today()
    processors = Path("/proc/cpuinfo")
    lines = processors.read_text().splitlines() if processors.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    yield "processor", names[0] if names else platform.processor()
    yield "system", platform.system()
    yield "Python", platform.python_version()
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    yield "BLAS", f"{blas['name']} {blas['version']}, one thread"
    for name, library in {"NumPy": "numpy", "SciPy": "scipy", "PyTorch": "torch", "JAX": "jax"}.items():
        if importlib.util.find_spec(library):
            yield name, importlib.metadata.version(library)


def write(path, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def report(cases, folder=None):
    """Measure all, write the tables if there is a folder for them, and fail if something is above its gate."""
    table, failures = measured(cases)
    if folder:
        write(Path(folder, "speed.csv"), table)
        write(Path(folder, "machine.csv"), machine())
    if failures:
        sys.exit(f"above the gate: {'; '.join(failures)}")


def main(folder=None):
    if missing := [name for name in THREADS if os.environ.get(name) != "1"]:
        sys.exit(f"set {', '.join(missing)} to 1, as `nox -s bench` does: NumPy reads them when it is imported")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    gc.disable()
    peers = {"torch": beside_torch, "jax": beside_jax}
    installed = [cases for library, cases in peers.items() if importlib.util.find_spec(library)]
    groups = beside_numpy, beside_scipy, memory, growth, *installed
    report((case for cases in groups for case in cases()), folder)


if __name__ == "__main__":
    main(*sys.argv[1:])

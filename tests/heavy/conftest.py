"""PyTorch and JAX in the place of NumPy, with float64 as their default too."""

import array_api_compat.torch
import jax
import jax.numpy as jnp
import pytest
import torch

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_disable_most_optimizations", True)  # most of the time goes into compiling
torch.set_default_dtype(torch.float64)


@pytest.fixture(scope="session", params=[array_api_compat.torch, jnp], ids=["torch", "jax"])
def xp(request):
    return request.param

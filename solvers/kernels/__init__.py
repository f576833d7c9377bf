"""Compiled loops: arrays in, arrays out. `caching` says where their machine code is kept."""

import numba

numba.config.CACHE_LOCATOR_CLASSES = ",".join(
    (
        "solvers.kernels.caching.KernelLocator",
        "UserProvidedCacheLocator",
        "InTreeCacheLocator",
        "UserWideCacheLocator",
        "IPythonCacheLocator",
        "ZipCacheLocator",
    )
)
numba.config.OPT = type(numba.config.OPT)(1)
"""LLVM's first level: a quarter less to compile and no slower, since the inner loops are emitted as vector code."""

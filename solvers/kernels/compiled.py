"""The decorator of kernels of the exact search of trees, which allocate nothing and compile faster for it.

They hand on some sixty arrays, and much of the code that numba writes for that counts references, only to show later
that none has to be counted, and serves callers in C, of which there are none. `_nrt` is numba's own switch for the
counting: without it an allocation is refused when it is compiled. Kernels that allocate take numba's own decorator.
"""

from functools import partial

import numba

njit = partial(numba.njit, _nrt=False, no_cfunc_wrapper=True)

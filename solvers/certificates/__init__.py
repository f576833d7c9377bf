"""Proofs of optimality that others can check: no tree costs less, and no smaller tree costs the same.

`optimum` writes a certificate; the certificate includes its checker, `optimum_checker`. The checker computes every
bound from the distinct rows (`optimum_bounds`), compares the texts with the claim (`optimum_words`), and shares no code
with the search. `permitted_cases` and `constraint_claims` turn a problem into the claim; `tasks` lets a worker make a
certificate.

Example
-------
>>> files = make_optimum_certificate(problem, solution.diagram)  # doctest: +SKIP
>>> write_folder(files, Path("certificate"))  # doctest: +SKIP
>>> check_optimum(reader(Path("certificate"))).accepted  # doctest: +SKIP
True
"""

from .optimum import (
    OptimumReport,
    check_optimum,
    make_optimum_certificate,
    smallest_of,
    uncertified,
)
from .tasks import CertifyOptimum, reader, write_folder, write_optimum_certificate, zip_files

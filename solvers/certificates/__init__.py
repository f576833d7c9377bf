"""Proofs that others can check: no tree costs less than the one found, and none that is smaller costs as little.

`optimum` writes a certificate; `optimum_checker` checks it and is part of it. The checker computes every bound from the
cases (`optimum_bounds`), compares the texts with the claim (`optimum_words`), and shares no code with the search.
`permitted_cases` and `constraint_claims` turn a problem into the claim; `tasks` lets a worker make a certificate.

Example
-------
>>> files = make_optimum_certificate(problem, solution.diagram)  # doctest: +SKIP
>>> write_folder(files, Path("certificate"))  # doctest: +SKIP
>>> check_optimum(reader(Path("certificate"))).accepted  # doctest: +SKIP
True
"""

from .archive import reader, write_folder, zip_files
from .optimum import (
    OptimumReport,
    check_optimum,
    make_optimum_certificate,
    smallest_of,
    uncertified,
)
from .tasks import CertifyOptimum, write_optimum_certificate

"""Proofs that a stranger can check: no tree costs less than the one found, or none without mistakes is smaller.

Of costs `optimum` makes a certificate, and `optimum_checker` computes the bound anew. The rest is about smallest trees:

`cases` and `claims` say what is claimed; `proof_draft` proves a claim, `certificate` brings the proofs together,
`contents`, `readme`, `dimacs` and `archive` write them down.
`certificate_checker` checks them from the files alone, by `rebuilt_formula`, `proof_checker` and `box_checker`, which
share no code with what made them. `reports` tells what came of it, `tasks` lets a worker do it.

Example
-------
>>> files, report = make_certificate(problem, solution.diagram)  # doctest: +SKIP
>>> write_folder(files, Path("certificate"))  # doctest: +SKIP
>>> check_certificate(Archive(Path("certificate")).read).accepted  # doctest: +SKIP
True
"""

from solvers.certificates.archive import Archive, write_folder, zipped
from solvers.certificates.certificate import MadeCertificate, Wanted, make_certificate, question_of
from solvers.certificates.certificate_checker import check_certificate
from solvers.certificates.optimum import OptimumReport, check_optimum, make_optimum_certificate, uncertified
from solvers.certificates.reports import CertificateReport, CheckedPart, ClaimReport, Evidence, Standing, Technique
from solvers.certificates.tasks import Certify, CertifyOptimum, write_optimum_certificate

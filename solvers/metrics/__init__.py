"""What is measured: agreement with the outcome, support of the leaves, fairness, and the independent check."""

from solvers.metrics.changes import Changes, changes
from solvers.metrics.counts import LeafRisk, answer_counts, labels_of, leaf_risks, node_counts
from solvers.metrics.fairness import Disparity, Fairness, GroupFacts, Verdict, fairness
from solvers.metrics.fragmentation import Fragmentation, LayerSupport, NodeSupport, fragmentation
from solvers.metrics.intervals import Estimate, Rate, difference, mean_of_rates, rate, wilson
from solvers.metrics.performance import ClassPerformance, Performance, performance
from solvers.metrics.truth import Truth, truth
from solvers.metrics.unfolding import Replication, replication, unfolded
from solvers.metrics.verify import Check, Verification, verified, verify

__all__ = [
    "Changes",
    "Check",
    "ClassPerformance",
    "Disparity",
    "Estimate",
    "Fairness",
    "Fragmentation",
    "GroupFacts",
    "LayerSupport",
    "LeafRisk",
    "NodeSupport",
    "Performance",
    "Rate",
    "Replication",
    "Truth",
    "Verdict",
    "Verification",
    "answer_counts",
    "changes",
    "difference",
    "fairness",
    "fragmentation",
    "labels_of",
    "leaf_risks",
    "mean_of_rates",
    "node_counts",
    "performance",
    "rate",
    "replication",
    "truth",
    "unfolded",
    "verified",
    "verify",
    "wilson",
]

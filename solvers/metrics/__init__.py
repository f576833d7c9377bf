"""What is measured: agreement with the outcome, support of the leaves, fairness, and the independent check."""

from solvers.metrics.achieved import Achieved, achieved, observed, on_new_rows
from solvers.metrics.cautions import Caution, CautionKind, cautions
from solvers.metrics.changes import Changes, changes
from solvers.metrics.counterfactual import Counterfactual, Moved, counterfactual, crossing, spreads
from solvers.metrics.counts import (
    LeafRisk,
    answer_counts,
    labels_of,
    leaf_risks,
    missing_in_leaves,
    node_counts,
    risk_words,
    shared_words,
)
from solvers.metrics.decision_curve import DecisionCurve, acted_on, decision_curve
from solvers.metrics.diagnosis import Diagnosis, diagnose, diagnosis
from solvers.metrics.distributions import node_bars
from solvers.metrics.fairness import Disparity, Fairness, FourFifths, GroupFacts, fairness
from solvers.metrics.fragmentation import Fragmentation, LayerSupport, NodeSupport, fragmentation
from solvers.metrics.heterogeneity import Heterogeneity, heterogeneity
from solvers.metrics.intervals import Estimate, Rate, difference, mean_of_rates, rate, rate_of_counts, wilson
from solvers.metrics.paired import Paired, mcnemar, paired
from solvers.metrics.pareto import pareto_front
from solvers.metrics.performance import ClassPerformance, Performance, performance
from solvers.metrics.ratios import PredictiveValues, likelihood_ratios, predictive_values
from solvers.metrics.risks import (
    Brier,
    CalibrationBand,
    CalibrationPoint,
    RiskCalibration,
    brier,
    grouped_calibration,
    leaf_calibration,
    roc_area,
)
from solvers.metrics.subgroups import Subgroup, grouped, subgroup_columns, subgroups
from solvers.metrics.truth import Truth, truth
from solvers.metrics.unfolded_tree import Replication, replication, unfolded
from solvers.metrics.verify import Check, Verification, verified, verify

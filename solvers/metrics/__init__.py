"""Metrics of models: agreement with the outcome, leaf support, fairness, and verification by recomputation."""

from .achieved import Achieved, achieved, observed, on_new_rows
from .cautions import Caution, CautionKind, cautions
from .counterfactual import Counterfactual, Moved, counterfactual, crossing, spreads
from .counts import (
    LeafRisk,
    answer_counts,
    describe_risk,
    describe_shared,
    labels_of,
    leaf_risks,
    missing_in_leaves,
    node_counts,
)
from .decision_curve import DecisionCurve, acted_on, decision_curve
from .diagnosis import ClassPerformance, Diagnosis, diagnose, diagnosis
from .distributions import node_bars
from .edits import with_label, with_value
from .fairness import Criterion, Disparity, Fairness, FourFifths, GroupFacts, fairness
from .fragmentation import Fragmentation, fragmentation
from .heterogeneity import Heterogeneity, heterogeneity
from .intervals import Estimate, Rate, difference, mean_of_rates, rate, rate_of_counts, wilson
from .paired import Paired, mcnemar, paired
from .ratios import PredictiveValues, likelihood_ratios, predictive_values
from .risks import (
    Brier,
    CalibrationBand,
    CalibrationPoint,
    RiskCalibration,
    brier,
    grouped_calibration,
    leaf_calibration,
    roc_area,
)
from .subgroups import Subgroup, compared_groups, group_by, subgroup_columns, subgroups
from .unfolded_tree import unfolded
from .verify import Check, Verification, verified, verify

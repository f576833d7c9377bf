"""What is asked: the typed table, its yes/no questions, the shape of the model, the objective and the limits."""

from solvers.problem.column_types import ColumnReport, infer_columns, levels_in_order, suggest_outcome
from solvers.problem.columns import Column, Kind, MissingPolicy, Schema, Unknown
from solvers.problem.dataset import Contradictions, Dataset, cells, contradictions
from solvers.problem.dataset_builder import Built, Choices, LeftOut, build, build_dataset, load_dataset
from solvers.problem.division import Division, DivisionRule, Group
from solvers.problem.external import External, external_dataset
from solvers.problem.holdout import holdout, left_out_between
from solvers.problem.linear import LinearPredicate
from solvers.problem.objective import Objective, ScaledCosts, class_costs_by_name
from solvers.problem.openml import fetch_openml_table
from solvers.problem.orders import Order, Orders, question_orders
from solvers.problem.predicate import Op, Predicate
from solvers.problem.preparation import STEPS, Preparation, Step, preparation_of, read_preparation
from solvers.problem.problem import MAX_DEPTH, Limits, Problem, Shape, ShapeKind
from solvers.problem.samples import Sample, load_sample, sample, sample_dataset, samples
from solvers.problem.sources import DataDictionary, ReadingOptions, read_dictionary, read_table
from solvers.problem.tables import Table, table_of_frame
from solvers.problem.texts import is_missing_mark
from solvers.problem.views import BinaryView, Thresholds, binary_view

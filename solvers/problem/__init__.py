"""The problem: typed table, splits, shape of the model, objective and limits."""

from ..request import ReadingOptions, Request
from .column_types import ColumnReport, infer_columns, levels_in_order, suggest_outcome
from .columns import Column, Kind, MissingPolicy, Unknown
from .dataset import Contradictions, Dataset, cells, contradictions
from .dataset_builder import Built, build, build_dataset, external_dataset, load_dataset, steps_of
from .dictionary import Description, dictionary_of, read_dictionary
from .division import Division, DivisionRule, Group, holdout, left_out_between
from .objective import Objective, ScaledCosts, class_costs_by_name, costs_at_threshold, treatment_threshold
from .orders import BinaryView, Order, Orders, Thresholds, binary_view, question_orders
from .predicate import LinearPredicate, Op, Predicate
from .preparation import STEPS, Preparation, Step, preparation_of, read_preparation
from .problem import MAX_DEPTH, Limits, Problem, Shape, ShapeKind, leaf_floor
from .samples import Sample, load_sample, sample, sample_dataset, samples
from .schema import Schema
from .sources import read_table
from .tables import Table, table_of_frame
from .texts import is_missing_mark

"""What is asked: the typed table, its yes/no questions, the shape of the model, the objective and the limits."""

from solvers.problem.columns import Column, Kind, MissingPolicy, Schema
from solvers.problem.dataset import Contradictions, Dataset, Group, cells, contradictions
from solvers.problem.orders import Order, Orders, question_orders
from solvers.problem.predicate import Op, Predicate
from solvers.problem.question import MAX_DEPTH, Limits, Objective, Problem, Shape, ShapeKind
from solvers.problem.views import BinaryView, Thresholds, binary_view

__all__ = [
    "MAX_DEPTH",
    "BinaryView",
    "Column",
    "Contradictions",
    "Dataset",
    "Group",
    "Kind",
    "Limits",
    "MissingPolicy",
    "Objective",
    "Op",
    "Order",
    "Orders",
    "Predicate",
    "Problem",
    "Schema",
    "Shape",
    "ShapeKind",
    "Thresholds",
    "BinaryView",
    "binary_view",
    "cells",
    "contradictions",
    "question_orders",
]

"""The model: one graph for trees, BDDs and decision diagrams, with drawings and exports."""

from .column_domain import ColumnDomain
from .diagram import Diagram, Leaf, Node, NodeId, Split, Step, Trace
from .dot import LeafNote, summary, to_dot
from .layout import render
from .levels import Excerpt, Level, above, below, folded_in, levels, question_order, visible
from .palette import THEMES, class_colours
from .possible import describe_no_answer, describe_refusal, possible_answers
from .serialization import from_dict, from_json, to_dict, to_json, to_rules
from .svg import clean_svg
from .words import conditions, describe, percent, plain, quantity

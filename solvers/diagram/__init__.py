"""What is learned: the one graph for trees, BDDs and decision diagrams, and how it is drawn and written."""

from solvers.diagram.column_domain import ColumnDomain
from solvers.diagram.diagram import Diagram, Leaf, Node, NodeId, Split, Step, Trace
from solvers.diagram.dot import LeafNote, summary, to_dot
from solvers.diagram.excerpt import Excerpt, above, below, folded_in, visible
from solvers.diagram.layout import render
from solvers.diagram.levels import Level, levels, question_order
from solvers.diagram.palette import THEMES, class_colours
from solvers.diagram.possible import no_answer_words, possible_answers, refusal_words
from solvers.diagram.serialization import from_dict, from_json, to_dict, to_json, to_rules
from solvers.diagram.svg import clean_svg
from solvers.diagram.words import conditions, describe, percent, plain, quantity

"""What is learned: the one graph for trees, BDDs and decision diagrams, and how it is drawn and written."""

from solvers.diagram.diagram import Diagram, Leaf, Node, NodeId, Split, Step, Trace

__all__ = ["Diagram", "Leaf", "Node", "NodeId", "Split", "Step", "Trace"]

"""scikit-learn classifiers over the solvers: the same exact search with `fit` and `predict`.

from solvers import OptimalTreeClassifier

model = OptimalTreeClassifier(max_depth=3).fit(X, y)
model.solution_.status, model.cost_, model.bound_
print(model.rules())
"""

from .diagrams import BinaryDecisionDiagramClassifier, DecisionDiagramClassifier
from .selection import OptimalTreeClassifierCV
from .tree import OptimalTreeClassifier

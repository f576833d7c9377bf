"""Reference models on the same rows: a logistic regression and a random forest of scikit-learn.

They show what can be predicted from these columns by models that are not read as a tree. Nothing is proved of them.
"""

import math
import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..explain import Solve
from ..explain.tasks import TaskRecord, Tell
from ..metrics import Estimate
from ..metrics.risks import roc_area
from ..problem import Dataset, Kind, Limits, Problem
from ..solution import AnswerRecord, Stop

TREES, _STEP, _MOST_POINTS = 300, 50, 200


@dataclass(frozen=True)
class RocCurve:
    """The ROC curve of a model.

    Attributes
    ----------
    name : of the model.
    false_alarms, sensitivity : the proportions of negative and of positive rows at each risk or above, from 0 to 1.
    area : under the curve, with its 95% interval as in `roc_area`.
    """

    name: str
    false_alarms: tuple[float, ...]
    sensitivity: tuple[float, ...]
    area: Estimate


def roc(name: str, risk: np.ndarray, positive: np.ndarray, weight: np.ndarray | None) -> RocCurve:
    """The curve of risks, at most 200 points; parameters as in `roc_area`, with rows of both kinds."""
    from sklearn.metrics import roc_curve

    x, y, _ = roc_curve(positive, risk, sample_weight=weight, drop_intermediate=False)
    some = np.unique(np.linspace(0, len(x) - 1, min(len(x), _MOST_POINTS)).round().astype(int))
    return RocCurve(name, tuple(x[some].tolist()), tuple(y[some].tolist()), roc_area(risk, positive, weight))


class References(AnswerRecord, frozen=True):
    """The curves so far, and the time taken."""

    curves: tuple[RocCurve, ...] = ()
    seconds: float = 0.0


class TrainReferences(TaskRecord, frozen=True):
    """How well do other models rank the rows? The first `n_train` rows of the problem are learned, the others held out.

    `of_class` is the class, against the rest.
    """

    doing: ClassVar[str] = "Training a logistic regression and a random forest."
    n_train: int
    of_class: int

    def answer(self, problem: Problem, solve: Solve, limits: Limits, stop: Stop, tell: Tell) -> References:
        """Train the models on all columns that the problem may use, with the defaults of scikit-learn.

        The forest has 300 trees, or fewer if the time is over before.
        """
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.linear_model import LogisticRegression

        start, data = time.monotonic(), problem.dataset
        train, test = slice(self.n_train), slice(self.n_train, None)
        found = References()
        forest = RandomForestClassifier(random_state=0, warm_start=True)
        for name, model, sizes in (
            ("Logistic regression", LogisticRegression(max_iter=1000), (None,)),
            ("Random forest", forest, range(_STEP, TREES + 1, _STEP)),
        ):
            pipeline = _pipeline(data, model)
            for size in sizes:
                if stop.is_set():
                    return found
                if size is not None and size > _STEP and time.monotonic() - start > (limits.seconds or math.inf):
                    break
                if size is not None:
                    model.set_params(n_estimators=size)
                pipeline.fit(data.X[train], data.y[train], model__sample_weight=data.row_weights[train])
            risk = pipeline.predict_proba(data.X[test])[:, list(pipeline.classes_).index(self.of_class)]
            weight = None if data.weight is None else data.weight[test]
            curve = roc(name, risk, data.y[test] == self.of_class, weight)
            found = References((*found.curves, curve), time.monotonic() - start)
            tell(found)
        return found


def _pipeline(data: Dataset, model: Any) -> Any:
    """The model after the usual preparation: levels without order as indicators, numbers filled in and scaled."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline, make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    named = [j for j, column in enumerate(data.schema.columns) if column.kind is Kind.CATEGORICAL]
    others = [j for j in range(len(data.schema)) if j not in named]
    filled = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    prepared = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), named), (make_pipeline(filled, StandardScaler()), others)
    )
    return Pipeline([("prepared", prepared), ("model", model)])

"""What numba has found out of the types of operators, kept for the next time.

For each operation numba asks some twenty functions that may implement it, twice and with a text for each that does not,
which is a tenth of what the kernels take to compile. Of numbers and arrays the answer is always the same: functions
that are added to an operator later make a new object of it, which knows nothing yet.
"""

from typing import Any
from weakref import WeakKeyDictionary

from numba.core import types
from numba.core.types.functions import BaseFunction

_ask = BaseFunction.get_call_type
_PLAIN = (types.Number, types.Boolean, types.Array)
_known: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()


def _get_call_type(function: Any, context: Any, given: Any, named: Any) -> Any:
    operator = getattr(function.typing_key, "__module__", "") == "_operator"
    if named or not operator or not all(isinstance(kind, _PLAIN) for kind in given):
        return _ask(function, context, given, named)
    known = _known.setdefault(function, {})
    if (context, given) not in known:
        known[context, given] = _ask(function, context, given, named)
    return known[context, given]


def register() -> None:
    """Have numba remember. It changes no setting and no result."""
    BaseFunction.get_call_type = _get_call_type  # type: ignore[method-assign, assignment]  # of numba

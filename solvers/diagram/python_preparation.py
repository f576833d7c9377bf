"""The steps of a preparation in the text of a Python module that stands alone, line by line."""

from solvers.problem.preparation import (
    Combination,
    Condition,
    Cut,
    DaysBetween,
    Difference,
    KeepRows,
    Preparation,
    Ratio,
    Rename,
    Replacement,
    SetUnit,
    Step,
)
from solvers.problem.texts import parse_numbers

HELPERS = """
def _is_one_of(value, texts, numbers):
    text = _text(value)
    return text in texts or _float(text) in numbers


def _finite(value):
    return value if value is not None and math.isfinite(value) else None


def _combined(read, one, two, first, second, compute):
    one, two = read(one, first), read(two, second)
    if math.isnan(one) or math.isnan(two):
        return None
    try:
        return _finite(compute(one, two))
    except (OverflowError, ZeroDivisionError):
        return None


def _range(name, value, limits, names):
    number = _read_number(name, value)
    return None if math.isnan(number) else names[sum(number > limit for limit in limits)]


def _keep(holds, words):
    if not holds:
        raise ValueError(f"No answer: the model is not for such cases ({words}).")"""


def prepared(steps: Preparation) -> str:
    """The function `prepared(case)`, with what it needs besides the module's readers; '' where there are no steps."""
    if not steps:
        return ""
    lines = [
        "",
        "def prepared(case):",
        '    """The case with the columns that the model asks about, made of those of the raw table."""',
        "    case = dict(case)",
        *(f"    {line}" for step in steps.steps for line in _lines(step)),
        "    return case",
    ]
    return HELPERS + "\n\n" + "\n".join(lines)


def _lines(step: Step) -> list[str]:
    if isinstance(step, KeepRows):
        return [f"_keep({_holds(step)}, {step.words()!a})"]
    made = f"case[{step.makes!a}]"
    if isinstance(step, Rename):
        return [f"{made} = case[{step.column!a}]"]
    if isinstance(step, Replacement):
        value = f"case[{step.column!a}]"
        return [f"{made} = {step.becomes or None!a} if {_is_one_of(value, step.values)} else {value}"]
    if isinstance(step, Cut):
        return [f"{made} = _range({step.column!a}, case[{step.column!a}], {step.thresholds!r}, {step.ranges!a})"]
    if isinstance(step, SetUnit):
        return [f"{made} = _finite(_read_number({step.column!a}, case[{step.column!a}]) * {step.factor!r})"]
    assert isinstance(step, Combination)
    read = "_read_date" if step.dates else "_read_number"
    cells = f"{step.first!a}, {step.second!a}, case[{step.first!a}], case[{step.second!a}]"
    return [f"{made} = _combined({read}, {cells}, lambda a, b: {_COMPUTED[type(step)]})"]


def _is_one_of(value: str, values: tuple[str, ...]) -> str:
    numbers = [float(x) for x in parse_numbers(values) if abs(x) < float("inf")]
    return f"_is_one_of({value}, {list(values)!a}, {numbers!r})"


def _holds(step: KeepRows) -> str:
    value, condition = f"case[{step.column!a}]", Condition(step.condition)
    if condition.compares:
        read = "_read_date" if step.is_date else "_read_number"
        return f"{read}({step.column!a}, {value}) {condition.sign} {step.limit!r}"
    if condition is Condition.KNOWN:
        return f"_text({value}).lower() not in MISSING_MARKS"
    return f"{'not ' if condition is Condition.IS_NOT else ''}{_is_one_of(value, step.values)}"


_COMPUTED: dict[type[Step], str] = {Difference: "a - b", Ratio: "a / b", DaysBetween: "b - a"}

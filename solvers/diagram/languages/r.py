"""A model as an R file that needs base R alone.

A case is a list, or a row of a data frame, by the names of columns. R reads decimals of many digits inexactly, so such
limits stand in it as hexadecimal floats, which it reads exactly.
"""

import math
from collections.abc import Iterable

from solvers.diagram.diagram import Diagram, Split
from solvers.diagram.labels import comment
from solvers.diagram.program import Blocks, Language, about, level_texts, refusable, sound
from solvers.diagram.spellings import is_plain, missing_marks
from solvers.diagram.sql_dialects import BLANKS
from solvers.diagram.step_lines import StepLanguage, step_lines
from solvers.problem import Column, Kind, MissingPolicy, Unknown


def _number(value: float) -> str:
    value = float(value)
    return repr(value) if is_plain(value) else value.hex()


def _truth(value: bool) -> str:
    return str(bool(value)).upper()


LANGUAGE = Language(
    number=_number,
    missing="is.na({})",
    at_most="at_most({}, {})",
    equals="same({}, {})",
    total=lambda total, limit, missing: f"at_most({total}, {limit}, {_truth(missing)})",
)

BLOCKS = Blocks(
    start="node{node} <- function(v) {{",
    branch="if ({condition}) {{ # {words}",
    answer="{leaf} # {words}",
    call="node{node}(v)",
    indent="  ",
)


STEPS = StepLanguage(
    text=lambda text: _text(text),
    number=_number,
    texts=lambda texts: _texts(texts),
    numbers=lambda numbers: _vector(map(_number, numbers)),
    cell=lambda position: f"cells[[{position + 1}]]",
    remark=lambda words: f"# {comment(words)}",
    put="{to} <- {value}",
    choice="if ({claim}) {value} else {other}",
    missing="NA",
    known="!(lower(text({cell})) %in% MISSING_MARKS)",
    compared="isTRUE(read({name}, {cell}, {read}) {sign} {limit})",
    keep="keep({claim}, {words})",
    ranged="{to} <- range_of(read({name}, {cell}, NUMBER), {limits}, {names})",
    scaled="{to} <- finite(read({name}, {cell}, NUMBER) * {factor})",
    combined="{to} <- finite(read({one}, {first}, {read}) {sign} read({two}, {second}, {read}))",
    redated='{to} <- redated({cell}, "{pattern}", c({places}))',
    number_reader="NUMBER",
    date_reader="DATE",
)


def to_r(diagram: Diagram, unknown: Unknown = Unknown.REFUSE) -> str:
    """The model as an R 4 file: `espalier$leaf(case)`, `$class(case)`, `$shares(case)`, and `$leaves(frame)` for all.

    Its functions stop where `Diagram.predict` raises an error, and by the rule `unknown`; `leaves` gives NA there.
    Raises `DiagramError` where a name holds a null character or half of a surrogate pair.
    """
    used = [diagram.schema[name] for name in diagram.features]
    position = {column.name: j for j, column in enumerate(used, 1)}

    def condition(split: Split) -> str:
        values = {name: f"v[[{position[name]}]]" for name in split.predicate.columns}
        return LANGUAGE.condition(split.predicate, diagram.schema, values)

    def stop(split: Split) -> str:
        return "; ".join(
            f"had(v, {position[c.name]}, {_truth(not c.has_missing)}, {_vector(map(str, c.unseen_levels))})"
            for c in refusable(split, diagram.schema, unknown)
        )

    leaves, steps = diagram.leaves, step_lines(diagram, STEPS)
    lines = [
        *(f"# {line}" for line in about(diagram)),
        "espalier <- local({",
        f"CLASSES <- {_texts(diagram.classes)}",
        f"COLUMNS <- {_texts(diagram.features)}",
        f"RAW <- {_texts(steps.raw)}",
        "# where each column stands after the steps",
        f"POSITIONS <- {_vector(str(steps.position[name] + 1) for name in diagram.features)}",
        f"MISSING_MARKS <- {_texts(missing_marks())}",
        f"BLANKS <- {_vector(map(str, BLANKS))}",
        f"COMPLETE_ONLY <- {_truth(diagram.schema.missing is MissingPolicy.COMPLETE)}",
        "",
        "# the number of each leaf, the position of its class, and the share of each class",
        f"LEAVES <- {_vector(str(i) for i, _ in leaves)}",
        f"LABELS <- {_vector(str(leaf.label + 1) for _, leaf in leaves)}",
        f"SHARES <- list({', '.join(_vector(map(_number, leaf.shares)) for _, leaf in leaves)})",
        "",
        "# levels by their text, by their number, and in small letters, each with its position",
        "READERS <- list(",
        ",\n".join(f"  {_reader(column)}" for column in used),
        ")",
        _READING.replace("_STEPS_", "\n  ".join(steps.lines)),
        "\n".join(BLOCKS.functions(diagram, condition, stop)),
        "list(leaf = leaf, class = class_of, shares = shares, leaves = leaves)",
        "})",
    ]
    return "\n".join(lines) + "\n"


def _vector(items: Iterable[str]) -> str:
    return f"c({', '.join(items)})"


def _text(text: str) -> str:
    return '"' + "".join(_character(char) for char in sound(text, "R")) + '"'


def _character(char: str) -> str:
    if " " <= char <= "~":
        return f"\\{char}" if char in '"\\' else char
    return f"\\u{{{ord(char):x}}}" if ord(char) < 0x10000 else f"\\U{{{ord(char):x}}}"


def _texts(texts: Iterable[str]) -> str:
    return _vector(map(_text, texts))


def _reader(column: Column) -> str:
    if not column.kind.has_levels:
        return f'list("{"date" if column.kind is Kind.DATE else "number"}")'
    exact, small = level_texts(column)
    numbers = {number: i for number, i in column.spellings().numbers.items() if math.isfinite(number)}
    tables = (
        *(_texts(exact), _vector(map(str, exact.values()))),
        *(_vector(map(_number, numbers)), _vector(map(str, numbers.values()))),
        *(_texts(small), _vector(map(str, small.values()))),
    )
    return f'list("level", {", ".join(tables)})'


_READING = r"""
leaf <- function(case) node0(encoded(case))
class_of <- function(case) CLASSES[[LABELS[[match(leaf(case), LEAVES)]]]]
shares <- function(case) setNames(SHARES[[match(leaf(case), LEAVES)]], CLASSES)
leaves <- function(frame) vapply(seq_len(nrow(frame)), function(i) {
  tryCatch(as.integer(leaf(frame[i, , drop = FALSE])), error = function(e) NA_integer_)
}, integer(1))

# the values that are asked about as numbers: levels as positions, dates as days, NA where missing
encoded <- function(case) {
  at <- match(RAW, names(case))
  if (anyNA(at)) stop("The case lacks ", RAW[is.na(at)][[1]], ", which the model asks about.")
  # a list would lose what is NULL
  cells <- prepared(lapply(at, function(k) if (is.null(case[[k]])) NA else case[[k]]))
  v <- vapply(seq_along(COLUMNS), function(j) read(COLUMNS[[j]], cells[[POSITIONS[[j]]]], READERS[[j]]), numeric(1))
  if (COMPLETE_ONLY && anyNA(v)) stop(COLUMNS[is.na(v)][[1]], " must be known: the model was made from complete cases.")
  v
}

# the steps that make the columns which the model asks about, of those of the raw table
prepared <- function(cells) {
  _STEPS_
  cells
}

NUMBER <- list("number")
DATE <- list("date")
keep <- function(holds, words) if (!holds) stop("No answer: the model is not for such cases (", words, ").")
is_one_of <- function(value, texts, numbers) {
  # a number as a text is cut to 15 digits
  if (is.numeric(value) && !is.factor(value)) return(as.numeric(value) %in% numbers)
  text(value) %in% texts || isTRUE(parsed(text(value)) %in% numbers)
}
finite <- function(value) if (is.finite(value)) value else NA_real_
redated <- function(value, pattern, places) {
  written <- text(value)
  found <- regmatches(written, regexec(paste0("(?s)^", pattern, "$"), written, perl = TRUE))[[1]]
  if (length(found) == 0) return(value)
  parts <- sub("^([0-9])$", "0\\1", found[places + 1])
  paste0(paste(parts, collapse = "-"), found[[5]])
}
range_of <- function(value, limits, names) if (is.na(value)) NA else names[[sum(value > limits) + 1]]

had <- function(v, j, refuses_missing, levels) {
  if (if (is.na(v[[j]])) refuses_missing else v[[j]] %in% levels) {
    stop("No answer: the value of ", COLUMNS[[j]], " is one that no training row has.")
  }
}

text <- function(value) {
  if (is.null(value) || length(value) == 0 || is.na(value)) return("")
  if (is.logical(value)) return(if (value) "true" else "false")
  if (is.numeric(value) && !is.factor(value)) {
    return(if (abs(value) < 1e15 && value == floor(value)) sprintf("%.0f", value) else format(value, digits = 15))
  }
  codes <- utf8ToInt(enc2utf8(as.character(value)))
  known <- which(!(codes %in% BLANKS))
  if (length(known) == 0) "" else intToUtf8(codes[min(known):max(known)])
}

lower <- function(text) chartr("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", text)

parsed <- function(text) {
  plain <- grepl("^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$", text)
  if (plain) as.numeric(text) else NA_real_
}

read <- function(name, value, reader) {
  if (inherits(value, "POSIXt")) return(round(as.numeric(as.POSIXct(value)) * 1e6) / 86400000000)
  if (inherits(value, "Date")) return(as.numeric(value))
  given <- is.numeric(value) && !is.factor(value) && length(value) == 1
  if (reader[[1]] == "number") {
    if (is.logical(value) && !is.na(value)) return(as.numeric(value))
    number <- if (given) as.numeric(value) else parsed(text(value))
    if (is.na(number) && !given && !(lower(text(value)) %in% MISSING_MARKS)) stop(name, " holds numbers.")
    if (is.infinite(number)) stop(name, " must be finite.")
    return(if (is.na(number)) NA_real_ else number)
  }
  written <- text(value)
  if (reader[[1]] == "date") {
    return(if (lower(written) %in% MISSING_MARKS) NA_real_ else moment(name, written))
  }
  at <- match(written, reader[[2]])
  if (!is.na(at)) return(as.numeric(reader[[3]][[at]]))
  if (lower(written) %in% MISSING_MARKS) return(NA_real_)
  number <- if (given) as.numeric(value) else parsed(written)
  at <- if (is.na(number)) NA else match(number, reader[[4]])
  if (!is.na(at)) return(as.numeric(reader[[5]][[at]]))
  at <- match(lower(written), reader[[6]])
  if (is.na(at)) stop(name, " has a level that the model has never seen.")
  as.numeric(reader[[7]][[at]])
}

# days since 1970-01-01 of 2024-01-31, 2024-01-31 12:30 or 2024-01-31T12:30:00.250+05:00
moment <- function(name, written) {
  clock <- "([0-9]{2}):([0-9]{2})(:([0-9]{2})([.]([0-9]{1,6})[0-9]*)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?"
  pattern <- paste0("^([0-9]{4})-([0-9]{2})-([0-9]{2})([T ]", clock, ")?$")
  # the groups of its own expressions are wrong where there is a zone
  found <- regmatches(written, regexec(pattern, written, perl = TRUE))[[1]]
  if (length(found) == 0) stop(name, " holds dates such as 2024-01-31.")
  part <- function(k) if (found[[k]] == "") 0 else as.numeric(found[[k]])
  year <- part(2); month <- part(3); day <- part(4)
  leap <- (year %% 4 == 0 && year %% 100 != 0) || year %% 400 == 0
  lengths <- c(31, 28 + leap, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
  good <- month >= 1 && month <= 12 && day >= 1 && part(6) <= 23 && part(7) <= 59 && part(9) <= 59
  if (!good || day > lengths[[month]]) stop(name, " holds dates such as 2024-01-31.")
  # years begin in March, so that the leap day is their last
  year <- year - (month <= 2)
  days <- 365 * year + year %/% 4 - year %/% 100 + year %/% 400 + day - 719469
  days <- days + (153 * (month + if (month > 2) -3 else 9) + 2) %/% 5
  zone <- gsub(":", "", found[[12]])
  ahead <- if (zone %in% c("", "Z")) 0 else as.numeric(substr(zone, 2, 3)) * 60 + as.numeric(substr(zone, 4, 5))
  if (startsWith(zone, "-")) ahead <- -ahead
  micros <- as.numeric(substr(paste0(found[[11]], "000000"), 1, 6))
  ((((days * 24 + part(6)) * 60 + part(7) - ahead) * 60 + part(9)) * 1e6 + micros) / 86400000000
}

filled <- function(value, standing_for) if (is.na(value)) standing_for else value
has <- function(value, level) if (is.na(value)) NA_real_ else as.numeric(value == level)
same <- function(value, level) !is.na(value) && value == level
at_most <- function(total, limit, missing = FALSE) if (is.na(total)) missing else total <= limit
"""

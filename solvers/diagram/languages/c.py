"""A model as a C file (C99, standard library only), for devices and for languages that call C.

Cells are texts, in the order of `espalier_columns`, so that missing marks, levels and dates are read as the program
reads them. No sum is rounded once where the program rounds twice: products go through a variable of their own.
"""

import math
from collections.abc import Iterable

from solvers.diagram.diagram import Diagram, Split
from solvers.diagram.labels import comment
from solvers.diagram.program import Blocks, Language, about, level_texts, refusable, sound
from solvers.diagram.spellings import missing_marks
from solvers.diagram.sql_dialects import BLANKS
from solvers.diagram.step_lines import StepLanguage, step_lines
from solvers.problem import Column, Kind, MissingPolicy, Unknown

LANGUAGE = Language(
    missing="isnan({})",
    total=lambda total, limit, missing: f"at_most({total}, {limit}, {int(missing)})",
    term="term({}, {})",
)


def _remark(text: str) -> str:
    # a backslash at the end of a line, or a trigraph for it, would take the next line into the comment
    return comment(text).replace("\\", "/").replace("*/", "* /").replace("??", "? ?")


BLOCKS = Blocks(
    start="static int node{node}(const double *v) {{",
    branch="if ({condition}) {{ /* {words} */",
    answer="return {leaf}; /* {words} */",
    call="return node{node}(v);",
    remark=_remark,
)


STEPS = StepLanguage(
    text=lambda text: _text(text),
    texts=lambda texts: _texts(texts),
    numbers=lambda numbers: f"(const double[]){{{', '.join([*map(repr, numbers), 'NAN'])}}}",
    cell="cells[{}].text".format,
    target="cells[{}]".format,
    remark=lambda words: f"/* {_remark(words)} */",
    put="{to}.text = {value};",
    missing="0",
    known="is_known({cell})",
    compared="({read}({cell}, &x) && x {sign} {limit})",
    keep="if (!{claim}) return 0;",
    ranged="if (!read_number({cell}, &x)) return 0;\n    {to}.text = range_of(x, {limits}, {names});",
    scaled="if (!read_number({cell}, &x)) return 0;\n    put(&{to}, x * {factor});",
    combined="if (!{read}({first}, &x) || !{read}({second}, &y)) return 0;\n    put(&{to}, x {sign} y);",
    redated="redated(&{to}, {cell}, {places});",
    number_reader="read_number",
    date_reader="read_date",
)


def to_c(diagram: Diagram, unknown: Unknown = Unknown.REFUSE) -> str:
    """The model as a C file with `espalier_leaf(cells)`, `espalier_class(leaf)` and `espalier_share(leaf, k)`.

    The leaf of a case that the model must not answer is -1; `unknown` is the rule for values that no training row has.
    Raises `DiagramError` where a name holds a null character or half of a surrogate pair.
    """
    used = [diagram.schema[name] for name in diagram.features]
    position = {column.name: j for j, column in enumerate(used)}

    def condition(split: Split) -> str:
        values = {name: f"v[{position[name]}]" for name in split.predicate.columns}
        return LANGUAGE.condition(split.predicate, diagram.schema, values)

    def stop(split: Split) -> str:
        claims = []
        for column in refusable(split, diagram.schema, unknown):
            value = f"v[{position[column.name]}]"
            claims += [f"isnan({value})"] * (not column.has_missing)
            claims += [f"{value} == {level}" for level in column.unseen_levels]
        return f"if ({' || '.join(claims)}) return -1;" if claims else ""

    questions = list(BLOCKS.functions(diagram, condition, stop))
    heads = [f"{text.partition(' {')[0]};" for text in questions]
    leaves, steps = diagram.leaves, step_lines(diagram, STEPS)
    lines = [
        *(f"/* {_remark(line)} */" for line in about(diagram)),
        "#include <math.h>",
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "#include <string.h>",
        "",
        f"#define N_COLUMNS {len(used)}",
        f"#define N_RAW {len(steps.raw)}",
        f"#define N_CELLS {steps.size}",
        f"#define COMPLETE_ONLY {int(diagram.schema.missing is MissingPolicy.COMPLETE)}",
        _list("espalier_columns", steps.raw),
        _list("espalier_classes", diagram.classes),
        "static " + _list("missing_marks", missing_marks()),
        "static " + _list("blanks", map(chr, BLANKS)),
        "",
        "struct level { const char *text; double number; int position; };",
        "/* levels by their text, those by their number, and those in small letters */",
        *(line for j, column in enumerate(used) for line in _levels(j, column)),
        "",
        *heads,
        _READING,
        "\n".join(questions),
        "/* the steps that make the columns which the model asks about, of the raw ones; 0 to refuse a case */",
        "static int prepared(struct cell *cells) {",
        "    double x = 0, y = 0;",
        "    (void)cells; (void)x; (void)y;",
        *(f"    {line}" for line in steps.lines),
        "    return 1;",
        "}",
        "",
        "static int encoded(const char *const *raw, double *v) {",
        "    struct cell cells[N_CELLS + 1];",
        "    for (int j = 0; j < N_RAW; j++) cells[j].text = raw[j];",
        "    if (!prepared(cells)) return 0;",
        *(f"    if ({_reader(j, steps.position[column.name], column)}) return 0;" for j, column in enumerate(used)),
        "    for (int j = 0; j < N_COLUMNS; j++) if (COMPLETE_ONLY && isnan(v[j])) return 0;",
        "    return 1;",
        "}",
        "",
        "/* the leaf of a case, -1 where the model cannot answer it; a cell that is NULL is missing */",
        "int espalier_leaf(const char *const *cells) {",
        "    double v[N_COLUMNS + 1];",
        "    return encoded(cells, v) ? node0(v) : -1;",
        "}",
        "",
        "/* the class of a leaf, NULL where there is none */",
        "const char *espalier_class(int leaf) {",
        *(f"    if (leaf == {i}) return espalier_classes[{leaf.label}];" for i, leaf in leaves),
        "    return 0;",
        "}",
        "",
        "/* the share of a class, by its position, among the training rows of a leaf */",
        "double espalier_share(int leaf, int k) {",
        f"    static const double shares[][{len(diagram.classes)}] = {{",
        *(f"        {{{', '.join(map(repr, leaf.shares))}}}," for _, leaf in leaves),
        "    };",
        *(f"    if (leaf == {i}) return shares[{row}][k];" for row, (i, _) in enumerate(leaves)),
        "    return NAN;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """A text by its bytes in UTF-8; octal escapes end after three digits, whatever follows."""
    raw = sound(text, "C").encode()
    return '"' + "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in raw) + '"'


def _texts(texts: Iterable[str]) -> str:
    return f"(const char *const[]){{{', '.join([*map(_text, texts), '0'])}}}"


def _list(name: str, texts: Iterable[str]) -> str:
    return f"const char *const {name}[] = {{{', '.join([*map(_text, texts), '0'])}}};"


def _levels(j: int, column: Column) -> list[str]:
    if not column.kind.has_levels:
        return []
    exact, small = level_texts(column)
    numbers = {number: i for number, i in column.spellings().numbers.items() if math.isfinite(number)}
    tables = {
        "exact": [f"{{{_text(text)}, 0, {i}}}, " for text, i in exact.items()],
        "number": [f'{{"", {number!r}, {i}}}, ' for number, i in numbers.items()],
        "small": [f"{{{_text(text)}, 0, {i}}}, " for text, i in small.items()],
    }
    return [f"static const struct level {name}{j}[] = {{{''.join(rows)}{{0, 0, 0}}}};" for name, rows in tables.items()]


def _reader(j: int, position: int, column: Column) -> str:
    if column.kind.has_levels:
        return f"!read_level(cells[{position}].text, exact{j}, number{j}, small{j}, &v[{j}])"
    return f"!read_{'date' if column.kind is Kind.DATE else 'number'}(cells[{position}].text, &v[{j}])"


_READING = r"""
static double term(double weight, double value) { volatile double product = weight * value; return product; }
static double filled(double value, double standing_for) { return isnan(value) ? standing_for : value; }
static double has(double value, int level) { return isnan(value) ? value : value == level; }
static int at_most(double total, double limit, int missing) { return isnan(total) ? missing : total <= limit; }

/* a copy of a text without the blanks around it; the caller frees it */
static char *bare(const char *cell) {
    size_t n = strlen(cell), size;
    int more = 1;
    while (more) {
        more = 0;
        for (int k = 0; blanks[k]; k++) {
            size = strlen(blanks[k]);
            if (n >= size && !memcmp(cell, blanks[k], size)) { cell += size; n -= size; more = 1; }
            if (n >= size && !memcmp(cell + n - size, blanks[k], size)) { n -= size; more = 1; }
        }
    }
    char *copy = malloc(n + 1);
    if (copy) { memcpy(copy, cell, n); copy[n] = 0; }
    return copy;
}

static void lower(char *text) { for (; *text; text++) if (*text >= 'A' && *text <= 'Z') *text += 'a' - 'A'; }

static int is_missing(const char *text) {
    char small[16];
    if (strlen(text) >= sizeof small) return 0;
    strcpy(small, text);
    lower(small);
    for (int k = 0; missing_marks[k]; k++) if (!strcmp(small, missing_marks[k])) return 1;
    return 0;
}

static int digits(const char **at) { int n = 0; while (**at >= '0' && **at <= '9') { (*at)++; n++; } return n; }

/* a decimal number; strtod reads it exactly, in the locale "C" that programs start in */
static int parse(const char *text, double *value) {
    const char *at = text;
    int n;
    if (*at == '+' || *at == '-') at++;
    n = digits(&at);
    if (*at == '.') { at++; n += digits(&at); }
    if (!n) return 0;
    if (*at == 'e' || *at == 'E') {
        at++;
        if (*at == '+' || *at == '-') at++;
        if (!digits(&at)) return 0;
    }
    if (*at) return 0;
    *value = strtod(text, 0);
    return 1;
}

static int read_number(const char *cell, double *value) {
    char *text;
    int good;
    *value = NAN;
    if (!cell) return 1;
    text = bare(cell);
    good = text && (is_missing(text) || (parse(text, value) && !isinf(*value)));
    free(text);
    return good;
}

static int read_level(const char *cell, const struct level *exact, const struct level *numbers,
                      const struct level *small, double *value) {
    char *text;
    double number;
    int good = 0;
    *value = NAN;
    if (!cell) cell = "";
    text = bare(cell);
    if (!text) return 0;
    for (; exact->text && !good; exact++) if (!strcmp(exact->text, text)) { *value = exact->position; good = 1; }
    if (!good && is_missing(text)) good = 1;
    if (!good && parse(text, &number))
        for (; numbers->text && !good; numbers++)
            if (numbers->number == number) { *value = numbers->position; good = 1; }
    lower(text);
    for (; small->text && !good; small++) if (!strcmp(small->text, text)) { *value = small->position; good = 1; }
    free(text);
    return good;
}

/* a number of n digits at a place, -1 where there is none */
static int whole(const char *text, int n) {
    int value = 0;
    for (int k = 0; k < n; k++) {
        if (text[k] < '0' || text[k] > '9') return -1;
        value = 10 * value + text[k] - '0';
    }
    return value;
}

/* days since 1970-01-01 of 2024-01-31, 2024-01-31 12:30 or 2024-01-31T12:30:00.250+05:00 */
static int moment(const char *at, double *value) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = whole(at, 4), month, day, hour = 0, minute = 0, second = 0, micros = 0, leap, era;
    if (year < 0 || at[4] != '-' || (month = whole(at + 5, 2)) < 1 || month > 12 || at[7] != '-') return 0;
    leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    day = whole(at + 8, 2);
    if (day < 1 || day > lengths[month - 1] + (month == 2 && leap)) return 0;
    at += 10;
    if (*at == 'T' || *at == ' ') {
        if ((hour = whole(at + 1, 2)) < 0 || hour > 23 || at[3] != ':') return 0;
        if ((minute = whole(at + 4, 2)) < 0 || minute > 59) return 0;
        at += 6;
        if (*at == ':') {
            if ((second = whole(at + 1, 2)) < 0 || second > 59) return 0;
            at += 3;
            if (*at == '.') {
                int unit = 100000;
                if (whole(at + 1, 1) < 0) return 0;
                for (at++; *at >= '0' && *at <= '9'; at++, unit /= 10) micros += unit * (*at - '0');
            }
        }
        if (*at == 'Z') at++;
        else if (*at == '+' || *at == '-') {
            int sign = *at == '-' ? 1 : -1, hours = whole(at + 1, 2), minutes;
            if (hours < 0) return 0;
            at += at[3] == ':' ? 4 : 3;
            if ((minutes = whole(at, 2)) < 0) return 0;
            minute += sign * (60 * hours + minutes);
            at += 2;
        }
    }
    if (*at) return 0;
    /* years begin in March, so that the leap day is their last */
    year -= month <= 2;
    era = year + 400;
    day += (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 - 146097 - 719469;
    day += 365 * era + era / 4 - era / 100 + era / 400;
    *value = ((double)((day * 24LL + hour) * 60 + minute) * 60e6 + second * 1e6 + micros) / 86400000000.0;
    return 1;
}

static int read_date(const char *cell, double *value) {
    char *text;
    int good;
    *value = NAN;
    if (!cell) return 1;
    text = bare(cell);
    good = text && (is_missing(text) || moment(text, value));
    free(text);
    return good;
}

/* a cell as it came, or as a step made it */
struct cell { const char *text; char made[64]; };

static void put(struct cell *to, double value) {
    to->text = 0;
    if (isfinite(value)) { snprintf(to->made, sizeof to->made, "%.17g", value); to->text = to->made; }
}

/* a date as year-month-day; its parts stand at these places, counted from 1 */
static void redated(struct cell *to, const char *cell, int year, int month, int day) {
    char *text = bare(cell ? cell : ""), parts[3][5];
    const char *behind = "%2[0-9]%*1[./-]%2[0-9]%*1[./-]%4[0-9]%n";
    const char *form = year == 1 ? "%4[0-9]%*1[./-]%2[0-9]%*1[./-]%2[0-9]%n" : behind;
    int end = 0;
    to->text = cell;
    if (text && sscanf(text, form, parts[0], parts[1], parts[2], &end) == 3 && strlen(parts[year - 1]) == 4
        && strlen(parts[2]) == (year == 1 ? 2 : 4)
        && snprintf(to->made, sizeof to->made, "%s-%02d-%02d%s", parts[year - 1], atoi(parts[month - 1]),
                    atoi(parts[day - 1]), text + end) < (int)sizeof to->made)
        to->text = to->made;
    free(text);
}

static int is_known(const char *cell) {
    char *text = bare(cell ? cell : "");
    int found = text && !is_missing(text);
    free(text);
    return found;
}

static int is_one_of(const char *cell, const char *const *texts, const double *numbers) {
    char *text = bare(cell ? cell : "");
    double number;
    int found = 0;
    for (; text && *texts && !found; texts++) found = !strcmp(*texts, text);
    if (text && parse(text, &number)) for (; !isnan(*numbers) && !found; numbers++) found = *numbers == number;
    free(text);
    return found;
}

static const char *range_of(double value, const double *limits, const char *const *names) {
    if (isnan(value)) return 0;
    for (; !isnan(*limits) && value > *limits; limits++) names++;
    return *names;
}
"""

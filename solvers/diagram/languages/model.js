"use strict";
(function () {
// TABLES
function leaf(row) {
  return node0(encoded(row));
}

function predict(row) {
  return CLASSES[LEAVES.get(leaf(row))[0]];
}

function predictProba(row) {
  const shares = LEAVES.get(leaf(row))[1];
  return CLASSES.map((name, k) => [name, shares[k]]);
}

// the values that the splits use, as numbers: levels as positions, dates as days, NaN where missing
function encoded(row) {
  const cells = new Map(RAW.map((name) => {
    if (!Object.prototype.hasOwnProperty.call(row, name)) {
      throw new Error("The row lacks " + name + ", which the model uses.");
    }
    return [name, row[name]];
  }));
  prepare(cells);
  return COLUMNS.map(([name, kind, ...tables]) => {
    const value = READERS[kind](name, cells.get(name), ...tables);
    if (COMPLETE_ONLY && Number.isNaN(value)) {
      throw new Error(name + " must be known: the model was trained on complete rows only.");
    }
    return value;
  });
}

// the preparation steps, which compute the columns of the model from the raw columns
function prepare(cells) {
  // STEPS
}

function rename(cells, column, to) {
  cells.set(to, cells.get(column));
}

// replaces a value that is one of these texts or numbers
function replace(cells, column, choices) {
  const value = cells.get(column);
  const choice = choices.find(([texts, numbers]) => isOneOf(value, texts, numbers));
  if (choice) cells.set(column, choice[2]);
}

// writes a date as year-month-day
function redate(cells, column, pattern, places) {
  const found = new RegExp("^" + pattern + "$", "s").exec(text(cells.get(column)));
  if (found) cells.set(column, places.map((place) => found[place].padStart(2, "0")).join("-") + found[4]);
}

function divide(cells, column, limits, names) {
  const value = READERS.number(column, cells.get(column));
  cells.set(column, Number.isNaN(value) ? null : names[limits.filter((limit) => value > limit).length]);
}

function combine(cells, to, areDates, one, sign, two) {
  const [first, second] = [one, two].map((name) => READERS[areDates ? "date" : "number"](name, cells.get(name)));
  const value = sign === "/" ? first / second : first - second;
  cells.set(to, Number.isFinite(value) ? value : null);
}

function compare(cells, column, isDate, sign, limit, words) {
  const value = READERS[isDate ? "date" : "number"](column, cells.get(column));
  need({ "<=": value <= limit, ">=": value >= limit, "<": value < limit, ">": value > limit }[sign], words);
}

function keep_known(cells, column, words) {
  need(!MISSING_MARKS.has(text(cells.get(column)).toLowerCase()), words);
}

function keep(cells, column, texts, numbers, wanted, words) {
  need(isOneOf(cells.get(column), texts, numbers) === wanted, words);
}

function isOneOf(value, texts, numbers) {
  const written = text(value);
  return texts.includes(written) || numbers.includes(number(written));
}

function need(holds, words) {
  if (!holds) throw new Error("No prediction: the model does not apply to such rows (" + words + ").");
}

function had(v, j, refusesMissing, levels) {
  if ((refusesMissing && Number.isNaN(v[j])) || levels.includes(v[j])) {
    throw new Error("No prediction: the value of " + COLUMNS[j][0] + " is in no training row.");
  }
}

const BLANK = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const AROUND = new RegExp("^" + BLANK + "|" + BLANK + "$", "g");

function text(value) {
  if (value === null || value === undefined || (typeof value === "number" && Number.isNaN(value))) return "";
  return String(value).replace(AROUND, "");
}

function number(written) {
  const isPlain = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(written);
  return isPlain ? Number(written) : NaN;
}

const CLOCK = "(\\d\\d):(\\d\\d)(?::(\\d\\d)(?:\\.(\\d{1,6})\\d*)?)?(Z|[+-]\\d\\d:?\\d\\d)?";
const MOMENT = new RegExp("^(\\d{4})-(\\d\\d)-(\\d\\d)(?:[T ]" + CLOCK + ")?$");

const READERS = {
  number(name, value) {
    if (typeof value !== "number") {
      const written = typeof value === "boolean" ? String(Number(value)) : text(value);
      if (MISSING_MARKS.has(written.toLowerCase())) return NaN;
      value = number(written);
      if (Number.isNaN(value)) throw new Error(name + " holds numbers, but is " + written + ".");
    }
    if (Math.abs(value) === Infinity) throw new Error(name + " must be finite.");
    return value;
  },

  level(name, value, exact, numbers, small) {
    const written = text(value);
    const found = (pairs, key) => (pairs.find((pair) => pair[0] === key) || [])[1];
    let position = found(exact, written);
    if (position !== undefined) return position;
    if (MISSING_MARKS.has(written.toLowerCase())) return NaN;
    position = found(numbers, number(written));
    if (position === undefined) position = found(small, written.toLowerCase());
    if (position !== undefined) return position;
    throw new Error(name + " has the level " + written + ", which was not in the training data.");
  },

  date(name, value) {
    const written = value instanceof Date ? value.toISOString() : text(value);
    if (MISSING_MARKS.has(written.toLowerCase())) return NaN;
    const found = MOMENT.exec(written);
    const moment = new Date(0);
    if (found) moment.setUTCFullYear(Number(found[1]), Number(found[2]) - 1, Number(found[3]));
    const [hour, minute, second] = found ? [4, 5, 6].map((k) => Number(found[k] || 0)) : [0, 0, 0];
    const isDay = moment.getUTCMonth() === Number(found && found[2]) - 1;
    if (!found || !isDay || moment.getUTCDate() !== Number(found[3]) || hour > 23 || minute > 59 || second > 59) {
      throw new Error(name + " holds dates such as 2024-01-31, but is " + written + ".");
    }
    const zone = found[8] && found[8] !== "Z" ? found[8].replace(":", "") : "+0000";
    const ahead = (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3))) * (zone[0] === "-" ? -1 : 1);
    const seconds = moment.getTime() / 1000 + hour * 3600 + (minute - ahead) * 60 + second;
    return (seconds * 1e6 + Number((found[7] || "").padEnd(6, "0"))) / 86400000000;
  },
};

function filled(value, standingFor) {
  return Number.isNaN(value) ? standingFor : value;
}

function has(value, level) {
  return Number.isNaN(value) ? value : Number(value === level);
}

function atMost(total, limit, missing) {
  return Number.isNaN(total) ? missing : total <= limit;
}

// SPLITS
const model = { OUTCOME, CLASSES, LEAVES, predict, predictProba, leaf };
if (typeof module !== "undefined") module.exports = model;
else globalThis.espalier = model;
})();

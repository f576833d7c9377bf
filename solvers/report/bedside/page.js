// Asks one question of the model after another. Everything that it knows of the model stands in two documents of the
// page: the model itself, as this program writes it, and the words about it. No row of a patient is in them.
"use strict";

const part = (id) => document.getElementById(id);
const { model } = JSON.parse(part("model").textContent), { schema } = model;
const words = JSON.parse(part("words").textContent);
const columns = new Map(schema.columns.map((column) => [column.name, column]));
const titleOf = (name) => columns.get(name).label || name;
const isLeaf = (node) => node.type === "leaf";
const isSum = (node) => node.predicate.type === "sum";
const namesOf = ({ predicate }) => (predicate.columns ? [...new Set(predicate.columns)] : [predicate.column]);
const asked = [...new Set(model.nodes.filter((node) => !isLeaf(node)).flatMap(namesOf))];

// What is answered below each node, and how many questions there are at most.
const below = [], longest = [];
for (let i = model.nodes.length - 1; i >= 0; i--) {
  const node = model.nodes[i];
  below[i] = isLeaf(node) ? new Set([node.label]) : new Set([...below[node.yes], ...below[node.no]]);
  longest[i] = isLeaf(node) ? 0 : 1 + Math.max(longest[node.yes], longest[node.no]);
}

// --- the model ---

const DAY = /^(?!0000)(\d{4})(-?)(\d\d)\2(\d\d)(?:[T ](.+))?$/;
const TIME = /^(\d\d)(?:(:?)(\d\d)(?:\2(\d\d)(?:[.,](\d+))?)?)?(?:Z|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?$/;

// An ISO date, with a time of day or not, as days since 1970 in UTC; undefined for any other text.
function days(text) {
  const [isDay, year, , month, day, clock = "00"] = DAY.exec(text) || [];
  const [isTime, hour, , minute = "00", second = "00", part = "", sign, hours = 0, minutes = 0] = TIME.exec(clock) || [];
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`, time = Date.parse(written);
  // browsers take 31 February and 24:00 for the day after
  if (!isDay || !isTime || Number.isNaN(time) || new Date(time).toISOString() !== written) return undefined;
  const ahead = Number(`${sign || ""}1`) * (60 * hours + Number(minutes)) * 60000;
  return ((time - ahead) * 1000 + Number(part.slice(0, 6).padEnd(6, "0"))) / 86400000000;
}

// A cell as the model's number: NaN where it is missing, undefined where the model cannot read it.
function read(name, cell) {
  const column = columns.get(name);
  const text = cell === null || cell === undefined || Number.isNaN(cell) ? "" : String(cell).trim();
  const level = column.levels.indexOf(text);
  if (level >= 0) return level;
  if (words.marks.includes(text.toLowerCase())) return NaN;
  if (column.levels.length) return undefined;
  if (column.kind === "date") return days(text);
  const isNumber = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) && Number.isFinite(Number(text));
  return isNumber ? Number(text) : undefined;
}

// Whether a question must not be answered from a value: one that no training row has.
function stops(name, value) {
  const column = columns.get(name);
  if (Number.isNaN(value) && schema.missing === "complete") return true;
  if (words.follows) return false;
  return Number.isNaN(value) ? !column.has_missing : column.unseen_levels.includes(value);
}

// The answer to a question; values are the model's numbers by column.
function holds({ predicate }, values) {
  if (predicate.type !== "sum") {
    const value = values.get(predicate.column);
    if (predicate.op === "is missing") return Number.isNaN(value);
    if (Number.isNaN(value)) return predicate.missing;
    return predicate.op === "is" ? value === predicate.value : value <= predicate.value;
  }
  let total = 0;
  for (const [i, name] of predicate.columns.entries()) {
    const { fill } = columns.get(name), level = predicate.levels[i] ?? null;
    let value = values.get(name);
    if (Number.isNaN(value) && schema.missing === "impute" && fill !== null) value = fill;
    total += predicate.weights[i] * (level === null || Number.isNaN(value) ? value : Number(value === level));
  }
  return Number.isNaN(total) ? predicate.missing : total <= predicate.threshold;
}

// What the model says of a case, given as cells by column: its leaf and class, null and "" where it gives no answer.
function predict(cells) {
  const none = { leaf: null, label: "" };
  const values = new Map(asked.map((name) => [name, read(name, cells[name])]));
  for (const value of values.values()) {
    if (value === undefined || (Number.isNaN(value) && schema.missing === "complete")) return none;
  }
  let at = 0;
  while (!isLeaf(model.nodes[at])) {
    const node = model.nodes[at];
    if (namesOf(node).some((name) => stops(name, values.get(name)))) return none;
    at = holds(node, values) ? node.yes : node.no;
  }
  return { leaf: at, label: model.classes[model.nodes[at].label] };
}

// --- what follows from answers ---

// The values that a column may still have: an interval of numbers or some levels, and whether it may be missing.
function anything(column, missing) {
  const had = (level) => words.follows || !column.unseen_levels.includes(level);
  const levels = column.levels.length ? column.levels.map((_, i) => i).filter(had) : null;
  return { low: -Infinity, high: Infinity, levels, known: true, missing, integral: column.integral };
}

function within(domain, { predicate: { op, value, missing } }, yes) {
  const left = { ...domain, missing: domain.missing && missing === yes };
  if (op === "is missing") left.known = domain.known && !yes;
  else if (domain.levels) {
    left.levels = domain.levels.filter((k) => (op === "is" ? k === value : k <= value) === yes);
  } else if (yes) left.high = Math.min(domain.high, value);
  else left.low = Math.max(domain.low, value);
  return left;
}

function isPossible(domain) {
  if (domain.missing) return true;
  if (!domain.known) return false;
  if (domain.levels) return domain.levels.length > 0;
  if (domain.integral && Number.isFinite(domain.low)) return Math.floor(domain.low) + 1 <= domain.high;
  return domain.low < domain.high;
}

function domainsOf(way) {
  const out = new Map();
  for (const { node: i, yes, unknown } of way) {
    const node = model.nodes[i];
    if (isSum(node) || yes === null) continue;
    const name = node.predicate.column, column = columns.get(name);
    if (unknown.length) out.set(name, { ...anything(column, true), known: false });
    else out.set(name, within(out.get(name) || anything(column, false), node, yes));
  }
  return out;
}

// The classes that can be answered from a node on.
function possible(start, domains) {
  const found = new Set(), seen = new Set();
  const visit = (at, held) => {
    const state = at + JSON.stringify([...held]);
    if (seen.has(state) || [...below[at]].every((label) => found.has(label))) return;
    seen.add(state);
    const node = model.nodes[at];
    if (isLeaf(node)) return void found.add(node.label);
    for (const yes of [true, false]) {
      const next = yes ? node.yes : node.no;
      if (isSum(node)) {
        visit(next, held);
        continue;
      }
      const name = node.predicate.column, column = columns.get(name);
      const left = within(held.get(name) || anything(column, column.has_missing), node, yes);
      if (isPossible(left)) visit(next, new Map([...held, [name, left]]));
    }
  };
  visit(start, domains);
  return found;
}

// Where answers lead, with those that follow from earlier ones.
function walk(given) {
  let at = 0;
  const way = [];
  while (!isLeaf(model.nodes[at])) {
    const node = model.nodes[at], domain = isSum(node) ? undefined : domainsOf(way).get(node.predicate.column);
    const left = domain ? [true, false].filter((yes) => isPossible(within(domain, node, yes))) : [];
    const unknown = domain && !domain.known ? namesOf(node) : [];
    const answer = left.length === 1 ? { node: at, yes: left[0], unknown } : given.find((one) => one.node === at);
    if (!answer) break;
    way.push(answer);
    if (answer.yes === null) break;
    at = answer.yes ? node.yes : node.no;
  }
  return { at, way };
}

// --- the page ---

let given = [];

function make(tag, text = "", look = {}) {
  return Object.assign(document.createElement(tag), { textContent: text }, look);
}

function answer(node, yes, unknown = []) {
  given = [...given, { node, yes, unknown }];
  draw();
  part("question").focus();
}

// Someone knows the value; it may be one that no training row has.
function said(i, yes) {
  const node = model.nodes[i], domain = anything(columns.get(node.predicate.column), false);
  answer(i, isPossible(within(domain, node, yes)) ? yes : null);
}

// Someone does not know the value of a question about one column.
function notKnown(i) {
  const { column, missing } = model.nodes[i].predicate;
  answer(i, stops(column, NaN) ? null : missing, [column]);
}

function told({ node: i, yes, unknown }) {
  const node = model.nodes[i], about = words.nodes[i];
  if (!unknown.length) return yes ? about.yes : about.no;
  return isSum(node) ? `${yes ? about.yes : about.no} (${unknown.join(" and ")} not known)` : about.unknown;
}

function draw() {
  const { at, way } = walk(given), node = model.nodes[at], last = way[way.length - 1];
  const stopped = last !== undefined && last.yes === null, ended = stopped || isLeaf(node);
  const labels = possible(at, domainsOf(way));
  const names = [...labels].sort((a, b) => a - b).map((label) => model.classes[label]);
  const number = way.filter((one) => given.includes(one)).length + 1;
  part("place").textContent = ended ? "Answer" : `Question ${number} of at most ${number - 1 + longest[at]}`;
  part("answers").replaceChildren();
  part("possible").replaceChildren();
  if (stopped) drawRefusal(at, last, names);
  else if (ended) drawEnd(at, way);
  else {
    part("question").textContent = words.nodes[at].ask;
    if (isSum(node)) drawFields(at);
    else drawButtons(at);
    part("possible").append(`Still possible for ${model.outcome}: `, make("b", names.join(", ")));
    for (const label of [...below[0]].filter((one) => !labels.has(one)).sort((a, b) => a - b)) {
      part("possible").append(" ", make("s", model.classes[label], { title: "no longer possible" }));
    }
  }
  part("because").replaceChildren(...way.filter((one) => one.yes !== null).map((one) => make("li", told(one))));
  part("so-far").firstChild.textContent = ended ? "Because" : "So far";
  part("so-far").hidden = !part("because").childElementCount;
  part("back").disabled = part("again").disabled = !given.length;
}

function drawButtons(at) {
  const about = words.nodes[at], asksForMissing = model.nodes[at].predicate.op === "is missing";
  const choices = [
    [`Yes: ${about.yes}`, () => (asksForMissing ? notKnown(at) : said(at, true))],
    [`No: ${about.no}`, () => said(at, false)],
  ];
  if (!asksForMissing) choices.push(["Not known", () => notKnown(at)]);
  if (about.other) choices.push([about.other, () => answer(at, null)]);
  for (const [text, onclick] of choices) part("answers").append(make("button", text, { type: "button", onclick }));
}

// A weighted sum: its columns are asked for, which nobody has to add up.
function drawFields(at) {
  const form = make("form"), fields = new Map();
  for (const name of namesOf(model.nodes[at])) {
    const column = columns.get(name), label = make("label", titleOf(name) + (column.unit ? ` (${column.unit})` : ""));
    const field = column.levels.length ? make("select") : make("input", "", { inputMode: "decimal" });
    if (column.levels.length) for (const value of ["", ...column.levels]) field.append(make("option", value, { value }));
    else if (column.kind === "date") field.type = "date";
    label.append(field);
    form.append(label);
    fields.set(name, field);
  }
  const trouble = make("p", "", { role: "alert", className: "strong", hidden: true });
  form.append(make("p", "Leave a field empty if the value is not known.", { className: "byline" }), trouble);
  form.append(make("button", "Next"));
  form.onsubmit = (event) => {
    event.preventDefault();
    const values = new Map([...fields].map(([name, field]) => [name, read(name, field.value)]));
    const unread = [...values].filter(([, value]) => value === undefined).map(([name]) => name);
    trouble.hidden = !unread.length;
    trouble.textContent = `Cannot be read: ${unread.join(", ")}. Write numbers with a point, such as 1.5.`;
    if (unread.length) return;
    const unknown = [...values].filter(([, value]) => Number.isNaN(value)).map(([name]) => name);
    const refused = [...values].some(([name, value]) => stops(name, value));
    answer(at, refused ? null : holds(model.nodes[at], values), unknown);
  };
  part("answers").append(form);
}

function drawEnd(at, way) {
  const about = words.nodes[at];
  part("question").textContent = about.verdict;
  part("answers").append(...about.support.map((text) => make("p", text)));
  for (const name of new Set(way.flatMap((one) => one.unknown))) {
    const shared = Object.hasOwn(about.shared, name) ? about.shared[name] : words.unshared;
    part("answers").append(make("p", shared, { className: "strong" }));
  }
}

function drawRefusal(at, last, names) {
  const about = (last.unknown.length ? last.unknown : namesOf(model.nodes[at])).map(titleOf).join(" or ");
  const why = !last.unknown.length
    ? `${about} has a value here that no training row has: the model has learned nothing about such a patient.`
    : schema.missing === "complete"
      ? `${about} is not known, and the model was trained on complete rows only.`
      : `${about} is not known here, but was known in all training rows: ` +
        "the model has learned nothing about such a patient.";
  const then =
    names.length > 1
      ? `Possible predictions: ${names.join(" or ")}.`
      : `For every possible value, the prediction would be ${names[0]}.`;
  part("question").textContent = "No prediction";
  part("answers").append(make("p", why), make("p", then, { className: "strong" }));
}

function restart(rest) {
  given = rest;
  draw();
  part("question").focus();
}

part("back").onclick = () => restart(given.slice(0, -1));
part("again").onclick = () => restart([]);
part("print").onclick = () => window.print();
window.onbeforeprint = () => {
  part("rules").open = true;
  part("when").textContent = `Printed ${new Date().toLocaleString()}`;
};
draw();

// Shows a drawing of a diagram, or the list of its questions. Triggers: 'choose' with the node that was clicked or selected by keyboard, 'fold' with
// the split to fold or unfold, 'width' with the width of the frame. Streamlit calls the default export again after every change of `data`; state that
// must outlive a call is stored on the frame. Paths and dimmed nodes are classes, so they need no redraw.

const SVG = "http://www.w3.org/2000/svg";
const ZOOM = 1.25;
const MOST_ZOOM = 40;
const CLICK_PIXELS = 4;
const SETTLE_MILLISECONDS = 60;
const AGAIN_MILLISECONDS = 1200;
const QUIET_MILLISECONDS = 1000;
const LARGEST_SCALE = 1.1;
const WIDTH_PIXELS = 20;
const USUAL_HEIGHT = 480;
const HIGH_ON_SCREEN = 0.4;
const MARGIN_PIXELS = 8;
const BORDER_PIXELS = 2;
const TOOLS_PIXELS = 44;
const STEP_PIXELS = 60;
const FOLD_PIXELS = 9;
// the questions next to the levels of a BDD are drawn as nodes, too
const NODES = ".node:not(.level)";

function box(svg) {
  const { x, y, width, height } = svg.viewBox.baseVal;
  return { x, y, width, height };
}

function setBox(frame, svg, b) {
  const w = frame.whole;
  if (b.width < w.width / MOST_ZOOM || b.width > w.width * MOST_ZOOM) return;
  svg.setAttribute("viewBox", `${b.x} ${b.y} ${b.width} ${b.height}`);
  svg.parentElement.classList.toggle("enlarged", b.width < w.width * 0.99 || b.height < w.height * 0.99);
  frame.moved = !isSame(b, frame.start);
}

// the browser keeps a box in single precision
const isSame = (a, b) => ["x", "y", "width", "height"].every((part) => Math.abs(a[part] - b[part]) < 0.01);

// Shows all of the drawing; or, if it is shown and then too small to read, the start again.
function fitOrStart(frame, svg) {
  setBox(frame, svg, isSame(box(svg), frame.whole) ? frame.start : frame.whole);
}

// The height that a frame may have, so that all of it is on the screen: below its place at the start of the page, or, if that is low, once it is
// scrolled to.
function mostHeight(frame) {
  const measure = (part) => document.querySelector(`[data-testid="${part}"]`)?.offsetHeight ?? 0;
  const top = frame.getBoundingClientRect().top + (document.querySelector('[data-testid="stMain"]')?.scrollTop ?? 0);
  const high = top < HIGH_ON_SCREEN * window.innerHeight;
  return window.innerHeight - measure("stBottom") - (high ? top : measure("stHeader") + MARGIN_PIXELS) - MARGIN_PIXELS;
}

function zoom(frame, svg, factor, center) {
  const b = box(svg);
  const at = center ?? { x: b.x + b.width / 2, y: b.y + b.height / 2 };
  setBox(frame, svg, {
    x: at.x - (at.x - b.x) / factor,
    y: at.y - (at.y - b.y) / factor,
    width: b.width / factor,
    height: b.height / factor,
  });
}

function pan(frame, svg, dx, dy) {
  const scale = svg.getScreenCTM().a, b = box(svg);
  setBox(frame, svg, { ...b, x: b.x + dx / scale, y: b.y + dy / scale });
}

// Sets the frame height so that the drawing fits the width and is readable, at most as high as the window permits.
// A larger drawing, because the user opened many nodes, starts at the root and can be moved.
function fit(frame, stage, svg) {
  const natural = frame.natural, width = stage.clientWidth;
  const tall = Math.max(frame.leastHeight, USUAL_HEIGHT) / natural.height;
  const scale = Math.max(frame.readable, Math.min(LARGEST_SCALE, width / natural.width, tall));
  const most = Math.round(mostHeight(frame)) - TOOLS_PIXELS - BORDER_PIXELS;
  const height = Math.max(frame.leastHeight - TOOLS_PIXELS, Math.min(Math.ceil(natural.height * scale), most));
  frame.style.height = `${height + TOOLS_PIXELS + BORDER_PIXELS}px`;
  const box = { width: width / scale, height: height / scale, y: natural.y + (natural.height - height / scale) / 2 };
  frame.start = { ...box, x: natural.x + (natural.width - box.width) / 2 };
  const root = svg.querySelector("#node0")?.getBBox(), all = svg.querySelector("g").getBBox();
  const beginning = (from, size) => {
    const middle = root ? root[from] + root[size] / 2 + natural[from] - all[from] : natural[from];
    return Math.min(Math.max(middle - box[size] / 2, natural[from]), natural[from] + natural[size] - box[size]);
  };
  if (box.width < natural.width) frame.start.x = beginning("x", "width");
  if (box.height < natural.height) frame.start.y = beginning("y", "height");
  const out = Math.max(natural.width / box.width, natural.height / box.height);
  const far = { width: box.width * out, height: box.height * out };
  frame.whole = out <= 1 ? frame.start
    : { ...far, x: natural.x + (natural.width - far.width) / 2, y: natural.y + (natural.height - far.height) / 2 };
  setBox(frame, svg, frame.start);
}

// A drawing made for another width is hidden until its replacement arrives, if it is not readable at this width.
function suits(frame, stage) {
  const isList = !frame.natural;
  const fits = isList || frame.natural.width * frame.readable <= stage.clientWidth;
  return fits || Math.abs(frame.madeFor - frame.clientWidth) <= WIDTH_PIXELS;
}

// If the frame is resized, requests a drawing of the new width, and fits it unless the user has moved it.
function watchSize(frame, stage, tell) {
  frame.look = () => {
    const width = frame.clientWidth;
    if (!width) return;
    // a trigger right after a click could replace the effect of the click, such as another screen
    const quiet = performance.now() - (frame.pressed ?? -QUIET_MILLISECONDS) >= QUIET_MILLISECONDS;
    const isNew = Math.abs(width - frame.madeFor) > WIDTH_PIXELS && frame.told !== width;
    if (isNew && quiet) tell(frame.told = width);
    const waits = stage.classList.toggle("waiting", !suits(frame, stage));
    clearTimeout(frame.again);
    // simultaneous triggers of several frames may be lost
    if (waits || (isNew && !quiet)) frame.again = setTimeout(() => { frame.told = null; frame.look(); }, AGAIN_MILLISECONDS);
    const svg = stage.querySelector("svg");
    if (!svg || frame.width === width) return;
    frame.width = width;
    if (!frame.moved) fit(frame, stage, svg);
  };
  if (!frame.observer) {
    frame.ending = new AbortController();
    const noted = { capture: true, signal: frame.ending.signal };
    const note = () => (frame.isConnected ? (frame.pressed = performance.now()) : frame.ending.abort());
    document.addEventListener("pointerdown", note, noted);
  }
  frame.observer ??= new ResizeObserver(() => frame.look());
  frame.observer.observe(frame);
  frame.look();
}

// Moves the drawing just far enough to show the focused node.
function bringIntoView(frame, stage, node) {
  const svg = stage.querySelector("svg"), a = stage.getBoundingClientRect(), b = node.getBoundingClientRect();
  if (!svg) return node.scrollIntoView({ block: "nearest" });
  const margin = 8;
  const off = (low, high, from, to) => (low < from + margin ? low - from - margin : high > to - margin ? high - to + margin : 0);
  const dx = off(b.left, b.right, a.left, a.right), dy = off(b.top, b.bottom, a.top, a.bottom);
  if (dx || dy) pan(frame, svg, dx, dy);
}

function pointIn(svg, x, y) {
  return new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());
}

function nodeNumber(element) {
  const group = element?.closest?.(".node");
  const found = group && /^node(\d+)$/.exec(group.id);
  return found ? Number(found[1]) : null;
}

// Clicks in the list.
function listenToClicks(stage, choose, fold) {
  stage.onclick = (event) => {
    const node = nodeNumber(event.target);
    if (node === null || stage.querySelector("svg")) return;
    if (event.target.closest(".fold")) fold(node);
    else choose(node);
  };
}

// Mouse or one finger: a short press selects a node, a drag moves the drawing. Two fingers zoom.
function listenToPointer(frame, stage, choose, fold) {
  const fingers = new Map();
  let from = null, spread = null;
  const middle = () => {
    const [a, b] = [...fingers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, far: Math.hypot(a.x - b.x, a.y - b.y) };
  };
  stage.onpointerdown = (event) => {
    const svg = stage.querySelector("svg");
    if (!svg || event.button !== 0) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size === 2) {
      from = null;
      spread = middle();
      return;
    }
    const onFold = event.target.closest?.(".fold") !== null && event.target.closest?.(".fold") !== undefined;
    from = { x: event.clientX, y: event.clientY, start: box(svg), node: nodeNumber(event.target), onFold, moved: false };
  };
  stage.onpointermove = (event) => {
    const svg = stage.querySelector("svg");
    if (!svg || !fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (spread && fingers.size === 2) {
      const now = middle();
      if (spread.far > 0) zoom(frame, svg, now.far / spread.far, pointIn(svg, now.x, now.y));
      pan(frame, svg, spread.x - now.x, spread.y - now.y);
      spread = now;
      return;
    }
    if (!from) return;
    const dx = event.clientX - from.x, dy = event.clientY - from.y;
    if (!from.moved && Math.hypot(dx, dy) < CLICK_PIXELS) return;
    if (!from.moved) stage.setPointerCapture(event.pointerId);
    from.moved = true;
    stage.classList.add("moving");
    const scale = svg.getScreenCTM().a;
    setBox(frame, svg, { ...box(svg), x: from.start.x - dx / scale, y: from.start.y - dy / scale });
  };
  const leave = (event) => {
    fingers.delete(event.pointerId);
    if (fingers.size < 2) spread = null;
    from = null;
    stage.classList.remove("moving");
  };
  stage.onpointerup = (event) => {
    const press = from;
    leave(event);
    if (!press || press.moved || press.node === null) return;
    if (press.onFold) fold(press.node);
    else choose(press.node);
  };
  stage.onpointercancel = leave;
  stage.ondblclick = (event) => {
    const node = nodeNumber(event.target);
    if (node !== null && !event.target.closest(".fold")) fold(node);
  };
  stage.onwheel = (event) => {
    if (!event.ctrlKey && !event.metaKey && document.fullscreenElement === null) return;
    event.preventDefault();
    const svg = stage.querySelector("svg");
    if (svg) zoom(frame, svg, event.deltaY < 0 ? ZOOM : 1 / ZOOM, pointIn(svg, event.clientX, event.clientY));
  };
}

// Arrow keys in a tree follow the arcs: up to the parent, down to 'yes', left and right between its children.
function inTree(links, at, key) {
  const parent = links.findIndex((pair) => pair?.includes(at));
  if (key === "ArrowUp") return parent < 0 ? null : parent;
  if (key === "ArrowDown") return links[at]?.[0] ?? null;
  if (parent < 0 || (key !== "ArrowLeft" && key !== "ArrowRight")) return null;
  return links[parent][0] === at ? links[parent][1] : links[parent][0];
}

// If nodes have several parents, up and down go to the previous and next level, along an arc if there is one, and left and
// right move along the level, so that every node can be reached.
function inLevels(frame, stage, at, key) {
  const middle = (node) => { const b = stage.querySelector(`#node${node}`).getBoundingClientRect(); return b.left + b.width / 2; };
  const row = (level) => frame.levels.map((_, node) => node)
    .filter((node) => frame.levels[node] === level && stage.querySelector(`#node${node}`))
    .sort((a, b) => middle(a) - middle(b));
  const here = frame.levels[at], line = row(here);
  if (key === "ArrowLeft" || key === "ArrowRight") return line[line.indexOf(at) + (key === "ArrowLeft" ? -1 : 1)] ?? null;
  const step = key === "ArrowUp" ? -1 : key === "ArrowDown" ? 1 : 0;
  const last = Math.max(...frame.levels);
  for (let level = here + step; step && level >= 0 && level <= last; level += step) {
    const nodes = row(level);
    if (!nodes.length) continue;
    const linked = nodes.find((node) => (step > 0 ? frame.links[at] : frame.links[node])?.includes(step > 0 ? node : at));
    const nearest = (a, b) => Math.abs(middle(a) - middle(at)) - Math.abs(middle(b) - middle(at));
    return linked ?? nodes.sort(nearest)[0];
  }
  return null;
}

const arcName = (parent, side) => `arc${parent}-${side ? "no" : "yes"}`;

// Marks the arcs of all paths from the root to a node, unless the path of a row is drawn.
function markWays(frame, stage, chosen) {
  stage.querySelectorAll(".into").forEach((arc) => arc.classList.remove("into"));
  if (!frame.levels || chosen === null || stage.querySelector(".on-path")) return;
  const above = [chosen], seen = new Set(above);
  while (above.length) {
    const node = above.pop();
    frame.links.forEach((pair, parent) => pair?.forEach((child, side) => {
      if (child !== node) return;
      stage.querySelector(`#${arcName(parent, side)}`)?.classList.add("into");
      if (!seen.has(parent)) { seen.add(parent); above.push(parent); }
    }));
  }
}

// Marks the path of a row, its path before a what-if change, and the nodes dimmed by a filter.
function markClasses(stage, data) {
  const mark = (name, nodes, arcs) => {
    stage.querySelectorAll(`.${name}`).forEach((group) => group.classList.remove(name));
    nodes.forEach((node) => stage.querySelector(`#node${node}`)?.classList.add(name));
    arcs.forEach((arc) => stage.querySelector(`#${arc}`)?.classList.add(name));
  };
  mark("on-path", data.path.nodes, data.path.arcs);
  mark("was", data.was.nodes.filter((n) => !data.path.nodes.includes(n)), data.was.arcs.filter((a) => !data.path.arcs.includes(a)));
  const dim = new Set(data.dimmed), arcs = [];
  data.links.forEach((pair, parent) => pair?.forEach((child, side) => {
    if (dim.has(parent) || dim.has(child)) arcs.push(arcName(parent, side));
  }));
  mark("dim", data.dimmed, arcs);
}

function listenToKeys(frame, stage, choose, fold) {
  stage.onkeydown = (event) => {
    const at = nodeNumber(event.target);
    const svg = stage.querySelector("svg");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (!svg && (["+", "=", "-", "0"].includes(event.key) || event.shiftKey)) return;
    if (event.key === "+" || event.key === "=") zoom(frame, svg, ZOOM);
    else if (event.key === "-") zoom(frame, svg, 1 / ZOOM);
    else if (event.key === "0") fitOrStart(frame, svg);
    else if (event.shiftKey && arrows[event.key]) pan(frame, svg, ...arrows[event.key].map((d) => d * STEP_PIXELS));
    else if (at === null) return;
    else if (event.key === "Enter" || event.key === " ") choose(at);
    else if (event.key === "f" || event.key === "F") fold(at);
    else {
      const next = event.key === "Home" ? 0
        : frame.levels ? inLevels(frame, stage, at, event.key) : inTree(frame.links, at, event.key);
      const node = next === null ? null : stage.querySelector(`#node${next}`);
      if (!node) return;
      node.focus({ preventScroll: true });
      bringIntoView(frame, stage, node);
    }
    event.preventDefault();
  };
}

function mark(frame, stage, chosen) {
  frame.chosen = chosen;
  markWays(frame, stage, chosen);
  const there = chosen !== null && stage.querySelector(`#node${chosen}`);
  stage.querySelectorAll(NODES).forEach((group) => {
    const here = nodeNumber(group) === chosen;
    group.classList.toggle("chosen", here);
    group.setAttribute("tabindex", here || (!there && group.id === "node0") ? "0" : "-1");
    // if nodes cannot be selected, splits can be folded, and leaves are not interactive
    if (frame.choosing || group.classList.contains("split")) {
      group.setAttribute("role", "button");
      group.setAttribute("aria-pressed", String(here));
    } else group.setAttribute("role", group.hasAttribute("aria-label") ? "img" : "group");
  });
}

function element(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}

// Adds a round button at the side of a split that folds its subgraph.
function addFolds(stage, folds, words) {
  for (const [node, isFolded] of Object.entries(folds)) {
    const group = stage.querySelector(`#node${node}`);
    if (!group) continue;
    const b = group.getBBox(), at = { x: b.x + b.width + FOLD_PIXELS / 2, y: b.y + b.height / 2 };
    const button = element("g", { class: "fold" }, group);
    element("title", {}, button).textContent = words[isFolded];
    element("circle", { cx: at.x, cy: at.y, r: FOLD_PIXELS }, button);
    element("path", { d: `M${at.x - 4} ${at.y}h8` + (isFolded ? `M${at.x} ${at.y - 4}v8` : "") }, button);
    group.setAttribute("aria-expanded", String(!isFolded));
  }
}

function dress(stage, svg, data) {
  // the content of an element with role 'img' is hidden from screen readers
  svg.setAttribute("role", "group");
  stage.querySelectorAll(NODES).forEach((group) => {
    group.setAttribute("aria-label", group.querySelector("title")?.textContent.replaceAll("\n", ". ") ?? group.id);
  });
  addFolds(stage, data.folds, data.folding);
}

function draw(frame, stage, data) {
  if (frame.content === data.content && frame.name === data.name) return;
  const before = stage.querySelector("svg"), focused = nodeNumber(stage.getRootNode().activeElement);
  const view = before && frame.name === data.name && frame.moved ? box(before) : null;
  const place = (number) => {
    const b = number === null ? null : stage.querySelector(`#node${number}`)?.getBoundingClientRect();
    return b ? { x: b.left + b.width / 2, y: b.top } : null;
  };
  const anchor = view ? [frame.folding ?? focused ?? data.chosen].map((n) => ({ n, at: place(n) }))[0] : null;
  stage.innerHTML = data.content;
  const svg = stage.querySelector("svg");
  frame.classList.toggle("listed", !svg);
  frame.content = data.content;
  frame.name = data.name;
  frame.focused = focused;
  frame.moved = false;
  frame.natural = svg && box(svg);
  if (!svg) {
    frame.style.height = "auto";
    return;
  }
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.setAttribute("preserveAspectRatio", "xMidYMid meet");
  dress(stage, svg, data);
  fit(frame, stage, svg);
  frame.width = frame.clientWidth;
  if (view) {
    setBox(frame, svg, view);
    const now = anchor.at && place(anchor.n);
    if (now) pan(frame, svg, now.x - anchor.at.x, now.y - anchor.at.y);
  }
  frame.folding = null;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const frame = parentElement.querySelector(".frame");
  const stage = parentElement.querySelector(".stage");
  const { links, levels, readable, leastHeight, choosing, width: madeFor } = data;
  Object.assign(frame, { links, levels, readable, leastHeight, choosing, madeFor, focused: null });
  draw(frame, stage, data);
  watchSize(frame, stage, (width) => setTriggerValue("width", width));
  markClasses(stage, data);
  parentElement.querySelector(".hint").textContent = data.hint;
  stage.setAttribute("aria-label", data.stage);
  parentElement.querySelectorAll(".tools button").forEach((button, i) => {
    [button.textContent, button.ariaLabel, button.title] = data.tools[i];
  });
  const choose = (number) => {
    if (!data.choosing) return fold(number);
    mark(frame, stage, number);
    stage.querySelector(`#node${number}`)?.focus({ preventScroll: true });
    clearTimeout(frame.settle);
    frame.settle = setTimeout(() => setTriggerValue("choose", number), SETTLE_MILLISECONDS);
  };
  const fold = (number) => {
    if (data.folds[number] === undefined) return;
    frame.folding = number;
    clearTimeout(frame.settle);
    setTriggerValue("fold", number);
  };
  mark(frame, stage, data.chosen);
  // only elements with a tab index, set by `mark`, can regain the focus after a redraw
  if (frame.focused !== null) stage.querySelector(`#node${frame.focused}`)?.focus({ preventScroll: true });
  frame.focused = null;
  listenToKeys(frame, stage, choose, fold);
  listenToPointer(frame, stage, choose, fold);
  listenToClicks(stage, choose, fold);
  const buttons = parentElement.querySelectorAll(".tools button");
  const act = (change) => () => { const svg = stage.querySelector("svg"); if (svg) change(svg); };
  buttons[0].onclick = act((svg) => zoom(frame, svg, ZOOM));
  buttons[1].onclick = act((svg) => zoom(frame, svg, 1 / ZOOM));
  buttons[2].onclick = act((svg) => fitOrStart(frame, svg));
  buttons[3].onclick = () => (document.fullscreenElement ? document.exitFullscreen() : frame.requestFullscreen());
  return () => {
    clearTimeout(frame.settle);
    clearTimeout(frame.again);
  };
}

// Shows a drawing of a diagram; reports the node that is clicked or chosen by keyboard as the trigger 'choose'.
// Streamlit calls the default export again after every change of `data`; what must outlive a call hangs on the frame.

const ZOOM = 1.25;
const CLICK_PIXELS = 4;
const SETTLE_MILLISECONDS = 60;
// the questions beside the levels of a BDD are drawn as nodes, too
const NODES = "g.node:not(.level)";

function box(svg) {
  const { x, y, width, height } = svg.viewBox.baseVal;
  return { x, y, width, height };
}

function setBox(svg, b) {
  svg.setAttribute("viewBox", `${b.x} ${b.y} ${b.width} ${b.height}`);
}

function zoom(svg, factor, center) {
  const b = box(svg);
  const at = center ?? { x: b.x + b.width / 2, y: b.y + b.height / 2 };
  setBox(svg, {
    x: at.x - (at.x - b.x) / factor,
    y: at.y - (at.y - b.y) / factor,
    width: b.width / factor,
    height: b.height / factor,
  });
}

function pointIn(svg, event) {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
}

function nodeNumber(element) {
  const group = element?.closest?.("g.node");
  const found = group && /^node(\d+)$/.exec(group.id);
  return found ? Number(found[1]) : null;
}

// One finger or the mouse: a short press on a node chooses it, everything else moves the drawing.
function listenToPointer(stage, choose) {
  let from = null;
  stage.onpointerdown = (event) => {
    const svg = stage.querySelector("svg");
    if (!svg || event.button !== 0) return;
    from = { x: event.clientX, y: event.clientY, start: box(svg), node: nodeNumber(event.target), moved: false };
  };
  stage.onpointermove = (event) => {
    if (!from) return;
    const svg = stage.querySelector("svg");
    const dx = event.clientX - from.x, dy = event.clientY - from.y;
    if (!from.moved && Math.hypot(dx, dy) < CLICK_PIXELS) return;
    if (!from.moved) stage.setPointerCapture(event.pointerId);
    from.moved = true;
    stage.classList.add("moving");
    const scale = svg.getScreenCTM().a;
    setBox(svg, { ...box(svg), x: from.start.x - dx / scale, y: from.start.y - dy / scale });
  };
  const end = () => {
    if (from && !from.moved && from.node !== null) choose(from.node);
    from = null;
    stage.classList.remove("moving");
  };
  stage.onpointerup = end;
  stage.onpointercancel = () => { from = null; stage.classList.remove("moving"); };
  stage.onwheel = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const svg = stage.querySelector("svg");
    if (svg) zoom(svg, event.deltaY < 0 ? ZOOM : 1 / ZOOM, pointIn(svg, event));
  };
}

// In a tree arrow keys walk along the arcs: up to the parent, down to 'yes', left and right between its children.
function inTree(links, at, key) {
  const parent = links.findIndex((pair) => pair?.includes(at));
  if (key === "ArrowUp") return parent < 0 ? null : parent;
  if (key === "ArrowDown") return links[at]?.[0] ?? null;
  if (parent < 0 || (key !== "ArrowLeft" && key !== "ArrowRight")) return null;
  return links[parent][0] === at ? links[parent][1] : links[parent][0];
}

// Where nodes have several parents, up and down go to the level before and after, along an arc if there is one, and left
// and right along the level: so every node can be reached.
function inLevels(frame, stage, at, key) {
  const middle = (node) => { const b = stage.querySelector(`#node${node}`).getBBox(); return b.x + b.width / 2; };
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

// The arcs of all ways from the root to a node, unless the way of one case is drawn.
function markWays(frame, stage, chosen) {
  stage.querySelectorAll("g.edge.into").forEach((arc) => arc.classList.remove("into"));
  if (!frame.levels || chosen === null || stage.querySelector("g.edge.on-path")) return;
  const above = [chosen], seen = new Set(above);
  while (above.length) {
    const node = above.pop();
    frame.links.forEach((pair, parent) => pair?.forEach((child, side) => {
      if (child !== node) return;
      stage.querySelector(`#arc${parent}-${side ? "no" : "yes"}`)?.classList.add("into");
      if (!seen.has(parent)) { seen.add(parent); above.push(parent); }
    }));
  }
}

function listenToKeys(frame, stage, choose) {
  stage.onkeydown = (event) => {
    const at = nodeNumber(event.target);
    const svg = stage.querySelector("svg");
    if (event.key === "+" || event.key === "=") zoom(svg, ZOOM);
    else if (event.key === "-") zoom(svg, 1 / ZOOM);
    else if (event.key === "0") setBox(svg, frame.whole);
    else if (at === null) return;
    else if (event.key === "Enter" || event.key === " ") choose(at);
    else {
      const next = frame.levels ? inLevels(frame, stage, at, event.key) : inTree(frame.links, at, event.key);
      if (next === null) return;
      stage.querySelector(`#node${next}`)?.focus();
    }
    event.preventDefault();
  };
}

function mark(frame, stage, chosen) {
  frame.chosen = chosen;
  markWays(frame, stage, chosen);
  stage.querySelectorAll(NODES).forEach((group) => {
    const here = nodeNumber(group) === chosen;
    group.classList.toggle("chosen", here);
    group.setAttribute("aria-pressed", String(here));
    group.setAttribute("tabindex", here || (chosen === null && group.id === "node0") ? "0" : "-1");
  });
}

function draw(frame, stage, data) {
  const same = frame.svg === data.svg;
  if (same) return;
  const before = stage.querySelector("svg");
  const view = before && frame.name === data.name ? box(before) : null;
  stage.innerHTML = data.svg;
  const svg = stage.querySelector("svg");
  if (!svg) return;
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  svg.setAttribute("preserveAspectRatio", "xMidYMid meet");
  frame.svg = data.svg;
  frame.name = data.name;
  frame.whole = box(svg);
  if (view) setBox(svg, view);
  if (!data.interactive) return;
  stage.querySelectorAll(NODES).forEach((group) => group.setAttribute("role", "button"));
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const frame = parentElement.querySelector(".frame");
  const stage = parentElement.querySelector(".stage");
  frame.style.height = `${data.height}px`;
  frame.links = data.links;
  frame.levels = data.levels;
  draw(frame, stage, data);
  parentElement.querySelector(".hint").textContent = data.hint;
  const choose = (number) => {
    mark(frame, stage, number);
    stage.querySelector(`#node${number}`)?.focus({ preventScroll: true });
    clearTimeout(frame.settle);
    frame.settle = setTimeout(() => setTriggerValue("choose", number), SETTLE_MILLISECONDS);
  };
  if (data.interactive) {
    mark(frame, stage, data.chosen);
    listenToKeys(frame, stage, choose);
  }
  listenToPointer(stage, data.interactive ? choose : () => {});
  const buttons = parentElement.querySelectorAll(".tools button");
  const act = (change) => () => { const svg = stage.querySelector("svg"); if (svg) change(svg); };
  buttons[0].onclick = act((svg) => zoom(svg, ZOOM));
  buttons[1].onclick = act((svg) => zoom(svg, 1 / ZOOM));
  buttons[2].onclick = act((svg) => setBox(svg, frame.whole));
  buttons[3].onclick = () => (document.fullscreenElement ? document.exitFullscreen() : frame.requestFullscreen());
  return () => clearTimeout(frame.settle);
}

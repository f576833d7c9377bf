"""Unreadable parts of the drawings of a page, as the browser draws them."""

FAULTS = """() => {
  const LEAST = 10.95, LEAST_QUESTION = 11.95, SMALL_PRINT = 12, found = [], stages = [];
  const seek = (root) => root.querySelectorAll("*").forEach((element) => {
    if (element.shadowRoot) seek(element.shadowRoot);
    if (element.classList.contains("stage") && element.clientWidth) stages.push(element);
  });
  seek(document);
  stages.forEach((stage, number) => {
    const say = (fault, text) => found.push(`drawing ${number}, ${stage.clientWidth} wide: ${fault}: ${text}`);
    const svg = stage.querySelector("svg"), area = stage.getBoundingClientRect(), scale = svg?.getScreenCTM().a;
    const isText = (e) => !e.children.length && e.textContent.trim() && !["title", "desc"].includes(e.tagName);
    const boxes = [...stage.querySelectorAll("*")].filter(isText).map((element) => {
      const written = Number(element.getAttribute("font-size"));
      const size = svg ? written * scale : parseFloat(getComputedStyle(element).fontSize);
      const asks = svg ? written > SMALL_PRINT : element.tagName === "B";
      if (size < (asks ? LEAST_QUESTION : LEAST)) say(`${size.toFixed(2)} pixels`, element.textContent);
      const box = element.getBoundingClientRect();
      const outside = (frame) => box.left < frame.left - 1 || box.right > frame.right + 1;
      // a drawing that is higher than most of the window begins at its root, and is moved to see the rest
      const below = box.bottom > area.bottom + 1 && area.height < 0.7 * window.innerHeight;
      if (outside(area) || box.top < area.top - 1 || below) say("cut", element.textContent);
      const node = svg && element.closest(".node:not(.level)");
      const outline = node?.querySelector(":scope > path, :scope > polygon[fill=none]").getBoundingClientRect();
      if (outline && outside(outline)) say("out of its box", element.textContent);
      return { box, text: element.textContent };
    });
    boxes.forEach(({ box: a, text }, i) => boxes.slice(i + 1).forEach(({ box: b, text: other }) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      // lines that follow one another share the room above and below their letters
      if (wide > 1 && high > 4) say("over another", `${text} / ${other}`);
    }));
  });
  return found;
}"""
"""Returns a sentence per fault: text that is too small, over other text, or outside its box or its frame."""

PLOT_FAULTS = """() => {
  const LEAST = 10.95, found = [];
  document.querySelectorAll(".js-plotly-plot").forEach((plot) => {
    if (!plot.clientWidth) return;
    const area = plot.getBoundingClientRect();
    const name = plot.closest("[class*=st-key-]")?.className.match(/st-key-[^ ]+/)[0];
    const say = (fault, text) => found.push(`${name}, ${plot.clientWidth} wide: ${fault}: ${text}`);
    const shown = (e) => e.textContent.trim() && getComputedStyle(e).opacity !== "0" && e.checkVisibility();
    const texts = [...plot.querySelectorAll("svg text")].filter(shown).map((element) => {
      const box = element.getBoundingClientRect(), text = element.textContent.trim();
      const size = parseFloat(getComputedStyle(element).fontSize);
      if (size < LEAST) say(`${size.toFixed(2)} pixels`, text);
      const outside = box.left < area.left - 1 || box.right > area.right + 1;
      if (outside || box.top < area.top - 1 || box.bottom > area.bottom + 1) say("cut", text);
      return { box, text };
    });
    texts.forEach(({ box: a, text }, i) => texts.slice(i + 1).forEach(({ box: b, text: other }) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1 && high > 4) say("over another", `${text} / ${other}`);
    }));
  });
  return found;
}"""
"""Returns a sentence per fault: labels of a plot that are too small, overlapping, or outside the plot."""

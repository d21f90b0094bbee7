// The tree: which nodes are seen, their cards, and moving among them with pointer and keys.

/** What is shown, changed only by the functions below, which draw it again. */
const view = {
  mode: phone.matches ? "outline" : "down",
  zoom: 1,
  stage: 0,
  folded: new Set(),
  selected: 0,
  passed: new Map(), // the nodes that a row passes, with the part of it that comes there
  found: [],
};
const MARGIN = 24; // around the tree, as in the style
const ZOOMS = { least: 0.1, most: 2.5, step: 1.25, readable: 0.75 };

const viewport = byId("viewport");
const whole = byId("beyond"); // the button that offers it
const canvas = byId("canvas");
const edges = byId("edges");
const items = byId("items");
const made = new Map(); // elements of nodes, kept

const isPruned = (node) => tree.first[node] >= 0 && view.stage >= tree.closes[node];
const isLeafNow = (node) => tree.first[node] < 0 || view.stage >= tree.closes[node];
const isOpen = (node) => !isLeafNow(node) && !view.folded.has(node);

/** The nodes that are seen, each after its parent. */
function seenNodes() {
  const seen = [0];
  for (let i = 0; i < seen.length; i += 1) if (isOpen(seen[i])) seen.push(...childrenOf(seen[i]));
  return seen.sort((a, b) => a - b);
}

let size = null; // the layout that is shown

const layoutOf = (seen, mode) => layOut(seen, isOpen, mode, viewport.clientWidth - 2 * MARGIN);

function drawTree() {
  const seen = seenNodes();
  const layout = layoutOf(seen, view.mode);
  items.className = view.mode;
  viewport.dataset.mode = view.mode;
  const order = inDepth(seen);
  if (!order.includes(view.selected)) view.selected = pathTo(view.selected).findLast((node) => order.includes(node)) ?? 0;
  items.replaceChildren(...order.map((node) => placed(node, layout)));
  drawEdges(seen, layout.at);
  size = layout;
  applyZoom();
}

/** The element of a node, at its place. */
function placed(node, { at, width }) {
  const element = made.get(node) ?? card(node);
  made.set(node, element);
  const { x, y } = at.get(node);
  element.style.translate = `${x}px ${y}px`;
  element.style.width = view.mode === "outline" ? `${width - x}px` : "";
  element.classList.toggle("lit", view.passed.has(node));
  element.classList.toggle("found", view.found.includes(node));
  element.setAttribute("aria-selected", String(node === view.selected));
  element.tabIndex = node === view.selected ? 0 : -1;
  const inner = !isLeafNow(node);
  element.classList.toggle("leaf", !inner);
  element.querySelector(".title").textContent = inner ? featureName(tree.feature[node]) : prediction(node);
  const note = element.querySelector(".note");
  const isCut = !inner && !isPruned(node) && tree.below[node] > 0; // what is below is not in this report
  note.hidden = !inner && !isPruned(node) && !isCut;
  const hidden = view.mode === "outline" ? `+${tree.below[node]}` : say("hidden", { n: tree.below[node] });
  note.textContent = isOpen(node) ? "−" : inner || isCut ? hidden : words.prunedHere;
  // Beside a note there is no room for a weight.
  const count = note.hidden || isOpen(node) ? countText(node) : rowsText(tree.rows[node]);
  // In parts, so that a list without room leaves a figure out instead of some of its digits.
  element.querySelector(".figures").replaceChildren(...count.split(/(?=, |，)/).map((part) => make("span", {}, part)));
  note.title = inner ? words[isOpen(node) ? "close" : "open"] : "";
  if (inner) element.setAttribute("aria-expanded", String(isOpen(node)));
  else element.removeAttribute("aria-expanded");
  return element;
}

/** The element of a node: the answer that leads to it, and its card. */
function card(node) {
  const parent = tree.parent[node];
  const reply = parent < 0 ? "" : tree.reply[node];
  const at = parent < 0 ? [1, 1] : [node - tree.first[parent] + 1, tree.branches[parent]];
  const face = make(
    "span",
    { class: "card" },
    make("span", { class: "title" }),
    make("span", { class: "figures" }),
    tree.rows[node] ? shareBar(node) : null,
    make("span", { class: "note" }),
  );
  const element = make(
    "div",
    {
      role: "treeitem",
      id: `node-${node}`,
      class: "node",
      "aria-level": depthOf(node) + 1,
      "aria-posinset": at[0],
      "aria-setsize": at[1],
    },
    make("span", { class: "reply", title: parent < 0 ? null : tree.condition[node] }, reply),
    face,
  );
  if (tree.task === "class") element.classList.add(colour(tree.value[node]));
  else element.style.setProperty("--k", `color-mix(in srgb, var(--high) ${100 * levelOf(node)}%, var(--low))`);
  return element;
}

function drawEdges(seen, at) {
  const lines = [];
  for (const node of seen) {
    if (tree.parent[node] < 0) continue;
    const lit = view.passed.has(node);
    lines.push([lit, draw("path", { d: edge(at.get(tree.parent[node]), at.get(node)), class: lit ? "lit" : null })]);
  }
  lines.sort((a, b) => a[0] - b[0]); // the path of the row on top
  edges.replaceChildren(...lines.map(([, line]) => line));
}

/** The line from one card to another, as the path of an SVG. */
function edge(from, to) {
  if (view.mode === "outline") {
    const x = from.x + 9;
    const line = lineHeight();
    return `M${x} ${from.y + line - 3} V${to.y + line - 17} H${to.x + 2}`; // to the middle of the card, which ends the line
  }
  if (view.mode === "right") {
    const [x1, y1] = [from.x + CARD.width, from.y + CARD.label + CARD.height / 2];
    const [x2, y2] = [to.x, to.y + CARD.label + CARD.height / 2];
    return `M${x1} ${y1} C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`;
  }
  const [x1, y1] = [from.x + CARD.width / 2, from.y + CARD.label + CARD.height];
  const [x2, y2] = [to.x + CARD.width / 2, to.y + 2];
  return `M${x1} ${y1} C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`;
}

// --- size ------------------------------------------------------------------------------------------------------------

function applyZoom() {
  const zoom = view.mode === "outline" ? 1 : view.zoom;
  const [width, height] = [size.width + 2 * MARGIN, size.height + 2 * MARGIN];
  for (const [element, times] of [[canvas, 1], [byId("room"), zoom]]) {
    element.style.width = `${width * times}px`;
    element.style.height = `${height * times}px`;
  }
  canvas.style.scale = String(zoom);
  edges.setAttribute("width", width);
  edges.setAttribute("height", height);
  byId("zoom-now").textContent = percent(zoom);
  byId("zoom").hidden = view.mode === "outline";
}

/** Offer to show the whole tree where a part of it is out of sight; a list is scrolled without being told to. */
function offerWhole() {
  const isWhole = viewport.scrollWidth <= viewport.clientWidth + 1 && viewport.scrollHeight <= viewport.clientHeight + 1;
  whole.hidden = isWhole || view.mode === "outline";
}
for (const taken of ["pointerdown", "wheel", "keydown"]) viewport.addEventListener(taken, () => (whole.hidden = true));

/** Change the size, so that the point (x, y) of the viewport stays where it is. */
function zoomTo(zoom, x = viewport.clientWidth / 2, y = viewport.clientHeight / 2) {
  const before = view.zoom;
  view.zoom = Math.min(ZOOMS.most, Math.max(ZOOMS.least, zoom));
  const [left, top] = [viewport.scrollLeft + x, viewport.scrollTop + y];
  applyZoom();
  whole.hidden = true;
  viewport.scrollTo((left * view.zoom) / before - x, (top * view.zoom) / before - y);
}

/** How large a layout may be drawn to be seen as a whole, 1 at most. */
function wholeZoom({ width, height }) {
  const room = parseFloat(getComputedStyle(viewport).maxHeight);
  return Math.min(1, viewport.clientWidth / (width + 2 * MARGIN), room / (height + 2 * MARGIN));
}

/** Make the whole tree fit, but no larger than it is drawn, and no smaller than `least`; the root is in sight. */
function fit(least = ZOOMS.least) {
  zoomTo(Math.max(least, wholeZoom(size)), 0, 0);
  const { x, y } = size.at.get(0);
  const middle = (at, breadth) => (at + MARGIN + breadth / 2) * view.zoom;
  const across = view.mode === "right";
  viewport.scrollTo(
    across ? 0 : middle(x, CARD.width) - viewport.clientWidth / 2,
    across ? middle(y, CARD.height) - viewport.clientHeight / 2 : 0,
  );
  offerWhole();
}

/**
 * Begin with what can be read and is seen as a whole: as many levels as there is room for, downwards or to the right, at
 * least the root and its answers.
 */
function openReadable() {
  const deepest = Math.max(1, ...tree.first.map((first, node) => (first < 0 ? 0 : depthOf(node) + 1)));
  const modes = view.mode === "outline" ? ["outline"] : ["down", "right"];
  let best = { levels: 0, zoom: 0 };
  for (const mode of modes) {
    const enough = mode === "outline" ? 1 : ZOOMS.readable;
    for (let levels = 1; levels <= deepest; levels += 1) {
      foldBelow(levels);
      const zoom = Math.min(enough, wholeZoom(layoutOf(seenNodes(), mode)));
      if (levels > 1 && zoom < enough) break;
      if (levels > best.levels || (levels === best.levels && zoom > best.zoom)) best = { mode, levels, zoom };
    }
  }
  view.mode = best.mode;
  foldBelow(best.levels);
  markMode();
  drawTree();
  fit(ZOOMS.readable);
}

function foldBelow(levels) {
  view.folded = new Set(tree.first.flatMap((first, node) => (first >= 0 && depthOf(node) >= levels ? [node] : [])));
}

function show(node) {
  for (const above of pathTo(node).slice(0, -1)) view.folded.delete(above);
}

/** Bring a node into sight, without moving the page. */
function scrollToNode(node) {
  whole.hidden = true;
  const [box, frame] = [made.get(node).getBoundingClientRect(), viewport.getBoundingClientRect()];
  const beyond = (low, high, least, most) => (low < least ? low - least : high > most ? Math.min(high - most, low - least) : 0);
  viewport.scrollBy(
    beyond(box.left - MARGIN, box.right + MARGIN, frame.left, frame.left + viewport.clientWidth),
    beyond(box.top - MARGIN, box.bottom + MARGIN, frame.top, frame.top + viewport.clientHeight),
  );
}

// --- choosing --------------------------------------------------------------------------------------------------------

/** Select a node, opening what hides it; `focus`: whether the keyboard goes there. */
function select(node, focus = true) {
  show(node);
  view.selected = node;
  drawTree();
  showNode(view.selected);
  if (focus) made.get(view.selected).focus({ preventScroll: true });
  scrollToNode(view.selected);
}

function toggle(node) {
  if (isLeafNow(node)) return;
  if (view.folded.has(node)) view.folded.delete(node);
  else view.folded.add(node);
  select(node);
}

items.addEventListener("click", (event) => {
  const element = event.target.closest("[role=treeitem]");
  if (!element || dragged) return;
  const node = Number(element.id.slice(5));
  if (event.target.closest(".note") && !isLeafNow(node)) toggle(node);
  else select(node);
});
items.addEventListener("dblclick", (event) => {
  const element = event.target.closest("[role=treeitem]");
  if (element) toggle(Number(element.id.slice(5)));
});

/** The keys of a tree, as the ARIA Authoring Practices have them. */
items.addEventListener("keydown", (event) => {
  const node = view.selected;
  const order = inDepth(seenNodes());
  const at = order.indexOf(node);
  const go = {
    ArrowDown: () => select(order[Math.min(at + 1, order.length - 1)]),
    ArrowUp: () => select(order[Math.max(at - 1, 0)]),
    ArrowRight: () => (isOpen(node) ? select(tree.first[node]) : toggle(node)),
    ArrowLeft: () => (isOpen(node) ? toggle(node) : node > 0 && select(tree.parent[node])),
    Home: () => select(0),
    End: () => select(order.at(-1)),
    Enter: () => toggle(node),
    " ": () => toggle(node),
    "+": () => zoomTo(view.zoom * ZOOMS.step),
    "-": () => zoomTo(view.zoom / ZOOMS.step),
    0: () => fit(),
  }[event.key];
  if (!go || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  go();
});

// --- moving with the pointer -----------------------------------------------------------------------------------------

let dragged = false;
viewport.addEventListener("pointerdown", (event) => {
  if (event.button !== 0 || event.pointerType !== "mouse") return; // fingers scroll
  const from = { x: event.clientX, y: event.clientY, left: viewport.scrollLeft, top: viewport.scrollTop };
  dragged = false;
  const move = (now) => {
    const [dx, dy] = [now.clientX - from.x, now.clientY - from.y];
    if (!dragged && Math.hypot(dx, dy) < 5) return;
    dragged = true;
    viewport.classList.add("dragging");
    viewport.scrollTo(from.left - dx, from.top - dy);
  };
  const end = () => {
    viewport.classList.remove("dragging");
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
});
viewport.addEventListener(
  "wheel",
  (event) => {
    if (!(event.ctrlKey || event.metaKey)) return; // pinching a trackpad comes as ctrl and wheel
    event.preventDefault();
    const box = viewport.getBoundingClientRect();
    zoomTo(view.zoom * Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
  },
  { passive: false },
);

// One finger scrolls, which the browser does by itself; two change the size about the point between them.
let fingers = null;
viewport.addEventListener(
  "touchmove",
  (event) => {
    if (event.touches.length !== 2 || view.mode === "outline") return;
    if (event.cancelable) event.preventDefault();
    const before = fingers;
    fingers = between(...event.touches);
    if (!before) return;
    zoomTo((view.zoom * fingers.apart) / before.apart, fingers.x, fingers.y);
    viewport.scrollBy(before.x - fingers.x, before.y - fingers.y);
  },
  { passive: false },
);
for (const change of ["touchstart", "touchend", "touchcancel"]) viewport.addEventListener(change, () => (fingers = null));

/** The point between two fingers, within the viewport, and how far they are apart. */
function between(a, b) {
  const box = viewport.getBoundingClientRect();
  return {
    x: (a.clientX + b.clientX) / 2 - box.left,
    y: (a.clientY + b.clientY) / 2 - box.top,
    apart: Math.max(1, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY)),
  };
}

// --- the bar above ---------------------------------------------------------------------------------------------------

const onClick = (id, act) => byId(id).addEventListener("click", act);
onClick("zoom-in", () => zoomTo(view.zoom * ZOOMS.step));
onClick("zoom-out", () => zoomTo(view.zoom / ZOOMS.step));
onClick("zoom-fit", () => fit());
whole.addEventListener("click", () => {
  fit();
  byId("zoom-fit").focus();
});
onClick("open-all", () => {
  view.folded.clear();
  select(view.selected, false);
  offerWhole();
});
onClick("close-all", () => {
  foldBelow(1);
  select(0, false);
});
const choices = document.querySelectorAll("input[name=mode]");
function markMode() {
  for (const choice of choices) choice.checked = choice.value === view.mode;
}
for (const choice of choices) {
  choice.addEventListener("change", () => {
    view.mode = choice.value;
    view.zoom = 1;
    drawTree();
    fit(ZOOMS.readable);
    if (view.selected > 0) scrollToNode(view.selected);
  });
}

// --- searching -------------------------------------------------------------------------------------------------------

const search = byId("search");
/** All nodes whose question, answer or condition holds the text, whatever its case. */
function matches(text) {
  const wanted = text.trim().toLocaleLowerCase();
  if (!wanted) return [];
  const holds = (node) =>
    [isLeafNow(node) ? prediction(node) : featureName(tree.feature[node]), tree.condition[node]].some((shown) =>
      shown.toLocaleLowerCase().includes(wanted),
    );
  return tree.first.flatMap((_, node) => (!pathTo(node).slice(0, -1).some(isLeafNow) && holds(node) ? [node] : []));
}

function find(step) {
  const found = view.found;
  const now = found.indexOf(view.selected);
  const at = (now + step + found.length) % found.length;
  byId("found").textContent = found.length ? say("matches", { i: at + 1, n: found.length }) : search.value && words.noMatch;
  if (found.length) select(found[now < 0 && step > 0 ? 0 : at], false);
  else drawTree();
}
search.addEventListener("input", () => {
  view.found = matches(search.value);
  if (view.found.length && !view.found.includes(view.selected)) view.selected = view.found[0];
  find(0);
});
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && view.found.length) find(event.shiftKey ? -1 : 1);
});

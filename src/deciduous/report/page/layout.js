// Where cards go. All cards are of one size, so that places are counted in slots: trees are packed by their outlines.

const CARD = { width: 168, height: 62, label: 22, gap: 18, family: 18, level: 30, reach: 360 };
const LINE = { indent: 18, least: 200 };
const phone = matchMedia("(max-width: 700px)");
/** The height of a line of a list: on a phone the answer stands above the card, beside it there is no room. */
const lineHeight = () => (phone.matches ? 44 : 34);

/**
 * The places of the nodes that are seen, by node, and the size of the whole: {at: Map, width, height}. `room`: how wide
 * a list may be without being moved sideways.
 */
function layOut(seen, isOpen, mode, room) {
  if (mode === "outline") return outline(seen, room);
  const breadth = packed(seen, isOpen);
  const across = mode === "right";
  const step = across
    ? { breadth: CARD.label + CARD.height + 12, depth: CARD.width, gap: 44 }
    : { breadth: CARD.width + CARD.gap, depth: CARD.label + CARD.height, gap: CARD.level };
  const depth = levels(seen, breadth, step);
  const at = new Map();
  let most = 0;
  for (const node of seen) {
    const [b, d] = [breadth.get(node) * step.breadth, depth[depthOf(node)]];
    at.set(node, across ? { x: d, y: b } : { x: b, y: d });
    most = Math.max(most, b);
  }
  const [right, down] = across ? [depth.at(-1), most] : [most, depth.at(-1)];
  return { at, width: right + CARD.width, height: down + CARD.label + CARD.height };
}

/** Where levels begin. The gap above a level is deeper where edges run far across: up to four times. */
function levels(seen, breadth, step) {
  const reach = [];
  for (const node of seen) {
    const across = node ? Math.abs(breadth.get(node) - breadth.get(tree.parent[node])) * step.breadth : 0;
    reach[depthOf(node)] = Math.max(reach[depthOf(node)] ?? 0, across);
  }
  const begins = [0];
  for (const far of reach.slice(1)) {
    begins.push(begins.at(-1) + step.depth + step.gap * Math.min(4, Math.max(1, far / CARD.reach)));
  }
  return begins;
}

/** A line a node, each further in than the one above it, and all ending at the right. */
function outline(seen, room) {
  const at = new Map();
  inDepth(seen).forEach((node, i) => at.set(node, { x: depthOf(node) * LINE.indent, y: i * lineHeight() }));
  const deepest = Math.max(...seen.map(depthOf));
  return { at, width: Math.max(room, deepest * LINE.indent + LINE.least), height: seen.length * lineHeight() };
}

/** The nodes seen in the order of a walk in depth. */
function inDepth(seen) {
  const there = new Set(seen);
  const order = [];
  const pending = [0];
  while (pending.length) {
    const node = pending.pop();
    order.push(node);
    for (let b = tree.branches[node] - 1; b >= 0; b -= 1) {
      if (there.has(tree.first[node] + b)) pending.push(tree.first[node] + b);
    }
  }
  return order;
}

/** The place of each node across the levels, in slots: children beside each other, parents in the middle above. */
function packed(seen, isOpen) {
  const outlines = new Map();
  const offset = new Map([[0, 0]]);
  for (const node of [...seen].reverse()) {
    // Nodes come after their parents, so that here children come first.
    const children = isOpen(node) ? childrenOf(node) : [];
    const [left, right] = [[], []]; // of all children, by level
    const place = [];
    for (const child of children) {
      const own = outlines.get(child);
      let shift = 0;
      for (let level = 0; level < Math.min(right.length, own.left.length); level += 1) {
        const room = level === 0 ? 1 : 1 + CARD.family / CARD.width;
        shift = Math.max(shift, right[level] + room - own.left[level]);
      }
      place.push(shift);
      own.left.forEach((x, level) => {
        if (level >= left.length) left.push(x + shift);
        right[level] = own.right[level] + shift;
      });
      outlines.delete(child);
    }
    const middle = children.length ? (place[0] + place.at(-1)) / 2 : 0;
    children.forEach((child, i) => offset.set(child, place[i] - middle));
    outlines.set(node, {
      left: [0, ...left.map((x) => x - middle)],
      right: [0, ...right.map((x) => x - middle)],
    });
  }
  const least = Math.min(...outlines.get(0).left);
  const breadth = new Map();
  for (const node of seen) {
    breadth.set(node, node === 0 ? -least : breadth.get(tree.parent[node]) + offset.get(node));
  }
  return breadth;
}

const childrenOf = (node) =>
  tree.first[node] < 0 ? [] : Array.from({ length: tree.branches[node] }, (_, b) => tree.first[node] + b);

const depths = [];
for (const parent of tree.parent) depths.push(parent < 0 ? 0 : depths[parent] + 1);
const depthOf = (node) => depths[node];

/** The nodes from the root to a node. */
function pathTo(node) {
  const path = [];
  for (let at = node; at >= 0; at = tree.parent[at]) path.unshift(at);
  return path;
}

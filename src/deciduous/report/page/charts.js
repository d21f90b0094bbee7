// Small charts of rows: histograms of numbers, bars of categories. A series is a class, or a branch of the question.

const HISTOGRAM = { width: 320, height: 88, axis: 18 };

/** The chart of a column, or of the target: `title` says what it shows; `marks` are drawn as lines: [{value, text}]. */
function chartOf(data, title, marks = []) {
  const caption = make("figcaption", {}, title);
  if (data.missing) caption.append(make("span", { class: "muted" }, ` · ${say("missingCells", { n: data.missing })}`));
  if (!data.counts) return make("figure", { class: "chart" }, caption);
  const body = data.names ? bars(data) : histogram(data, title, marks);
  return make("figure", { class: "chart" }, caption, body);
}

const totals = (data) => data.counts[0].map((_, i) => data.counts.reduce((sum, series) => sum + series[i], 0));

/** Where the bars of numbers begin and end; one of the edges is where the question cuts them. */
function edgesOf(data, n) {
  const between = (low, high, parts) => Array.from({ length: parts }, (_, i) => low + (i * (high - low)) / parts);
  if (data.cut === undefined) return [...between(data.low, data.high, n), data.high];
  return [...between(data.low, data.cut, data.left), ...between(data.cut, data.high, n - data.left), data.high];
}

function histogram(data, title, marks) {
  const { width, height, axis } = HISTOGRAM;
  const sums = totals(data);
  const edges = edgesOf(data, sums.length);
  const span = data.high - data.low || 1;
  const at = (value) => (data.high > data.low ? ((value - data.low) / span) * width : value === data.low ? 0 : width);
  const place = (i) => (sums.length === 1 ? [0, 24] : [at(edges[i]), at(edges[i + 1])]);
  const breadth = (i) => Math.max(place(i)[1] - place(i)[0], 1);
  const most = Math.max(...sums.map((sum, i) => sum / breadth(i)), 1e-9); // a bar is as large as its rows are many
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height + axis}`, role: "img", "aria-label": title });
  sums.forEach((sum, i) => {
    const words = say("between", { low: figure(edges[i], 3), high: figure(edges[i + 1], 3), n: sum });
    const column = draw("g", {}, draw("title", {}, words));
    let top = height;
    data.counts.forEach((series, s) => {
      const part = (series[i] / breadth(i) / most) * (height - 4);
      top -= part;
      if (!part) return;
      const box = { x: place(i)[0] + 0.5, y: top, width: Math.max(1, breadth(i) - 1), height: part };
      column.append(draw("rect", { ...box, class: colour(data.series[s]) }));
    });
    svg.append(column);
  });
  svg.append(draw("line", { x1: 0, x2: width, y1: height, y2: height, class: "axis" }));
  for (const { value, text } of marks) {
    const x = Math.min(width - 1, Math.max(1, at(Math.min(data.high, Math.max(data.low, value)))));
    svg.append(draw("line", { x1: x, x2: x, y1: 0, y2: height, class: "mark" }, draw("title", {}, text)));
  }
  const base = height + axis - 5;
  svg.append(draw("text", { x: 0, y: base }, figure(data.low, 4)));
  if (data.high > data.low) svg.append(draw("text", { x: width, y: base, "text-anchor": "end" }, figure(data.high, 4)));
  return svg;
}

function bars(data) {
  const sums = totals(data);
  const most = Math.max(...sums, 1);
  const list = make("ul", { class: "bars" });
  data.names.forEach((code, i) => {
    const name = code < 0 ? words.otherCategories : nameOf(tree.features[data.feature].categories[code]);
    const bar = make("span", { class: "track", "aria-hidden": "true" });
    data.counts.forEach((series, s) => {
      if (!series[i]) return;
      const part = make("span", { class: colour(data.series[s]) });
      part.style.width = `${(100 * series[i]) / most}%`;
      bar.append(part);
    });
    list.append(
      make("li", {}, make("span", { class: "name", title: name }, name), bar, make("span", { class: "count" }, String(sums[i]))),
    );
  });
  return list;
}

/** The bar of the shares of classes of a node, or where its number lies among all. */
function shareBar(node) {
  const bar = make("span", { class: "share", "aria-hidden": "true" });
  if (tree.task === "number") {
    bar.classList.add("level");
    const knob = make("span", { class: "knob" });
    knob.style.left = `${100 * levelOf(node)}%`;
    bar.append(knob);
    return bar;
  }
  const total = tree.weights[node].reduce((a, b) => a + b, 0);
  tree.codes[node].forEach((code, i) => {
    const part = make("span", { class: colour(code) });
    part.style.width = `${(100 * tree.weights[node][i]) / total}%`;
    bar.append(part);
  });
  return bar;
}

const [leastValue, mostValue] = tree.value.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
const levelOf = (node) => (mostValue > leastValue ? (tree.value[node] - leastValue) / (mostValue - leastValue) : 0.5);

for (const place of document.querySelectorAll("[data-column]")) {
  const data = report.columns[place.dataset.column];
  if (data) place.append(chartOf(data, featureName(data.feature)));
}

// The panel beside the tree: the rule that leads to a node, its rows, and its working.

const panel = byId("node");

function showNode(node) {
  const inner = !isLeafNow(node);
  const number = tree.number[node];
  const heading = inner
    ? say("asks", { n: number, feature: featureName(tree.feature[node]) })
    : say("answers", { n: number, answer: prediction(node) });
  panel.replaceChildren(
    make("h3", { id: "node-heading" }, heading),
    make("p", { class: "muted" }, countText(node), inner ? "" : make("br"), inner ? "" : reasonOf(node)),
    ruleOf(node, inner),
    ...(tree.task === "class" ? [classTable(node)] : [numberTable(node)]),
    ...(inner ? [branchList(node)] : []),
    ...rowCharts(node, inner),
    workingOf(number),
  );
}

function reasonOf(node) {
  if (isPruned(node)) return words.prunedHere;
  const reason = tree.reasons[tree.reason[node]];
  return reason ? say("leafBecause", { reason }) : "";
}

/** If ..., and ...: the conditions on the way; then what a leaf answers. */
function ruleOf(node, inner) {
  const path = pathTo(node).slice(1);
  const list = make("ol", { class: "rule" });
  path.forEach((at, i) =>
    list.append(make("li", {}, make("b", {}, i ? words.and : words.if), " ", linkTo(tree.parent[at], tree.condition[at]))),
  );
  if (!path.length) list.append(make("li", { class: "muted" }, words.allRows));
  if (!inner) list.append(make("li", {}, make("b", {}, say("then", { answer: prediction(node) }))));
  return list;
}

/** A button that leads to a node. */
function linkTo(node, text) {
  return make("button", { type: "button", class: "link", on: { click: () => select(node, false) } }, text);
}

const MOST_CLASSES = 8;

function classTable(node) {
  const total = tree.weights[node].reduce((a, b) => a + b, 0);
  const lines = tree.codes[node].map((code, i) => ({ code, weight: tree.weights[node][i] }));
  lines.sort((a, b) => b.weight - a.weight);
  const rest = lines.splice(MOST_CLASSES);
  if (rest.length) lines.push({ code: -1, weight: rest.reduce((sum, line) => sum + line.weight, 0) });
  const body = lines.map(({ code, weight }) => {
    const name = code < 0 ? words.restOfClasses : nameOf(tree.classes[code]);
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, make("span", { class: `swatch ${colour(code)}`, "aria-hidden": "true" }), name),
      make("td", {}, figure(weight)),
      make("td", {}, percent(weight / total)),
    );
  });
  const head = [words.class, words.trainingRows, words.share].map((text) => make("th", { scope: "col" }, text));
  return make("table", { class: "figures" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
}

function numberTable(node) {
  const line = (name, text) => make("div", {}, make("dt", {}, name), make("dd", {}, text));
  const list = make("dl", { class: "figures" }, line(words.answer, figure(tree.value[node])));
  if (tree.rows[node] && tree.impurity[node] !== null) list.append(line(words.impurity, figure(tree.impurity[node])));
  return list;
}

/** The branches of a question, each a way to its node; for numbers with the colours that their rows have in the charts. */
function branchList(node) {
  const lines = childrenOf(node).map((child, b) => {
    const swatch = tree.task === "number" ? make("span", { class: `swatch ${colour(b)}`, "aria-hidden": "true" }) : null;
    const rows = make("span", { class: "muted" }, ` · ${countText(child)}`);
    return make("li", {}, swatch, linkTo(child, tree.condition[child]), rows);
  });
  return make("ul", { class: "branches" }, ...lines);
}

function rowCharts(node, inner) {
  const data = report.distributions[tree.number[node]];
  if (!data) return [];
  if (!data.rows) return [make("p", { class: "muted" }, words.noData)];
  const charts = [];
  if (data.column && inner) {
    const name = featureName(data.column.feature);
    const threshold = tree.kind[node] === THRESHOLD ? tree.threshold[node] : null;
    const marks = threshold === null || data.column.names ? [] : [{ value: threshold, text: say("threshold", { value: figure(threshold) }) }];
    charts.push(chartOf(data.column, say("columnHere", { feature: name, n: data.rows }), marks));
  }
  if (data.target) charts.push(chartOf(data.target, say("targetHere", { target: tree.target, n: data.rows })));
  return charts;
}

/** The working of a node, which the page holds as a template. */
function workingOf(number) {
  const template = byId(`working-${number}`);
  if (!template) return make("p", { class: "muted" }, words.noWorking);
  const summary = byId("working-word").textContent;
  return make(
    "details",
    { class: "working" },
    make("summary", {}, summary),
    make("div", { tabindex: 0, role: "region", "aria-label": summary }, template.content.cloneNode(true)),
  );
}

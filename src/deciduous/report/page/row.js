// Following a row: cells that are typed, or those of a row that is picked; the path in the tree and in words.

const form = byId("row");
const said = byId("row-says");
const NEVER_SEEN = "unseen";
const NO_CELL = "missing";
const DECIMAL = /^[+\-−]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

const inputs = tree.used.map((feature) => ({ feature, input: inputOf(feature) }));
for (const { feature, input } of inputs) {
  input.id = `cell-${feature}`;
  byId("cells").append(make("div", {}, make("label", { for: input.id }, featureName(feature)), input));
}

byId("cells").parentElement.hidden = !inputs.length;

/** Where the cell of a column is given: a number is typed, a category chosen. */
function inputOf(feature) {
  const { kind, categories } = tree.features[feature];
  if (kind === "numeric") {
    return make("input", { type: "text", inputmode: "decimal", autocomplete: "off", placeholder: words.missingCell });
  }
  const options = categories.map((name, code) => make("option", { value: code }, nameOf(name)));
  return make(
    "select",
    {},
    make("option", { value: NO_CELL }, words.missingCell),
    ...options,
    make("option", { value: NEVER_SEEN }, words.neverSeen),
  );
}

/** The cell that an input holds, as the walk takes it; an Error where it is no number. */
function cellOf({ feature, input }) {
  if (!isNumeric(feature)) {
    return input.value === NO_CELL ? MISSING : input.value === NEVER_SEEN ? UNSEEN : Number(input.value);
  }
  const text = input.value.trim();
  if (text === "") return null;
  const cell = Number(text.replace("−", "-"));
  if (!DECIMAL.test(text) || !Number.isFinite(cell)) {
    throw new Error(say("notNumber", { feature: featureName(feature), cell: text }));
  }
  return cell;
}

/** Put the cells of a row into the inputs. */
function fill(cells) {
  inputs.forEach(({ feature, input }, i) => {
    if (isNumeric(feature)) input.value = cells[i] === null ? "" : String(cells[i]);
    else input.value = cells[i] === MISSING ? NO_CELL : cells[i] < MISSING ? NEVER_SEEN : String(cells[i]);
  });
}

/** A row by columns; an Error for cells that the tree refuses. */
function typedRow() {
  const cells = tree.features.map(() => null);
  for (const one of inputs) {
    const cell = cellOf(one);
    const feature = featureName(one.feature);
    const missing = isNumeric(one.feature) ? cell === null : cell === MISSING;
    if (missing && tree.missing === "error") throw new Error(say("missingRefused", { feature }));
    if (cell === UNSEEN && tree.unseen === "error" && !isNumeric(one.feature)) throw new Error(say("unseenRefused", { feature }));
    cells[one.feature] = cell;
  }
  return cells;
}

/** Follow the row that the inputs hold; `truth`: its target, where it is a row of the table. */
function follow(truth = null) {
  let cells;
  try {
    cells = typedRow();
  } catch (error) {
    view.passed = new Map();
    said.replaceChildren(make("p", { class: "wrong" }, error.message));
    drawTree();
    return;
  }
  const { ends, steps } = walk(cells, isLeafNow);
  view.passed = new Map(steps.map((step) => [step.node, step.weight]));
  const largest = ends.reduce((a, b) => (b.weight > a.weight + 1e-12 ? b : a));
  const answer = answerOf(ends);
  said.replaceChildren(
    make("p", { class: "answer" }, answerText(answer)),
    ...(view.stage ? [make("p", { class: "muted" }, say("answerAt", { n: stages.n_leaves[view.stage] }))] : []),
    ...(truth === null ? [] : [truthText(answer, truth)]),
    make("ol", { class: "path" }, ...steps.map((step) => stepText(step, cells))),
    ...(tree.first[largest.node] < 0 && tree.below[largest.node] ? [make("p", { class: "wrong" }, words.beyond)] : []),
  );
  for (const step of steps) show(step.node);
  view.selected = largest.node;
  drawTree();
  showNode(view.selected);
  scrollToNode(largest.node);
}

function answerText({ value, shares }) {
  if (shares === null) return say("answerIs", { answer: figure(value) });
  const answer = `${nameOf(tree.classes[value])} (${percent(shares[value])})`;
  return say("answerIs", { answer });
}

function truthText({ value }, truth) {
  if (tree.task === "number") {
    const away = say("truthNumber", { truth: figure(truth), difference: figure(Math.abs(value - truth)) });
    return make("p", {}, away);
  }
  if (truth < 0) return make("p", { class: "wrong" }, words.truthUnknown);
  const right = truth === value;
  const text = say(right ? "truthRight" : "truthWrong", { truth: nameOf(tree.classes[truth]) });
  return make("p", { class: right ? "correct" : "wrong" }, text);
}

/** A step of the path: the answer to the question, or why there is none; how much of the row comes here. */
function stepText({ node, weight, branch, surrogate }, cells) {
  const part = weight < 1 ? make("span", { class: "muted" }, ` · ${say("part", { share: percent(weight) })}`) : null;
  if (branch === null) return make("li", {}, linkTo(node, prediction(node)), part);
  const feature = featureName(tree.feature[node]);
  const line = make("li", {});
  if (branch === UNSEEN) line.append(linkTo(node, say("stopsUnseen", { feature })));
  else if (branch === MISSING) line.append(linkTo(node, missingText(node, feature)));
  else if (surrogate !== null) {
    line.append(linkTo(node, say("bySurrogate", { feature, surrogate: featureName(surrogate) })));
  } else {
    const child = tree.first[node] + branch;
    line.append(linkTo(node, tree.condition[child]), make("span", { class: "muted" }, cellText(tree.feature[node], cells)));
  }
  if (part) line.append(part);
  return line;
}

function missingText(node, feature) {
  const ways = sharesOf(node).length;
  return say(ways === 0 ? "stopsMissing" : ways === 1 ? "isMissing" : "inParts", { feature });
}

function cellText(feature, cells) {
  const cell = cells[feature];
  if (isNumeric(feature)) return cell === null ? "" : ` · ${cell}`;
  return cell >= 0 ? ` · ${nameOf(tree.features[feature].categories[cell])}` : "";
}

// --- rows of the table -----------------------------------------------------------------------------------------------

const { rows } = report;
const picker = byId("pick");
rows.number.forEach((number, i) => {
  const label = rows.label === null ? "" : ` · ${rows.label[i]}`;
  picker.append(make("option", { value: i }, say("rowOf", { n: number }) + label));
});

function pick(i) {
  picker.value = String(i);
  fill(rows.cells[i]);
  follow(rows.truth[i]);
}

/** What is followed now: a row of the table, or what was typed. */
const again = () => (picker.value === "" ? follow() : follow(rows.truth[Number(picker.value)]));

picker.addEventListener("change", () => picker.value !== "" && pick(Number(picker.value)));
const step = (by) => pick(picker.value === "" ? 0 : (Number(picker.value) + by + rows.number.length) % rows.number.length);
onClick("pick-before", () => step(-1));
onClick("pick-next", () => step(1));
form.addEventListener("submit", (event) => event.preventDefault());
byId("cells").addEventListener("input", () => {
  picker.value = "";
  follow();
});
onClick("row-clear", () => {
  view.passed = new Map();
  picker.value = "";
  said.replaceChildren();
  drawTree();
});

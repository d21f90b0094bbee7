// The slider over the path of pruning, and the errors beside it.

const slider = byId("stage");
const PLOT = { width: Math.max(280, byId("stage-chart").clientWidth), height: 200, left: 52, right: 12, top: 12, bottom: 30 };
const isClass = tree.task === "class";
const errorText = (error) => (isClass ? percent(error) : figure(error));

if (stages.n_leaves.length < 2) byId("pruning").hidden = true;
else startPruning();

function startPruning() {
  slider.max = String(stages.n_leaves.length - 1);
  const chart = errorChart();
  byId("stage-chart").append(chart.svg);
  byId("training-key").hidden = stages.training.every((error) => error === null);
  const update = () => {
    view.stage = Number(slider.value);
    view.found = matches(search.value);
    chart.markAt(view.stage);
    byId("stage-says").textContent = stageText(view.stage);
    slider.setAttribute("aria-valuetext", stageText(view.stage));
    if (view.passed.size) again();
    else drawTree();
    showNode(view.selected);
  };
  slider.addEventListener("input", update);
  onClick("stage-least", () => {
    slider.value = String(leastStage());
    update();
  });
  onClick("stage-whole", () => {
    slider.value = "0";
    update();
  });
  byId("stage-least").hidden = leastStage() === null;
  byId("stage-says").textContent = stageText(0);
  chart.markAt(0);
}

/** The smallest tree of least error on other rows; null where none is known. */
function leastStage() {
  const known = stages.error.filter((error) => error !== null);
  if (!known.length) return null;
  const least = Math.min(...known) * (1 + 1e-10);
  return stages.error.findLastIndex((error) => error !== null && error <= least);
}

function stageText(stage) {
  const leaves = stages.n_leaves[stage];
  const parts = [leaves === 1 ? words.oneLeaf : say("leaves", { n: leaves })];
  if (stage === 0) parts.push(words.asGrown);
  else parts.push(say("fromAlpha", { alpha: figure(stages.alpha[stage], 3) }));
  for (const [name, errors] of [["training", stages.training], ["others", stages.error]]) {
    if (errors[stage] === null) continue;
    const se = name === "others" && stages.se[stage] !== null ? ` ${say("plusMinus", { se: errorText(stages.se[stage]) })}` : "";
    parts.push(say("errorIs", { name: words[name], error: errorText(errors[stage]) + se }));
  }
  return parts.join(" · ");
}

/** The errors of all stages as lines, and a mark that is moved. */
function errorChart() {
  const { width, height, left, right, top, bottom } = PLOT;
  const n = stages.n_leaves.length;
  const known = [...stages.training, ...stages.error].filter((error) => error !== null);
  const tick = roundStep(Math.max(...known, 1e-300) / 5);
  const most = Math.ceil((Math.max(...known) / tick) * 1.02) * tick || tick;
  const x = (stage) => left + ((width - left - right) * stage) / (n - 1);
  const y = (error) => top + (height - top - bottom) * (1 - error / most);
  const title = isClass ? words.errorShare : words.errorSquared;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
  for (let i = 0; i * tick <= most * 1.001; i += 1) {
    const [at, value] = [y(i * tick), Number((i * tick).toPrecision(12))];
    svg.append(draw("line", { x1: left, x2: width - right, y1: at, y2: at, class: i ? "grid" : "axis" }));
    svg.append(draw("text", { x: left - 6, y: at + 4, "text-anchor": "end" }, isClass ? percent(value) : figure(value, 2)));
  }
  for (const stage of ticks(n)) {
    const anchor = stage === 0 ? "start" : stage === n - 1 ? "end" : "middle";
    svg.append(draw("text", { x: x(stage), y: height - 10, "text-anchor": anchor }, String(stages.n_leaves[stage])));
  }
  for (const [name, errors] of [["training", stages.training], ["others", stages.error]]) {
    const points = errors.flatMap((error, stage) => (error === null ? [] : [`${x(stage)},${y(error)}`]));
    svg.append(draw("polyline", { points: points.join(" "), class: `line ${name}` }));
  }
  const least = leastStage();
  if (least !== null) {
    const dot = { cx: x(least), cy: y(stages.error[least]), r: 4.5, class: "least" };
    svg.append(draw("circle", dot, draw("title", {}, words.least)));
  }
  const mark = draw("line", { y1: top, y2: height - bottom, class: "mark" });
  svg.append(mark);
  const markAt = (stage) => {
    mark.setAttribute("x1", x(stage));
    mark.setAttribute("x2", x(stage));
  };
  return { svg, markAt };
}

/** The round number next above a step: 1, 2 or 5 times a power of ten. */
function roundStep(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  return [1, 2, 5, 10].find((times) => times * power >= step * (1 - 1e-9)) * power;
}

/** At most eight stages, evenly spaced, the first and last among them. */
function ticks(n) {
  const most = Math.min(n, 8);
  return [...new Set(Array.from({ length: most }, (_, i) => Math.round((i * (n - 1)) / (most - 1))))];
}

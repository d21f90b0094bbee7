"use strict";
// What all parts share: the data, and small makers of elements and text. Names and cells become text nodes, never markup.

const report = JSON.parse(document.getElementById("report-data").textContent);
const { tree, words, stages } = report;
const byId = (id) => document.getElementById(id);

/** An element with attributes (a listener under `on`, a class list under `class`) and children. */
function make(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** The same of SVG. */
function draw(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** A message with its places filled in. */
const say = (name, values = {}) => words[name].replace(/\{(\w+)\}/g, (_, key) => String(values[key]));

/** A number with at least so many significant digits, whole numbers in full. */
function figure(x, digits = 4) {
  if (Number.isInteger(x) && Math.abs(x) < 1e15) return String(x);
  const whole = Math.trunc(Math.abs(x)).toString().length;
  return String(Number(x.toPrecision(Math.abs(x) < 1 ? digits : Math.min(17, Math.max(digits, whole + 1)))));
}

const percent = (share) => `${Number((100 * share).toPrecision(3))} %`;
const rowsText = (n) => (n === 1 ? words.row : say("rows", { n: n.toLocaleString("en") }));
/** The class of the colour of a class, or of what stands for all others. */
const colour = (code) => (code < 0 ? "other" : `k${code % 32}`);
const nameOf = (label) => (label === "" ? "''" : label);

/** What a node answers, as text. */
const prediction = (node) =>
  tree.task === "class" ? nameOf(tree.classes[tree.value[node]]) : figure(tree.value[node]);
const isNumeric = (feature) => tree.features[feature].kind === "numeric";
const featureName = (feature) => nameOf(tree.features[feature].name);

/** How many rows a node had in training, and their weight where it is another number. */
function countText(node) {
  if (tree.rows[node] === 0) return words.noRows;
  const rows = rowsText(tree.rows[node]);
  return tree.weight[node] === tree.rows[node] ? rows : `${rows}, ${say("weight", { weight: figure(tree.weight[node]) })}`;
}

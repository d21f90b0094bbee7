// Searching the nodes of the tree for a text, and going from one that has it to the next.

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

// The walk of one row down the tree, as the library does it (model/route.py). A row is a list of cells, one a column:
// numbers, null where missing, or codes of categories, -1 where missing and -2 where training never saw the category.

const MISSING = -1;
const UNSEEN = -2;
const THRESHOLD = 1;
const ASKS_MISSING = 5;

/** Where a cell of a column leads at a question: a branch, MISSING or UNSEEN. */
function branchOf(feature, kind, threshold, listed, cell) {
  const numeric = isNumeric(feature);
  const asMissing = tree.unseen === "missing";
  if (numeric ? cell === null : cell === MISSING) return MISSING;
  let unseen = !numeric && cell < MISSING;
  let branch = -1;
  if (kind === ASKS_MISSING) {
    branch = 0; // an unseen category is known not to be missing
    unseen = unseen && asMissing;
  } else if (kind === THRESHOLD) {
    branch = cell <= threshold ? 0 : 1;
  } else {
    if (cell >= 0 && cell < listed.length) branch = listed[cell];
    unseen = branch < 0;
  }
  if (unseen) return asMissing ? MISSING : UNSEEN;
  return branch;
}

/** The branch of a node, and the surrogate that answered in place of a missing cell, if one did. */
function questionOf(node, cells) {
  const feature = tree.feature[node];
  const listed = tree.listed[node] ?? [];
  const branch = branchOf(feature, tree.kind[node], tree.threshold[node], listed, cells[feature]);
  if (branch !== MISSING || tree.surrogates === null) return { branch, surrogate: null };
  for (const s of tree.surrogates[node]) {
    // A category that a surrogate does not know is as good as missing.
    const side = branchOf(s.feature, s.kind, s.threshold, s.listed, cells[s.feature]);
    if (side >= 0) return { branch: side ^ s.below, surrogate: s.feature };
  }
  return { branch, surrogate: null };
}

/**
 * Where a row ends, and every step on its way, from the root down. `isLeaf(node)`: whether the walk ends there.
 * `ends`: [{node, weight}] in order of the nodes; `steps`: [{node, weight, branch, surrogate}].
 */
function walk(cells, isLeaf = (node) => tree.first[node] < 0) {
  const ends = [];
  const steps = [];
  const pending = [{ node: 0, weight: 1 }];
  while (pending.length) {
    const { node, weight } = pending.shift();
    if (isLeaf(node)) {
      ends.push({ node, weight });
      steps.push({ node, weight, branch: null, surrogate: null });
      continue;
    }
    const { branch, surrogate } = questionOf(node, cells);
    steps.push({ node, weight, branch, surrogate });
    const first = tree.first[node];
    if (branch >= 0) {
      pending.push({ node: first + branch, weight });
      continue;
    }
    const goesOn = branch === MISSING ? sharesOf(node) : [];
    if (!goesOn.length) ends.push({ node, weight });
    for (const [child, share] of goesOn) pending.push({ node: child, weight: weight * share });
  }
  ends.sort((a, b) => a.node - b.node);
  return { ends, steps };
}

/** The branches that take missing cells, with their shares. */
function sharesOf(node) {
  const found = [];
  for (let child = tree.first[node]; child < tree.first[node] + tree.branches[node]; child += 1) {
    if (tree.share[child] > 0) found.push([child, tree.share[child]]);
  }
  return found;
}

/** The shares of the classes with which a node answers. */
function distributionOf(node) {
  const from = tree.answers[node];
  if (tree.emptySaysParent && from !== node) {
    return tree.classes.map((_, code) => (code === tree.value[node] ? 1 : 0));
  }
  const weights = tree.classes.map(() => tree.laplace);
  tree.codes[from].forEach((code, i) => (weights[code] += tree.weights[from][i]));
  const factored = tree.factor === null ? weights : weights.map((w, code) => w * tree.factor[code]);
  const total = factored.reduce((a, b) => a + b, 0);
  return factored.map((w) => w / total);
}

/** What the nodes where a row ends answer together: a number; or a class by its code, and the shares of all classes. */
function answerOf(ends) {
  if (tree.task === "number") {
    return { value: ends.reduce((sum, end) => sum + tree.value[end.node] * end.weight, 0), shares: null };
  }
  const shares = tree.classes.map(() => 0);
  for (const { node, weight } of ends) {
    distributionOf(node).forEach((share, code) => (shares[code] += share * weight));
  }
  const whole = ends.length === 1 && ends[0].weight === 1 && !tree.inTurn;
  return { value: whole ? tree.value[ends[0].node] : heaviest(shares), shares };
}

/** The heaviest class, the first of equals; or the one that is kept when each is compared with the one before. */
function heaviest(shares) {
  if (!tree.inTurn) {
    const most = Math.max(...shares) * (1 - tree.tie);
    return shares.findIndex((share) => share >= most);
  }
  return shares.reduce((kept, share, code) => (share - tree.tie > shares[kept] ? code : kept), 0);
}

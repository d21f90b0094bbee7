"""The textbook oracles: every measure at every node to 1e-11, and the trees of ID3, gain ratio and CART."""

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from deciduous import C45Classifier, CARTClassifier, ID3Classifier, Node, Tree
from deciduous.explain.working import FeatureWorking, working_of
from deciduous.kernels import SplitKind
from deciduous.model.reason import Reason
from deciduous.prune import Pruner, ReducedError, Validation, frontier, node_costs, smallest_optimal
from deciduous.prune.cost_complexity import Lifetimes, weakest_links
from deciduous.prune.subtree import descendants
from deciduous.prune.walk import least_cost
from tests.parity import oracles
from tests.parity.measures import node_comparisons, root_comparisons
from tests.parity.oracles import Comparison, Table, differences

CASES = oracles.ids("textbook")
PRUNING = "textbook.watermelon2_pruning"
MISSING = "textbook.watermelon2a"
GROWN = [case for case in CASES if case not in (PRUNING, MISSING)]

#: The two columns that tie at the root of the pruning example, as test ids can name them.
FIRST = {"navel": "脐部", "colour": "色泽"}

#: Our options for each of the recorded trees.
TREES: dict[str, Any] = {
    "id3": lambda kinds: ID3Classifier(kinds=kinds),
    "gain_ratio_only": lambda kinds: by_ratio(kinds, guard=False),
    "gain_ratio_average_gain_filter": lambda kinds: by_ratio(kinds, guard=True),
    "cart_best_subset": lambda kinds: CARTClassifier(zero_gain="stop", kinds=kinds),
    "cart_value_vs_rest": lambda kinds: CARTClassifier(nominal="one_vs_rest", zero_gain="stop", kinds=kinds),
}

#: The recorded figures of a nominal column and our names for them: in a multiway split, with missing
#: cells, and in a binary split.
MULTIWAY = {
    "gain": "gain",
    "iv": "split_information",
    "gain_ratio": "gain_ratio",
    "conditional_entropy": "conditional_entropy",
    "gini_index_multiway": "gini_index",
    "gini_gain_multiway": "gini_gain",
}
WITH_MISSING = {
    "gain": "gain",
    "iv_missing_as_extra_branch": "split_information",
    "gain_ratio_c45_missing": "gain_ratio",
    "conditional_entropy": "conditional_entropy",
    "gini_index_multiway": "gini_index",
}
BINARY = {"gini_index": "gini_index", "gini_gain": "gini_gain", "entropy_gain": "gain", "gain_ratio": "gain_ratio"}
THRESHOLD = {
    "gain": "gain",
    "iv": "split_information",
    "gain_ratio": "gain_ratio",
    "conditional_entropy": "conditional_entropy",
    "gini_index": "gini_index",
    "gini_gain": "gini_gain",
}


def by_ratio(kinds: dict[str, str], guard: bool) -> C45Classifier:
    return C45Classifier(
        guard=guard,
        mdl_correction=False,
        min_cases=1,
        threshold="midpoint",
        missing="majority",
        collapse=False,
        pruning=None,
        kinds=kinds,
    )


def wrong(comparisons: Iterator[Comparison]) -> list[Comparison]:
    """Return the comparisons that fail; figures are recorded with 12 digits."""
    return differences(comparisons, relative=1e-11, absolute=1e-14)


# --- the measures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case_id", CASES)
def test_measures(case_id: str) -> None:
    expected, table = oracles.case(case_id)["expected"], oracles.table(case_id)
    root = root_comparisons(table, expected) if "root_measures" in expected else iter(())
    nodes = itertools.chain.from_iterable(node_comparisons(table, node) for node in recorded_nodes(expected))
    assert wrong(itertools.chain(root, nodes)) == []


def recorded_nodes(expected: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the nodes of all recorded trees; of those that hold the same rows and figures, one."""
    nodes = {}
    for node in itertools.chain.from_iterable(walk(root) for root in recorded_roots(expected)):
        nodes[*node["rows"], "measures", *(measure["attribute"] for measure in node.get("measures", []))] = node
    return list(nodes.values())


def recorded_roots(expected: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the recorded trees: those of the algorithms, or the unpruned ones of the pruning example."""
    if "trees" in expected:
        return [tree["tree"] for tree in expected["trees"].values()]
    return [] if "root_measures" in expected else [choice["unpruned"]["tree"] for choice in expected.values()]


def walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("children", []):
        yield from walk(child)


# --- the trees --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case_id", [f"{case}/{tree}" for case in GROWN for tree in TREES])
def test_tree(case_id: str) -> None:
    case_id, name = case_id.split("/")
    recorded, table = oracles.case(case_id)["expected"]["trees"][name], oracles.table(case_id)
    estimator = TREES[name](table.kinds).fit(table.X, table.y)
    assert wrong(tree_comparisons(Grown(estimator, table), recorded)) == []


@pytest.mark.parametrize("case_id", [f"{PRUNING}/{first}" for first in FIRST])
def test_unpruned_tree(case_id: str) -> None:
    """The root is a tie between 色泽 and 脐部; the book's choice comes out if its column is the first."""
    case_id, first = case_id.split("/")[0], FIRST[case_id.split("/")[1]]
    expected, table = oracles.case(case_id)["expected"], oracles.table(case_id)
    recorded = next(tree["unpruned"] for choice, tree in expected.items() if f"({first} at the root)" in choice)
    X = table.X[[first, *(name for name in table.X if name != first)]]
    estimator = ID3Classifier(kinds=table.kinds).fit(X, table.y)
    validation = oracles.read_table("open/data/watermelon2_valid.csv", "open/data/watermelon2_valid.schema.json")
    assert wrong(node_tree_comparisons(Grown(estimator, table, X), estimator.tree_.node(0), recorded["tree"])) == []
    assert (estimator.predict(validation.X) == validation.y).sum() == recorded["validation_correct"]


@pytest.mark.parametrize("case_id", [MISSING])
def test_working_with_missing_cells(case_id: str) -> None:
    """The root of C4.5's tree shows the recorded figures, the missing cells being one more branch."""
    recorded, table = oracles.case(case_id)["expected"]["root_measures"], oracles.table(case_id)
    grown = Grown(C45Classifier(min_cases=1, kinds=table.kinds).fit(table.X, table.y), table)
    features = grown.features(grown.tree.node(0))
    assert wrong(c for measure in recorded for c in missing_comparisons(features, measure)) == []


def missing_comparisons(features: dict[str, FeatureWorking], measure: dict[str, Any]) -> Iterator[Comparison]:
    name = measure["attribute"]
    for recorded, ours in WITH_MISSING.items():
        yield f"{name}: {ours}", getattr(features[name], ours), measure[recorded]
    yield f"{name}: known share", features[name].known_share, float(Fraction(measure["known_fraction_rho"]))


class Grown:
    """A fitted estimator with its table, and which rows pass each node."""

    def __init__(self, estimator: Any, table: Table, X: Any = None) -> None:
        self.estimator, self.tree, self.table = estimator, estimator.tree_, table
        self.X = table.X if X is None else X
        self.passes = estimator.decision_path(self.X).toarray().astype(bool)

    def rows(self, node: Node) -> list[str]:
        return [label for label, passes in zip(self.table.labels, self.passes[:, node.index], strict=True) if passes]

    def features(self, node: Node) -> dict[str, FeatureWorking]:
        return {f.feature: f for f in working_of(self.tree, node.index).features}


def tree_comparisons(grown: Grown, recorded: dict[str, Any]) -> Iterator[Comparison]:
    tree, table = grown.tree, grown.table
    yield "leaves", tree.n_leaves, recorded["leaves"]
    yield "nonempty leaves", int((tree.is_leaf & (tree.n_samples > 0)).sum()), recorded["nonempty_leaves"]
    yield "internal nodes", int((~tree.is_leaf).sum()), recorded["internal_nodes"]
    yield "depth", tree.max_depth, recorded["depth"]
    yield "train correct", int((grown.estimator.predict(table.X) == table.y).sum()), recorded["train_correct"]
    yield from node_tree_comparisons(grown, tree.node(0), recorded["tree"])


def node_tree_comparisons(grown: Grown, node: Node, recorded: dict[str, Any]) -> Iterator[Comparison]:
    """Compare a node and all below it."""
    where = recorded["path"] or "root"
    yield from statistics_comparisons(where, grown, node, recorded)
    yield f"{where}: leaf", node.is_leaf, "split" not in recorded
    if node.is_leaf or "split" not in recorded:
        return
    yield from split_comparisons(where, grown, node, recorded)
    yield from working_comparisons(where, grown, node, recorded)
    yield f"{where}: branches", len(node.children), len(recorded["children"])
    for child, below in zip(node.children, recorded["children"], strict=False):
        yield from node_tree_comparisons(grown, child, below)


def statistics_comparisons(where: str, grown: Grown, node: Node, recorded: dict[str, Any]) -> Iterator[Comparison]:
    weights = node.class_weights
    by_gini = grown.estimator.criterion == "gini"
    yield f"{where}: n", node.n_samples, recorded["n"]
    yield f"{where}: counts", [weights.get(level, 0) for level in grown.table.levels], recorded["counts"]
    yield f"{where}: impurity", node.impurity, recorded["gini" if by_gini else "entropy"]
    yield f"{where}: {node.prediction} is a majority class", node.prediction in recorded["majority"], True
    yield f"{where}: rows", grown.rows(node), recorded["rows"]
    yield f"{where}: empty", node.reason == Reason.EMPTY, recorded.get("empty", False)


def split_comparisons(where: str, grown: Grown, node: Node, recorded: dict[str, Any]) -> Iterator[Comparison]:
    features = grown.features(node)
    contest = [name for name, f in features.items() if f.verdict in ("chosen", "tied")]
    yield f"{where}: feature", node.feature, recorded["split"]
    yield f"{where}: tied", sorted(contest), sorted(recorded.get("tied_attributes", [recorded["split"]]))
    yield f"{where}: criterion value", features[node.feature].score, recorded["criterion_value"]
    if grown.estimator.criterion != "gain_ratio":
        yield f"{where}: gain", node.gain, recorded["criterion_value"]
    if "threshold" in recorded:
        yield f"{where}: threshold", node.split.threshold, recorded["threshold"]
    elif "left_values" in recorded:
        yield from side_categories(where, grown, node, recorded)
    else:
        yield f"{where}: a branch per category", node.split.kind, SplitKind.MULTIWAY
    if "average_gain" in recorded:
        yield from guard_comparisons(where, features, recorded["average_gain"])


def side_categories(where: str, grown: Grown, node: Node, recorded: dict[str, Any]) -> Iterator[Comparison]:
    """Compare which of the categories present go left and right (a rest takes the absent ones too)."""
    column = grown.X[node.feature]
    present = set(column[np.isin(grown.table.labels, recorded["rows"])])
    for branch, side in enumerate(("left_values", "right_values")):
        ours = [column.cat.categories[code] for code in node.split.categories_of(branch)]
        yield f"{where}: {side}", [category for category in ours if category in present], recorded[side]


def guard_comparisons(where: str, features: dict[str, FeatureWorking], average: float) -> Iterator[Comparison]:
    """Compare C4.5's guard: the average gain, and who is out of the contest by it."""
    usable = {name: f.gain for name, f in features.items() if f.split_information > 0}
    out = [name for name, f in features.items() if f.verdict == "below average gain"]
    yield f"{where}: average gain", sum(usable.values()) / len(usable), average
    below = [name for name, gain in usable.items() if gain < average - 1e-11 and features[name].verdict != "no gain"]
    yield f"{where}: below the average", out, below


def working_comparisons(where: str, grown: Grown, node: Node, recorded: dict[str, Any]) -> Iterator[Comparison]:
    """Compare the figures that the tree itself shows for every attribute of the node."""
    features = grown.features(node)
    for measure in recorded["measures"]:
        feature = features[measure["attribute"]]
        here = f"{where}: working of {feature.feature}"
        if not feature.branches:
            yield f"{here}: constant", feature.verdict, "constant"
        elif measure["type"] == "numeric":
            yield from threshold_working(here, grown, node, feature, measure)
        elif grown.estimator.nominal == "multiway":
            yield from ((f"{here}: {ours}", getattr(feature, ours), measure[name]) for name, ours in MULTIWAY.items())
        else:
            yield from partition_working(here, grown, feature, measure)


def partition_working(
    where: str, grown: Grown, feature: FeatureWorking, measure: dict[str, Any]
) -> Iterator[Comparison]:
    if grown.estimator.nominal == "one_vs_rest":
        yield f"{where}: gini_index", feature.gini_index, min(measure["value_vs_rest_gini_index"].values())
        return
    best = measure["binary_partitions"][measure["best_binary_partitions_by_gini"][0]]
    yield from ((f"{where}: {ours}", getattr(feature, ours), best[name]) for name, ours in BINARY.items())


def threshold_working(
    where: str, grown: Grown, node: Node, feature: FeatureWorking, measure: dict[str, Any]
) -> Iterator[Comparison]:
    criterion = "gini" if grown.estimator.criterion == "gini" else "gain"
    best = measure[f"best_threshold_by_{criterion}"][0]
    candidate = next(c for c in measure["candidates"] if c["threshold"] == best)
    kept = next(c for c in node.candidates if grown.tree.schema.features[c.feature].name == feature.feature)
    yield f"{where}: threshold", kept.split.threshold, best
    yield f"{where}: tried", kept.tried, len(measure["candidates"])
    yield from ((f"{where}: {ours}", getattr(feature, ours), candidate[name]) for name, ours in THRESHOLD.items())


# --- pruning ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case_id", [f"{case}/{tree}" for case in GROWN for tree in TREES])
def test_entropy_cost_complexity(case_id: str) -> None:
    """C_alpha(T) = sum_t N_t H_t(T) + alpha |T|: critical alphas, and at every alpha of the grid the least cost and the
    smallest and largest optimal subtree, which were found among all pruned subtrees.
    """
    case_id, name = case_id.split("/")
    recorded, table = oracles.case(case_id)["expected"]["trees"][name], oracles.table(case_id)
    tree = TREES[name](table.kinds).fit(table.X, table.y).tree_
    paths = paths_of(tree.node(0), recorded["tree"])
    for block in recorded["entropy_cost_complexity"]:
        assert wrong(cost_complexity_comparisons(tree, paths, block)) == []


def paths_of(node: Node, recorded: dict[str, Any]) -> dict[int, str]:
    """Return the recorded path of every node."""
    paths = {node.index: recorded["path"] or "root"}
    for child, below in zip(node.children, recorded.get("children", []), strict=True):
        paths |= paths_of(child, below)
    return paths


def cost_complexity_comparisons(tree: Tree, paths: dict[int, str], block: dict[str, Any]) -> Iterator[Comparison]:
    costs = node_costs(tree, "entropy")
    size = np.ones(len(tree)) if block["count_empty_leaves"] else (tree.n_samples > 0).astype(float)
    links = weakest_links(tree, costs, size)
    falls = links.together()
    lives = Lifetimes.of(links, falls)
    leaves = lives.totals(size)
    yield "cost at alpha 0", float(lives.totals(costs)[0]), block["full_tree_cost_alpha0"]
    yield "leaves of the full tree", int(leaves[0]), block["leaves_full"]
    yield "critical alphas", lives.n_steps - 1, len(block["critical_alphas"])
    for step, critical in enumerate(block["critical_alphas"], 1):
        yield f"critical alpha {step}", float(links.alpha[falls == step].min()), critical["alpha"]
        yield f"leaves after {step}", int(leaves[step]), critical["leaves_after"]
        yield f"collapsed after {step}", collapsed(tree, paths, lives.leaves(step)), sorted(critical["collapsed_after"])
    sizes = frontier(tree, costs)
    for point in block["grid"]:
        alpha = point["alpha"]
        for which, slack in (("smallest", 1e-9), ("largest", -1e-9)):
            made_leaf, least = least_cost(tree, costs + alpha * size, slack=slack)
            ends = np.flatnonzero((tree.is_leaf | made_leaf) & ~descendants(tree, made_leaf))
            yield f"alpha {alpha}: least cost", float(least[0]), point["min_cost"]
            yield f"alpha {alpha}: {which}, leaves", int(size[ends].sum()), point[f"{which}_optimal_leaves"]
            its = sorted(point[f"{which}_optimal_collapsed"])
            yield f"alpha {alpha}: {which}", collapsed(tree, paths, ends), its
        pruned = smallest_optimal(tree, alpha, "entropy", size)
        counted = pruned.is_leaf if block["count_empty_leaves"] else pruned.is_leaf & (pruned.n_samples > 0)
        yield f"alpha {alpha}: leaves of the pruned tree", int(counted.sum()), point["smallest_optimal_leaves"]
        if block["count_empty_leaves"]:
            best = float((sizes.cost + alpha * sizes.size).min())
            yield f"alpha {alpha}: least cost over all sizes", best, point["min_cost"]


def collapsed(tree: Tree, paths: dict[int, str], leaves: np.ndarray) -> list[str]:
    """Return the paths of the leaves of a subtree that ask something in the full tree."""
    return sorted(paths[node] for node in leaves.tolist() if not tree.is_leaf[node])


#: The recorded prunings of the watermelons, and our pruners.
PRUNED: dict[str, Pruner] = {
    "post_pruned_strict": ReducedError(ties="keep"),
    "post_pruned_non_strict": ReducedError(),
    "pre_pruned_strict": Validation(),
}


@pytest.mark.parametrize("case_id", [f"{PRUNING}/{first}" for first in FIRST])
def test_pruned_tree(case_id: str) -> None:
    """Zhou's example (2016, section 4.3): pre- and post-pruning by the validation rows, with either tied root."""
    case_id, first = case_id.split("/")[0], FIRST[case_id.split("/")[1]]
    expected, table = oracles.case(case_id)["expected"], oracles.table(case_id)
    recorded = next(tree for choice, tree in expected.items() if f"({first} at the root)" in choice)
    order = {label: f"{i}{label}" for i, label in enumerate(table.levels)}  # of tied classes the first level wins
    X = table.X[[first, *(name for name in table.X if name != first)]]
    model = ID3Classifier(kinds=table.kinds).fit(X, [order[label] for label in table.y])
    valid = oracles.read_table("open/data/watermelon2_valid.csv", "open/data/watermelon2_valid.schema.json")
    y = [order[label] for label in valid.y]
    paths = paths_of(model.tree_.node(0), recorded["unpruned"]["tree"])
    for name, pruner in PRUNED.items():
        pruned = model.prune(pruner, valid.X, y)
        pruned.tree_.check()
        assert recorded_text(pruned.tree_.node(0)) == recorded[name]["text"]
        assert (pruned.predict(valid.X) == y).sum() == recorded[name]["validation_correct"]
        steps = {step["node"]: step for step in recorded[name]["steps"]}
        asked = {paths[node] for node in np.flatnonzero(~model.tree_.is_leaf).tolist()}
        assert set(steps) == asked or name == "pre_pruned_strict"  # there, only down to where it stops


def recorded_text(node: Node, indent: str = "") -> str:
    """Return the tree below a node in the layout of the records."""
    lines = []
    feature = node.tree.schema.features[node.split.feature]
    for child, category in zip(node.children, feature.categories, strict=True):
        line = f"{indent}{feature.name}={category}"
        if not child.is_leaf:
            lines.append(line + "\n" + recorded_text(child, indent + "|   "))
            continue
        counts = [int(child.class_weights.get(label, 0)) for label in node.tree.classes]
        empty = " (empty)" if child.n_samples == 0 else ""
        lines.append(f"{line}: {child.prediction[1:]} {counts}{empty}\n")
    return "".join(lines)

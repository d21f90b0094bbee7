"""Decision trees: ID3, C4.5 and CART, on your own table, with every figure in reach."""

from deciduous import datasets, draw, evaluate, prune
from deciduous.data.readers import read_table
from deciduous.deviations import absolute_error, friedman_improvement, half_poisson_deviance
from deciduous.draw import export_graphviz, notebook, plot_regions, plot_tree
from deciduous.errors import DataError, DataWarning, ModelFileError, OptionError
from deciduous.estimators.classifiers import C45Classifier, CARTClassifier, ID3Classifier
from deciduous.estimators.explaining import derivation, explain_pruning, summary
from deciduous.estimators.io import load, save
from deciduous.estimators.regressors import CARTRegressor
from deciduous.estimators.rules import RulesClassifier, explain_simplification, simplify_rules
from deciduous.explain.measure import explain_measure
from deciduous.explain.row import explain_row
from deciduous.explain.rules import rules
from deciduous.explain.worksheet import worksheet
from deciduous.grow.algorithm import Algorithm
from deciduous.measures import (
    conditional_entropy,
    contingency_table,
    entropy,
    gain_ratio,
    gini,
    gini_gain,
    gini_index,
    information_gain,
    joint_entropy,
    misclassification,
    split_information,
    squared_error,
)
from deciduous.model.node import Node
from deciduous.model.tree import Tree
from deciduous.report.document import report

__version__ = "0.1.0"

notebook.register()

__all__ = [
    "Algorithm",
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "DataError",
    "DataWarning",
    "ID3Classifier",
    "ModelFileError",
    "Node",
    "OptionError",
    "RulesClassifier",
    "Tree",
    "absolute_error",
    "conditional_entropy",
    "contingency_table",
    "datasets",
    "derivation",
    "draw",
    "entropy",
    "evaluate",
    "explain_measure",
    "explain_pruning",
    "explain_row",
    "explain_simplification",
    "export_graphviz",
    "friedman_improvement",
    "gain_ratio",
    "gini",
    "gini_gain",
    "gini_index",
    "half_poisson_deviance",
    "information_gain",
    "joint_entropy",
    "load",
    "misclassification",
    "plot_regions",
    "plot_tree",
    "prune",
    "read_table",
    "report",
    "rules",
    "save",
    "simplify_rules",
    "split_information",
    "squared_error",
    "summary",
    "worksheet",
]

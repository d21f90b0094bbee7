"""Pictures of trees: one layout, many pens."""

from deciduous.draw.charts import (
    plot_calibration,
    plot_confusion,
    plot_curve,
    plot_importance,
    plot_leaves,
    plot_pruning_path,
)
from deciduous.draw.dot import to_dot
from deciduous.draw.formats import save, to_text
from deciduous.draw.graphviz import export_graphviz
from deciduous.draw.matplotlib import plot_tree
from deciduous.draw.mermaid import to_mermaid
from deciduous.draw.plane import plot_regions
from deciduous.draw.single import one_level
from deciduous.draw.svg import to_svg
from deciduous.draw.theme import DARK, GREY, LIGHT, Theme
from deciduous.draw.tikz import to_tikz
from deciduous.draw.view import View

__all__ = [
    "DARK",
    "GREY",
    "LIGHT",
    "Theme",
    "View",
    "export_graphviz",
    "one_level",
    "plot_calibration",
    "plot_confusion",
    "plot_curve",
    "plot_importance",
    "plot_leaves",
    "plot_pruning_path",
    "plot_regions",
    "plot_tree",
    "save",
    "to_dot",
    "to_mermaid",
    "to_svg",
    "to_text",
    "to_tikz",
]

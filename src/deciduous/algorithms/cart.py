"""CART (Breiman, Friedman, Olshen and Stone 1984): binary splits by Gini or squared error, categories divided into
two sets.
"""

from deciduous.grow.algorithm import Algorithm

CART_CLASSES = Algorithm(
    name="cart",
    task="class",
    criteria=("gini", "entropy", "log_loss", "misclassification"),
    criterion="gini",
    nominal="subset",
    missing="direction",
    threshold="midpoint",
    zero_gain="split",
)

CART_NUMBERS = Algorithm(
    name="cart",
    task="number",
    criteria=("squared_error", "absolute_error", "friedman_mse", "poisson"),
    criterion="squared_error",
    nominal="subset",
    missing="direction",
    threshold="midpoint",
    zero_gain="split",
)

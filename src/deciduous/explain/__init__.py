"""Why the tree is this tree."""

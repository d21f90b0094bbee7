"""The tree: flat arrays, read-only views of nodes, the one walk down it, its text and its file."""

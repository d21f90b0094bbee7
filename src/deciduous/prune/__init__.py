"""Pruners: functions `(tree, rows=None) -> Tree`, each with what it needs to look at."""
